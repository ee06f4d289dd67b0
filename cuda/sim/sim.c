/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One block at a time. A fiber runs threads that have not begun, one after another, until
 * one has to wait: that one keeps the fiber, and the rest goes on with a fresh one. So a
 * kernel without barriers is a plain loop. When nothing can go on and threads are left,
 * the block is deadlocked.
 */
#include "sim/sim.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/fiber.h"

enum { STACK_BYTES = 256 << 10, COLOURS = 32, MAX_KEYS = 64 };

typedef enum state { FRESH, READY, AT_BARRIER, IN_WARP, ENDED } state;

typedef struct stack {
    struct stack *next; /* of the free ones */
    tsc_fiber fiber;
    struct exec *exec;
    char *memory;
    size_t size; /* less the colour: tops of many stacks must not share a cache set */
} stack;

typedef struct thread {
    tsc_sim_thread pub; /* first: tsc_sim_self points here */
    struct exec *exec;
    stack *stack;
    state state;
    const char *file; /* where it waits */
    int line, index;
    /* what it brought to its warp, and what it got */
    tsc_sim_warp_op op;
    unsigned mask;
    int arg;
    uint64_t value, result;
} thread;

typedef struct exec {
    struct exec *next;
    tsc_fiber scheduler;
    stack *free, *stacks[TSC_SIM_MAX_THREADS];
    int nstacks;
    const tsc_sim_kernel *kernel;
    void *const *args;
    thread threads[TSC_SIM_MAX_THREADS];
    int order[TSC_SIM_MAX_THREADS];
    int n, fresh, alive, at_barrier;
    /* by warp, a bit a lane: those that there are and that have not ended; that wait */
    unsigned running[TSC_SIM_MAX_THREADS / TSC_SIM_WARP];
    unsigned waiting[TSC_SIM_MAX_THREADS / TSC_SIM_WARP];
    bool failed;
    char *error;
    size_t error_size;
    char *shared; /* dynamic first, then declaration by declaration */
    size_t dynamic, used;
    struct {
        const void *key;
        void *at;
    } keys[MAX_KEYS];
    int nkeys;
} exec;

__thread tsc_sim_thread *tsc_sim_self __attribute__((tls_model("initial-exec")));

static thread *self(void)
{
    return (thread *)(void *)tsc_sim_self;
}

/* --- executors, kept from launch to launch --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static exec *idle;

static void *pages(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

static exec *take(void)
{
    exec *x;

    pthread_mutex_lock(&lock);
    x = idle;
    if (x)
        idle = x->next;
    pthread_mutex_unlock(&lock);
    if (x)
        return x;
    x = calloc(1, sizeof *x);
    if (x)
        x->shared = pages(TSC_SIM_SHARED_BYTES);
    if (x && !x->shared) {
        free(x);
        x = NULL;
    }
    return x;
}

static void give(exec *x)
{
    pthread_mutex_lock(&lock);
    x->next = idle;
    idle = x;
    pthread_mutex_unlock(&lock);
}

/* --- faults --- */

static void fault(exec *x, const thread *t, const char *format, ...)
{
    va_list args;
    int n;

    if (x->failed)
        return;
    x->failed = true;
    n = snprintf(x->error, x->error_size,
                 "kernel %s, block (%u, %u, %u), thread (%u, %u, %u): ", x->kernel->name,
                 t->pub.block.x, t->pub.block.y, t->pub.block.z, t->pub.thread.x,
                 t->pub.thread.y, t->pub.thread.z);
    if (n < 0 || (size_t)n >= x->error_size)
        return;
    va_start(args, format);
    vsnprintf(x->error + n, x->error_size - (size_t)n, format, args);
    va_end(args);
}

static const char *base(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash ? slash + 1 : file;
}

/* Leave a thread for good: its launch has failed. */
static void abandon(exec *x)
{
    tsc_fiber never;

    tsc_fiber_switch(&never, &x->scheduler);
}

/* --- warps --- */

static thread *lane(exec *x, const thread *t, int i)
{
    const int at = t->index / TSC_SIM_WARP * TSC_SIM_WARP + i;

    return at < x->n ? &x->threads[at] : NULL;
}

static bool compute_lane(exec *x, thread *t, int own)
{
    int from = own;

    if (t->op == TSC_SIM_SHUFFLE_FROM)
        from = t->arg & (TSC_SIM_WARP - 1);
    else if (t->op == TSC_SIM_SHUFFLE_UP)
        from = own - t->arg;
    else if (t->op == TSC_SIM_SHUFFLE_DOWN)
        from = own + t->arg;
    else if (t->op == TSC_SIM_SHUFFLE_XOR)
        from = own ^ t->arg;
    if (from < 0 || from >= TSC_SIM_WARP)
        from = own;
    if (!(t->mask >> from & 1) || !lane(x, t, from) ||
        lane(x, t, from)->state != IN_WARP) {
        fault(x, t, "%s:%d: a shuffle reads lane %d, which takes no part", base(t->file),
              t->line, from);
        return false;
    }
    t->result = lane(x, t, from)->value;
    return true;
}

/* When all of t's mask that still run are here: do the operation for each of them. */
static bool complete(exec *x, const thread *t)
{
    const int warp = t->index / TSC_SIM_WARP;
    const unsigned needed = t->mask & x->running[warp];
    uint64_t ballot = 0;

    if ((x->waiting[warp] & needed) != needed)
        return false;
    for (int i = 0; i < TSC_SIM_WARP; i++) {
        const thread *o = lane(x, t, i);

        if (!(needed >> i & 1))
            continue;
        if (o->mask != t->mask || o->op != t->op || o->line != t->line) {
            fault(x, o, "%s:%d: its warp is at %s:%d, or with another mask",
                  base(o->file), o->line, base(t->file), t->line);
            return false;
        }
        ballot |= (uint64_t)(o->value != 0) << i;
    }
    for (int i = 0; i < TSC_SIM_WARP; i++) {
        thread *o = lane(x, t, i);

        if (!(needed >> i & 1))
            continue;
        o->result = ballot;
        if (o->op > TSC_SIM_BALLOT && !compute_lane(x, o, i))
            return false;
    }
    for (int i = 0; i < TSC_SIM_WARP; i++) {
        thread *o = lane(x, t, i);

        if (needed >> i & 1)
            o->state = READY;
    }
    x->waiting[warp] &= ~needed;
    return true;
}

static void wait_in(thread *t, state s)
{
    exec *x = t->exec;

    t->state = s;
    tsc_fiber_switch(&t->stack->fiber, &x->scheduler);
    tsc_sim_self = &t->pub;
}

uint64_t tsc_sim_warp(tsc_sim_warp_op op, unsigned mask, uint64_t value, int arg,
                      const char *file, int line)
{
    thread *t = self();
    exec *x = t->exec;

    t->op = op;
    t->mask = mask;
    t->value = value;
    t->arg = arg;
    t->file = file;
    t->line = line;
    if (!(mask >> (t->index % TSC_SIM_WARP) & 1))
        fault(x, t, "%s:%d: the mask %#x leaves the calling lane out", base(file), line,
              mask);
    t->state = IN_WARP;
    x->waiting[t->index / TSC_SIM_WARP] |= 1u << t->index % TSC_SIM_WARP;
    if (!x->failed && complete(x, t))
        return t->result; /* the last to come goes on at once */
    if (x->failed)
        abandon(x);
    wait_in(t, IN_WARP);
    return t->result;
}

/* --- the block --- */

void tsc_sim_barrier(const char *file, int line)
{
    thread *t = self();
    exec *x = t->exec;

    t->file = file;
    t->line = line;
    if (++x->at_barrier < x->n) {
        wait_in(t, AT_BARRIER);
        return;
    }
    for (int i = 0; i < x->n; i++)
        if (x->threads[i].state == AT_BARRIER &&
            (x->threads[i].line != line || x->threads[i].file != file)) {
            fault(x, &x->threads[i], "__syncthreads at %s:%d, others are at %s:%d",
                  base(x->threads[i].file), x->threads[i].line, base(file), line);
            abandon(x);
        }
    x->at_barrier = 0;
    for (int i = 0; i < x->n; i++)
        if (x->threads[i].state == AT_BARRIER)
            x->threads[i].state = READY;
}

void *tsc_sim_dynamic_shared(void)
{
    return self()->exec->shared;
}

void *tsc_sim_shared(const void *key, size_t bytes)
{
    exec *x = self()->exec;
    const size_t at = (x->used + 127) & ~(size_t)127;

    for (int i = 0; i < x->nkeys; i++)
        if (x->keys[i].key == key)
            return x->keys[i].at;
    if (x->nkeys == MAX_KEYS || at + bytes > TSC_SIM_SHARED_BYTES) {
        fault(x, self(), "more than %d bytes of shared memory in a block",
              TSC_SIM_SHARED_BYTES);
        abandon(x);
    }
    memset(x->shared + at, TSC_SIM_POISON, bytes);
    x->keys[x->nkeys].key = key;
    x->keys[x->nkeys++].at = x->shared + at;
    x->used = at + bytes;
    return x->shared + at;
}

static void end(exec *x, thread *t)
{
    const int warp = t->index / TSC_SIM_WARP;

    t->state = ENDED;
    x->alive--;
    x->running[warp] &= ~(1u << t->index % TSC_SIM_WARP);
    for (int i = 0; i < TSC_SIM_WARP && x->waiting[warp] && !x->failed;
         i++) { /* who waited for it alone */
        const thread *o = lane(x, t, i);

        if (o && o->state == IN_WARP && (o->mask >> (t->index % TSC_SIM_WARP) & 1)) {
            complete(x, o);
            break;
        }
    }
}

static void carry(void *arg)
{
    stack *s = arg;
    exec *x = s->exec;

    for (;;) {
        while (x->fresh < x->n && !x->failed) {
            thread *t = &x->threads[x->order[x->fresh++]];

            t->stack = s;
            t->state = READY;
            tsc_sim_self = &t->pub;
            x->kernel->call(x->args);
            end(x, self());
        }
        s->next = x->free;
        x->free = s;
        tsc_fiber_switch(&s->fiber, &x->scheduler);
    }
}

static void start(stack *s)
{
    tsc_fiber_init(&s->fiber, s->memory, s->size, carry, s);
}

static stack *fresh_stack(exec *x)
{
    stack *s = x->free;

    if (s) {
        x->free = s->next;
        return s;
    }
    s = calloc(1, sizeof *s);
    if (s)
        s->memory = pages(STACK_BYTES);
    if (!s || !s->memory) {
        free(s);
        return NULL;
    }
    mprotect(s->memory, 4096, PROT_NONE);
    s->exec = x;
    s->size = STACK_BYTES - (size_t)(x->nstacks % COLOURS) * 192;
    x->stacks[x->nstacks++] = s;
    start(s);
    return s;
}

static void deadlock(exec *x)
{
    const thread *waiting = NULL, *ended = NULL;
    char why[128] = "";

    for (int i = 0; i < x->n; i++) {
        const thread *t = &x->threads[i];

        if (t->state == ENDED && !ended)
            ended = t;
        if (t->state != ENDED &&
            (!waiting || (waiting->state == AT_BARRIER && t->state == IN_WARP)))
            waiting = t;
    }
    if (!waiting)
        return;
    if (ended)
        snprintf(why, sizeof why, "; thread (%u, %u, %u) has ended", ended->pub.thread.x,
                 ended->pub.thread.y, ended->pub.thread.z);
    fault(x, waiting, "deadlock: it waits in %s at %s:%d for threads that never come%s",
          waiting->state == AT_BARRIER ? "__syncthreads" : "a warp operation",
          base(waiting->file), waiting->line, why);
}

static void run_block(exec *x)
{
    x->fresh = x->at_barrier = x->nkeys = 0;
    x->alive = x->n;
    x->used = x->dynamic;
    memset(x->shared, TSC_SIM_POISON, x->dynamic);
    while (x->alive > 0 && !x->failed) {
        bool moved = x->fresh < x->n;

        if (moved) {
            stack *s = fresh_stack(x);

            if (s)
                tsc_fiber_switch(&x->scheduler, &s->fiber);
            else
                fault(x, &x->threads[0], "no memory for stacks");
            continue;
        }
        for (int i = 0; i < x->n && !x->failed; i++) {
            thread *t = &x->threads[x->order[i]];

            if (t->state != READY)
                continue;
            moved = true;
            tsc_sim_self = &t->pub;
            tsc_fiber_switch(&x->scheduler, &t->stack->fiber);
        }
        if (!moved)
            deadlock(x);
    }
    if (!x->failed)
        return;
    x->free = NULL; /* stacks in the middle of a kernel begin anew */
    for (int i = 0; i < x->nstacks; i++) {
        start(x->stacks[i]);
        x->stacks[i]->next = x->free;
        x->free = x->stacks[i];
    }
}

/* --- the grid --- */

typedef struct ordering {
    enum { FORWARD, REVERSED, SHUFFLED } kind;
    uint64_t seed;
} ordering;

static ordering asked_for(void)
{
    const char *text = getenv("TOUCHSTONE_SIM_ORDER");

    if (text && strcmp(text, "reversed") == 0)
        return (ordering){REVERSED, 0};
    if (text && strncmp(text, "shuffled", 8) == 0)
        return (ordering){SHUFFLED, text[8] == ':' ? strtoull(text + 9, NULL, 10) : 1};
    return (ordering){FORWARD, 0};
}

static uint64_t next_random(uint64_t *s)
{
    uint64_t z = *s += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static void put_in_order(int *order, int n, ordering *o)
{
    for (int i = 0; i < n; i++)
        order[i] = o->kind == REVERSED ? n - 1 - i : i;
    for (int i = n - 1; o->kind == SHUFFLED && i > 0; i--) {
        const int j = (int)(next_random(&o->seed) % (uint64_t)(i + 1)), t = order[i];

        order[i] = order[j];
        order[j] = t;
    }
}

static void set_up(exec *x, tsc_sim_dim grid, tsc_sim_dim block)
{
    for (int i = 0; i < x->n; i++) {
        const unsigned u = (unsigned)i;

        x->threads[i] = (thread){
            .pub = {.thread = {u % block.x, u / block.x % block.y, u / block.x / block.y},
                    .block_dim = block,
                    .grid_dim = grid},
            .exec = x,
            .index = i};
    }
}

static void run_grid(exec *x, tsc_sim_dim grid, ordering o)
{
    const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    /* a shuffled grid: an odd stride that shares no factor with the number of blocks */
    uint64_t step = 1, at = 0;

    if (o.kind == SHUFFLED && blocks > 2) {
        at = next_random(&o.seed) % blocks;
        for (step = next_random(&o.seed) % blocks | 1;; step += 2) {
            uint64_t a = step, b = blocks;

            while (b) {
                const uint64_t r = a % b;

                a = b;
                b = r;
            }
            if (a == 1)
                break;
        }
        step %= blocks;
    }
    if (o.kind != SHUFFLED)
        put_in_order(x->order, x->n, &o);
    for (uint64_t b = 0; b < blocks && !x->failed; b++) {
        const uint64_t k = o.kind == REVERSED ? blocks - 1 - b : at;

        at = (at + step) % blocks;
        for (int i = 0; i < x->n; i++) {
            x->threads[i].pub.block =
                (tsc_sim_dim){(unsigned)(k % grid.x), (unsigned)(k / grid.x % grid.y),
                              (unsigned)(k / grid.x / grid.y)};
            x->threads[i].state = FRESH;
        }
        for (int w = 0; w * TSC_SIM_WARP < x->n; w++) {
            const int lanes = x->n - w * TSC_SIM_WARP;

            x->running[w] = lanes < TSC_SIM_WARP ? (1u << lanes) - 1 : 0xFFFFFFFFu;
            x->waiting[w] = 0;
        }
        if (o.kind == SHUFFLED)
            put_in_order(x->order, x->n, &o);
        run_block(x);
    }
}

bool tsc_sim_run(const tsc_sim_kernel *k, tsc_sim_dim grid, tsc_sim_dim block,
                 size_t dynamic, void *const *args, char *error, size_t size)
{
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    tsc_sim_thread *const before = tsc_sim_self;
    exec *x;
    bool ok;

    if (threads == 0 || threads > TSC_SIM_MAX_THREADS || block.z > 64 || grid.x == 0 ||
        grid.y == 0 || grid.z == 0 || grid.x > 0x7FFFFFFFu || grid.y > 65535 ||
        grid.z > 65535 || dynamic > TSC_SIM_SHARED_BYTES) {
        snprintf(
            error, size,
            "kernel %s: a grid of (%u, %u, %u), blocks of (%u, %u, %u) and %zu bytes "
            "of shared memory are more or less than a device takes",
            k->name, grid.x, grid.y, grid.z, block.x, block.y, block.z, dynamic);
        return false;
    }
    x = take();
    if (!x) {
        snprintf(error, size, "kernel %s: no memory to simulate it", k->name);
        return false;
    }
    x->kernel = k;
    x->args = args;
    x->n = (int)threads;
    x->failed = false;
    x->error = error;
    x->error_size = size;
    x->dynamic = dynamic;
    set_up(x, grid, block);
    run_grid(x, grid, asked_for());
    ok = !x->failed;
    tsc_sim_self = before;
    give(x);
    return ok;
}
