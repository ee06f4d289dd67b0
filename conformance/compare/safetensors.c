/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct reader {
    tsi_safetensors *out;
    char *error;
    size_t error_size;
} reader;

TS_PRINTF(3, 4) static bool refuse(reader *r, size_t at, const char *format, ...)
{
    va_list args;
    const int n = snprintf(r->error, r->error_size, "byte %zu: ", at);

    va_start(args, format);
    if (n > 0 && (size_t)n < r->error_size)
        vsnprintf(r->error + n, r->error_size - (size_t)n, format, args);
    va_end(args);
    return false;
}

static bool dtype_of(const char *name, ts_dtype *out)
{
    for (int d = 0; d < TS_DTYPE_COUNT; d++)
        if (strcmp(ts_dtype_get((ts_dtype)d)->safetensors, name) == 0) {
            *out = (ts_dtype)d;
            return true;
        }
    return false;
}

static bool read_shape(reader *r, const char *name, json_t *shape, tsi_stored *t)
{
    if (!json_is_array(shape))
        return refuse(r, 8, "tensor '%s': \"shape\" is missing or no list", name);
    if (json_array_size(shape) > TSI_SAFETENSORS_DIMS)
        return refuse(r, 8, "tensor '%s' has %zu dims, more than %d", name,
                      json_array_size(shape), TSI_SAFETENSORS_DIMS);
    t->ndim = (int)json_array_size(shape);
    t->numel = 1;
    for (int i = 0; i < t->ndim; i++) {
        json_t *size = json_array_get(shape, (size_t)i);

        if (!json_is_integer(size) || json_integer_value(size) < 0)
            return refuse(r, 8, "tensor '%s': size %d is no count", name, i);
        t->sizes[i] = json_integer_value(size);
        if (__builtin_mul_overflow(t->numel, t->sizes[i], &t->numel))
            return refuse(r, 8, "tensor '%s': too many elements", name);
    }
    return true;
}

/* One tensor of the header; `begin` is its place after the header. */
static bool read_tensor(reader *r, const char *name, json_t *info, size_t data,
                        size_t room, tsi_stored *t, char **names)
{
    json_t *dtype = json_object_get(info, "dtype");
    json_t *offsets = json_object_get(info, "data_offsets");
    json_t *b = json_array_get(offsets, 0), *e = json_array_get(offsets, 1);
    int64_t bytes;

    if (!json_is_object(info))
        return refuse(r, 8, "tensor '%s' is no object", name);
    if (!json_is_string(dtype) || !dtype_of(json_string_value(dtype), &t->dtype))
        return refuse(r, 8, "tensor '%s': unknown dtype '%s'", name,
                      json_is_string(dtype) ? json_string_value(dtype) : "");
    if (!read_shape(r, name, json_object_get(info, "shape"), t))
        return false;
    if (json_array_size(offsets) != 2 || !json_is_integer(b) || !json_is_integer(e))
        return refuse(r, 8, "tensor '%s': \"data_offsets\" is not [begin, end]", name);
    if (json_integer_value(b) < 0 || json_integer_value(e) < json_integer_value(b) ||
        (uint64_t)json_integer_value(e) > room)
        return refuse(r, data,
                      "tensor '%s' at [%" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT
                      "] lies outside the %zu bytes of data",
                      name, json_integer_value(b), json_integer_value(e), room);
    if (__builtin_mul_overflow(t->numel, (int64_t)ts_dtype_size(t->dtype), &bytes) ||
        bytes != json_integer_value(e) - json_integer_value(b))
        return refuse(r, data + (size_t)json_integer_value(b),
                      "tensor '%s' has %" JSON_INTEGER_FORMAT
                      " bytes, its shape and dtype ask "
                      "for another number",
                      name, json_integer_value(e) - json_integer_value(b));
    t->data = r->out->bytes + data + json_integer_value(b);
    t->name = *names;
    memcpy(*names, name, strlen(name) + 1);
    *names += strlen(name) + 1;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const tsi_stored *x = a, *y = b;

    if (x->data != y->data)
        return x->data < y->data ? -1 : 1;
    return x->numel < y->numel ? -1 : x->numel > y->numel;
}

static bool read_tensors(reader *r, json_t *header, size_t data)
{
    tsi_safetensors *s = r->out;
    const unsigned char *expected = s->bytes + data;
    const char *name;
    char *names;
    json_t *info;
    size_t length = 1;

    json_object_foreach(header, name, info) length += strlen(name) + 1;
    s->tensors = calloc(json_object_size(header) + 1, sizeof(*s->tensors));
    s->names = names = malloc(length);
    if (!s->tensors || !s->names)
        return refuse(r, 8, "out of memory");
    json_object_foreach(header, name, info)
    {
        if (strcmp(name, "__metadata__") == 0)
            continue;
        if (!read_tensor(r, name, info, data, s->size - data, &s->tensors[s->count],
                         &names))
            return false;
        s->count++;
    }
    qsort(s->tensors, (size_t)s->count, sizeof(*s->tensors), by_place);
    for (int i = 0; i < s->count; i++) {
        const tsi_stored *t = &s->tensors[i];

        if (t->data != expected)
            return refuse(r, (size_t)(t->data - s->bytes), "tensor '%s' %s", t->name,
                          t->data < expected ? "overlaps the one before"
                                             : "leaves a gap after the one before");
        expected += t->numel * ts_dtype_size(t->dtype);
    }
    if (expected != s->bytes + s->size)
        return refuse(r, (size_t)(expected - s->bytes), "%zu bytes belong to no tensor",
                      (size_t)(s->bytes + s->size - expected));
    return true;
}

bool tsi_safetensors_parse(tsi_safetensors *out, const void *bytes, size_t size,
                           char *error, size_t error_size)
{
    reader r = {.out = out, .error = error, .error_size = error_size};
    json_error_t problem;
    json_t *header;
    uint64_t length = 0;
    bool ok;

    *out = (tsi_safetensors){.bytes = bytes, .size = size};
    if (size < 8)
        return refuse(&r, size,
                      "the file ends within the 8 bytes of the header's length");
    for (int i = 7; i >= 0; i--)
        length = length << 8 | out->bytes[i];
    if (length > size - 8)
        return refuse(&r, 0,
                      "the header should take %" PRIu64 " bytes, the file has %zu after "
                      "this",
                      length, size - 8);
    header = json_loadb((const char *)out->bytes + 8, (size_t)length,
                        JSON_REJECT_DUPLICATES, &problem);
    if (!header)
        return refuse(&r, 8 + (size_t)problem.position, "%s", problem.text);
    if (json_is_object(header))
        ok = read_tensors(&r, header, 8 + (size_t)length);
    else
        ok = refuse(&r, 8, "the header is no object");
    json_decref(header);
    if (!ok)
        tsi_safetensors_close(out);
    return ok;
}

bool tsi_safetensors_open(tsi_safetensors *out, const char *path, char *error,
                          size_t error_size)
{
    struct stat st;
    void *map = MAP_FAILED;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);

    *out = (tsi_safetensors){0};
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        snprintf(error, error_size, "%s", fd < 0 ? strerror(errno) : "no regular file");
        if (fd >= 0)
            close(fd);
        return false;
    }
    if (st.st_size > 0)
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (st.st_size > 0 && map == MAP_FAILED) {
        snprintf(error, error_size, "cannot map: %s", strerror(errno));
        return false;
    }
    if (!tsi_safetensors_parse(out, st.st_size > 0 ? map : "", (size_t)st.st_size, error,
                               error_size)) {
        if (st.st_size > 0)
            munmap(map, (size_t)st.st_size);
        return false;
    }
    out->mapped = true;
    return true;
}

void tsi_safetensors_close(tsi_safetensors *s)
{
    free(s->tensors);
    free(s->names);
    if (s->mapped)
        munmap((void *)(uintptr_t)s->bytes, s->size);
    *s = (tsi_safetensors){0};
}

const tsi_stored *tsi_safetensors_find(const tsi_safetensors *s, const char *name)
{
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->tensors[i].name, name) == 0)
            return &s->tensors[i];
    return NULL;
}
