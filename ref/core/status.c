/* SPDX-License-Identifier: Apache-2.0 */
#include "touchstone/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_MAX 1024
#define LABEL_MAX 64

static const struct {
    const char *name;
    ts_status parent; /* the class above, or TS_OK */
} classes[TS_STATUS_COUNT] = {
    [TS_OK] = {"OK", TS_OK},
    [TS_ERR_RUNTIME] = {"RuntimeError", TS_OK},
    [TS_ERR_VALUE] = {"ValueError", TS_OK},
    [TS_ERR_TYPE] = {"TypeError", TS_OK},
    [TS_ERR_INDEX] = {"IndexError", TS_OK},
    [TS_ERR_ATTRIBUTE] = {"AttributeError", TS_OK},
    [TS_ERR_ASSERTION] = {"AssertionError", TS_OK},
    [TS_ERR_OVERFLOW] = {"OverflowError", TS_OK},
    [TS_ERR_ZERO_DIVISION] = {"ZeroDivisionError", TS_OK},
    [TS_ERR_NOT_IMPLEMENTED] = {"NotImplementedError", TS_ERR_RUNTIME},
    [TS_ERR_OUT_OF_MEMORY] = {"OutOfMemoryError", TS_ERR_RUNTIME},
    [TS_ERR_DIST] = {"DistError", TS_ERR_RUNTIME},
    [TS_ERR_UNSUPPORTED] = {"Unsupported", TS_OK},
};

/* A thread's last error, and its warnings: the count and the last one. */
static _Thread_local struct {
    char label[LABEL_MAX], message[MESSAGE_MAX];
    char warning_label[LABEL_MAX], warning[MESSAGE_MAX];
    int warnings;
} last;

const char *ts_status_name(ts_status status)
{
    return (unsigned)status < TS_STATUS_COUNT ? classes[status].name : "unknown status";
}

ts_status ts_status_from_name(const char *name)
{
    for (int i = 0; i < TS_STATUS_COUNT; i++)
        if (strcmp(classes[i].name, name) == 0)
            return (ts_status)i;
    return TS_STATUS_COUNT;
}

bool ts_status_is(ts_status status, ts_status of)
{
    while (status != of && status != TS_OK)
        status = classes[status].parent;
    return status == of;
}

static void record(char *into_label, char *into, const char *label, const char *format,
                   va_list args)
{
    size_t n = 0;

    snprintf(into_label, LABEL_MAX, "%s", label ? label : "");
    if (label)
        n = (size_t)snprintf(into, MESSAGE_MAX, "[%s] ", label);
    vsnprintf(into + n, MESSAGE_MAX - n, format, args);
}

ts_status ts_fail(ts_status status, const char *label, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    record(last.label, last.message, label, format, args);
    va_end(args);
    return status;
}

const char *ts_error_message(void)
{
    return last.message;
}

const char *ts_error_label(void)
{
    return last.label;
}

void ts_error_clear(void)
{
    last.label[0] = last.message[0] = '\0';
    last.warning_label[0] = last.warning[0] = '\0';
    last.warnings = 0;
}

void ts_warn(const char *label, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    record(last.warning_label, last.warning, label, format, args);
    va_end(args);
    last.warnings++;
}

int ts_warning_count(void)
{
    return last.warnings;
}

const char *ts_warning_message(void)
{
    return last.warning;
}

const char *ts_warning_label(void)
{
    return last.warning_label;
}
