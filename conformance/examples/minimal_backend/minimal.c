/* SPDX-License-Identifier: Apache-2.0 */
/* A complete backend: neg, relu and mul in float32. README.md beside it tells the rest. */
#include <touchstone/backend.h>

/* Places of the same element in each tensor, as a walk over the result's shape goes on. */
typedef struct walk {
    const ts_tensor *result;
    const ts_tensor *tensors[3]; /* the result itself, then the operands */
    int count;
    int64_t index[TS_MAX_DIMS], at[3];
} walk;

/* An operand's stride in dim d of the result: shapes line up at their ends, and where an
 * operand has no such dim, or one of size 1, its element is used again. */
static int64_t stride(const walk *w, int operand, int d)
{
    const ts_tensor *t = w->tensors[operand];
    const int own = d - (w->result->ndim - t->ndim);

    return own < 0 || (t->sizes[own] == 1 && w->result->sizes[d] != 1) ? 0
                                                                       : t->strides[own];
}

/* Step to the next element, the last dim first. */
static void next(walk *w)
{
    for (int d = w->result->ndim - 1; d >= 0; d--) {
        for (int k = 0; k < w->count; k++)
            w->at[k] += stride(w, k, d);
        if (++w->index[d] < w->result->sizes[d])
            return;
        for (int k = 0; k < w->count; k++)
            w->at[k] -= w->result->sizes[d] * stride(w, k, d);
        w->index[d] = 0;
    }
}

typedef float (*function)(float x, float y);

/* The same loop for every op: results[0] is allocated, and may be an operand too. */
static ts_status pointwise(const ts_kernel_call *call, int operands, function fn)
{
    const ts_tensor *y = call->results[0];
    walk w = {.result = y, .tensors = {y}, .count = 1 + operands};

    if (y->dtype != TS_FLOAT32)
        return TS_ERR_UNSUPPORTED; /* what this kernel cannot do, it says */
    for (int k = 0; k < operands; k++) {
        w.tensors[k + 1] = call->args[k].tensor;
        if (!w.tensors[k + 1] || w.tensors[k + 1]->dtype != TS_FLOAT32)
            return TS_ERR_UNSUPPORTED;
    }
    for (int64_t i = 0; i < y->numel; i++, next(&w)) {
        const float a = ((const float *)w.tensors[1]->data)[w.at[1]];
        const float b = operands > 1 ? ((const float *)w.tensors[2]->data)[w.at[2]] : 0;

        ((float *)y->data)[w.at[0]] = fn(a, b);
    }
    return TS_OK;
}

static float negative(float x, float y)
{
    (void)y;
    return -x;
}

static float rectified(float x, float y)
{
    (void)y;
    return x < 0 ? 0 : x; /* a NaN is not below 0 and stays (relu/S2) */
}

static float product(float x, float y)
{
    return x * y;
}

static ts_status neg(const ts_kernel_call *call)
{
    return pointwise(call, 1, negative);
}

static ts_status relu(const ts_kernel_call *call)
{
    return pointwise(call, 1, rectified);
}

static ts_status mul(const ts_kernel_call *call)
{
    return pointwise(call, 2, product);
}

static const ts_kernel_entry kernels[] = {{"neg", neg}, {"relu", relu}, {"mul", mul}};

/* What the backend stands for: a claimed case that is not supported fails. */
static const ts_claim claims[] = {{"neg", TS_DTYPE_BIT(TS_FLOAT32)},
                                  {"relu", TS_DTYPE_BIT(TS_FLOAT32)}};

ts_status ts_backend_open(const ts_host *host, ts_backend *out)
{
    (void)host; /* host->fail makes errors, where a check needs the data */
    *out = (ts_backend){.size = sizeof(*out),
                        .abi = TS_BACKEND_ABI,
                        .name = "minimal",
                        .version = "1",
                        .kernels = kernels,
                        .kernel_count = 3,
                        .claims = claims,
                        .claim_count = 2};
    return TS_OK;
}
