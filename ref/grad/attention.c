/* SPDX-License-Identifier: Apache-2.0 */
/* attention/G2: of the fused implementation; the other's follows from its parts. */
#include "grad/vjp.h"
#include "touchstone/ops/attention_glue.h"

ts_status tsi_vjp__scaled_dot_product_flash_attention_for_cpu(tsi_vjp *v)
{
    const ts_value *a = v->args;
    const ts_value *mask = &a[TS__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU_ATTN_MASK];
    const ts_value *scale = &a[TS__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU_SCALE];
    ts__scaled_dot_product_flash_attention_for_cpu_backward_opts o =
        ts__scaled_dot_product_flash_attention_for_cpu_backward_defaults();
    ts_tensor *grad[3];

    o.attn_mask = mask->kind == TS_ARG_TENSOR ? mask->tensor : NULL;
    o.scale = scale->kind == TS_ARG_FLOAT ? &scale->f : NULL;
    TS_TRY(ts__scaled_dot_product_flash_attention_for_cpu_backward(
        v->grads[0], a[0].tensor, a[1].tensor, a[2].tensor, v->results[0], v->results[1],
        a[TS__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU_DROPOUT_P].f,
        a[TS__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU_IS_CAUSAL].b, &o, &grad[0],
        &grad[1], &grad[2]));
    for (int i = 0; i < 3; i++) {
        if (v->needs[i])
            v->out[i] = grad[i];
        else
            ts_release(grad[i]);
    }
    return TS_OK;
}

ts_status tsi_vjp__scaled_dot_product_flash_attention_for_cpu_backward(tsi_vjp *v)
{
    return ts_fail(TS_ERR_RUNTIME, "attention/C11", "%s has no derivative", v->op->name);
}
