/* SPDX-License-Identifier: Apache-2.0 */
/* A peer: a process that answers messages. Whatever it does, an exchange ends: in an
 * answer, in a word about what it did, or by the limit that is on this process. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "runner/pipe.h"

struct tsi_peer {
    const char *command;
    _Atomic int *group; /* where others see which processes to stop */
    pid_t pid;
    int in, out; /* its stdin and stdout */
    unsigned char *bytes;
    size_t used, room;
};

tsi_peer *tsi_peer_new(const char *command, _Atomic int *group)
{
    tsi_peer *p = calloc(1, sizeof(*p));

    if (p) {
        p->command = command;
        p->group = group;
    }
    return p;
}

void tsi_peer_free(tsi_peer *p)
{
    if (!p)
        return;
    tsi_peer_stop(p);
    free(p->bytes);
    free(p);
}

int tsi_peer_alive(const tsi_peer *p)
{
    return p->pid;
}

void tsi_peer_stop(tsi_peer *p)
{
    int status;

    if (!p->pid)
        return;
    close(p->in);
    close(p->out);
    kill(-p->pid, SIGKILL);
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    /* A shell's command was its child, and is ours now. */
    while (waitpid(-p->pid, &status, 0) > 0 || errno == EINTR)
        ;
    *p->group = p->pid = 0;
    p->used = 0;
}

/* It closed its stdout: how it ended, if it does within a moment. */
static bool gone(tsi_peer *p, char *error, size_t size)
{
    int status = 0, waited = 0, signal_ = 0;
    pid_t ended = 0;

    for (; waited < 50 && ended == 0; waited++) {
        ended = waitpid(p->pid, &status, WNOHANG);
        if (ended == 0)
            poll(NULL, 0, 10);
    }
    if (ended == p->pid && WIFSIGNALED(status))
        signal_ = WTERMSIG(status);
    else if (ended == p->pid && WEXITSTATUS(status) > 128 && WEXITSTATUS(status) <= 192)
        signal_ = WEXITSTATUS(status) - 128; /* so a shell tells it */
    if (ended != p->pid)
        snprintf(error, size, "the peer closed its stdout");
    else if (signal_)
        snprintf(error, size, "the peer died of signal %d (%s)", signal_,
                 strsignal(signal_));
    else
        snprintf(error, size, "the peer ended with exit status %d", WEXITSTATUS(status));
    return false;
}

/* In the new process: what the peer is to have, and nothing else of ours. */
_Noreturn static void become(const tsi_peer *p, int in, int out)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    close_range(3, ~0U, 0);
    execl("/bin/sh", "sh", "-c", p->command, (char *)NULL);
    _exit(127);
}

static void close_both(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static bool spawn(tsi_peer *p, char *error, size_t size)
{
    int to[2], from[2];

    if (pipe2(to, O_CLOEXEC) != 0) {
        snprintf(error, size, "pipe: %s", strerror(errno));
        return false;
    }
    if (pipe2(from, O_CLOEXEC) != 0) {
        snprintf(error, size, "pipe: %s", strerror(errno));
        close_both(to);
        return false;
    }
    p->pid = fork();
    if (p->pid == 0)
        become(p, to[0], from[1]);
    if (p->pid < 0) {
        snprintf(error, size, "fork: %s", strerror(errno));
        close_both(to);
        close_both(from);
        p->pid = 0;
        return false;
    }
    *p->group = p->pid;
    setpgid(p->pid, p->pid);
    close(to[0]);
    close(from[1]);
    p->in = to[1];
    p->out = from[0];
    fcntl(p->in, F_SETFL, O_NONBLOCK);
    fcntl(p->out, F_SETFL, O_NONBLOCK);
    signal(SIGPIPE, SIG_IGN);
    p->used = 0;
    return true;
}

/* --- reading --- */

static size_t little_endian(const unsigned char *b)
{
    return b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 | (size_t)b[3] << 24;
}

/* Read what is there. False: the end. */
static bool take(tsi_peer *p, char *error, size_t size)
{
    ssize_t n;

    if (p->room - p->used < 65536) {
        unsigned char *grown = realloc(p->bytes, 2 * p->room + 131072);

        if (!grown) {
            snprintf(error, size, "out of memory");
            return false;
        }
        p->bytes = grown;
        p->room = 2 * p->room + 131072;
    }
    n = read(p->out, p->bytes + p->used, p->room - p->used);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    p->used += (size_t)n;
    return n > 0 || gone(p, error, size);
}

/* Whether a whole message is there. *bad: never will be. */
static bool whole(tsi_peer *p, tsi_message *out, bool *bad, char *error, size_t size)
{
    size_t n;

    if (p->used < 4)
        return false;
    n = little_endian(p->bytes);
    *bad = true;
    if (n > TSI_PIPE_HEADER) {
        snprintf(error, size, "the peer announced a message of %zu bytes, more than %zu",
                 n, TSI_PIPE_HEADER);
        return false;
    }
    *bad = false;
    if (p->used < 4 + n)
        return false;
    if (!out->header) {
        char what[200];

        if (!tsi_header_read((const char *)p->bytes + 4, n, &out->header,
                             &out->payload_size, what, sizeof(what))) {
            snprintf(error, size, "the peer broke the protocol: %s", what);
            *bad = true;
            return false;
        }
    }
    if (p->used < 4 + n + out->payload_size)
        return false;
    if (p->used > 4 + n + out->payload_size) {
        snprintf(error, size, "the peer wrote %zu bytes more than its answer has",
                 p->used - 4 - n - out->payload_size);
        *bad = true;
        return false;
    }
    out->payload = p->bytes + 4 + n;
    return true;
}

/* --- exchanging --- */

static bool talk(tsi_peer *p, const char *header, const void *payload,
                 size_t payload_size, tsi_message *out, char *error, size_t size)
{
    const size_t n = strlen(header);
    const unsigned char length[4] = {n & 255, n >> 8 & 255, n >> 16 & 255, n >> 24 & 255};
    const struct {
        const void *bytes;
        size_t size;
    } parts[] = {{length, 4}, {header, n}, {payload, payload_size}};
    size_t part = 0, at = 0;
    bool bad = false;

    *out = (tsi_message){0};
    if (p->used > 0) {
        snprintf(error, size, "the peer wrote %zu bytes that nobody asked for", p->used);
        return false;
    }
    for (;;) {
        struct pollfd fds[2] = {{.fd = p->out, .events = POLLIN},
                                {.fd = part < 3 ? p->in : -1, .events = POLLOUT}};

        if (poll(fds, 2, -1) < 0 && errno != EINTR) {
            snprintf(error, size, "poll: %s", strerror(errno));
            return false;
        }
        while (part < 3 && fds[1].revents) {
            const size_t left = parts[part].size - at;
            const ssize_t k =
                left ? write(p->in, (const char *)parts[part].bytes + at, left) : 0;

            if (k < 0 && errno == EPIPE)
                part = 3; /* its stdout tells how it ended */
            if (k < 0)
                break;
            at += (size_t)k;
            if (at == parts[part].size) {
                part++;
                at = 0;
            }
        }
        if (fds[0].revents && !take(p, error, size))
            return false;
        if (whole(p, out, &bad, error, size)) {
            p->used = 0;
            return true;
        }
        if (bad)
            return false;
    }
}

bool tsi_peer_exchange(tsi_peer *p, json_t *header, const void *payload, size_t size,
                       tsi_message *out, char *error, size_t error_size)
{
    char *text = NULL;

    *out = (tsi_message){0};
    if (json_object_set_new(header, "payload", json_integer((json_int_t)size)) == 0)
        text = json_dumps(header, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (text && talk(p, text, payload, size, out, error, error_size)) {
        free(text);
        return true;
    }
    if (!text)
        snprintf(error, error_size, "out of memory");
    free(text);
    json_decref(out->header);
    *out = (tsi_message){0};
    tsi_peer_stop(p);
    return false;
}

bool tsi_peer_ready(tsi_peer *p, tsi_hello *hello, char *error, size_t error_size)
{
    tsi_message answer;
    json_t *ours;
    bool ok;

    if (p->pid)
        return true;
    if (!spawn(p, error, error_size))
        return false;
    ours = json_pack("{s:s,s:i,s:s,s:{s:I,s:I,s:i}}", "message", "hello", "protocol",
                     TSI_PIPE_PROTOCOL, "judge", "touchstone", "limits", "header",
                     (json_int_t)TSI_PIPE_HEADER, "payload", (json_int_t)TSI_PIPE_PAYLOAD,
                     "answers", TSI_PIPE_ANSWERS);
    ok = tsi_peer_exchange(p, ours, NULL, 0, &answer, error, error_size);
    json_decref(ours);
    if (!ok)
        return false;
    ok = tsi_hello_read(answer.header, hello, error, error_size);
    json_decref(answer.header);
    if (!ok)
        tsi_peer_stop(p);
    return ok;
}
