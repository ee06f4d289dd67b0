/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules of the language: what accel, dist, amp and profiler offer beside ops. A module
 * is a file `module_<name>.c` with one tsi_module, listed in modules.c, and a stub of its
 * words, words/<name>.pyi; the parser, calls, attributes and `with` know nothing else.
 */
#ifndef TSI_MODULE_H
#define TSI_MODULE_H

#include "interp.h"

typedef struct tsi_module_method {
    tsi_signature s;
    ts_status (*call)(tsi_interp *in, void *self, const tsi_value *const *v,
                      tsi_value *out);
} tsi_module_method;

typedef struct tsi_module_attribute {
    const char *name;
    ts_status (*get)(tsi_interp *in, void *self, tsi_value *out);
} tsi_module_attribute;

/* The class of an object that a module's functions make. Any entry but `name` may be
 * NULL. */
typedef struct tsi_module_class {
    const char *name; /* "Stream" */
    void (*destroy)(void *self);
    const tsi_module_method *methods;       /* ends with a NULL name */
    const tsi_module_attribute *attributes; /* the same */
    /* `with o as x`: *out is x, none at the call. `leave` runs however the body ended;
     * `body` says how, and what leave returns is how the statement ends. */
    ts_status (*enter)(tsi_interp *in, void *self, tsi_value *out);
    ts_status (*leave)(tsi_interp *in, void *self, ts_status body);
    ts_status (*item)(tsi_interp *in, void *self, const tsi_value *index,
                      tsi_value *out); /* o[index] */
    ts_status (*call)(tsi_interp *in, void *self, tsi_args *args,
                      tsi_value *out); /* o(…) */
} tsi_module_class;

typedef struct tsi_module {
    const tsi_word *words;                  /* ends with a NULL name */
    const tsi_constant *constants;          /* the same; may be NULL */
    ts_status (*run_begin)(tsi_interp *in); /* make every run start alike; may be NULL */
    void (*run_end)(tsi_interp *in); /* put back what a run may have left; may be NULL */
} tsi_module;

extern const tsi_module *const tsi_modules[]; /* ends with NULL */

const tsi_word *tsi_module_word_find(const char *name);
const tsi_constant *tsi_module_constant_find(const char *name);
/* The method of that name, or NULL. */
const tsi_module_method *tsi_module_method_find(const tsi_module_class *class_,
                                                const char *name);
ts_status tsi_modules_run_begin(tsi_interp *in);
void tsi_modules_run_end(tsi_interp *in);

/* A value that holds `self`; class_->destroy(self) runs with the last reference, or now
 * on error. */
ts_status tsi_module_object(tsi_interp *in, const tsi_module_class *class_, void *self,
                            tsi_value *out);
/* self of an object of that class, or NULL. */
void *tsi_module_self(const tsi_value *v, const tsi_module_class *class_);
/* The stream of an accel.Stream, or NULL; borrowed. */
struct ts_stream *tsi_module_stream(const tsi_value *v);
/* The generator of a torch.Generator, or NULL; borrowed. */
ts_generator *tsi_module_generator(const tsi_value *v);
/* An accelerator there is, of an index, "accel:1" or a torch.device; NULL, None and
 * "accel" are the current one. */
ts_status tsi_module_device(const char *name, const tsi_value *v, int *out);

#endif
