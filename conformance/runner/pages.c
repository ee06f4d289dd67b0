/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/pages.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    GAP = 64 << 10,
    MOST = 1 << 16,
    ALIGNMENT = 64,
    CLASSES = 40, /* pages in powers of two */
    KEPT = 8      /* classes that are used again; larger ones are rare, and memory dear */
};

/* Addresses, not memory: what is in use is made accessible piece by piece. */
static const size_t widest = (size_t)64 << 30;

typedef struct region {
    char *pages, *start; /* `start`: of the buffer, in its pages */
    size_t span, bytes;
    int class_, next; /* the next free one, from 1 */
} region;

static region regions[MOST]; /* by address */
static int count, shelves[CLASSES], turn;
static char *base, *end, *next;

static bool reserve(void)
{
    size_t size = widest;
    void *p = MAP_FAILED;

    for (; p == MAP_FAILED && size > GAP; size /= 2) {
        p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                 0);
        if (p == MAP_FAILED)
            continue;
        base = next = p;
        end = base + size;
    }
    return base != NULL;
}

static size_t rounded(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* Every byte as the one before, and that one `byte`; else *at is the first that is not. */
static bool all(const char *p, size_t n, unsigned char byte, size_t *at)
{
    *at = 0;
    if (n == 0 || ((unsigned char)p[0] == byte && memcmp(p, p + 1, n - 1) == 0))
        return true;
    while ((unsigned char)p[*at] == byte)
        ++*at;
    return false;
}

static region *fresh(int class_, size_t span)
{
    region *r = &regions[count];

    if ((!base && !reserve()) || count == MOST ||
        (size_t)(end - next) < 2 * (size_t)GAP || span > (size_t)(end - next) - 2 * GAP)
        return NULL;
    if (mprotect(next + GAP, span, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    *r = (region){.pages = next + GAP, .span = span, .class_ = class_};
    next = r->pages + span;
    count++;
    return r;
}

void *tsi_pages_take(size_t bytes, unsigned char poison, tsi_spoilt *spoilt)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int class_ = 0;
    region *r;

    *spoilt = (tsi_spoilt){TSI_TOUCHED_NOTHING, 0, 0};
    while (class_ < CLASSES - 1 && page << class_ < bytes)
        class_++;
    if (shelves[class_]) {
        r = &regions[shelves[class_] - 1];
        shelves[class_] = r->next;
        if (!all(r->pages, r->span, TSI_GUARD_BYTE, &spoilt->at)) {
            spoilt->where = TSI_TOUCHED_FREED;
            spoilt->bytes = r->bytes;
            memset(r->pages, TSI_GUARD_BYTE, r->span);
        }
    } else {
        r = fresh(class_, page << class_);
        if (!r)
            return NULL;
        memset(r->pages, TSI_GUARD_BYTE, r->span);
    }
    r->bytes = bytes;
    r->start = r->pages + (turn++ % 2 ? 0 : r->span - rounded(bytes, ALIGNMENT));
    memset(r->start, poison, bytes);
    return r->start;
}

bool tsi_pages_own(const void *p)
{
    return base && (const char *)p >= base && (const char *)p < end;
}

/* The last region that begins at or below `p`, or NULL. */
static region *find(const char *p)
{
    int low = 0, high = count;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (regions[middle].pages <= p)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &regions[low - 1] : NULL;
}

void tsi_pages_give_back(void *p, tsi_spoilt *spoilt)
{
    region *r = find(p);
    const size_t head = (size_t)((char *)p - r->pages);
    const char *past = r->start + r->bytes;
    const size_t tail = (size_t)(r->pages + r->span - past);
    size_t at;

    *spoilt = (tsi_spoilt){TSI_TOUCHED_NOTHING, 0, r->bytes};
    if (!all(past, tail, TSI_GUARD_BYTE, &at))
        *spoilt = (tsi_spoilt){TSI_TOUCHED_PAST, at, r->bytes};
    if (!all(r->pages, head, TSI_GUARD_BYTE, &at))
        *spoilt = (tsi_spoilt){TSI_TOUCHED_BEFORE, head - at, r->bytes};
    if (r->class_ >= KEPT) { /* the memory is given back, and its addresses are kept */
        (void)mmap(r->pages, r->span, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        return;
    }
    memset(r->pages, TSI_GUARD_BYTE, r->span);
    r->next = shelves[r->class_];
    shelves[r->class_] = (int)(r - regions) + 1;
}

tsi_touched tsi_pages_touched(const void *address, size_t *at, size_t *bytes)
{
    const char *p = address;
    const region *r, *after;

    *at = *bytes = 0;
    if (!tsi_pages_own(p))
        return TSI_TOUCHED_NOTHING;
    r = find(p);
    after = r ? r + 1 : regions;
    if (after == regions + count)
        after = NULL;
    /* Between two of them: the nearer one's. */
    if (r && (!after || p - (r->pages + r->span) < after->pages - p)) {
        *at = (size_t)(p - (r->start + r->bytes));
        *bytes = r->bytes;
        return TSI_TOUCHED_PAST;
    }
    if (!after)
        return TSI_TOUCHED_NOTHING;
    *at = (size_t)(after->start - p);
    *bytes = after->bytes;
    return TSI_TOUCHED_BEFORE;
}
