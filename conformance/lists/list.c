/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of expected failures. One line an entry, `id-or-glob  # reason`; a reason that
 * starts with a verdict's name holds for that verdict alone. Strict: see
 * spec/areas/results.md.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "runner/judge.h"

static bool refuse(const tsi_list *l, int line, int column, const char *what)
{
    return tsi_complain("%s:%d:%d: %s", l->path, line, column, what);
}

static bool add(tsi_list *l, const char *pattern, size_t length, const char *reason,
                int line)
{
    tsi_list_entry *grown = realloc(l->entries, sizeof(*grown) * (size_t)(l->count + 1));
    tsi_list_entry *e;

    if (!grown)
        return tsi_complain("out of memory");
    l->entries = grown;
    e = &grown[l->count++];
    *e = (tsi_list_entry){
        .line = line, .pattern = strndup(pattern, length), .reason = strdup(reason)};
    e->verdict = tsi_verdict_from_name(reason, strcspn(reason, " :,"));
    return (e->pattern && e->reason) || tsi_complain("out of memory");
}

static bool read_line(tsi_list *l, char *text, int line)
{
    char *start = text + strspn(text, " \t"), *hash, *reason;
    size_t length;

    text[strcspn(text, "\r\n")] = '\0';
    if (*start == '\0' || *start == '#')
        return true;
    hash = strchr(start, '#');
    if (!hash)
        return refuse(l, line, (int)strlen(text) + 1,
                      "expected '# reason' after the case");
    for (length = (size_t)(hash - start);
         length > 0 && isspace((unsigned char)start[length - 1]);)
        length--;
    reason = hash + 1 + strspn(hash + 1, " \t");
    if (*reason == '\0')
        return refuse(l, line, (int)(reason - text) + 1, "the reason is empty");
    if (strcspn(start, " \t") < length)
        return refuse(l, line, (int)(start - text) + (int)strcspn(start, " \t") + 1,
                      "expected one case id or pattern");
    return add(l, start, length, reason, line);
}

bool tsi_list_read(tsi_list *out, const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    int line = 0;
    bool ok = true;

    *out = (tsi_list){.path = path};
    if (!f)
        return tsi_complain("%s: %s", path, strerror(errno));
    while (ok && getline(&text, &room, f) >= 0)
        ok = read_line(out, text, ++line);
    if (ok && ferror(f)) /* a folder, for one: no line of it is no empty list */
        ok = tsi_complain("%s: %s", path, strerror(errno));
    free(text);
    fclose(f);
    if (!ok)
        tsi_list_free(out);
    return ok;
}

void tsi_list_free(tsi_list *l)
{
    for (int i = 0; i < l->count; i++) {
        free(l->entries[i].pattern);
        free(l->entries[i].reason);
    }
    free(l->entries);
    *l = (tsi_list){0};
}

void tsi_list_apply(tsi_list *l, const char *id, tsi_result *r)
{
    tsi_list_entry *found = NULL;
    char *reason;

    for (int i = 0; i < l->count; i++)
        if (fnmatch(l->entries[i].pattern, id, 0) == 0) {
            l->entries[i].matched++;
            found = found ? found : &l->entries[i];
        }
    if (!found || r->verdict == TSI_NOT_RUN)
        return;
    if (!tsi_is_failure(r->verdict)) {
        if (r->verdict != TSI_PASS && r->verdict != TSI_ASSISTED)
            return;
        r->verdict = TSI_XPASS;
    } else if (found->verdict != TSI_VERDICT_COUNT && found->verdict != r->verdict) {
        return; /* it fails, but not as was said */
    } else {
        r->verdict = TSI_XFAIL;
    }
    reason = malloc(strlen(found->reason) + (r->reason ? strlen(r->reason) : 0) + 64);
    if (!reason)
        return;
    if (r->verdict == TSI_XPASS)
        sprintf(reason, "passes, but line %d of the list says: %s", found->line,
                found->reason);
    else
        sprintf(reason, "expected (%s): %s", found->reason, r->reason ? r->reason : "");
    free(r->reason);
    r->reason = reason;
}

int tsi_list_complaints(const tsi_list *l, FILE *out)
{
    int bad = 0;

    for (int i = 0; i < l->count; i++) {
        const tsi_list_entry *e = &l->entries[i];

        if (e->matched > 0 && e->matched <= TSI_LIST_WIDEST)
            continue;
        bad++;
        if (e->matched == 0)
            fprintf(out, "%s:%d: dead entry: no case matches '%s'\n", l->path, e->line,
                    e->pattern);
        else
            fprintf(out, "%s:%d: '%s' matches %d cases, more than %d: name them\n",
                    l->path, e->line, e->pattern, e->matched, TSI_LIST_WIDEST);
    }
    return bad;
}
