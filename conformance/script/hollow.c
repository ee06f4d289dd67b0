/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations that hold whatever a backend does (results/S5). */
#include <math.h>
#include <string.h>

#include "expect.h"

static bool same_expression(const tsi_node *a, const tsi_node *b);

static bool same_list(const tsi_node *a, const tsi_node *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (!same_expression(a->list[i], b->list[i]))
            return false;
    return true;
}

static bool same_constant(const tsi_value *a, const tsi_value *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == V_OP || a->kind == V_NATIVE || a->kind == V_MISSING)
        return a->callee == b->callee;
    return a->kind < V_DEF && tsi_equal(a, b);
}

/* Whether two expressions say the same; an optional part is NULL in both or in neither. */
static bool same_expression(const tsi_node *a, const tsi_node *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->kind != b->kind || a->op != b->op)
        return false;
    switch (a->kind) {
    case N_CONST:
        return same_constant(&a->value, &b->value);
    case N_GLOBAL:
    case N_LOCAL:
        return a->slot == b->slot;
    case N_ATTR:
        return strcmp(a->name, b->name) == 0 && same_expression(a->a, b->a);
    case N_CALL:
        if (a->keywords != b->keywords || !same_expression(a->a, b->a) ||
            !same_list(a, b))
            return false;
        for (int i = 0; i < a->keywords; i++)
            if (strcmp(a->names[i], b->names[i]) != 0)
                return false;
        return true;
    case N_SLICE:
        return same_expression(a->a, b->a) && same_expression(a->b, b->b) &&
               same_expression(a->c, b->c);
    case N_TUPLE:
    case N_LIST:
        return same_list(a, b);
    default:
        return same_expression(a->a, b->a) && same_expression(a->b, b->b);
    }
}

static bool is_name(const tsi_node *n)
{
    return n->kind == N_GLOBAL || n->kind == N_LOCAL;
}

/* `x.stride()` of the very x. */
static bool is_stride_of(const tsi_node *n, const tsi_node *x)
{
    return n->kind == N_CALL && n->count == 0 && n->a->kind == N_ATTR &&
           strcmp(n->a->name, "stride") == 0 && same_expression(n->a->a, x);
}

static bool is_among(const tsi_input *list, const ts_tensor *t)
{
    for (; list != NULL; list = list->next)
        if (list->tensor == t && !list->written)
            return true;
    return false;
}

/* What the program was given or wrote down, as it was then. */
static bool is_given(const tsi_interp *in, const tsi_value *v)
{
    if (v->kind != V_TENSOR || ts_version(v->t) != 0)
        return false;
    return is_among(in->inputs, v->t) || is_among(in->given, v->t);
}

static bool holds_itself(const tsi_value *value, const tsi_value *wanted)
{
    if (value->kind != V_TENSOR)
        return false;
    if (wanted->kind == V_TENSOR)
        return value->t == wanted->t;
    for (int i = 0; tsi_is_sequence(wanted) && i < wanted->o->n; i++)
        if (wanted->o->v[i].kind == V_TENSOR && wanted->o->v[i].t == value->t)
            return true;
    return false;
}

static const char *of_value(const tsi_interp *in, const tsi_node *call, tsi_native id,
                            const tsi_value *const *v)
{
    if (is_given(in, v[0]))
        return "what it looks at is what the program was given";
    if (tsi_is_literal(call->list[0]))
        return "what it looks at is written in the program";
    if (id != NATIVE_EXPECT && holds_itself(v[0], v[1]))
        return "it holds a tensor against itself";
    if (id != NATIVE_EXPECT && call->count > 1 &&
        same_expression(call->list[0], call->list[1]))
        return "it holds an expression against itself";
    if (id == NATIVE_EXPECT_CLOSE &&
        !(isfinite(tsi_number(v[2])) && isfinite(tsi_number(v[3]))))
        return "its tolerance is infinite";
    return NULL;
}

const char *tsi_hollow(const tsi_interp *in, tsi_native id, const tsi_value *const *v)
{
    const tsi_node *call = in->called;

    if (call == NULL || call->kind != N_CALL || call->count <= call->keywords)
        return NULL;
    switch (id) {
    case NATIVE_EXPECT:
    case NATIVE_EXPECT_EQUAL:
    case NATIVE_EXPECT_CLOSE:
    case NATIVE_EXPECT_ANY:
        return of_value(in, call, id, v);
    case NATIVE_EXPECT_VIEW_OF:
    case NATIVE_EXPECT_SAME:
        return call->count > 1 && is_name(call->list[0]) &&
                       same_expression(call->list[0], call->list[1])
                   ? "it holds a tensor against itself"
                   : NULL;
    case NATIVE_EXPECT_STRIDES:
        return call->count > 1 && is_stride_of(call->list[1], call->list[0])
                   ? "it holds strides against themselves"
                   : NULL;
    default:
        return NULL;
    }
}
