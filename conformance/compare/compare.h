/* SPDX-License-Identifier: Apache-2.0 */
/* An answer against what the golden file stores for it; the rules are
 * spec/areas/results.md's. */
#ifndef TSI_COMPARE_H
#define TSI_COMPARE_H

#include "touchstone/tensor.h"

typedef enum tsi_class { TSI_CLASS_BOUND, TSI_CLASS_EXACT, TSI_CLASS_DIGEST } tsi_class;

#define TSI_DIGEST_SIZE 16

/* One stored answer, in row-major order of its logical elements. */
typedef struct tsi_expected {
    tsi_class class_;
    ts_dtype dtype;
    int ndim;
    int64_t numel;
    const int64_t *sizes, *strides;
    const unsigned char *truth;  /* BOUND: float64, at any alignment */
    const unsigned char *bound;  /* BOUND: 16 bits, 11 of exponent and 5 of fraction */
    const unsigned char *bits;   /* EXACT: dtype */
    const unsigned char *digest; /* DIGEST: TSI_DIGEST_SIZE bytes */
    double used; /* BOUND: the largest share of it that PyTorch's own result took */
} tsi_expected;

/* What came: a tensor's description and its elements, contiguous. */
typedef struct tsi_answer {
    ts_dtype dtype;
    int ndim;
    int64_t numel;
    const int64_t *sizes, *strides;
    const unsigned char *elements;
} tsi_answer;

typedef struct tsi_comparison {
    bool equal;
    bool by_digest;    /* not equal, and all that is known of it is a digest */
    int64_t wrong;     /* elements that fail */
    int64_t worst_at;  /* row-major index of the worst element; -1 when there is none */
    double worst;      /* its |got - expected| / bound; EXACT: 0 or infinity */
    char reason[1024]; /* when not equal */
} tsi_comparison;

/* Whether `got` is a legal answer where the truth is `truth` (results/S2). */
bool tsi_within(ts_dtype dtype, double got, double truth, double bound);
/* Whether two encoded elements are equal bit by bit, one NaN being as good as another. */
bool tsi_same_element(ts_dtype dtype, const void *a, const void *b);

double tsi_expected_value(const tsi_expected *e, int64_t i);
double tsi_expected_bound(const tsi_expected *e, int64_t i); /* 0 for EXACT */
/* |got - expected| / bound of element i: 0 when they are the same, infinity without a
 * bound. */
double tsi_expected_error(const tsi_expected *e, const tsi_answer *a, int64_t i);

/* dtype, shape, strides, then elements; the first difference in that order gives the
 * reason. Where a digest differs, which element is wrong is not known here. */
void tsi_compare_answer(const char *name, const tsi_expected *e, const tsi_answer *a,
                        tsi_comparison *out);

/* Strides agree where they matter: not those of size-1 dims, not those of empty tensors.
 */
bool tsi_same_strides(int ndim, const int64_t *sizes, const int64_t *a, const int64_t *b);

/* SHA-256 of elements in row-major order, cut to its first bytes; one NaN stands for all
 * of them. */
void tsi_digest(ts_dtype dtype, const void *elements, int64_t numel,
                unsigned char out[TSI_DIGEST_SIZE]);

/* Copy t's elements in row-major order to `out` (numel * element size bytes). */
void tsi_gather(const ts_tensor *t, void *out);

/* An element as a person reads it: "0.25", "nan", "true". Returns buf. */
const char *tsi_element_text(char *buf, size_t size, ts_dtype dtype, const void *element);

/* --- what a broken implementation might return, that must not pass (results/S5) --- */

/* What fresh memory holds in the first run of a layout and in its second: NaN in every
 * floating dtype and -1 in integers, then large finite numbers in all of them. */
enum { TSI_POISON_FIRST = 0xFF, TSI_POISON_AGAIN = 0x7B };

typedef enum tsi_trivial {
    TSI_ZEROS, /* all zeros */
    TSI_INPUT, /* the first generated input, unchanged; of the same dtype and shape */
    TSI_SHIFT, /* the right elements, each one place too early, where that changes them */
    TSI_POISON, /* what the memory held before */
    TSI_TRIVIAL_COUNT
} tsi_trivial;

typedef enum tsi_fit { TSI_FIT_NONE, TSI_FIT_NO, TSI_FIT_YES } tsi_fit;

/* Whether the trivial answer would be accepted; NONE when there is no such answer here.
 * `input` (for INPUT) may be NULL. */
tsi_fit tsi_trivial_fits(tsi_trivial kind, const tsi_expected *e,
                         const tsi_answer *input);

#endif
