/* SPDX-License-Identifier: Apache-2.0 */
/* A session's inside (ref/profile only). */
#ifndef TSI_RECORD_H
#define TSI_RECORD_H

#include "core/observe.h"

typedef struct tsi_block {
    struct tsi_block *next;
    size_t used, room;
    char bytes[];
} tsi_block;

struct ts_profile {
    ts_profile_options options;
    ts_profile_schedule schedule;
    ts_profile_action action;
    int64_t step, step_range;
    bool started, recorded; /* recorded: there is a trace, or one begins */

    /* the trace */
    ts_profile_event *events;
    size_t count, room;
    int64_t open; /* the innermost event under way, or -1 */
    int64_t thread;
    bool on, lost; /* lost: memory was short, and the trace is not whole */
    tsi_sink *sink;
    tsi_block *blocks; /* names and shapes */
    const char **names;
    size_t nnames, name_slots;
};

/* --- record.c --- */
ts_status tsi_record_start(ts_profile *p); /* forgets the trace before */
ts_status tsi_record_stop(ts_profile *p);
void tsi_record_free(ts_profile *p);

#endif
