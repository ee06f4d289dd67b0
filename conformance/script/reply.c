/* SPDX-License-Identifier: Apache-2.0 */
/* What a peer answered, as values of the language (pipe/S5). */
#include <math.h>
#include <string.h>

#include "interp.h"

static ts_status tensor(const tsi_reply *r, const json_t *json, tsi_value *out)
{
    const ts_device cpu = {TS_CPU, 0};
    const tsi_told *t = r->told;
    ts_tensor *made;

    while (t < r->told + r->ntold && t->json != json)
        t++;
    TS_CHECK(t < r->told + r->ntold && t->elements != NULL, TS_ERR_VALUE, "pipe/C3",
             "a tensor was answered without its elements");
    TS_TRY(ts_tensor_new(cpu, t->dtype, t->ndim, t->sizes, &made));
    if (t->numel > 0)
        memcpy(made->data, t->elements, (size_t)(t->numel * ts_dtype_size(t->dtype)));
    *out = tsi_tensor_value(made);
    return TS_OK;
}

static ts_status sequence(tsi_interp *in, const tsi_reply *r, json_t *json,
                          tsi_value *out)
{
    const size_t n = json_array_size(json);

    TS_TRY(tsi_object_new(in, V_LIST, (int)n, out));
    for (size_t i = 0; i < n; i++) {
        tsi_value v;
        ts_status s = tsi_replied(in, r, json_array_get(json, i), &v);

        if (s == TS_OK)
            s = tsi_append(in, out->o, v);
        if (s != TS_OK) {
            tsi_release(*out);
            return s;
        }
    }
    return TS_OK;
}

/* {"dtype": "float32"} and its like. */
static ts_status named(tsi_interp *in, const char *key, const char *name, tsi_value *out)
{
    static const char *const formats[] = {[TS_CONTIGUOUS_FORMAT] = "contiguous_format",
                                          [TS_PRESERVE_FORMAT] = "preserve_format",
                                          [TS_CHANNELS_LAST] = "channels_last"};

    if (strcmp(key, "float") == 0) {
        *out = (tsi_value){.kind = V_FLOAT,
                           .f = strcmp(name, "inf") == 0    ? INFINITY
                                : strcmp(name, "-inf") == 0 ? -INFINITY
                                                            : NAN};
        return TS_OK;
    }
    if (strcmp(key, "dtype") == 0) {
        *out = (tsi_value){.kind = V_DTYPE, .dtype = ts_dtype_from_name(name)};
        return TS_OK;
    }
    if (strcmp(key, "device") == 0) {
        const ts_device device = {strcmp(name, "meta") == 0 ? TS_META : TS_CPU, 0};

        *out = (tsi_value){.kind = V_DEVICE, .device = device};
        return TS_OK;
    }
    if (strcmp(key, "format") == 0)
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
            if (formats[i] != NULL && strcmp(formats[i], name) == 0) {
                *out = (tsi_value){.kind = V_FORMAT, .format = (ts_memory_format)i};
                return TS_OK;
            }
    /* what has no other form: equal to nothing but a string */
    *out =
        (tsi_value){.kind = V_STR, .s = tsi_pool_strndup(in->pool, name, strlen(name))};
    return out->s != NULL ? TS_OK : tsi_no_memory();
}

ts_status tsi_replied(tsi_interp *in, const tsi_reply *r, json_t *json, tsi_value *out)
{
    const char *key = json_object_iter_key(json_object_iter(json));
    json_t *inner = key != NULL ? json_object_get(json, key) : NULL;

    switch (json != NULL ? json_typeof(json) : JSON_NULL) {
    case JSON_TRUE:
    case JSON_FALSE:
        *out = tsi_bool(json_is_true(json));
        return TS_OK;
    case JSON_INTEGER:
        *out = tsi_int(json_integer_value(json));
        return TS_OK;
    case JSON_REAL:
        *out = (tsi_value){.kind = V_FLOAT, .f = json_real_value(json)};
        return TS_OK;
    case JSON_STRING:
        return named(in, "", json_string_value(json), out);
    case JSON_ARRAY:
        return sequence(in, r, json, out);
    case JSON_OBJECT:
        if (key != NULL && strcmp(key, "tensor") == 0)
            return tensor(r, inner, out);
        TS_CHECK(json_is_string(inner), TS_ERR_VALUE, "pipe/C3",
                 "an answer's value is none of those that the protocol knows");
        return named(in, key, json_string_value(inner), out);
    default:
        *out = tsi_none();
        return TS_OK;
    }
}
