/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: work of a stream recorded once and run as a whole, again and again, on the same
 * addresses. Written over the driver table. See spec/areas/graph.md.
 */
#ifndef TOUCHSTONE_GRAPH_H
#define TOUCHSTONE_GRAPH_H

#include "touchstone/alloc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ts_graph ts_graph;

TS_API ts_status ts_graph_new(ts_graph **out);
/* What reset does, then the object goes; NULL passes. */
TS_API void ts_graph_release(ts_graph *g);

/*
 * Record the work of the current stream, and of the streams that join it, until
 * capture_end on the same stream; the graph is of that stream's device. Memory asked for there comes from `pool`; {0, 0}: from
 * a pool of the graph's own.
 */
TS_API ts_status ts_graph_capture_begin(ts_graph *g, ts_pool_id pool,
                                        ts_capture_mode mode);
TS_API ts_status ts_graph_capture_end(ts_graph *g);
/* All recorded work, as one piece of work of the current stream. */
TS_API ts_status ts_graph_replay(ts_graph *g);
/* Back to a new object: the record goes, and this use of the pool. */
TS_API ts_status ts_graph_reset(ts_graph *g);
TS_API ts_status ts_graph_pool(const ts_graph *g, ts_pool_id *out);
TS_API int64_t ts_graph_node_count(const ts_graph *g); /* 0 before capture_end */

TS_API ts_pool_id ts_graph_pool_handle(void); /* a new pool for graphs to share */
/* Whether this thread's current stream is part of a capture. */
TS_API bool ts_stream_is_capturing(void);
/* Whether any stream of the process is: a host that waits or copies may spoil its capture. */
TS_API bool ts_capture_is_under_way(void);

#ifdef __cplusplus
}
#endif
#endif
