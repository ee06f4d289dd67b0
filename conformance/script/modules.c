/* SPDX-License-Identifier: Apache-2.0 */
/* The modules that this build has. */
#include "module.h"

#include <string.h>

extern const tsi_module tsi_module_accel, tsi_module_alloc, tsi_module_amp,
    tsi_module_dist, tsi_module_func, tsi_module_graph, tsi_module_profiler,
    tsi_module_random;

const tsi_module *const tsi_modules[] = {
    &tsi_module_accel,    &tsi_module_alloc,  &tsi_module_amp,
    &tsi_module_dist,     &tsi_module_func,   &tsi_module_graph,
    &tsi_module_profiler, &tsi_module_random, NULL,
};

const tsi_word *tsi_module_word_find(const char *name)
{
    for (int i = 0; tsi_modules[i]; i++)
        for (const tsi_word *w = tsi_modules[i]->words; w->s.name; w++)
            if (strcmp(w->s.name, name) == 0)
                return w;
    return NULL;
}

const tsi_module_method *tsi_module_method_find(const tsi_module_class *class_,
                                                const char *name)
{
    for (const tsi_module_method *m = class_->methods; m && m->s.name; m++)
        if (strcmp(m->s.name, name) == 0)
            return m;
    return NULL;
}

const tsi_constant *tsi_module_constant_find(const char *name)
{
    for (int i = 0; tsi_modules[i]; i++)
        for (const tsi_constant *c = tsi_modules[i]->constants; c && c->name; c++)
            if (strcmp(c->name, name) == 0)
                return c;
    return NULL;
}

ts_status tsi_modules_run_begin(tsi_interp *in)
{
    for (int i = 0; tsi_modules[i]; i++)
        if (tsi_modules[i]->run_begin)
            TS_TRY(tsi_modules[i]->run_begin(in));
    return TS_OK;
}

void tsi_modules_run_end(tsi_interp *in)
{
    for (int i = 0; tsi_modules[i]; i++)
        if (tsi_modules[i]->run_end)
            tsi_modules[i]->run_end(in);
}

ts_status tsi_module_object(tsi_interp *in, const tsi_module_class *class_, void *self,
                            tsi_value *out)
{
    const ts_status s = tsi_object_new(in, V_OBJECT, 0, out);

    if (s != TS_OK) {
        if (class_->destroy)
            class_->destroy(self);
        return s;
    }
    out->o->class_ = class_;
    out->o->self = self;
    return TS_OK;
}

void *tsi_module_self(const tsi_value *v, const tsi_module_class *class_)
{
    return v->kind == V_OBJECT && v->o->class_ == class_ ? v->o->self : NULL;
}
