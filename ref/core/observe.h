/* SPDX-License-Identifier: Apache-2.0 */
/* What a profiler hears from the rest of the runtime; ref/profile implements it. Callers
 * look at tsi_profiling first, so that nothing costs anything while none is on. */
#ifndef TSI_OBSERVE_H
#define TSI_OBSERVE_H

#include "core/thread.h"

#define tsi_profiling (tsi_self()->profiling) /* this thread's session, or NULL */

/* An event with all that happens until its end inside; `prefix` and `name` are copied. */
int64_t tsi_profile_begin(ts_profile *p, ts_event_kind kind, const char *prefix,
                          const char *name);
void tsi_profile_end(ts_profile *p, int64_t event, ts_status status);

/* Where device work of a session is told, from any thread and even after its end. */
typedef struct tsi_sink tsi_sink;

/* A reference for work handed to a device now, NULL where no one listens; `event` is what
 * asked for it. */
tsi_sink *tsi_profile_sink(int64_t *event);
void tsi_sink_add(tsi_sink *s, int64_t event, ts_event_kind kind, const char *name,
                  int64_t bytes, int64_t stream, int64_t start, int64_t end);
void tsi_sink_release(tsi_sink *s);
int64_t tsi_profile_now(void);

#endif
