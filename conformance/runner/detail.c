/* SPDX-License-Identifier: Apache-2.0 */
/* What a results file tells of each expectation. */
#include <inttypes.h>
#include <string.h>

#include "runner/execute.h"

enum { SHOWN_ON_PASS = 64, SHOWN_ON_FAIL = 4096 };

static void numbers(tsi_text *t, const char *key, int64_t n, int digits,
                    const tsi_taken *k, double (*value)(const tsi_taken *k, int64_t i))
{
    tsi_text_format(t, ",\"%s\":[", key);
    for (int64_t i = 0; i < n; i++) {
        if (i)
            tsi_text_add(t, ",", 1);
        tsi_text_number(t, value(k, i), digits);
    }
    tsi_text_add(t, "]", 1);
}

/* Digits that tell any two numbers of a dtype apart. */
static int digits_of(ts_dtype dtype)
{
    switch (ts_dtype_size(dtype)) {
    case 8:
        return 17;
    case 4:
        return ts_dtype_is_floating(dtype) ? 9 : 17;
    default:
        return 5;
    }
}

static double got_value(const tsi_taken *k, int64_t i)
{
    uint64_t aligned;
    const int64_t size = ts_dtype_size(k->answer.dtype);

    memcpy(&aligned, k->answer.elements + i * size, (size_t)size);
    return ts_load_f64(k->answer.dtype, &aligned);
}

static double expected_value(const tsi_taken *k, int64_t i)
{
    return tsi_expected_value(k->expected, i);
}

static double bound_value(const tsi_taken *k, int64_t i)
{
    return tsi_expected_bound(k->expected, i);
}

static double error_value(const tsi_taken *k, int64_t i)
{
    return tsi_expected_error(k->expected, &k->answer, i);
}

static void int_list(tsi_text *t, const char *key, int n, const int64_t *v)
{
    tsi_text_format(t, ",\"%s\":[", key);
    for (int i = 0; i < n; i++)
        tsi_text_format(t, i ? ",%" PRId64 : "%" PRId64, v[i]);
    tsi_text_add(t, "]", 1);
}

static void describe(tsi_text *t, const tsi_taken *k, int64_t most)
{
    const tsi_answer *a = &k->answer;
    const tsi_expected *e = k->expected;

    tsi_text_format(t, "{\"name\":");
    tsi_text_json(t, k->name);
    tsi_text_format(t, ",\"class\":\"%s\",\"passed\":%s",
                    e ? e->digest                      ? "digest"
                        : e->class_ == TSI_CLASS_BOUND ? "bound"
                                                       : "exact"
                      : tsi_expect_kind_name(k->kind),
                    k->passed ? "true" : "false");
    if (k->is_tensor) {
        tsi_text_format(t, ",\"dtype\":\"%s\"", ts_dtype_name(a->dtype));
        int_list(t, "shape", a->ndim, a->sizes);
        int_list(t, "strides", a->ndim, a->strides);
        if (a->elements)
            numbers(t, "got", a->numel < most ? a->numel : most, digits_of(a->dtype), k,
                    got_value);
    }
    if (e && e->class_ != TSI_CLASS_DIGEST) {
        const int64_t n = e->numel < most ? e->numel : most;
        const bool comparable =
            k->is_tensor && a->dtype == e->dtype && a->numel == e->numel;

        /* A truth has more digits than its dtype; where it was met, three more will do. */
        int digits = most > SHOWN_ON_PASS ? 17 : digits_of(e->dtype) + 3;

        digits = digits > 17 ? 17 : digits;
        numbers(t, "expected", n, digits, k, expected_value);
        if (e->class_ == TSI_CLASS_BOUND) {
            numbers(t, "bound", n, 4, k, bound_value);
            tsi_text_format(t, ",\"used\":");
            tsi_text_number(t, e->used, 4);
        }
        if (comparable) {
            numbers(t, "error", n, 4, k, error_value);
            tsi_text_format(t, ",\"worst\":");
            tsi_text_number(t, k->worst, 4);
            tsi_text_format(t, ",\"worst_at\":%" PRId64, k->worst_at);
        }
    }
    tsi_text_add(t, "}", 1);
}

void tsi_describe_all(tsi_executor *x, bool passed, tsi_result *out)
{
    bool any = false;

    tsi_text_reset(&x->text);
    tsi_text_add(&x->text, "[", 1);
    for (int r = 0; r <= x->npeers; r++) {
        const tsi_executor *p = r ? x->peers[r - 1] : x;
        const tsi_run_record *run = out->variant == TSI_BASE ? &p->base : &p->other;

        for (int i = 0; i < run->count; i++, any = true) {
            if (any)
                tsi_text_add(&x->text, ",", 1);
            describe(&x->text, &run->taken[i], passed ? SHOWN_ON_PASS : SHOWN_ON_FAIL);
        }
    }
    tsi_text_add(&x->text, "]", 1);
    out->expect = tsi_text_take(&x->text);
}
