/* SPDX-License-Identifier: Apache-2.0 */
/* The reference with every kernel wrong: other bits in every result, and no refusal of its
 * own; and with the wrong communicator that the judge measures by. */
#include "runner/corrupt.h"
#include "zoo/zoo.h"

enum { MOST = 1024, RESULTS = 16 };

typedef struct noting {
    ts_kernel_call call;
    const ts_kernel_call *from;
    ts_tensor *made[RESULTS];
} noting;

static ts_status make_result(const ts_kernel_call *call, int i, ts_dtype dtype, int ndim,
                             const int64_t *sizes, const int64_t *strides,
                             ts_tensor **out)
{
    noting *n = (noting *)(uintptr_t)call;
    const ts_status s =
        n->from->make_result(n->from, i, dtype, ndim, sizes, strides, out);

    if (s == TS_OK && i < RESULTS)
        n->made[i] = *out;
    return s;
}

/* Element i in row-major order. */
static unsigned char *at(const ts_tensor *t, int64_t i)
{
    int64_t offset = 0;

    for (int d = t->ndim - 1; d >= 0; d--) {
        offset += i % t->sizes[d] * t->strides[d];
        i /= t->sizes[d];
    }
    return (unsigned char *)zoo_at(t, offset);
}

static ts_status wrong(const ts_kernel_call *call)
{
    noting n = {.call = *call, .from = call};
    ts_status s;

    n.call.make_result = make_result;
    s = zoo_original(call->op)(&n.call);
    if (s == TS_ERR_UNSUPPORTED)
        return s;
    for (int k = 0; k < call->nresults; k++) {
        const ts_tensor *t = call->results[k] ? call->results[k]
                             : k < RESULTS    ? n.made[k]
                                              : NULL;

        if (!t)
            return s;
        for (int64_t i = 0; i < t->numel; i++)
            for (int b = 0; b < ts_dtype_size(t->dtype); b++)
                at(t, i)[b] = (unsigned char)(t->dtype == TS_BOOL ? !at(t, i)[b]
                                                                  : at(t, i)[b] + 0x4F);
    }
    return TS_OK;
}

TS_API ts_status ts_backend_open(const ts_host *host, ts_backend *out)
{
    static ts_kernel_entry kernels[MOST];

    TS_TRY(zoo_open(host, out, NULL, 0));
    for (size_t i = 0; i < out->kernel_count; i++)
        kernels[i] = (ts_kernel_entry){.op = out->kernels[i].op, .kernel = wrong};
    out->kernels = kernels;
    out->communicator = tsi_corrupt_communicator();
    return TS_OK;
}
