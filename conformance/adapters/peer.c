/* SPDX-License-Identifier: Apache-2.0 */
#include "peer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

static struct {
    char *payload;
    size_t data; /* where tensors begin in it */
    json_t *files;
} in;

static struct {
    size_t count, bytes;
    json_t *files;
    void *data[MOST];
    size_t sizes[MOST];
    char names[MOST][8];
} out;

const char *peer_word(json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));

    return s ? s : "";
}

const char *peer_text(json_t *list, size_t i)
{
    const char *s = json_string_value(json_array_get(list, i));

    return s ? s : "";
}

int64_t peer_int(json_t *object, const char *key, int i)
{
    return json_integer_value(json_array_get(json_object_get(object, key), (size_t)i));
}

static json_t *ints(int n, const int64_t *v)
{
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_integer(v[i]));
    return list;
}

void peer_expect(json_t *answers, const char *dtype, int ndim, const int64_t *sizes,
                 const int64_t *strides, const char *elements)
{
    json_array_append_new(answers, json_pack("{s:s,s:{s:{s:s,s:o,s:o,s:s}}}", "expect",
                                             "expect", "value", "tensor", "dtype", dtype,
                                             "sizes", ints(ndim, sizes), "strides",
                                             ints(ndim, strides), "elements", elements));
}

char *peer_input(const char *storage)
{
    json_t *offsets = json_object_get(json_object_get(in.files, storage), "data_offsets");

    return offsets ? in.payload + in.data + json_integer_value(json_array_get(offsets, 0))
                   : NULL;
}

const char *peer_store(const char *code, size_t count, size_t size, void *bytes)
{
    const size_t k = out.count;

    if (k == MOST)
        exit(1);
    snprintf(out.names[k], sizeof out.names[k], "t%zu", k);
    out.data[k] = bytes;
    out.sizes[k] = count * size;
    json_object_set_new(out.files, out.names[k],
                        json_pack("{s:s,s:[I],s:[I,I]}", "dtype", code, "shape",
                                  (json_int_t)count, "data_offsets",
                                  (json_int_t)out.bytes,
                                  (json_int_t)(out.bytes + count * size)));
    out.bytes += count * size;
    out.count++;
    return out.names[k];
}

static void put_length(uint64_t n, int bytes)
{
    for (int i = 0; i < bytes; i++)
        putchar((int)(n >> 8 * i & 255));
}

static void send(json_t *header)
{
    char *files = json_dumps(out.files, JSON_COMPACT), *line;
    const size_t n = files ? strlen(files) : 0;

    json_object_set_new(header, "payload",
                        json_integer(out.count ? (json_int_t)(8 + n + out.bytes) : 0));
    line = json_dumps(header, JSON_COMPACT);
    put_length(line ? strlen(line) : 0, 4);
    fputs(line ? line : "", stdout);
    if (out.count) {
        put_length(n, 8);
        fputs(files, stdout);
    }
    for (size_t k = 0; k < out.count; k++) {
        fwrite(out.data[k], 1, out.sizes[k], stdout);
        free(out.data[k]);
    }
    fflush(stdout);
    free(files);
    free(line);
    json_decref(header);
}

static void answer(json_t *message, const char *(*run)(json_t *, json_t *))
{
    json_t *answers = json_array();
    uint64_t n = 0;
    const char *lacks;

    for (int b = 7; in.payload && b >= 0; b--)
        n = n << 8 | (unsigned char)in.payload[b];
    in.data = 8 + (size_t)n;
    in.files = in.payload ? json_loadb(in.payload + 8, (size_t)n, 0, NULL) : NULL;
    lacks = run(message, answers);
    send(json_pack("{s:s,s:o,s:{s:s?}}", "message", "result", "answers", answers, "end",
                   "unsupported", lacks));
    json_decref(in.files);
}

/* The next message and its payload; NULL at the end, *broken where it comes too soon. */
static json_t *next(int *broken)
{
    unsigned char b[4];
    json_t *message = NULL;
    json_int_t more = 0;
    char *line;
    size_t n;

    if (fread(b, 4, 1, stdin) != 1)
        return NULL;
    n = b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 | (size_t)b[3] << 24;
    line = malloc(n + 1);
    if (line && fread(line, 1, n, stdin) == n)
        message = json_loadb(line, n, 0, NULL);
    free(line);
    more = json_integer_value(json_object_get(message, "payload"));
    in.payload = more > 0 ? malloc((size_t)more) : NULL;
    *broken =
        !message ||
        (more > 0 && (!in.payload || fread(in.payload, (size_t)more, 1, stdin) != 1));
    return *broken ? NULL : message;
}

int peer_serve(json_t *hello, const char *(*run)(json_t *message, json_t *answers))
{
    json_t *message;
    int broken = 0;

    json_object_set_new(hello, "message", json_string("hello"));
    json_object_set_new(hello, "protocol", json_integer(1));
    while ((message = next(&broken))) {
        const char *kind = json_string_value(json_object_get(message, "message"));

        out.count = out.bytes = 0;
        out.files = json_object();
        if (kind && strcmp(kind, "hello") == 0)
            send(json_incref(hello));
        else
            answer(message, run);
        json_decref(out.files);
        json_decref(message);
        free(in.payload);
    }
    json_decref(hello);
    return broken;
}
