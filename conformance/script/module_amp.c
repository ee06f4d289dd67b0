/* SPDX-License-Identifier: Apache-2.0 */
/* amp.*: regions of mixed precision (spec/areas/amp.md). */
#include <stdlib.h>

#include "module.h"
#include "touchstone/amp.h"

#include "words_amp.h"

typedef struct region {
    ts_autocast region, before;
} region;

static ts_status enter(tsi_interp *in, void *self, tsi_value *out)
{
    region *r = self;

    (void)in;
    (void)out;
    return ts_autocast_begin(&r->region, &r->before);
}

static ts_status leave(tsi_interp *in, void *self, ts_status body)
{
    region *r = self;

    (void)in;
    ts_autocast_end(&r->before);
    return body;
}

static const tsi_module_class region_class = {
    .name = "autocast", .destroy = free, .enter = enter, .leave = leave};

static ts_status device_type(const tsi_value *v, ts_device_type *out)
{
    ts_device d;
    const ts_status s = tsi_device_of(v, &d);

    if (s == TS_OK && d.type == TS_META)
        return ts_fail(TS_ERR_RUNTIME, "amp/C1", "autocast: meta has no lists");
    if (s != TS_OK)
        return ts_fail(TS_ERR_RUNTIME, "amp/C1", "autocast: there is no device '%.60s'",
                       v->kind == V_STR ? v->s : "");
    *out = d.type;
    return TS_OK;
}

static ts_status amp_autocast(tsi_interp *in, const tsi_value *self,
                              const tsi_value *const *v, tsi_value *out)
{
    ts_autocast a;
    region *r;

    (void)self;
    TS_TRY(device_type(v[0], &a.device));
    a = ts_autocast_now(a.device); /* S1, S9: what is not given is inherited */
    if (v[1] != NULL && v[1]->kind == V_DTYPE)
        a.dtype = v[1]->dtype;
    a.enabled = v[2] == NULL || v[2]->b;
    if (v[3] != NULL && v[3]->kind == V_BOOL)
        a.cache_enabled = v[3]->b;
    if (a.enabled && a.device == TS_CPU && a.dtype != TS_BFLOAT16 &&
        a.dtype != TS_FLOAT16) {
        ts_warn("amp/S13", "autocast: cpu regions know bfloat16 and float16, not %s; off",
                ts_dtype_name(a.dtype));
        a.enabled = false;
    }
    r = calloc(1, sizeof *r);
    if (r == NULL)
        return tsi_no_memory();
    r->region = a;
    return tsi_module_object(in, &region_class, r, out);
}

static ts_status state_of(const tsi_value *v, ts_autocast *out)
{
    ts_device_type device = TS_CPU; /* gcc -O3 does not see that it is always set */

    TS_TRY(device_type(v, &device));
    *out = ts_autocast_now(device);
    return TS_OK;
}

static ts_status torch_is_autocast_enabled(tsi_interp *in, const tsi_value *self,
                                           const tsi_value *const *v, tsi_value *out)
{
    ts_autocast a;

    (void)in;
    (void)self;
    TS_TRY(state_of(v[0], &a));
    *out = tsi_bool(a.enabled);
    return TS_OK;
}

static ts_status torch_get_autocast_dtype(tsi_interp *in, const tsi_value *self,
                                          const tsi_value *const *v, tsi_value *out)
{
    ts_autocast a;

    (void)in;
    (void)self;
    TS_TRY(state_of(v[0], &a));
    *out = (tsi_value){.kind = V_DTYPE, .dtype = a.dtype};
    return TS_OK;
}

const tsi_module tsi_module_amp = {.words = words};
