/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/guard.h"

#include "runner/pages.h"

#include <pthread.h>
#include <stdio.h>
#ifdef __linux__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>

#define ZONE 128   /* bytes before and after every block; keeps data aligned to 64 */
#define SMALLEST 6 /* blocks are powers of two from 64 bytes */
#define CLASSES 58

/* Free blocks of one size, each full of poison between two intact zones. */
typedef struct shelf {
    char **blocks;
    size_t count, room;
} shelf;

static shelf shelves[CLASSES];
static unsigned char zone[ZONE], poison[4096];
static char finding[160];
static bool found, apart;
static int64_t limit = INT64_MAX, held;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all of the above */

static int class_of(size_t bytes)
{
    int c = 0;

    while (c < CLASSES - 1 && ((size_t)1 << (c + SMALLEST)) < bytes)
        c++;
    return c;
}

static size_t class_bytes(int c)
{
    return (size_t)1 << (c + SMALLEST);
}

/* The first byte of p[0..n) that is not `byte`, or n. */
static size_t first_other(const char *p, size_t n, const unsigned char *pattern,
                          size_t pattern_size, unsigned char byte)
{
    size_t i = 0;

    for (; i < n; i += pattern_size) {
        const size_t k = n - i < pattern_size ? n - i : pattern_size;

        if (memcmp(p + i, pattern, k) != 0)
            break;
    }
    while (i < n && (unsigned char)p[i] == byte)
        i++;
    return i < n ? i : n;
}

static void report(const char *what, size_t byte, size_t bytes)
{
    char text[140];

    if (found)
        return;
    snprintf(text, sizeof(text), what, byte, bytes);
    snprintf(finding, sizeof(finding), "memory: %s", text);
    found = true;
}

static void report_pages(const tsi_spoilt *s)
{
    if (s->where == TSI_TOUCHED_BEFORE)
        report("byte %zu before the start of a storage of %zu bytes was written", s->at,
               s->bytes);
    else if (s->where == TSI_TOUCHED_PAST)
        report("byte %zu past the end of a storage of %zu bytes was written", s->at,
               s->bytes);
    else if (s->where == TSI_TOUCHED_FREED)
        report("byte %zu of the pages of a storage of %zu bytes was written after it was "
               "freed",
               s->at, s->bytes);
}

static void *take_pages(size_t bytes)
{
    tsi_spoilt spoilt;
    void *p = tsi_pages_take(bytes, TSI_POISON_BYTE, &spoilt);

    report_pages(&spoilt);
    if (p)
        held += (int64_t)bytes;
    return p;
}

static void give_pages_back(void *p, size_t bytes)
{
    tsi_spoilt spoilt;

    tsi_pages_give_back(p, &spoilt);
    report_pages(&spoilt);
    held -= (int64_t)bytes;
}

static void *take(size_t bytes)
{
    const int c = class_of(bytes);
    const size_t room = class_bytes(c);
    shelf *s = &shelves[c];
    char *p;

    if (bytes > room || (int64_t)bytes > limit - held)
        return NULL;
    p = apart ? take_pages(bytes) : NULL;
    if (p)
        return p;
    if (s->count > 0) {
        p = s->blocks[--s->count];
        const size_t bad = first_other(p, room, poison, sizeof(poison), TSI_POISON_BYTE);

        if (bad < room) {
            report("byte %zu of a storage was written after it was freed (block of %zu "
                   "bytes)",
                   bad, room);
            memset(p, TSI_POISON_BYTE, room);
        }
    } else {
        char *block = NULL;

        if (posix_memalign((void **)&block, 64, room + 2 * ZONE) != 0)
            return NULL;
        memset(block, TSI_GUARD_BYTE, ZONE);
        p = block + ZONE;
        memset(p, TSI_POISON_BYTE, room);
        memset(p + room, TSI_GUARD_BYTE, ZONE);
    }
    memset(p + bytes, TSI_GUARD_BYTE, room - bytes);
    held += (int64_t)bytes;
    return p;
}

static void give_back(char *p, size_t bytes)
{
    const int c = class_of(bytes);
    const size_t room = class_bytes(c), after = room - bytes + ZONE;
    shelf *s = &shelves[c];
    size_t bad = first_other(p - ZONE, ZONE, zone, ZONE, TSI_GUARD_BYTE);

    if (bad < ZONE) {
        report("byte %zu before the start of a storage of %zu bytes was written",
               ZONE - bad, bytes);
        memset(p - ZONE, TSI_GUARD_BYTE, ZONE);
    }
    bad = first_other(p + bytes, after, zone, ZONE, TSI_GUARD_BYTE);
    if (bad < after) {
        report("byte %zu past the end of a storage of %zu bytes was written", bad, bytes);
        memset(p + room, TSI_GUARD_BYTE, ZONE);
    }
    memset(p, TSI_POISON_BYTE, room);
    held -= (int64_t)bytes;
    if (s->count == s->room) {
        const size_t more = s->room ? 2 * s->room : 16;
        char **grown = realloc(s->blocks, more * sizeof(*grown));

        if (!grown) {
            free(p - ZONE);
            return;
        }
        s->blocks = grown;
        s->room = more;
    }
    s->blocks[s->count++] = p;
}

static void *guard_alloc(void *self, size_t bytes)
{
    void *p;

    (void)self;
    pthread_mutex_lock(&lock);
    p = take(bytes);
    pthread_mutex_unlock(&lock);
    return p;
}

static void guard_free(void *self, void *data, size_t bytes)
{
    (void)self;
    pthread_mutex_lock(&lock);
    if (tsi_pages_own(data))
        give_pages_back(data, bytes);
    else
        give_back(data, bytes);
    pthread_mutex_unlock(&lock);
}

void tsi_guard_install(void)
{
    static const ts_allocator guard = {.alloc = guard_alloc, .free = guard_free};

    memset(zone, TSI_GUARD_BYTE, sizeof(zone));
    memset(poison, TSI_POISON_BYTE, sizeof(poison));
    ts_set_allocator(&guard);
#ifdef M_PERTURB
    mallopt(M_PERTURB, TSI_POISON_BYTE); /* what a backend allocates for itself, too */
#endif
}

void tsi_guard_pages(bool on)
{
    pthread_mutex_lock(&lock);
    apart = on;
    pthread_mutex_unlock(&lock);
}

void tsi_guard_limit(int64_t bytes)
{
    limit = bytes;
}

const char *tsi_guard_finding(void)
{
    const bool was = found;

    found = false;
    return was ? finding : NULL;
}
