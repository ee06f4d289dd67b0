/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an op of a family accepts and gives, once a family: the api functions that the op
 * table names for `family = "…"` on a page. An api function of a page's own calls one of
 * them for what it has in common with the family.
 */
#ifndef TSI_FAMILY_H
#define TSI_FAMILY_H

#include "core/core.h"

/* The checks that a page gives labels of its own (`refuses`); spec/gen/families.py. */
enum {
    TSI_REFUSES_SHAPE,     /* the tensors do not broadcast together */
    TSI_REFUSES_DTYPE,     /* not of the page's dtypes */
    TSI_REFUSES_BOOL,      /* bool, where the page tells it apart from other dtypes */
    TSI_REFUSES_OUT_DTYPE, /* out is not of the result's dtype */
    TSI_REFUSES_DIM,       /* out of range */
    TSI_REFUSES_TWICE,     /* a dim stands in the list twice */
    TSI_REFUSES_EMPTY,     /* no dim given, and no elements */
    TSI_REFUSES_EMPTY_DIM, /* a reduced dim of size 0 */
    TSI_REFUSES_FLOATING,  /* the computing dtype is not floating */
    TSI_REFUSES_GRADIENT_INPLACE, /* backward through a call in place */
    TSI_REFUSES_COUNT
};

struct tsi_vjp;

/* pointwise.c */
ts_status tsi_family_unary_float(ts_frame *f);
ts_status tsi_family_unary_same(ts_frame *f);
ts_status tsi_family_binary(ts_frame *f);
ts_status tsi_family_binary_float(ts_frame *f);
ts_status tsi_family_ternary(ts_frame *f);
ts_status tsi_family_comparison(ts_frame *f);
ts_status tsi_family_predicate(ts_frame *f);
/* Of two operands that need not be the first two arguments; `dtype` is their result type,
 * unless the op makes it another. */
ts_status tsi_family_two(ts_frame *f, ts_tensor *a, ts_tensor *b, ts_dtype compute,
                         ts_dtype dtype);

/* Of three, each cast to its as[k]. */
ts_status tsi_family_three(ts_frame *f, ts_tensor *const *t, const ts_dtype *as,
                           ts_dtype dtype);

/* reduce.c */
ts_status tsi_family_reduction(ts_frame *f);
ts_status tsi_family_reduction_same(ts_frame *f);
ts_status tsi_family_reduction_index(ts_frame *f);
ts_status tsi_family_reduction_bool(ts_frame *f);

/* scan.c */
ts_status tsi_family_scan(ts_frame *f);

/* index.c: what moves by index share, under labels of the caller's */
ts_status tsi_check_index(const ts_frame *f, const ts_tensor *index, const char *label);
/* What is written, in place or out=, has no element of argument `arg`. */
ts_status tsi_check_written_apart(const ts_frame *f, int arg, const char *label);
/* The out tensor's elements stand apart, also if it is to be resized (tensors/C2). */
ts_status tsi_check_out_places(const ts_frame *f);
/* The out tensor has no element of argument `arg`. */
ts_status tsi_check_out_apart(const ts_frame *f, int arg, const char *label);
/* Of ops that are called (self, dim, index, …), gather and its kin: */
/* Argument `arg` has as many dims as self, a 0-dim tensor counting as one. */
ts_status tsi_check_along_dims(const ts_frame *f, const char *label, int arg);
/* The index is nowhere larger than argument `arg`, dim `skip` apart (-1: none). */
ts_status tsi_check_along_within(const ts_frame *f, const char *label, int arg, int skip);

/* The labels of what scatters by index along a dim. */
typedef struct tsi_along_labels {
    const char *dim, *index, *same, *dims, *within, *missing, *dtype, *apart;
} tsi_along_labels;

/* All checks of (self, dim, index, src), or of one without a source, but for its kernel's;
 * result 0 is as self. */
ts_status tsi_check_along(ts_frame *f, const tsi_along_labels *labels, bool source);

/* The derivatives that are one formula for the family; ref/grad/family.c. */
ts_status tsi_family_vjp_comparison(struct tsi_vjp *v);
ts_status tsi_family_vjp_scan(struct tsi_vjp *v);

/* The page's label of a check, or of `other` where the page does not tell them apart. */
static inline const char *tsi_label(const ts_frame *f, int check, int other)
{
    return f->op->labels[check] ? f->op->labels[check] : f->op->labels[other];
}

/* The out tensor is of `dtype`, where the page refuses another. */
static inline ts_status tsi_check_out_dtype(const ts_frame *f, ts_dtype dtype)
{
    const char *label = f->op->labels[TSI_REFUSES_OUT_DTYPE];

    TS_CHECK(!label || f->form != TS_OUT || f->out[0]->dtype == dtype, TS_ERR_RUNTIME,
             label, "%s: out is expected to be %s, but is %s", f->op->name,
             ts_dtype_name(dtype), ts_dtype_name(f->out[0]->dtype));
    return TS_OK;
}

#endif
