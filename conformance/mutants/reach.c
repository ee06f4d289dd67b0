/* SPDX-License-Identifier: Apache-2.0 */
/* Which case of a run reaches which place of the reference: the judge runs with a reference that
 * gcc has instrumented (-fsanitize-coverage=trace-pc) and with this library loaded before it.
 * What is reached counts for the case whose result a worker writes next (runner/pool.c), and
 * what is reached before the first one for a last case that there is not.
 *
 * The file named by TOUCHSTONE_REACH holds a head, a place a row (library and offset), and a row
 * of bits, one a case, for each. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PLACES = 1 << 17, CASES = 1 << 16, SLOTS = 1 << 19 };

#define MAGIC 0x7453694Au /* of a message: runner/pool.c */

typedef struct map {
    atomic_uint used;
    uint32_t cases_room;
    struct {
        uint32_t library; /* 0: the reference, 1: the runtime, 2: the judge */
        uint32_t offset;
    } places[PLACES];
    unsigned char bits[PLACES][CASES / 8];
} map;

static map *shared;
static struct {
    atomic_uintptr_t pc;
    atomic_uint place; /* one more than its number */
} slots[SLOTS];
static atomic_uint seen_in[PLACES]; /* the turn in which a place was last reached */
static atomic_uint turn = 1;
static unsigned listed[PLACES];
static atomic_uint nlisted;

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("TOUCHSTONE_REACH");
    const int fd = name ? open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    void *p;

    if (fd < 0 || ftruncate(fd, sizeof(map)))
        return;
    p = mmap(NULL, sizeof(map), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (p != MAP_FAILED) {
        shared = p;
        shared->cases_room = CASES;
    }
}

static unsigned place_of(uintptr_t pc)
{
    size_t at = (pc * 0x9E3779B97F4A7C15u >> 40) % SLOTS;
    Dl_info info;

    for (;; at = (at + 1) % SLOTS) {
        uintptr_t found = 0;

        if (!atomic_compare_exchange_strong(&slots[at].pc, &found, pc) && found != pc)
            continue;
        while (found && !atomic_load(&slots[at].place))
            ; /* another thread is about to say it */
        if (found)
            return atomic_load(&slots[at].place) - 1;
        const unsigned place = atomic_fetch_add(&shared->used, 1);

        if (place >= PLACES || !dladdr((void *)pc, &info))
            abort();
        shared->places[place].library = strstr(info.dli_fname, "_reference.so") ? 0
                                        : strstr(info.dli_fname, ".so")         ? 1
                                                                                : 2;
        shared->places[place].offset = (uint32_t)(pc - (uintptr_t)info.dli_fbase);
        atomic_store(&slots[at].place, place + 1);
        return place;
    }
}

void __sanitizer_cov_trace_pc(void)
{
    const unsigned now = atomic_load_explicit(&turn, memory_order_relaxed);
    unsigned place;

    if (!shared)
        return;
    place = place_of((uintptr_t)__builtin_return_address(0));
    if (atomic_exchange_explicit(&seen_in[place], now, memory_order_relaxed) != now)
        listed[atomic_fetch_add(&nlisted, 1) % PLACES] = place;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    static ssize_t (*real)(int, const void *, size_t);
    uint32_t head[2];

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "write");
    if (shared && n >= sizeof(head)) {
        memcpy(head, bytes, sizeof(head));
        /* The first message of a worker says that the backend is open. */
        if (head[0] == MAGIC && head[1] == UINT32_MAX)
            head[1] = CASES - 1;
        if (head[0] == MAGIC && head[1] < CASES) {
            const unsigned count = atomic_load(&nlisted);

            for (unsigned k = 0; k < count && k < PLACES; ++k)
                shared->bits[listed[k]][head[1] / 8] |=
                    (unsigned char)(1u << head[1] % 8);
            atomic_store(&nlisted, 0);
            atomic_fetch_add(&turn, 1);
        }
    }
    return real(fd, bytes, n);
}
