/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerator as a program sees it: streams, events,
 * synchronisation (E-01 to E-03, E-11). */
#ifndef TOUCHSTONE_DEVICE_H
#define TOUCHSTONE_DEVICE_H

#include "touchstone/driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The driver under TS_ACCEL: a backend's, or the software accelerator's. Put it there
 * before the first accel tensor; taking it away (NULL) waits for all work and drops what
 * the runtime cached. The table is copied: an older, smaller one is filled up with NULL.
 */
TS_API ts_status ts_accel_open(const ts_driver *driver);
TS_API const ts_driver *ts_accel_driver(void); /* the copy; NULL when there is none */
TS_API const ts_driver *ts_software_driver(void);
/*
 * How many devices the software accelerator has, 1 to TS_ACCEL_MAX_DEVICES; before it is
 * opened. Without this call TOUCHSTONE_ACCEL_DEVICES says it, and else it has one.
 */
TS_API ts_status ts_software_set_device_count(int count);

/* --- devices: accel:0, accel:1, ... --- */
#define TS_ACCEL_MAX_DEVICES 16

TS_API int ts_accel_device_count(void); /* 0 without a driver */
/*
 * The calling thread's current device, 0 at first: the one that `accel` without an index
 * means, and whose default and current streams are meant where a call names no device. A
 * rank that has a device of its own sets it once on its thread. Each thread has a current
 * stream per device.
 */
TS_API int ts_accel_device(void);
TS_API ts_status ts_accel_set_device(int index);

/* --- streams: each belongs to a device --- */
typedef struct ts_stream ts_stream;

/* A new stream of the current device; -1 is a high priority, 0 the normal one. */
TS_API ts_status ts_stream_new(int priority, ts_stream **out);
TS_API ts_status ts_stream_new_on(int device, int priority, ts_stream **out);
TS_API ts_stream *ts_stream_retain(ts_stream *s);
TS_API void ts_stream_release(ts_stream *s); /* the last one waits for its work */
/* Borrowed, of the current device or the given one, which there must be. */
TS_API ts_stream *ts_stream_default(void);
TS_API ts_stream *ts_stream_default_of(int device);
/* This thread's current stream, borrowed;
 * kernels and copies of tensors of that device go there. */
TS_API ts_stream *ts_stream_current(void);
TS_API ts_stream *ts_stream_current_of(int device);
/* s becomes the current stream of its device, and its device the current one. NULL: the
 * current device's default stream. */
TS_API void ts_stream_set_current(ts_stream *s);
/* Every device's default stream, and device 0: as a new thread begins. */
TS_API void ts_stream_reset_current(void);
TS_API int ts_stream_device(const ts_stream *s);
/* Unlike that of any other stream of the process; 0: a device's default stream. */
TS_API int64_t ts_stream_id(const ts_stream *s);
/* What the driver's calls take, with the stream's device. */
TS_API tsd_stream *ts_stream_handle(const ts_stream *s);
TS_API ts_status ts_stream_query(ts_stream *s, bool *done);
TS_API ts_status ts_stream_synchronize(ts_stream *s);
/* Work that s gets from now on waits for what `other` has now. */
TS_API ts_status ts_stream_wait_stream(ts_stream *s, ts_stream *other);

/* --- events --- */
typedef struct ts_event ts_event;

/* An event is of the device on whose stream it is first recorded, and is recorded on
 * streams of that one; streams of every device may wait for it. */
TS_API ts_status ts_event_new(bool timing, ts_event **out);
TS_API void ts_event_release(ts_event *e);
TS_API ts_status ts_event_record(ts_event *e,
                                 ts_stream *s);            /* NULL: the current stream */
TS_API ts_status ts_event_wait(ts_event *e, ts_stream *s); /* NULL: the current stream */
TS_API ts_status ts_event_query(ts_event *e, bool *done);
TS_API ts_status ts_event_synchronize(ts_event *e);
TS_API ts_status ts_event_elapsed(ts_event *start, ts_event *end, double *ms);

/* --- work of one's own on the software accelerator --- */
/*
 * Run fn(arg) on a stream of `device` (NULL: its default one); again at each replay where a
 * capture holds it. Afterwards release(arg). What fn returns is the device's error.
 */
TS_API ts_status ts_software_submit(int device, tsd_stream *s, ts_status (*fn)(void *arg),
                                    void (*release)(void *arg), void *arg);
/* Where such work finds `bytes` at a device address, on whichever device; NULL when they
 * are not all there. */
TS_API void *ts_software_resolve(const void *p, size_t bytes);
/* The same for work that may use only what `device` may. */
TS_API void *ts_software_resolve_on(int device, const void *p, size_t bytes);

/* --- synchronisation and copies --- */
/* All streams of the current device, or the given one; tells its error word. */
TS_API ts_status ts_accel_synchronize(void);
TS_API ts_status ts_accel_synchronize_device(int device);
/* All devices; the first one's error is told. */
TS_API ts_status ts_accel_synchronize_all(void);

/* Bytes of a storage to host memory and back, on whatever device; on an asynchronous one
 * after all work of this thread's current stream of that device. */
TS_API ts_status ts_storage_read(ts_storage *s, int64_t at, int64_t bytes, void *to);
TS_API ts_status ts_storage_write(ts_storage *s, int64_t at, int64_t bytes,
                                  const void *from);
/* From now on the memory of a new storage on an accelerator is full of `byte`, by a fill on
 * the stream that is current there, so that a judge can tell what is read of it before it is
 * written (results/S6). Below 0: as it comes, as at first. Nothing is filled in a capture. */
TS_API void ts_accel_fill_fresh(int byte);
/* t itself on cpu, else a copy there with t's sizes and strides over a storage just large
 * enough. New reference. On meta an error. */
TS_API ts_status ts_tensor_to_host(ts_tensor *t, ts_tensor **out);

/* --- checked modes --- */

/*
 * The race check, for the whole process: until its end, work that touches device memory
 * which other work may still touch, and memory freed under pending work of another
 * stream, is an error (exec/C4) that names both ops and streams. begin waits for all
 * older work; end tells what no later call has told.
 */
TS_API ts_status ts_race_check_begin(void);
TS_API ts_status ts_race_check_end(void);

typedef enum ts_sync_debug { TS_SYNC_DEFAULT, TS_SYNC_WARN, TS_SYNC_ERROR } ts_sync_debug;

/* What an implicit synchronisation gives, for the whole process;
 * returns the one before. */
TS_API ts_sync_debug ts_set_sync_debug(ts_sync_debug mode);
TS_API ts_sync_debug ts_sync_debug_now(void);
/* `what` is about to make the host wait for the device:
 * a warning, an error, or nothing. */
TS_API ts_status ts_sync_point(const char *what);

#ifdef __cplusplus
}
#endif
#endif
