/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor's inside: what stands behind the part that everyone may read. */
#ifndef TSI_BODY_H
#define TSI_BODY_H

#include "core/level.h"
#include "core/storage.h"

#define TSI_INLINE_DIMS 8 /* sizes and strides beyond this many dims live on the heap */

typedef struct tsi_autograd tsi_autograd; /* ref/grad's */

/* How a view was made, where that forbids in-place use. */
enum { TSI_VIEW_PLAIN, TSI_VIEW_NO_GRAD, TSI_VIEW_FUNCTION, TSI_VIEW_SEVERAL };

typedef struct tsi_body {
    ts_tensor t; /* first: a ts_tensor's address is its body's */
    ts_storage *storage;
    int refs;
    bool wrapped_number; /* a Python number passed as a tensor (T-12) */
    /* is_contiguous, is_non_overlapping_and_dense; -1: nobody has asked yet. */
    signed char contiguous, dense;
    union {
        struct {
            unsigned char view_origin;
            bool wrapped; /* wrap is there */
        };
        uint16_t special; /* 0 where a call's short path may take it for what it seems */
    };
    int64_t *version;       /* shared by all views of one base; in the storage */
    int64_t view_version;   /* of a view: *version when its grad_fn was made */
    ts_tensor *base;        /* the tensor this is a view of, or NULL */
    tsi_autograd *autograd; /* NULL until something needs it */
    struct tsi_pair *pair;  /* of which the body is part, or NULL */
    tsi_wrap *wrap;         /* of a value that a level follows */
    int64_t dims[2 * TSI_INLINE_DIMS];
} tsi_body;

static inline tsi_body *tsi_of(const ts_tensor *t)
{
    return (tsi_body *)(uintptr_t)t;
}

/* The header of a tensor over `storage` that has no elements of its own. */
ts_status tsi_shell_new(ts_storage *storage, ts_dtype dtype, int ndim,
                        const int64_t *sizes, const int64_t *strides, int64_t offset,
                        ts_tensor **out);
void tsi_wrap_end(tsi_wrap *w);

/* Some storage has grown since the process began: others' tensors may point to what it had. */
extern bool tsi_storages_grew;

static inline void tsi_look_again(ts_tensor *t)
{
    const ts_storage *s = tsi_of(t)->storage;

    if (t->data && s->data)
        t->data = (char *)s->data + t->offset * (int64_t)tse_bytes(t->dtype);
}

/* To be called before t's elements are read or written from outside of a call. */
static inline void tsi_settle_data(ts_tensor *t)
{
    if (__atomic_load_n(&tsi_storages_grew, __ATOMIC_RELAXED))
        tsi_look_again(t);
}

/* To be called by whoever has changed t's sizes or strides. */
static inline void tsi_forget_geometry(ts_tensor *t)
{
    tsi_of(t)->contiguous = tsi_of(t)->dense = -1;
}

static inline bool tsi_is_contiguous(const ts_tensor *t)
{
    tsi_body *b = tsi_of(t);

    if (b->contiguous < 0)
        b->contiguous = ts_is_contiguous(t);
    return b->contiguous;
}

static inline bool tsi_is_dense(const ts_tensor *t)
{
    tsi_body *b = tsi_of(t);

    if (b->dense < 0)
        b->dense = ts_is_non_overlapping_and_dense(t);
    return b->dense;
}

#endif
