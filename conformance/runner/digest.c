/* SPDX-License-Identifier: Apache-2.0 */
/* A digest that differs says nothing of where: the program is run again on the reference,
 * which is held to the digest too, and lends its elements. */
#include <stdlib.h>
#include <string.h>

#include "runner/judge.h"

/* What is wanted of a run, and what came. */
typedef struct wanted {
    const char *name;
    const tsi_answer *like;
    unsigned char *elements;
} wanted;

static ts_status on_expectation(void *self, const tsi_expectation *e)
{
    wanted *w = self;
    const tsi_answer *a = w->like;

    if (!e->tensor || w->elements || strcmp(e->name, w->name) != 0 ||
        e->tensor->dtype != a->dtype || e->tensor->ndim != a->ndim ||
        (a->ndim > 0 &&
         memcmp(e->tensor->sizes, a->sizes, sizeof(*a->sizes) * (size_t)a->ndim) != 0))
        return TS_OK;
    w->elements = malloc((size_t)(a->numel * ts_dtype_size(a->dtype)) + 1);
    TS_CHECK(w->elements, TS_ERR_OUT_OF_MEMORY, NULL, "out of memory");
    tsi_gather(e->tensor, w->elements);
    return TS_OK;
}

/* User files have digests of none, and stored tensors say nothing of how a digest arose. */
static ts_status on_data(void *self, const tsi_case *c, const char *key, ts_device device,
                         ts_tensor **out)
{
    (void)self;
    (void)device;
    (void)out;
    return ts_fail(TS_ERR_UNSUPPORTED, NULL, "%s: data('%s')", c->id, key);
}

unsigned char *tsi_reference_elements(tsi_interp *in, const tsi_options *o,
                                      const tsi_case *c, tsi_variant variant,
                                      const char *name, const tsi_answer *like)
{
    wanted w = {.name = name, .like = like};
    const tsi_judge judge = {.self = &w, .expectation = on_expectation, .data = on_data};
    const tsi_run_options options = {.variant = variant, .device = {TS_CPU, 0}};
    tsi_run_result r;

    if (!tsi_backend_lend(o))
        return NULL;
    tsi_case_run(in, c, &options, &judge, &r);
    tsi_backend_take_back();
    return w.elements;
}

void tsi_explain_digest(const char *name, const tsi_expected *e, const tsi_answer *a,
                        const unsigned char *reference, char *reason, size_t size)
{
    const tsi_expected right = {.class_ = TSI_CLASS_EXACT,
                                .dtype = a->dtype,
                                .ndim = a->ndim,
                                .numel = a->numel,
                                .sizes = a->sizes,
                                .strides = a->strides,
                                .bits = reference};
    unsigned char own[TSI_DIGEST_SIZE];
    tsi_comparison c;
    size_t n;

    if (!reference) {
        n = strlen(reason);
        snprintf(reason + n, size - n,
                 "; the reference could not be asked which of them is wrong");
        return;
    }
    tsi_digest(a->dtype, reference, a->numel, own);
    tsi_compare_answer(name, &right, a, &c);
    if (memcmp(own, e->digest, sizeof(own)) == 0)
        snprintf(reason, size, "%s (by the reference, which has the golden digest)",
                 c.reason);
    else
        snprintf(reason, size,
                 "%s: another digest than the golden file says, but the reference's own "
                 "differs from it too; %s",
                 name, c.equal ? "the two agree" : c.reason);
}
