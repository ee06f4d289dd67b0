/* SPDX-License-Identifier: Apache-2.0 */
/* The lib door (spec/areas/backend.md): finding a shared library, opening it, what it
 * claims. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/corrupt.h"
#include "runner/judge.h"
#include "runner/quality.h"
#include "runner/shield.h"
#include "runner/text.h"

/* A backend built against a later header may write more than we know: give it room. */
typedef union room {
    ts_backend backend;
    char bytes[4096];
} room;

static room opened, assistant;

/* Who serves the cpu, and the reference's path where the run gave one. */
static const ts_backend *on_cpu, *beside_cpu;
static const char *reference_path;

const char *tsi_pipe_command(const char *backend)
{
    return backend && strncmp(backend, "pipe:", 5) == 0 ? backend + 5 : NULL;
}

static char *try_in(const char *dir, int length, const char *name)
{
    char *path = malloc((size_t)length + strlen(name) + 32);

    if (path) {
        char *at = path + sprintf(path, "%.*s/libtouchstone_", length, dir);

        for (const char *c = name; *c; c++) /* cuda-sim is in a file cuda_sim */
            *at++ = (char)(*c == '-' ? '_' : *c);
        strcpy(at, ".so");
        if (access(path, R_OK) == 0)
            return path;
    }
    free(path);
    return NULL;
}

char *tsi_backend_path(const tsi_options *o, const char *name)
{
    static const char *const beside[] = {
        "", "/ref", "/cuda", "/../ref", "/../cuda", "/../lib/touchstone", "/../lib"};
    const char *env = getenv("TOUCHSTONE_BACKEND_PATH");
    char self[PATH_MAX], dir[PATH_MAX + 32], *found;
    ssize_t n;

    (void)o;
    if (tsi_pipe_command(name))
        return strdup(name);
    if (strchr(name, '/') || strstr(name, ".so")) {
        if (access(name, R_OK) == 0)
            return strdup(name);
        tsi_complain("backend %s: %s", name, strerror(errno));
        return NULL;
    }
    while (env && *env) {
        const int length = (int)strcspn(env, ":");

        found = try_in(env, length, name);
        if (found)
            return found;
        env += length + (env[length] == ':');
    }
    n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n > 0) {
        self[n] = '\0';
        *strrchr(self, '/') = '\0';
        for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
            snprintf(dir, sizeof(dir), "%s%s", self, beside[i]);
            found = try_in(dir, (int)strlen(dir), name);
            if (found)
                return found;
        }
    }
    tsi_complain(
        "backend %s: no libtouchstone_%s.so beside the program; give a path with "
        "--backend, or its folder in TOUCHSTONE_BACKEND_PATH",
        name, name);
    return NULL;
}

/* Members beyond what the backend was built with are absent, whatever it left there. */
static void forget_newer(room *r)
{
    memset(r->bytes + r->backend.size, 0, sizeof(*r) - r->backend.size);
}

static bool refuse(tsi_backend_info *info, const char *path, const char *format, ...)
{
    char what[400];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    snprintf(info->message, sizeof(info->message), "backend %.100s: %s", path, what);
    return false;
}

/* What it says of itself is taken only where all of it can be meant. */
static bool check_kernels(const char *path, const ts_backend *b, tsi_backend_info *info)
{
    if ((b->kernel_count > 0 && !b->kernels) || (b->claim_count > 0 && !b->claims))
        return refuse(info, path,
                      "it counts kernels or claims, and has no table of them");
    for (size_t i = 0; i < b->kernel_count; i++) {
        const ts_kernel_entry *e = ts_backend_kernel(b, i);

        if (!e->op || !ts_op_find(e->op))
            return refuse(info, path, "kernel %zu is for '%.60s', which is no op", i,
                          e->op ? e->op : "(null)");
        if (!e->kernel)
            return refuse(info, path, "kernel %zu, for '%s', is NULL", i, e->op);
    }
    for (size_t i = 0; i < b->claim_count; i++) {
        const ts_claim *c = ts_backend_claim(b, i);

        if (!c->op || (strcmp(c->op, "*") != 0 && !ts_op_find(c->op)))
            return refuse(info, path, "it claims '%.60s', which is no op",
                          c->op ? c->op : "(null)");
    }
    return true;
}

static bool open_one(const char *path, room *out, tsi_backend_info *info)
{
    static const ts_host host = {
        .size = sizeof(host), .abi = TS_BACKEND_ABI, .fail = ts_fail};
    /* A name without a slash is looked up elsewhere by dlopen. */
    char local[PATH_MAX];
    ts_backend_open_fn open;
    ts_status status;
    void *library;

    snprintf(local, sizeof(local), "%s%s", strchr(path, '/') ? "" : "./", path);
    library = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(info->message, sizeof(info->message), "backend %s: %s", path, dlerror());
        return false;
    }
    *(void **)&open = dlsym(library, "ts_backend_open");
    if (!open) {
        snprintf(info->message, sizeof(info->message),
                 "backend %s: it exports no symbol ts_backend_open", path);
        return false;
    }
    memset(out, 0, sizeof(*out));
    status = open(&host, &out->backend);
    if (status != TS_OK) {
        snprintf(info->message, sizeof(info->message),
                 "backend %s: ts_backend_open: %s: %s", path, ts_status_name(status),
                 ts_error_message());
        return false;
    }
    if (out->backend.abi != TS_BACKEND_ABI) {
        snprintf(info->message, sizeof(info->message),
                 "backend %s: its ABI is %u, this program speaks %d", path,
                 out->backend.abi, TS_BACKEND_ABI);
        return false;
    }
    if (out->backend.size < TS_BACKEND_SIZE_2_0 || out->backend.size > sizeof(*out)) {
        snprintf(info->message, sizeof(info->message),
                 "backend %s: its ts_backend has %zu bytes, that of ABI %d has at least "
                 "%zu and at most %zu",
                 path, out->backend.size, TS_BACKEND_ABI, TS_BACKEND_SIZE_2_0,
                 sizeof(*out));
        return false;
    }
    forget_newer(out);
    return check_kernels(path, &out->backend, info);
}

/* Only the one kernel is the backend's; the reference serves the rest. */
static bool keep_only(const char *only, tsi_backend_info *info)
{
    static ts_kernel_entry entry;

    for (size_t i = 0; i < opened.backend.kernel_count; i++)
        if (strcmp(ts_backend_kernel(&opened.backend, i)->op, only) == 0) {
            entry = *ts_backend_kernel(&opened.backend, i);
            opened.backend.kernels = &entry;
            opened.backend.kernel_count = 1;
            return true;
        }
    snprintf(info->message, sizeof(info->message), "backend %s has no kernel for '%s'",
             opened.backend.name, only);
    return false;
}

static ts_status install_cpu(const ts_backend *backend, const ts_backend *assist)
{
    on_cpu = backend;
    beside_cpu = assist;
    return ts_backend_install(TS_CPU, backend, assist);
}

/* The accelerator is the backend's own where it brings a driver, else the software one. */
static ts_status install(const tsi_options *o, bool assisted)
{
    const ts_backend *assist = assisted ? &assistant.backend : NULL;
    const ts_driver *driver = opened.backend.driver;
    const ts_driver *under;

    if (o->device == TS_CPU)
        return install_cpu(&opened.backend, assist);
    /* A second device for the cases that need it: of the software accelerator, or of a
     * backend that is simulated over it. */
    if (!getenv("TOUCHSTONE_ACCEL_DEVICES"))
        TS_TRY(ts_software_set_device_count(2));
    under = driver ? driver : ts_software_driver();
    if (o->graph)
        TS_TRY(tsi_graph_driver(under, &under));
    TS_TRY(ts_accel_open(under));
    /* Kernels for a device of their own can't serve the host. */
    TS_TRY(install_cpu(driver ? &assistant.backend : &opened.backend,
                       driver ? NULL : assist));
    return ts_backend_install(TS_ACCEL, &opened.backend, assist);
}

void tsi_backend_start(const char *path, const tsi_options *o, const char *reference,
                       tsi_backend_info *info)
{
    const char *changed;

    *info = (tsi_backend_info){0};
    reference_path = reference && *reference ? reference : NULL;
    if (!open_one(path, &opened, info))
        return;
    tsi_shield_settle_all();
    changed = tsi_shield_finding();
    if (changed) {
        snprintf(info->message, sizeof(info->message),
                 "backend %s: while it was opened, %s", path, changed);
        return;
    }
    tsi_shield(&opened.backend, o->device);
    tsi_text_plain_line(info->name, sizeof(info->name),
                        opened.backend.name ? opened.backend.name : "unnamed");
    tsi_text_plain_line(info->version, sizeof(info->version),
                        opened.backend.version ? opened.backend.version : "");
    opened.backend.name = info->name;
    if (o->corrupt)
        tsi_corrupt(&opened.backend);
    info->simulated = opened.backend.simulated;
    if (opened.backend.driver && o->device == TS_CPU) {
        snprintf(info->message, sizeof(info->message),
                 "backend %s: it has a device of its own; give --device accel", path);
        return;
    }
    if (tsi_needs_reference(o) && !open_one(reference, &assistant, info))
        return;
    if (o->only && !keep_only(o->only, info))
        return;
    if (o->quality)
        tsi_quality_wrap(&opened.backend, &assistant.backend);
    if (install(o, o->only || o->assist) != TS_OK) {
        snprintf(info->message, sizeof(info->message), "backend %s: %s", path,
                 ts_error_message());
        return;
    }
    info->ok = true;
}

bool tsi_backend_has_device(void)
{
    return opened.backend.driver && !opened.backend.simulated;
}

bool tsi_backend_lend(const tsi_options *o)
{
    tsi_backend_info info;
    char *found = NULL;
    bool ok = assistant.backend.size > 0;

    if (!ok) {
        found = reference_path ? NULL : tsi_backend_path(o, "reference");
        ok = (reference_path || found) &&
             open_one(reference_path ? reference_path : found, &assistant, &info);
        free(found);
    }
    return ok && ts_backend_install(TS_CPU, &assistant.backend, NULL) == TS_OK;
}

void tsi_backend_take_back(void)
{
    if (ts_backend_install(TS_CPU, on_cpu, beside_cpu) != TS_OK)
        abort(); /* the worker dies, the case is an ERROR */
}

void tsi_backend_stop(void)
{
    if (opened.backend.close)
        opened.backend.close();
}

static bool has_kernel(const char *op)
{
    for (size_t i = 0; i < opened.backend.kernel_count; i++)
        if (strcmp(ts_backend_kernel(&opened.backend, i)->op, op) == 0)
            return true;
    return false;
}

bool tsi_backend_stands_for(const char *level)
{
    const unsigned levels = TS_HAS(&opened.backend, levels) ? opened.backend.levels : 0;

    return levels == 0 || (level[0] == 'L' && levels & TS_LEVEL_BIT(level[1] - '0'));
}

bool tsi_backend_claimed(const char *op, ts_dtype dtype, bool *claims)
{
    const ts_backend *b = &opened.backend;

    *claims = b->claim_count > 0;
    for (size_t i = 0; i < b->claim_count; i++) {
        const ts_claim *c = ts_backend_claim(b, i);
        const bool named =
            strcmp(c->op, "*") == 0 ? has_kernel(op) : strcmp(c->op, op) == 0;

        if (named && (c->dtypes == 0 || dtype == TS_DTYPE_NONE ||
                      (c->dtypes & TS_DTYPE_BIT(dtype)) != 0))
            return true;
    }
    return false;
}

bool tsi_backend_is_reference(void)
{
    return opened.backend.name && strcmp(opened.backend.name, "reference") == 0;
}
