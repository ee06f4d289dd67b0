/* SPDX-License-Identifier: Apache-2.0 */
/* A complete backend: neg, relu and mul in float32. README.md beside it tells the rest. */
#include <touchstone/backend.h>
#include <touchstone/ops/mul.h>

typedef float (*function)(float x, float y);

static float *at(const ts_tensor *t, int64_t element)
{
    return (float *)t->data + element;
}

/*
 * The same loop for every op: results[0] is allocated, and may be an operand too. Lines
 * take care of strides, offsets and broadcasting, whatever the layout.
 */
static ts_status pointwise(const ts_kernel_call *call, int operands, function fn)
{
    ts_tensor *t[3] = {call->results[0]};
    ts_lines it;

    for (int k = 0; k < operands; k++)
        t[k + 1] = ts_call_tensor(call, k);
    for (int k = 0; k <= operands; k++)
        if (!t[k] || t[k]->dtype != TS_FLOAT32)
            return TS_ERR_UNSUPPORTED; /* what this kernel cannot do, it says */
    for (ts_lines_pointwise(&it, t[0], 1 + operands, t); ts_lines_next(&it);)
        for (int64_t i = 0; i < it.n; i++) {
            const float x = *at(t[1], it.at[1] + i * it.step[1]);
            const float y = operands > 1 ? *at(t[2], it.at[2] + i * it.step[2]) : 0;

            *at(t[0], it.at[0] + i * it.step[0]) = fn(x, y);
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
                                  {"relu", TS_DTYPE_BIT(TS_FLOAT32)},
                                  {"mul", TS_DTYPE_BIT(TS_FLOAT32)}};

/* Asked for each call, before its results are made. A product with a tensor or a number of
 * another dtype is declined, and so is nobody's failure. */
static bool supports(const ts_kernel_call *call)
{
    const ts_tensor *y = call->results[0]; /* the caller's own: in place, or out= */

    if (call->op_id != TS_OP_MUL)
        return true;
    return (!y || y->dtype == TS_FLOAT32) &&
           ts_call_tensor(call, TS_MUL_SELF)->dtype == TS_FLOAT32 &&
           ts_call_tensor(call, TS_MUL_OTHER)->dtype == TS_FLOAT32;
}

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
                        .claim_count = 3,
                        .kernel_size = sizeof(*kernels),
                        .claim_size = sizeof(*claims),
                        .levels = TS_LEVEL_BIT(1) | TS_LEVEL_BIT(2) | TS_LEVEL_BIT(3),
                        .supports = supports};
    return TS_OK;
}
