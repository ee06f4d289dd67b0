/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OPEN = 16 };

/* Drafts that a signal has to remove. */
static char *volatile drafts[MOST_OPEN];

static void note(char *old, char *new)
{
    for (int i = 0; i < MOST_OPEN; i++)
        if (drafts[i] == old) {
            drafts[i] = new;
            return;
        }
}

void tsi_place_drop_all(void)
{
    for (int i = 0; i < MOST_OPEN; i++)
        if (drafts[i])
            unlink(drafts[i]);
}

static ts_status refuse(const char *path)
{
    return ts_fail(TS_ERR_RUNTIME, NULL, "%s: %s", path, strerror(errno));
}

static FILE *stream(int fd, const char *how)
{
    FILE *f = fd >= 0 ? fdopen(fd, how) : NULL;
    const int why = errno;

    if (!f && fd >= 0)
        close(fd);
    errno = why;
    return f;
}

/* Written to as it stands. What is to be filled in later can't be on its way yet. */
static ts_status write_through(tsi_place *p, const char *path, bool back)
{
    FILE *f = stream(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), "w");
    ts_status s;

    if (!f)
        return refuse(path);
    s = tsi_place_over(p, f, path, back);
    if (s != TS_OK)
        fclose(f);
    return s;
}

ts_status tsi_place_over(tsi_place *out, FILE *f, const char *path, bool back)
{
    *out = (tsi_place){.path = path, .f = f};
    if (!back)
        return TS_OK;
    out->through = f;
    out->f = tmpfile();
    return out->f ? TS_OK : refuse(path);
}

static ts_status write_draft(tsi_place *p, mode_t mode)
{
    const size_t n = strlen(p->target);
    int fd;

    p->draft = malloc(n + 8);
    if (!p->draft)
        return refuse(p->path);
    memcpy(p->draft, p->target, n);
    memcpy(p->draft + n, ".XXXXXX", 8);
    fd = mkostemp(p->draft, O_CLOEXEC);
    if (fd >= 0) {
        note(NULL, p->draft);
        fchmod(fd, mode);
    }
    p->f = stream(fd, "w+");
    return p->f ? TS_OK : refuse(p->path);
}

/* A name in a folder of devices and descriptors says where bytes go, not which file. */
static bool names_a_stream(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

ts_status tsi_place_open(tsi_place *out, const char *path, bool back)
{
    const mode_t mask = umask(0);
    mode_t mode = 0666 & ~mask;
    struct stat st, link;
    ts_status s;

    umask(mask);
    *out = (tsi_place){.path = path};
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode)) {
            errno = EISDIR;
            return refuse(path);
        }
        if (!S_ISREG(st.st_mode) || names_a_stream(path))
            return write_through(out, path, back);
        mode = st.st_mode & 0777;
        out->target = realpath(path, NULL);
    } else if (lstat(path, &link) == 0) { /* a link to what is not there yet */
        return write_through(out, path, back);
    } else {
        out->target = strdup(path);
    }
    if (!out->target)
        return refuse(path);
    s = write_draft(out, mode);
    if (s != TS_OK)
        tsi_place_close(out, false);
    return s;
}

static bool copy(FILE *from, FILE *to)
{
    char buffer[65536];
    size_t n;

    rewind(from);
    while ((n = fread(buffer, 1, sizeof(buffer), from)) > 0)
        if (fwrite(buffer, 1, n, to) != n)
            return false;
    return !ferror(from);
}

static bool finish(tsi_place *p, bool keep)
{
    FILE *const own[] = {p->f, p->through};
    bool ok = fflush(p->f) == 0 && !ferror(p->f);

    if (p->through && keep)
        ok = copy(p->f, p->through) && fflush(p->through) == 0 && ok;
    for (int i = 0; i < 2; i++)
        if (own[i] && own[i] != stdout)
            ok = fclose(own[i]) == 0 && ok;
    return ok;
}

ts_status tsi_place_close(tsi_place *p, bool keep)
{
    const char *path = p->path;
    bool ok = !p->f || finish(p, keep);
    int why = errno;
    ts_status s = TS_OK;

    if (p->draft && ok && keep && rename(p->draft, p->target) != 0)
        s = ts_fail(TS_ERR_RUNTIME, NULL, "%s: %s; what was written is in %s", path,
                    strerror(errno), p->draft);
    else if (p->draft && !(ok && keep))
        unlink(p->draft);
    note(p->draft, NULL);
    free(p->draft);
    free(p->target);
    *p = (tsi_place){0};
    errno = why;
    return ok ? s : refuse(path);
}
