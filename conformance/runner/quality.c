/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/quality.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compare/compare.h"
#include "runner/quality_norm.h"
#include "touchstone/backend.h"
#include "touchstone/device.h"
#include "touchstone/op.h"

enum {
    MOST_OPS = 1024,
    MOST_ARGS = 32,
    MOST_RESULTS = 8,
    MOST_LIST = 64,
    MOST_ELEMENTS = 1 << 20, /* of one tensor; calls with more are not measured */
    NAME = 96,
    ENOUGH = 64 /* elements, before a bias is more than chance */
};

/* A rounding that always goes the same way is off by half a unit on average; the same share of
 * the page's limit is granted where that is more. */
static double bias_limit(double limit)
{
    return limit > 1 ? limit / 2 : 0.5;
}

/* The float types that errors are counted in. */
static const struct precision {
    ts_dtype dtype;
    int bits,
        least; /* of the fraction with its leading one; log2 of the least subnormal */
} precisions[] = {{TS_FLOAT64, 53, -1074},
                  {TS_FLOAT32, 24, -149},
                  {TS_BFLOAT16, 8, -133},
                  {TS_FLOAT16, 11, -24}};

enum { PRECISIONS = sizeof(precisions) / sizeof(*precisions) };

typedef struct tally {
    int64_t count, beyond;
    double worst, sum, above,
        outward;        /* ulps: largest, |.|, signed, signed away from 0 */
    double got, wanted; /* where it is worst */
    char where[NAME];
} tally;

/* In memory that all workers share. */
typedef struct table {
    pthread_mutex_t lock;
    _Atomic bool ladder_taken;
    tally tallies[MOST_OPS][PRECISIONS];
} table;

/* What an op's error is counted in (its page's bound class says which). */
typedef enum unit {
    UNIT_NONE,    /* nothing is rounded, nothing is measured */
    UNIT_ELEMENT, /* ulps of the element */
    UNIT_TERMS,   /* ulps of what the op gives of its inputs' magnitudes */
    UNIT_FIRST, /* ulps of the element, or of the first argument's there if that is more */
    UNIT_PRODUCT, /* the same of the first two arguments' product */
    UNIT_RANGE, /* the same, or of what an op can tell whose exp overflows; least_exact */
    UNIT_TENSOR, /* ulps of the element, or of the result's mean magnitude if that is more */
    UNIT_NORM    /* the same of its terms' magnitudes; quality_norm.h */
} unit;

typedef struct row {
    ts_kernel kernel, wide;
    unit unit;
    bool derivative, arithmetic;
    double limit[PRECISIONS]; /* 0: the page says none */
} row;

static table *shared;
static row rows[MOST_OPS];
static char under_way[NAME];

/* --- what the pages say --- */

static unit unit_of(const char *bound)
{
    static const struct {
        const char *bound;
        unit unit;
    } units[] = {{"function", UNIT_ELEMENT},
                 {"one_rounding", UNIT_ELEMENT},
                 {"arithmetic", UNIT_ELEMENT},
                 {"erf", UNIT_ELEMENT},
                 {"sigmoid", UNIT_RANGE},
                 {"sigmoid_backward", UNIT_FIRST},
                 {"tanh_backward", UNIT_FIRST},
                 {"sum", UNIT_TERMS},
                 {"product_added", UNIT_TERMS},
                 {"mean", UNIT_TERMS},
                 {"scattered_sum", UNIT_TERMS},
                 {"nll_loss", UNIT_TERMS},
                 {"softmax", UNIT_TENSOR},
                 {"log_softmax", UNIT_TENSOR},
                 {"softmax_backward", UNIT_PRODUCT},
                 {"log_softmax_backward", UNIT_FIRST},
                 {"layer_norm", UNIT_NORM},
                 {"layer_norm_backward", UNIT_NORM},
                 {"gelu", UNIT_TERMS},
                 {"gelu_backward", UNIT_TERMS}};

    for (size_t i = 0; bound && i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(bound, units[i].bound) == 0)
            return units[i].unit;
    return UNIT_NONE;
}

static void read_pages(void)
{
    for (int i = 0; i < ts_op_limit_count(); i++) {
        const ts_op_limit *l = ts_op_limit_at(i);
        const ts_op *op = ts_op_find(l->op);

        if (!op || op->index >= MOST_OPS)
            continue;
        rows[op->index].unit = unit_of(l->bound);
        rows[op->index].arithmetic = strcmp(l->bound, "arithmetic") == 0;
        rows[op->index].derivative = strstr(l->bound, "_backward") != NULL;
        for (int p = 0; p < PRECISIONS; p++)
            rows[op->index].limit[p] = l->ulp[precisions[p].dtype];
    }
}

bool tsi_quality_start(const tsi_options *o)
{
    pthread_mutexattr_t attributes;

    if (tsi_pipe_command(o->backend))
        return tsi_complain(
            "--quality measures kernels, and a pipe has none to call: it is "
            "for libraries");
    if (o->graph)
        return tsi_complain(
            "--quality and --graph: a kernel in a graph can't be measured");
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return tsi_complain("no memory for --quality");
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    read_pages();
    return true;
}

void tsi_quality_case(const char *id)
{
    if (shared)
        snprintf(under_way, sizeof(under_way), "%s", id);
}

/* --- one call, widened --- */

typedef struct wide_call {
    ts_kernel_call call;
    ts_value args[MOST_ARGS];
    ts_tensor *lists[MOST_ARGS][MOST_LIST];
    ts_tensor *results[MOST_RESULTS], *sizes[MOST_RESULTS];
} wide_call;

/* Whether t's bytes are on the host: always, but for a device that has no host kernels. */
static bool on_host(const ts_tensor *t)
{
    return t->device.type != TS_ACCEL || !ts_accel_driver() || ts_accel_driver()->launch;
}

/* t's elements as float64 where they are floating, else as they are; on the host. */
static ts_status widen(ts_tensor *t, ts_tensor **out)
{
    const ts_device host = {TS_CPU, 0};
    const bool floating = ts_dtype_is_floating(t->dtype);
    const size_t size = (size_t)ts_dtype_size(t->dtype);
    ts_tensor *source = NULL, *to;
    unsigned char *bytes;

    if (on_host(t))
        source = ts_retain(t);
    else
        TS_TRY(ts_tensor_to_host(t, &source));
    if (ts_tensor_new(host, floating ? TS_FLOAT64 : t->dtype, t->ndim, t->sizes, &to) !=
        TS_OK) {
        ts_release(source);
        return TS_ERR_OUT_OF_MEMORY;
    }
    bytes = floating ? malloc(size * (size_t)t->numel + 1) : to->data;
    if (bytes && t->numel > 0)
        tsi_gather(source, bytes);
    if (bytes && floating) {
        for (int64_t i = 0; i < t->numel; i++)
            ((double *)to->data)[i] = ts_load_f64(t->dtype, bytes + i * (int64_t)size);
        free(bytes);
    }
    ts_release(source);
    *out = to;
    return bytes ? TS_OK : TS_ERR_OUT_OF_MEMORY;
}

static void release(wide_call *w)
{
    for (int i = 0; i < w->call.nargs; i++) {
        if (w->args[i].kind == TS_ARG_TENSOR)
            ts_release(w->args[i].tensor);
        for (int k = 0; k < MOST_LIST && w->lists[i][k]; k++)
            ts_release(w->lists[i][k]);
    }
    for (int i = 0; i < w->call.nresults; i++)
        ts_release(w->results[i]);
}

static ts_status take_argument(const ts_kernel_call *call, wide_call *w, int i)
{
    const ts_value *v = &call->args[i];

    w->args[i] = *v;
    if (v->kind == TS_ARG_TENSOR) {
        w->args[i].kind = TS_ARG_NONE;
        TS_TRY(widen(v->tensor, &w->args[i].tensor));
        w->args[i].kind = TS_ARG_TENSOR;
    } else if (v->kind == TS_ARG_TENSORS) {
        for (int64_t k = 0; k < v->tensors.n; k++)
            if (v->tensors.v[k])
                TS_TRY(widen(v->tensors.v[k], &w->lists[i][k]));
        w->args[i].tensors.v = w->lists[i];
    } else if (v->kind == TS_ARG_DTYPE && ts_dtype_is_floating(v->dtype))
        w->args[i].dtype = TS_FLOAT64;
    return TS_OK;
}

/* The call on float64; room for its results is made by make_results. */
static ts_status take_call(const ts_kernel_call *call, wide_call *w)
{
    *w = (wide_call){.call = *call};
    w->call.args = w->args;
    w->call.results = w->results;
    w->call.device = (ts_device){TS_CPU, 0};
    w->call.stream = NULL;
    w->call.form = TS_FUNCTIONAL;
    if (ts_dtype_is_floating(call->compute))
        w->call.compute = TS_FLOAT64;
    for (int i = 0; i < call->nargs; i++)
        TS_TRY(take_argument(call, w, i));
    return TS_OK;
}

static ts_status make_results(const ts_kernel_call *call, wide_call *w)
{
    for (int i = 0; i < call->nresults; i++) {
        const ts_tensor *r = call->results[i];

        ts_release(w->results[i]);
        w->results[i] = NULL;
        TS_TRY(ts_tensor_new((ts_device){TS_CPU, 0},
                             ts_dtype_is_floating(r->dtype) ? TS_FLOAT64 : r->dtype,
                             r->ndim, r->sizes, &w->results[i]));
    }
    return TS_OK;
}

/* --- errors --- */

static int precision_of(ts_dtype dtype)
{
    for (int p = 0; p < PRECISIONS; p++)
        if (precisions[p].dtype == dtype)
            return p;
    return -1;
}

/* The distance between neighbours at v. */
static double ulp(const struct precision *p, double v)
{
    int e;

    frexp(v, &e);
    return ldexp(1, e - p->bits > p->least ? e - p->bits : p->least);
}

static double mean_magnitude(const double *v, int64_t n)
{
    double sum = 0;
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++)
        if (isfinite(v[i])) {
            sum += fabs(v[i]);
            count++;
        }
    return count > 0 ? sum / (double)count : 0;
}

/* What 1 / the largest number, of the dtype that is computed in, is half an ulp of. */
static double least_exact(const struct precision *p)
{
    return ldexp(1, p->bits - (p->dtype == TS_FLOAT64 ? 1024 : 128));
}

/* got and wanted: numel elements each; `magnitude` (or NULL): what an error is measured by
 * where it is more than the element itself. */
static void count(const ts_op *op, int p, int64_t numel, const double *got,
                  const double *wanted, const double *magnitude)
{
    const row *r = &rows[op->index];
    const double floor = r->unit == UNIT_TENSOR  ? mean_magnitude(wanted, numel)
                         : r->unit == UNIT_RANGE ? least_exact(&precisions[p])
                                                 : 0;
    tally *t = &shared->tallies[op->index][p];

    pthread_mutex_lock(&shared->lock);
    for (int64_t i = 0; i < numel; i++) {
        double scale = fabs(wanted[i]), off;

        if (!isfinite(got[i]) || !isfinite(wanted[i]))
            continue;
        scale = scale < floor ? floor : scale;
        if (magnitude && isfinite(magnitude[i]) && scale < fabs(magnitude[i]))
            scale = fabs(magnitude[i]);
        off = (got[i] - wanted[i]) / ulp(&precisions[p], scale);
        t->count++;
        t->sum += fabs(off);
        t->above += off;
        t->outward += signbit(wanted[i]) ? -off : off;
        t->beyond += r->limit[p] > 0 && fabs(off) > r->limit[p];
        if (fabs(off) > t->worst) {
            t->worst = fabs(off);
            t->got = got[i];
            t->wanted = wanted[i];
            memcpy(t->where, under_way, sizeof(t->where));
        }
    }
    pthread_mutex_unlock(&shared->lock);
}

static bool has_magnitudes(unit u)
{
    return u != UNIT_ELEMENT && u != UNIT_RANGE && u != UNIT_TENSOR;
}

/* What the op's terms amount to, element by element, in w's first result: the same call of the
 * inputs' magnitudes, or those themselves. */
static ts_status magnitudes(const ts_kernel_call *call, const row *r, wide_call *w)
{
    const double *a = w->args[0].tensor->data;

    if (r->unit == UNIT_NORM) {
        tsi_quality_norm(w->args, w->results, r->derivative);
        return TS_OK;
    }
    if (r->unit == UNIT_FIRST || r->unit == UNIT_PRODUCT) {
        const double *b = w->args[1].tensor->data;
        double *to = w->results[0]->data;
        const int64_t n = w->results[0]->numel;

        if (w->args[0].tensor->numel != n || w->args[1].tensor->numel != n)
            return TS_OK; /* broadcast: the elements themselves */
        for (int64_t i = 0; i < n; i++)
            to[i] = r->unit == UNIT_PRODUCT ? fabs(a[i] * b[i]) : fabs(a[i]);
        return TS_OK;
    }
    for (int i = 0; i < call->nargs; i++) {
        ts_tensor *t = w->args[i].kind == TS_ARG_TENSOR ? w->args[i].tensor : NULL;

        for (int64_t k = 0; t && t->dtype == TS_FLOAT64 && k < t->numel; k++)
            ((double *)t->data)[k] = fabs(((double *)t->data)[k]);
    }
    TS_TRY(make_results(call, w));
    return r->wide(&w->call);
}

static ts_status compare(const ts_kernel_call *call, const ts_op *op, wide_call *w)
{
    const row *r = &rows[op->index];
    double *wanted[MOST_RESULTS] = {0};
    ts_status s;

    TS_TRY(make_results(call, w));
    s = r->wide(&w->call);
    for (int i = 0; s == TS_OK && i < call->nresults; i++) {
        const size_t bytes = sizeof(double) * (size_t)w->results[i]->numel;

        if (w->results[i]->dtype != TS_FLOAT64)
            continue;
        wanted[i] = malloc(bytes + 1);
        if (wanted[i])
            memcpy(wanted[i], w->results[i]->data, bytes);
    }
    if (s == TS_OK && has_magnitudes(r->unit))
        s = magnitudes(call, r, w);
    for (int i = 0; s == TS_OK && i < call->nresults; i++) {
        const int p = precision_of(call->results[i]->dtype);
        ts_tensor *got = NULL;

        if (!wanted[i] || p < 0)
            continue;
        s = widen(call->results[i], &got);
        if (s == TS_OK)
            count(op, p, got->numel, got->data, wanted[i],
                  r->unit != UNIT_TENSOR ? w->results[i]->data : NULL);
        ts_release(got);
    }
    for (int i = 0; i < call->nresults; i++)
        free(wanted[i]);
    return s;
}

/* Whether an operand is rounded before the op itself rounds, or its result is chosen (a rounding
 * mode): then the op's own error can't be told from that. */
static bool mixed(const ts_kernel_call *call, const row *r)
{
    if (call->nargs == 1 && ts_call_tensor(call, 0) && /* an integer, cast first */
        ts_dtype_is_floating(call->compute) &&
        !ts_dtype_is_floating(ts_call_tensor(call, 0)->dtype))
        return true;
    if (r->unit == UNIT_NORM) {
        const ts_tensor *weight = ts_call_tensor(call, r->derivative ? 5 : 2);

        return weight && weight->dtype != ts_call_tensor(call, 0)->dtype;
    }
    for (int i = 0; r->arithmetic && i < call->nargs; i++)
        if ((ts_call_tensor(call, i) &&
             ts_call_tensor(call, i)->dtype != call->compute) ||
            call->args[i].kind == TS_ARG_STRING)
            return true;
    return r->arithmetic && call->results[0]->dtype != call->compute;
}

/* Whether this call can be measured: results that are rounded, and room for it all. */
static bool worth_it(const ts_kernel_call *call, const row *r)
{
    bool rounded = false;

    if (r->unit == UNIT_NONE || !r->wide || call->nargs > MOST_ARGS ||
        call->nresults > MOST_RESULTS)
        return false;
    for (int i = 0; i < call->nresults; i++) {
        if (!call->results[i] || call->results[i]->numel > MOST_ELEMENTS)
            return false;
        rounded |= precision_of(call->results[i]->dtype) >= 0;
    }
    for (int i = 0; i < call->nargs; i++)
        if ((call->args[i].kind == TS_ARG_TENSOR &&
             call->args[i].tensor->numel > MOST_ELEMENTS) ||
            (call->args[i].kind == TS_ARG_TENSORS && call->args[i].tensors.n > MOST_LIST))
            return false;
    return rounded && !mixed(call, r);
}

static ts_status measured(const ts_kernel_call *call)
{
    const ts_op *op = ts_op_find(call->op);
    const row *r = &rows[op->index];
    wide_call *w = worth_it(call, r) ? malloc(sizeof(*w)) : NULL;
    ts_status s;

    if (!w)
        return r->kernel(call);
    s = take_call(call, w);
    if (s != TS_OK) {
        release(w);
        free(w);
        return r->kernel(call);
    }
    s = r->kernel(call);
    if (s == TS_OK)
        (void)compare(call, op, w); /* a call that can't be measured is not counted */
    release(w);
    free(w);
    return s;
}

void tsi_quality_wrap(ts_backend *backend, const ts_backend *reference)
{
    static ts_kernel_entry entries[MOST_OPS];
    size_t n = 0;

    if (!shared)
        return;
    for (size_t i = 0; i < reference->kernel_count; i++) {
        const ts_kernel_entry *e = ts_backend_kernel(reference, i);
        const ts_op *op = ts_op_find(e->op);

        if (op && op->index < MOST_OPS)
            rows[op->index].wide = e->kernel;
    }
    for (size_t i = 0; i < backend->kernel_count && n < MOST_OPS; i++) {
        const ts_kernel_entry *e = ts_backend_kernel(backend, i);
        const ts_op *op = ts_op_find(e->op);

        entries[n] = *e;
        if (op && op->index < MOST_OPS) {
            rows[op->index].kernel = e->kernel;
            entries[n].kernel = measured;
        }
        n++;
    }
    backend->kernels = entries;
    backend->kernel_count = n;
    if (TS_HAS(backend, kernel_size))
        backend->kernel_size = sizeof(*entries);
}

/* --- all numbers of the half types --- */

static void all_numbers(const ts_op *op, ts_device_type device, ts_dtype dtype)
{
    const int64_t sizes[] = {256, 256};
    static uint16_t patterns[65536];
    ts_tensor *x;
    ts_frame f;

    for (int i = 0; i < 65536; i++)
        patterns[i] = (uint16_t)i;
    if (ts_tensor_new((ts_device){device, 0}, dtype, 2, sizes, &x) != TS_OK)
        return;
    if (ts_storage_write(ts_tensor_storage(x), 0, sizeof(patterns), patterns) == TS_OK &&
        ts_frame_open(&f, op, TS_FUNCTIONAL) == TS_OK) {
        f.args[0] = (ts_value){.kind = TS_ARG_TENSOR, .tensor = x};
        snprintf(under_way, sizeof(under_way), "all 65,536 numbers");
        if (ts_call(&f) == TS_OK)
            ts_release(f.results[0]);
        ts_frame_close(&f);
    }
    ts_release(x);
}

void tsi_quality_ladder(ts_device_type device)
{
    static const ts_dtype halves[] = {TS_FLOAT16, TS_BFLOAT16};

    if (!shared || atomic_exchange(&shared->ladder_taken, true))
        return;
    for (int i = 0; ts_op_at(i); i++) {
        const ts_op *op = ts_op_at(i);

        if (op->index >= MOST_OPS || rows[op->index].unit == UNIT_NONE ||
            !rows[op->index].kernel || op->nresults != 1 || op->list_result ||
            op->required_tensors != 1 || op->nparams > 2)
            continue;
        for (size_t h = 0; h < 2; h++)
            if (op->dtypes_cpu & TS_DTYPE_BIT(halves[h]))
                all_numbers(op, device, halves[h]);
    }
    (void)ts_accel_synchronize_all();
}

/* --- the table --- */

static int by_worst(const void *a, const void *b)
{
    const double x = json_number_value(json_object_get(*(json_t *const *)a, "share")),
                 y = json_number_value(json_object_get(*(json_t *const *)b, "share"));

    return (x < y) - (x > y);
}

/* PyTorch's own rows (golden/quality.py), or NULL. New reference. */
static json_t *torch_rows(const char *beside)
{
    const char *slash = strrchr(beside, '/');
    char path[PATH_MAX];
    json_t *root, *rows_;

    snprintf(path, sizeof(path), "%.*squality.json",
             slash ? (int)(slash - beside + 1) : 0, beside);
    root = json_load_file(path, 0, NULL);
    rows_ = json_incref(json_object_get(root, "rows"));
    json_decref(root);
    return rows_;
}

static void put_torch(json_t *row, const json_t *torch)
{
    for (size_t i = 0; i < json_array_size(torch); i++) {
        json_t *t = json_array_get(torch, i);

        if (json_equal(json_object_get(t, "op"), json_object_get(row, "op")) &&
            json_equal(json_object_get(t, "dtype"), json_object_get(row, "dtype")))
            json_object_set_new(row, "torch",
                                json_pack("{s:O?, s:O?, s:O?}", "worst",
                                          json_object_get(t, "worst"), "mean",
                                          json_object_get(t, "mean"), "bias",
                                          json_object_get(t, "bias")));
    }
}

json_t *tsi_quality_rows(const char *beside)
{
    json_t *list[MOST_OPS * PRECISIONS], *out = json_array(), *torch = torch_rows(beside);
    size_t n = 0;

    for (int i = 0; shared && ts_op_at(i); i++)
        for (int p = 0; p < PRECISIONS; p++) {
            const int k = ts_op_at(i)->index;
            const tally *t = k < MOST_OPS ? &shared->tallies[k][p] : NULL;
            double bias, limit;

            if (!t || t->count == 0)
                continue;
            bias = fabs(t->above) > fabs(t->outward) ? t->above : t->outward;
            bias /= (double)t->count;
            limit = rows[k].limit[p];
            list[n] = json_pack(
                "{s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:I, s:b, s:s, s:f, s:f, s:f}", "op",
                ts_op_at(i)->name, "dtype", ts_dtype_name(precisions[p].dtype),
                "elements", (json_int_t)t->count, "worst", t->worst, "mean",
                t->sum / (double)t->count, "bias", bias, "limit", limit, "beyond",
                (json_int_t)t->beyond, "inaccurate",
                (limit > 0 && t->worst > limit) ||
                    (t->count >= ENOUGH && fabs(bias) > bias_limit(limit)),
                "where", t->where, "got", t->got, "wanted", t->wanted, "share",
                limit > 0 ? t->worst / limit : 0.0);
            n += list[n] != NULL;
        }
    qsort(list, n, sizeof(*list), by_worst);
    for (size_t i = 0; i < n; i++) {
        put_torch(list[i], torch);
        json_array_append_new(out, list[i]);
    }
    json_decref(torch);
    return out;
}

static double number(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static const char *text(const json_t *row, const char *key)
{
    const char *s = json_string_value(json_object_get(row, key));

    return s ? s : "";
}

/* PyTorch's figure of that name, or "-". */
static const char *torch_text(char room[32], const json_t *row, const char *key)
{
    const json_t *v = json_object_get(json_object_get(row, "torch"), key);

    snprintf(room, 32, v ? "%.3g" : "-", json_number_value(v));
    return room;
}

int tsi_quality_print(FILE *f, const json_t *rows_)
{
    int inaccurate = 0;

    fprintf(f, "%-28s %-9s %9s %8s %8s %8s %7s %7s %7s %7s  %s\n", "quality, in ulps",
            "dtype", "elements", "worst", "torch's", "limit", "mean", "torch's", "bias",
            "torch's", "worst in");
    for (size_t i = 0; i < json_array_size(rows_); i++) {
        const json_t *r = json_array_get(rows_, i);
        const bool bad = json_is_true(json_object_get(r, "inaccurate"));
        char limit[32] = "-", worst[32], mean[32], bias[32];

        if (number(r, "limit") > 0)
            snprintf(limit, sizeof(limit), "%.3g", number(r, "limit"));
        inaccurate += bad;
        fprintf(f, "%-28s %-9s %9.0f %8.3g %8s %8s %7.3f %7s %7.3f %7s  %s%s\n",
                text(r, "op"), text(r, "dtype"), number(r, "elements"),
                number(r, "worst"), torch_text(worst, r, "worst"), limit,
                number(r, "mean"), torch_text(mean, r, "mean"), number(r, "bias"),
                torch_text(bias, r, "bias"), text(r, "where"), bad ? "  INACCURATE" : "");
    }
    if (inaccurate)
        fprintf(
            f,
            "conforming where it passed, inaccurate in %d of %zu rows: beyond the page's "
            "limit, or biased by more than half of it\n",
            inaccurate, json_array_size(rows_));
    return inaccurate;
}
