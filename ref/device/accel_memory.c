/* SPDX-License-Identifier: Apache-2.0 */
/* The software accelerator's memory: a capacity for each device, allocations, and virtual
 * memory under them. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/accel.h"

#define SPACE ((size_t)1 << 36) /* 64 GiB of addresses a device */
#define DEFAULT_CAPACITY ((size_t)1 << 30)

/* Physical memory: a stretch of a memory file. */
struct tsd_handle {
    tsd_handle *next; /* of those with a file of their own */
    int refs;         /* its creators', and one for each mapping */
    int device;       /* whose memory it is; of another process: -1 */
    int file;         /* the device's, or its own */
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
    unsigned access; /* bit per device whose work may use it */
    bool plain;      /* the device's peers may as well */
} mapping;

/* Addresses of one device: where the host may not look, and where work looks. */
typedef struct space {
    char *device_base, *memory_base;
    int file;
    off_t file_end;
    size_t capacity, used, cursor;
    range *ranges;
    mapping *mappings;
    unsigned peers; /* bit per device whose work may use the plain memory here */
} space;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static space spaces[TS_ACCEL_MAX_DEVICES];
static tsd_handle *shared_handles;

static size_t round_to(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static void *no_access(size_t bytes)
{
    void *p =
        mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

static ts_status open_locked(int device, space **out)
{
    const char *text = getenv("TOUCHSTONE_ACCEL_MEMORY");
    space *d = &spaces[device];

    *out = d;
    if (d->device_base)
        return TS_OK;
    d->capacity = text ? (size_t)strtoull(text, NULL, 10) : DEFAULT_CAPACITY;
    d->file = memfd_create("touchstone-accel", MFD_CLOEXEC);
    d->memory_base = no_access(SPACE);
    d->device_base = d->memory_base && d->file >= 0 ? no_access(SPACE) : NULL;
    TS_CHECK(d->device_base, TS_ERR_RUNTIME, NULL,
             "the software accelerator got no address space");
    return TS_OK;
}

/* The device in whose space p lies, or NULL. */
static space *space_of(ts_devptr p)
{
    for (int i = 0; i < TS_ACCEL_MAX_DEVICES; i++) {
        const ts_devptr base = (ts_devptr)(uintptr_t)spaces[i].device_base;

        if (base && base <= p && p < base + SPACE)
            return &spaces[i];
    }
    return NULL;
}

static size_t offset_of(const space *d, ts_devptr p)
{
    return (size_t)(p - (ts_devptr)(uintptr_t)d->device_base);
}

static ts_devptr pointer_of(const space *d, size_t at)
{
    return (ts_devptr)(uintptr_t)(d->device_base + at);
}

static range *range_at(const space *d, size_t at)
{
    for (range *r = d->ranges; r; r = r->next)
        if (r->at <= at && at < r->at + r->bytes)
            return r;
    return NULL;
}

static bool may_use(const space *d, const mapping *m, int device)
{
    const unsigned all = m->access | (m->plain ? d->peers : 0);

    return device < 0 ? all != 0 : all >> device & 1;
}

void *tsi_accel_resolve(int device, ts_devptr p, size_t bytes)
{
    void *found = NULL;
    const space *d;

    pthread_mutex_lock(&lock);
    d = space_of(p);
    if (d) {
        size_t at = offset_of(d, p);
        const size_t end = at + bytes;

        found = d->memory_base + at;
        while (found && at < end) { /* a stretch may cross several mappings */
            const mapping *m = d->mappings;

            while (m && !(m->at <= at && at < m->at + m->bytes))
                m = m->next;
            if (!m || !may_use(d, m, device))
                found = NULL;
            else
                at = m->at + m->bytes;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* The first gap of `bytes` behind the last one found: addresses ascend, so a freed one is
 * not met again soon. */
static ts_status reserve(space *d, size_t bytes, bool plain, range **out)
{
    range **link = &d->ranges, *r;
    size_t at = d->cursor;

    for (int wrapped = 0;; at = 0, link = &d->ranges) {
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
    d->cursor = at + bytes;
    *out = r;
    return TS_OK;
}

static void unreserve(space *d, range *r)
{
    range **link = &d->ranges;

    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    free(r);
}

/* A handle of memory yet to be found; its device is charged. */
static ts_status handle_new(int device, size_t bytes, tsd_handle **out)
{
    space *d;
    tsd_handle *h;

    TS_TRY(open_locked(device, &d));
    TS_CHECK(bytes <= d->capacity - d->used, TS_ERR_OUT_OF_MEMORY, NULL,
             "out of memory: %zu bytes wanted, %zu of %zu free", bytes,
             d->capacity - d->used, d->capacity);
    h = calloc(1, sizeof *h);
    TS_CHECK(h, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a handle");
    *h = (tsd_handle){.refs = 1, .device = device, .file = d->file, .bytes = bytes};
    d->used += bytes;
    *out = h;
    return TS_OK;
}

/* Memory of the device's own file. */
static ts_status create(int device, size_t bytes, tsd_handle **out)
{
    space *d = &spaces[device];

    TS_TRY(handle_new(device, bytes, out));
    (*out)->at = d->file_end;
    if (ftruncate(d->file, d->file_end + (off_t)bytes) != 0) {
        d->used -= bytes;
        free(*out);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "the memory file can't grow");
    }
    d->file_end += (off_t)bytes;
    return TS_OK;
}

static void share(tsd_handle *h)
{
    h->next = shared_handles;
    shared_handles = h;
}

/* Memory of a file that is its alone, so that it can be given away. */
static ts_status create_shared(int device, size_t bytes, tsd_handle **out)
{
    tsd_handle *h;

    TS_TRY(handle_new(device, bytes, &h));
    h->file = memfd_create("touchstone-handle", MFD_CLOEXEC);
    if (h->file < 0 || ftruncate(h->file, (off_t)bytes) != 0) {
        if (h->file >= 0)
            close(h->file);
        spaces[device].used -= bytes;
        free(h);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "there is no file for a handle");
    }
    share(h);
    *out = h;
    return TS_OK;
}

static void drop(tsd_handle *h)
{
    tsd_handle **link = &shared_handles;

    if (--h->refs > 0)
        return;
    if (h->device >= 0)
        spaces[h->device].used -= h->bytes;
    while (*link && *link != h)
        link = &(*link)->next;
    if (*link) {
        *link = h->next;
        close(h->file);
    } else {
        (void)fallocate(h->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, h->at,
                        (off_t)h->bytes);
    }
    free(h);
}

/* Map h at an offset of d; without `access` nobody may look yet. */
static ts_status map(space *d, size_t at, tsd_handle *h, unsigned access)
{
    mapping *m = malloc(sizeof *m);

    TS_CHECK(m, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a mapping");
    if (mmap(d->memory_base + at, h->bytes, access ? PROT_READ | PROT_WRITE : PROT_NONE,
             MAP_SHARED | MAP_FIXED, h->file, h->at) == MAP_FAILED) {
        free(m);
        return ts_fail(TS_ERR_RUNTIME, NULL, "mapping %zu bytes failed", h->bytes);
    }
    *m = (mapping){d->mappings, at, h->bytes, h, access, access != 0};
    d->mappings = m;
    h->refs++;
    return TS_OK;
}

static void unmap(space *d, mapping **link)
{
    mapping *m = *link;

    *link = m->next;
    mmap(d->memory_base + m->at, m->bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    drop(m->handle);
    free(m);
}

static ts_status alloc_locked(int device, size_t bytes, ts_devptr *out)
{
    const size_t whole = round_to(bytes ? bytes : 1, (size_t)sysconf(_SC_PAGESIZE));
    space *d = &spaces[device];
    tsd_handle *h;
    range *r;
    ts_status s;

    TS_TRY(open_locked(device, &d));
    TS_TRY(create(device, whole, &h));
    s = reserve(d, whole, true, &r);
    if (s == TS_OK) {
        s = map(d, r->at, h, 1u << device);
        if (s == TS_OK)
            *out = pointer_of(d, r->at);
        else
            unreserve(d, r);
    }
    drop(h);
    return s;
}

ts_status tsi_accel_alloc(int device, size_t bytes, ts_devptr *out)
{
    ts_status s;

    TS_TRY(tsi_accel_check(device));
    pthread_mutex_lock(&lock);
    s = alloc_locked(device, bytes, out);
    pthread_mutex_unlock(&lock);
    return s;
}

static ts_status free_locked(ts_devptr p)
{
    space *d = space_of(p);
    range *r = d ? range_at(d, offset_of(d, p)) : NULL;
    mapping **link;

    TS_CHECK(r && r->plain && r->at == offset_of(d, p), TS_ERR_VALUE, NULL,
             "free of %#llx, which is no allocation", (unsigned long long)p);
    for (link = &d->mappings; (*link)->at != r->at; link = &(*link)->next)
        ;
    unmap(d, link);
    unreserve(d, r);
    return TS_OK;
}

ts_status tsi_accel_free(int device, ts_devptr p)
{
    ts_status s, done = tsi_accel_settle(device);

    pthread_mutex_lock(&lock);
    s = free_locked(p);
    pthread_mutex_unlock(&lock);
    return s != TS_OK ? s : done;
}

ts_status tsi_accel_info(int device, size_t *free_bytes, size_t *total_bytes)
{
    space *d;
    ts_status s;

    TS_TRY(tsi_accel_check(device));
    pthread_mutex_lock(&lock);
    s = open_locked(device, &d);
    if (s == TS_OK) {
        *free_bytes = d->capacity - d->used;
        *total_bytes = d->capacity;
    }
    pthread_mutex_unlock(&lock);
    return s;
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
    space *d;
    ts_status s;

    TS_TRY(tsi_accel_check(device));
    TS_TRY(aligned("reserve", bytes));
    pthread_mutex_lock(&lock);
    s = open_locked(device, &d);
    if (s == TS_OK) /* room to align the start */
        s = reserve(d, bytes + TSI_ACCEL_GRANULARITY, false, &r);
    if (s == TS_OK) {
        const size_t odd = (size_t)((uintptr_t)d->device_base % TSI_ACCEL_GRANULARITY);

        r->at = round_to(r->at + odd, TSI_ACCEL_GRANULARITY) - odd;
        r->bytes = bytes;
        *out = pointer_of(d, r->at);
    }
    pthread_mutex_unlock(&lock);
    return s;
}

/* Where p lies, for calls on reserved addresses. */
static ts_status locate(const char *what, ts_devptr p, space **d, size_t *at)
{
    *d = space_of(p);
    TS_CHECK(*d, TS_ERR_VALUE, NULL, "%s: %#llx is no device address", what,
             (unsigned long long)p);
    *at = offset_of(*d, p);
    return TS_OK;
}

static ts_status address_free_locked(ts_devptr p, size_t bytes)
{
    size_t at;
    space *d;
    range *r;

    TS_TRY(locate("address free", p, &d, &at));
    r = range_at(d, at);
    TS_CHECK(r && !r->plain && r->at == at && r->bytes == bytes, TS_ERR_VALUE, NULL,
             "address free: %zu bytes there are no reservation", bytes);
    for (const mapping *m = d->mappings; m; m = m->next)
        TS_CHECK(m->at + m->bytes <= at || m->at >= at + bytes, TS_ERR_VALUE, NULL,
                 "address free: part of the range is still mapped");
    unreserve(d, r);
    return TS_OK;
}

ts_status tsi_accel_address_free(int device, ts_devptr p, size_t bytes)
{
    ts_status s;

    (void)device;
    pthread_mutex_lock(&lock);
    s = address_free_locked(p, bytes);
    pthread_mutex_unlock(&lock);
    return s;
}

ts_status tsi_accel_handle_create(int device, size_t bytes, tsd_handle **out)
{
    ts_status s;

    TS_TRY(tsi_accel_check(device));
    TS_TRY(aligned("create", bytes));
    pthread_mutex_lock(&lock);
    s = create_shared(device, bytes, out);
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

ts_status tsi_accel_handle_export(int device, tsd_handle *h, int *fd)
{
    (void)device;
    *fd = fcntl(h->file, F_DUPFD_CLOEXEC, 0);
    TS_CHECK(*fd >= 0, TS_ERR_RUNTIME, NULL, "there is no file descriptor for a handle");
    return TS_OK;
}

static ts_status import(int fd, tsd_handle **out)
{
    struct stat is, has;
    tsd_handle *h;

    TS_CHECK(fstat(fd, &is) == 0 && is.st_size > 0 &&
                 is.st_size % (off_t)TSI_ACCEL_GRANULARITY == 0,
             TS_ERR_VALUE, NULL, "handle import: %d is no handle's file descriptor", fd);
    for (h = shared_handles; h; h = h->next)
        if (fstat(h->file, &has) == 0 && has.st_dev == is.st_dev &&
            has.st_ino == is.st_ino)
            break;
    if (h) { /* this process has it: the same memory, once more */
        h->refs++;
        *out = h;
        return TS_OK;
    }
    h = calloc(1, sizeof *h);
    TS_CHECK(h, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a handle");
    /* whoever created it is charged */
    *h = (tsd_handle){.refs = 1, .device = -1, .bytes = (size_t)is.st_size};
    h->file = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (h->file < 0) {
        free(h);
        return ts_fail(TS_ERR_RUNTIME, NULL, "there is no file descriptor for a handle");
    }
    share(h);
    *out = h;
    return TS_OK;
}

ts_status tsi_accel_handle_import(int device, int fd, tsd_handle **out)
{
    ts_status s;

    TS_TRY(tsi_accel_check(device));
    pthread_mutex_lock(&lock);
    s = import(fd, out);
    pthread_mutex_unlock(&lock);
    return s;
}

static ts_status map_locked(ts_devptr p, size_t bytes, tsd_handle *h)
{
    const range *r;
    size_t at;
    space *d;

    TS_TRY(locate("map", p, &d, &at));
    r = range_at(d, at);
    TS_CHECK(r && !r->plain && at + bytes <= r->at + r->bytes, TS_ERR_VALUE, NULL,
             "map: the addresses are not reserved");
    TS_CHECK(bytes == h->bytes && (size_t)p % TSI_ACCEL_GRANULARITY == 0, TS_ERR_VALUE,
             NULL, "map: %zu bytes at an offset of %zu, the handle has %zu", bytes, at,
             h->bytes);
    for (const mapping *m = d->mappings; m; m = m->next)
        TS_CHECK(m->at + m->bytes <= at || m->at >= at + bytes, TS_ERR_VALUE, NULL,
                 "map: part of the range is mapped already");
    return map(d, at, h, 0);
}

ts_status tsi_accel_map(int device, ts_devptr p, size_t bytes, tsd_handle *h)
{
    ts_status s;

    (void)device;
    pthread_mutex_lock(&lock);
    s = map_locked(p, bytes, h);
    pthread_mutex_unlock(&lock);
    return s;
}

/* Unmap each whole mapping of the range, or give `access` to it; refuse a range that cuts
 * one or has a gap. */
static ts_status each_mapping(const char *what, ts_devptr p, size_t bytes,
                              unsigned access)
{
    size_t covered = 0, at;
    space *d;

    TS_TRY(locate(what, p, &d, &at));
    for (const mapping *m = d->mappings; m; m = m->next) {
        if (m->at + m->bytes <= at || m->at >= at + bytes)
            continue;
        TS_CHECK(m->at >= at && m->at + m->bytes <= at + bytes, TS_ERR_VALUE, NULL,
                 "%s: the range cuts a mapping of %zu bytes", what, m->bytes);
        covered += m->bytes;
    }
    TS_CHECK(covered == bytes, TS_ERR_VALUE, NULL,
             "%s: %zu of the %zu bytes are not mapped", what, bytes - covered, bytes);
    for (mapping **link = &d->mappings; *link;) {
        mapping *m = *link;

        if (m->at + m->bytes <= at || m->at >= at + bytes) {
            link = &m->next;
        } else if (access) {
            m->access |= access;
            mprotect(d->memory_base + m->at, m->bytes, PROT_READ | PROT_WRITE);
            link = &m->next;
        } else {
            unmap(d, link);
        }
    }
    return TS_OK;
}

ts_status tsi_accel_unmap(int device, ts_devptr p, size_t bytes)
{
    ts_status s;

    (void)device;
    pthread_mutex_lock(&lock);
    s = each_mapping("unmap", p, bytes, 0);
    pthread_mutex_unlock(&lock);
    return s;
}

ts_status tsi_accel_set_access(int device, ts_devptr p, size_t bytes)
{
    ts_status s;

    TS_TRY(tsi_accel_check(device));
    pthread_mutex_lock(&lock);
    s = each_mapping("set access", p, bytes, 1u << device);
    pthread_mutex_unlock(&lock);
    return s;
}

/* --- peers --- */

ts_status tsi_accel_peer_can_access(int device, int peer, bool *out)
{
    TS_TRY(tsi_accel_check(device));
    TS_TRY(tsi_accel_check(peer));
    *out = device != peer;
    return TS_OK;
}

ts_status tsi_accel_peer_enable(int device, int peer)
{
    TS_TRY(tsi_accel_check(device));
    TS_TRY(tsi_accel_check(peer));
    TS_CHECK(device != peer, TS_ERR_VALUE, NULL, "a device is no peer of itself");
    pthread_mutex_lock(&lock);
    spaces[peer].peers |= 1u << device;
    pthread_mutex_unlock(&lock);
    return TS_OK;
}

/* --- pinned host memory: pages that stay --- */

typedef struct pinned {
    struct pinned *next;
    char *at;
    size_t bytes;
} pinned;

static pinned *all_pinned;

ts_status tsi_accel_host_alloc(size_t bytes, void **out)
{
    const size_t whole = round_to(bytes ? bytes : 1, (size_t)sysconf(_SC_PAGESIZE));
    pinned *p = malloc(sizeof *p);
    void *at =
        mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (!p || at == MAP_FAILED) {
        if (at != MAP_FAILED)
            munmap(at, whole);
        free(p);
        return ts_fail(TS_ERR_OUT_OF_MEMORY, NULL, "no %zu bytes of pinned memory",
                       bytes);
    }
    pthread_mutex_lock(&lock);
    *p = (pinned){all_pinned, at, whole};
    all_pinned = p;
    pthread_mutex_unlock(&lock);
    *out = at;
    return TS_OK;
}

/* The link to the pinned stretch that holds p; the lock is held. */
static pinned **pinned_at(const void *p)
{
    pinned **link = &all_pinned;

    while (*link && !((uintptr_t)(*link)->at <= (uintptr_t)p &&
                      (uintptr_t)p < (uintptr_t)(*link)->at + (*link)->bytes))
        link = &(*link)->next;
    return link;
}

ts_status tsi_accel_host_free(void *p)
{
    ts_status s = TS_OK;
    pinned **link, *found;

    for (int i = 0; s == TS_OK && i < tsi_accel_count();
         i++) /* copies may use it still */
        s = tsi_accel_settle(i);
    pthread_mutex_lock(&lock);
    link = pinned_at(p);
    found = *link;
    if (found && found->at == p)
        *link = found->next;
    else
        found = NULL;
    pthread_mutex_unlock(&lock);
    TS_CHECK(found, TS_ERR_VALUE, NULL, "free of %p, which is no pinned memory", p);
    munmap(found->at, found->bytes);
    free(found);
    return s;
}

bool tsi_accel_host_is_pinned(const void *p)
{
    bool found;

    pthread_mutex_lock(&lock);
    found = *pinned_at(p) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}
