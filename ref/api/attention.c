/* SPDX-License-Identifier: Apache-2.0 */
/* scaled_dot_product_attention: what it accepts, which implementation it takes, and programs for
 * both: one over matmul and softmax, with a derivative by its parts, and the fused op's, for a backend
 * without a kernel of it; see spec/ops/attention.md. */
#include <math.h>

#include "core/core.h"
#include "core/expr.h"
#include "touchstone/ops/add.h"
#include "touchstone/ops/add_expr.h"
#include "touchstone/ops/amax_expr.h"
#include "touchstone/ops/arange_expr.h"
#include "touchstone/ops/attention_expr.h"
#include "touchstone/ops/attention_glue.h"
#include "touchstone/ops/clone_expr.h"
#include "touchstone/ops/compare_expr.h"
#include "touchstone/ops/copy.h"
#include "touchstone/ops/detach_expr.h"
#include "touchstone/ops/div_expr.h"
#include "touchstone/ops/dropout_expr.h"
#include "touchstone/ops/expand_expr.h"
#include "touchstone/ops/factories_expr.h"
#include "touchstone/ops/matmul_expr.h"
#include "touchstone/ops/mul_expr.h"
#include "touchstone/ops/softmax_expr.h"
#include "touchstone/ops/transpose_expr.h"
#include "touchstone/ops/unary_expr.h"
#include "touchstone/ops/view_expr.h"
#include "touchstone/ops/where_expr.h"

static const int64_t last = -1;

static ts_dtype wide(ts_dtype dtype)
{
    return dtype == TS_FLOAT64 ? TS_FLOAT64 : TS_FLOAT32;
}

/* --- what both programs take ------------------------------------------------------- */

/* S4: key s is seen by query l where s <= l. */
static ts_tensor *visible(tsi_expr *e, int64_t queries, int64_t keys)
{
    ts_tensor *l = tsx_arange(e, ts_int(queries), NULL);
    ts_tensor *s = tsx_arange(e, ts_int(keys), NULL);

    return tsx_ge(e, tsx_reshape(e, l, (int64_t[]){queries, 1}, 2), s);
}

/* S7: each head of t as often as `heads` has it. */
static ts_tensor *repeated(tsi_expr *e, ts_tensor *t, int64_t heads)
{
    int64_t sizes[TS_MAX_DIMS + 1];
    const int at = t ? t->ndim - 3 : 0;

    if (!t || t->sizes[at] == heads)
        return t;
    for (int d = 0; d < t->ndim; d++)
        sizes[d + (d > at)] = t->sizes[d];
    sizes[at + 1] = heads / t->sizes[at];
    t = tsx_expand(e, tsx_unsqueeze(e, t, at + 1), sizes, t->ndim + 1, NULL);
    if (!t)
        return NULL;
    sizes[at] = heads;
    for (int d = at + 1; d < t->ndim - 1; d++)
        sizes[d] = t->sizes[d + 1];
    return tsx_reshape(e, t, sizes, t->ndim - 1);
}

/* --- the fused op ----------------------------------------------------------------- */

enum { BATCH, HEADS, LENGTH, WIDTH };

ts_status tsi_api__scaled_dot_product_flash_attention_for_cpu(ts_frame *f)
{
    const ts_tensor *q = tsi_tensor(f, 0);

    TS_TRY(tsi_check_dtype(f, q->dtype, "attention/C10"));
    TS_TRY(tsi_result_like(f, 0, q, q->dtype));
    return tsi_result(f, 1, q->device, wide(q->dtype), 3, q->sizes);
}

/* A gradient lies as if heads and positions had changed places. */
static ts_status result_by_position(ts_frame *f, int i, const ts_tensor *like)
{
    const int order[] = {WIDTH, HEADS, LENGTH, BATCH};
    int64_t step = 1;

    TS_TRY(tsi_result(f, i, like->device, like->dtype, 4, like->sizes));
    f->meta[i].strided = true;
    for (int k = 0; k < 4; k++) {
        f->meta[i].strides[order[k]] = step;
        step *= like->sizes[order[k]] > 0 ? like->sizes[order[k]] : 1;
    }
    return TS_OK;
}

ts_status tsi_api__scaled_dot_product_flash_attention_for_cpu_backward(ts_frame *f)
{
    for (int i = 0; i < 3; i++)
        TS_TRY(result_by_position(f, i, tsi_tensor(f, 1 + i)));
    return TS_OK;
}

/* q, k, v in the accumulator's dtype, k and v with q's heads; what is added to the scores,
 * and which of them count. */
typedef struct operands {
    ts_tensor *q, *k, *v, *mask, *seen;
    double scale;
    int64_t groups;
} operands;

static void prepare(tsi_expr *e, operands *o, ts_tensor *const *qkv, ts_tensor *mask,
                    bool causal, const ts_value *scale)
{
    const ts_tensor *q = qkv[0], *k = qkv[1];

    o->groups = k->sizes[HEADS] > 0 ? q->sizes[HEADS] / k->sizes[HEADS] : 1;
    o->scale = scale->kind == TS_ARG_FLOAT ? scale->f : 1 / sqrt((double)q->sizes[WIDTH]);
    o->q = tsi_cast(e, qkv[0], wide(q->dtype));
    o->k = repeated(e, tsi_cast(e, qkv[1], wide(q->dtype)), q->sizes[HEADS]);
    o->v = repeated(e, tsi_cast(e, qkv[2], wide(q->dtype)), q->sizes[HEADS]);
    o->mask = mask ? tsi_cast(e, mask, wide(q->dtype)) : NULL;
    o->seen = causal ? visible(e, q->sizes[LENGTH], k->sizes[LENGTH]) : NULL;
}

static ts_tensor *scores(tsi_expr *e, const operands *o)
{
    ts_tensor *s = tsx_matmul(e, o->q, tsx_transpose(e, o->k, -2, -1));

    s = tsx_mul_number(e, s, ts_float(o->scale));
    if (o->mask)
        s = tsx_add(e, s, o->mask, NULL);
    if (o->seen)
        s = tsx_where_number(e, o->seen, s, ts_float(-INFINITY));
    return s;
}

/* t as PyTorch lays it out: like `like`. */
static ts_tensor *laid_out(tsi_expr *e, ts_tensor *t, ts_tensor *like)
{
    ts_tensor *y = tsx_empty_like(e, like, NULL);

    if (y && t)
        e->s = ts_copy_(y, t, NULL);
    if (y)
        tsi_version_reset(y);
    return y;
}

ts_status tsi_program__scaled_dot_product_flash_attention_for_cpu(ts_frame *f)
{
    ts_tensor *const qkv[] = {tsi_tensor(f, 0), tsi_tensor(f, 1), tsi_tensor(f, 2)};
    const int mask = TS__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU_ATTN_MASK;
    ts_amax_opts m = ts_amax_defaults();
    tsi_expr e = {0};
    ts_tensor *s, *most, *dead, *p, *sum, *y, *lse;
    operands o;

    m.dim = &last;
    m.ndim = 1;
    m.keepdim = true;
    prepare(&e, &o, qkv, tsi_tensor(f, mask),
            f->args[TS__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU_IS_CAUSAL].b,
            &f->args[TS__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU_SCALE]);
    s = scores(&e, &o);
    most = tsx_amax(&e, s, &m);
    dead = tsx_eq_number(&e, most, ts_float(-INFINITY)); /* S5 */
    most = tsx_where(&e, dead, tsi_number(&e, ts_float(0)), most);
    p = tsx_exp(&e, tsx_sub(&e, s, most, NULL));
    sum = tsi_sum(&e, p, &last, 1, true);
    sum = tsx_where(&e, dead, tsi_number(&e, ts_float(1)), sum);
    y = tsx_div(&e, tsx_matmul(&e, p, o.v), sum, NULL);
    lse = tsx_reshape(&e, tsx_add(&e, most, tsx_log(&e, sum), NULL), qkv[0]->sizes, 3);
    y = laid_out(&e, y, qkv[0]);
    if (e.s == TS_OK)
        f->results[1] = ts_retain(lse);
    return tsi_expr_give(&e, y, &f->results[0]);
}

/* The gradient of what was repeated for a group: the sum over it; then G2's layout. */
static ts_status give(tsi_expr *e, ts_tensor *t, int64_t groups, const ts_tensor *like,
                      ts_tensor **out)
{
    const int64_t *n = like->sizes;
    const int64_t group = 2;

    if (groups > 1) {
        t = tsx_reshape(e, t,
                        (int64_t[]){n[BATCH], n[HEADS], groups, n[LENGTH], n[WIDTH]}, 5);
        t = tsi_sum(e, t, &group, 1, false);
    }
    t = tsx_transpose(e, tsi_cast(e, t, like->dtype), 1, 2);
    t = tsx_transpose(e, tsx_contiguous(e, t, NULL), 1, 2);
    if (e->s != TS_OK)
        return e->s;
    tsi_forget_base(t);
    *out = ts_retain(t);
    return TS_OK;
}

ts_status tsi_program__scaled_dot_product_flash_attention_for_cpu_backward(ts_frame *f)
{
    ts_tensor *const qkv[] = {tsi_tensor(f, 1), tsi_tensor(f, 2), tsi_tensor(f, 3)};
    const int at_mask = TS__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU_BACKWARD_ATTN_MASK;
    const ts_tensor *q = qkv[0];
    tsi_expr e = {0};
    ts_tensor *g, *out, *lse, *p, *along, *ds, *grads[3];
    operands o;

    prepare(&e, &o, qkv, tsi_tensor(f, at_mask),
            f->args[TS__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU_BACKWARD_IS_CAUSAL].b,
            &f->args[TS__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU_BACKWARD_SCALE]);
    g = tsi_cast(&e, tsi_tensor(f, 0), wide(q->dtype));
    out = tsi_cast(&e, tsi_tensor(f, 4), wide(q->dtype));
    lse = tsx_unsqueeze(&e, tsi_tensor(f, 5), -1);
    p = tsx_exp(&e, tsx_sub(&e, scores(&e, &o), lse, NULL));
    along = tsi_sum(&e, tsx_mul(&e, g, out), &last, 1, true);
    ds = tsx_matmul(&e, g, tsx_transpose(&e, o.v, -2, -1));
    ds = tsx_mul(&e, p, tsx_sub(&e, ds, along, NULL));
    ds = tsx_mul_number(&e, ds, ts_float(o.scale));
    grads[0] = tsx_matmul(&e, ds, o.k);
    grads[1] = tsx_matmul(&e, tsx_transpose(&e, ds, -2, -1), o.q);
    grads[2] = tsx_matmul(&e, tsx_transpose(&e, p, -2, -1), g);
    for (int i = 0; i < 3 && e.s == TS_OK; i++)
        e.s = give(&e, grads[i], i == 0 ? 1 : o.groups, qkv[i], &f->results[i]);
    while (e.n > 0)
        ts_release(e.t[--e.n]);
    return e.s;
}

/* --- the choice --------------------------------------------------------------------- */

/* One call, its tensors perhaps with a batch of one in front. */
typedef struct attention {
    ts_tensor *q, *k, *v, *mask;
    double p, scale;
    bool causal, grouped, scaled;
} attention;

static int64_t size_of(const ts_tensor *t, int from_end)
{
    return t->sizes[t->ndim - from_end];
}

/* All three have four dims, or three. */
static bool fused_dims(const attention *a)
{
    return (a->q->ndim == 4 || a->q->ndim == 3) && a->k->ndim == a->q->ndim &&
           a->v->ndim == a->q->ndim;
}

static ts_status check(const attention *a)
{
    TS_CHECK(a->k->dtype == a->q->dtype && a->v->dtype == a->q->dtype, TS_ERR_RUNTIME,
             "attention/C1", "attention: query, key and value are %s, %s and %s",
             ts_dtype_name(a->q->dtype), ts_dtype_name(a->k->dtype),
             ts_dtype_name(a->v->dtype));
    TS_CHECK(a->q->ndim >= 2 && a->k->ndim >= 2 && a->v->ndim >= 2, TS_ERR_RUNTIME,
             "attention/C2",
             "attention: query, key and value need 2 dims, have %d, %d and %d",
             a->q->ndim, a->k->ndim, a->v->ndim);
    if (!a->mask)
        return TS_OK;
    TS_CHECK(a->mask->dtype == TS_BOOL || a->mask->dtype == TS_FLOAT32 ||
                 a->mask->dtype == a->q->dtype,
             TS_ERR_RUNTIME, "attention/C3",
             "attention: attn_mask is %s, not bool, float32 or %s",
             ts_dtype_name(a->mask->dtype), ts_dtype_name(a->q->dtype));
    TS_CHECK(!a->causal, TS_ERR_RUNTIME, "attention/C4",
             "attention: is_causal does not go with an attn_mask");
    TS_CHECK(a->mask->ndim >= 2 || !fused_dims(a), TS_ERR_INDEX, "attention/C5",
             "attention: attn_mask needs 2 dims, has %d", a->mask->ndim);
    return TS_OK;
}

/* C6, C7: heads are the dim before the last two. */
static ts_status check_groups(const attention *a)
{
    TS_CHECK(a->q->ndim >= 3 && a->k->ndim >= 3 && a->v->ndim >= 3, TS_ERR_INDEX,
             "attention/C6", "attention: enable_gqa needs a dim of heads");
    TS_CHECK(size_of(a->k, 3) > 0 && size_of(a->v, 3) > 0 &&
                 size_of(a->q, 3) % size_of(a->k, 3) == 0 &&
                 size_of(a->q, 3) % size_of(a->v, 3) == 0,
             TS_ERR_RUNTIME, "attention/C7",
             "attention: %" PRId64 " and %" PRId64
             " heads of key and value do not divide %" PRId64,
             size_of(a->k, 3), size_of(a->v, 3), size_of(a->q, 3));
    return TS_OK;
}

/* S9: whether the mask is one that the fused implementation reads. */
static bool mask_fits(const attention *a)
{
    const int64_t want[] = {a->q->sizes[0], a->q->sizes[1], a->q->sizes[2],
                            a->k->sizes[2]};

    if (!a->mask)
        return true;
    if ((a->mask->ndim != 2 && a->mask->ndim != 4) || tsi_records(a->mask))
        return false;
    for (int k = 1; k <= a->mask->ndim; k++)
        if (size_of(a->mask, k) != 1 && size_of(a->mask, k) != want[4 - k])
            return false;
    return true;
}

/* S9 */
static bool fused_takes(const attention *a)
{
    const ts_tensor *q = a->q, *k = a->k, *v = a->v;

    if (q->ndim != 4 || k->ndim != 4 || v->ndim != 4 || a->p > 0 || !mask_fits(a))
        return false;
    return k->sizes[0] == q->sizes[0] && v->sizes[0] == q->sizes[0] &&
           k->sizes[3] == q->sizes[3] && v->sizes[3] == q->sizes[3] &&
           k->sizes[2] == v->sizes[2] && k->sizes[1] == v->sizes[1] &&
           (k->sizes[1] == q->sizes[1] || k->sizes[1] == 1 || a->grouped) &&
           q->strides[3] == 1 && k->strides[3] == 1 && v->strides[3] == 1;
}

/* --- the program ------------------------------------------------------------------- */

/* S3: a mask of bools as what is added. */
static ts_tensor *additive(tsi_expr *e, ts_tensor *mask, ts_dtype dtype)
{
    ts_tensor *zero, *least;

    if (!mask || mask->dtype != TS_BOOL)
        return mask;
    zero = tsi_cast(e, tsi_number(e, ts_float(0)), dtype);
    least = tsi_cast(e, tsi_number(e, ts_float(-INFINITY)), dtype);
    return tsx_where(e, mask, zero, least);
}

/* S5: softmax over the keys, of nothing but -inf zeros. */
static ts_tensor *weights(tsi_expr *e, ts_tensor *scores)
{
    const int64_t last = -1;
    ts_amax_opts o = ts_amax_defaults();
    ts_tensor *most, *dead, *zero = tsi_number(e, ts_float(0));

    o.dim = &last;
    o.ndim = 1;
    o.keepdim = true;
    most = tsx_amax(e, tsx_detach(e, scores), &o);
    dead = tsx_eq_number(e, most, ts_float(-INFINITY));
    scores = tsx_where(e, dead, zero, scores);
    return tsx_where(e, dead, zero, tsx_softmax(e, scores, -1, NULL));
}

static ts_tensor *by_program(tsi_expr *e, const attention *a)
{
    const ts_dtype dtype = a->q->dtype;
    const ts_dtype acc = wide(dtype);
    const double root = sqrt(fabs(a->scale));
    ts_tensor *q = tsi_cast(e, a->q, acc), *k = tsi_cast(e, a->k, acc);
    ts_tensor *v = tsi_cast(e, a->v, acc), *mask, *y;

    if (a->grouped) {
        k = repeated(e, k, size_of(a->q, 3));
        v = repeated(e, v, size_of(a->q, 3));
    }
    q = tsx_mul_number(e, q, ts_float(a->scale < 0 ? -root : root));
    k = tsx_mul_number(e, tsx_transpose(e, k, -2, -1), ts_float(root));
    y = tsx_matmul(e, q, k);
    mask = a->causal ? visible(e, size_of(a->q, 2), size_of(a->k, 2)) : a->mask;
    mask = additive(e, mask, acc);
    if (mask && y) /* in place: the scores keep their sizes */
        e->s = ts_add_(y, mask, NULL);
    y = weights(e, y);
    if (y && a->p > 0)
        y = tsx_dropout(e, y, a->p, true);
    return tsi_cast(e, tsx_matmul(e, y, v), dtype);
}

/* S8: nothing to look at. Still all three are arguments of the graph. */
static ts_tensor *of_nothing(tsi_expr *e, const attention *a)
{
    int64_t sizes[TS_MAX_DIMS];
    ts_tensor *sums, *y;

    for (int d = 0; d < a->q->ndim; d++)
        sizes[d] = a->q->sizes[d];
    sizes[a->q->ndim - 1] = size_of(a->v, 1);
    y = tsx_new_zeros(e, a->q, sizes, a->q->ndim, NULL);
    sums = tsx_add(e, tsi_sum(e, a->v, NULL, 0, false), tsi_sum(e, a->k, NULL, 0, false),
                   NULL);
    sums = tsx_add(e, sums, tsi_sum(e, a->q, NULL, 0, false), NULL);
    return tsx_add(e, y, tsx_mul_number(e, sums, ts_int(0)), NULL);
}

static ts_tensor *fused(tsi_expr *e, const attention *a)
{
    ts__scaled_dot_product_flash_attention_for_cpu_opts o =
        ts__scaled_dot_product_flash_attention_for_cpu_defaults();
    ts_tensor *lse = NULL, *y;

    o.is_causal = a->causal;
    o.attn_mask = additive(e, a->mask, a->q->dtype);
    o.scale = &a->scale;
    y = TSI_EXPR(e, ts__scaled_dot_product_flash_attention_for_cpu(a->q, a->k, a->v, &o,
                                                                   &e->made, &lse));
    ts_release(lse);
    return y;
}

static ts_tensor *attend(tsi_expr *e, const attention *a)
{
    if (a->v->numel == 0 || size_of(a->q, 2) == 0)
        return of_nothing(e, a);
    if (e->s == TS_OK && a->grouped)
        e->s = check_groups(a);
    if (e->s != TS_OK)
        return NULL;
    if (fused_takes(a)) {
        if (a->p < 0 || isnan(a->p))
            e->s = ts_fail(TS_ERR_RUNTIME, "attention/C8",
                           "attention: dropout_p is %g, no probability", a->p);
        return e->s == TS_OK ? fused(e, a) : NULL;
    }
    return by_program(e, a);
}

/* S1: three dims are heads of a batch of one. */
static bool one_batch(const attention *a)
{
    return a->q->ndim == 3 && a->k->ndim == 3 && a->v->ndim == 3 &&
           (!a->mask || a->mask->ndim < 4 || a->mask->sizes[0] == 1);
}

ts_status tsi_program_scaled_dot_product_attention(ts_frame *f)
{
    const ts_value *scale = &f->args[TS_SCALED_DOT_PRODUCT_ATTENTION_SCALE];
    attention a = {.q = tsi_tensor(f, TS_SCALED_DOT_PRODUCT_ATTENTION_QUERY),
                   .k = tsi_tensor(f, TS_SCALED_DOT_PRODUCT_ATTENTION_KEY),
                   .v = tsi_tensor(f, TS_SCALED_DOT_PRODUCT_ATTENTION_VALUE),
                   .mask = tsi_tensor(f, TS_SCALED_DOT_PRODUCT_ATTENTION_ATTN_MASK),
                   .p = f->args[TS_SCALED_DOT_PRODUCT_ATTENTION_DROPOUT_P].f,
                   .causal = f->args[TS_SCALED_DOT_PRODUCT_ATTENTION_IS_CAUSAL].b,
                   .grouped = f->args[TS_SCALED_DOT_PRODUCT_ATTENTION_ENABLE_GQA].b};
    tsi_expr e = {0};
    ts_tensor *y;
    attention b;

    TS_TRY(check(&a));
    a.scale = scale->kind == TS_ARG_FLOAT ? scale->f : 1 / sqrt((double)size_of(a.q, 1));
    TS_CHECK(ts_dtype_is_floating(a.q->dtype), TS_ERR_RUNTIME, "attention/C9",
             "attention: %s is not floating", ts_dtype_name(a.q->dtype));
    TS_TRY(tsi_check_dtype(f, a.q->dtype, "attention/C10"));
    b = a;
    if (one_batch(&a)) {
        b.q = tsx_unsqueeze(&e, a.q, 0);
        b.k = tsx_unsqueeze(&e, a.k, 0);
        b.v = tsx_unsqueeze(&e, a.v, 0);
        if (a.mask && a.mask->ndim == 3)
            b.mask = tsx_unsqueeze(&e, a.mask, 0);
        if (e.s != TS_OK)
            return tsi_expr_give(&e, NULL, &f->results[0]);
        if (fused_takes(&b) || b.v->numel == 0 || size_of(b.q, 2) == 0) {
            y = attend(&e, &b);
            y = y ? tsx_reshape(&e, y, y->sizes + 1, 3) : NULL;
            return tsi_expr_give(&e, y, &f->results[0]);
        }
    }
    return tsi_expr_give(&e, attend(&e, &a), &f->results[0]);
}
