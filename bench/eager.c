/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one eager call costs, in ns of processor time. Every repeat takes each row once, in
 * turn, and a plain copy of the same bytes between them as the machine's limit; results
 * are checked before any timing. bench/eager.py sets the same calls beside PyTorch's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "paths.h"

enum { REPEATS = 15, TARGET_NS = 4000000, MOST_ROWS = 16, SMALL = 16, LARGE = 1 << 16 };

static const char usage[] =
    "usage: eager [--json FILE]             every row, in turn\n"
    "       eager ROW [--iterations N]      one row in a loop, for perf and callgrind\n"
    "       eager --check                   the rows' results, without a clock\n"
    "       eager --serve                   answer each line \"ROW TIMES\" with ns a "
    "call\n"
    "  --reference FILE   the backend (default: the one built beside this program)\n"
    "  --size N           elements (default: 16; every row: 16 and 65536)\n";

typedef struct options {
    const char *row, *json;
    char reference[4096];
    int64_t iterations, size;
    bool check, serve;
} options;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void tell(FILE *json, int64_t n, double (*t)[REPEATS])
{
    const double limit = 8 * (double)n / t[0][REPEATS / 2];

    for (int k = 0; k < paths_count; k++) {
        const paths_row *row = &paths[k];
        const double median = t[k][REPEATS / 2];
        const double *peer = row->peer ? t[paths_find(row->peer) - paths] : NULL;
        const double ratio = peer ? peer[REPEATS / 2] / median : 0;

        printf("%-26s [%7lld]  median %10.1f  min %10.1f  max %10.1f ns", row->name,
               (long long)n, median, t[k][0], t[k][REPEATS - 1]);
        if (peer)
            printf("  %.2f of %s", ratio, paths_find(row->peer)->name);
        putchar('\n');
        if (!json)
            continue;
        fprintf(json,
                "{\"name\":\"%s\",\"shape\":[%lld],\"dtype\":\"float32\",\"unit\":\"ns\","
                "\"better\":\"lower\",\"median\":%.3f,\"min\":%.3f,\"max\":%.3f,"
                "\"repeats\":%d,\"checked\":true",
                row->name, (long long)n, median, t[k][0], t[k][REPEATS - 1], REPEATS);
        if (row->bytes)
            fprintf(
                json,
                ",\"formula\":\"%s\",\"rate\":%.4f,\"limit\":%.4f,"
                "\"limit_unit\":\"GB/s\",\"limit_name\":\"memcpy of as many elements\"",
                row->formula, row->bytes * (double)n / median, limit);
        if (peer)
            fprintf(json,
                    ",\"peer\":\"%s\",\"ratio\":%.4f,\"ratio_of_minima\":%.4f,"
                    "\"floor\":%.2f",
                    paths_find(row->peer)->name, ratio, peer[0] / t[k][0], row->floor);
        fputs("}\n", json);
    }
}

static ts_status measure(int64_t n, FILE *json)
{
    double t[MOST_ROWS][REPEATS], once;
    int64_t times[MOST_ROWS];
    paths_state s;

    TS_TRY(paths_new(&s, n));
    TS_TRY(paths_check(&s));
    for (int k = 0; k < paths_count; k++) {
        TS_TRY(paths_time(&paths[k], &s, 3, &once)); /* warms up too */
        times[k] = 1 + (int64_t)(TARGET_NS / (once + 1));
        times[k] = times[k] > 20000 ? 20000 : times[k];
    }
    for (int r = 0; r < REPEATS; r++)
        for (int k = 0; k < paths_count; k++)
            TS_TRY(paths_time(&paths[k], &s, times[k], &t[k][r]));
    for (int k = 0; k < paths_count; k++)
        qsort(t[k], REPEATS, sizeof t[k][0], by_size);
    tell(json, n, t);
    paths_free(&s);
    return TS_OK;
}

static void machine(FILE *json)
{
    char line[256], model[128] = "unknown";
    FILE *f = fopen("/proc/cpuinfo", "r");

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "model name : %127[^\n\"\\]", model) == 1)
            break;
    if (f)
        fclose(f);
    fprintf(json,
            "{\"perf\":1,\"suite\":\"eager\",\"machine\":\"%s, %ld processors\","
            "\"build\":\"reference, %s\"}\n",
            model, sysconf(_SC_NPROCESSORS_ONLN), __VERSION__);
}

static ts_status every_row(const options *o)
{
    FILE *json = o->json ? fopen(o->json, "w") : NULL;

    TS_CHECK(json || !o->json, TS_ERR_RUNTIME, NULL, "%s: can't be written", o->json);
    if (json)
        machine(json);
    TS_TRY(measure(o->size ? o->size : SMALL, json));
    if (!o->size)
        TS_TRY(measure(LARGE, json));
    TS_CHECK(!json || fclose(json) == 0, TS_ERR_RUNTIME, NULL, "%s: can't be written",
             o->json);
    return TS_OK;
}

static ts_status one_row(const options *o, const paths_row *row, paths_state *s)
{
    double ns;

    TS_TRY(paths_time(row, s, o->iterations, &ns));
    printf("%s [%lld] %.1f ns a call, %lld calls\n", row->name, (long long)s->n, ns,
           (long long)o->iterations);
    return TS_OK;
}

/* For bench/eager.py: first a line that says what this is, then an answer a line. */
static ts_status serve(paths_state *s)
{
    char key[32];
    long long times;
    double ns;

    printf("compiler %s\n", __VERSION__);
    fflush(stdout);
    while (scanf("%31s %lld", key, &times) == 2) {
        const paths_row *row = paths_find(key);

        TS_CHECK(row && times > 0, TS_ERR_VALUE, NULL, "no row %s, or not so often", key);
        TS_TRY(paths_time(row, s, times / 10 + 1, &ns)); /* warms up */
        TS_TRY(paths_time(row, s, times, &ns));
        printf("%.4f\n", ns);
        fflush(stdout);
    }
    return TS_OK;
}

static ts_status run(const options *o)
{
    const paths_row *row = o->row ? paths_find(o->row) : NULL;
    paths_state s;

    TS_CHECK(row || !o->row, TS_ERR_VALUE, NULL, "no row named %s", o->row);
    TS_TRY(paths_open(o->reference));
    if (!row && !o->check && !o->serve)
        return every_row(o);
    TS_TRY(paths_new(&s, o->size ? o->size : SMALL));
    TS_TRY(paths_check(&s));
    if (row)
        TS_TRY(one_row(o, row, &s));
    if (o->serve)
        TS_TRY(serve(&s));
    paths_free(&s);
    return TS_OK;
}

/* BUILD/bench/eager -> BUILD/ref/libtouchstone_reference.so */
static void reference_beside(char *out, size_t size)
{
    char self[2048] = "";
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = n > 0 ? strrchr(self, '/') : NULL;

    if (slash)
        *slash = '\0';
    snprintf(out, size, "%s/../ref/libtouchstone_reference.so", slash ? self : ".");
}

static bool number(const char *text, int64_t *out)
{
    char *end;

    *out = strtoll(text, &end, 10);
    return *text && !*end && *out > 0;
}

static bool take(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(argv[i], "--check") == 0) {
            o->check = true;
        } else if (strcmp(argv[i], "--serve") == 0) {
            o->serve = true;
        } else if (argv[i][0] != '-' && !o->row) {
            o->row = argv[i];
        } else if (!value) {
            return false;
        } else {
            i++;
            if (strcmp(argv[i - 1], "--json") == 0)
                o->json = value;
            else if (strcmp(argv[i - 1], "--reference") == 0)
                snprintf(o->reference, sizeof o->reference, "%s", value);
            else if (strcmp(argv[i - 1], "--iterations") != 0 &&
                     strcmp(argv[i - 1], "--size") != 0)
                return false;
            else if (!number(value, strcmp(argv[i - 1], "--size") == 0 ? &o->size
                                                                       : &o->iterations))
                return false;
        }
    }
    return o->row || o->iterations == 0;
}

int main(int argc, char **argv)
{
    options o = {0};

    reference_beside(o.reference, sizeof o.reference);
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        for (int k = 0; k < paths_count; k++)
            printf("%s%s", k ? " " : "rows: ", paths[k].key);
        putchar('\n');
        return 0;
    }
    if (!take(argc, argv, &o)) {
        fputs(usage, stderr);
        return 2;
    }
    if (!o.iterations)
        o.iterations = 1000000;
    if (run(&o) != TS_OK) {
        fprintf(stderr, "eager: %s\n", ts_error_message());
        return 1;
    }
    return 0;
}
