/* SPDX-License-Identifier: Apache-2.0 */
/* The software accelerator's memory: a capacity, allocations, and virtual memory under
 * them. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/accel.h"

#define SPACE ((size_t)1 << 38) /* 256 GiB of addresses */
#define DEFAULT_CAPACITY ((size_t)1 << 30)

/* Physical memory: a stretch of the memory file. */
struct tsd_handle {
    int refs; /* its creator's, and one for each mapping */
    off_t at;
    size_t bytes;
};

/* A stretch of addresses, in ascending order. Reserved ones hold mappings; a plain
 * allocation is a reservation with one accessible mapping. */
typedef struct range {
    struct range *next;
    size_t at, bytes;
    bool plain;
} range;

typedef struct mapping {
    struct mapping *next;
    size_t at, bytes;
    tsd_handle *handle;
    bool accessible;
} mapping;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *device_base,
    *memory_base; /* where the host may not look; where work looks */
static int file = -1;
static off_t file_end;
static size_t capacity, used;
static range *ranges;
static mapping *mappings;

static size_t round_to(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static ts_status open_locked(void)
{
    const char *text = getenv("TOUCHSTONE_ACCEL_MEMORY");

    if (device_base)
        return TS_OK;
    capacity = text ? (size_t)strtoull(text, NULL, 10) : DEFAULT_CAPACITY;
    file = memfd_create("touchstone-accel", MFD_CLOEXEC);
    device_base =
        mmap(NULL, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    memory_base =
        mmap(NULL, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (file < 0 || device_base == MAP_FAILED || memory_base == MAP_FAILED) {
        device_base = NULL;
        return ts_fail(TS_ERR_RUNTIME, NULL,
                       "the software accelerator got no address space");
    }
    return TS_OK;
}

ts_status tsi_accel_memory_open(void)
{
    ts_status s;

    pthread_mutex_lock(&lock);
    s = open_locked();
    pthread_mutex_unlock(&lock);
    return s;
}

static size_t offset_of(ts_devptr p)
{
    return (size_t)(p - (ts_devptr)(uintptr_t)device_base);
}

static ts_devptr pointer_of(size_t at)
{
    return (ts_devptr)(uintptr_t)(device_base + at);
}

static range *range_at(size_t at)
{
    for (range *r = ranges; r; r = r->next)
        if (r->at <= at && at < r->at + r->bytes)
            return r;
    return NULL;
}

void *tsi_accel_resolve(ts_devptr p, size_t bytes)
{
    size_t at = offset_of(p);
    const size_t end = at + bytes;
    void *found = memory_base + at;

    pthread_mutex_lock(&lock);
    while (found && at < end) { /* a stretch may cross several mappings */
        const mapping *m = mappings;

        while (m && !(m->at <= at && at < m->at + m->bytes))
            m = m->next;
        if (!m || !m->accessible)
            found = NULL;
        else
            at = m->at + m->bytes;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* The first gap of `bytes` behind `from`: addresses ascend, so a freed one is not met
 * again soon. */
static ts_status reserve(size_t bytes, bool plain, range **out)
{
    static size_t cursor = 0;
    range **link = &ranges, *r;
    size_t at = cursor;

    for (int wrapped = 0;; at = 0, link = &ranges) {
        for (; *link && (*link)->at < at + bytes; link = &(*link)->next)
            if ((*link)->at + (*link)->bytes > at)
                at = (*link)->at + (*link)->bytes;
        if (at + bytes <= SPACE)
            break;
        TS_CHECK(!wrapped++, TS_ERR_OUT_OF_MEMORY, NULL,
                 "no %zu bytes of device addresses in a row", bytes);
    }
    r = malloc(sizeof *r);
    TS_CHECK(r, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a range of addresses");
    *r = (range){*link, at, bytes, plain};
    *link = r;
    cursor = at + bytes;
    *out = r;
    return TS_OK;
}

static void unreserve(range *r)
{
    range **link = &ranges;

    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    free(r);
}

static ts_status create(size_t bytes, tsd_handle **out)
{
    tsd_handle *h;

    TS_CHECK(bytes <= capacity - used, TS_ERR_OUT_OF_MEMORY, NULL,
             "out of memory: %zu bytes wanted, %zu of %zu free", bytes, capacity - used,
             capacity);
    h = malloc(sizeof *h);
    TS_CHECK(h, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a handle");
    *h = (tsd_handle){1, file_end, bytes};
    if (ftruncate(file, file_end + (off_t)bytes) != 0) {
        free(h);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "the memory file can't grow");
    }
    file_end += (off_t)bytes;
    used += bytes;
    *out = h;
    return TS_OK;
}

static void drop(tsd_handle *h)
{
    if (--h->refs > 0)
        return;
    used -= h->bytes;
    (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, h->at,
                    (off_t)h->bytes);
    free(h);
}

static ts_status map(size_t at, tsd_handle *h, bool accessible)
{
    mapping *m = malloc(sizeof *m);

    TS_CHECK(m, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a mapping");
    if (mmap(memory_base + at, h->bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE,
             MAP_SHARED | MAP_FIXED, file, h->at) == MAP_FAILED) {
        free(m);
        return ts_fail(TS_ERR_RUNTIME, NULL, "mapping %zu bytes failed", h->bytes);
    }
    *m = (mapping){mappings, at, h->bytes, h, accessible};
    mappings = m;
    h->refs++;
    return TS_OK;
}

static void unmap(mapping **link)
{
    mapping *m = *link;

    *link = m->next;
    mmap(memory_base + m->at, m->bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    drop(m->handle);
    free(m);
}

static ts_status alloc_locked(size_t bytes, ts_devptr *out)
{
    const size_t whole = round_to(bytes ? bytes : 1, (size_t)sysconf(_SC_PAGESIZE));
    tsd_handle *h;
    range *r;
    ts_status s;

    TS_TRY(open_locked());
    TS_TRY(create(whole, &h));
    s = reserve(whole, true, &r);
    if (s == TS_OK) {
        s = map(r->at, h, true);
        if (s == TS_OK)
            *out = pointer_of(r->at);
        else
            unreserve(r);
    }
    drop(h);
    return s;
}

ts_status tsi_accel_alloc(int device, size_t bytes, ts_devptr *out)
{
    ts_status s;

    (void)device;
    pthread_mutex_lock(&lock);
    s = alloc_locked(bytes, out);
    pthread_mutex_unlock(&lock);
    return s;
}

static ts_status free_locked(ts_devptr p)
{
    mapping **link = &mappings;
    range *r = device_base ? range_at(offset_of(p)) : NULL;

    TS_CHECK(r && r->plain && r->at == offset_of(p), TS_ERR_VALUE, NULL,
             "free of %#llx, which is no allocation", (unsigned long long)p);
    while ((*link)->at != r->at)
        link = &(*link)->next;
    unmap(link);
    unreserve(r);
    return TS_OK;
}

ts_status tsi_accel_free(int device, ts_devptr p)
{
    ts_status s, done = tsi_accel_settle();

    (void)device;
    pthread_mutex_lock(&lock);
    s = free_locked(p);
    pthread_mutex_unlock(&lock);
    return s != TS_OK ? s : done;
}

ts_status tsi_accel_info(int device, size_t *free_bytes, size_t *total_bytes)
{
    (void)device;
    TS_TRY(tsi_accel_memory_open());
    pthread_mutex_lock(&lock);
    *free_bytes = capacity - used;
    *total_bytes = capacity;
    pthread_mutex_unlock(&lock);
    return TS_OK;
}

size_t tsi_accel_granularity(int device)
{
    (void)device;
    return TSI_ACCEL_GRANULARITY;
}

static ts_status aligned(const char *what, size_t bytes)
{
    TS_CHECK(bytes > 0 && bytes % TSI_ACCEL_GRANULARITY == 0, TS_ERR_VALUE, NULL,
             "%s: %zu is not a positive multiple of %zu bytes", what, bytes,
             TSI_ACCEL_GRANULARITY);
    return TS_OK;
}

ts_status tsi_accel_address_reserve(int device, size_t bytes, ts_devptr *out)
{
    range *r = NULL;
    ts_status s;

    (void)device;
    TS_TRY(aligned("reserve", bytes));
    pthread_mutex_lock(&lock);
    s = open_locked();
    if (s == TS_OK) /* room to align the start */
        s = reserve(bytes + TSI_ACCEL_GRANULARITY, false, &r);
    if (s == TS_OK) {
        r->at = round_to(r->at, TSI_ACCEL_GRANULARITY);
        r->bytes = bytes;
        *out = pointer_of(r->at);
    }
    pthread_mutex_unlock(&lock);
    return s;
}

static ts_status address_free_locked(size_t at, size_t bytes)
{
    range *r = range_at(at);

    TS_CHECK(r && !r->plain && r->at == at && r->bytes == bytes, TS_ERR_VALUE, NULL,
             "address free: %zu bytes there are no reservation", bytes);
    for (const mapping *m = mappings; m; m = m->next)
        TS_CHECK(m->at + m->bytes <= at || m->at >= at + bytes, TS_ERR_VALUE, NULL,
                 "address free: part of the range is still mapped");
    unreserve(r);
    return TS_OK;
}

ts_status tsi_accel_address_free(int device, ts_devptr p, size_t bytes)
{
    ts_status s;

    (void)device;
    pthread_mutex_lock(&lock);
    s = address_free_locked(offset_of(p), bytes);
    pthread_mutex_unlock(&lock);
    return s;
}

ts_status tsi_accel_handle_create(int device, size_t bytes, tsd_handle **out)
{
    ts_status s;

    (void)device;
    TS_TRY(aligned("create", bytes));
    pthread_mutex_lock(&lock);
    s = open_locked();
    if (s == TS_OK)
        s = create(bytes, out);
    pthread_mutex_unlock(&lock);
    return s;
}

ts_status tsi_accel_handle_release(int device, tsd_handle *h)
{
    (void)device;
    pthread_mutex_lock(&lock);
    drop(h);
    pthread_mutex_unlock(&lock);
    return TS_OK;
}

static ts_status map_locked(size_t at, size_t bytes, tsd_handle *h)
{
    const range *r = range_at(at);

    TS_CHECK(r && !r->plain && at + bytes <= r->at + r->bytes, TS_ERR_VALUE, NULL,
             "map: the addresses are not reserved");
    TS_CHECK(bytes == h->bytes && at % TSI_ACCEL_GRANULARITY == 0, TS_ERR_VALUE, NULL,
             "map: %zu bytes at an offset of %zu, the handle has %zu", bytes, at,
             h->bytes);
    for (const mapping *m = mappings; m; m = m->next)
        TS_CHECK(m->at + m->bytes <= at || m->at >= at + bytes, TS_ERR_VALUE, NULL,
                 "map: part of the range is mapped already");
    return map(at, h, false);
}

ts_status tsi_accel_map(int device, ts_devptr p, size_t bytes, tsd_handle *h)
{
    ts_status s;

    (void)device;
    pthread_mutex_lock(&lock);
    s = map_locked(offset_of(p), bytes, h);
    pthread_mutex_unlock(&lock);
    return s;
}

/* Do `what` to each whole mapping of the range; refuse a range that cuts one or has a
 * gap. */
static ts_status each_mapping(size_t at, size_t bytes, bool access)
{
    size_t covered = 0;

    for (const mapping *m = mappings; m; m = m->next) {
        if (m->at + m->bytes <= at || m->at >= at + bytes)
            continue;
        TS_CHECK(m->at >= at && m->at + m->bytes <= at + bytes, TS_ERR_VALUE, NULL,
                 "the range cuts a mapping of %zu bytes", m->bytes);
        covered += m->bytes;
    }
    TS_CHECK(covered == bytes, TS_ERR_VALUE, NULL, "%zu of the %zu bytes are not mapped",
             bytes - covered, bytes);
    for (mapping **link = &mappings; *link;) {
        mapping *m = *link;

        if (m->at + m->bytes <= at || m->at >= at + bytes) {
            link = &m->next;
        } else if (access) {
            m->accessible = true;
            mprotect(memory_base + m->at, m->bytes, PROT_READ | PROT_WRITE);
            link = &m->next;
        } else {
            unmap(link);
        }
    }
    return TS_OK;
}

ts_status tsi_accel_unmap(int device, ts_devptr p, size_t bytes)
{
    ts_status s;

    (void)device;
    pthread_mutex_lock(&lock);
    s = each_mapping(offset_of(p), bytes, false);
    pthread_mutex_unlock(&lock);
    return s;
}

ts_status tsi_accel_set_access(int device, ts_devptr p, size_t bytes)
{
    ts_status s;

    (void)device;
    pthread_mutex_lock(&lock);
    s = each_mapping(offset_of(p), bytes, true);
    pthread_mutex_unlock(&lock);
    return s;
}
