/* SPDX-License-Identifier: Apache-2.0 */
/* The recorded graph: nodes, edges, saved tensors,
 * and what hangs on a tensor (ref/grad only). */
#ifndef TSI_GRAPH_H
#define TSI_GRAPH_H

#include "core/body.h"
#include "core/dispatch.h"
#include "grad/vjp.h"

typedef struct tsi_node tsi_node;

/* Where a gradient goes: input `nr` of `node`,
 * which is output `nr` of the forward call. */
typedef struct tsi_edge {
    tsi_node *node; /* NULL: nobody wants it */
    int nr;
} tsi_edge;

/* One registered hook; the tensor and the node that runs it hold it. */
typedef struct tsi_hook {
    int refs, running;
    int64_t handle;
    ts_hook_fn fn; /* NULL once removed */
    void *self;
    void (*destroy)(void *self);
} tsi_hook;

typedef struct tsi_hook_list {
    struct tsi_hook_at {
        tsi_hook *hook;
        int nr;
    } * v;
    int n;
} tsi_hook_list;

typedef struct tsi_node_kind {
    /* One gradient per input of the node (NULL: zero) to one new reference or NULL per
     * edge; wanted[e]: somebody asks for edge e's. */
    ts_status (*apply)(tsi_node *n, ts_tensor *const *grads, const bool *wanted,
                       ts_tensor **out);
    void (*free_saved)(tsi_node *n); /* drop the saved tensors; again is harmless */
    void (*destroy)(tsi_node *n);    /* drop what else the kind owns, not the node */
    const char *(*name)(const tsi_node *n);
} tsi_node_kind;

struct tsi_node {
    const tsi_node_kind *kind;
    int refs;
    int ninputs, nedges;
    uint64_t sequence; /* later calls run earlier in backward */
    tsi_edge *edges;
    tsi_kept_meta *inputs; /* of the forward's results, whose gradients come in */
    ts_tensor **retain;    /* weak: by input, the tensor that keeps its gradient */
    tsi_hook_list hooks;
    tsi_node *dying; /* next to destroy */
};

/* What autograd hangs on a tensor. */
struct tsi_autograd {
    bool requires_grad; /* of a leaf */
    bool retains_grad;
    int nr;                /* output of grad_fn that this tensor is */
    tsi_node *grad_fn;     /* NULL: a leaf */
    tsi_node *accumulator; /* weak */
    ts_tensor *grad;
    tsi_hook_list hooks;
};

/* --- node.c --- */
/* `size` bytes of a kind's own struct, whose first member is the node. One reference. */
ts_status tsi_node_new(const tsi_node_kind *kind, size_t size, int nedges,
                       tsi_node **out);
/* t[i] may be NULL: a result that is no tensor, whose sizes stay NULL. */
ts_status tsi_node_set_inputs(tsi_node *n, int ninputs, ts_tensor *const *t);
tsi_node *tsi_node_retain(tsi_node *n);
void tsi_node_release(tsi_node *n);
/* C4, by the node called `name`. */
ts_status tsi_refuse_second(const char *name);

typedef struct tsi_op_node tsi_op_node;
extern const tsi_node_kind tsi_op_kind;

/* Record the call in `f`, not yet made:
 * edges, arguments, the tensors that `saves` names. */
ts_status tsi_op_node_new(const ts_frame *f, tsi_node **out);
/* The call is made: keep the results that `saves` names. */
ts_status tsi_op_node_save_results(tsi_node *n, ts_tensor *const *results);

/* --- layer.c --- */
/* The layer; where the call is the thread's `inside`, a level makes it and this records. */
ts_status tsi_autograd_layer(ts_frame *f);

/* --- saved.c --- */
typedef struct tsi_saved {
    ts_tensor
        *tensor; /* an alias without history, so that no cycle of references can close */
    int64_t version;
    tsi_node *grad_fn; /* whose output `nr` it is; an accumulator stands for a leaf */
    int nr;
    bool result;  /* output `nr` of the node that saves it */
    bool carries; /* that output, and a gradient goes through it */
} tsi_saved;

ts_status tsi_save(tsi_saved *s, ts_tensor *t, bool result, int nr);
/* New reference, a leaf itself; another tensor with its history if asked. `by` saved it. */
ts_status tsi_unpack(const tsi_saved *s, tsi_node *by, bool history, ts_tensor **out);
void tsi_saved_free(tsi_saved *s);

/* --- variable.c --- */
ts_status tsi_autograd_of(ts_tensor *t, tsi_autograd **out); /* made when there is none */
bool tsi_wants_grad(const ts_tensor *t);
ts_status tsi_require_grad(ts_tensor *t, bool on); /* whatever level is on */
/* Where t's gradient goes: its grad_fn, its accumulator, or nowhere. Borrowed; `keep`
 * holds a new reference to the node (or NULL). */
ts_status tsi_gradient_edge(ts_tensor *t, tsi_edge *keep);
/* `t` becomes output nr of `n`. */
ts_status tsi_set_history(ts_tensor *t, tsi_node *n, int nr);
/* `t` becomes a leaf that requires no grad. */
void tsi_forget_history(ts_tensor *t);
/* The variable of an accumulator; NULL for other nodes, and where it is gone. */
ts_tensor *tsi_accumulator_variable(const tsi_node *n);
/* Whether `n` is an accumulator that keeps its variable alive. */
bool tsi_accumulator_holds(const tsi_node *n);

/* --- view.c --- */
/* Borrowed; NULL for a leaf. Brings a view up to date
 * when its base was written in place. */
ts_status tsi_grad_fn(ts_tensor *t, tsi_node **out);
/* `self` was written in place by the call that `n` recorded, as input `input`; it is
 * result `nr` now, 0 where it is a view. */
ts_status tsi_rebase_history(ts_tensor *self, tsi_node *n, int input, int nr);
/* May `self` be written in place with history recorded? */
ts_status tsi_check_inplace(const ts_tensor *self, const char *op);

/* --- hooks.c --- */
/* Every live hook on gradient `nr` of `n`, in order of registration;
 * *grad is replaced. */
ts_status tsi_hooks_run(const tsi_node *n, int nr, ts_tensor **grad);
ts_status tsi_retain_run(const tsi_node *n, int nr, ts_tensor *grad);
void tsi_hooks_free(tsi_hook_list *list);

/* --- engine.c --- */
/* grad summed to meta's shape and cast to its dtype; takes and gives one reference. */
ts_status tsi_grad_fit(const tsi_node *from, const tsi_kept_meta *meta, ts_tensor **grad);

/* --- calls.c: ops by name, for the engine's own needs --- */
ts_status tsi_call_add(ts_tensor *a, ts_tensor *b, bool in_place, ts_tensor **out);
ts_status tsi_call_clone(ts_tensor *t, ts_memory_format format, ts_tensor **out);
ts_status tsi_call_copy_(ts_tensor *self, ts_tensor *src);
ts_status tsi_call_fill_(ts_tensor *self, double value);
ts_status tsi_call_sum(ts_tensor *t, int ndims, const int64_t *dims, bool keepdim,
                       ts_tensor **out);
ts_status tsi_call_view(ts_tensor *t, int ndim, const int64_t *sizes, ts_tensor **out);
ts_status tsi_call_cast(ts_tensor *t, ts_dtype dtype, ts_tensor **out);
ts_status tsi_call_mul(ts_tensor *a, ts_tensor *b, ts_tensor **out);
/* A frame of as_strided over `t`, opened but not yet called; its lists are the caller's. */
ts_status tsi_open_as_strided(ts_frame *f, ts_tensor *t, int ndim, const int64_t *sizes,
                              const int64_t *strides, int64_t offset);

#endif
