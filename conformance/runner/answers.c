/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a peer: foreign bytes until everything here has looked at them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runner/pipe.h"

typedef struct reader {
    tsi_answers *out;
    int64_t *dims; /* the next free ones */
    char *error;
    size_t error_size;
} reader;

TS_PRINTF(3, 4) static bool refuse(char *error, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(error, size, format, args);
    va_end(args);
    return false;
}

#define REFUSE(r, ...) refuse((r)->error, (r)->error_size, __VA_ARGS__)

static const char *word(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

bool tsi_header_read(const char *bytes, size_t size, json_t **out, size_t *payload,
                     char *error, size_t error_size)
{
    json_error_t problem;
    json_t *announced;

    *out = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &problem);
    if (!*out)
        return refuse(error, error_size, "its message is no JSON: %s", problem.text);
    announced = json_object_get(*out, "payload");
    *payload = (size_t)json_integer_value(announced);
    if (word(*out, "message") && (!announced || (json_is_integer(announced) &&
                                                 json_integer_value(announced) >= 0 &&
                                                 *payload <= TSI_PIPE_PAYLOAD)))
        return true;
    json_decref(*out);
    *out = NULL;
    return refuse(
        error, error_size,
        "its message has no \"message\", or a \"payload\" that is no count of at "
        "most %zu bytes",
        TSI_PIPE_PAYLOAD);
}

/* --- hello --- */

static bool read_claim(json_t *json, ts_claim *out, char **words, char *error,
                       size_t size)
{
    const char *op = word(json, "op");
    json_t *dtypes = json_object_get(json, "dtypes");

    if (!op || (dtypes && json_array_size(dtypes) == 0))
        return refuse(error, size, "a claim is no {\"op\": name, \"dtypes\": [name, …]}");
    if (strcmp(op, "*") != 0 && !ts_op_find(op))
        return refuse(error, size, "it claims '%.60s', which is no op", op);
    *out = (ts_claim){.op = strcpy(*words, op)};
    *words += strlen(op) + 1;
    for (size_t i = 0; i < json_array_size(dtypes); i++) {
        const char *name = json_string_value(json_array_get(dtypes, i));
        const ts_dtype d = name ? ts_dtype_from_name(name) : TS_DTYPE_NONE;

        if (d == TS_DTYPE_NONE)
            return refuse(error, size, "the claim of %s names '%s', which is no dtype",
                          op, name ? name : "");
        out->dtypes |= TS_DTYPE_BIT(d);
    }
    return true;
}

bool tsi_hello_read(json_t *header, tsi_hello *out, char *error, size_t error_size)
{
    json_t *claims = json_object_get(header, "claims");
    const json_int_t protocol = json_integer_value(json_object_get(header, "protocol"));
    size_t room = 1;
    char *words;

    *out = (tsi_hello){0};
    if (strcmp(word(header, "message"), "hello") != 0 || !word(header, "name"))
        return refuse(error, error_size, "its first message is no hello with a name");
    if (claims && !json_is_array(claims))
        return refuse(error, error_size, "its \"claims\" are no list");
    if (protocol != TSI_PIPE_PROTOCOL)
        return refuse(error, error_size,
                      "it speaks protocol %" JSON_INTEGER_FORMAT ", this program %d",
                      protocol, TSI_PIPE_PROTOCOL);
    snprintf(out->name, sizeof(out->name), "%s", word(header, "name"));
    snprintf(out->version, sizeof(out->version), "%s",
             word(header, "version") ? word(header, "version") : "");
    for (size_t i = 0; i < json_array_size(claims); i++) {
        const char *op = word(json_array_get(claims, i), "op");

        room += op ? strlen(op) + 1 : 0;
    }
    out->claims = calloc(json_array_size(claims) + 1, sizeof(*out->claims));
    out->words = words = malloc(room);
    if (!out->claims || !words) {
        tsi_hello_free(out);
        return refuse(error, error_size, "out of memory");
    }
    for (; out->nclaims < json_array_size(claims); out->nclaims++)
        if (!read_claim(json_array_get(claims, out->nclaims), &out->claims[out->nclaims],
                        &words, error, error_size)) {
            tsi_hello_free(out);
            return false;
        }
    return true;
}

void tsi_hello_free(tsi_hello *h)
{
    free(h->claims);
    free(h->words);
    *h = (tsi_hello){0};
}

/* --- tensors --- */

static bool read_ints(reader *r, json_t *list, const char *what, int64_t **out)
{
    *out = r->dims;
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!json_is_integer(json_array_get(list, i)))
            return REFUSE(r, "a tensor's \"%s\" are no integers", what);
        *r->dims++ = json_integer_value(json_array_get(list, i));
    }
    return true;
}

static bool find_data(reader *r, const json_t *json, const char *key, ts_dtype dtype,
                      const tsi_stored **out)
{
    const char *name = word(json, key);

    *out = NULL;
    if (!json_object_get(json, key))
        return true;
    *out = name ? tsi_safetensors_find(&r->out->data, name) : NULL;
    if (!*out)
        return REFUSE(r, "\"%s\": '%.60s' is not in the payload", key, name ? name : "");
    if ((*out)->dtype != dtype)
        return REFUSE(r, "\"%s\": '%.60s' is stored in another dtype than told", key,
                      name);
    return true;
}

static bool read_tensor(reader *r, const json_t *json, tsi_told *t)
{
    json_t *sizes = json_object_get(json, "sizes");
    json_t *strides = json_object_get(json, "strides");
    const tsi_stored *elements, *whole;
    int64_t *dims;

    *t = (tsi_told){.json = json,
                    .dtype = word(json, "dtype") ? ts_dtype_from_name(word(json, "dtype"))
                                                 : TS_DTYPE_NONE,
                    .ndim = (int)json_array_size(sizes),
                    .numel = 1,
                    .offset = json_integer_value(json_object_get(json, "offset")),
                    .storage = json_integer_value(json_object_get(json, "storage"))};
    if (t->dtype == TS_DTYPE_NONE)
        return REFUSE(r, "a tensor's \"dtype\" is missing or no dtype");
    if (!json_is_array(sizes) || !json_is_array(strides) ||
        json_array_size(strides) != json_array_size(sizes) ||
        json_array_size(sizes) > TS_MAX_DIMS)
        return REFUSE(r,
                      "a tensor's \"sizes\" and \"strides\" are no lists of one length "
                      "of at most %d",
                      TS_MAX_DIMS);
    if (!read_ints(r, sizes, "sizes", &dims))
        return false;
    t->sizes = dims;
    if (!read_ints(r, strides, "strides", &dims))
        return false;
    t->strides = dims;
    for (int i = 0; i < t->ndim; i++)
        if (t->sizes[i] < 0 || __builtin_mul_overflow(t->numel, t->sizes[i], &t->numel))
            return REFUSE(r, "a tensor's \"sizes\" are none");
    if (!find_data(r, json, "elements", t->dtype, &elements) ||
        !find_data(r, json, "whole", t->dtype, &whole))
        return false;
    if (elements && elements->numel != t->numel)
        return REFUSE(r, "a tensor of %lld elements came with %lld", (long long)t->numel,
                      (long long)elements->numel);
    t->elements = elements ? elements->data : NULL;
    t->whole = whole ? whole->data : NULL;
    t->whole_bytes = whole ? whole->numel * ts_dtype_size(whole->dtype) : 0;
    return true;
}

/* Every {"tensor": …} in a value. With r NULL: count them, and their dims in *dims. */
static bool each_tensor(reader *r, json_t *value, int *count, size_t *dims)
{
    json_t *tensor = json_object_get(value, "tensor");
    size_t i;
    json_t *item;

    if (json_is_object(tensor)) {
        if (r && !read_tensor(r, tensor, &r->out->told[*count]))
            return false;
        ++*count;
        *dims += json_array_size(json_object_get(tensor, "sizes")) +
                 json_array_size(json_object_get(tensor, "strides"));
    }
    json_array_foreach(value, i,
                       item) if (!each_tensor(r, item, count, dims)) return false;
    return true;
}

static bool tensors_of(reader *r, json_t *answer, int *count, size_t *dims)
{
    static const char *const keys[] = {"value", "wanted", "base"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (!each_tensor(r, json_object_get(answer, keys[i]), count, dims))
            return false;
    return true;
}

static const tsi_told *told_as(const tsi_reply *reply, json_t *value)
{
    const json_t *json = json_object_get(value, "tensor");

    for (int i = 0; json && i < reply->ntold; i++)
        if (reply->told[i].json == json)
            return &reply->told[i];
    return NULL;
}

/* --- results --- */

static bool read_answer(reader *r, json_t *json, tsi_answer_of_peer *a, int *ntold)
{
    const char *kind = word(json, "expect");
    json_t *error = json_object_get(json, "error");
    size_t dims = 0;
    const int first = *ntold;
    int k = 0;

    while (kind && k < TSI_EXPECT_KIND_COUNT &&
           strcmp(kind, tsi_expect_kind_name((tsi_expect_kind)k)) != 0)
        k++;
    if (!kind || k == TSI_EXPECT_KIND_COUNT)
        return REFUSE(r, "an answer's \"expect\" names no expectation");
    a->kind = (tsi_expect_kind)k;
    if (!tensors_of(r, json, ntold, &dims))
        return false;
    a->reply = (tsi_reply){.value = json_object_get(json, "value"),
                           .wanted = json_object_get(json, "wanted"),
                           .told = r->out->told + first,
                           .ntold = *ntold - first,
                           .same = json_is_true(json_object_get(json, "same")),
                           .warned = json_is_true(json_object_get(json, "warned")),
                           .kept = json_is_true(json_object_get(json, "kept")),
                           .error = json_string_value(error),
                           .message = word(json, "text") ? word(json, "text") : ""};
    a->reply.tensor = told_as(&a->reply, a->reply.value);
    a->reply.base = told_as(&a->reply, json_object_get(json, "base"));
    if (a->reply.error && ts_status_from_name(a->reply.error) == TS_STATUS_COUNT)
        return REFUSE(r, "'%.60s' is no exception class of the language", a->reply.error);
    return true;
}

static bool read_end(reader *r, const json_t *end)
{
    tsi_answers *out = r->out;

    out->unsupported = word(end, "unsupported");
    if (out->unsupported && !*out->unsupported)
        out->unsupported = "something";
    out->error = word(end, "error");
    out->text = word(end, "text") ? word(end, "text") : "";
    out->line = (int)json_integer_value(json_object_get(end, "line"));
    if (out->error && ts_status_from_name(out->error) == TS_STATUS_COUNT)
        return REFUSE(r, "'%.60s' is no exception class of the language", out->error);
    return true;
}

static bool read_inputs(reader *r, json_t *list)
{
    tsi_answers *out = r->out;
    const size_t n = json_array_size(list);

    out->ninputs = list ? (int)n : -1;
    out->inputs = calloc(n + 1, sizeof(*out->inputs));
    if (!out->inputs)
        return REFUSE(r, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(list, i));

        out->inputs[i] = name ? tsi_safetensors_find(&out->data, name) : NULL;
        if (name && !out->inputs[i])
            return REFUSE(r, "input '%.60s' is not in the payload", name);
    }
    return true;
}

static bool read_result(reader *r)
{
    tsi_answers *out = r->out;
    json_t *answers = json_object_get(out->message.header, "answers");
    const size_t n = json_array_size(answers);
    size_t dims = 0;
    int ntold = 0;

    if (strcmp(word(out->message.header, "message"), "result") != 0 ||
        !json_is_array(answers))
        return REFUSE(r, "its message is no result with answers");
    if (n > TSI_PIPE_ANSWERS)
        return REFUSE(r, "it gave %zu answers, more than %d", n, TSI_PIPE_ANSWERS);
    for (size_t i = 0; i < n; i++)
        tensors_of(NULL, json_array_get(answers, i), &ntold, &dims);
    out->items = calloc(n + 1, sizeof(*out->items));
    out->told = calloc((size_t)ntold + 1, sizeof(*out->told));
    out->dims = r->dims = calloc(dims + 1, sizeof(*out->dims));
    if (!out->items || !out->told || !out->dims)
        return REFUSE(r, "out of memory");
    for (size_t i = 0; i < n; i++, out->count++)
        if (!read_answer(r, json_array_get(answers, i), &out->items[i], &out->ntold))
            return false;
    return read_end(r, json_object_get(out->message.header, "end")) &&
           read_inputs(r, json_object_get(out->message.header, "inputs"));
}

bool tsi_answers_read(tsi_message *message, tsi_answers *out, char *error,
                      size_t error_size)
{
    reader r = {.out = out, .error = error, .error_size = error_size};
    char what[200];

    *out = (tsi_answers){.message = *message};
    message->header = NULL;
    if (out->message.payload_size > 0 &&
        !tsi_safetensors_parse(&out->data, out->message.payload,
                               out->message.payload_size, what, sizeof(what)))
        refuse(error, error_size, "its payload is no safetensors: %s", what);
    else if (read_result(&r))
        return true;
    tsi_answers_free(out);
    return false;
}

void tsi_answers_free(tsi_answers *a)
{
    json_decref(a->message.header);
    tsi_safetensors_close(&a->data);
    free(a->items);
    free(a->told);
    free(a->dims);
    free(a->inputs);
    *a = (tsi_answers){0};
}
