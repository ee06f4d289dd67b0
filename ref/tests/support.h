/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of the whole runtime share:
 * the reference's kernels, and tensors in one line. */
#ifndef TSI_TEST_SUPPORT_H
#define TSI_TEST_SUPPORT_H

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "touchstone/touchstone.h"

#define OK(call) cr_assert_eq((call), TS_OK, "%s", ts_error_message())
/* The call fails with this status, under this rule. */
#define FAILS(call, status, rule)                                             \
    do {                                                                      \
        cr_assert_eq((call), (status), "%s", ts_error_message());             \
        cr_assert_str_eq(ts_error_label(), (rule), "%s", ts_error_message()); \
    } while (0)

static inline void open_reference(void)
{
    void *h = dlopen(getenv("TOUCHSTONE_REFERENCE"), RTLD_NOW);
    ts_backend_open_fn open = NULL;
    const ts_host host = {sizeof host, TS_BACKEND_ABI, ts_fail};
    ts_backend b;

    cr_assert(h, "%s", dlerror());
    *(void **)&open = dlsym(h, "ts_backend_open");
    cr_assert(open, "%s", dlerror());
    OK(open(&host, &b));
    OK(ts_backend_install(TS_CPU, &b, NULL));
}

/* At the end of a test, or as a suite's .fini: there a failed assertion would fail nothing,
 * but a death does. */
static inline void nothing_lives(void)
{
    const ts_live live = ts_live_now();

    if (live.tensors == 0 && live.storages == 0 && live.nodes == 0)
        return;
    fprintf(stderr, "alive: %lld tensors, %lld storages, %lld nodes\n",
            (long long)live.tensors, (long long)live.storages, (long long)live.nodes);
    abort();
}

/* A float64 vector of these values. */
static inline ts_tensor *vector(int n, const double *v)
{
    ts_tensor *t;

    OK(ts_tensor_new((ts_device){TS_CPU, 0}, TS_FLOAT64, 1, (int64_t[]){n}, &t));
    for (int i = 0; i < n; i++)
        ((double *)t->data)[i] = v[i];
    return t;
}

#define VECTOR(...)                                                 \
    vector((int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), \
           (double[]){__VA_ARGS__})

static inline ts_tensor *leaf(ts_tensor *t)
{
    OK(ts_set_requires_grad(t, true));
    return t;
}

#define LEAF(...) leaf(VECTOR(__VA_ARGS__))

static inline void expect_vector(const ts_tensor *t, int n, const double *v)
{
    cr_assert(t, "no tensor");
    cr_assert_eq(t->numel, n);
    for (int i = 0; i < n; i++) {
        const double got = ((double *)t->data)[n > 1 ? i * t->strides[0] : 0];

        cr_expect_eq(got, v[i], "element %d is %g, not %g", i, got, v[i]);
    }
}

#define EXPECT(t, ...)                                                          \
    expect_vector((t), (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), \
                  (double[]){__VA_ARGS__})

static inline ts_tensor *mul(ts_tensor *a, ts_tensor *b)
{
    ts_tensor *y;

    OK(ts_mul(a, b, &y));
    return y;
}

static inline ts_tensor *add(ts_tensor *a, ts_tensor *b)
{
    ts_tensor *y;

    OK(ts_add(a, b, NULL, &y));
    return y;
}

static inline ts_tensor *sum(ts_tensor *a)
{
    ts_tensor *y;

    OK(ts_sum(a, NULL, &y));
    return y;
}

/* t = f(t, …): the old reference goes. */
static inline void become(ts_tensor **t, ts_tensor *by)
{
    ts_release(*t);
    *t = by;
}

static inline ts_status backward(ts_tensor *root)
{
    return ts_backward(1, &root, NULL, false, false);
}

#endif
