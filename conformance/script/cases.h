/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of a file of cases share: lines, headers, records. */
#ifndef TSI_CASES_H
#define TSI_CASES_H

#include "ast.h"
#include "pool.h"
#include "script.h"

typedef struct tsi_reader {
    const char *file;
    tsi_pool *pool;
    tsi_names *names;
    const char *at, *end; /* the line under way and the rest of what is read */
    const char *line_end;
    int line;
} tsi_reader;

/* A mistake at `where` in the line under way. */
ts_status tsi_reader_fail(const tsi_reader *r, const char *label, const char *where,
                          const char *format, ...) TS_PRINTF(4, 5);

#define TSI_NO_MEMORY(r)                            \
    tsi_reader_fail(r, "case_language/C8", (r)->at, \
                    "the file needs more memory than a file may")

/* Find the end of the line at r->at, and refuse what is no text. */
ts_status tsi_reader_measure(tsi_reader *r);
void tsi_reader_advance(tsi_reader *r);
/* Whether the line under way starts with `prefix`. */
bool tsi_reader_starts(const tsi_reader *r, const char *prefix);
void tsi_reader_trim(const char **from, const char **to);

/* A character that ids are made of, besides '/'. */
bool tsi_id_char(char c);

/* `# key: value` of a case; *is_header tells whether the line is one. `seen`: the keys so
 * far. */
ts_status tsi_read_header(tsi_reader *r, tsi_case *c, unsigned *seen, bool *is_header);
/* The same in a file's head, where it is the default of every case; other lines pass. */
ts_status tsi_read_default(tsi_reader *r, tsi_case *defaults, unsigned *seen);

/* The records of a case while they are read. */
typedef struct tsi_record_list {
    tsi_record *items;
    int count, capacity;
    int64_t next[TS_DTYPE_COUNT + 1]; /* past the elements named so far; -1: none were */
} tsi_record_list;

void tsi_record_list_start(tsi_record_list *list);
/* A line that starts with "#=" or "#+". */
ts_status tsi_read_record(tsi_reader *r, const tsi_case *c, tsi_record_list *list);

#endif
