/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/slowest.h"

#include <stdlib.h>
#include <string.h>

bool tsi_slowest_start(tsi_slowest *s)
{
    s->of = calloc((size_t)s->most + 1, sizeof(*s->of));
    return s->of != NULL;
}

void tsi_slowest_add(tsi_slowest *s, const char *id, double ms)
{
    int at = s->count;

    while (at > 0 && s->of[at - 1].ms < ms)
        at--;
    if (at == s->most)
        return;
    s->count += s->count < s->most;
    memmove(s->of + at + 1, s->of + at, (size_t)(s->count - 1 - at) * sizeof(*s->of));
    s->of[at] = (struct tsi_slow){ms, id};
}

void tsi_slowest_print(const tsi_slowest *s, FILE *f)
{
    for (int i = 0; i < s->count; i++)
        fprintf(f, "%10.1f ms  %s\n", s->of[i].ms, s->of[i].id);
}

void tsi_slowest_free(tsi_slowest *s)
{
    free(s->of);
    s->of = NULL;
}
