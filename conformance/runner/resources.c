/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/resources.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

const char *tsi_resource_name(tsi_resource r)
{
    static const char *const names[] = {
        [TSI_HEAP] = "bytes of heap", [TSI_MAPPED] = "bytes of mapped memory",
        [TSI_THREADS] = "threads",    [TSI_DESCRIPTORS] = "open descriptors",
        [TSI_CHILDREN] = "processes",
    };

    return names[r];
}

int64_t tsi_heap_in_use(void)
{
#ifdef __GLIBC__
    const struct mallinfo2 m = mallinfo2();

    return (int64_t)(m.uordblks + m.hblkhd);
#else
    return 0;
#endif
}

/* A sanitizer keeps what was freed for a while: what is mapped there tells nothing. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KEEPS_FREED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KEEPS_FREED 1
#endif
#endif
#ifndef KEEPS_FREED
#define KEEPS_FREED 0
#endif

/* Pages of address space, the first number of statm. */
static int64_t mapped(void)
{
    static int fd = -1;
    char text[64];
    ssize_t n;

    if (KEEPS_FREED)
        return 0;
    if (fd < 0)
        fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? 0 : pread(fd, text, sizeof(text) - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return strtoll(text, NULL, 10) * sysconf(_SC_PAGESIZE);
}

static int64_t threads(void)
{
    static int fd = -1;
    struct stat st;

    if (fd < 0)
        fd = open("/proc/self/task", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fstat(fd, &st) == 0 ? (int64_t)st.st_nlink - 2 : 0;
}

/* The lowest that is free: who leaks fills the holes first. */
static int64_t lowest_free(void)
{
    const int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

    if (fd >= 0)
        close(fd);
    return fd;
}

int64_t tsi_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int64_t n = -1; /* the folder's own */

    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

int tsi_children(pid_t *out, int room)
{
    siginfo_t any;
    struct dirent *task;
    DIR *tasks;
    int n = 0;

    if (waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) != 0)
        return 0; /* ECHILD: the rule */
    tasks = opendir("/proc/self/task");
    while (tasks && (task = readdir(tasks))) {
        char path[300];
        long pid;
        FILE *f;

        snprintf(path, sizeof(path), "/proc/self/task/%s/children", task->d_name);
        f = task->d_name[0] == '.' ? NULL : fopen(path, "re");
        while (f && n < room && fscanf(f, "%ld", &pid) == 1)
            out[n++] = (pid_t)pid;
        if (f)
            fclose(f);
    }
    if (tasks)
        closedir(tasks);
    return n;
}

tsi_resources tsi_resources_now(void)
{
    pid_t some[256];

    return (tsi_resources){.of = {
                               [TSI_HEAP] = tsi_heap_in_use(),
                               [TSI_MAPPED] = mapped(),
                               [TSI_THREADS] = threads(),
                               [TSI_DESCRIPTORS] = lowest_free(),
                               [TSI_CHILDREN] = tsi_children(some, 256),
                           }};
}

void tsi_close_others(int first, int but)
{
    const long most = sysconf(_SC_OPEN_MAX);

    if (but < first && close_range((unsigned)first, ~0U, 0) == 0)
        return;
    if (but >= first &&
        (but == first || close_range((unsigned)first, (unsigned)but - 1, 0) == 0) &&
        close_range((unsigned)but + 1, ~0U, 0) == 0)
        return;
    for (int fd = first; fd < (most > 0 ? most : 1024); fd++)
        if (fd != but)
            close(fd);
}
