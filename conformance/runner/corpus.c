/* SPDX-License-Identifier: Apache-2.0 */
/* Golden files: found, their checksums compared, every record resolved to its elements.
 */
#include "runner/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tsi_complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("touchstone: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return false;
}

static void hex_digest(const void *bytes, size_t size,
                       char out[2 * SHA256_DIGEST_SIZE + 1])
{
    struct sha256_ctx ctx;
    uint8_t digest[SHA256_DIGEST_SIZE];

    sha256_init(&ctx);
    sha256_update(&ctx, size, bytes);
    sha256_digest(&ctx, sizeof(digest), digest);
    for (size_t i = 0; i < sizeof(digest); i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

/* "dir/of/path" + "/" + name; caller frees. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) + 1 : 0;
    char *out = malloc((size_t)length + strlen(name) + 1);

    if (out)
        sprintf(out, "%.*s%s", length, path, name);
    return out;
}

static bool exists_under(const char *dir, char *out, size_t size)
{
    const int n = snprintf(out, size, "%s/golden/data/MANIFEST.json", dir);

    return n > 0 && (size_t)n < size && access(out, R_OK) == 0;
}

/* golden/data in the folder of the program or of the caller, or in one above either. */
static bool find_manifest(const char *dir, char *out, size_t size)
{
    const char *env = getenv("TOUCHSTONE_GOLDEN");
    char from[PATH_MAX];
    ssize_t n;

    if (dir || env) {
        snprintf(out, size, "%s/MANIFEST.json", dir ? dir : env);
        return access(out, R_OK) == 0 ||
               tsi_complain("%s: %s; is this a folder made by golden/generate.py?", out,
                            strerror(errno));
    }
    for (int start = 0; start < 2; start++) {
        n = start == 0 ? readlink("/proc/self/exe", from, sizeof(from) - 1) : -1;
        if (n > 0)
            from[n] = '\0';
        else if (!getcwd(from, sizeof(from)))
            continue;
        for (char *slash = from + strlen(from); slash; slash = strrchr(from, '/')) {
            *slash = '\0';
            if (exists_under(from, out, size))
                return true;
        }
    }
    return tsi_complain(
        "no golden/data/MANIFEST.json beside or above the program or this "
        "folder; say where with --golden");
}

/* --- records --- */

static bool bad_record(const tsi_case *c, const tsi_record *r, const char *what)
{
    return tsi_complain("%s:%d: record '%s' of %s: %s", c->file, r->line, r->name, c->id,
                        what);
}

static int64_t *int_list(json_t *list, int *count)
{
    int64_t *out;

    *count = (int)json_array_size(list);
    if (!json_is_array(list) || *count > TS_MAX_DIMS)
        return NULL;
    out = calloc((size_t)*count + 1, sizeof(*out));
    for (int i = 0; out && i < *count; i++) {
        if (!json_is_integer(json_array_get(list, (size_t)i))) {
            free(out);
            return NULL;
        }
        out[i] = json_integer_value(json_array_get(list, (size_t)i));
    }
    return out;
}

static const unsigned char *elements_at(const tsi_stored *s, int64_t at, int64_t count)
{
    static const unsigned char none[1];

    if (count == 0)
        return none;
    if (!s || at < 0 || at > s->numel || count > s->numel - at)
        return NULL;
    return s->data + at * ts_dtype_size(s->dtype);
}

/* A record of stored elements; other classes carry their value in the line itself. */
static bool resolve(const tsi_golden *g, const tsi_case *c, const tsi_record *r,
                    const tsi_expected *base, tsi_expected *e)
{
    const bool bound = strcmp(r->class_, "bound") == 0;
    json_t *at = json_object_get(r->json, "at");
    const char *dtype = json_string_value(json_object_get(r->json, "dtype"));
    int ndim = 0, nstrides = 0;
    int64_t first;

    if (!bound && strcmp(r->class_, "exact") != 0)
        return true;
    e->class_ = bound ? TSI_CLASS_BOUND : TSI_CLASS_EXACT;
    if (dtype)
        e->dtype = ts_dtype_from_name(dtype);
    else
        e->dtype = base ? base->dtype : TS_DTYPE_NONE;
    if (e->dtype == TS_DTYPE_NONE)
        return bad_record(c, r, "\"dtype\" is missing or no dtype");
    if (json_object_get(r->json, "shape")) {
        e->sizes = int_list(json_object_get(r->json, "shape"), &ndim);
    } else if (base) {
        ndim = base->ndim;
        e->sizes = calloc((size_t)ndim + 1, sizeof(*e->sizes));
        if (e->sizes)
            memcpy((int64_t *)(uintptr_t)e->sizes, base->sizes,
                   sizeof(*e->sizes) * (size_t)ndim);
    }
    e->used = json_number_value(json_object_get(r->json, "used"));
    e->strides = int_list(json_object_get(r->json, "strides"), &nstrides);
    if (!e->sizes || !e->strides || ndim != nstrides)
        return bad_record(c, r,
                          "\"shape\" and \"strides\" are not lists of the same length");
    e->ndim = ndim;
    e->numel = 1;
    for (int i = 0; i < ndim; i++)
        if (e->sizes[i] < 0 || __builtin_mul_overflow(e->numel, e->sizes[i], &e->numel))
            return bad_record(c, r, "no such shape");
    if (!at && base && base->numel == e->numel && base->class_ == e->class_) {
        e->truth = base->truth;
        e->bound = base->bound;
        e->bits = base->bits;
        return true;
    }
    if (!json_is_integer(at))
        return bad_record(c, r, "\"at\" is missing");
    if (!g->cases->data_file)
        return bad_record(c, r,
                          "the file has no '# data:' line that says where elements are");
    first = json_integer_value(at);
    if (bound) {
        e->truth = elements_at(g->truth, first, e->numel);
        e->bound = elements_at(g->bound, first, e->numel);
    } else
        e->bits = elements_at(g->bits[e->dtype], first, e->numel);
    if (bound ? !e->truth || !e->bound : !e->bits)
        return bad_record(c, r, "its elements lie outside the data file's tensors");
    return true;
}

static const tsi_expected *base_of(const tsi_item *item, const tsi_record *r)
{
    const tsi_case *c = item->c;

    if (r->variant == TSI_BASE)
        return NULL;
    for (int i = 0; i < c->nrecords; i++)
        if (c->records[i].variant == TSI_BASE && strcmp(c->records[i].name, r->name) == 0)
            return item->expected[i].sizes ? &item->expected[i] : NULL;
    return NULL;
}

static const char *level_of(const tsi_case *c)
{
    if (c->level)
        return c->level;
    for (int i = 0; i < c->nrules; i++)
        if (ts_rule_find(c->rules[i]))
            return ts_rule_find(c->rules[i])->level;
    return "L1";
}

static bool add_cases(tsi_corpus *out, const tsi_golden *g)
{
    for (int i = 0; i < g->cases->count; i++) {
        tsi_item *item = &out->items[out->count];

        *item = (tsi_item){.c = &g->cases->cases[i], .golden = g};
        item->level = level_of(item->c);
        item->expected = calloc((size_t)item->c->nrecords + 1, sizeof(*item->expected));
        if (!item->expected)
            return tsi_complain("out of memory");
        out->count++;
        for (int base = 1; base >= 0; base--) /* overrides lean on base records */
            for (int r = 0; r < item->c->nrecords; r++) {
                const tsi_record *record = &item->c->records[r];

                if ((record->variant == TSI_BASE) == base &&
                    !resolve(g, item->c, record, base_of(item, record),
                             &item->expected[r]))
                    return false;
            }
    }
    return true;
}

/* --- files --- */

static bool load_data(tsi_golden *g)
{
    char error[256], digest[2 * SHA256_DIGEST_SIZE + 1], key[32];
    char *path;
    bool ok;

    if (!g->cases->data_file)
        return true;
    path = beside(g->path, g->cases->data_file);
    if (!path)
        return tsi_complain("out of memory");
    ok = tsi_safetensors_open(&g->data, path, error, sizeof(error)) ||
         tsi_complain("%s: %s", path, error);
    if (ok && g->cases->data_sha256) {
        hex_digest(g->data.bytes, g->data.size, digest);
        if (strcmp(digest, g->cases->data_sha256) != 0)
            ok = tsi_complain(
                "%s: SHA-256 is %s, but %s:2 says %s: the two files do not belong "
                "together",
                path, digest, g->path, g->cases->data_sha256);
    }
    free(path);
    if (!ok)
        return false;
    g->truth = tsi_safetensors_find(&g->data, "truth");
    g->bound = tsi_safetensors_find(&g->data, "bound");
    if ((g->truth && g->truth->dtype != TS_FLOAT64) ||
        (g->bound && g->bound->dtype != TS_BFLOAT16))
        return tsi_complain(
            "%s: the data file's \"truth\" must be F64 and its \"bound\" BF16", g->path);
    for (int d = 0; d < TS_DTYPE_COUNT; d++) {
        snprintf(key, sizeof(key), "exact.%s", ts_dtype_name((ts_dtype)d));
        g->bits[d] = tsi_safetensors_find(&g->data, key);
        if (g->bits[d] && g->bits[d]->dtype != (ts_dtype)d)
            return tsi_complain("%s: the data file's \"%s\" has another dtype", g->path,
                                key);
    }
    return true;
}

/* "[case_language/C2] file:line:col: …" without its label, as every set-up error stands.
 */
static const char *without_label(const char *message)
{
    const char *end = message[0] == '[' ? strstr(message, "] ") : NULL;

    return end ? end + 2 : message;
}

static bool load_file(tsi_golden *g, const char *path)
{
    g->path = strdup(path);
    if (!g->path)
        return tsi_complain("out of memory");
    if (tsi_cases_read(g->path, &g->cases) != TS_OK)
        return tsi_complain("%s", without_label(ts_error_message()));
    return load_data(g);
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long n;

    if (f && fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 &&
        fseek(f, 0, SEEK_SET) == 0) {
        text = malloc((size_t)n + 1);
        if (text && fread(text, 1, (size_t)n, f) != (size_t)n) {
            free(text);
            text = NULL;
        }
        *size = (size_t)n;
    }
    if (f)
        fclose(f);
    if (!text)
        tsi_complain("%s: cannot read: %s", path, strerror(errno));
    return text;
}

char *tsi_read_text(const char *path)
{
    size_t size = 0;
    char *text = read_whole(path, &size);

    if (text)
        text[size] = '\0';
    return text;
}

/* A file of the MANIFEST: its bytes must be those that were written with it. */
static bool check_listed(const char *path, const char *name, json_t *info)
{
    const char *wanted = json_string_value(json_object_get(info, "sha256"));
    char digest[2 * SHA256_DIGEST_SIZE + 1];
    size_t size = 0;
    char *text;

    if (!wanted)
        return tsi_complain("MANIFEST.json: '%s' has no \"sha256\"", name);
    text = read_whole(path, &size);
    if (!text)
        return false;
    hex_digest(text, size, digest);
    free(text);
    return strcmp(digest, wanted) == 0 ||
           tsi_complain(
               "%s: SHA-256 is %s, MANIFEST.json says %s: run golden/generate.py or take "
               "the committed file back",
               path, digest, wanted);
}

static bool load_listed(tsi_corpus *out, const char *manifest, json_t *root)
{
    json_t *files = json_object_get(root, "files"), *info;
    json_t *total = json_object_get(json_object_get(root, "total"), "cases");
    const char *name, *torch = json_string_value(json_object_get(root, "torch"));

    if (json_integer_value(json_object_get(root, "format")) != 1)
        return tsi_complain("%s: \"format\" is not 1, the only one known", manifest);
    if (!json_is_object(files) || !json_is_integer(total) || !torch)
        return tsi_complain("%s: \"files\", \"total\" or \"torch\" is missing", manifest);
    out->promised = json_integer_value(total);
    snprintf(out->torch, sizeof(out->torch), "%s", torch);
    out->files = calloc(json_object_size(files) + 1, sizeof(*out->files));
    if (!out->files)
        return tsi_complain("out of memory");
    json_object_foreach(files, name, info)
    {
        const char *dot = strrchr(name, '.');
        char *path;
        bool ok;

        if (!dot || strcmp(dot, ".cases") != 0)
            continue;
        path = beside(manifest, name);
        ok = path && check_listed(path, name, info) &&
             load_file(&out->files[out->nfiles++], path);
        free(path);
        if (!ok)
            return false;
    }
    return true;
}

static bool load_manifest(tsi_corpus *out, const char *dir)
{
    char path[PATH_MAX];
    json_error_t problem;
    json_t *root;
    bool ok;

    if (!find_manifest(dir, path, sizeof(path)))
        return false;
    root = json_load_file(path, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        return tsi_complain("%s:%d:%d: %s", path, problem.line, problem.column,
                            problem.text);
    ok = load_listed(out, path, root);
    json_decref(root);
    return ok;
}

static bool load_files(tsi_corpus *out, int nfiles, char *const *files)
{
    out->files = calloc((size_t)nfiles, sizeof(*out->files));
    if (!out->files)
        return tsi_complain("out of memory");
    for (int i = 0; i < nfiles; i++)
        if (!load_file(&out->files[out->nfiles++], files[i]))
            return false;
    return true;
}

static int by_id(const void *a, const void *b)
{
    return strcmp((*(const tsi_item *const *)a)->c->id,
                  (*(const tsi_item *const *)b)->c->id);
}

static bool ids_differ(const tsi_corpus *corpus)
{
    const tsi_item **order = calloc((size_t)corpus->count + 1, sizeof(const tsi_item *));
    bool ok = true;

    if (!order)
        return tsi_complain("out of memory");
    for (int i = 0; i < corpus->count; i++)
        order[i] = &corpus->items[i];
    qsort(order, (size_t)corpus->count, sizeof(*order), by_id);
    for (int i = 1; i < corpus->count && ok; i++)
        if (strcmp(order[i]->c->id, order[i - 1]->c->id) == 0)
            ok = tsi_complain("%s:%d: case %s stands at %s:%d too", order[i]->c->file,
                              order[i]->c->line, order[i]->c->id, order[i - 1]->c->file,
                              order[i - 1]->c->line);
    free(order);
    return ok;
}

bool tsi_corpus_load(tsi_corpus *out, const char *dir, int nfiles, char *const *files)
{
    int64_t count = 0;
    bool ok;

    *out = (tsi_corpus){0};
    ok = nfiles > 0 ? load_files(out, nfiles, files) : load_manifest(out, dir);
    for (int i = 0; ok && i < out->nfiles; i++)
        count += out->files[i].cases->count;
    out->items = ok ? calloc((size_t)count + 1, sizeof(*out->items)) : NULL;
    for (int i = 0; ok && i < out->nfiles; i++)
        ok = (out->items || tsi_complain("out of memory")) &&
             add_cases(out, &out->files[i]);
    ok = ok && ids_differ(out);
    if (!ok)
        tsi_corpus_free(out);
    return ok;
}

void tsi_corpus_free(tsi_corpus *c)
{
    for (int i = 0; i < c->count; i++) {
        for (int r = 0; r < c->items[i].c->nrecords; r++) {
            free((void *)(uintptr_t)c->items[i].expected[r].sizes);
            free((void *)(uintptr_t)c->items[i].expected[r].strides);
        }
        free(c->items[i].expected);
    }
    for (int i = 0; i < c->nfiles; i++) {
        tsi_cases_free(c->files[i].cases);
        tsi_safetensors_close(&c->files[i].data);
        free(c->files[i].path);
    }
    free(c->items);
    free(c->files);
    *c = (tsi_corpus){0};
}
