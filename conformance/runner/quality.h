/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tier above conformance: how near an op's results lie to the right ones. After each kernel
 * of a library the wide reference runs on the very same inputs, widened to float64, so that
 * nothing propagates; errors are counted by op and dtype. Only when asked for
 * (spec/areas/results.md, Quality).
 */
#ifndef TSI_QUALITY_H
#define TSI_QUALITY_H

#include <jansson.h>

#include "runner/judge.h"

/* Before any worker is there: room that all of them share. False: complained. */
bool tsi_quality_start(const tsi_options *o);
/* Put a measuring kernel before each of the backend's; `reference` gives the right answers. */
void tsi_quality_wrap(ts_backend *backend, const ts_backend *reference);
/* Every bit pattern of the half types through the elementwise ops, by whichever worker asks
 * first. */
void tsi_quality_ladder(ts_device_type device);
/* Which case the kernels called from now on belong to. */
void tsi_quality_case(const char *id);

/* One object an op and dtype, the worst first, with PyTorch's figures from quality.json in the
 * folder of `beside`, where that is. New reference. */
json_t *tsi_quality_rows(const char *beside);
/* The table; how many rows are beyond their page's limit. */
int tsi_quality_print(FILE *f, const json_t *rows);

#endif
