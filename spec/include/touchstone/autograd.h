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

/* t.grad: borrowed, NULL when there is none. Assignment checks shape, dtype and device.
 */
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

/*
 * A custom Function: make `outputs` (already computed with grad mode off) results
 * of a new node over `inputs`. `backward` gets one gradient per output (NULL = zero) and
 * writes one new reference or NULL per input. `name` is the node's name.
 */
typedef ts_status (*ts_function_backward_fn)(void *self, int ngrads,
                                             ts_tensor *const *grads, int ninputs,
                                             ts_tensor **out);
TS_API ts_status ts_function_attach(const char *name, int ninputs,
                                    ts_tensor *const *inputs, int noutputs,
                                    ts_tensor **outputs, ts_function_backward_fn backward,
                                    void *self, void (*destroy)(void *self));

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
