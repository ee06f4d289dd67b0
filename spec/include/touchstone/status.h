/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as values: a status that mirrors PyTorch's exception classes,
 * and the thread's message. */
#ifndef TOUCHSTONE_STATUS_H
#define TOUCHSTONE_STATUS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TS_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define TS_COLD __attribute__((cold)) /* on the way to an error: kept out of the way */
#define TS_API __attribute__((visibility("default")))
#else
#define TS_PRINTF(fmt, first)
#define TS_COLD
#define TS_API
#endif

/* One value per exception class that PyTorch 2.15.0 raises; see spec/areas/errors.md. */
typedef enum ts_status {
    TS_OK = 0,
    TS_ERR_RUNTIME,         /* RuntimeError */
    TS_ERR_VALUE,           /* ValueError */
    TS_ERR_TYPE,            /* TypeError */
    TS_ERR_INDEX,           /* IndexError */
    TS_ERR_ATTRIBUTE,       /* AttributeError */
    TS_ERR_ASSERTION,       /* AssertionError */
    TS_ERR_OVERFLOW,        /* OverflowError */
    TS_ERR_ZERO_DIVISION,   /* ZeroDivisionError */
    TS_ERR_NOT_IMPLEMENTED, /* NotImplementedError, a RuntimeError */
    TS_ERR_OUT_OF_MEMORY,   /* OutOfMemoryError, a RuntimeError */
    TS_ERR_DIST,            /* DistError, a RuntimeError */
    TS_ERR_UNSUPPORTED,     /* no exception: the backend has no kernel for this call */
    TS_STATUS_COUNT
} ts_status;

/* The exception class's name, "RuntimeError";
 * "OK" and "Unsupported" for the two that are none. */
TS_API const char *ts_status_name(ts_status status);

/* The status with that exception name, or TS_STATUS_COUNT when there is none. */
TS_API ts_status ts_status_from_name(const char *name);

/* Whether `status` is `of` or one of its subclasses in Python's order. */
TS_API bool ts_status_is(ts_status status, ts_status of);

/*
 * Decide on an error: record the message "[label] text" for this thread and return
 * `status`. Whoever chooses the status calls this once; everyone above forwards with
 * TS_TRY. `label` names a rule ("softmax/C1") and may be
 * NULL only in code that serves no rule.
 */
TS_API ts_status ts_fail(ts_status status, const char *label, const char *format, ...)
    TS_PRINTF(3, 4) TS_COLD;

/* The message and label of this thread's last error; "" before the first. */
TS_API const char *ts_error_message(void);
TS_API const char *ts_error_label(void);
TS_API void ts_error_clear(void);

/* Warnings that PyTorch gives through warnings.warn; counted and kept per thread. */
TS_API void ts_warn(const char *label, const char *format, ...) TS_PRINTF(2, 3);
TS_API int ts_warning_count(void);
TS_API const char *ts_warning_message(void);
TS_API const char *ts_warning_label(void);

#define TS_CHECK(ok, status, label, ...)                \
    do {                                                \
        if (!(ok))                                      \
            return ts_fail(status, label, __VA_ARGS__); \
    } while (0)

#define TS_TRY(call)                             \
    do {                                         \
        const ts_status ts_try_status_ = (call); \
        if (ts_try_status_ != TS_OK)             \
            return ts_try_status_;               \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
