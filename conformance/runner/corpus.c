/* SPDX-License-Identifier: Apache-2.0 */
/* Golden files: found, read up to their cases' headers; then, for the cases that are wanted,
 * checksums compared and every record resolved to its elements. */
#include "runner/judge.h"
#include "runner/text.h"

#include <dirent.h>
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
    char said[2048];
    tsi_text text = {0};
    va_list args;

    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
    tsi_text_plain(&text, said, "\n  "); /* part of it may be a backend's */
    fprintf(stderr, "touchstone: %s\n", text.bytes ? text.bytes : format);
    tsi_text_free(&text);
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

/* dir + "/" + name; caller frees. */
static char *in_folder(const char *dir, const char *name)
{
    char *out = malloc(strlen(dir) + strlen(name) + 2);

    if (out)
        sprintf(out, "%s/%s", dir, name);
    return out;
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

static bool is_folder(const char *path)
{
    DIR *d = opendir(path);

    if (d)
        closedir(d);
    return d != NULL;
}

/* golden/data in the folder of the program or of the caller, or in one above either. */
static bool find_folder(const char *dir, char *out, size_t size)
{
    const char *env = getenv("TOUCHSTONE_GOLDEN");
    char from[PATH_MAX];
    ssize_t n;

    if (dir || env) {
        snprintf(out, size, "%s", dir ? dir : env);
        return is_folder(out) ||
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
            n = snprintf(out, size, "%s/golden/data", from);
            if (n > 0 && (size_t)n < size && is_folder(out))
                return true;
        }
    }
    return tsi_complain("no golden/data beside or above the program or this folder; say "
                        "where with --golden");
}

/* --- records --- */

static bool bad_record(const tsi_case *c, const tsi_record *r, const char *what,
                       tsi_why *why)
{
    snprintf(why->text, sizeof(why->text), "%s:%d: record '%s' of %s: %s", c->file,
             r->line, r->name, c->id, what);
    return false;
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
                    tsi_expected *e, tsi_why *why)
{
    const bool bound = r->class_ == TSI_RECORD_BOUND;
    const bool digest = r->class_ == TSI_RECORD_DIGEST;

    if (r->class_ > TSI_RECORD_DIGEST)
        return true;
    if (!digest && !g->cases->data_file)
        return bad_record(
            c, r, "the file has no '# data:' line that says where elements are", why);
    *e = (tsi_expected){.class_ = bound    ? TSI_CLASS_BOUND
                                  : digest ? TSI_CLASS_DIGEST
                                           : TSI_CLASS_EXACT,
                        .dtype = r->dtype,
                        .ndim = r->ndim,
                        .numel = r->numel,
                        .sizes = r->sizes,
                        .strides = r->strides,
                        .digest = digest ? r->digest : NULL,
                        .used = r->used};
    if (digest)
        return true;
    if (bound) {
        e->truth = elements_at(g->truth, r->at, r->numel);
        e->bound = elements_at(g->bound, r->at, r->numel);
    } else
        e->bits = elements_at(g->bits[r->dtype], r->at, r->numel);
    return (bound ? e->truth && e->bound : e->bits != NULL) ||
           bad_record(c, r, "its elements lie outside the data file's tensors", why);
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

static void add_cases(tsi_corpus *out, tsi_golden *g)
{
    for (int i = 0; i < g->cases->count; i++) {
        tsi_item *item = &out->items[out->count++];

        *item = (tsi_item){.c = &g->cases->cases[i], .golden = g};
        item->level = level_of(item->c);
    }
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
        (g->bound && g->bound->dtype != TS_INT16))
        return tsi_complain(
            "%s: the data file's \"truth\" must be F64 and its \"bound\" I16", g->path);
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

/* The bytes of a file of the corpus must be those that were written. */
static bool check_text(const tsi_golden *g)
{
    char digest[2 * SHA256_DIGEST_SIZE + 1];

    if (!g->cases->hashed)
        return true;
    hex_digest(g->cases->hashed, (size_t)(g->cases->text_end - g->cases->hashed), digest);
    return strcmp(digest, g->cases->text_sha256) == 0 ||
           tsi_complain("%s: SHA-256 of what follows '# text:' is %s, not %s: run "
                        "golden/generate.py or take the committed file back",
                        g->path, digest, g->cases->text_sha256);
}

static bool open_golden(tsi_golden *g)
{
    if (!g->opened)
        g->opened = (g->named || check_text(g)) && load_data(g);
    return g->opened;
}

bool tsi_item_ready(tsi_item *item, tsi_why *why)
{
    tsi_golden *g = item->golden;
    const tsi_case *c = item->c;

    if (item->expected)
        return true;
    if (tsi_case_ready(g->cases, (int)(c - g->cases->cases)) != TS_OK) {
        snprintf(why->text, sizeof(why->text), "%s", without_label(ts_error_message()));
        return false;
    }
    item->expected = calloc((size_t)c->nrecords + 1, sizeof(*item->expected));
    if (!item->expected) {
        snprintf(why->text, sizeof(why->text), "out of memory");
        return false;
    }
    for (int r = 0; r < c->nrecords; r++)
        if (!resolve(g, c, &c->records[r], &item->expected[r], why)) {
            free(item->expected);
            item->expected = NULL;
            return false;
        }
    return true;
}

bool tsi_corpus_open(tsi_corpus *c, const int *items, int count)
{
    for (int i = 0; i < count; i++)
        if (!open_golden(c->items[items ? items[i] : i].golden))
            return false;
    return true;
}

bool tsi_corpus_ready(tsi_corpus *c, const int *items, int count)
{
    tsi_why why;

    if (!tsi_corpus_open(c, items, count))
        return false;
    for (int i = 0; i < count; i++)
        if (!tsi_item_ready(&c->items[items ? items[i] : i], &why))
            return tsi_complain("%s", why.text);
    return true;
}

static bool load_file(tsi_golden *g, const char *path, bool named)
{
    g->path = strdup(path);
    g->named = named;
    if (!g->path)
        return tsi_complain("out of memory");
    return tsi_cases_open(g->path, named, &g->cases) == TS_OK ||
           tsi_complain("%s", without_label(ts_error_message()));
}

/* A file of the corpus says what it is held to, holds the cases of one page, so that no id
 * stands in two of them, and all are of one PyTorch. */
static bool belongs(tsi_corpus *out, const tsi_golden *g, const char *page, size_t length)
{
    const tsi_cases *cases = g->cases;
    const char *torch = cases->torch;

    for (int i = 0; i < cases->count; i++)
        if (i == 0 || cases->cases[i].page != cases->cases[i - 1].page)
            if (strncmp(cases->cases[i].page, page, length) != 0 ||
                cases->cases[i].page[length] != '\0')
                return tsi_complain("%s:%d: case %s stands in the file of page %.*s",
                                    g->path, cases->cases[i].line, cases->cases[i].id,
                                    (int)length, page);

    if (!torch || !cases->hashed)
        return tsi_complain("%s: '# text:' or '# made:' is missing at its head; was it "
                            "made by golden/generate.py?",
                            g->path);
    if (*out->torch && strcmp(out->torch, torch) != 0)
        return tsi_complain("%s: made by PyTorch %s, files before it by %s", g->path,
                            torch, out->torch);
    snprintf(out->torch, sizeof(out->torch), "%s", torch);
    return true;
}

static int is_ours(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');

    return dot && dot > e->d_name &&
           (strcmp(dot, ".cases") == 0 || strcmp(dot, ".safetensors") == 0);
}

/* One file of the folder; `before` is the name that precedes it in order, or "". */
static bool load_entry(tsi_corpus *out, const char *folder, const char *name,
                       const char *before)
{
    const size_t stem = (size_t)(strrchr(name, '.') - name);
    tsi_golden *g = &out->files[out->nfiles];
    char *path;
    bool ok;

    if (strcmp(name + stem, ".cases") != 0)
        return (strncmp(name, before, stem) == 0 &&
                strcmp(before + stem, ".cases") == 0) ||
               tsi_complain("%s: %s is there without its programs, %.*s.cases", folder,
                            name, (int)stem, name);
    out->nfiles++;
    path = in_folder(folder, name);
    ok = path && load_file(g, path, false) && belongs(out, g, name, stem);
    free(path);
    return ok;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool load_folder(tsi_corpus *out, const char *dir)
{
    char path[PATH_MAX];
    struct dirent **found;
    bool ok;
    int n;

    if (!find_folder(dir, path, sizeof(path)))
        return false;
    n = scandir(path, &found, is_ours, by_bytes);
    if (n <= 0)
        return tsi_complain("%s: no .cases; is this a folder made by golden/generate.py?",
                            path);
    out->files = calloc((size_t)n, sizeof(*out->files));
    ok = out->files || tsi_complain("out of memory");
    for (int i = 0; ok && i < n; i++)
        ok = load_entry(out, path, found[i]->d_name, i ? found[i - 1]->d_name : "");
    for (int i = 0; i < n; i++)
        free(found[i]);
    free(found);
    return ok;
}

static bool load_files(tsi_corpus *out, int nfiles, char *const *files)
{
    out->files = calloc((size_t)nfiles, sizeof(*out->files));
    if (!out->files)
        return tsi_complain("out of memory");
    for (int i = 0; i < nfiles; i++)
        if (!load_file(&out->files[out->nfiles++], files[i], true))
            return false;
    return true;
}

static uint64_t hash_of(const char *s)
{
    uint64_t h = 14695981039346656037u;

    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h ^ h >> 32;
}

/* Ids are unique over all files that a user names. */
static bool ids_differ(const tsi_corpus *corpus)
{
    size_t size = 64;
    const tsi_item **table;
    bool ok = true;

    while (size < 2 * (size_t)corpus->count)
        size *= 2;
    table = calloc(size, sizeof(const tsi_item *));
    if (!table)
        return tsi_complain("out of memory");
    for (int i = 0; i < corpus->count && ok; i++) {
        const tsi_case *c = corpus->items[i].c;
        size_t at = hash_of(c->id) & (size - 1);

        for (; table[at] && ok; at = (at + 1) & (size - 1))
            if (strcmp(table[at]->c->id, c->id) == 0)
                ok = tsi_complain("%s:%d: case %s stands at %s:%d too", c->file, c->line,
                                  c->id, table[at]->c->file, table[at]->c->line);
        table[at] = &corpus->items[i];
    }
    free(table);
    return ok;
}

bool tsi_corpus_load(tsi_corpus *out, const char *dir, int nfiles, char *const *files)
{
    int64_t count = 0;
    bool ok;

    *out = (tsi_corpus){0};
    ok = nfiles > 0 ? load_files(out, nfiles, files) : load_folder(out, dir);
    for (int i = 0; ok && i < out->nfiles; i++)
        count += out->files[i].cases->count;
    out->items = ok ? calloc((size_t)count + 1, sizeof(*out->items)) : NULL;
    ok = ok && (out->items || tsi_complain("out of memory"));
    for (int i = 0; ok && i < out->nfiles; i++)
        add_cases(out, &out->files[i]);
    if (ok && nfiles > 0) /* a user's mistakes are told before anything runs */
        ok = ids_differ(out) && tsi_corpus_ready(out, NULL, out->count);
    if (!ok)
        tsi_corpus_free(out);
    return ok;
}

static bool has_page(const tsi_corpus *c, const char *page)
{
    for (int i = 0; i < c->nfiles; i++)
        if (c->files[i].cases->count > 0 &&
            strcmp(c->files[i].cases->cases[0].page, page) == 0)
            return true;
    return false;
}

/* Every op's page has cases. A corpus of none of the spec's pages is somebody's own. */
int tsi_corpus_complaints(const tsi_corpus *c, FILE *out)
{
    const char *last = "";
    int have = 0, missing = 0;

    for (int report = 0; report < 2; report++) {
        for (int i = 0; i < ts_rule_count(); i++) {
            const ts_rule *rule = ts_rule_at(i);

            if (strcmp(rule->page, last) == 0 || strncmp(rule->file, "ops/", 4) != 0)
                continue;
            last = rule->page;
            if (!report)
                have += has_page(c, last);
            else if (!has_page(c, last) && ++missing)
                fprintf(out, "the corpus has no cases of page %s\n", last);
        }
        if (!have)
            return 0;
        last = "";
    }
    return missing;
}

void tsi_corpus_free(tsi_corpus *c)
{
    for (int i = 0; i < c->count; i++)
        free(c->items[i].expected);
    for (int i = 0; i < c->nfiles; i++) {
        tsi_cases_free(c->files[i].cases);
        tsi_safetensors_close(&c->files[i].data);
        free(c->files[i].path);
    }
    free(c->items);
    free(c->files);
    *c = (tsi_corpus){0};
}
