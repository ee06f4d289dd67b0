/* SPDX-License-Identifier: Apache-2.0 */
/* Which cases a run is about, and how one of them is run again. */
#include <stdlib.h>
#include <string.h>

#include "runner/judge.h"
#include "runner/text.h"

bool tsi_options_whole(const tsi_options *o)
{
    return !o->level && !o->filter && !o->only && !o->assist && !o->shards &&
           !o->nfiles && o->variant == TSI_VARIANT_COUNT;
}

static bool names(int n, const char *const *list, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

/* By what the headers say alone. */
static bool wanted(const tsi_item *item, const tsi_options *o, const regex_t *filter)
{
    const tsi_case *c = item->c;

    return (!o->level || strcmp(item->level, o->level) == 0) &&
           (!o->filter || regexec(filter, c->id, 0, NULL, 0) == 0) &&
           (o->variant == TSI_VARIANT_COUNT || (c->variants >> o->variant & 1));
}

/* Whether a case calls `op`: by its program too, which is read for that. */
static bool uses(tsi_corpus *corpus, int i, const char *op, bool *ok)
{
    const tsi_case *c = corpus->items[i].c;

    if (names(c->nneeds, c->needs, op))
        return true;
    *ok = *ok && tsi_corpus_ready(corpus, &i, 1);
    return *ok && names(c->nops, c->ops, op);
}

int *tsi_select(tsi_corpus *corpus, const tsi_options *o, int *count)
{
    int *out = calloc((size_t)corpus->count + 1, sizeof(*out));
    regex_t filter;
    bool ok = true;
    int seen = 0;

    *count = 0;
    if (!out) {
        tsi_complain("out of memory");
        return NULL;
    }
    if (o->filter) {
        char error[128];
        const int e = regcomp(&filter, o->filter, REG_EXTENDED | REG_NOSUB);

        if (e != 0) {
            regerror(e, &filter, error, sizeof(error));
            tsi_complain("--filter '%s': %s", o->filter, error);
            free(out);
            return NULL;
        }
    }
    for (int i = 0; i < corpus->count && ok; i++) {
        if (!wanted(&corpus->items[i], o, &filter) ||
            (o->only && !uses(corpus, i, o->only, &ok)))
            continue;
        if (!o->shards || seen % o->shards == o->shard - 1)
            out[(*count)++] = i;
        seen++;
    }
    if (o->filter)
        regfree(&filter);
    if (!ok) {
        free(out);
        return NULL;
    }
    return out;
}

/* The id as a regular expression that matches nothing else. */
static void add_id(tsi_text *t, const char *id)
{
    tsi_text whole = {0};

    tsi_text_add(&whole, "^", 1);
    for (; *id; id++)
        if (strchr(".+", *id))
            tsi_text_format(&whole, "\\%c", *id);
        else
            tsi_text_add(&whole, id, 1);
    tsi_text_add(&whole, "$", 1);
    tsi_text_shell(t, whole.bytes);
    tsi_text_free(&whole);
}

char *tsi_reproduce(const tsi_options *o, const tsi_item *item, tsi_variant variant)
{
    tsi_text t = {0};

    tsi_text_shell(&t, o->program);
    tsi_text_format(&t, " run");
    if (o->backend) {
        tsi_text_format(&t, " --backend ");
        tsi_text_shell(&t, o->backend);
    }
    if (o->graph)
        tsi_text_format(&t, " --graph");
    else if (o->device == TS_ACCEL)
        tsi_text_format(&t, " --device accel");
    if (o->golden) {
        tsi_text_format(&t, " --golden ");
        tsi_text_shell(&t, o->golden);
    }
    if (o->assist)
        tsi_text_format(&t, " --assist");
    if (o->only)
        tsi_text_format(&t, " --only %s", o->only);
    if (o->paranoid != TSI_PARANOID)
        tsi_text_format(&t, " --paranoid %d", o->paranoid);
    if (o->memory == TSI_NO_LIMIT)
        tsi_text_format(&t, " --memory none");
    else if (o->memory)
        tsi_text_format(&t, " --memory %lldK", (long long)(o->memory >> 10));
    tsi_text_format(&t, " --filter ");
    add_id(&t, item->c->id);
    if (variant != TSI_BASE)
        tsi_text_format(&t, " --variant %s", tsi_variant_name(variant));
    if (o->nfiles) {
        tsi_text_format(&t, " ");
        tsi_text_shell(&t, item->golden->path);
    }
    return tsi_text_take(&t);
}
