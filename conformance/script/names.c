/* SPDX-License-Identifier: Apache-2.0 */
/* Names of one file, each stored once, with what the dotted ones stand for. */
#include "names.h"

#include "module.h"

#include <math.h>
#include <string.h>

#define TSI_WORDS_TABLES
#include "words_language.h"

typedef struct entry {
    const char *name;
    size_t n;
    uint32_t hash;
    const tsi_callee *callee;
} entry;

struct tsi_names {
    tsi_pool *pool;
    entry *table;
    size_t size, count; /* size is a power of two */
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static uint32_t hash_of(const char *s, size_t n)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

tsi_names *tsi_names_new(tsi_pool *pool)
{
    tsi_names *names = tsi_pool_alloc(pool, sizeof *names);

    if (names == NULL)
        return NULL;
    names->pool = pool;
    names->size = 256;
    names->table = tsi_pool_alloc(pool, names->size * sizeof *names->table);
    return names->table != NULL ? names : NULL;
}

static entry *slot_of(entry *table, size_t size, const char *s, size_t n, uint32_t hash)
{
    size_t i = hash & (size - 1);

    while (table[i].name != NULL &&
           (table[i].hash != hash || table[i].n != n || memcmp(table[i].name, s, n) != 0))
        i = (i + 1) & (size - 1);
    return &table[i];
}

static bool grow(tsi_names *names)
{
    const size_t size = 2 * names->size;
    entry *table = tsi_pool_alloc(names->pool, size * sizeof *table);

    if (table == NULL)
        return false;
    for (size_t i = 0; i < names->size; i++) {
        const entry *e = &names->table[i];

        if (e->name != NULL)
            *slot_of(table, size, e->name, e->n, e->hash) = *e;
    }
    names->table = table;
    names->size = size;
    return true;
}

static entry *intern(tsi_names *names, const char *s, size_t n)
{
    const uint32_t hash = hash_of(s, n);

    if (2 * names->count >= names->size && !grow(names))
        return NULL;

    entry *e = slot_of(names->table, names->size, s, n, hash);

    if (e->name == NULL) {
        e->name = tsi_pool_strndup(names->pool, s, n);
        if (e->name == NULL)
            return NULL;
        e->n = n;
        e->hash = hash;
        names->count++;
    }
    return e;
}

const char *tsi_intern(tsi_names *names, const char *s, size_t n)
{
    const entry *e = intern(names, s, n);

    return e != NULL ? e->name : NULL;
}

static const tsi_word *word_find(const char *name)
{
    for (size_t i = 0; i < COUNT(natives); i++)
        if (strcmp(natives[i].s.name, name) == 0)
            return &natives[i];
    return tsi_module_word_find(name);
}

static const tsi_constant *constant_find(const char *name)
{
    for (const tsi_constant *c = constants; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return tsi_module_constant_find(name);
}

static int member_find(const char *name)
{
    for (int i = 1; i < MEMBER_COUNT; i++)
        if (strcmp(members[i], name) == 0)
            return i;
    return MEMBER_NONE;
}

const tsi_callee *tsi_callee_find(tsi_names *names, const char *s, size_t n)
{
    entry *e = intern(names, s, n);

    if (e == NULL)
        return NULL;
    if (e->callee != NULL)
        return e->callee;

    tsi_callee *c = tsi_pool_alloc(names->pool, sizeof *c);

    if (c == NULL)
        return NULL;
    c->name = e->name;
    c->word = word_find(c->name);
    c->native = c->word != NULL ? c->word->native : NATIVE_NONE;
    c->constant = constant_find(c->name);
    if (strncmp(c->name, "Tensor.", 7) == 0)
        c->member = member_find(c->name + 7);

    const ts_binding *b = ts_binding_find(c->name);

    if (b != NULL) {
        c->op = b->op;
        c->form = b->form;
    }
    e->callee = c;
    return c;
}

const char *tsi_native_name(tsi_native id)
{
    return natives[id - 1].s.name;
}

const char *tsi_member_name(tsi_member m)
{
    return members[m];
}
