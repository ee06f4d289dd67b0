/* SPDX-License-Identifier: Apache-2.0 */
/* What ref/core needs of ref/device, and ref/device of itself. */
#ifndef TSI_DEVICE_H
#define TSI_DEVICE_H

#include "core/core.h"
#include "touchstone/device.h"

/* Make a device that there is the current one; returns the one before. */
int tsi_device_swap(int index);

/* Memory of a device's storages, by its current stream. */
ts_status tsi_accel_storage_alloc(int device, int64_t bytes, void **out);
void tsi_accel_storage_free(int device, void *p, int64_t bytes);
void tsi_accel_storage_close(void);

/*
 * check.c: what the race check must hear of, only while it is on. A launch or copy that
 * races is refused before it is submitted.
 */
typedef struct tsi_clock tsi_clock; /* what an event carries */
extern _Atomic bool tsi_checking;
ts_status tsi_check_launch(const ts_frame *f, const ts_stream *s);
ts_status tsi_check_copy(const char *what, const void *p, int64_t bytes, bool write,
                         const ts_stream *s);
void tsi_check_alloc(const void *p, int64_t bytes, const ts_stream *s);
void tsi_check_free(const void *p);
void tsi_check_record_stream(const void *p, const ts_stream *s);
void tsi_check_event_record(tsi_clock **clock, const ts_stream *s);
/* s is NULL: the host has waited. */
void tsi_check_event_wait(const tsi_clock *clock, const ts_stream *s);
void tsi_check_stream_done(const ts_stream *s);
void tsi_check_all_done(int device);

/* Between host and device memory, done when the call returns. */
ts_status tsi_copy_bytes(int device, void *dst, const void *src, int64_t bytes,
                         ts_copy_kind kind);
/* dst = src across devices, converting and broadcasting as copy_ does. Between two
 * accelerators it is work of both current streams, which meet in it. */
ts_status tsi_transfer(ts_tensor *dst, ts_tensor *src);
/* A copy of `src` on `device`, of its sizes, dtype and strides. */
ts_status tsi_move(ts_tensor *src, ts_device device, ts_tensor **out);
/* A host kernel for a frame on accel, on copies;
 * it may make its results itself (TS_FRAME_UNKNOWN). */
ts_status tsi_run_on_host(ts_frame *f, ts_kernel kernel);

#endif
