/* SPDX-License-Identifier: Apache-2.0 */
/* Values against literals and records. */
#include "expect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool tsi_same_value(const tsi_value *a, const tsi_value *b)
{
    if (tsi_is_sequence(a) && tsi_is_sequence(b)) {
        if (a->o->n != b->o->n)
            return false;
        for (int i = 0; i < a->o->n; i++)
            if (!tsi_same_value(&a->o->v[i], &b->o->v[i]))
                return false;
        return true;
    }
    if (tsi_is_number(a) && tsi_is_number(b)) {
        if (a->kind != b->kind)
            return false;
        if (a->kind == V_FLOAT)
            return (isnan(a->f) && isnan(b->f)) ||
                   (a->f == b->f && signbit(a->f) == signbit(b->f));
    }
    return tsi_equal(a, b);
}

/* A tensor's elements against a tensor of the same shape; both on cpu. `rtol` below 0:
 * bits. */
static bool same_elements(const ts_tensor *a, const ts_tensor *b, double rtol,
                          double atol)
{
    int64_t index[TS_MAX_DIMS] = {0};

    if (a->ndim != b->ndim)
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->sizes[d] != b->sizes[d])
            return false;
    for (int64_t i = 0; i < a->numel; i++) {
        const tsi_value x = tsi_element(a, index), y = tsi_element(b, index);

        if (rtol < 0 && !tsi_same_value(&x, &y))
            return false;
        if (rtol >= 0 && !tsi_same_value(&x, &y)) {
            const double p = tsi_number(&x), q = tsi_number(&y);

            if (!(isnan(p) && isnan(q)) && !(p == q) &&
                !(isfinite(p) && isfinite(q) && fabs(p - q) <= atol + rtol * fabs(q)))
                return false;
        }
        for (int d = a->ndim - 1; d >= 0; d--) {
            if (++index[d] < a->sizes[d])
                break;
            index[d] = 0;
        }
    }
    return true;
}

ts_status tsi_matches(tsi_interp *in, const tsi_value *value, const tsi_value *want,
                      double rtol, double atol, bool *same)
{
    const ts_device cpu = {TS_CPU, 0};
    ts_tensor *host, *wanted;
    ts_status s;

    if (value->kind != V_TENSOR) {
        *same = tsi_same_value(value, want);
        if (!*same && rtol >= 0 && tsi_is_number(value) && tsi_is_number(want)) {
            const double p = tsi_number(value), q = tsi_number(want);

            *same = p == q || (isnan(p) && isnan(q)) ||
                    (isfinite(p) && isfinite(q) && fabs(p - q) <= atol + rtol * fabs(q));
        }
        return TS_OK;
    }
    *same = false;
    if (want->kind != V_TENSOR && !tsi_is_sequence(want) && !tsi_is_number(want))
        return TS_OK;
    TS_TRY(tsi_on_host(in, value->t, &host));
    if (want->kind == V_TENSOR) {
        s = tsi_on_host(in, want->t, &wanted);
        *same = s == TS_OK && wanted->dtype == host->dtype;
    } else {
        s = tsi_tensor_of(in, want, host->dtype, cpu, &wanted);
        *same = s == TS_OK;
    }
    if (s == TS_OK) {
        *same = *same && same_elements(host, wanted, rtol, atol);
        ts_release(wanted);
    }
    ts_release(host);
    if (s == TS_ERR_UNSUPPORTED || s == TS_ERR_OUT_OF_MEMORY)
        return s;
    return TS_OK; /* a literal that the dtype cannot hold is not equal to anything of it
                   */
}

ts_status tsi_compared(tsi_interp *in, tsi_expect_kind kind, const char *name,
                       const tsi_value *value, const tsi_value *want, bool same)
{
    char reason[900], got[400], wanted[400];

    if (!same)
        snprintf(reason, sizeof reason, "expected %s, got %s",
                 tsi_text(want, wanted, sizeof wanted), tsi_text(value, got, sizeof got));
    return tsi_decided(in, kind, name, same, reason,
                       value->kind == V_TENSOR ? value->t : NULL);
}

bool tsi_same_json(const tsi_value *v, const json_t *j)
{
    char text[80];

    switch (v->kind) {
    case V_NONE:
        return json_is_null(j);
    case V_BOOL:
        return json_is_boolean(j) && json_is_true(j) == v->b;
    case V_INT:
        return json_is_integer(j) && json_integer_value(j) == v->i;
    case V_FLOAT:
        if (json_is_string(j)) {
            const char *s = json_string_value(j);

            return strcmp(s, isnan(v->f)         ? "nan"
                             : v->f == INFINITY  ? "inf"
                             : v->f == -INFINITY ? "-inf"
                                                 : "") == 0;
        }
        return json_is_real(j) && json_real_value(j) == v->f &&
               signbit(json_real_value(j)) == signbit(v->f);
    case V_TUPLE:
    case V_LIST:
        if (!json_is_array(j) || json_array_size(j) != (size_t)v->o->n)
            return false;
        for (int i = 0; i < v->o->n; i++)
            if (!tsi_same_json(&v->o->v[i], json_array_get(j, (size_t)i)))
                return false;
        return true;
    case V_STR:
        return json_is_string(j) && strcmp(json_string_value(j), v->s) == 0;
    default:
        return json_is_string(j) &&
               strcmp(json_string_value(j), tsi_text(v, text, sizeof text)) == 0;
    }
}
