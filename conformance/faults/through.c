/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a kernel that computes in another dtype than its own: the reference's is called
 * with everything converted, and the results are converted back. Kinds dtype, precision. */
#include <stdlib.h>

#include "faults/faults.h"

/* Back into `to`, from a wider one. */
typedef void (*back_fn)(ts_dtype from, const void *src, ts_dtype to, void *dst);

static ts_tensor *as(fault_room *r, ts_tensor *t, ts_dtype main, ts_dtype other)
{
    return t && t->dtype == main ? fault_dense(r, t, other) : t;
}

static ts_status through(fault *f, const ts_kernel_call *call, ts_dtype other,
                         back_fn back)
{
    fault_room room = {.count = 0};
    const ts_tensor *x = fault_first(call);
    const ts_dtype main = x ? x->dtype : TS_DTYPE_NONE;
    ts_kernel_call *mine;
    ts_status status;

    if (!x || main == other || main == TS_BOOL)
        return f->original(call);
    for (int i = 0; i < call->nresults; i++)
        if (!call->results[i])
            return f->original(call);
    mine = fault_call(&room, call);
    for (int i = 0; i < call->nargs; i++) {
        ts_value *a = &fault_args(mine)[i];

        if (a->kind == TS_ARG_TENSOR)
            a->tensor = as(&room, a->tensor, main, other);
        if (a->kind == TS_ARG_TENSORS && a->tensors.n < 40) {
            ts_tensor **v = fault_take_room(&room, sizeof *v * (size_t)a->tensors.n);

            for (int64_t k = 0; k < a->tensors.n; k++)
                v[k] = as(&room, a->tensors.v[k], main, other);
            a->tensors.v = v;
        }
    }
    if (mine->compute == main)
        mine->compute = other;
    for (int i = 0; i < call->nresults; i++)
        fault_results(mine)[i] = as(&room, call->results[i], main, other);
    status = f->original(mine);
    for (int i = 0; status == TS_OK && i < call->nresults; i++) {
        const ts_tensor *y = call->results[i], *wide = mine->results[i];

        for (int64_t k = 0; wide != y && k < y->numel; k++)
            back(other, tse_at(wide, k), main, fault_cell(y, k));
    }
    fault_leave(&room);
    return status;
}

/* As a cast does it. */
static ts_status through_dtype(fault *f, const ts_kernel_call *call)
{
    return through(f, call, f->dtype, tse_convert);
}

/* Integers that stop at the ends of their range. */
static void saturate(ts_dtype from, const void *src, ts_dtype to, void *dst)
{
    const int bits = 8 * (int)tse_bytes(to) - (to != TS_UINT8);
    const double high = tse_power_of_two(bits) - 1, low = to == TS_UINT8 ? 0 : -high - 1;
    const double v = tse_read(from, src);

    if (tse_is_real(to) || (v >= low && v <= high))
        tse_convert(from, src, to, dst);
    else if (to == TS_INT64) {
        const int64_t k = v > 0 ? INT64_MAX : INT64_MIN;

        memcpy(dst, &k, sizeof k);
    } else
        tse_write_i64(to, dst, (int64_t)(v > high ? high : v < low ? low : 0));
}

static ts_status saturates(fault *f, const ts_kernel_call *call)
{
    const ts_tensor *x = fault_first(call);

    return x && tse_is_real(x->dtype) ? f->original(call)
                                      : through(f, call, TS_FLOAT64, saturate);
}

/* Rounded towards zero: what is cut off instead of rounded. */
static void cut(ts_dtype from, const void *src, ts_dtype to, void *dst)
{
    const double v = tse_read(from, src);
    uint64_t u = 0;

    tse_convert(from, src, to, dst);
    if (!tse_is_real(to) || !isfinite(v) || !(fabs(tse_read(to, dst)) > fabs(v)))
        return;
    memcpy(&u, dst, tse_bytes(to));
    u--;
    memcpy(dst, &u, tse_bytes(to));
}

static ts_status towards_zero(fault *f, const ts_kernel_call *call)
{
    const ts_tensor *x = fault_first(call);

    return x && tse_is_real(x->dtype) ? through(f, call, TS_FLOAT64, cut)
                                      : f->original(call);
}

const fault_row faults_through[] = {{"dtype/through", through_dtype},
                                    {"dtype/saturates", saturates},
                                    {"precision/through", through_dtype},
                                    {"precision/towards_zero", towards_zero},
                                    {NULL, NULL}};
