/* SPDX-License-Identifier: Apache-2.0 */
/* dist and fc: process groups and collectives (spec/areas/dist.md). A group is an object,
 * dist.group.WORLD or None the world, and the number -100 "this rank is no member". */
#include <ctype.h>
#include <string.h>

#include "module.h"

#define TENSOR TSI_KIND_BIT(V_TENSOR)
#define LIST (TSI_KIND_BIT(V_LIST) | TSI_KIND_BIT(V_TUPLE))
#define INT TSI_KIND_BIT(V_INT)
#define STR TSI_KIND_BIT(V_STR)
#define BOOL TSI_KIND_BIT(V_BOOL)
#define GROUP (TSI_KIND_BIT(V_NONE) | TSI_KIND_BIT(V_OBJECT) | INT)

enum { WORLD = -101, NO_MEMBER = -100, MOST_RANKS = 64 };

static const tsi_module_class group_class = {.name = "ProcessGroup"};

/* --- works --- */

static void work_destroy(void *self)
{
    ts_work_release(self);
}

static ts_status work_wait(tsi_interp *in, void *self, tsi_args *args, tsi_value *out)
{
    (void)in;
    TS_TRY(tsi_sort_args("wait", args, NULL, 0, NULL));
    TS_TRY(ts_work_wait(self));
    *out = tsi_bool(true);
    return TS_OK;
}

static ts_status work_is_completed(tsi_interp *in, void *self, tsi_args *args,
                                   tsi_value *out)
{
    (void)in;
    TS_TRY(tsi_sort_args("is_completed", args, NULL, 0, NULL));
    *out = tsi_bool(ts_work_is_completed(self));
    return TS_OK;
}

static const tsi_module_method work_methods[] = {
    {"wait", work_wait}, {"is_completed", work_is_completed}, {NULL, NULL}};

static const tsi_module_class work_class = {
    .name = "Work", .destroy = work_destroy, .methods = work_methods};

/* --- arguments --- */

static ts_status group_of(const tsi_value *v, ts_group **out)
{
    *out = NULL;
    if (!v || v->kind == V_NONE || (v->kind == V_INT && v->i == WORLD))
        return TS_OK;
    if (v->kind == V_INT && v->i == NO_MEMBER) {
        *out = ts_group_no_member();
        return TS_OK;
    }
    *out = tsi_module_self(v, &group_class);
    TS_CHECK(*out, TS_ERR_TYPE, "errors/C2", "a group is wanted, not '%s'",
             tsi_kind_name(v));
    return TS_OK;
}

static ts_status op_of(const tsi_value *v, ts_reduce_op *out)
{
    *out = v ? (ts_reduce_op)v->i : TS_REDUCE_SUM;
    TS_CHECK(*out >= 0 && *out < TS_REDUCE_COUNT, TS_ERR_RUNTIME, "dist/C10",
             "%d is no reduce op", (int)*out);
    return TS_OK;
}

static ts_status tensors_of(const char *name, const tsi_value *v, ts_tensor **out, int *n)
{
    *n = v->o->n;
    TS_CHECK(*n <= MOST_RANKS, TS_ERR_VALUE, "case_language/C8",
             "%s: more than %d tensors", name, MOST_RANKS);
    for (int i = 0; i < *n; i++) {
        TS_CHECK(v->o->v[i].kind == V_TENSOR, TS_ERR_TYPE, "errors/C2",
                 "%s: a list of tensors is wanted, element %d is '%s'", name, i,
                 tsi_kind_name(&v->o->v[i]));
        out[i] = v->o->v[i].t;
    }
    return TS_OK;
}

/* What a collective's call ends with: group and async_op. */
typedef struct ending {
    ts_group *group;
    ts_work *work, **want; /* &work with async_op=True */
} ending;

static ts_status ending_of(const tsi_value *group, const tsi_value *async, ending *out)
{
    *out = (ending){0};
    TS_TRY(group_of(group, &out->group));
    if (async && async->b)
        out->want = &out->work;
    return TS_OK;
}

static ts_status finish(tsi_interp *in, int n, ts_tensor *const *written, const ending *e,
                        tsi_value *out)
{
    for (tsi_input *i = in->inputs; i; i = i->next)
        for (int k = 0; k < n; k++)
            i->written |= ts_tensor_storage(i->tensor) == ts_tensor_storage(written[k]);
    if (!e->work) {
        *out = tsi_none();
        return TS_OK;
    }
    return tsi_module_object(in, &work_class, e->work, out);
}

#define FUNCTION(name)                                                           \
    static ts_status name(tsi_interp *in, const tsi_value *self, tsi_args *args, \
                          tsi_value *out)

/* --- groups --- */

FUNCTION(is_initialized)
{
    (void)in;
    (void)self;
    TS_TRY(tsi_sort_args("is_initialized", args, NULL, 0, NULL));
    *out = tsi_bool(ts_world_joined());
    return TS_OK;
}

static ts_status number(const char *name, tsi_args *args,
                        ts_status (*get)(const ts_group *g, int *out), tsi_value *out)
{
    static const tsi_param params[] = {{"group", GROUP, false}};
    const tsi_value *v[1];
    ts_group *g;
    int n;

    TS_TRY(tsi_sort_args(name, args, params, 1, v));
    TS_TRY(group_of(v[0], &g));
    TS_TRY(get(g, &n));
    *out = tsi_int(n);
    return TS_OK;
}

FUNCTION(get_rank)
{
    (void)in;
    (void)self;
    return number("get_rank", args, ts_group_rank, out);
}

FUNCTION(get_world_size)
{
    (void)in;
    (void)self;
    return number("get_world_size", args, ts_group_size, out);
}

FUNCTION(new_group)
{
    static const tsi_param params[] = {{"ranks", LIST | TSI_KIND_BIT(V_NONE), false}};
    int64_t ranks[MOST_RANKS];
    const tsi_value *v[1];
    ts_group *g;
    int n = 0;

    (void)self;
    TS_TRY(tsi_sort_args("new_group", args, params, 1, v));
    if (v[0] && v[0]->kind != V_NONE) {
        n = v[0]->o->n;
        TS_CHECK(n > 0 && n <= MOST_RANKS, TS_ERR_VALUE, "dist/C8",
                 "new_group: a group of %d ranks", n);
        for (int i = 0; i < n; i++) {
            TS_CHECK(v[0]->o->v[i].kind == V_INT, TS_ERR_TYPE, "errors/C2",
                     "new_group: ranks are integers, not '%s'",
                     tsi_kind_name(&v[0]->o->v[i]));
            ranks[i] = v[0]->o->v[i].i;
        }
    }
    TS_TRY(ts_group_new(n, ranks, &g));
    if (g == ts_group_no_member()) {
        *out = tsi_int(NO_MEMBER);
        return TS_OK;
    }
    return tsi_module_object(in, &group_class, g, out);
}

/* A rank's number there for its number here. None is no group where ranks are named. */
static ts_status renumber(const char *name, const tsi_value *const *v,
                          ts_status (*get)(const ts_group *g, int64_t rank, int64_t *out),
                          tsi_value *out)
{
    ts_group *g;
    int64_t n;

    TS_CHECK(v[0]->kind != V_NONE, TS_ERR_VALUE, "dist/C8", "%s: None is no group", name);
    TS_TRY(group_of(v[0], &g));
    TS_TRY(get(g, v[1]->i, &n));
    *out = tsi_int(n);
    return TS_OK;
}

FUNCTION(get_global_rank)
{
    static const tsi_param params[] = {{"group", GROUP, true}, {"group_rank", INT, true}};
    const tsi_value *v[2];

    (void)in;
    (void)self;
    TS_TRY(tsi_sort_args("get_global_rank", args, params, 2, v));
    return renumber("get_global_rank", v, ts_group_global_rank, out);
}

FUNCTION(get_group_rank)
{
    static const tsi_param params[] = {{"group", GROUP, true},
                                       {"global_rank", INT, true}};
    const tsi_value *v[2];

    (void)in;
    (void)self;
    TS_TRY(tsi_sort_args("get_group_rank", args, params, 2, v));
    return renumber("get_group_rank", v, ts_group_rank_of, out);
}

/* --- collectives --- */

FUNCTION(all_reduce)
{
    static const tsi_param params[] = {{"tensor", TENSOR, true},
                                       {"op", INT, false},
                                       {"group", GROUP, false},
                                       {"async_op", BOOL, false}};
    const tsi_value *v[4];
    ts_reduce_op op;
    ending e;

    (void)self;
    TS_TRY(tsi_sort_args("all_reduce", args, params, 4, v));
    TS_TRY(ending_of(v[2], v[3], &e));
    TS_TRY(op_of(v[1], &op));
    TS_TRY(ts_all_reduce(v[0]->t, op, e.group, e.want));
    return finish(in, 1, &v[0]->t, &e, out);
}

FUNCTION(broadcast)
{
    static const tsi_param params[] = {{"tensor", TENSOR, true},
                                       {"src", INT, true},
                                       {"group", GROUP, false},
                                       {"async_op", BOOL, false}};
    const tsi_value *v[4];
    ending e;

    (void)self;
    TS_TRY(tsi_sort_args("broadcast", args, params, 4, v));
    TS_TRY(ending_of(v[2], v[3], &e));
    TS_TRY(ts_broadcast(v[0]->t, v[1]->i, e.group, e.want));
    return finish(in, 1, &v[0]->t, &e, out);
}

FUNCTION(all_gather)
{
    static const tsi_param params[] = {{"tensor_list", LIST, true},
                                       {"tensor", TENSOR, true},
                                       {"group", GROUP, false},
                                       {"async_op", BOOL, false}};
    ts_tensor *outs[MOST_RANKS];
    const tsi_value *v[4];
    ending e;
    int n;

    (void)self;
    TS_TRY(tsi_sort_args("all_gather", args, params, 4, v));
    TS_TRY(tensors_of("all_gather", v[0], outs, &n));
    TS_TRY(ending_of(v[2], v[3], &e));
    TS_TRY(ts_all_gather(n, outs, v[1]->t, e.group, e.want));
    return finish(in, n, outs, &e, out);
}

FUNCTION(all_gather_into_tensor)
{
    static const tsi_param params[] = {{"output_tensor", TENSOR, true},
                                       {"input_tensor", TENSOR, true},
                                       {"group", GROUP, false},
                                       {"async_op", BOOL, false}};
    const tsi_value *v[4];
    ending e;

    (void)self;
    TS_TRY(tsi_sort_args("all_gather_into_tensor", args, params, 4, v));
    TS_TRY(ending_of(v[2], v[3], &e));
    TS_TRY(ts_all_gather_into_tensor(v[0]->t, v[1]->t, e.group, e.want));
    return finish(in, 1, &v[0]->t, &e, out);
}

FUNCTION(reduce_scatter)
{
    static const tsi_param params[] = {{"output", TENSOR, true},
                                       {"input_list", LIST, true},
                                       {"op", INT, false},
                                       {"group", GROUP, false},
                                       {"async_op", BOOL, false}};
    ts_tensor *ins[MOST_RANKS];
    const tsi_value *v[5];
    ts_reduce_op op;
    ending e;
    int n;

    (void)self;
    TS_TRY(tsi_sort_args("reduce_scatter", args, params, 5, v));
    TS_TRY(tensors_of("reduce_scatter", v[1], ins, &n));
    TS_TRY(ending_of(v[3], v[4], &e));
    TS_TRY(op_of(v[2], &op));
    TS_TRY(ts_reduce_scatter(v[0]->t, n, ins, op, e.group, e.want));
    return finish(in, 1, &v[0]->t, &e, out);
}

FUNCTION(reduce_scatter_tensor)
{
    static const tsi_param params[] = {{"output", TENSOR, true},
                                       {"input", TENSOR, true},
                                       {"op", INT, false},
                                       {"group", GROUP, false},
                                       {"async_op", BOOL, false}};
    const tsi_value *v[5];
    ts_reduce_op op;
    ending e;

    (void)self;
    TS_TRY(tsi_sort_args("reduce_scatter_tensor", args, params, 5, v));
    TS_TRY(ending_of(v[3], v[4], &e));
    TS_TRY(op_of(v[2], &op));
    TS_TRY(ts_reduce_scatter_tensor(v[0]->t, v[1]->t, op, e.group, e.want));
    return finish(in, 1, &v[0]->t, &e, out);
}

FUNCTION(barrier)
{
    static const tsi_param params[] = {{"group", GROUP, false},
                                       {"async_op", BOOL, false}};
    const tsi_value *v[2];
    ending e;

    (void)self;
    TS_TRY(tsi_sort_args("barrier", args, params, 2, v));
    TS_TRY(ending_of(v[0], v[1], &e));
    TS_TRY(ts_barrier(e.group, e.want));
    return finish(in, 0, NULL, &e, out);
}

/* --- functional --- */

static ts_status functional_op(const tsi_value *v, ts_reduce_op *out)
{
    static const char *const names[] = {"sum", "avg",  "product", "min",
                                        "max", "band", "bor",     "bxor"};
    char lower[16] = "";

    if (v->kind == V_INT)
        return op_of(v, out);
    for (size_t i = 0; i < sizeof lower - 1 && v->s[i]; i++)
        lower[i] = (char)tolower((unsigned char)v->s[i]);
    for (int k = 0; k < TS_REDUCE_COUNT; k++)
        if (strcmp(names[k], lower) == 0) {
            *out = (ts_reduce_op)k;
            return TS_OK;
        }
    return ts_fail(TS_ERR_RUNTIME, "dist/C10", "'%s' is no reduce op", v->s);
}

static ts_status functional_group(const tsi_value *v, ts_group **out)
{
    TS_CHECK(v->kind != V_NONE, TS_ERR_VALUE, "dist/C9",
             "a functional collective needs its group named: dist.group.WORLD for all");
    return group_of(v, out);
}

FUNCTION(fc_all_reduce)
{
    static const tsi_param params[] = {
        {"self", TENSOR, true}, {"reduceOp", STR | INT, true}, {"group", GROUP, true}};
    const tsi_value *v[3];
    ts_reduce_op op;
    ts_tensor *t;
    ts_group *g;

    (void)in;
    (void)self;
    TS_TRY(tsi_sort_args("all_reduce", args, params, 3, v));
    TS_TRY(functional_group(v[2], &g));
    TS_TRY(functional_op(v[1], &op));
    TS_TRY(ts_fc_all_reduce(v[0]->t, op, g, &t));
    *out = tsi_tensor_value(t);
    return TS_OK;
}

FUNCTION(fc_all_gather_single)
{
    static const tsi_param params[] = {
        {"self", TENSOR, true}, {"gather_dim", INT, true}, {"group", GROUP, true}};
    const tsi_value *v[3];
    ts_tensor *t;
    ts_group *g;

    (void)in;
    (void)self;
    TS_TRY(tsi_sort_args("all_gather_single", args, params, 3, v));
    TS_TRY(functional_group(v[2], &g));
    TS_TRY(ts_fc_all_gather(v[0]->t, v[1]->i, g, &t));
    *out = tsi_tensor_value(t);
    return TS_OK;
}

FUNCTION(fc_reduce_scatter_single)
{
    static const tsi_param params[] = {{"self", TENSOR, true},
                                       {"reduceOp", STR | INT, true},
                                       {"scatter_dim", INT, true},
                                       {"group", GROUP, true}};
    const tsi_value *v[4];
    ts_reduce_op op;
    ts_tensor *t;
    ts_group *g;

    (void)in;
    (void)self;
    TS_TRY(tsi_sort_args("reduce_scatter_single", args, params, 4, v));
    TS_TRY(functional_group(v[3], &g));
    TS_TRY(functional_op(v[1], &op));
    TS_TRY(ts_fc_reduce_scatter(v[0]->t, op, v[2]->i, g, &t));
    *out = tsi_tensor_value(t);
    return TS_OK;
}

FUNCTION(fc_wait_tensor)
{
    static const tsi_param params[] = {{"tensor", TENSOR, true}};
    const tsi_value *v[1];

    (void)in;
    (void)self;
    TS_TRY(tsi_sort_args("wait_tensor", args, params, 1, v));
    *out = tsi_retain(*v[0]);
    return TS_OK;
}

static const tsi_module_function functions[] = {
    {"dist.is_initialized", is_initialized},
    {"dist.get_rank", get_rank},
    {"dist.get_world_size", get_world_size},
    {"dist.get_global_rank", get_global_rank},
    {"dist.get_group_rank", get_group_rank},
    {"dist.new_group", new_group},
    {"dist.all_reduce", all_reduce},
    {"dist.broadcast", broadcast},
    {"dist.all_gather", all_gather},
    {"dist.all_gather_into_tensor", all_gather_into_tensor},
    {"dist.reduce_scatter", reduce_scatter},
    {"dist.reduce_scatter_tensor", reduce_scatter_tensor},
    {"dist.barrier", barrier},
    {"fc.all_reduce", fc_all_reduce},
    {"fc.all_gather_single", fc_all_gather_single},
    {"fc.reduce_scatter_single", fc_reduce_scatter_single},
    {"fc.wait_tensor", fc_wait_tensor},
    {NULL, NULL}};

static const tsi_module_constant constants[] = {
    {"dist.ReduceOp.SUM", TS_REDUCE_SUM},
    {"dist.ReduceOp.AVG", TS_REDUCE_AVG},
    {"dist.ReduceOp.PRODUCT", TS_REDUCE_PRODUCT},
    {"dist.ReduceOp.MIN", TS_REDUCE_MIN},
    {"dist.ReduceOp.MAX", TS_REDUCE_MAX},
    {"dist.ReduceOp.BAND", TS_REDUCE_BAND},
    {"dist.ReduceOp.BOR", TS_REDUCE_BOR},
    {"dist.ReduceOp.BXOR", TS_REDUCE_BXOR},
    {"dist.group.WORLD", WORLD},
    {NULL, 0}};

const tsi_module tsi_module_dist = {.functions = functions, .constants = constants};
