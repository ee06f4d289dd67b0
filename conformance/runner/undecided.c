/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/undecided.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runner/text.h"

static const char what[] =
    "# touchstone undecided 1: cases that hold whatever kernels give, as "
    "touchstone sensitivity --write measured\n";

/* What stands above the ids; caller frees. */
static char *head_of(const tsi_golden *g)
{
    tsi_text t = {0};

    tsi_text_format(&t, "%s# text: sha256:%s\n", what, g->cases->text_sha256);
    return tsi_text_take(&t);
}

/* "page.cases" with another end; caller frees. */
static char *path_of(const tsi_golden *g)
{
    const size_t stem = strlen(g->path) - strlen(".cases");
    tsi_text t = {0};

    tsi_text_add(&t, g->path, stem);
    tsi_text_format(&t, ".undecided");
    return tsi_text_take(&t);
}

int tsi_by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Cut the lines from `at` on into ids. */
static bool cut(tsi_undecided *l, char *at)
{
    int lines = 0;

    for (const char *p = at; *p; p++)
        lines += *p == '\n';
    l->ids = calloc((size_t)lines + 1, sizeof(*l->ids));
    if (!l->ids)
        return false;
    for (char *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        if (l->count > 0 && strcmp(l->ids[l->count - 1], at) >= 0)
            return false; /* not what was written */
        l->ids[l->count++] = at;
    }
    return *at == '\0';
}

bool tsi_undecided_read(const tsi_golden *g, tsi_undecided *l)
{
    char *path, *head;
    bool ok = false;

    tsi_undecided_free(l);
    if (g->named || !g->cases->text_sha256)
        return false;
    path = path_of(g);
    head = head_of(g);
    if (path && head && tsi_is_file(path))
        l->text = tsi_read_text(path);
    if (l->text && strncmp(l->text, head, strlen(head)) == 0)
        ok = cut(l, l->text + strlen(head));
    free(path);
    free(head);
    return ok;
}

bool tsi_undecided_holds(const tsi_undecided *l, const char *id)
{
    return l->count > 0 &&
           bsearch(&id, l->ids, (size_t)l->count, sizeof(*l->ids), tsi_by_bytes);
}

bool tsi_undecided_write(const tsi_golden *g, char *const *ids, int count)
{
    char *path = path_of(g), *head = head_of(g);
    FILE *f = path && head ? fopen(path, "w") : NULL;
    bool ok = f != NULL;

    if (f)
        fputs(head, f);
    for (int i = 0; f && i < count; i++)
        fprintf(f, "%s\n", ids[i]);
    if (f)
        ok = fclose(f) == 0;
    if (!ok)
        tsi_complain("%s: %s", path ? path : g->path, strerror(errno));
    free(path);
    free(head);
    return ok;
}

void tsi_undecided_free(tsi_undecided *l)
{
    free(l->text);
    free(l->ids);
    *l = (tsi_undecided){0};
}
