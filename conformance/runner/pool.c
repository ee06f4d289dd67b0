/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worker processes. A worker opens the backend, takes cases from its share
 * and writes one message a case to its pipe; the case under way and its start stand in
 * shared memory, so that a death or a hang costs that one case. The parent never opens a
 * backend.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "runner/dying.h"
#include "runner/guard.h"
#include "runner/interrupt.h"
#include "runner/judge.h"
#include "runner/leaks.h"
#include "runner/pipe.h"
#include "runner/quality.h"
#include "runner/resources.h"
#include "runner/shield.h"
#include "runner/text.h"

enum {
    SHARE = 32,
    TICK_MS = 100,
    STANDSTILL_NS = 1000000000,
    REST_MS = 2, /* so that results come several at a time */
    PIPE = 1 << 18,
    GRACE_MS = 500, /* from the end of a worker's pipe to its own */
    MAGIC = 0x7453694A,
    MOST_TEXT = 1 << 28,
    LINE = 8192, /* what is said without an end of line is shown at this length */
    MOST_STRAYS = 256,
    OUT_OF_THE_WAY = 100 /* descriptors from here on are nobody's by accident */
};

/* Memory of a worker that nobody set a limit for, and what the judge needs for each byte
 * of a case. */
static const int64_t default_memory = (int64_t)8 << 30, copies = 4;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true /* its shadow takes more than any limit */
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED false
#endif

/* In shared memory, one a worker: cases [at, end) of the selection are still its own. */
typedef struct slot {
    _Atomic int at, end;
    _Atomic int64_t started; /* ns, monotonic; 0: none under way */
    _Atomic int peer;        /* process group of the worker's peer, or 0 */
    tsi_last_words words;
    _Atomic bool cut_off; /* the worker could not write to its pipe */
    char left[160];       /* what the backend left when it was closed, or "" */
} slot;

typedef struct board {
    _Atomic int next; /* first case that nobody has taken */
    slot slots[];
} board;

typedef struct message {
    uint32_t magic;
    int index; /* -1: the backend was opened, tsi_backend_info follows */
    int verdict, variant, executions, line;
    uint32_t reason, expect; /* lengths of the text that follows */
    double ms;
    int graphs, works;
    bool meta_ended, compared;
} message;

typedef struct worker {
    pid_t pid;
    int fd;
    bool ready, killed; /* opened the backend; was stopped because a case took too long */
    bool lived;         /* its pipe had ended, it had not */
    int64_t heard;      /* when it last sent something */
    int64_t timed;      /* which case `stood` is of: the slot's `started` */
    int64_t stood;      /* ns of it in which the machine did not run */
    char *bytes;        /* what came and is no whole message yet */
    size_t used, room;
} worker;

typedef struct pool {
    tsi_pool_run *run;
    board *board;
    worker *workers;
    int nworkers, timeouts, done, emitted;
    tsi_result *results; /* by place in the selection */
    bool *have;
    bool stop, setup_failed;
    int64_t looked; /* when cases were last looked at for being late; 0: not yet */
    int said[2];    /* what workers print goes in at [1] */
    char line[LINE + 1];
    size_t line_used;
    int64_t memory; /* limit of a worker, or TSI_NO_LIMIT */
    bool adopts;    /* whom a worker leaves becomes a child of this process */
} pool;

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- the worker's side --- */

static void write_all(slot *s, int fd, const void *bytes, size_t n)
{
    const char *p = bytes;

    while (n > 0) {
        const ssize_t k = write(fd, p, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0) { /* the parent is gone, or the backend has closed the pipe */
            s->cut_off = true;
            _exit(2);
        }
        p += k;
        n -= (size_t)k;
    }
}

static void send_result(slot *s, int fd, int index, const tsi_result *r, tsi_text *buffer)
{
    const message m = {
        .magic = MAGIC,
        .index = index,
        .verdict = (int)r->verdict,
        .variant = (int)r->variant,
        .executions = r->executions,
        .line = r->line,
        .reason = r->reason ? (uint32_t)strlen(r->reason) : 0,
        .expect = r->expect ? (uint32_t)strlen(r->expect) : 0,
        .ms = r->ms,
        .meta_ended = r->meta_ended,
        .graphs = r->graphs,
        .works = r->works,
        .compared = r->compared,
    };

    tsi_text_reset(buffer);
    tsi_text_add(buffer, (const char *)&m, sizeof(m));
    if (r->reason)
        tsi_text_add(buffer, r->reason, m.reason);
    if (r->expect)
        tsi_text_add(buffer, r->expect, m.expect);
    write_all(s, fd, buffer->bytes, buffer->used);
}

/* Read a case and run it. One that cannot be read is an error of its own: the corpus is as
 * it was written, so it was written wrong. */
static void execute(tsi_executor *x, tsi_item *item, tsi_result *out)
{
    tsi_why why;

    if (tsi_item_ready(item, &why)) {
        tsi_execute(x, item, out);
        return;
    }
    *out = (tsi_result){.verdict = TSI_ERROR, .variant = TSI_BASE};
    out->reason = strdup(why.text);
}

/* The next case of this worker's share, or a new share; -1 when all are taken. */
static int next_case(const pool *p, slot *s)
{
    if (s->at >= s->end) {
        const int left = p->run->count - p->board->next;
        int share = left / (4 * p->nworkers);

        share = share < 1 ? 1 : share > SHARE ? SHARE : share;
        const int at = atomic_fetch_add(&p->board->next, share);

        if (at >= p->run->count)
            return -1;
        s->end = at + share < p->run->count ? at + share : p->run->count;
        s->at = at;
    }
    return s->at;
}

static void limit_memory(const pool *p)
{
    const struct rlimit limit = {(rlim_t)p->memory, (rlim_t)p->memory};

    if (p->memory != TSI_NO_LIMIT)
        setrlimit(RLIMIT_DATA, &limit);
}

/* A process of its own: nothing of the judge's is in its reach but one pipe, which stands
 * where nobody comes upon it by accident. That pipe's new number. */
static int set_apart(const pool *p, int fd)
{
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int away = fcntl(fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);

#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what is left behind is ours to count */
#endif
    setpgid(0, 0);
    tsi_interrupt_leave();
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(p->said[1], STDOUT_FILENO); /* what a backend prints is no part of our output */
    dup2(p->said[1], STDERR_FILENO);
    fd = away >= 0 ? away : fd;
    tsi_close_others(3, fd);
    return fd;
}

/* Open the backend, and the peer where it is one. */
static tsi_executor *open_backend(const pool *p, slot *s, tsi_pipe **peer,
                                  tsi_backend_info *info)
{
    const tsi_pool_run *run = p->run;
    const char *command = tsi_pipe_command(run->backend);
    tsi_executor *executor;

    if (run->options->memory)
        limit_memory(p);
    tsi_backend_start(command ? run->reference : run->backend, run->options,
                      run->reference, info);
    /* A device's driver reserves addresses without end. */
    if (!run->options->memory && !tsi_backend_has_device())
        limit_memory(p);
    if (command && info->ok)
        *peer = tsi_pipe_open(command, &s->peer, info);
    executor = tsi_executor_new(run->options, *peer);
    if (info->ok && !executor) {
        info->ok = false;
        snprintf(info->message, sizeof(info->message), "out of memory");
    }
    return executor;
}

_Noreturn static void work(const pool *p, slot *s, int fd)
{
    const tsi_pool_run *run = p->run;
    tsi_text buffer = {0};
    tsi_backend_info info;
    tsi_executor *executor;
    tsi_pipe *peer = NULL;
    message hello = {.magic = MAGIC, .index = -1, .reason = sizeof(info)};
    tsi_held before;
    int i;

    fd = set_apart(p, fd);
    tsi_dying_watch(&s->words, p->memory);
    tsi_guard_install();
    tsi_shield_begin();
    executor = open_backend(p, s, &peer, &info);
    write_all(s, fd, &hello, sizeof(hello));
    write_all(s, fd, &info, sizeof(info));
    if (!info.ok)
        _exit(2);
    before = tsi_held_now();
    while ((i = next_case(p, s)) >= 0) {
        tsi_result r;

        if (peer)
            tsi_pipe_ready(peer);
        s->started = now_ns();
        tsi_quality_case(run->corpus->items[run->selected[i]].c->id);
        execute(executor, &run->corpus->items[run->selected[i]], &r);
        s->started = 0;
        send_result(s, fd, i, &r, &buffer);
        s->at = i + 1;
        free(r.reason);
        free(r.expect);
    }
    if (peer)
        tsi_pipe_close(peer);
    tsi_quality_ladder(run->options->device);
    tsi_backend_stop();
    tsi_leaks_at_close(&before, s->left, sizeof(s->left));
    _exit(0);
}

/* --- the parent's side --- */

static bool start_worker(pool *p, int k)
{
    worker *w = &p->workers[k];
    slot *s = &p->board->slots[k];
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return tsi_complain("pipe: %s", strerror(errno));
    s->started = 0; /* before the child may set it */
    s->cut_off = false;
    s->left[0] = '\0';
    s->words.of = TSI_OF_UNKNOWN;
    s->words.op[0] = '\0';
    fflush(NULL);
    w->pid = fork();
    if (w->pid < 0) {
        w->pid = 0;
        close(ends[0]);
        close(ends[1]);
        return tsi_complain("fork: %s", strerror(errno));
    }
    if (w->pid == 0)
        work(p, s, ends[1]);
    setpgid(w->pid, w->pid); /* as it does itself: whoever comes first */
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
#ifdef F_SETPIPE_SZ
    fcntl(ends[0], F_SETPIPE_SZ, PIPE); /* or less, if that is not granted */
#endif
    w->fd = ends[0];
    w->used = 0;
    w->heard = now_ns();
    w->ready = w->killed = w->lived = false;
    return true;
}

/* --- what workers print --- */

/* Show what has come, up to the last end of a line. */
static void show(pool *p, bool all)
{
    size_t n = p->line_used;
    tsi_text text = {0};
    char kept;

    while (!all && n > 0 && p->line[n - 1] != '\n')
        n--;
    if (n == 0 && p->line_used == LINE)
        n = LINE;
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        if (p->line[i] == '\0')
            p->line[i] = '\x7f'; /* shown, too */
    kept = p->line[n];
    p->line[n] = '\0';
    tsi_text_plain(&text, p->line, "\n");
    p->line[n] = kept;
    if (text.used)
        fwrite(text.bytes, 1, text.used, stderr);
    fflush(stderr);
    tsi_text_free(&text);
    p->line_used -= n;
    memmove(p->line, p->line + n, p->line_used);
}

static void hear(pool *p)
{
    /* No more than so much at a time: who floods does not keep us from judging. */
    for (int i = 0; i < 64; i++) {
        const ssize_t n = read(p->said[0], p->line + p->line_used, LINE - p->line_used);

        if (n <= 0)
            return;
        p->line_used += (size_t)n;
        show(p, false);
    }
}

/* Hand over results in selection order, as far as they have come. */
static void emit(pool *p)
{
    while (p->emitted < p->run->count && p->have[p->emitted] && !p->stop) {
        const int i = p->emitted++;
        tsi_result *r = &p->results[i];

        if (!p->run->result(p->run->self, i, &p->run->corpus->items[p->run->selected[i]],
                            r))
            p->stop = true;
        free(r->reason);
        free(r->expect);
        r->reason = r->expect = NULL;
    }
}

static void put(pool *p, int i, tsi_result r)
{
    if (p->have[i]) {
        free(r.reason);
        free(r.expect);
        return;
    }
    p->results[i] = r;
    p->have[i] = true;
    p->done++;
    emit(p);
}

static char *piece(const char *bytes, size_t n)
{
    return n > 0 ? strndup(bytes, n) : NULL;
}

static void take_info(tsi_backend_info *out, const char *bytes)
{
    memcpy(out, bytes, sizeof(*out));
    out->name[sizeof(out->name) - 1] = '\0';
    out->version[sizeof(out->version) - 1] = '\0';
    out->message[sizeof(out->message) - 1] = '\0';
}

/* Take whole messages from the front of w's buffer. False: what came is none of ours. */
static bool read_messages(pool *p, worker *w)
{
    size_t at = 0;

    while (w->used - at >= sizeof(message)) {
        message m;
        const char *text = w->bytes + at + sizeof(m);

        memcpy(&m, w->bytes + at, sizeof(m));
        if (m.magic != MAGIC || m.index < -1 || m.index >= p->run->count ||
            m.reason > MOST_TEXT || m.expect > MOST_TEXT ||
            (m.index >= 0 && (unsigned)m.verdict >= TSI_VERDICT_COUNT) ||
            (m.index < 0 && m.reason != sizeof(tsi_backend_info)))
            return false;
        if (w->used - at < sizeof(m) + m.reason + m.expect)
            break;
        at += sizeof(m) + m.reason + m.expect;
        if (m.index < 0) {
            take_info(&p->run->info, text);
            w->ready = p->run->info.ok;
            p->setup_failed |= !w->ready;
            continue;
        }
        put(p, m.index,
            (tsi_result){.verdict = (tsi_verdict)m.verdict,
                         .variant = (tsi_variant)m.variant,
                         .executions = m.executions,
                         .line = m.line,
                         .ms = m.ms,
                         .meta_ended = m.meta_ended,
                         .graphs = m.graphs,
                         .works = m.works,
                         .compared = m.compared,
                         .reason = piece(text, m.reason),
                         .expect = piece(text + m.reason, m.expect)});
    }
    w->used -= at;
    memmove(w->bytes, w->bytes + at, w->used);
    return true;
}

/* False: the pipe is closed, or holds what no worker of ours writes. */
static bool drain(pool *p, worker *w)
{
    for (;;) {
        ssize_t n;

        if (w->room - w->used < 65536) {
            char *grown = realloc(w->bytes, w->room + 131072);

            if (!grown)
                return false;
            w->bytes = grown;
            w->room += 131072;
        }
        n = read(w->fd, w->bytes + w->used, w->room - w->used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN;
        w->used += (size_t)n;
        w->heard = now_ns();
        if (!read_messages(p, w) || n == 0)
            return false;
    }
}

static const char *signal_name(int signal)
{
    static const struct {
        int signal;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
                 {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGKILL, "SIGKILL"},
                 {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].signal == signal)
            return names[i].name;
    return "another signal";
}

static void died_of(const pool *p, const worker *w, const slot *s, int status, char *out,
                    size_t size)
{
    char said[200];

    tsi_dying_tell(&s->words, p->memory, said, sizeof(said));
    if (w->lived || s->cut_off)
        snprintf(out, size, "the backend closed the judge's pipe, or wrote to it");
    else if (WIFSIGNALED(status))
        snprintf(out, size, "the backend died of %s (%s)%s%s",
                 signal_name(WTERMSIG(status)), strsignal(WTERMSIG(status)),
                 said[0] ? ": " : "", said);
    else
        snprintf(out, size, "the backend ended the process with exit status %d",
                 WEXITSTATUS(status));
}

static bool leave_unrun(pool *p)
{
    p->board->next = p->run->count;
    p->stop = true;
    return false;
}

/* Seconds that a backend may take to open or to close. */
static double idle_limit(const pool *p)
{
    return 5 + 5 * p->run->options->timeout;
}

/* What a worker started must not outlive it. */
static void stop_peer(slot *s)
{
    const int group = s->peer;

    if (group > 1)
        kill(-group, SIGKILL);
    s->peer = 0;
}

/* Whether a worker has ended, at the latest after so long; it stays to be waited for. */
static bool has_ended(pid_t pid, int ms)
{
    siginfo_t info;

    for (;; ms -= 5) {
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == pid)
            return true;
        if (ms <= 0)
            return false;
        poll(NULL, 0, 5);
    }
}

/* The worker and all that it left in its process group. */
static int stop_worker(worker *w, slot *s)
{
    int status = 0;

    stop_peer(s);
    kill(w->pid, SIGKILL);
    kill(-w->pid, SIGKILL);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(w->fd);
    w->pid = 0;
    return status;
}

/* A worker is gone. Give its case a verdict, and put another in its place while there is
 * work. */
static bool bury(pool *p, int k)
{
    worker *w = &p->workers[k];
    slot *s = &p->board->slots[k];
    const bool timed_out = w->killed;
    int status;
    char why[320];

    w->lived = !timed_out && !has_ended(w->pid, GRACE_MS);
    status = stop_worker(w, s);
    if (p->setup_failed)
        return false;
    died_of(p, w, s, status, why, sizeof(why));
    if (timed_out)
        snprintf(why, sizeof(why), "nothing came back for %g s", idle_limit(p));
    if (!w->ready) {
        p->setup_failed = true;
        snprintf(p->run->info.message, sizeof(p->run->info.message),
                 "backend %s: while it was opened, %s", p->run->backend, why);
        return false;
    }
    if (s->at >= s->end) { /* no case was under way */
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            snprintf(p->run->closing, sizeof(p->run->closing), "at its close, %s", why);
            p->run->ended = p->run->closing;
        } else if (s->left[0]) {
            snprintf(p->run->closing, sizeof(p->run->closing), "at its close, %s",
                     s->left);
            p->run->ended = p->run->closing;
        }
        return p->board->next < p->run->count ? start_worker(p, k) : true;
    }
    if (!p->have[s->at]) {
        tsi_result r = {.verdict = timed_out ? TSI_TIMEOUT : TSI_ERROR};

        if (timed_out) {
            const tsi_case *c = p->run->corpus->items[p->run->selected[s->at]].c;

            snprintf(why, sizeof(why), "no end within %g s",
                     c->timeout > 0 ? c->timeout : p->run->options->timeout);
            p->timeouts++;
        }
        if (s->started)
            r.ms = (double)(now_ns() - s->started) / 1e6;
        r.executions = 1;
        r.reason = strdup(why);
        put(p, s->at, r);
    }
    s->at = s->at + 1;
    if (p->timeouts >= TSI_MAX_TIMEOUTS) {
        p->run->ended = "three cases timed out";
        return leave_unrun(p);
    }
    return start_worker(p, k);
}

/* What went by since the last look beyond the time a look can take, in ns: this process
 * did not run, as when the machine was suspended, and it can't tell whether the workers
 * did. No case is late because of it. */
static int64_t standstill(pool *p)
{
    const int64_t now = now_ns();
    const int64_t gap = p->looked ? now - p->looked : 0;

    p->looked = now;
    return gap > STANDSTILL_NS ? gap : 0;
}

static void stop_late_cases(pool *p)
{
    const int64_t stood = standstill(p);
    const int64_t now = p->looked;

    for (int k = 0; k < p->nworkers; k++) {
        slot *s = &p->board->slots[k];
        const int64_t started = s->started;
        const int at = s->at;
        double limit = p->run->options->timeout;

        if (!p->workers[k].pid)
            continue;
        if (p->workers[k].timed != started) {
            p->workers[k].timed = started;
            p->workers[k].stood = 0;
        }
        p->workers[k].heard += stood;
        p->workers[k].stood += stood;
        if (!started && (double)(now - p->workers[k].heard) / 1e9 > idle_limit(p)) {
            p->workers[k].killed = true; /* opening or closing without end */
            kill(p->workers[k].pid, SIGKILL);
        }
        if (!started || at >= p->run->count)
            continue;
        if (p->run->corpus->items[p->run->selected[at]].c->timeout > 0)
            limit = p->run->corpus->items[p->run->selected[at]].c->timeout;
        /* Looked at twice: the case may have ended between the two reads. */
        if ((double)(now - started - p->workers[k].stood) / 1e9 > limit &&
            s->started == started) {
            p->workers[k].killed = true;
            kill(p->workers[k].pid, SIGKILL);
        }
    }
}

/* A worker's pipe may be held by what the backend started, and never end. */
static void bury_the_dead(pool *p)
{
    for (int k = 0; k < p->nworkers && !p->stop && !p->setup_failed; k++)
        if (p->workers[k].pid && has_ended(p->workers[k].pid, 0)) {
            drain(p, &p->workers[k]);
            if (!p->stop)
                bury(p, k);
        }
}

static bool supervise(pool *p)
{
    struct pollfd *fds = calloc((unsigned)p->nworkers + 1, sizeof(*fds));
    int64_t ticked = 0;
    int alive = p->nworkers;

    if (!fds)
        return tsi_complain("out of memory");
    while (alive > 0 && !p->stop && !p->setup_failed) {
        for (int k = 0; k < p->nworkers; k++)
            fds[k] = (struct pollfd){.fd = p->workers[k].pid ? p->workers[k].fd : -1,
                                     .events = POLLIN};
        fds[p->nworkers] = (struct pollfd){.fd = p->said[0], .events = POLLIN};
        if (poll(fds, (nfds_t)p->nworkers + 1, TICK_MS) > 0)
            poll(NULL, 0, REST_MS);
        hear(p);
        for (int k = 0; k < p->nworkers && !p->stop && !p->setup_failed; k++)
            if (fds[k].revents && !drain(p, &p->workers[k]) && !p->stop)
                bury(p, k);
        if (tsi_interrupted()) {
            p->run->ended = "interrupted";
            leave_unrun(p);
        }
        if (now_ns() - ticked > (int64_t)TICK_MS * 1000000) {
            ticked = now_ns();
            stop_late_cases(p);
            bury_the_dead(p);
            if (p->run->tick)
                p->run->tick(p->run->self, p->done);
        }
        alive = 0;
        for (int k = 0; k < p->nworkers; k++)
            alive += p->workers[k].pid != 0;
    }
    free(fds);
    return !p->setup_failed;
}

/* Take up whoever a worker leaves, so that it can be found; but not where this process has
 * children that are none of the run's. */
static void adopt(pool *p, bool on)
{
    pid_t some[1];

    if (on)
        p->adopts = tsi_children(some, 1) == 0;
#ifdef __linux__
    if (p->adopts)
        prctl(PR_SET_CHILD_SUBREAPER, on ? 1 : 0);
#endif
}

static void stop_strays(const pool *p)
{
    pid_t strays[MOST_STRAYS];
    const int n = p->adopts ? tsi_children(strays, MOST_STRAYS) : 0;

    for (int i = 0; i < n; i++)
        kill(strays[i], SIGKILL);
    for (int i = 0; i < n; i++)
        while (waitpid(strays[i], NULL, 0) < 0 && errno == EINTR)
            ;
}

/* Whoever is left is stopped; cases without a result were not run. */
static void wind_up(pool *p)
{
    for (int k = 0; k < p->nworkers; k++) {
        if (p->workers[k].pid) {
            kill(p->workers[k].pid, SIGKILL);
            drain(p, &p->workers[k]);
            stop_worker(&p->workers[k], &p->board->slots[k]);
        }
        free(p->workers[k].bytes);
    }
    stop_strays(p);
    hear(p);
    show(p, true);
    if (p->setup_failed)
        return;
    p->stop = false;
    for (int i = 0; i < p->run->count && !p->stop; i++)
        if (!p->have[i]) {
            char why[96];

            snprintf(why, sizeof(why), "not run: %s",
                     p->run->ended ? p->run->ended : "the run was ended");
            put(p, i, (tsi_result){.verdict = TSI_NOT_RUN, .reason = strdup(why)});
        }
    emit(p);
}

/* False: complained. */
static bool choose_memory(pool *p)
{
    const tsi_pool_run *run = p->run;
    int64_t largest = 0;

    p->memory = run->options->memory;
    if (SANITIZED && p->memory && p->memory != TSI_NO_LIMIT)
        return tsi_complain("--memory: no limit can be set on a build with "
                            "AddressSanitizer");
    for (int i = 0; i < run->count; i++) {
        const int64_t asked = run->corpus->items[run->selected[i]].c->memory;

        largest = asked > largest ? asked : largest;
    }
    if (!p->memory)
        p->memory = SANITIZED || largest > INT64_MAX / (2 * copies)
                        ? TSI_NO_LIMIT
                        : default_memory + copies * largest;
    return true;
}

bool tsi_pool_work(tsi_pool_run *run)
{
    pool p = {.run = run, .said = {-1, -1}};
    size_t size;
    bool ok = true;

    if (!choose_memory(&p))
        return false;
    p.nworkers = run->options->jobs < run->count ? run->options->jobs : run->count;
    p.nworkers = p.nworkers < 1 ? 1 : p.nworkers;
    size = sizeof(board) + sizeof(slot) * (size_t)p.nworkers;
    p.board = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    p.workers = calloc((size_t)p.nworkers, sizeof(*p.workers));
    p.results = calloc((size_t)run->count + 1, sizeof(*p.results));
    p.have = calloc((size_t)run->count + 1, sizeof(*p.have));
    if (p.board == MAP_FAILED || !p.workers || !p.results || !p.have)
        return tsi_complain("out of memory");
    if (pipe2(p.said, O_CLOEXEC) != 0)
        return tsi_complain("pipe: %s", strerror(errno));
    fcntl(p.said[0], F_SETFL, O_NONBLOCK);
    tsi_interrupt_watch();
    adopt(&p, true);
    for (int k = 0; k < p.nworkers && ok; k++)
        ok = start_worker(&p, k);
    if (ok)
        ok = supervise(&p);
    wind_up(&p);
    adopt(&p, false);
    if (p.setup_failed)
        tsi_complain("%s", run->info.message);
    close(p.said[0]);
    close(p.said[1]);
    munmap(p.board, size);
    free(p.workers);
    free(p.results);
    free(p.have);
    return ok;
}
