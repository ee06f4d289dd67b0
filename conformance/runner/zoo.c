/* SPDX-License-Identifier: Apache-2.0 */
/* touchstone zoo: every faulty backend must be found out; one that passes is a fault of
 * ours. */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runner/interrupt.h"
#include "runner/judge.h"

typedef struct member {
    char name[64], path[PATH_MAX + 300], kind[64], fault[256], breaks[256];
    char base[32]; /* the backend that it is but for its fault */
    ts_device_type device;
    bool killed;
    char by[128], verdict[16], reason[1024];
    double seconds;
} member;

static bool on_result(void *self, int index, tsi_item *item, tsi_result *r)
{
    member *m = self;

    (void)index;
    if (m->killed || !tsi_is_failure(r->verdict) || r->verdict == TSI_MISTRUSTED)
        return !m->killed;
    m->killed = true;
    snprintf(m->by, sizeof(m->by), "%s", item->c->id);
    snprintf(m->verdict, sizeof(m->verdict), "%s", tsi_verdict_name(r->verdict));
    snprintf(m->reason, sizeof(m->reason), "%s", r->reason ? r->reason : "");
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const member *)a)->name, ((const member *)b)->name);
}

/* Our own files, so this process may load them to read what they declare. */
static bool read_declaration(member *m)
{
    void *library = dlopen(m->path, RTLD_LAZY | RTLD_LOCAL);
    const char *fault = library ? dlsym(library, "ts_zoo_fault") : NULL;
    const char *breaks = library ? dlsym(library, "ts_zoo_breaks") : NULL;
    const char *device = library ? dlsym(library, "ts_zoo_device") : NULL;
    const char *base = library ? dlsym(library, "ts_zoo_base") : NULL;
    const char *kind = library ? dlsym(library, "ts_zoo_kind") : NULL;

    if (!fault || !breaks)
        return tsi_complain("%s: %s", m->path,
                            library ? "it declares no ts_zoo_fault and ts_zoo_breaks"
                                    : dlerror());
    snprintf(m->kind, sizeof(m->kind), "%s", kind ? kind : "other");
    snprintf(m->fault, sizeof(m->fault), "%s", fault);
    snprintf(m->breaks, sizeof(m->breaks), "%s", breaks);
    snprintf(m->base, sizeof(m->base), "%s", base ? base : "reference");
    m->device = device && strcmp(device, "accel") == 0 ? TS_ACCEL : TS_CPU;
    dlclose(library);
    return true;
}

static bool wanted(const char *name, int count, char *const *names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

static member *find_members(int nnames, char *const *names, int *count)
{
    const char *env = getenv("TOUCHSTONE_ZOO_PATH");
    char dir[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", dir, sizeof(dir) - 20);
    member *out = NULL;
    struct dirent *entry;
    DIR *d;

    dir[n > 0 ? n : 0] = '\0';
    if (strrchr(dir, '/'))
        strcpy(strrchr(dir, '/'), "/conformance/zoo");
    if (env)
        snprintf(dir, sizeof(dir), "%s", env);
    *count = 0;
    d = opendir(dir);
    while (d && (entry = readdir(d))) {
        const char *name = entry->d_name;
        const size_t length = strlen(name);
        member *grown, m = {0};

        if (strncmp(name, "libzoo_", 7) != 0 || length < 11 ||
            strcmp(name + length - 3, ".so") != 0)
            continue;
        snprintf(m.name, sizeof(m.name), "%.*s", (int)(length - 10), name + 7);
        snprintf(m.path, sizeof(m.path), "%s/%s", dir, name);
        if (!wanted(m.name, nnames, names))
            continue;
        grown = realloc(out, sizeof(m) * (size_t)(*count + 1));
        if (!grown)
            break;
        out = grown;
        out[(*count)++] = m;
    }
    if (d)
        closedir(d);
    if (*count == 0)
        tsi_complain("no such member of the zoo in %s", dir);
    else
        qsort(out, (size_t)*count, sizeof(*out), by_name);
    return out;
}

static bool breaks_rule(const member *m, const tsi_case *c)
{
    for (int i = 0; i < c->nrules; i++) {
        const char *p = strstr(m->breaks, c->rules[i]);
        const size_t n = strlen(c->rules[i]);

        if (p && (p == m->breaks || p[-1] == ' ') && (p[n] == '\0' || p[n] == ' '))
            return true;
    }
    return false;
}

/* A case that the base itself fails finds nobody out. */
static bool on_base(void *self, int index, tsi_item *item, tsi_result *r)
{
    bool *usable = self;

    (void)item;
    usable[index] = !tsi_is_failure(r->verdict);
    return true;
}

/* Cases of the rules that the member says it breaks come first: they should kill it. */
static int put_in_order(const member *m, const tsi_corpus *corpus, const bool *usable,
                        int *order)
{
    int n = 0;

    for (int first = 1; first >= 0; first--)
        for (int i = 0; i < corpus->count; i++)
            if (usable[i] && breaks_rule(m, corpus->items[i].c) == (first == 1))
                order[n++] = i;
    return n;
}

static bool judge_member(member *m, const tsi_options *options, const char *reference,
                         const tsi_corpus *corpus, const bool *usable, int *order)
{
    tsi_options o = *options;
    tsi_pool_run pool = {.options = &o,
                         .corpus = corpus,
                         .selected = order,
                         .backend = m->path,
                         .reference = reference,
                         .result = on_result,
                         .self = m};
    struct timespec a, b;
    bool ok;

    o.device = m->device;
    pool.count = put_in_order(m, corpus, usable, order);
    clock_gettime(CLOCK_MONOTONIC, &a);
    ok = tsi_pool_work(&pool);
    clock_gettime(CLOCK_MONOTONIC, &b);
    m->seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
    return ok;
}

static void print_member(const member *m, bool json)
{
    if (json) {
        json_t *o = json_pack("{s:s,s:s,s:s,s:s,s:b,s:s,s:s,s:s,s:f}", "member", m->name,
                              "kind", m->kind, "fault", m->fault, "breaks", m->breaks,
                              "killed", m->killed, "by", m->by, "verdict", m->verdict,
                              "reason", m->reason, "seconds", m->seconds);

        json_dumpf(o, stdout, JSON_COMPACT | JSON_REAL_PRECISION(4));
        putchar('\n');
        json_decref(o);
    } else
        printf("%-24s %-8s %6.2f s  %-40s %s\n", m->name,
               m->killed ? m->verdict : "SURVIVED", m->seconds,
               m->killed ? m->by : "no case", m->fault);
    fflush(stdout);
}

/* Which cases `base` does not fail on `device`. */
static bool find_usable(const tsi_options *options, ts_device_type device,
                        const char *base, const char *reference, const tsi_corpus *corpus,
                        int *order, bool *usable)
{
    tsi_options o = *options;
    char *path = tsi_backend_path(&o, base);
    bool ok;
    tsi_pool_run pool = {.options = &o,
                         .corpus = corpus,
                         .selected = order,
                         .count = corpus->count,
                         .backend = path,
                         .reference = reference,
                         .result = on_base,
                         .self = usable};

    o.device = device;
    for (int i = 0; i < corpus->count; i++)
        order[i] = i;
    ok = path && tsi_pool_work(&pool);
    free(path);
    return ok;
}

/* How many survived; -1 when one could not be judged. */
static int judge_all(member *members, int count, const tsi_options *o,
                     const char *reference, const tsi_corpus *corpus, bool json)
{
    static const struct {
        const char *name;
        ts_device_type device;
    } bases[] = {{"reference", TS_CPU}, {"reference", TS_ACCEL}, {"cuda-sim", TS_ACCEL}};
    int *order = calloc((size_t)corpus->count + 1, sizeof(*order)), survivors = 0;
    bool *usable = calloc((size_t)corpus->count + 1, sizeof(*usable)),
         ok = order && usable;

    setenv("TOUCHSTONE_ACCEL_STREAMS", "lazy", 1); /* a missing wait shows every time */
    for (int i = 0; i < count && ok; i++)
        ok = read_declaration(&members[i]);
    for (int b = 0; b < 3 && ok; b++) {
        bool known = false;

        for (int i = 0; i < count && ok; i++) {
            if (members[i].device != bases[b].device ||
                strcmp(members[i].base, bases[b].name) != 0)
                continue;
            if (!known)
                ok = find_usable(o, bases[b].device, bases[b].name, reference, corpus,
                                 order, usable);
            known = true;
            ok = ok && judge_member(&members[i], o, reference, corpus, usable, order) &&
                 !tsi_interrupted();
            if (!ok)
                break;
            survivors += !members[i].killed;
            print_member(&members[i], json);
        }
    }
    free(order);
    free(usable);
    return ok ? survivors : -1;
}

int tsi_verb_zoo(const tsi_options *o, bool json, int nnames, char *const *names)
{
    tsi_corpus corpus;
    member *members;
    char *reference;
    int count, survivors;

    members = find_members(nnames, names, &count);
    if (count == 0)
        return 2;
    reference = tsi_backend_path(o, "reference");
    if (!reference || !tsi_corpus_load(&corpus, o->golden, 0, NULL)) {
        free(reference);
        free(members);
        return 2;
    }
    if (!tsi_corpus_ready(&corpus, NULL, corpus.count)) {
        tsi_corpus_free(&corpus);
        free(reference);
        free(members);
        return 2;
    }
    setenv("TOUCHSTONE_REFERENCE", reference, 1); /* what the members lean on */
    survivors = judge_all(members, count, o, reference, &corpus, json);
    if (!json && survivors >= 0)
        printf("%d members, %d killed, %d survived\n", count, count - survivors,
               survivors);
    free(reference);
    free(members);
    tsi_corpus_free(&corpus);
    return survivors < 0 ? 2 : survivors > 0;
}
