/* SPDX-License-Identifier: Apache-2.0 */
#include "core/thread.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

    snprintf(into_label, sizeof((tsi_messages *)0)->label, "%s", label ? label : "");
    if (label)
        n = (size_t)snprintf(into, sizeof((tsi_messages *)0)->message, "[%s] ", label);
    vsnprintf(into + n, sizeof((tsi_messages *)0)->message - n, format, args);
}

ts_status ts_fail(ts_status status, const char *label, const char *format, ...)
{
    va_list args;

    tsi_messages *last = &tsi_self()->messages;

    va_start(args, format);
    record(last->label, last->message, label, format, args);
    va_end(args);
    return status;
}

const char *ts_error_message(void)
{
    return tsi_self()->messages.message;
}

const char *ts_error_label(void)
{
    return tsi_self()->messages.label;
}

void ts_error_clear(void)
{
    tsi_messages *last = &tsi_self()->messages;

    last->label[0] = last->message[0] = '\0';
    last->warning_label[0] = last->warning[0] = '\0';
    last->warnings = 0;
}

void ts_warn(const char *label, const char *format, ...)
{
    va_list args;

    tsi_messages *last = &tsi_self()->messages;

    va_start(args, format);
    record(last->warning_label, last->warning, label, format, args);
    va_end(args);
    last->warnings++;
}

int ts_warning_count(void)
{
    return tsi_self()->messages.warnings;
}

const char *ts_warning_message(void)
{
    return tsi_self()->messages.warning;
}

const char *ts_warning_label(void)
{
    return tsi_self()->messages.warning_label;
}
