/* SPDX-License-Identifier: Apache-2.0 */
/* What a run writes: result files, and the console. */
#ifndef TSI_OUTPUT_H
#define TSI_OUTPUT_H

#include "runner/judge.h"
#include "runner/place.h"
#include "runner/text.h"

/* path NULL: nothing is opened, and closing does nothing; "-": stdout. `back`: as
 * tsi_place_open. False: complained. */
bool tsi_file_open(tsi_place *out, const char *path, bool back);
bool tsi_file_close(tsi_place *file, bool keep);

/* What a run came to. */
typedef struct tsi_summary {
    int cases, passed, failed;
    int64_t executions;
    int verdicts[TSI_VERDICT_COUNT];
    json_t *provenance,
        *levels; /* counts of PASS by provenance; verdict counts by level */
    int meta_ended;
    /* Of --graph: cases with work in graphs, those where an op waits, and how much it was;
     * without work; whose ops may give other bits each time. */
    int captured, cut, empty, uncompared;
    int64_t graphs, works;
    double seconds;
    const tsi_backend_info *info;
    const char *torch, *ended;
    json_t *quality; /* tsi_quality_rows, or NULL */
} tsi_summary;

void tsi_summary_add(tsi_summary *s, const tsi_item *item, const tsi_result *r);

/* One line of each format for one case. */
void tsi_json_case(FILE *f, tsi_text *t, const tsi_options *o, const tsi_item *item,
                   const tsi_result *r);
/* False: there is none, for lack of memory. */
bool tsi_json_summary(FILE *f, const tsi_options *o, const tsi_summary *s);
void tsi_junit_start(FILE *f);
void tsi_junit_case(FILE *f, tsi_text *t, const tsi_options *o, const tsi_item *item,
                    const tsi_result *r);
void tsi_junit_end(FILE *f, const tsi_summary *s);
void tsi_tap_start(FILE *f, int count);
void tsi_tap_case(FILE *f, tsi_text *t, int number, const tsi_options *o,
                  const tsi_item *item, const tsi_result *r);

/* The block that every failure prints. */
void tsi_print_failure(FILE *f, const tsi_options *o, const tsi_item *item,
                       const tsi_result *r);
void tsi_print_summary(FILE *f, const tsi_summary *s);

#endif
