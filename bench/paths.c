/* SPDX-License-Identifier: Apache-2.0 */
#include "paths.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static ts_backend backend, hollow;

static ts_status copy(paths_state *s)
{
    memcpy(s->to, s->from, (size_t)s->n * 4);
    s->sink += s->to[s->n - 1];
    return TS_OK;
}

static ts_status add_out(paths_state *s)
{
    return ts_add_out(s->a, s->b, NULL, s->out);
}

static ts_status add(paths_state *s)
{
    ts_tensor *y;

    TS_TRY(ts_add(s->a, s->b, NULL, &y));
    ts_release(y);
    return TS_OK;
}

static ts_status view(paths_state *s)
{
    const int64_t sizes[] = {4, s->n / 4};
    ts_tensor *y;

    TS_TRY(ts_view(s->a, sizes, 2, &y));
    ts_release(y);
    return TS_OK;
}

static ts_status mul_grad(paths_state *s)
{
    ts_tensor *y;

    TS_TRY(ts_mul(s->leaf, s->b, &y));
    ts_release(y);
    return TS_OK;
}

static ts_status mul_backward(paths_state *s)
{
    ts_tensor *y;
    ts_status st;

    TS_TRY(ts_mul(s->leaf, s->b, &y));
    st = ts_backward(1, &y, &s->seed, false, false);
    ts_release(y);
    return st == TS_OK ? ts_grad_set(s->leaf, NULL) : st;
}

static ts_status step(paths_state *s)
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
    return st == TS_OK ? ts_grad_set(s->leaf, NULL) : st;
}

#define ADD_BYTES "8 bytes read, 4 written an element"

const paths_row paths[] = {
    {.key = "copy", .name = "copy", .run = copy},
    {.key = "empty", .name = "add out=, no kernel", .run = add_out, .no_kernel = true},
    {.key = "add_out",
     .name = "add out=",
     .formula = ADD_BYTES,
     .run = add_out,
     .bytes = 12},
    {.key = "add",
     .name = "add",
     .formula = ADD_BYTES,
     .run = add,
     .bytes = 12,
     .peer = "add_out",
     .floor = 0.5},
    {.key = "add_profiled",
     .name = "add out=, profiled",
     .formula = ADD_BYTES,
     .run = add_out,
     .bytes = 12,
     .peer = "add_out",
     .floor = 0.2,
     .profiled = true},
    {.key = "view", .name = "view", .run = view},
    {.key = "mul_grad", .name = "mul, gradient recorded", .run = mul_grad},
    {.key = "mul_backward", .name = "mul, backward", .run = mul_backward},
    {.key = "step", .name = "add, mul, sum, backward", .run = step},
};
const int paths_count = sizeof paths / sizeof *paths;

const paths_row *paths_find(const char *key)
{
    for (int k = 0; k < paths_count; k++)
        if (strcmp(paths[k].key, key) == 0)
            return &paths[k];
    return NULL;
}

/* What a call costs besides its kernel. */
static ts_status nothing(const ts_kernel_call *call)
{
    (void)call;
    return TS_OK;
}

ts_status paths_open(const char *path)
{
    static const ts_kernel_entry kernel = {"add", nothing};
    const ts_host host = {sizeof host, TS_BACKEND_ABI, ts_fail};
    ts_backend_open_fn open = NULL;
    void *h = dlopen(path, RTLD_NOW);

    TS_CHECK(h, TS_ERR_RUNTIME, NULL, "%s", dlerror());
    *(void **)&open = dlsym(h, "ts_backend_open");
    TS_CHECK(open, TS_ERR_RUNTIME, NULL, "%s is no backend", path);
    TS_TRY(open(&host, &backend));
    hollow = (ts_backend){.size = sizeof hollow,
                          .abi = TS_BACKEND_ABI,
                          .name = "hollow",
                          .version = backend.version,
                          .kernels = &kernel,
                          .kernel_count = 1};
    return ts_backend_install(TS_CPU, &backend, NULL);
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

ts_status paths_new(paths_state *s, int64_t n)
{
    *s =
        (paths_state){.n = n, .from = malloc((size_t)n * 4), .to = malloc((size_t)n * 4)};
    TS_CHECK(n % 4 == 0, TS_ERR_VALUE, NULL, "%lld elements: view needs a multiple of 4",
             (long long)n);
    TS_CHECK(s->from && s->to, TS_ERR_OUT_OF_MEMORY, NULL, "no memory");
    memset(s->from, 7, (size_t)n * 4);
    TS_TRY(tensor(n, 1, &s->a));
    TS_TRY(tensor(n, 2, &s->b));
    TS_TRY(tensor(n, 0, &s->out));
    TS_TRY(tensor(n, 3, &s->leaf));
    TS_TRY(tensor(n, 4, &s->seed));
    return ts_set_requires_grad(s->leaf, true);
}

void paths_free(paths_state *s)
{
    ts_release(s->a);
    ts_release(s->b);
    ts_release(s->out);
    ts_release(s->leaf);
    ts_release(s->seed);
    free(s->from);
    free(s->to);
}

static ts_status check_values(paths_state *s)
{
    const float *a = s->a->data, *b = s->b->data, *x = s->leaf->data;
    const float *y = s->out->data, *p;
    ts_tensor *sum, *product;
    bool good = true;

    TS_TRY(add_out(s));
    TS_TRY(ts_add(s->a, s->b, NULL, &sum));
    for (int64_t i = 0; i < s->n; i++)
        good &= y[i] == a[i] + b[i] && ((float *)sum->data)[i] == y[i];
    ts_release(sum);
    TS_CHECK(good, TS_ERR_RUNTIME, NULL, "add: wrong result");
    TS_TRY(ts_mul(s->leaf, s->b, &product));
    p = product->data;
    for (int64_t i = 0; i < s->n; i++)
        good &= p[i] == x[i] * b[i];
    good &= ts_requires_grad(product);
    ts_release(product);
    TS_CHECK(good, TS_ERR_RUNTIME, NULL, "mul: wrong result, or no gradient recorded");
    return TS_OK;
}

static ts_status check_gradient(paths_state *s)
{
    const float *b = s->b->data, *seed = s->seed->data, *g;
    ts_tensor *y;
    bool good = true;

    TS_TRY(ts_mul(s->leaf, s->b, &y));
    TS_TRY(ts_backward(1, &y, &s->seed, false, false));
    ts_release(y);
    g = ts_grad_get(s->leaf)->data;
    for (int64_t i = 0; i < s->n; i++)
        good &= g[i] == seed[i] * b[i];
    TS_CHECK(good, TS_ERR_RUNTIME, NULL, "mul: wrong gradient");
    return ts_grad_set(s->leaf, NULL);
}

static ts_status check_view(paths_state *s)
{
    const int64_t sizes[] = {4, s->n / 4};
    ts_tensor *y;
    bool good;

    TS_TRY(ts_view(s->a, sizes, 2, &y));
    good = y->data == s->a->data && y->ndim == 2 && y->sizes[0] == 4 &&
           y->sizes[1] == s->n / 4;
    ts_release(y);
    TS_CHECK(good, TS_ERR_RUNTIME, NULL, "view: wrong result");
    return TS_OK;
}

/* The kernel that does nothing is the one that runs. */
static ts_status check_hollow(paths_state *s)
{
    const float before = *(float *)s->a->data;
    uint64_t ran;

    TS_TRY(ts_backend_install(TS_CPU, &hollow, &backend));
    ran = ts_backend_counted().ran;
    TS_TRY(ts_add_out(s->b, s->b, NULL, s->a));
    ran = ts_backend_counted().ran - ran;
    TS_TRY(ts_backend_install(TS_CPU, &backend, NULL));
    TS_CHECK(ran == 1 && *(float *)s->a->data == before, TS_ERR_RUNTIME, NULL,
             "a kernel that does nothing did something");
    return TS_OK;
}

ts_status paths_check(paths_state *s)
{
    TS_TRY(check_values(s));
    TS_TRY(check_gradient(s));
    TS_TRY(check_view(s));
    TS_TRY(check_hollow(s));
    for (int k = 0; k < paths_count; k++)
        TS_TRY(paths[k].run(s));
    return TS_OK;
}

/* Of this thread alone: what other programs take from the processor is not counted. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Apart and by name, for tools that count what happens in it. */
__attribute__((noinline)) static ts_status bench_loop(const paths_row *row,
                                                      paths_state *s, int64_t times)
{
    for (int64_t i = 0; i < times; i++)
        TS_TRY(row->run(s));
    return TS_OK;
}

ts_status paths_time(const paths_row *row, paths_state *s, int64_t times, double *ns)
{
    const ts_profile_options o = {.host = true};
    ts_profile *p = NULL;
    ts_status st;
    double start;

    if (row->no_kernel)
        TS_TRY(ts_backend_install(TS_CPU, &hollow, &backend));
    if (row->profiled) {
        TS_TRY(ts_profile_new(&o, &p));
        TS_TRY(ts_profile_start(p));
    }
    start = now();
    st = bench_loop(row, s, times);
    *ns = (now() - start) / (double)times;
    if (p && st == TS_OK)
        st = ts_profile_stop(p);
    ts_profile_free(p);
    if (row->no_kernel && st == TS_OK)
        st = ts_backend_install(TS_CPU, &backend, NULL);
    return st;
}
