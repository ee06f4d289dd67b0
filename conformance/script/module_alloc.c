/* SPDX-License-Identifier: Apache-2.0 */
/* accel's memory: what torch.cuda says of its caching allocator (spec/areas/allocator.md). */
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "touchstone/alloc.h"

#include "words_alloc.h"

#define ENTRIES 12

/* A dict with fixed keys. */
typedef struct dict {
    int n;
    const char *keys[ENTRIES];
    tsi_value values[ENTRIES];
} dict;

/* Of the device that an argument names. */
static ts_status allocator_of(const char *name, const tsi_value *v, ts_alloc **out)
{
    int device;

    TS_TRY(tsi_module_device(name, v, &device));
    *out = ts_accel_allocator_of(device);
    TS_CHECK(*out, TS_ERR_RUNTIME, "tensors/C9", "there is no accelerator with memory");
    return TS_OK;
}

/* The key, or NULL: an error that no_key tells. */
static const char *key_of(const tsi_value *index)
{
    return index->kind == V_STR ? index->s : NULL;
}

static ts_status no_key(const tsi_value *index, const char *key)
{
    TS_CHECK(key, TS_ERR_TYPE, "case_language/C5",
             "a dict's keys are strings here, not '%s'", tsi_kind_name(index));
    return ts_fail(TS_ERR_INDEX, "case_language/C5", "there is no key '%s'", key);
}

/* --- dicts --- */

static void dict_destroy(void *self)
{
    dict *d = self;

    for (int i = 0; i < d->n; i++)
        tsi_release(d->values[i]);
    free(d);
}

static ts_status dict_item(tsi_interp *in, void *self, const tsi_value *index,
                           tsi_value *out)
{
    const dict *d = self;
    const char *key = key_of(index);

    (void)in;
    for (int i = 0; key && i < d->n; i++)
        if (strcmp(d->keys[i], key) == 0) {
            *out = tsi_retain(d->values[i]);
            return TS_OK;
        }
    return no_key(index, key);
}

static const tsi_module_class dict_class = {
    .name = "dict", .destroy = dict_destroy, .item = dict_item};

static void put(dict *d, const char *key, tsi_value v) /* takes v */
{
    d->keys[d->n] = key;
    d->values[d->n++] = v;
}

static ts_status dict_new(tsi_interp *in, dict **out, tsi_value *value)
{
    *out = calloc(1, sizeof **out);
    TS_CHECK(*out, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a dict");
    return tsi_module_object(in, &dict_class, *out, value);
}

static ts_status stats_item(tsi_interp *in, void *self, const tsi_value *index,
                            tsi_value *out)
{
    const char *key = key_of(index);
    const int i = key ? ts_memory_stat_find(key) : -1;

    (void)in;
    if (i < 0)
        return no_key(index, key);
    *out = tsi_int(((const int64_t *)self)[i]);
    return TS_OK;
}

static const tsi_module_class stats_class = {
    .name = "dict", .destroy = free, .item = stats_item};

static ts_status accel_memory_stats(tsi_interp *in, const tsi_value *self,
                                    const tsi_value *const *v, tsi_value *out)
{
    int64_t *values;
    ts_alloc *a;

    (void)self;
    TS_TRY(allocator_of("memory_stats", v[0], &a));
    values = malloc(TS_MEMORY_STATS * sizeof *values);
    TS_CHECK(values, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for the statistics");
    ts_alloc_stats(a, values);
    return tsi_module_object(in, &stats_class, values, out);
}

/* --- single numbers --- */

static ts_status number(const char *name, const tsi_value *device, const char *key,
                        tsi_value *out)
{
    int64_t values[TS_MEMORY_STATS];
    ts_alloc *a;

    TS_TRY(allocator_of(name, device, &a));
    ts_alloc_stats(a, values);
    *out = tsi_int(values[ts_memory_stat_find(key)]);
    return TS_OK;
}

#define NUMBER(name, key)                                            \
    static ts_status name(tsi_interp *in, const tsi_value *self,     \
                          const tsi_value *const *v, tsi_value *out) \
    {                                                                \
        (void)in;                                                    \
        (void)self;                                                  \
        return number(&#name[sizeof "accel"], v[0], key, out);       \
    }

NUMBER(accel_memory_allocated, "allocated_bytes.all.current")
NUMBER(accel_max_memory_allocated, "allocated_bytes.all.peak")
NUMBER(accel_memory_reserved, "reserved_bytes.all.current")
NUMBER(accel_max_memory_reserved, "reserved_bytes.all.peak")

/* --- the snapshot --- */

static ts_status block_list(tsi_interp *in, const ts_memory_segment *s, tsi_value *out)
{
    TS_TRY(tsi_object_new(in, V_LIST, (int)s->block_count, out));
    for (size_t i = 0; i < s->block_count; i++) {
        const ts_memory_block *b = &s->blocks[i];
        tsi_value v;
        dict *d;

        TS_TRY(dict_new(in, &d, &v));
        put(d, "address", tsi_int((int64_t)b->address));
        put(d, "size", tsi_int((int64_t)b->size));
        put(d, "requested_size", tsi_int((int64_t)b->requested));
        put(d, "state", (tsi_value){.kind = V_STR, .s = ts_block_state_name(b->state)});
        TS_TRY(tsi_append(in, out->o, v));
    }
    return TS_OK;
}

static ts_status segment_list(tsi_interp *in, const ts_memory_snapshot *all,
                              tsi_value *out)
{
    TS_TRY(tsi_object_new(in, V_LIST, (int)all->segment_count, out));
    for (size_t i = 0; i < all->segment_count; i++) {
        const ts_memory_segment *s = &all->segments[i];
        const int64_t pool[2] = {(int64_t)s->pool.capture, (int64_t)s->pool.user};
        tsi_value v, blocks, id;
        dict *d;

        TS_TRY(dict_new(in, &d, &v));
        TS_TRY(tsi_append(in, out->o, v));
        TS_TRY(tsi_int_tuple(in, 2, pool, &id));
        put(d, "segment_pool_id", id);
        put(d, "address", tsi_int((int64_t)s->address));
        put(d, "total_size", tsi_int((int64_t)s->total));
        put(d, "allocated_size", tsi_int((int64_t)s->allocated));
        put(d, "active_size", tsi_int((int64_t)s->active));
        put(d, "requested_size", tsi_int((int64_t)s->requested));
        put(d, "stream", tsi_int(s->stream));
        put(d, "segment_type",
            (tsi_value){.kind = V_STR, .s = s->small ? "small" : "large"});
        put(d, "is_expandable", tsi_bool(false));
        TS_TRY(block_list(in, s, &blocks));
        put(d, "blocks", blocks);
    }
    return TS_OK;
}

static ts_status accel_memory_snapshot(tsi_interp *in, const tsi_value *self,
                                       const tsi_value *const *v, tsi_value *out)
{
    ts_memory_snapshot *all;
    ts_status s;
    ts_alloc *a;

    (void)v;
    (void)self;
    TS_TRY(allocator_of("memory_snapshot", NULL, &a));
    TS_TRY(ts_alloc_snapshot(a, &all));
    s = segment_list(in, all, out);
    ts_memory_snapshot_free(all);
    return s;
}

/* --- calls --- */

static ts_status accel_empty_cache(tsi_interp *in, const tsi_value *self,
                                   const tsi_value *const *v, tsi_value *out)
{
    ts_alloc *a;

    (void)v;
    (void)in;
    (void)self;
    (void)out;
    for (int i = 0; i < ts_accel_device_count(); i++) { /* PyTorch empties them all */
        a = ts_accel_allocator_of(i);
        if (a)
            TS_TRY(ts_alloc_empty_cache(a));
    }
    return TS_OK;
}

#define RESET(name, call)                                            \
    static ts_status name(tsi_interp *in, const tsi_value *self,     \
                          const tsi_value *const *v, tsi_value *out) \
    {                                                                \
        ts_alloc *a;                                                 \
                                                                     \
        (void)in;                                                    \
        (void)self;                                                  \
        (void)out;                                                   \
        TS_TRY(allocator_of(&#name[sizeof "accel"], v[0], &a));      \
        call(a);                                                     \
        return TS_OK;                                                \
    }

RESET(accel_reset_peak_memory_stats, ts_alloc_reset_peak)
RESET(accel_reset_accumulated_memory_stats, ts_alloc_reset_accumulated)

static ts_status accel_set_per_process_memory_fraction(tsi_interp *in,
                                                       const tsi_value *self,
                                                       const tsi_value *const *v,
                                                       tsi_value *out)
{
    ts_alloc *a;

    (void)in;
    (void)self;
    (void)out;
    TS_CHECK(v[0]->kind == V_FLOAT, TS_ERR_TYPE, "allocator/C6",
             "set_per_process_memory_fraction: fraction is a float, not '%s'",
             tsi_kind_name(v[0]));
    TS_TRY(allocator_of("set_per_process_memory_fraction", v[1], &a));
    return ts_alloc_set_memory_fraction(a, tsi_number(v[0]));
}

static ts_status accel_get_per_process_memory_fraction(tsi_interp *in,
                                                       const tsi_value *self,
                                                       const tsi_value *const *v,
                                                       tsi_value *out)
{
    ts_alloc *a;

    (void)in;
    (void)self;
    TS_TRY(allocator_of("get_per_process_memory_fraction", v[0], &a));
    *out = (tsi_value){.kind = V_FLOAT, .f = ts_alloc_memory_fraction(a)};
    return TS_OK;
}

static ts_status accel_caching_allocator_alloc(tsi_interp *in, const tsi_value *self,
                                               const tsi_value *const *v, tsi_value *out)
{
    ts_devptr p;
    ts_alloc *a;
    int device;

    (void)in;
    (void)self;
    TS_TRY(tsi_module_device("caching_allocator_alloc", v[1], &device));
    TS_TRY(allocator_of("caching_allocator_alloc", v[1], &a));
    TS_TRY(ts_alloc_malloc(a, (size_t)v[0]->i, ts_stream_current_of(device), &p));
    *out = tsi_int((int64_t)p);
    return TS_OK;
}

static ts_status accel_caching_allocator_delete(tsi_interp *in, const tsi_value *self,
                                                const tsi_value *const *v, tsi_value *out)
{
    const tsi_value last = tsi_int(ts_accel_device_count() - 1);
    ts_alloc *a;

    (void)in;
    (void)self;
    (void)out;
    for (int i = 0; i + 1 < ts_accel_device_count(); i++) { /* whosever it is */
        a = ts_accel_allocator_of(i);
        if (a && ts_alloc_free(a, (ts_devptr)v[0]->i) == TS_OK)
            return TS_OK;
        ts_error_clear();
    }
    TS_TRY(allocator_of("caching_allocator_delete", &last, &a));
    return ts_alloc_free(a, (ts_devptr)v[0]->i);
}

/* A case about memory starts with none: nothing cached, no limit, all counts at zero. */
static ts_status run_begin(tsi_interp *in)
{
    ts_alloc *a;

    if (!tsi_case_needs(in->c, "accel") || in->options->device.type != TS_ACCEL)
        return TS_OK;
    for (int i = 0; i < ts_accel_device_count(); i++) {
        const tsi_value device = tsi_int(i);

        TS_TRY(allocator_of("a run", &device, &a));
        TS_TRY(ts_alloc_set_memory_fraction(a, 1));
        TS_TRY(ts_alloc_empty_cache(a));
        ts_alloc_reset_accumulated(a);
        ts_alloc_reset_peak(a);
    }
    return TS_OK;
}

const tsi_module tsi_module_alloc = {.words = words, .run_begin = run_begin};
