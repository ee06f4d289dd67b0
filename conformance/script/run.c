/* SPDX-License-Identifier: Apache-2.0 */
/* Runs: one case, one layout, one device. */
#include "interp.h"

#include <stdio.h>
#include <string.h>

#include "generated.h"
#include "module.h"

static const char *const known_names[K_COUNT] = {
    [K_ADD] = "add",
    [K_SUB] = "sub",
    [K_MUL] = "mul",
    [K_DIV] = "div",
    [K_FLOOR_DIVIDE] = "floor_divide",
    [K_REMAINDER] = "remainder",
    [K_POW] = "pow",
    [K_MATMUL] = "matmul",
    [K_BITWISE_AND] = "bitwise_and",
    [K_BITWISE_OR] = "bitwise_or",
    [K_BITWISE_XOR] = "bitwise_xor",
    [K_LEFT_SHIFT] = "bitwise_left_shift",
    [K_RIGHT_SHIFT] = "bitwise_right_shift",
    [K_EQ] = "eq",
    [K_NE] = "ne",
    [K_LT] = "lt",
    [K_LE] = "le",
    [K_GT] = "gt",
    [K_GE] = "ge",
    [K_NEG] = "neg",
    [K_BITWISE_NOT] = "bitwise_not",
    [K_ABS] = "abs",
    [K_SELECT] = "select",
    [K_SLICE] = "slice",
    [K_UNSQUEEZE] = "unsqueeze",
    [K_EXPAND] = "expand",
    [K_SQUEEZE] = "squeeze",
    [K_VIEW] = "view",
    [K_INDEX] = "index",
    [K_INDEX_PUT] = "index_put",
    [K_NEW_FULL] = "new_full",
    [K_FILL] = "fill",
    [K_COPY] = "copy",
    [K_PERMUTE] = "permute",
    [K_TRANSPOSE] = "transpose",
    [K_TO] = "to",
    [K_RSUB] = "rsub",
    [K_RECIPROCAL] = "reciprocal",
    [K_NUMPY_T] = "numpy_T",
    [K_MT] = "mT",
    [K_ITEM] = "item",
};

const char *tsi_known_name(tsi_known_op k)
{
    return known_names[k];
}

ts_status tsi_interp_new(tsi_interp **out)
{
    tsi_pool *pool = tsi_pool_new(TSI_RUN_MEMORY);
    tsi_interp *in = pool != NULL ? tsi_pool_alloc(pool, sizeof *in) : NULL;

    if (in == NULL) {
        tsi_pool_free(pool);
        return tsi_no_memory();
    }
    in->pool = pool;
    for (int k = 0; k < K_COUNT; k++)
        in->known[k] = ts_op_find(known_names[k]);
    *out = in;
    return TS_OK;
}

void tsi_interp_free(tsi_interp *in)
{
    if (in != NULL) {
        tsi_generated_free(in->generated);
        tsi_pool_free(in->pool);
    }
}

/* Everything the run holds, let go: names, then what is left in cycles. */
static void finish(tsi_interp *in)
{
    tsi_modules_run_end(in);
    for (int i = 0; i < in->c->ast->nglobals; i++) {
        const tsi_value v = in->globals[i];

        in->globals[i].kind = V_UNBOUND;
        tsi_release(v);
    }
    for (tsi_kept *k = in->leaves; k != NULL; k = k->next) {
        (void)ts_grad_set(k->tensor, NULL);
        ts_release(k->tensor);
    }
    for (tsi_object *o = in->objects; o != NULL; o = o->next)
        tsi_clear_object(o);
    for (tsi_input *i = in->inputs; i != NULL; i = i->next)
        ts_release(i->tensor);
    for (tsi_input *k = in->given; k != NULL; k = k->next)
        ts_release(k->tensor);
    for (tsi_made *m = in->made; m != NULL; m = m->next)
        ts_storage_release(m->storage);
}

static ts_status start(tsi_interp *in, const tsi_case *c, const tsi_run_options *options,
                       const tsi_judge *judge)
{
    tsi_pool *pool = in->pool;
    tsi_generated *generated = in->generated;
    const ts_op *known[K_COUNT];

    memcpy(known, in->known, sizeof known);
    tsi_pool_reset_to(pool, in, sizeof *in);
    memset(in, 0, sizeof *in);
    in->pool = pool;
    memcpy(in->known, known, sizeof known);
    in->generated = tsi_generated_for(generated, c);
    in->c = c;
    in->options = options;
    in->judge = judge;
    in->steps = options->steps ? options->steps : TSI_DEFAULT_STEPS;
    in->inputs_end = &in->inputs;
    in->globals =
        tsi_pool_alloc(pool, (size_t)(c->ast->nglobals + 1) * sizeof *in->globals);
    in->active = tsi_pool_alloc(pool, (size_t)c->ast->nfunctions + 1);
    if (in->globals == NULL || in->active == NULL)
        return tsi_no_memory();
    return TS_OK;
}

ts_status tsi_case_run(tsi_interp *in, const tsi_case *c, const tsi_run_options *options,
                       const tsi_judge *judge, tsi_run_result *result)
{
    const ts_device device = ts_default_device();
    const bool grad = ts_set_grad_enabled(true);
    ts_status s;

    ts_error_clear();
    ts_set_default_device(options->device);
    result->message[0] = result->label[0] = '\0';
    result->line = 0;
    s = start(in, c, options, judge);
    if (s == TS_OK) {
        s = tsi_modules_run_begin(in);
        if (s == TS_OK)
            s = tsi_run_body(in, c->ast->body);
        if (s != TS_OK) {
            result->line = in->error_line ? in->error_line : c->program_line;
            snprintf(result->message, sizeof result->message, "%s", ts_error_message());
            snprintf(result->label, sizeof result->label, "%s", ts_error_label());
        }
        const ts_status gaps = tsi_check_gaps(in);

        if (s == TS_OK)
            s = gaps;
        finish(in);
    }
    ts_set_default_device(device);
    ts_set_grad_enabled(grad);
    result->status = s;
    return s;
}
