/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/guard.h"

#include "runner/pages.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __linux__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>

#define ZONE 128   /* bytes before and after every block; keeps data aligned to 64 */
#define SMALLEST 6 /* blocks are powers of two from 64 bytes … */
#define CLASSES 19 /* … to 16 MiB; larger ones are as large as asked, and not kept */

/* A free block between two intact zones, every byte of it as the poison was when it came
 * back. */
typedef struct block {
    char *at;
    unsigned char byte;
} block;

/* Free blocks of one size. */
typedef struct shelf {
    block *blocks;
    size_t count, room;
} shelf;

static shelf shelves[CLASSES];
static unsigned char poison = TSI_POISON_FIRST;
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

/* The bytes of a block for this many, between its zones. */
static size_t room_for(size_t bytes)
{
    const size_t room = class_bytes(class_of(bytes));

    return bytes > room ? bytes : room;
}

/* The first byte of p[0..n) that is not `byte`, or n. */
static size_t first_other(const char *p, size_t n, unsigned char byte)
{
    size_t i = 0;

    if (n == 0 || ((unsigned char)p[0] == byte && memcmp(p, p + 1, n - 1) == 0))
        return n; /* each byte is as the one before */
    while ((unsigned char)p[i] == byte)
        i++;
    return i;
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
    void *p = tsi_pages_take(bytes, poison, &spoilt);

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
    const size_t room = room_for(bytes);
    shelf *s = &shelves[class_of(bytes)];
    char *p;

    if (bytes > SIZE_MAX / 2 || (int64_t)bytes > limit - held)
        return NULL;
    p = apart ? take_pages(bytes) : NULL;
    if (p)
        return p;
    if (room == class_bytes(class_of(bytes)) && s->count > 0) {
        const block b = s->blocks[--s->count];
        const size_t bad = first_other(b.at, room, b.byte);

        if (bad < room)
            report("byte %zu of a storage was written after it was freed (block of %zu "
                   "bytes)",
                   bad, room);
        if (bad < room || b.byte != poison)
            memset(b.at, poison, room);
        p = b.at;
    } else {
        char *fresh = NULL;

        if (posix_memalign((void **)&fresh, 64, room + 2 * ZONE) != 0)
            return NULL;
        memset(fresh, TSI_GUARD_BYTE, ZONE);
        p = fresh + ZONE;
        memset(p, poison, room);
        memset(p + room, TSI_GUARD_BYTE, ZONE);
    }
    memset(p + bytes, TSI_GUARD_BYTE, room - bytes);
    held += (int64_t)bytes;
    return p;
}

static void give_back(char *p, size_t bytes)
{
    const size_t room = room_for(bytes), after = room - bytes + ZONE;
    shelf *s = &shelves[class_of(bytes)];
    size_t bad = first_other(p - ZONE, ZONE, TSI_GUARD_BYTE);

    if (bad < ZONE) {
        report("byte %zu before the start of a storage of %zu bytes was written",
               ZONE - bad, bytes);
        memset(p - ZONE, TSI_GUARD_BYTE, ZONE);
    }
    bad = first_other(p + bytes, after, TSI_GUARD_BYTE);
    if (bad < after) {
        report("byte %zu past the end of a storage of %zu bytes was written", bad, bytes);
        memset(p + room, TSI_GUARD_BYTE, ZONE);
    }
    held -= (int64_t)bytes;
    if (room > class_bytes(CLASSES - 1)) {
        free(p - ZONE);
        return;
    }
    memset(p, poison, room);
    if (s->count == s->room) {
        const size_t more = s->room ? 2 * s->room : 16;
        block *grown = realloc(s->blocks, more * sizeof(*grown));

        if (!grown) {
            free(p - ZONE);
            return;
        }
        s->blocks = grown;
        s->room = more;
    }
    s->blocks[s->count++] = (block){.at = p, .byte = poison};
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

    ts_set_allocator(&guard);
    tsi_guard_poison(TSI_POISON_FIRST);
}

void tsi_guard_poison(unsigned char byte)
{
    poison = byte;
#ifdef M_PERTURB
    /* What a backend allocates for itself, too: malloc gives the complement of this. Of
     * NaNs in every dtype that would be zeros, so float16's has to do. */
    mallopt(M_PERTURB, byte == 0xFF ? 0x80 : (unsigned char)~byte);
#endif
}

unsigned char tsi_guard_byte(void)
{
    return poison;
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
