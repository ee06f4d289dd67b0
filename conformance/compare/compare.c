/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static double load_truth(const tsi_expected *e, int64_t i)
{
    double v;

    memcpy(&v, e->truth + i * (int64_t)sizeof(v), sizeof(v));
    return v;
}

/* The upper bits of a float64 without its sign. */
static double load_bound(const tsi_expected *e, int64_t i)
{
    uint16_t high;
    uint64_t bits;
    double v;

    memcpy(&high, e->bound + i * (int64_t)sizeof(high), sizeof(high));
    bits = (uint64_t)high << 47;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* Stored elements may stand at any alignment. */
static double load_element(ts_dtype dtype, const unsigned char *p)
{
    uint64_t aligned;

    memcpy(&aligned, p, (size_t)ts_dtype_size(dtype));
    return ts_load_f64(dtype, &aligned);
}

double tsi_expected_value(const tsi_expected *e, int64_t i)
{
    if (e->class_ == TSI_CLASS_BOUND)
        return load_truth(e, i);
    return load_element(e->dtype, e->bits + i * ts_dtype_size(e->dtype));
}

double tsi_expected_bound(const tsi_expected *e, int64_t i)
{
    return e->class_ == TSI_CLASS_BOUND ? load_bound(e, i) : 0;
}

static bool same_value(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool tsi_within(ts_dtype dtype, double got, double truth, double bound)
{
    if (fabs(got - truth) <= bound) /* results/S2; false where either is NaN */
        return true;
    if (isnan(truth) || isinf(truth) || isfinite(got))
        return same_value(got, truth);
    /* results/S3: an answer that is not finite is right where rounding gives just that.
     */
    return same_value(got, ts_dtype_round(dtype, truth)) ||
           same_value(got, ts_dtype_round(dtype, truth + bound)) ||
           same_value(got, ts_dtype_round(dtype, truth - bound));
}

bool tsi_same_element(ts_dtype dtype, const void *a, const void *b)
{
    return memcmp(a, b, (size_t)ts_dtype_size(dtype)) == 0 ||
           (ts_dtype_is_floating(dtype) && isnan(load_element(dtype, a)) &&
            isnan(load_element(dtype, b)));
}

double tsi_expected_error(const tsi_expected *e, const tsi_answer *a, int64_t i)
{
    const unsigned char *p = a->elements + i * ts_dtype_size(a->dtype);
    double got, truth, bound;

    if (e->class_ == TSI_CLASS_EXACT)
        return tsi_same_element(e->dtype, e->bits + i * ts_dtype_size(e->dtype), p)
                   ? 0
                   : INFINITY;
    got = load_element(a->dtype, p);
    truth = load_truth(e, i);
    bound = load_bound(e, i);
    if (same_value(got, truth))
        return 0;
    if (!tsi_within(a->dtype, got, truth, bound))
        return isfinite(got) && isfinite(truth) && bound > 0 ? fabs(got - truth) / bound
                                                             : INFINITY;
    return isfinite(got) && bound > 0 && isfinite(bound) ? fabs(got - truth) / bound : 0;
}

bool tsi_same_strides(int ndim, const int64_t *sizes, const int64_t *a, const int64_t *b)
{
    bool same = true;

    for (int i = 0; i < ndim; i++) {
        if (sizes[i] == 0)
            return true;
        same = same && (sizes[i] == 1 || a[i] == b[i]);
    }
    return same;
}

static const char *list_text(char *buf, size_t size, int n, const int64_t *v)
{
    size_t used = (size_t)snprintf(buf, size, "[");

    for (int i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, i ? ", %" PRId64 : "%" PRId64,
                                 v[i]);
    if (used < size)
        snprintf(buf + used, size - used, "]");
    return buf;
}

const char *tsi_element_text(char *buf, size_t size, ts_dtype dtype, const void *element)
{
    if (dtype == TS_BOOL)
        snprintf(buf, size, "%s", *(const unsigned char *)element ? "True" : "False");
    else if (!ts_dtype_is_floating(dtype)) {
        uint64_t aligned;

        memcpy(&aligned, element, (size_t)ts_dtype_size(dtype));
        snprintf(buf, size, "%" PRId64, ts_load_i64(dtype, &aligned));
    } else
        snprintf(buf, size, "%.*g",
                 dtype == TS_FLOAT64   ? 17
                 : dtype == TS_FLOAT32 ? 9
                                       : 5,
                 load_element(dtype, element));
    return buf;
}

/* The index of row-major element i, "[1, 2]". */
static const char *index_text(char *buf, size_t size, const tsi_answer *a, int64_t i)
{
    int64_t index[TS_MAX_DIMS];

    for (int d = a->ndim - 1; d >= 0; d--) {
        index[d] = i % a->sizes[d];
        i /= a->sizes[d];
    }
    return list_text(buf, size, a->ndim, index);
}

static void describe_element(const char *name, const tsi_expected *e, const tsi_answer *a,
                             tsi_comparison *out)
{
    char at[128], got[40], want[40];
    const int64_t i = out->worst_at;
    const unsigned char *p = a->elements + i * ts_dtype_size(a->dtype);
    int n;

    index_text(at, sizeof(at), a, i);
    tsi_element_text(got, sizeof(got), a->dtype, p);
    if (e->class_ == TSI_CLASS_EXACT)
        n = snprintf(out->reason, sizeof(out->reason),
                     "%s%s: expected %s exactly, got %s", name, at,
                     tsi_element_text(want, sizeof(want), e->dtype,
                                      e->bits + i * ts_dtype_size(e->dtype)),
                     got);
    else
        n = snprintf(out->reason, sizeof(out->reason),
                     "%s%s: expected %.17g within %.3g, got %s (%.3g bounds off)", name,
                     at, load_truth(e, i), load_bound(e, i), got, out->worst);
    if (n > 0 && (size_t)n < sizeof(out->reason))
        snprintf(out->reason + n, sizeof(out->reason) - (size_t)n,
                 "; %" PRId64 " of %" PRId64 " elements wrong", out->wrong, a->numel);
}

static void compare_elements(const tsi_expected *e, const tsi_answer *a,
                             tsi_comparison *out)
{
    const int64_t size = ts_dtype_size(e->dtype);

    if (e->class_ == TSI_CLASS_EXACT &&
        (e->numel == 0 || memcmp(e->bits, a->elements, (size_t)(size * e->numel)) == 0))
        return;
    for (int64_t i = 0; i < e->numel; i++) {
        bool right;
        double error;

        if (e->class_ == TSI_CLASS_EXACT) {
            right =
                tsi_same_element(e->dtype, e->bits + i * size, a->elements + i * size);
            error = right ? 0 : INFINITY;
        } else {
            const double got = ts_load_f64(a->dtype, a->elements + i * size);
            const double truth = load_truth(e, i), bound = load_bound(e, i);

            if (fabs(got - truth) <= bound) {
                right = true;
                error = bound > 0 ? fabs(got - truth) / bound : 0;
            } else {
                right = tsi_within(a->dtype, got, truth, bound);
                error = tsi_expected_error(e, a, i);
            }
        }
        out->wrong += !right;
        if (out->worst_at < 0 || error > out->worst || (!right && out->wrong == 1)) {
            out->worst = error;
            out->worst_at = i;
        }
    }
}

static void compare_digest(const char *name, const tsi_expected *e, const tsi_answer *a,
                           tsi_comparison *out)
{
    unsigned char got[TSI_DIGEST_SIZE];

    tsi_digest(a->dtype, a->elements, a->numel, got);
    out->equal = memcmp(got, e->digest, sizeof(got)) == 0;
    out->by_digest = !out->equal;
    if (!out->equal)
        snprintf(out->reason, sizeof(out->reason),
                 "%s: its %" PRId64 " elements have another digest than the golden file "
                 "says",
                 name, a->numel);
}

void tsi_compare_answer(const char *name, const tsi_expected *e, const tsi_answer *a,
                        tsi_comparison *out)
{
    char want[200], got[200];

    out->equal = out->by_digest = false;
    out->wrong = 0;
    out->worst_at = -1;
    out->worst = 0;
    out->reason[0] = '\0';
    if (a->dtype != e->dtype) {
        snprintf(out->reason, sizeof(out->reason), "%s: expected dtype %s, got %s", name,
                 ts_dtype_name(e->dtype), ts_dtype_name(a->dtype));
        return;
    }
    if (a->ndim != e->ndim ||
        (a->ndim > 0 &&
         memcmp(a->sizes, e->sizes, sizeof(*a->sizes) * (size_t)a->ndim) != 0)) {
        snprintf(out->reason, sizeof(out->reason), "%s: expected shape %s, got %s", name,
                 list_text(want, sizeof(want), e->ndim, e->sizes),
                 list_text(got, sizeof(got), a->ndim, a->sizes));
        return;
    }
    if (!tsi_same_strides(e->ndim, e->sizes, e->strides, a->strides)) {
        snprintf(out->reason, sizeof(out->reason), "%s: expected strides %s, got %s",
                 name, list_text(want, sizeof(want), e->ndim, e->strides),
                 list_text(got, sizeof(got), a->ndim, a->strides));
        return;
    }
    if (e->class_ == TSI_CLASS_DIGEST) {
        compare_digest(name, e, a, out);
        return;
    }
    compare_elements(e, a, out);
    out->equal = out->wrong == 0;
    if (!out->equal)
        describe_element(name, e, a, out);
}

void tsi_gather(const ts_tensor *t, void *out)
{
    const size_t size = (size_t)ts_dtype_size(t->dtype);
    int64_t index[TS_MAX_DIMS] = {0};
    const char *p = t->data;
    char *o = out;
    const int last = t->ndim - 1;

    if (t->numel == 0)
        return;
    if (ts_is_contiguous(t)) {
        memcpy(out, t->data, size * (size_t)t->numel);
        return;
    }
    for (;;) {
        const int64_t step = t->strides[last] * (int64_t)size;
        int d = last - 1;

        for (int64_t i = 0; i < t->sizes[last]; i++, o += size)
            memcpy(o, p + i * step, size);
        for (; d >= 0; d--) {
            p += t->strides[d] * (int64_t)size;
            if (++index[d] < t->sizes[d])
                break;
            p -= t->strides[d] * t->sizes[d] * (int64_t)size;
            index[d] = 0;
        }
        if (d < 0)
            return;
    }
}

/* --- trivial answers --- */

static bool fits_element(const tsi_expected *e, int64_t i, const void *candidate)
{
    if (e->class_ == TSI_CLASS_EXACT)
        return tsi_same_element(e->dtype, e->bits + i * ts_dtype_size(e->dtype),
                                candidate);
    return tsi_within(e->dtype, ts_load_f64(e->dtype, candidate), load_truth(e, i),
                      load_bound(e, i));
}

static bool same_description(const tsi_expected *e, const tsi_answer *a)
{
    return a && a->dtype == e->dtype && a->ndim == e->ndim &&
           (a->ndim == 0 ||
            memcmp(a->sizes, e->sizes, sizeof(*a->sizes) * (size_t)a->ndim) == 0);
}

/* Shifting such an answer gives the very same one. */
static bool is_constant(const tsi_expected *e)
{
    for (int64_t i = 1; i < e->numel; i++)
        if (!same_value(tsi_expected_value(e, i), tsi_expected_value(e, 0)))
            return false;
    return true;
}

tsi_fit tsi_trivial_fits(tsi_trivial kind, const tsi_expected *e, const tsi_answer *input)
{
    uint64_t candidate = 0;

    if (e->numel == 0 || (kind == TSI_INPUT && !same_description(e, input)) ||
        (kind == TSI_SHIFT && is_constant(e)))
        return TSI_FIT_NONE;
    if (kind == TSI_POISON)
        memset(&candidate, TSI_POISON_FIRST, sizeof(candidate));
    for (int64_t i = 0; i < e->numel; i++) {
        const int64_t next = (i + 1) % e->numel;

        if (kind == TSI_INPUT)
            memcpy(&candidate, input->elements + i * ts_dtype_size(e->dtype),
                   (size_t)ts_dtype_size(e->dtype));
        else if (kind == TSI_SHIFT && e->class_ == TSI_CLASS_EXACT)
            memcpy(&candidate, e->bits + next * ts_dtype_size(e->dtype),
                   (size_t)ts_dtype_size(e->dtype));
        else if (kind == TSI_SHIFT)
            ts_store_f64(e->dtype, &candidate, load_truth(e, next));
        if (!fits_element(e, i, &candidate))
            return TSI_FIT_NO;
    }
    return TSI_FIT_YES;
}
