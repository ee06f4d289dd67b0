/* SPDX-License-Identifier: Apache-2.0 */
/* What the expectations of a run saw: kept in the first run of a layout, compared in the
 * second and on meta. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runner/execute.h"
#include "runner/shield.h"

enum { CHUNK = 1 << 20 };

void *tsi_arena_take(tsi_arena *a, size_t size)
{
    tsi_chunk *c = a->first;

    size = (size + 15) & ~(size_t)15;
    if (!c || c->room - c->used < size) {
        const size_t room = size > CHUNK ? size : CHUNK;

        c = malloc(sizeof(*c) + room);
        if (!c)
            abort(); /* the worker dies, the case is an ERROR */
        *c = (tsi_chunk){.next = a->first, .room = room};
        a->first = c;
    }
    c->used += size;
    return c->bytes + c->used - size;
}

void tsi_arena_reset(tsi_arena *a)
{
    while (a->first && a->first->next) {
        tsi_chunk *next = a->first->next;

        free(a->first);
        a->first = next;
    }
    if (a->first)
        a->first->used = 0;
}

static void *scratch(tsi_executor *x, size_t size)
{
    if (size > x->scratch_size) {
        free(x->scratch);
        x->scratch = malloc(size);
        x->scratch_size = x->scratch ? size : 0;
        if (!x->scratch)
            abort();
    }
    return x->scratch;
}

void tsi_fault(tsi_executor *x, int line, const char *format, ...)
{
    va_list args;

    if (x->failed)
        return;
    x->failed = true;
    x->line = line;
    va_start(args, format);
    vsnprintf(x->reason, sizeof(x->reason), format, args);
    va_end(args);
}

/* t's elements in row-major order, wherever it lives. */
static ts_status gather(ts_tensor *t, unsigned char *bytes)
{
    ts_tensor *host;

    TS_TRY(ts_tensor_to_host(t, &host));
    tsi_gather(host, bytes);
    ts_release(host);
    return TS_OK;
}

static ts_status keep_tensor(tsi_arena *a, ts_tensor *t, bool elements, tsi_answer *out)
{
    const size_t dims = sizeof(int64_t) * (size_t)t->ndim;
    int64_t *sizes = tsi_arena_take(a, 2 * dims);

    if (t->ndim > 0) {
        memcpy(sizes, t->sizes, dims);
        memcpy(sizes + t->ndim, t->strides, dims);
    }
    *out = (tsi_answer){.dtype = t->dtype,
                        .ndim = t->ndim,
                        .numel = t->numel,
                        .sizes = sizes,
                        .strides = sizes + t->ndim};
    if (elements && t->data) {
        unsigned char *bytes =
            tsi_arena_take(a, (size_t)(t->numel * ts_dtype_size(t->dtype)));

        TS_TRY(gather(t, bytes));
        out->elements = bytes;
    }
    return TS_OK;
}

/* What a peer told, in the same form. */
static void keep_told(tsi_arena *a, const tsi_told *t, tsi_answer *out)
{
    const size_t dims = sizeof(int64_t) * (size_t)t->ndim;
    const size_t bytes = (size_t)(t->numel * ts_dtype_size(t->dtype));
    int64_t *sizes = tsi_arena_take(a, 2 * dims);
    unsigned char *elements = t->elements ? tsi_arena_take(a, bytes) : NULL;

    if (dims) {
        memcpy(sizes, t->sizes, dims);
        memcpy(sizes + t->ndim, t->strides, dims);
    }
    if (elements && bytes)
        memcpy(elements, t->elements, bytes);
    *out = (tsi_answer){.dtype = t->dtype,
                        .ndim = t->ndim,
                        .numel = t->numel,
                        .sizes = sizes,
                        .strides = sizes + t->ndim,
                        .elements = elements};
}

static const tsi_expected *expected_of(const tsi_executor *x, const tsi_expectation *e)
{
    const tsi_expected *out;

    if (!e->record)
        return NULL;
    out = &x->item->expected[e->record - x->item->c->records];
    return out->sizes ? out : NULL;
}

const tsi_expected *tsi_known(tsi_executor *x, const tsi_taken *t,
                              const unsigned char *elements)
{
    tsi_expected *e = tsi_arena_take(&x->now->memory, sizeof(*e));

    *e = *t->expected;
    e->class_ = TSI_CLASS_EXACT;
    e->bits = elements;
    return e;
}

static ts_status on_first(tsi_executor *x, const tsi_expectation *e)
{
    tsi_run_record *now = x->now;
    tsi_taken *t = &now->taken[now->count];
    const size_t length = strlen(e->name);
    tsi_comparison c;

    if (now == &x->base && !x->has_input && e->first_input &&
        ts_version(e->first_input) == 0) {
        TS_TRY(keep_tensor(&now->memory, e->first_input, true, &x->input));
        x->has_input = x->input.elements != NULL;
    }
    if (now->count == TSI_MOST_TAKEN)
        return ts_fail(TS_ERR_RUNTIME, NULL, "more than %d expectations in one run",
                       TSI_MOST_TAKEN);
    now->count++;
    if (now == &x->base && !e->hollow)
        x->able++;
    else if (now == &x->base && x->hollow[0] == '\0')
        snprintf(x->hollow, sizeof(x->hollow), "%s", e->hollow);
    if (e->record)
        now->met[e->record - x->item->c->records] = true;
    *t = (tsi_taken){
        .kind = e->kind, .decided = e->decided, .passed = e->passed, .worst_at = -1};
    t->name = memcpy(tsi_arena_take(&now->memory, length + 1), e->name, length + 1);
    t->is_tensor = e->tensor || e->told;
    if (e->tensor)
        TS_TRY(keep_tensor(&now->memory, e->tensor, true, &t->answer));
    else if (e->told)
        keep_told(&now->memory, e->told, &t->answer);
    if (e->decided) {
        if (!e->passed)
            tsi_fault(x, e->line, "%s: %s", e->name,
                      e->reason ? e->reason : "not as expected");
        if (e->passed && now == &x->base && e->tensor && t->answer.elements &&
            (e->kind == TSI_EXPECT_EQUAL || e->kind == TSI_EXPECT_CLOSE)) {
            /* A literal that was met: what came is what was asked for. */
            const tsi_expected met = {.class_ = TSI_CLASS_EXACT,
                                      .dtype = t->answer.dtype,
                                      .ndim = t->answer.ndim,
                                      .numel = t->answer.numel,
                                      .sizes = t->answer.sizes,
                                      .strides = t->answer.strides,
                                      .bits = t->answer.elements};
            tsi_weigh(x, &met);
        }
        return TS_OK;
    }
    t->expected = expected_of(x, e);
    if (!t->is_tensor || (e->told && !t->answer.elements)) {
        t->passed = false;
        tsi_fault(x, e->line, "%s: expected a tensor%s", e->name,
                  t->is_tensor ? "'s elements" : "");
        return TS_OK;
    }
    if (!t->expected) {
        t->passed = false;
        tsi_fault(x, e->line, "%s: the golden file holds no answer of that name",
                  e->name);
        return TS_OK;
    }
    tsi_compare_answer(e->name, t->expected, &t->answer, &c);
    t->passed = c.equal;
    t->worst = c.worst;
    t->worst_at = c.worst_at;
    if (t->expected->class_ == TSI_CLASS_DIGEST && c.equal) /* the answer's own */
        t->expected = tsi_known(x, t, t->answer.elements);
    else if (c.by_digest && !x->failed)
        x->puzzle = t;
    if (!c.equal)
        tsi_fault(x, e->line, "%s", c.reason);
    else if (now == &x->base)
        tsi_weigh(x, t->expected);
    return TS_OK;
}

/* Whether an expectation asks for elements; else what they are may be nobody's business,
 * empty_like's for one. */
static bool asks_elements(tsi_expect_kind kind)
{
    return kind == TSI_EXPECT || kind == TSI_EXPECT_EQUAL || kind == TSI_EXPECT_CLOSE ||
           kind == TSI_EXPECT_ANY;
}

/* The second run of a layout must give the very bits of the first (results/S6). */
static ts_status on_again(tsi_executor *x, const tsi_expectation *e)
{
    const tsi_taken *t = x->at < x->now->count ? &x->now->taken[x->at] : NULL;
    const tsi_answer *a = t ? &t->answer : NULL;

    x->at++;
    if (!t || strcmp(t->name, e->name) != 0 || t->is_tensor != (e->tensor || e->told)) {
        tsi_fault(x, e->line, "%s: the second run took another path than the first",
                  e->name);
    } else if (e->decided && e->passed != t->passed) {
        tsi_fault(x, e->line, "%s: held in the first run, not in the second: %s", e->name,
                  e->reason ? e->reason : "");
    } else if (t->is_tensor && asks_elements(e->kind) && a->elements &&
               (e->tensor || e->told->elements)) {
        const size_t size = (size_t)ts_dtype_size(a->dtype);
        unsigned char *bytes;

        if ((e->tensor ? e->tensor->dtype : e->told->dtype) != a->dtype ||
            (e->tensor ? e->tensor->numel : e->told->numel) != a->numel) {
            tsi_fault(x, e->line, "%s: the second run gave another dtype or shape",
                      e->name);
            return TS_OK;
        }
        bytes = scratch(x, (size_t)a->numel * size + 1);
        if (e->tensor)
            TS_TRY(gather(e->tensor, bytes));
        else
            memcpy(bytes, e->told->elements, (size_t)a->numel * size);
        for (int64_t i = 0;
             memcmp(bytes, a->elements, (size_t)a->numel * size) != 0 && i < a->numel;
             i++)
            if (memcmp(bytes + i * (int64_t)size, a->elements + i * (int64_t)size,
                       size) != 0) {
                char first[40], second[40];

                tsi_fault(x, e->line,
                          "%s: two runs differ: element %" PRId64 " was %s, then %s",
                          e->name, i,
                          tsi_element_text(first, sizeof(first), a->dtype,
                                           a->elements + i * (int64_t)size),
                          tsi_element_text(second, sizeof(second), a->dtype,
                                           bytes + i * (int64_t)size));
                break;
            }
    }
    return TS_OK;
}

/* meta agrees in dtype, shape and strides (results/S9). */
static ts_status on_meta(tsi_executor *x, const tsi_expectation *e)
{
    const tsi_run_record *base = &x->base;
    const ts_tensor *m = e->tensor;

    while (x->at < base->count && strcmp(base->taken[x->at].name, e->name) != 0)
        x->at++;
    if (x->at < base->count && m && base->taken[x->at].is_tensor) {
        const tsi_answer *a = &base->taken[x->at].answer;
        const size_t dims = sizeof(int64_t) * (size_t)a->ndim;

        if (m->dtype != a->dtype)
            tsi_fault(x, e->line, "%s: on meta its dtype is %s, with data %s", e->name,
                      ts_dtype_name(m->dtype), ts_dtype_name(a->dtype));
        else if (m->ndim != a->ndim || (dims && memcmp(m->sizes, a->sizes, dims) != 0))
            tsi_fault(x, e->line, "%s: on meta its shape is another than with data",
                      e->name);
        else if (!tsi_same_strides(a->ndim, a->sizes, m->strides, a->strides))
            tsi_fault(x, e->line, "%s: on meta its strides are others than with data",
                      e->name);
    }
    return TS_OK;
}

ts_status tsi_observe(void *self, const tsi_expectation *e)
{
    tsi_executor *x = self;

    tsi_shield_settle();
    if (x->mode == TSI_UNJUDGED)
        return TS_OK;
    if (x->mode == TSI_FIRST)
        return on_first(x, e);
    return x->mode == TSI_AGAIN ? on_again(x, e) : on_meta(x, e);
}

ts_status tsi_observe_data(void *self, const tsi_case *c, const char *key,
                           ts_device device, ts_tensor **out)
{
    const tsi_executor *x = self;
    const tsi_stored *s = tsi_safetensors_find(&x->item->golden->data, key);

    TS_CHECK(s, TS_ERR_VALUE, NULL, "%s: no stored tensor '%s'", c->id, key);
    TS_TRY(ts_tensor_new(device, s->dtype, s->ndim, s->sizes, out));
    return ts_storage_write(ts_tensor_storage(*out), 0,
                            s->numel * ts_dtype_size(s->dtype), s->data);
}
