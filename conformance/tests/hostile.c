/* SPDX-License-Identifier: Apache-2.0 */
/* The reference with a kernel of `add` that does to its process what the environment's
 * TRICK says. */
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "zoo/zoo.h"

static volatile char sink;

static bool trick(const char *name)
{
    const char *set = getenv("TRICK");

    return set && strcmp(set, name) == 0;
}

/* --- processes --- */

/* Its id goes to the file that PIDS names. */
_Noreturn static void stay(void)
{
    const char *pids = getenv("PIDS");
    FILE *f = pids ? fopen(pids, "a") : NULL;

    if (f) {
        fprintf(f, "%d\n", (int)getpid());
        fclose(f);
    }
    sleep(60);
    _exit(0);
}

static void leave_process(bool daemon)
{
    if (fork() != 0) {
        usleep(100000); /* it has begun */
        return;
    }
    if (daemon) {
        setsid();
        if (fork() != 0)
            _exit(0);
    }
    stay();
}

static void *wait_for_ever(void *self)
{
    (void)self;
    for (;;)
        pause();
    return NULL;
}

static void leave_thread(void)
{
    pthread_attr_t small;
    pthread_t thread;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    pthread_create(&thread, &small, wait_for_ever, NULL);
}

static void keep(const char *what)
{
    if (strcmp(what, "heap") == 0)
        sink = *(char *)memset(malloc(64), 1, 64);
    if (strcmp(what, "map") == 0)
        sink = *(char *)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (strcmp(what, "thread") == 0)
        leave_thread();
    if (strcmp(what, "descriptor") == 0)
        sink = (char)open("/dev/null", O_RDONLY);
    if (strcmp(what, "process") == 0)
        leave_process(false);
}

static void play_with_processes(void)
{
    static bool done;
    const char *set = getenv("TRICK") ? getenv("TRICK") : "";

    if (strncmp(set, "keep ", 5) == 0)
        keep(set + 5);
    if (strncmp(set, "once ", 5) == 0 && !done)
        keep(set + 5);
    if (trick("child") && !done)
        leave_process(false);
    if (trick("daemon") && !done)
        leave_process(true);
    if (trick("child, then dies") && !done) {
        leave_process(true);
        leave_process(false);
        usleep(200000);
        abort();
    }
    done = true;
}

/* --- descriptors, memory, text --- */

static void play_with_descriptors(void)
{
    static const char forged[] = "{\"id\":\"forged\"}\n";

    for (int fd = 3; fd < 90 && trick("writes everywhere"); fd++)
        sink = (char)write(fd, forged, sizeof(forged) - 1);
    for (int fd = 3; fd < 1024 && trick("closes everything"); fd++)
        close(fd);
}

static void eat(void)
{
    for (;;) {
        char *p = malloc(1 << 20);

        memset(p, 1, 1 << 20); /* no look at what malloc said */
        sink = *p;
    }
}

/* --- arithmetic --- */

static void set_mxcsr(uint32_t bit)
{
#if defined(__x86_64__)
    uint32_t word;

    __asm__ volatile("stmxcsr %0" : "=m"(word));
    word |= bit;
    __asm__ volatile("ldmxcsr %0" : : "m"(word));
#else
    (void)bit;
#endif
}

static void play_with_arithmetic(void)
{
    if (trick("up"))
        fesetround(FE_UPWARD);
    if (trick("flush"))
        set_mxcsr(1u << 15);
    if (trick("zero"))
        set_mxcsr(1u << 6);
    if (trick("traps"))
        feenableexcept(FE_DIVBYZERO);
#if defined(__x86_64__)
    if (trick("single")) {
        const uint16_t word = 0x007F; /* x87: 24 bits */

        __asm__ volatile("fldcw %0" : : "m"(word));
    }
    if (trick("mmx"))
        __asm__ volatile("movd %0, %%mm0" : : "r"(1));
#endif
}

/* --- tensors --- */

static void play_with_tensors(ts_tensor *y, ts_tensor *x)
{
    char *first = y->data, *end = first + y->numel * ts_dtype_size(y->dtype);

    if (trick("far past"))
        end[4096] = 1;
    if (trick("far before"))
        first[-4096] = 1;
    if (trick("reads far"))
        sink = end[60000];
    if (trick("releases"))
        ts_release(x);
    if (trick("releases a storage"))
        ts_storage_release(ts_tensor_storage(x));
    if (trick("reshapes"))
        x->sizes[0] = 1;
    if (trick("empties"))
        y->numel = 0;
}

static ts_status hostile_add(const ts_kernel_call *call)
{
    play_with_processes();
    play_with_descriptors();
    if (trick("eats"))
        eat();
    while (trick("hang"))
        pause();
    if (trick("paints")) {
        fputs("out \x1b]0;title\x07 \xC2\x9B"
              "2J\n",
              stdout);
        fflush(stdout);
        fputs("error \x1b[31m\xFF\r\n", stderr);
        return call->host->fail(TS_ERR_RUNTIME, NULL,
                                "red \x1b[31m\xC2\x9B"
                                "2J\nPASS everything");
    }
    TS_TRY(zoo_original("add")(call));
    play_with_tensors(call->results[0], call->args[0].tensor);
    play_with_arithmetic();
    return TS_OK;
}

static bool flushes(const ts_kernel_call *call)
{
    if (strcmp(call->op, "add") == 0)
        set_mxcsr(1u << 15);
    return true;
}

static void on_close(void)
{
    for (int i = 0; i < 100 && trick("close descriptors"); i++)
        sink = (char)open("/dev/null", O_RDONLY);
    if (trick("close child"))
        leave_process(true);
}

TS_API ts_status ts_backend_open(const ts_host *host, ts_backend *out)
{
    static const ts_kernel_entry replaced[] = {{"add", hostile_add}};
    static const ts_claim unknown[] = {{"add", 0}, {"frobnicate", 0}};
    static const ts_kernel_entry odd[] = {{"frobnicate", hostile_add}};

    TS_TRY(zoo_open(host, out, replaced, 1));
    out->close = on_close;
    if (trick("name"))
        out->name = "\xFFname\x1b[31m";
    if (trick("long name")) /* 64 bytes end within a character */
        out->name = "123456789 123456789 123456789 123456789 123456789 123456789 12"
                    "\xE2\x82\xAC\xE2\x82\xAC";
    if (trick("open flush"))
        set_mxcsr(1u << 15);
    if (trick("supports flush"))
        out->supports = flushes;
    if (trick("claims")) {
        out->claims = unknown;
        out->claim_count = 2;
    }
    if (trick("no claims"))
        out->claims = NULL;
    if (trick("kernels")) {
        out->kernels = odd;
        out->kernel_count = 1;
    }
    return TS_OK;
}
