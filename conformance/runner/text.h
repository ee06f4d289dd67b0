/* SPDX-License-Identifier: Apache-2.0 */
/* A growing piece of text. Running out of memory leaves it short, never broken. */
#ifndef TSI_TEXT_H
#define TSI_TEXT_H

#include <stddef.h>

#include "touchstone/status.h"

typedef struct tsi_text {
    char *bytes; /* ends with '\0' once something was added */
    size_t used, room;
} tsi_text;

void tsi_text_add(tsi_text *t, const char *bytes, size_t n);
TS_PRINTF(2, 3) void tsi_text_format(tsi_text *t, const char *format, ...);
/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void tsi_text_json(tsi_text *t, const char *s);
/* Text for a terminal: nothing in it but tabs acts on one. Control characters and bytes
 * that are no UTF-8 become \x1b; a newline becomes `newline`. */
void tsi_text_plain(tsi_text *t, const char *s, const char *newline);
/* The same as one line, cut between characters to what `out` holds. */
void tsi_text_plain_line(char *out, size_t size, const char *s);
/* A JSON number of so many digits; "nan", "inf", "-inf" as strings. */
void tsi_text_number(tsi_text *t, double v, int digits);
/* Text and attributes of XML; characters that XML forbids become U+FFFD. */
void tsi_text_xml(tsi_text *t, const char *s);
/* One word of a POSIX shell's command line, quoted where it has to be. */
void tsi_text_shell(tsi_text *t, const char *s);
void tsi_text_reset(tsi_text *t);
char *tsi_text_take(tsi_text *t); /* the caller's own now */
void tsi_text_free(tsi_text *t);

#endif
