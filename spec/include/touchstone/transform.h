/* SPDX-License-Identifier: Apache-2.0 */
/* Functional transforms: torch.func's vmap, grad, vjp and jvp over functions of tensors,
 * in any nesting; see spec/areas/func.md. */
#ifndef TOUCHSTONE_TRANSFORM_H
#define TOUCHSTONE_TRANSFORM_H

#include "touchstone/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- functions over functions
 *
 * A function is a ts_callable: it is told how many results it owes. It may call any of
 * these itself. Results are new references; after an error there are none. */

#define TS_NO_DIM INT64_MIN /* of in_dims and out_dims: not mapped over */

/*
 * torch.func.vmap: f over slices of the arguments along in_dims (NULL: dim 0 of all),
 * its results stacked along out_dims (NULL: dim 0). randomness: "error", "different",
 * "same"; NULL is "error".
 */
TS_API ts_status ts_vmap(const ts_callable *f, int nargs, ts_tensor *const *args,
                         const int64_t *in_dims, int nresults, const int64_t *out_dims,
                         const char *randomness, ts_tensor **results);

/* torch.func.grad: the gradients of f's one result, a scalar, by the arguments that
 * argnums names; grads[k] is that of args[argnums[k]]. */
TS_API ts_status ts_func_grad(const ts_callable *f, int nargs, ts_tensor *const *args,
                              int nargnums, const int *argnums, ts_tensor **grads);
/* The same, and what f gave. */
TS_API ts_status ts_func_grad_and_value(const ts_callable *f, int nargs,
                                        ts_tensor *const *args, int nargnums,
                                        const int *argnums, ts_tensor **grads,
                                        ts_tensor **value);

/* torch.func.vjp, called at once: f's results, and for cotangents like them the products
 * with the Jacobian, one an argument. */
TS_API ts_status ts_func_vjp(const ts_callable *f, int nargs, ts_tensor *const *args,
                             int nresults, ts_tensor *const *cotangents,
                             ts_tensor **results, ts_tensor **products);

/* torch.func.jvp: f's results, and how they move along the tangents, one an argument. */
TS_API ts_status ts_func_jvp(const ts_callable *f, int nargs, ts_tensor *const *args,
                             ts_tensor *const *tangents, int nresults,
                             ts_tensor **results, ts_tensor **moved);

/* --- a trace: what a function did
 *
 * The calls that f made of ops, in order, over numbered tensors: %0 is input 0, and on from
 * the inputs every call's results. Programs are seen by their parts, optional ops and
 * factories whole. What f read and no call of it made is a constant, $0 and on, and kept;
 * one that f writes is each replay's own, as it was before. See spec/areas/func.md. */

struct ts_op;
typedef struct ts_trace ts_trace;

/* Run f once and keep what it did. Its results too; results may be NULL. */
TS_API ts_status ts_trace_record(const ts_callable *f, int ninputs,
                                 ts_tensor *const *inputs, int nresults,
                                 ts_tensor **results, ts_trace **out);
TS_API void ts_trace_release(ts_trace *trace); /* NULL passes */

TS_API int64_t ts_trace_count(const ts_trace *trace);
/* Of record i; NULL past the end. */
TS_API const struct ts_op *ts_trace_op(const ts_trace *trace, int64_t i);
/* Record i in one line, "%2 = mul(%0, %1)", cut to n bytes with its 0; returns text. "" past
 * the end. */
TS_API const char *ts_trace_text(const ts_trace *trace, int64_t i, char *text, size_t n);

/* The same calls on inputs of the same metadata; results as f gave them, one after the
 * other as in ts_trace_record. */
TS_API ts_status ts_trace_replay(const ts_trace *trace, int ninputs,
                                 ts_tensor *const *inputs, ts_tensor **results);

/* --- the levels that these are made of
 *
 * A level lies on top of this thread's stack from its begin to its end; levels end in the
 * reverse order. A tensor enters it, and is followed there; what was computed leaves it
 * before it ends. A tensor of a level of vmap that is used afterwards is refused. */

typedef struct tsi_level ts_level;

TS_API ts_status ts_grad_begin(ts_level **out);
TS_API ts_status ts_jvp_begin(ts_level **out);
TS_API ts_status ts_vmap_begin(int64_t batch_size, const char *randomness,
                               ts_level **out);
/* Off the stack; one of grad may come back on it, with ts_level_resume, until freed. */
TS_API void ts_level_suspend(ts_level *level);
TS_API void ts_level_resume(ts_level *level);
TS_API void ts_level_free(ts_level *level);
TS_API void ts_level_end(ts_level *level); /* suspend and free */

/* t as a leaf of a level of grad. A new reference, as all that follow. */
TS_API ts_status ts_grad_enter(ts_level *level, ts_tensor *t, ts_tensor **out);
/* What stands there for t at a level of grad, without its history there. */
TS_API ts_status ts_grad_leave(ts_level *level, ts_tensor *t, ts_tensor **out);

/* Gradients of results at a level, along cotangents (NULL: each result is a scalar, along
 * 1), by leaves that entered it; out of the level, zeros where nothing depends. */
TS_API ts_status ts_level_gradients(ts_level *level, int nresults,
                                    ts_tensor *const *results,
                                    ts_tensor *const *cotangents, int nleaves,
                                    ts_tensor *const *leaves, bool retain_graph,
                                    ts_tensor **grads);

/* A tangent of NULL is zero. */
TS_API ts_status ts_jvp_enter(ts_level *level, ts_tensor *primal, ts_tensor *tangent,
                              ts_tensor **out);
TS_API ts_status ts_jvp_leave(ts_level *level, ts_tensor *t, ts_tensor **primal,
                              ts_tensor **tangent);

/* t's slices along in_dim, which counts from the end where negative. */
TS_API ts_status ts_vmap_enter(ts_level *level, ts_tensor *t, int64_t in_dim,
                               ts_tensor **out);
/* The slices stacked along out_dim; TS_NO_DIM: a tensor that is no batch. */
TS_API ts_status ts_vmap_leave(ts_level *level, ts_tensor *t, int64_t out_dim,
                               ts_tensor **out);

/* Whether t is followed by a level, and how many there are. */
TS_API bool ts_is_followed(const ts_tensor *t);
TS_API int ts_level_count(void);

#ifdef __cplusplus
}
#endif
#endif
