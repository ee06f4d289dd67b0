/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one eager call costs, in ns: add into a given tensor, add, and a small step
 * forward and back. Every repeat takes each of them once, in turn, and a plain copy of the
 * same bytes between them as the machine's limit; results are checked before any timing.
 *
 * usage: eager REFERENCE.so [RESULTS.jsonl]     (bench/README.md)
 */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "touchstone/touchstone.h"

enum { REPEATS = 15, TARGET_NS = 4000000 };

typedef struct state {
    int64_t n;
    ts_tensor *a, *b, *out, *leaf;
    char *from, *to;
    double sink;
} state;

static ts_status add_out(state *s)
{
    return ts_add_out(s->a, s->b, NULL, s->out);
}

static ts_status add(state *s)
{
    ts_tensor *y;

    TS_TRY(ts_add(s->a, s->b, NULL, &y));
    ts_release(y);
    return TS_OK;
}

static ts_status add_profiled(state *s)
{
    return add_out(s);
}

static ts_status step(state *s)
{
    ts_tensor *y = NULL, *z = NULL, *loss = NULL;
    ts_status st = ts_add(s->leaf, s->b, NULL, &y);

    if (st == TS_OK)
        st = ts_mul(y, s->a, &z);
    if (st == TS_OK)
        st = ts_sum(z, NULL, &loss);
    if (st == TS_OK)
        st = ts_backward(1, &loss, NULL, false, false);
    ts_release(y);
    ts_release(z);
    ts_release(loss);
    if (st == TS_OK)
        st = ts_grad_set(s->leaf, NULL);
    return st;
}

static ts_status copy(state *s)
{
    memcpy(s->to, s->from, (size_t)s->n * 4);
    s->sink += s->to[s->n - 1];
    return TS_OK;
}

static const struct item {
    const char *name, *formula;
    ts_status (*run)(state *s);
    int bytes; /* an element's, read and written */
    int peer;  /* item that its ratio is against; -1: none */
    double floor;
    bool profiled;
} items[] = {
    {"copy", "", copy, 0, -1, 0, false},
    {"add out=", "8 bytes read, 4 written an element", add_out, 12, -1, 0, false},
    {"add", "8 bytes read, 4 written an element", add, 12, 1, 0.5, false},
    {"add out=, profiled", "8 bytes read, 4 written an element", add_profiled, 12, 1, 0.2,
     true},
    {"add, mul, sum, backward", "", step, 0, -1, 0, false},
};
enum { ITEMS = sizeof items / sizeof *items };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static ts_status loop(const struct item *it, state *s, int64_t times, double *ns)
{
    const ts_profile_options o = {.host = true};
    ts_profile *p = NULL;
    double start;

    if (it->profiled) {
        TS_TRY(ts_profile_new(&o, &p));
        TS_TRY(ts_profile_start(p));
    }
    start = now();
    for (int64_t i = 0; i < times; i++)
        TS_TRY(it->run(s));
    *ns = (now() - start) / (double)times;
    if (p)
        TS_TRY(ts_profile_stop(p));
    ts_profile_free(p);
    return TS_OK;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static ts_status tensor(int64_t n, double v, ts_tensor **out)
{
    ts_full_opts o = ts_full_defaults();

    o.dtype = TS_FLOAT32;
    TS_TRY(ts_full(&n, 1, ts_float(v), &o, out));
    for (int64_t i = 0; i < n; i++) /* no constant: zeros and repeats can run faster */
        ((float *)(*out)->data)[i] = (float)(v + sin((double)i));
    return TS_OK;
}

static ts_status check(const state *s)
{
    const float *a = s->a->data, *b = s->b->data, *y = s->out->data, *g;

    TS_TRY(add_out((state *)s));
    for (int64_t i = 0; i < s->n; i++)
        TS_CHECK(y[i] == a[i] + b[i], TS_ERR_RUNTIME, NULL, "add: element %lld is wrong",
                 (long long)i);
    ts_tensor *z, *loss;

    TS_TRY(ts_mul(s->leaf, s->a, &z));
    TS_TRY(ts_sum(z, NULL, &loss));
    TS_TRY(ts_backward(1, &loss, NULL, false, false));
    g = ts_grad_get(s->leaf)->data;
    for (int64_t i = 0; i < s->n; i++)
        TS_CHECK(g[i] == a[i], TS_ERR_RUNTIME, NULL, "gradient: element %lld is wrong",
                 (long long)i);
    ts_release(z);
    ts_release(loss);
    return ts_grad_set(s->leaf, NULL);
}

static void tell(FILE *json, int64_t n, double (*t)[REPEATS], double *median)
{
    const double limit = 8 * (double)n / median[0];

    for (int k = 0; k < ITEMS; k++) {
        const struct item *it = &items[k];
        const double ratio = it->peer >= 0 ? median[it->peer] / median[k] : 0;
        const double rate = it->bytes * (double)n / median[k];

        printf("%-26s [%7lld]  median %10.1f  min %10.1f  max %10.1f ns", it->name,
               (long long)n, median[k], t[k][0], t[k][REPEATS - 1]);
        if (it->peer >= 0)
            printf("  %.2f of %s", ratio, items[it->peer].name);
        putchar('\n');
        if (!json)
            continue;
        fprintf(json,
                "{\"name\":\"%s\",\"shape\":[%lld],\"dtype\":\"float32\",\"unit\":\"ns\","
                "\"better\":\"lower\",\"median\":%.3f,\"min\":%.3f,\"max\":%.3f,"
                "\"repeats\":%d,\"checked\":true",
                it->name, (long long)n, median[k], t[k][0], t[k][REPEATS - 1], REPEATS);
        if (it->bytes)
            fprintf(
                json,
                ",\"formula\":\"%s\",\"rate\":%.4f,\"limit\":%.4f,"
                "\"limit_unit\":\"GB/s\",\"limit_name\":\"memcpy of as many elements\"",
                it->formula, rate, limit);
        if (it->peer >= 0)
            fprintf(json,
                    ",\"peer\":\"%s\",\"ratio\":%.4f,\"ratio_of_minima\":%.4f,"
                    "\"floor\":%.2f",
                    items[it->peer].name, ratio, t[it->peer][0] / t[k][0], it->floor);
        fputs("}\n", json);
    }
}

static ts_status measure(int64_t n, FILE *json)
{
    state s = {.n = n, .from = malloc((size_t)n * 4), .to = malloc((size_t)n * 4)};
    double t[ITEMS][REPEATS], median[ITEMS], once;
    int64_t times[ITEMS];

    TS_CHECK(s.from && s.to, TS_ERR_OUT_OF_MEMORY, NULL, "no memory");
    memset(s.from, 7, (size_t)n * 4);
    TS_TRY(tensor(n, 1, &s.a));
    TS_TRY(tensor(n, 2, &s.b));
    TS_TRY(tensor(n, 0, &s.out));
    TS_TRY(tensor(n, 3, &s.leaf));
    TS_TRY(ts_set_requires_grad(s.leaf, true));
    TS_TRY(check(&s));
    for (int k = 0; k < ITEMS; k++) {
        TS_TRY(loop(&items[k], &s, 3, &once)); /* warms up too */
        times[k] = 1 + (int64_t)(TARGET_NS / (once + 1));
        times[k] = times[k] > 20000 ? 20000 : times[k];
    }
    for (int r = 0; r < REPEATS; r++)
        for (int k = 0; k < ITEMS; k++)
            TS_TRY(loop(&items[k], &s, times[k], &t[k][r]));
    for (int k = 0; k < ITEMS; k++) {
        qsort(t[k], REPEATS, sizeof t[k][0], by_size);
        median[k] = t[k][REPEATS / 2];
    }
    tell(json, n, t, median);
    ts_release(s.a);
    ts_release(s.b);
    ts_release(s.out);
    ts_release(s.leaf);
    free(s.from);
    free(s.to);
    return TS_OK;
}

static void machine(FILE *json)
{
    char line[256], model[128] = "unknown";
    FILE *f = fopen("/proc/cpuinfo", "r");

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "model name : %127[^\n\"\\]", model) == 1)
            break;
    if (f)
        fclose(f);
    fprintf(json,
            "{\"perf\":1,\"suite\":\"eager\",\"machine\":\"%s, %ld processors\","
            "\"build\":\"reference, %s\"}\n",
            model, sysconf(_SC_NPROCESSORS_ONLN), __VERSION__);
}

static ts_status open_backend(const char *path)
{
    const ts_host host = {sizeof host, TS_BACKEND_ABI, ts_fail};
    ts_backend_open_fn open = NULL;
    void *h = dlopen(path, RTLD_NOW);
    ts_backend b;

    TS_CHECK(h, TS_ERR_RUNTIME, NULL, "%s", dlerror());
    *(void **)&open = dlsym(h, "ts_backend_open");
    TS_CHECK(open, TS_ERR_RUNTIME, NULL, "%s is no backend", path);
    TS_TRY(open(&host, &b));
    return ts_backend_install(TS_CPU, &b, NULL);
}

int main(int argc, char **argv)
{
    FILE *json = NULL;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: %s REFERENCE.so [RESULTS.jsonl]\n", argv[0]);
        return 2;
    }
    if (argc == 3 && !(json = fopen(argv[2], "w"))) {
        perror(argv[2]);
        return 2;
    }
    if (json)
        machine(json);
    if (open_backend(argv[1]) != TS_OK || measure(16, json) != TS_OK ||
        measure(1 << 16, json) != TS_OK) {
        fprintf(stderr, "%s\n", ts_error_message());
        return 1;
    }
    if (json && fclose(json) != 0) {
        perror(argv[2]);
        return 2;
    }
    return 0;
}
