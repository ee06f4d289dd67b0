/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that outlive their call: numbers and strings in memory of the keeper. */
#include "core/value.h"

static size_t bytes_of(const ts_value *v)
{
    switch (v->kind) {
    case TS_ARG_INTS:
        return (size_t)v->ints.n * sizeof *v->ints.v;
    case TS_ARG_FLOATS:
        return (size_t)v->floats.n * sizeof *v->floats.v;
    case TS_ARG_BOOLS:
        return (size_t)v->bools.n * sizeof *v->bools.v;
    case TS_ARG_STRING:
        return v->string ? strlen(v->string) + 1 : 0;
    default:
        return 0;
    }
}

size_t tsi_value_room(const ts_value *v)
{
    return (bytes_of(v) + 15) / 16 * 16;
}

void tsi_value_keep(ts_value *v, char **at)
{
    const size_t bytes = bytes_of(v);
    void *to = *at;

    if (bytes == 0)
        return;
    memcpy(to,
           v->kind == TS_ARG_STRING ? (const void *)v->string : (const void *)v->ints.v,
           bytes); /* all lists begin with their pointer */
    if (v->kind == TS_ARG_STRING)
        v->string = to;
    else if (v->kind == TS_ARG_INTS)
        v->ints.v = to;
    else if (v->kind == TS_ARG_FLOATS)
        v->floats.v = to;
    else
        v->bools.v = to;
    *at += tsi_value_room(v);
}
