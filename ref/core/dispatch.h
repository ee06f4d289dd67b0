/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of the one dispatch point,
 * and where each hands down (ref/core and ref/grad only). */
#ifndef TSI_DISPATCH_H
#define TSI_DISPATCH_H

#include "core/core.h"

/*
 * Layers from the top. A call enters at the highest layer whose bit is on in the thread's
 * mask; a layer handles the frame and passes down with tsi_call_below(its own id, f).
 */
typedef enum tsi_layer {
    TSI_LAYER_PROFILER,
    TSI_LAYER_TRANSFORM, /* the stack of functional transforms: peels the top level */
    TSI_LAYER_TRACER,
    TSI_LAYER_AUTOCAST,
    TSI_LAYER_AUTOGRAD,
    TSI_LAYER_COUNT /* below: composite program, meta, or device kernel */
} tsi_layer;

typedef ts_status (*tsi_layer_fn)(ts_frame *f);

void tsi_layer_set(tsi_layer layer, tsi_layer_fn fn); /* once, when the process starts */
unsigned tsi_layer_mask(void);                        /* this thread's */
unsigned tsi_layer_set_mask(unsigned mask);           /* returns the mask before */
ts_status tsi_call_below(tsi_layer layer, ts_frame *f);
/* A COMPOSITE op's program, for a layer that looks at programs as a whole. */
ts_status tsi_program_run(ts_frame *f);

/* The call in `f` as a kernel is given it; `c` points into the frame. */
void tsi_call_of(ts_kernel_call *c, ts_frame *f);
/* What a kernel returned, with a message where it serves the call not. */
ts_status tsi_kernel_status(const ts_frame *f, ts_device_type device, ts_status s);

#endif
