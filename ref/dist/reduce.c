/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference's communicator: rank after rank in order, wide, rounded once (dist/S6);
 * so a reduction gives the same bits in every collective that contains it (dist/S10).
 */
#include <math.h>

#include "dist/dist.h"

static double pick(double a, double b, bool larger)
{
    if (isnan(a) || isnan(b))
        return NAN;
    return (larger ? b > a : b < a) ? b : a;
}

static double join_float(ts_reduce_op op, double a, double b)
{
    switch (op) {
    case TS_REDUCE_PRODUCT:
        return a * b;
    case TS_REDUCE_MIN:
    case TS_REDUCE_MAX:
        return pick(a, b, op == TS_REDUCE_MAX);
    default: /* SUM, AVG; the bit operations are for integers (dist/C3) */
        return a + b;
    }
}

static int64_t join_int(ts_reduce_op op, int64_t a, int64_t b)
{
    switch (op) {
    case TS_REDUCE_PRODUCT:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case TS_REDUCE_MIN:
        return b < a ? b : a;
    case TS_REDUCE_MAX:
        return b > a ? b : a;
    case TS_REDUCE_BAND:
        return a & b;
    case TS_REDUCE_BOR:
        return a | b;
    case TS_REDUCE_BXOR:
        return a ^ b;
    default:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    }
}

/* to = op over the ranks of their elements from `at` on. `to` may be one of them. */
static void reduce(const ts_collective *c, const void *const *in, int64_t at, void *to)
{
    const int64_t size = ts_dtype_size(c->dtype);

    for (int64_t i = 0; i < c->n; i++) {
        const int64_t k = (at + i) * size;
        void *out = (char *)to + i * size;

        if (ts_dtype_is_floating(c->dtype)) {
            double v = ts_load_f64(c->dtype, (const char *)in[0] + k);

            for (int r = 1; r < c->ranks; r++)
                v = join_float(c->op, v, ts_load_f64(c->dtype, (const char *)in[r] + k));
            ts_store_f64(c->dtype, out, c->op == TS_REDUCE_AVG ? v / c->ranks : v);
        } else {
            int64_t v = ts_load_i64(c->dtype, (const char *)in[0] + k);

            for (int r = 1; r < c->ranks; r++)
                v = join_int(c->op, v, ts_load_i64(c->dtype, (const char *)in[r] + k));
            ts_store_i64(c->dtype, out, v);
        }
    }
}

static ts_status all_reduce(const ts_collective *c, const void *const *in,
                            void *const *out)
{
    const size_t bytes = (size_t)(c->n * ts_dtype_size(c->dtype));

    reduce(c, in, 0, out[0]); /* an element is read from all ranks before it is written */
    for (int r = 1; r < c->ranks && bytes > 0; r++)
        memcpy(out[r], out[0], bytes);
    return TS_OK;
}

static ts_status all_gather(const ts_collective *c, const void *const *in,
                            void *const *out)
{
    const size_t bytes = (size_t)(c->n * ts_dtype_size(c->dtype));

    for (int r = 0; r < c->ranks && bytes > 0; r++)
        for (int q = 0; q < c->ranks; q++)
            memcpy((char *)out[r] + (size_t)q * bytes, in[q], bytes);
    return TS_OK;
}

static ts_status reduce_scatter(const ts_collective *c, const void *const *in,
                                void *const *out)
{
    for (int r = 0; r < c->ranks; r++)
        reduce(c, in, r * c->n, out[r]);
    return TS_OK;
}

const ts_communicator *ts_reference_communicator(void)
{
    static const ts_communicator reference = {
        .size = sizeof(ts_communicator),
        .all_reduce = all_reduce,
        .all_gather = all_gather,
        .reduce_scatter = reduce_scatter,
    };

    return &reference;
}
