/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what a kernel did decided a case (results, RUNTIME): every case runs once on the
 * reference with whatever its kernels give turned into something else. A case that holds
 * all the same has told nothing of a kernel. Golden pages have that measured once, and
 * stored; what has no list that fits is measured when it is judged.
 */
#include "runner/sensitivity.h"

#include <stdlib.h>
#include <string.h>

#include "runner/interrupt.h"
#include "runner/undecided.h"

/* Of cases that are measured: where in decided[] each stands. */
typedef struct measured {
    const int *places;
    bool *decided;
} measured;

static bool on_measured(void *self, int index, tsi_item *item, tsi_result *r)
{
    const measured *m = self;

    (void)item;
    m->decided[m->places[index]] = r->verdict != TSI_PASS;
    return true;
}

/* Run these cases on corrupted kernels. False: complained. */
static bool measure(const tsi_options *o, const tsi_corpus *corpus, const int *cases,
                    int count, measured *m)
{
    tsi_options measuring = *o;
    char *reference = tsi_backend_path(o, "reference");
    tsi_pool_run pool = {.options = &measuring,
                         .corpus = corpus,
                         .selected = cases,
                         .count = count,
                         .backend = reference,
                         .reference = reference,
                         .result = on_measured,
                         .self = m};
    bool ok;

    measuring.corrupt = true;
    measuring.paranoid = 0;
    measuring.backend = measuring.only = NULL;
    measuring.assist = measuring.graph = measuring.details = measuring.quality = false;
    measuring.device = TS_CPU;
    measuring.variant = TSI_VARIANT_COUNT;
    ok = reference && tsi_pool_work(&pool);
    if (ok && pool.ended && strcmp(pool.ended, "interrupted") == 0)
        ok = tsi_complain("interrupted");
    free(reference);
    return ok;
}

/* stored: what lists tell is taken from them. */
static bool find_out(const tsi_options *o, const tsi_corpus *corpus, const int *selected,
                     int count, bool stored, bool *decided)
{
    int *cases = calloc((size_t)count + 1, sizeof(*cases));
    int *places = calloc((size_t)count + 1, sizeof(*places));
    const tsi_golden *file = NULL;
    tsi_undecided list = {0};
    bool known = false, ok = true;
    int n = 0;

    if (!cases || !places)
        ok = tsi_complain("out of memory");
    for (int i = 0; ok && i < count; i++) {
        const tsi_item *item = &corpus->items[selected[i]];

        decided[i] = true;
        if (item->golden != file)
            known = stored && tsi_undecided_read(item->golden, &list);
        file = item->golden;
        if (known) {
            decided[i] = !tsi_undecided_holds(&list, item->c->id);
            continue;
        }
        cases[n] = selected[i];
        places[n++] = i;
    }
    if (ok && n > 0)
        ok = measure(o, corpus, cases, n, &(measured){places, decided});
    tsi_undecided_free(&list);
    free(cases);
    free(places);
    return ok;
}

bool tsi_find_sensitivity(const tsi_options *o, const tsi_corpus *corpus,
                          const int *selected, int count, bool *decided)
{
    return find_out(o, corpus, selected, count, true, decided);
}

/* --- touchstone sensitivity --- */

/* Whether the list beside `g` says the same; tells what it does not. */
static bool agrees(const tsi_golden *g, char *const *ids, int count)
{
    tsi_undecided list = {0};
    const bool there = tsi_undecided_read(g, &list);
    int other = 0;

    if (!there)
        printf("%s: no list of undecided cases that was measured on these bytes\n",
               g->path);
    for (int i = 0; there && i < count; i++)
        if (!tsi_undecided_holds(&list, ids[i]) && ++other)
            printf("%s: no kernel decides it, and the list lacks it\n", ids[i]);
    for (int i = 0; there && i < list.count; i++)
        if (!bsearch(&list.ids[i], ids, (size_t)count, sizeof(*ids), tsi_by_bytes) &&
            ++other)
            printf("%s: the list has it, and a kernel decides it or it is not there\n",
                   list.ids[i]);
    tsi_undecided_free(&list);
    return there && other == 0;
}

/* One page: cases [from, to) of the selection. */
static bool settle(const tsi_corpus *corpus, const int *selected, const bool *decided,
                   int from, int to, bool write, bool *good)
{
    const tsi_golden *g = corpus->items[selected[from]].golden;
    char **ids = calloc((size_t)(to - from) + 1, sizeof(*ids));
    int n = 0;
    bool ok = true;

    if (!ids)
        return tsi_complain("out of memory");
    for (int i = from; i < to; i++)
        if (!decided[i])
            ids[n++] = (char *)(uintptr_t)corpus->items[selected[i]].c->id;
    qsort(ids, (size_t)n, sizeof(*ids), tsi_by_bytes);
    if (write)
        ok = tsi_undecided_write(g, ids, n);
    else
        *good &= agrees(g, ids, n);
    free(ids);
    return ok;
}

static bool wanted(const tsi_item *item, int npages, char *const *pages)
{
    for (int i = 0; i < npages; i++)
        if (strcmp(item->c->page, pages[i]) == 0)
            return true;
    return npages == 0;
}

/* The cases of these pages; *count of them. NULL: complained. */
static int *cases_of(const tsi_corpus *corpus, int npages, char *const *pages, int *count)
{
    int *out = calloc((size_t)corpus->count + 1, sizeof(*out));

    *count = 0;
    for (int i = 0; out && i < corpus->count; i++)
        if (wanted(&corpus->items[i], npages, pages))
            out[(*count)++] = i;
    if (!out || *count == 0) {
        tsi_complain(out ? "no case is on these pages" : "out of memory");
        free(out);
        return NULL;
    }
    return out;
}

int tsi_verb_sensitivity(const tsi_options *o, bool write, int npages, char *const *pages)
{
    static tsi_corpus corpus; /* never freed: the process ends with it */
    int count, from = 0, undecided = 0, *selected;
    bool good = true, ok, *decided;

    tsi_interrupt_watch();
    if (!tsi_corpus_load(&corpus, o->golden, 0, NULL) ||
        !(selected = cases_of(&corpus, npages, pages, &count)))
        return 2;
    decided = calloc((size_t)count, sizeof(*decided));
    ok = (decided || tsi_complain("out of memory")) &&
         tsi_corpus_open(&corpus, selected, count) &&
         find_out(o, &corpus, selected, count, false, decided);
    for (int i = 0; ok && i < count; i++) {
        const bool last = i + 1 == count || corpus.items[selected[i + 1]].golden !=
                                                corpus.items[selected[i]].golden;

        undecided += !decided[i];
        if (!last)
            continue;
        ok = settle(&corpus, selected, decided, from, i + 1, write, &good);
        from = i + 1;
    }
    if (ok)
        printf("%d cases, %d of them decided by no kernel%s\n", count, undecided,
               write  ? ", stored"
               : good ? ", as stored"
                      : ": touchstone sensitivity --write stores it");
    free(decided);
    free(selected);
    return !ok ? 2 : good ? 0 : 1;
}
