/* SPDX-License-Identifier: Apache-2.0 */
/* torch.Generator, and what torch says of the default one (spec/ops/random.md). */
#include <stdlib.h>

#include "module.h"
#include "touchstone/generator.h"
#include "touchstone/tensor.h"

static const tsi_module_class generator_class;

#include "words_random.h"

/* What the objects of one generator share: a method that gives its generator makes another
 * object of it. */
typedef struct holder {
    ts_generator *g;
    int objects;
    bool borrowed; /* the default one, which stays */
} holder;

static void generator_destroy(void *self)
{
    holder *h = self;

    if (--h->objects > 0)
        return;
    if (!h->borrowed)
        ts_generator_free(h->g);
    free(h);
}

static ts_status another(tsi_interp *in, holder *h, tsi_value *out)
{
    h->objects++;
    return tsi_module_object(in, &generator_class, h, out);
}

static ts_status hold(tsi_interp *in, ts_generator *g, bool borrowed, tsi_value *out)
{
    holder *h = g ? calloc(1, sizeof *h) : NULL;

    if (h == NULL) {
        if (!borrowed)
            ts_generator_free(g);
        return tsi_no_memory();
    }
    *h = (holder){.g = g, .borrowed = borrowed};
    return another(in, h, out);
}

ts_generator *tsi_module_generator(const tsi_value *v)
{
    const holder *h = tsi_module_self(v, &generator_class);

    return h ? h->g : NULL;
}

static ts_status state_of(ts_generator *g, tsi_value *out)
{
    const int64_t size = TS_GENERATOR_STATE_BYTES;
    ts_tensor *t;

    if (g == NULL)
        return tsi_no_memory();
    TS_TRY(ts_tensor_new((ts_device){TS_CPU, 0}, TS_UINT8, 1, &size, &t));
    ts_generator_state(g, t->data);
    *out = tsi_tensor_value(t);
    return TS_OK;
}

static ts_status put_state(ts_generator *g, const ts_tensor *t)
{
    TS_CHECK(t->dtype == TS_UINT8 && t->device.type == TS_CPU, TS_ERR_TYPE, "random/C17",
             "set_state: a state is a uint8 tensor of the cpu, not %s",
             ts_dtype_name(t->dtype));
    TS_CHECK(ts_is_contiguous(t), TS_ERR_RUNTIME, "random/C11",
             "set_state: a state is contiguous");
    return g ? ts_generator_set_state(g, t->data, t->numel) : tsi_no_memory();
}

/* --- Generator --- */

static ts_status Generator_manual_seed(tsi_interp *in, void *self,
                                       const tsi_value *const *v, tsi_value *out)
{
    holder *h = self;

    ts_generator_seed(h->g, (uint64_t)v[0]->i);
    return another(in, h, out);
}

static ts_status Generator_initial_seed(tsi_interp *in, void *self,
                                        const tsi_value *const *v, tsi_value *out)
{
    const holder *h = self;

    (void)in;
    (void)v;
    *out = tsi_int((int64_t)ts_generator_initial_seed(h->g));
    return TS_OK;
}

static ts_status Generator_get_state(tsi_interp *in, void *self,
                                     const tsi_value *const *v, tsi_value *out)
{
    const holder *h = self;

    (void)in;
    (void)v;
    return state_of(h->g, out);
}

static ts_status Generator_set_state(tsi_interp *in, void *self,
                                     const tsi_value *const *v, tsi_value *out)
{
    holder *h = self;

    TS_TRY(put_state(h->g, v[0]->t));
    return another(in, h, out);
}

static ts_status Generator_device(tsi_interp *in, void *self, tsi_value *out)
{
    const holder *h = self;

    (void)in;
    *out = (tsi_value){.kind = V_DEVICE, .device = h->g->device};
    return TS_OK;
}

static const tsi_module_class generator_class = {.name = "Generator",
                                                 .destroy = generator_destroy,
                                                 .methods = Generator_methods,
                                                 .attributes = Generator_attributes};

/* --- torch --- */

static ts_status torch_Generator(tsi_interp *in, const tsi_value *self,
                                 const tsi_value *const *v, tsi_value *out)
{
    ts_device device = {TS_CPU, 0};
    ts_generator *g;

    (void)self;
    if (v[0] != NULL)
        TS_TRY(tsi_device_of(v[0], &device));
    TS_TRY(ts_generator_new(device, &g));
    return hold(in, g, false, out);
}

static ts_status torch_manual_seed(tsi_interp *in, const tsi_value *self,
                                   const tsi_value *const *v, tsi_value *out)
{
    ts_generator *g = ts_default_generator();

    (void)self;
    if (g != NULL)
        ts_generator_seed(g, (uint64_t)v[0]->i);
    return hold(in, g, true, out);
}

static ts_status torch_initial_seed(tsi_interp *in, const tsi_value *self,
                                    const tsi_value *const *v, tsi_value *out)
{
    const ts_generator *g = ts_default_generator();

    (void)in;
    (void)self;
    (void)v;
    if (g == NULL)
        return tsi_no_memory();
    *out = tsi_int((int64_t)ts_generator_initial_seed(g));
    return TS_OK;
}

static ts_status torch_get_rng_state(tsi_interp *in, const tsi_value *self,
                                     const tsi_value *const *v, tsi_value *out)
{
    (void)in;
    (void)self;
    (void)v;
    return state_of(ts_default_generator(), out);
}

static ts_status torch_set_rng_state(tsi_interp *in, const tsi_value *self,
                                     const tsi_value *const *v, tsi_value *out)
{
    (void)in;
    (void)self;
    (void)out;
    return put_state(ts_default_generator(), v[0]->t);
}

/* Every run draws the same numbers: golden data is made with this seed. */
static ts_status run_begin(tsi_interp *in)
{
    ts_generator *g = ts_default_generator();

    (void)in;
    if (g == NULL)
        return tsi_no_memory();
    ts_generator_seed(g, 0);
    return TS_OK;
}

const tsi_module tsi_module_random = {.words = words, .run_begin = run_begin};
