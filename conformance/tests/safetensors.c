/* SPDX-License-Identifier: Apache-2.0 */
/* The safetensors reader: what it reads, and one row per way of being broken. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "compare/safetensors.h"

static size_t make(char *out, const char *header, const void *data, size_t data_size)
{
    const size_t n = strlen(header);

    for (int i = 0; i < 8; i++)
        out[i] = (char)(n >> (8 * i) & 0xff);
    memcpy(out + 8, header, n);
    memcpy(out + 8 + n, data, data_size);
    return 8 + n + data_size;
}

Test(safetensors, two_tensors_are_found_by_name)
{
    static const char header[] =
        "{\"__metadata__\":{\"a\":\"b\"},"
        "\"y\":{\"dtype\":\"I16\",\"shape\":[2],\"data_offsets\":[8,12]},"
        "\"x\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}  ";
    char bytes[512], error[128] = "";
    const float x[2] = {1.5f, -2};
    const int16_t y[2] = {7, -7};
    char data[12];
    tsi_safetensors s;
    size_t n;

    memcpy(data, x, sizeof(x));
    memcpy(data + 8, y, sizeof(y));
    n = make(bytes, header, data, sizeof(data));
    cr_assert(tsi_safetensors_parse(&s, bytes, n, error, sizeof(error)), "%s", error);
    cr_assert_eq(s.count, 2);
    cr_assert_eq(tsi_safetensors_find(&s, "x")->dtype, TS_FLOAT32);
    cr_assert_eq(tsi_safetensors_find(&s, "x")->ndim, 2);
    cr_assert_eq(memcmp(tsi_safetensors_find(&s, "y")->data, y, sizeof(y)), 0);
    cr_assert_null(tsi_safetensors_find(&s, "z"));
    tsi_safetensors_close(&s);
}

/* Every row has four bytes of data. */
static const struct {
    const char *what, *header, *message;
} broken[] = {
    {"no object", "[]", "byte 8: the header is no object"},
    {"broken JSON", "{\"x\":", "byte 13: "},
    {"key twice", "{\"x\":{},\"x\":{}}", "byte "},
    {"tensor no object", "{\"x\":3}", "byte 8: tensor 'x' is no object"},
    {"dtype missing", "{\"x\":{\"shape\":[1],\"data_offsets\":[0,4]}}",
     "unknown dtype ''"},
    {"dtype unknown", "{\"x\":{\"dtype\":\"F33\",\"shape\":[1],\"data_offsets\":[0,4]}}",
     "unknown dtype 'F33'"},
    {"shape no list", "{\"x\":{\"dtype\":\"F32\",\"shape\":1,\"data_offsets\":[0,4]}}",
     "\"shape\" is missing or no list"},
    {"negative size", "{\"x\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}",
     "size 0 is no count"},
    {"too many dims",
     "{\"x\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}",
     "has 9 dims"},
    {"numel overflows",
     "{\"x\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,4]}"
     "}",
     "too many elements"},
    {"bytes overflow",
     "{\"x\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904],\"data_offsets\":[0,4]}}",
     "ask for another number"},
    {"one offset", "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}",
     "is not [begin, end]"},
    {"offsets turned", "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}",
     "lies outside the 4 bytes"},
    {"negative offset",
     "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}}",
     "lies outside the 4 bytes"},
    {"past the end", "{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
     "lies outside the 4 bytes"},
    {"shape says more",
     "{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", "has 4 bytes"},
    {"overlap",
     "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
     "\"y\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
     "overlaps the one before"},
    {"gap",
     "{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
     "\"y\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
     "leaves a gap"},
    {"bytes over", "{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
     "3 bytes belong to no tensor"},
};

Test(safetensors, each_fault_is_told_with_its_byte)
{
    for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
        char bytes[512], error[256] = "";
        const size_t n = make(bytes, broken[i].header, "\1\2\3\4", 4);
        tsi_safetensors s;

        cr_expect_not(tsi_safetensors_parse(&s, bytes, n, error, sizeof(error)), "%s",
                      broken[i].what);
        cr_expect(strstr(error, broken[i].message) && strncmp(error, "byte ", 5) == 0,
                  "%s: %s", broken[i].what, error);
        cr_expect_null(s.tensors);
    }
}

/* Read from memory of just that size, so that a step past its end is seen by a sanitizer.
 */
Test(safetensors, every_truncation_is_refused)
{
    static const char header[] =
        "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
    char bytes[512], error[256];
    const size_t n = make(bytes, header, "\1\2\3\4", 4);
    tsi_safetensors s;

    for (size_t size = 0; size < n; size++) {
        char *copy = malloc(size + 1);

        memcpy(copy, bytes, size);
        cr_expect_not(tsi_safetensors_parse(&s, copy, size, error, sizeof(error)), "%zu",
                      size);
        free(copy);
    }
}

Test(safetensors, a_huge_header_length_is_refused)
{
    char error[256];
    tsi_safetensors s;

    cr_assert_not(tsi_safetensors_parse(&s, "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10,
                                        error, sizeof(error)));
    cr_assert(strstr(error, "byte 0: the header should take 18446744073709551615 bytes"),
              "%s", error);
}

Test(safetensors, what_is_no_file_is_refused)
{
    char error[256];
    tsi_safetensors s;

    cr_assert_not(tsi_safetensors_open(&s, "/", error, sizeof(error)));
    cr_assert_not(tsi_safetensors_open(&s, "no/such/file", error, sizeof(error)));
}
