/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a custom function, which is its node (ref/grad and levels only). */
#ifndef TSI_FUNCTION_H
#define TSI_FUNCTION_H

#include "grad/graph.h"

/* Tensors that forward named; NULL may stand among them. */
typedef struct tsi_named {
    ts_tensor **v;
    int n;
} tsi_named;

/*
 * A level (grad, jvp, vmap) takes an application before ts_function_apply makes a ctx for
 * it: grad and jvp apply the same table one level down and wrap the results, vmap calls
 * fn.vmap or runs through the parts. jvp reads to_forward, which lasts while ctx is open.
 */
struct ts_function_ctx {
    tsi_node node;
    ts_function fn; /* as given; what its table lacked is NULL */
    void *self;
    const char *name; /* of the node */
    bool recorded;    /* grad mode was on and an input required grad */
    bool open;        /* the application is not over */
    bool plain_none;  /* gradients are not materialised */
    bool freed;
    bool *is_tensor, *needs_grad;                       /* by input */
    tsi_named to_save, to_forward, dirty, without_grad; /* while open */
    tsi_saved *saved; /* of to_save, by place; empty where that is NULL */
    int nsaved;
    tsi_level *batch; /* at which vmap runs through the parts, or NULL */
    int *batch_dims;  /* of saved tensors there, by place; -1 for others */
};

extern const tsi_node_kind tsi_function_kind;

/* ts_function_apply on these very tensors, whatever level is on. */
ts_status tsi_function_record(const ts_function *function, void *self, int ninputs,
                              ts_tensor *const *inputs, int *noutputs,
                              ts_tensor **outputs);

/* --- function_ctx.c --- */
/* One reference. Takes self, on error too. */
ts_status tsi_ctx_new(const ts_function *fn, void *self, int ninputs,
                      ts_tensor *const *inputs, ts_function_ctx **out);
bool tsi_is_named(const tsi_named *in, const ts_tensor *t);
/* `t`, as an output, is a result of the recorded node. */
bool tsi_ctx_carries(const ts_function_ctx *c, const ts_tensor *t);
/* What save_for_backward named becomes saved tensors, now that outputs have histories. */
ts_status tsi_ctx_save(ts_function_ctx *c, int noutputs, ts_tensor *const *outputs);
/* The application is over: what only it needed goes. */
void tsi_ctx_close(ts_function_ctx *c);

#endif
