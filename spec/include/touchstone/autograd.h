/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse-mode automatic differentiation; see spec/areas/autograd.md. */
#ifndef TOUCHSTONE_AUTOGRAD_H
#define TOUCHSTONE_AUTOGRAD_H

#include "touchstone/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

TS_API bool ts_grad_enabled(void);        /* this thread's grad mode; on at start */
TS_API bool ts_set_grad_enabled(bool on); /* returns the mode before */

TS_API bool ts_requires_grad(const ts_tensor *t);
/* Refused for integer dtypes, and for clearing it on a non-leaf. */
TS_API ts_status ts_set_requires_grad(ts_tensor *t, bool on);
TS_API bool ts_is_leaf(const ts_tensor *t);
TS_API ts_status ts_retain_grad(ts_tensor *t);

/* t.grad: borrowed, NULL when there is none.
 * Assignment checks shape, dtype and device. */
TS_API ts_tensor *ts_grad_get(const ts_tensor *t);
TS_API ts_status ts_grad_set(ts_tensor *t, ts_tensor *grad);

/* The name of t.grad_fn ("MulBackward0"), or NULL for a leaf. */
TS_API const char *ts_grad_fn_name(const ts_tensor *t);

/* t.data: the same elements, no history, a version counter of its own. New reference. */
TS_API ts_status ts_data_get(ts_tensor *t, ts_tensor **out);
TS_API ts_status ts_data_set(ts_tensor *t, ts_tensor *value);

/*
 * torch.autograd.backward: add the gradients of `roots` to the .grad of every leaf below.
 * grads may be NULL, or hold NULL for one-element roots.
 */
TS_API ts_status ts_backward(int nroots, ts_tensor *const *roots, ts_tensor *const *grads,
                             bool retain_graph, bool create_graph);

/* torch.autograd.grad: gradients of roots with respect to inputs; .grad stays untouched.
 * out[i] is a new reference, or NULL where unused and allowed. */
TS_API ts_status ts_grad(int nroots, ts_tensor *const *roots, ts_tensor *const *grads,
                         int ninputs, ts_tensor *const *inputs, bool retain_graph,
                         bool create_graph, bool allow_unused, ts_tensor **out);

/* Hooks on a tensor's gradient: may replace it by a new reference in *replacement. */
typedef ts_status (*ts_hook_fn)(void *self, ts_tensor *grad, ts_tensor **replacement);
TS_API ts_status ts_register_hook(ts_tensor *t, ts_hook_fn fn, void *self,
                                  void (*destroy)(void *self), int64_t *handle);
TS_API void ts_remove_hook(ts_tensor *t, int64_t handle);

/* --- custom functions (A-08; spec/areas/custom_function.md)
 * ----------------------------------------------------------------------------------- */

/*
 * One application of a custom function: what its callbacks share from forward to
 * backward. It is the node of the graph itself where one is recorded, and dies with it.
 */
typedef struct ts_function_ctx ts_function_ctx;

#define TS_NO_BATCH (-1) /* of in_dims and out_dims: not batched, or no tensor */

/* What vmap tells a function (func.vmap's own words). */
typedef struct ts_vmap_info {
    size_t size; /* of this struct */
    int64_t batch_size;
    const char *randomness; /* "error", "different", "same" */
} ts_vmap_info;

/*
 * torch.autograd.Function as a table. `self` is what ts_function_apply was given; inputs
 * are NULL where an argument is no tensor, outputs where a result is none. Results are
 * new references; after an error what was already written is released by the caller.
 * Every callback but forward may be NULL.
 *
 * size           sizeof(ts_function) of whoever filled it in: members beyond it count as
 *                absent, so that a program built against an older header still fits.
 * name           "Cube": its node is CubeBackward. Copied.
 * forward        Runs with grad mode off. On entry *noutputs is the room in `outputs`,
 *                all NULL; on return how many results there are. ctx is NULL where
 *                setup_context is given (PyTorch's new style). An input that is returned
 *                is retained like any other tensor.
 * setup_context  Runs after forward, grad mode still off, with its inputs and results.
 * backward       One gradient per output, NULL only where the output is no tensor or
 *                gradients are not materialised; writes one per input, or NULL for zero.
 *                Grad mode is on under create_graph.
 * jvp            Called once per application, after forward and before ctx closes, by a
 *                level of forward mode: one tangent per input, zeros where it has none
 *                unless gradients are not materialised, NULL where it is no tensor.
 *                ts_ctx_saved_tensors gives what save_for_forward kept. Writes one per
 *                output, NULL where that is no tensor or has no derivative. For an input
 *                marked dirty the tangent is written in place and returned itself; for a
 *                result that is a view of an input it is the same view of the tangent.
 * vmap           The function on batched inputs, without a ctx: in_dims[i] is the batch
 *                dim of input i; writes out_dims[k] for each output, TS_NO_BATCH where
 *                that is not batched. May call ts_function_apply itself.
 * generate_vmap_rule  forward, backward and jvp are ops only: vmap may run through them.
 *                Refused together with vmap; without either a level of vmap refuses.
 * once_differentiable  backward runs with grad mode off, and gradients that it makes of
 *                gradients with a history refuse to be differentiated.
 * destroy        Called once per application, when nothing needs `self` any more.
 */
typedef struct ts_function {
    size_t size;
    const char *name;
    ts_status (*forward)(void *self, ts_function_ctx *ctx, int ninputs,
                         ts_tensor *const *inputs, int *noutputs, ts_tensor **outputs);
    ts_status (*setup_context)(void *self, ts_function_ctx *ctx, int ninputs,
                               ts_tensor *const *inputs, int noutputs,
                               ts_tensor *const *outputs);
    ts_status (*backward)(void *self, ts_function_ctx *ctx, int ngrads,
                          ts_tensor *const *grads, int ninputs, ts_tensor **out);
    ts_status (*jvp)(void *self, ts_function_ctx *ctx, int ninputs,
                     ts_tensor *const *tangents, int noutputs, ts_tensor **out);
    ts_status (*vmap)(void *self, const ts_vmap_info *info, int ninputs,
                      ts_tensor *const *inputs, const int *in_dims, int *noutputs,
                      ts_tensor **outputs, int *out_dims);
    bool generate_vmap_rule;
    bool once_differentiable;
    void (*destroy)(void *self);
} ts_function;

/*
 * Run `function` on `inputs`. *noutputs: the room in `outputs` on entry, how many results
 * came on return; after an error `outputs` holds NULL only. `self` is taken in every
 * case. The table may go once this returns.
 */
TS_API ts_status ts_function_apply(const ts_function *function, void *self, int ninputs,
                                   ts_tensor *const *inputs, int *noutputs,
                                   ts_tensor **outputs);

/*
 * For forward or setup_context; later they do nothing. Each keeps its own references, NULL
 * among tensors to save is kept as NULL, and a second call replaces the first.
 */
TS_API ts_status ts_ctx_save_for_backward(ts_function_ctx *ctx, int n,
                                          ts_tensor *const *tensors);
TS_API ts_status ts_ctx_save_for_forward(ts_function_ctx *ctx, int n,
                                         ts_tensor *const *tensors);
TS_API ts_status ts_ctx_mark_dirty(ts_function_ctx *ctx, int n, ts_tensor *const *inputs);
TS_API ts_status ts_ctx_mark_non_differentiable(ts_function_ctx *ctx, int n,
                                                ts_tensor *const *outputs);
TS_API void ts_ctx_set_materialize_grads(ts_function_ctx *ctx, bool on);

/* Whether this application leaves a node, should a result be differentiable. */
TS_API bool ts_ctx_is_recorded(const ts_function_ctx *ctx);
/* Whether input i required grad when the function was applied, in whatever grad mode. */
TS_API bool ts_ctx_needs_input_grad(const ts_function_ctx *ctx, int i);
/*
 * ctx.saved_tensors: *n new references (`n` may be NULL), each checked against the
 * version it was saved at; refused once backward has freed them, and where there are more
 * than `room`. Until the application is over: what save_for_forward kept, or nothing.
 */
TS_API ts_status ts_ctx_saved_tensors(ts_function_ctx *ctx, int room, ts_tensor **out,
                                      int *n);

/*
 * torch.autograd.gradcheck in double precision: compares fn's vjp at `inputs` with central
 * differences; TS_ERR_RUNTIME names the worst entry. fn writes its results, new references
 * and at most TS_GRADCHECK_OUTPUTS, to out[], and how many they are to *noutputs; on error
 * none. Results that require no gradient count only where none requires one: then none of
 * them may change with an input.
 */
#define TS_GRADCHECK_OUTPUTS 64
typedef ts_status (*ts_gradcheck_fn)(void *self, int ninputs, ts_tensor *const *inputs,
                                     int *noutputs, ts_tensor **out);
TS_API ts_status ts_gradcheck(ts_gradcheck_fn fn, void *self, int ninputs,
                              ts_tensor *const *inputs, double eps, double atol,
                              double rtol);

#ifdef __cplusplus
}
#endif
#endif
