/* SPDX-License-Identifier: Apache-2.0 */
/* dist and fc: process groups and collectives (spec/areas/dist.md). A group is an object,
 * dist.group.WORLD or None the world, and the number -100 "this rank is no member". */
#include <ctype.h>
#include <string.h>

#include "module.h"

enum { WORLD = -101, NO_MEMBER = -100, MOST_RANKS = 64 };

#include "words_dist.h"

static const tsi_module_class group_class = {.name = "ProcessGroup"};

/* --- works --- */

static void work_destroy(void *self)
{
    ts_work_release(self);
}

static ts_status Work_wait(tsi_interp *in, void *self, const tsi_value *const *v,
                           tsi_value *out)
{
    (void)v;
    (void)in;
    TS_TRY(ts_work_wait(self));
    *out = tsi_bool(true);
    return TS_OK;
}

static ts_status Work_is_completed(tsi_interp *in, void *self, const tsi_value *const *v,
                                   tsi_value *out)
{
    (void)v;
    (void)in;
    *out = tsi_bool(ts_work_is_completed(self));
    return TS_OK;
}

static const tsi_module_class work_class = {
    .name = "Work", .destroy = work_destroy, .methods = Work_methods};

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

static void note_written(tsi_input *list, int n, ts_tensor *const *written)
{
    for (tsi_input *i = list; i; i = i->next)
        for (int k = 0; k < n; k++)
            i->written |= ts_tensor_storage(i->tensor) == ts_tensor_storage(written[k]);
}

static ts_status finish(tsi_interp *in, int n, ts_tensor *const *written, const ending *e,
                        tsi_value *out)
{
    note_written(in->inputs, n, written);
    note_written(in->given, n, written);
    if (!e->work) {
        *out = tsi_none();
        return TS_OK;
    }
    return tsi_module_object(in, &work_class, e->work, out);
}

#define FUNCTION(name)                                           \
    static ts_status name(tsi_interp *in, const tsi_value *self, \
                          const tsi_value *const *v, tsi_value *out)

/* --- groups --- */

FUNCTION(dist_is_initialized)
{
    (void)in;
    (void)self;
    (void)v;
    *out = tsi_bool(ts_world_joined());
    return TS_OK;
}

static ts_status number(const tsi_value *v, ts_status (*get)(const ts_group *g, int *out),
                        tsi_value *out)
{
    ts_group *g;
    int n;

    TS_TRY(group_of(v, &g));
    TS_TRY(get(g, &n));
    *out = tsi_int(n);
    return TS_OK;
}

FUNCTION(dist_get_rank)
{
    (void)in;
    (void)self;
    return number(v[0], ts_group_rank, out);
}

FUNCTION(dist_get_world_size)
{
    (void)in;
    (void)self;
    return number(v[0], ts_group_size, out);
}

FUNCTION(dist_new_group)
{
    int64_t ranks[MOST_RANKS];
    ts_group *g;
    int n = 0;

    (void)self;
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

FUNCTION(dist_get_global_rank)
{
    (void)in;
    (void)self;
    return renumber("get_global_rank", v, ts_group_global_rank, out);
}

FUNCTION(dist_get_group_rank)
{
    (void)in;
    (void)self;
    return renumber("get_group_rank", v, ts_group_rank_of, out);
}

/* --- collectives --- */

FUNCTION(dist_all_reduce)
{
    ts_reduce_op op;
    ending e;

    (void)self;
    TS_TRY(ending_of(v[2], v[3], &e));
    TS_TRY(op_of(v[1], &op));
    TS_TRY(ts_all_reduce(v[0]->t, op, e.group, e.want));
    return finish(in, 1, &v[0]->t, &e, out);
}

FUNCTION(dist_broadcast)
{
    ending e;

    (void)self;
    TS_TRY(ending_of(v[2], v[3], &e));
    TS_TRY(ts_broadcast(v[0]->t, v[1]->i, e.group, e.want));
    return finish(in, 1, &v[0]->t, &e, out);
}

FUNCTION(dist_all_gather)
{
    ts_tensor *outs[MOST_RANKS];
    ending e;
    int n;

    (void)self;
    TS_TRY(tensors_of("all_gather", v[0], outs, &n));
    TS_TRY(ending_of(v[2], v[3], &e));
    TS_TRY(ts_all_gather(n, outs, v[1]->t, e.group, e.want));
    return finish(in, n, outs, &e, out);
}

FUNCTION(dist_all_gather_into_tensor)
{
    ending e;

    (void)self;
    TS_TRY(ending_of(v[2], v[3], &e));
    TS_TRY(ts_all_gather_into_tensor(v[0]->t, v[1]->t, e.group, e.want));
    return finish(in, 1, &v[0]->t, &e, out);
}

FUNCTION(dist_reduce_scatter)
{
    ts_tensor *ins[MOST_RANKS];
    ts_reduce_op op;
    ending e;
    int n;

    (void)self;
    TS_TRY(tensors_of("reduce_scatter", v[1], ins, &n));
    TS_TRY(ending_of(v[3], v[4], &e));
    TS_TRY(op_of(v[2], &op));
    TS_TRY(ts_reduce_scatter(v[0]->t, n, ins, op, e.group, e.want));
    return finish(in, 1, &v[0]->t, &e, out);
}

FUNCTION(dist_reduce_scatter_tensor)
{
    ts_reduce_op op;
    ending e;

    (void)self;
    TS_TRY(ending_of(v[3], v[4], &e));
    TS_TRY(op_of(v[2], &op));
    TS_TRY(ts_reduce_scatter_tensor(v[0]->t, v[1]->t, op, e.group, e.want));
    return finish(in, 1, &v[0]->t, &e, out);
}

FUNCTION(dist_barrier)
{
    ending e;

    (void)self;
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
    ts_reduce_op op;
    ts_tensor *t;
    ts_group *g;

    (void)in;
    (void)self;
    TS_TRY(functional_group(v[2], &g));
    TS_TRY(functional_op(v[1], &op));
    TS_TRY(ts_fc_all_reduce(v[0]->t, op, g, &t));
    *out = tsi_tensor_value(t);
    return TS_OK;
}

FUNCTION(fc_all_gather_single)
{
    ts_tensor *t;
    ts_group *g;

    (void)in;
    (void)self;
    TS_TRY(functional_group(v[2], &g));
    TS_TRY(ts_fc_all_gather(v[0]->t, v[1]->i, g, &t));
    *out = tsi_tensor_value(t);
    return TS_OK;
}

FUNCTION(fc_reduce_scatter_single)
{
    ts_reduce_op op;
    ts_tensor *t;
    ts_group *g;

    (void)in;
    (void)self;
    TS_TRY(functional_group(v[3], &g));
    TS_TRY(functional_op(v[1], &op));
    TS_TRY(ts_fc_reduce_scatter(v[0]->t, op, v[2]->i, g, &t));
    *out = tsi_tensor_value(t);
    return TS_OK;
}

FUNCTION(fc_wait_tensor)
{

    (void)in;
    (void)self;
    *out = tsi_retain(*v[0]);
    return TS_OK;
}

const tsi_module tsi_module_dist = {.words = words, .constants = constants};
