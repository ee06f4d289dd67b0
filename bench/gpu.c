/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock for one GPU: our kernels against the device's own copy (memory) and cuBLAS
 * (products), as JSON lines. Every figure is the median of many runs, timed by events,
 * with the L2 cache overwritten in between; an add of one element says what a launch
 * costs.
 * usage: gpu BACKEND.so [--quick]    small shapes: does it run at all
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "touchstone/touchstone.h"

enum { RUNS = 30, FLUSH = 256 << 20 };

static const ts_device accel = {TS_ACCEL, 0};
static ts_tensor *a, *b, *c, *l2;

static void need(ts_status s, const char *what)
{
    if (s == TS_OK)
        return;
    fprintf(stderr, "gpu: %s: %s\n", what, ts_error_message());
    exit(s == TS_ERR_UNSUPPORTED ? 3 : 2);
}

static ts_tensor *make(ts_dtype dtype, int ndim, const int64_t *sizes)
{
    ts_tensor *t;

    need(ts_tensor_new(accel, dtype, ndim, sizes, &t), "memory");
    need(ts_zero_(t), "zero_");
    return t;
}

static ts_status run_copy(void)
{
    return ts_copy_(c, a, NULL);
}

static ts_status run_add(void)
{
    ts_tensor *r;

    TS_TRY(ts_add(a, b, NULL, &r));
    ts_release(r);
    return TS_OK;
}

static ts_status run_mul(void)
{
    ts_tensor *r;

    TS_TRY(ts_mul(a, b, &r));
    ts_release(r);
    return TS_OK;
}

static ts_status run_sum(void)
{
    const int64_t last[] = {-1};
    ts_sum_opts o = ts_sum_defaults();
    ts_tensor *r;

    o.dim = last;
    o.ndim = 1;
    TS_TRY(ts_sum(a, &o, &r));
    ts_release(r);
    return TS_OK;
}

static ts_status run_softmax(void)
{
    ts_tensor *r;

    TS_TRY(ts__softmax(a, -1, false, &r));
    ts_release(r);
    return TS_OK;
}

static ts_status run_layer_norm(void)
{
    ts_tensor *y, *mean, *rstd;

    TS_TRY(ts_native_layer_norm(a, &a->sizes[1], 1, NULL, NULL, 1e-5, &y, &mean, &rstd));
    ts_release(y);
    ts_release(mean);
    ts_release(rstd);
    return TS_OK;
}

static ts_status run_mm(void)
{
    ts_tensor *r;

    TS_TRY(ts_mm(a, b, &r));
    ts_release(r);
    return TS_OK;
}

static int ascending(const void *x, const void *y)
{
    const double u = *(const double *)x, v = *(const double *)y;

    return (u > v) - (u < v);
}

/* Milliseconds of one call: median and least of RUNS, each after the cache is flushed. */
static void clock_of(ts_status (*run)(void), double *median, double *least)
{
    double ms[RUNS];
    ts_event *start, *end;

    need(ts_event_new(true, &start), "event");
    need(ts_event_new(true, &end), "event");
    for (int i = -3; i < RUNS; i++) {
        double v;

        need(ts_zero_(l2), "flush");
        need(ts_event_record(start, NULL), "record");
        need(run(), "run");
        need(ts_event_record(end, NULL), "record");
        need(ts_event_synchronize(end), "wait");
        need(ts_event_elapsed(start, end, &v), "elapsed");
        if (i >= 0)
            ms[i] = v;
    }
    qsort(ms, RUNS, sizeof *ms, ascending);
    *median = ms[RUNS / 2];
    *least = ms[0];
    ts_event_release(start);
    ts_event_release(end);
}

/* `work`: bytes, or floating operations, of one call. */
static double report(const char *op, ts_dtype dtype, const char *shape, const char *unit,
                     double work, ts_status (*run)(void))
{
    double median, least;

    clock_of(run, &median, &least);
    printf("{\"op\":\"%s\",\"dtype\":\"%s\",\"shape\":\"%s\",\"median_ms\":%.5f,"
           "\"least_ms\":%.5f,\"%s\":%.1f}\n",
           op, ts_dtype_name(dtype), shape, median, least, unit,
           work / median / (strcmp(unit, "gb_s") == 0 ? 1e6 : 1e9));
    fflush(stdout);
    return median;
}

static void memory_bound(ts_dtype dtype, int64_t rows, int64_t columns)
{
    const int64_t sizes[] = {rows, columns};
    const double bytes = (double)rows * (double)columns * ts_dtype_size(dtype);
    char shape[64];

    snprintf(shape, sizeof shape, "%lldx%lld", (long long)rows, (long long)columns);
    a = make(dtype, 2, sizes);
    b = make(dtype, 2, sizes);
    c = make(dtype, 2, sizes);
    report("copy", dtype, shape, "gb_s", 2 * bytes, run_copy);
    report("add", dtype, shape, "gb_s", 3 * bytes, run_add);
    report("mul", dtype, shape, "gb_s", 3 * bytes, run_mul);
    report("sum", dtype, shape, "gb_s", bytes, run_sum);
    report("softmax", dtype, shape, "gb_s", 2 * bytes, run_softmax);
    report("layer_norm", dtype, shape, "gb_s", 2 * bytes, run_layer_norm);
    ts_release(a);
    ts_release(b);
    ts_release(c);
}

static void product(ts_dtype dtype, int64_t n)
{
    const int64_t sizes[] = {n, n};
    char shape[32];

    snprintf(shape, sizeof shape, "%lldx%lldx%lld", (long long)n, (long long)n,
             (long long)n);
    a = make(dtype, 2, sizes);
    b = make(dtype, 2, sizes);
    report("mm", dtype, shape, "tflop_s", 2.0 * (double)n * (double)n * (double)n,
           run_mm);
    ts_release(a);
    ts_release(b);
}

static void open_backend(const char *path)
{
    const ts_host host = {.size = sizeof host, .abi = TS_BACKEND_ABI, .fail = ts_fail};
    static ts_backend backend;
    ts_backend_open_fn open = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (library)
        *(void **)&open = dlsym(library, "ts_backend_open");
    if (!open) {
        fprintf(stderr, "gpu: %s: %s\n", path, dlerror());
        exit(2);
    }
    need(open(&host, &backend), path);
    need(ts_accel_open(backend.driver), path);
    need(ts_backend_install(TS_ACCEL, &backend, NULL), path);
    printf("{\"backend\":\"%s\",\"version\":\"%s\",\"simulated\":%s}\n", backend.name,
           backend.version, backend.simulated ? "true" : "false");
}

int main(int argc, char **argv)
{
    static const ts_dtype halves_and_float[] = {TS_BFLOAT16, TS_FLOAT16, TS_FLOAT32};
    const bool quick = argc > 2 && strcmp(argv[2], "--quick") == 0;
    const int64_t one[] = {1}, all[] = {quick ? 1 << 16 : FLUSH};

    if (argc < 2) {
        fprintf(stderr, "usage: gpu BACKEND.so [--quick]\n");
        return 2;
    }
    open_backend(argv[1]);
    l2 = make(TS_UINT8, 1, all);
    a = make(TS_FLOAT32, 1, one);
    b = make(TS_FLOAT32, 1, one);
    report("add", TS_FLOAT32, "1", "gb_s", 12, run_add); /* what a launch costs */
    ts_release(a);
    ts_release(b);
    for (int i = 0; i < 3; i++) {
        memory_bound(halves_and_float[i], quick ? 8 : 8192, quick ? 300 : 8192);
        memory_bound(halves_and_float[i], quick ? 16 : 65536, quick ? 32 : 256);
    }
    for (int i = 0; i < 3; i++)
        for (int64_t n = quick ? 32 : 1024; n <= (quick ? 32 : 8192); n *= 2)
            product(halves_and_float[i], n);
    ts_release(l2);
    need(ts_accel_open(NULL), "close");
    return 0;
}
