/* SPDX-License-Identifier: Apache-2.0 */
/* Files of cases: what is read, and where each mistake is said to be. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "script.h"

#define CASE "# case a/float32/x\n"
#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* case_language/S1 and case_language/S2 */
Test(script_cases, s1_s2_a_file_is_read)
{
    static const char text[] =
        "# touchstone cases 2\n# text: sha256:" HEX "\n# data: a.safetensors sha256:" HEX
        "\n# made: torch 2.15.0, c 4\n# needs: everywhere\n# a comment\n" CASE
        "# rules: a/S1 b_c/C12\n# needs: t _softmax\n# provenance: run-cpu@2.15.0\n"
        "# variants: offset strided\n# trivial: zeros are right here\n# timeout: 2.5\n"
        "# memory: 64M\n# ranks: 2\n# level: L2\n\nx = 1\n# between\ny = x\n"
        "#= y int64[2] @0\n#+ strided y (2)\n\n# case a/plain\npass";
    tsi_cases *cases;
    const tsi_case *c;

    cr_assert_eq(tsi_cases_parse("f", text, sizeof text - 1, &cases), TS_OK, "%s",
                 ts_error_message());
    cr_assert_eq(cases->count, 2);
    cr_expect_str_eq(cases->data_file, "a.safetensors");
    cr_expect_str_eq(cases->data_sha256, HEX);
    cr_expect_str_eq(cases->text_sha256, HEX);
    cr_expect_eq(strncmp(cases->hashed, "# data:", 7), 0);
    cr_expect_str_eq(cases->torch, "2.15.0");
    c = &cases->cases[0];
    cr_expect_str_eq(c->id, "a/float32/x");
    cr_expect_str_eq(c->page, "a");
    cr_expect_eq(c->dtype, TS_FLOAT32);
    cr_expect_eq(c->line, 7);
    cr_expect_eq(c->program_line, 18);
    cr_expect_str_eq(c->program, "x = 1\n# between\ny = x\n");
    cr_expect_eq(c->nrules, 2);
    cr_expect_str_eq(c->rules[1], "b_c/C12");
    cr_expect_eq(c->nneeds, 2);
    cr_expect_str_eq(c->provenance, "run-cpu@2.15.0");
    cr_expect_eq(c->variants, 1u << TSI_BASE | 1u << TSI_OFFSET | 1u << TSI_STRIDED);
    cr_expect(c->trivial);
    cr_expect_eq(c->timeout, 2.5);
    cr_expect_eq(c->memory, (int64_t)64 << 20);
    cr_expect_eq(c->ranks, 2);
    cr_expect_str_eq(c->level, "L2");
    cr_expect_eq(cases->cases[1].dtype, TS_DTYPE_NONE);
    cr_expect_str_eq(cases->cases[1].provenance, "user");
    cr_expect_eq(cases->cases[1].nneeds, 1);
    tsi_cases_free(cases);
}

/* case_language/S13 */
Test(script_cases, s13_what_the_head_says_holds_for_all)
{
    static const char text[] =
        "# touchstone cases 2\n# level: L2\n# variants: offset strided\n"
        "# provenance: run-cpu@2.15.0\n# needs: add\n" CASE "pass\n# case a/y\n"
        "# variants: -\n# needs: -\n# level: L3\n# provenance: documented\npass\n"
        "# case a/z\n# variants: transposed\npass\n";
    tsi_cases *cases;
    const tsi_case *c;

    cr_assert_eq(tsi_cases_parse("f", text, sizeof text - 1, &cases), TS_OK, "%s",
                 ts_error_message());
    c = cases->cases;
    cr_expect_str_eq(c[0].level, "L2");
    cr_expect_str_eq(c[0].needs[0], "add");
    cr_expect_str_eq(c[0].provenance, "run-cpu@2.15.0");
    cr_expect_eq(c[0].variants, 1u << TSI_BASE | 1u << TSI_OFFSET | 1u << TSI_STRIDED);
    cr_expect_str_eq(c[1].level, "L3");
    cr_expect_eq(c[1].nneeds, 0);
    cr_expect_str_eq(c[1].provenance, "documented");
    cr_expect_eq(c[1].variants, 1u << TSI_BASE);
    cr_expect_eq(c[2].variants, 1u << TSI_BASE | 1u << TSI_TRANSPOSED);
    tsi_cases_free(cases);
}

static void expect_list(int n, const int64_t *got, const int64_t *want, const char *what)
{
    for (int i = 0; i < n; i++)
        cr_expect_eq(got[i], want[i], "%s %d: %lld", what, i, (long long)got[i]);
}

static void expect_record(const tsi_case *c, const char *name, tsi_variant v,
                          const tsi_record *want)
{
    const tsi_record *r = tsi_record_find(c, name, v);

    cr_assert_not_null(r);
    cr_expect_eq(r->variant, v, "%s", name);
    cr_expect_eq(r->class_, want->class_, "%s", name);
    cr_expect_eq(r->dtype, want->dtype, "%s", name);
    cr_expect_eq(r->at, want->at, "%s in %s: %lld", name, tsi_variant_name(v),
                 (long long)r->at);
    cr_expect_eq(r->used, want->used, "%s", name);
    cr_assert_eq(r->ndim, want->ndim, "%s", name);
    expect_list(r->ndim, r->sizes, want->sizes, "size");
    expect_list(r->ndim, r->strides, want->strides, "stride");
}

#define LIST(...)     \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

/* case_language/S11 */
Test(script_cases, s11_what_a_record_leaves_out)
{
    static const char text[] = CASE "pass\n"
                                    "#= a [2,3] @7\n"
                                    "#= b bfloat16[3](2) @40 ~0.5\n"
                                    "#= c [2,0,3]\n"
                                    "#= \"d e\" [4]\n"
                                    "#= error1 IndexError\n"
                                    "#= v = [1, \"nan\"]\n"
                                    "#+ transposed a,c (t)\n"
                                    "#+ transposed b (c)\n"
                                    "#+ expanded a @\n"
                                    "#+ expanded b @ ~1e-3\n"
                                    "#+ strided \"d e\" [2,2] @11\n"
                                    "#+ strided v = 3\n"
                                    "#+ offset * (c) @\n";
    tsi_cases *cases;
    const tsi_case *c;
    const tsi_record *r;

    cr_assert_eq(tsi_cases_parse("f", text, sizeof text - 1, &cases), TS_OK, "%s",
                 ts_error_message());
    c = cases->cases;
    cr_expect_eq(c->nrecords, 17);
#define EXPECT(name, v, class, dt, n, shape, stride, first, share) \
    expect_record(c, name, v,                                      \
                  &(tsi_record){.class_ = class,                   \
                                .dtype = dt,                       \
                                .ndim = n,                         \
                                .sizes = shape,                    \
                                .strides = stride,                 \
                                .at = first,                       \
                                .used = share})
    EXPECT("a", TSI_BASE, TSI_RECORD_EXACT, TS_FLOAT32, 2, LIST(2, 3), LIST(3, 1), 7, 0);
    EXPECT("b", TSI_BASE, TSI_RECORD_BOUND, TS_BFLOAT16, 1, LIST(3), LIST(2), 40, 0.5);
    EXPECT("c", TSI_BASE, TSI_RECORD_EXACT, TS_FLOAT32, 3, LIST(2, 0, 3), LIST(3, 3, 1),
           0, 0);
    EXPECT("d e", TSI_BASE, TSI_RECORD_EXACT, TS_FLOAT32, 1, LIST(4), LIST(1), 13, 0);
    EXPECT("a", TSI_TRANSPOSED, TSI_RECORD_EXACT, TS_FLOAT32, 2, LIST(2, 3), LIST(1, 2),
           7, 0);
    EXPECT("c", TSI_TRANSPOSED, TSI_RECORD_EXACT, TS_FLOAT32, 3, LIST(2, 0, 3),
           LIST(1, 2, 2), 0, 0);
    EXPECT("b", TSI_TRANSPOSED, TSI_RECORD_BOUND, TS_BFLOAT16, 1, LIST(3), LIST(1), 40,
           0);
    EXPECT("a", TSI_EXPANDED, TSI_RECORD_EXACT, TS_FLOAT32, 2, LIST(2, 3), LIST(3, 1), 17,
           0);
    EXPECT("b", TSI_EXPANDED, TSI_RECORD_BOUND, TS_BFLOAT16, 1, LIST(3), LIST(2), 43,
           1e-3);
    EXPECT("d e", TSI_STRIDED, TSI_RECORD_EXACT, TS_FLOAT32, 2, LIST(2, 2), LIST(2, 1),
           11, 0);
    EXPECT("b", TSI_OFFSET, TSI_RECORD_BOUND, TS_BFLOAT16, 1, LIST(3), LIST(1), 46, 0);
    EXPECT("d e", TSI_OFFSET, TSI_RECORD_EXACT, TS_FLOAT32, 1, LIST(4), LIST(1), 29, 0);
    r = tsi_record_find(c, "error1", TSI_STRIDED);
    cr_expect(r->class_ == TSI_RECORD_ERROR && r->error == TS_ERR_INDEX);
    cr_expect_eq(json_array_size(tsi_record_find(c, "v", TSI_BASE)->value), 2);
    cr_expect_eq(json_integer_value(tsi_record_find(c, "v", TSI_STRIDED)->value), 3);
    tsi_cases_free(cases);
}

Test(script_cases, s11_digests)
{
    static const char text[] = CASE "pass\n"
                                    "#= a [40](t) #000102030405060708090a0b0c0d0e0f\n"
                                    "#+ strided a (2)\n"
                                    "#+ expanded * #ff0102030405060708090a0b0c0d0e0f\n";
    tsi_cases *cases;
    const tsi_record *r;

    cr_assert_eq(tsi_cases_parse("f", text, sizeof text - 1, &cases), TS_OK, "%s",
                 ts_error_message());
    r = tsi_record_find(cases->cases, "a", TSI_BASE);
    cr_expect(r->class_ == TSI_RECORD_DIGEST && r->numel == 40);
    for (int i = 0; i < 16; i++)
        cr_expect_eq(r->digest[i], i);
    r = tsi_record_find(cases->cases, "a", TSI_STRIDED);
    cr_expect(r->strides[0] == 2 && r->digest[0] == 0 && r->digest[15] == 15);
    r = tsi_record_find(cases->cases, "a", TSI_EXPANDED);
    cr_expect(r->strides[0] == 1 && r->digest[0] == 255 && r->digest[15] == 15);
    tsi_cases_free(cases);
}

Test(script_cases, s11_a_variants_own_record_goes_first)
{
    static const char text[] = CASE "pass\n#= y [] @0\n#+ strided y @1\n";
    tsi_cases *cases;

    cr_assert_eq(tsi_cases_parse("f", text, sizeof text - 1, &cases), TS_OK);
    cr_expect_eq(tsi_record_find(cases->cases, "y", TSI_STRIDED)->line, 4);
    cr_expect_eq(tsi_record_find(cases->cases, "y", TSI_OFFSET)->line, 3);
    cr_expect_null(tsi_record_find(cases->cases, "z", TSI_BASE));
    tsi_cases_free(cases);
}

static const struct {
    const char *text, *where, *fragment; /* where: "[label] f:line:column:" */
} malformed[] = {
    {"x = 1\n", "[case_language/C1] f:1:1:", "before any program"},
    {"\x01", "[case_language/C1] f:1:1:", "control character 0x01"},
    {CASE "x = 1\r\n", "[case_language/C1] f:2:6:", "control character 0x0d"},
    {CASE "x = '\xff'\n", "[case_language/C1] f:2:6:", "not UTF-8"},
    {CASE "x = '\xc3", "[case_language/C1] f:2:6:", "not UTF-8"},
    {CASE "x = '\xed\xa0\x80'\n", "[case_language/C1] f:2:6:", "not UTF-8"},
    {"# touchstone cases 1\n", "[case_language/C1] f:1:20:", "version 2"},
    {"# touchstone cases 2\n# text: sha256:0\n",
     "[case_language/C1] f:2:9:", "one '# text"},
    {"# touchstone cases 2\n# made: by hand\n",
     "[case_language/C1] f:2:9:", "'# made: torch"},
    {"# touchstone cases 2\n# level: L2\n# level: L2\n",
     "[case_language/C2] f:3:3:", "stands twice"},
    {"# touchstone cases 2\n# needs: a(\n", "[case_language/C2] f:2:10:", "no value"},
    {"# data: x\n", "[case_language/C1] f:1:9:", "sha256"},
    {"# data: a/b sha256:" HEX "\n", "[case_language/C1] f:1:9:", "beside"},
    {"# data: .. sha256:" HEX "\n", "[case_language/C1] f:1:9:", "beside"},
    {"# data: a sha256:" HEX "\n# data: b sha256:" HEX "\n",
     "[case_language/C1] f:2:9:", "one '# data"},
    {"# case\n", "[case_language/C2] f:1:7:", "expected a case id"},
    {"# case a\npass\n", "[case_language/C2] f:1:8:", "'a'"},
    {"# case a//b\npass\n", "[case_language/C2] f:1:8:", "'a//b'"},
    {"# case a/b c\npass\n", "[case_language/C2] f:1:8:", "'a/b c'"},
    {"# case a/\xc3\xa4\npass\n", "[case_language/C2] f:1:8:", "expected a case id"},
    {CASE "pass\n" CASE "pass\n", "[case_language/C2] f:3:8:", "stands twice"},
    {CASE "# colour: red\npass\n",
     "[case_language/C2] f:2:3:", "unknown header key 'colour'"},
    {CASE "# level: L2\n# level: L2\npass\n",
     "[case_language/C2] f:3:3:", "stands twice"},
    {CASE "# level: L9\npass\n", "[case_language/C2] f:2:10:", "no value for 'level'"},
    {CASE "# rules: softmax\npass\n", "[case_language/C2] f:2:10:", "rule labels"},
    {CASE "# rules: softmax/S0\npass\n", "[case_language/C2] f:2:10:", "rule labels"},
    {CASE "# rules:\npass\n", "[case_language/C2] f:2:9:", "no value for 'rules'"},
    {CASE "# needs: a(b\npass\n", "[case_language/C2] f:2:10:", "no value for 'needs'"},
    {CASE "# provenance: rumour\npass\n", "[case_language/C2] f:2:15:", "provenance"},
    {CASE "# variants: twisted\npass\n", "[case_language/C2] f:2:13:", "twisted"},
    {CASE "# timeout: 0\npass\n", "[case_language/C2] f:2:12:", "timeout"},
    {CASE "# timeout: 1e9\npass\n", "[case_language/C2] f:2:12:", "timeout"},
    {CASE "# memory: 1T\npass\n", "[case_language/C2] f:2:11:", "memory"},
    {CASE "# memory: 1MM\npass\n", "[case_language/C2] f:2:11:", "memory"},
    {CASE "# ranks: 65\npass\n", "[case_language/C2] f:2:10:", "ranks"},
    {CASE, "[case_language/C2] f:1:1:", "has no program"},
    {CASE "# only a comment\n\n# case a/y\npass\n",
     "[case_language/C2] f:1:1:", "no program"},
    {CASE "#= y [] @0\nx = 1\n", "[case_language/C4] f:3:1:", "after the case's records"},
    {CASE "pass\n#=\n", "[case_language/C4] f:3:3:", "the name of a record"},
    {CASE "pass\n#= \"\" [] @0\n", "[case_language/C4] f:3:4:", "no expectation"},
    {CASE "pass\n#= \"y [] @0\n", "[case_language/C4] f:3:4:", "a JSON string"},
    {CASE "pass\n#= y\n", "[case_language/C4] f:3:5:", "expected a shape"},
    {CASE "pass\n#= y big\n", "[case_language/C4] f:3:6:", "unknown dtype"},
    {CASE "pass\n#= y int3[] @0\n", "[case_language/C4] f:3:6:", "unknown dtype"},
    {CASE "pass\n#= y [] #00\n", "[case_language/C4] f:3:9:", "32 hex digits"},
    {CASE "pass\n#= y [] #000102030405060708090A0b0c0d0e0f\n",
     "[case_language/C4] f:3:9:", "32 hex digits"},
    {CASE "pass\n#= y [] @0 #000102030405060708090a0b0c0d0e0f\n",
     "[case_language/C4] f:3:12:", "#digest"},
    {CASE "pass\n#= y [] #000102030405060708090a0b0c0d0e0f\n#+ strided y [2]\n",
     "[case_language/C4] f:4:14:", "expected '#'"},
    {CASE "pass\n#= y [] #000102030405060708090a0b0c0d0e0f\n#+ strided y @\n",
     "[case_language/C4] f:4:14:", "has a digest"},
    {CASE "pass\n#= y [] @0\n#+ strided y #000102030405060708090a0b0c0d0e0f\n",
     "[case_language/C4] f:4:14:", "has no digest"},
    {CASE "pass\n#= y [1.5] @0\n", "[case_language/C4] f:3:6:", "shape"},
    {CASE "pass\n#= y [9223372036854775808] @0\n", "[case_language/C4] f:3:6:", "shape"},
    {CASE "pass\n#= y [-1] @0\n", "[case_language/C4] f:3:6:", "no such shape"},
    {CASE "pass\n#= y [4294967296,4294967296] @0\n",
     "[case_language/C4] f:3:6:", "no such shape"},
    {CASE "pass\n#= y [2](1,2) @0\n", "[case_language/C4] f:3:6:", "the same length"},
    {CASE "pass\n#= y [2](x) @0\n", "[case_language/C4] f:3:9:", "strides"},
    {CASE "pass\n#= y [2] @-1\n", "[case_language/C4] f:3:10:", "an index"},
    {CASE "pass\n#= y [2] @9223372036854775807\n",
     "[case_language/C4] f:3:6:", "no such shape"},
    {CASE "pass\n#= y [2]\n", "[case_language/C4] f:3:6:", "'@' and an index"},
    {CASE "pass\n#= y [2] @0 ~x\n", "[case_language/C4] f:3:13:", "a number"},
    {CASE "pass\n#= y [2] @0 more\n", "[case_language/C4] f:3:13:", "expected dtype"},
    {CASE "pass\n#= y KeyError\n", "[case_language/C4] f:3:6:", "unknown error class"},
    {CASE "pass\n#= y = {\n", "[case_language/C4] f:3:", "not JSON"},
    {CASE "pass\n#= y = {\"a\":1,\"a\":2}\n", "[case_language/C4] f:3:", "duplicate"},
    {CASE "pass\n#= y [] @0\n#= y = 1\n", "[case_language/C4] f:4:4:", "stands twice"},
    {"# case a/x\npass\n#= y [2] @0\n", "[case_language/C4] f:3:6:", "expected a dtype"},
    {CASE "pass\n#+ up y (t)\n", "[case_language/C4] f:3:4:", "unknown variant"},
    {CASE "pass\n#+ base y (t)\n", "[case_language/C4] f:3:4:", "unknown variant"},
    {CASE "pass\n#+ strided y (t)\n", "[case_language/C4] f:3:12:", "no record"},
    {CASE "pass\n#+ strided * (t)\n", "[case_language/C4] f:3:12:", "no record"},
    {CASE "pass\n#= y [] @0\n#+ strided y,\n",
     "[case_language/C4] f:4:14:", "the name of a record"},
    {CASE "pass\n#= y [] @0\n#+ strided y @\n#+ strided * @\n",
     "[case_language/C4] f:5:12:", "stands twice"},
    {CASE "pass\n#= y = 1\n#+ strided y [] @0\n",
     "[case_language/C4] f:4:14:", "holds no elements"},
    {CASE "pass\n#= y [2] @0\n#+ strided y [3]\n",
     "[case_language/C4] f:4:14:", "expected '@'"},
    {CASE "pass\n#= y [2] @0\n#+ strided y ~0.5\n",
     "[case_language/C4] f:4:14:", "no bound"},
    /* C3: programs that leave the grammar; the program starts at line 2 */
    {CASE "x = y\n", "[case_language/C3] f:2:5:", "'y' is never assigned"},
    {CASE "x = 1\nwhile x:\n    x = 2\n",
     "[case_language/C3] f:3:1:", "'while' is not part"},
    {CASE "import os\n", "[case_language/C3] f:2:1:", "'import' is not part"},
    {CASE "from os import path\n", "[case_language/C3] f:2:1:", "'from'"},
    {CASE "x = lambda: 1\n", "[case_language/C3] f:2:5:", "'lambda'"},
    {CASE "x = [i for i in range(3)]\n", "[case_language/C3] f:2:8:", "',' or ']'"},
    {CASE "x = {1: 2}\n",
     "[case_language/C3] f:2:5:", "expected an expression, found '{'"},
    {CASE "x = 1 if True else 2\n", "[case_language/C3] f:2:7:", "'a if b else c'"},
    {CASE "x = 1; y = 2\n", "[case_language/C3] f:2:6:", "';'"},
    {CASE "x = y = 1\n", "[case_language/C3] f:2:7:", "one target at a time"},
    {CASE "x: int = 1\n", "[case_language/C3] f:2:2:", "annotations"},
    {CASE "x = f'a'\n", "[case_language/C3] f:2:5:", "prefixed strings"},
    {CASE "x = 'a' 'b'\n", "[case_language/C3] f:2:9:", "between two strings"},
    {CASE "x = '''a'''\n", "[case_language/C3] f:2:5:", "triple quotes"},
    {CASE "x = 'a\n", "[case_language/C3] f:2:5:", "no end on its line"},
    {CASE "x = 'a\\q'\n", "[case_language/C3] f:2:7:", "unknown escape"},
    {CASE "x = 01\n", "[case_language/C3] f:2:5:", "leading zero"},
    {CASE "x = 0x\n", "[case_language/C3] f:2:5:", "digits after '0x'"},
    {CASE "x = 1e\n", "[case_language/C3] f:2:5:", "digits in the exponent"},
    {CASE "x = 1a\n", "[case_language/C3] f:2:6:", "followed by 'a'"},
    {CASE "x = 1_000\n", "[case_language/C3] f:2:6:", "followed by '_'"},
    {CASE "x = 9223372036854775808\n",
     "[case_language/C3] f:2:5:", "does not fit in 64 bits"},
    {CASE "x = -9223372036854775809\n", "[case_language/C3] f:2:6:", "does not fit"},
    {CASE "x = -9223372036854775808 ** 1\n", "[case_language/C3] f:2:6:", "does not fit"},
    {CASE "x = 1 +\n",
     "[case_language/C3] f:2:8:", "expected an expression, found the end"},
    {CASE "x = (1, 2\ny = 3\n", "[case_language/C3] f:3:1:", "',' or ')'"},
    {CASE "x = (1,\n", "[case_language/C3] f:3:1:", "inside brackets"},
    {CASE "x = 1)\n", "[case_language/C3] f:2:6:", "end of the line"},
    {CASE "x = 1 < 2 < 3\n", "[case_language/C3] f:2:11:", "chained comparisons"},
    {CASE "x = 1 in (1, 2)\n", "[case_language/C3] f:2:7:", "end of the line"},
    {CASE "1 + 2\n", "[case_language/C3] f:2:1:", "alone must be a call"},
    {CASE "range = 3\n",
     "[case_language/C3] f:2:1:", "'range' is the language's own name"},
    {CASE "torch = 3\n", "[case_language/C3] f:2:7:", "'.' after a module's name"},
    {CASE "__x = 3\n", "[case_language/C3] f:2:1:", "starts with '__'"},
    {CASE "x = 1\nx.__class__\n", "[case_language/C3] f:3:3:", "starts with '__'"},
    {CASE "x = 1\nx.foo = 2\n", "[case_language/C3] f:3:3:", "'foo' cannot be assigned"},
    {CASE "1 = 2\n", "[case_language/C3] f:2:1:", "cannot be assigned to"},
    {CASE "len(x=1, 2)\n", "[case_language/C3] f:2:10:", "positional argument after"},
    {CASE "len(x=1, x=2)\n", "[case_language/C3] f:2:10:", "stands twice"},
    {CASE "len(**3)\n", "[case_language/C3] f:2:5:", "'**' arguments"},
    {CASE "return 1\n", "[case_language/C3] f:2:1:", "outside a function"},
    {CASE "def f(a, a):\n    pass\n", "[case_language/C3] f:2:10:", "stands twice"},
    {CASE "def f(a=1, b):\n    pass\n",
     "[case_language/C3] f:2:13:", "without a default"},
    {CASE "def f(*a, b):\n    pass\n",
     "[case_language/C3] f:2:11:", "the last parameter"},
    {CASE "def f():\n    def g():\n        pass\n",
     "[case_language/C3] f:3:5:", "inside a function"},
    {CASE "def f():\n    return y\n",
     "[case_language/C3] f:3:12:", "'y' is never assigned"},
    {CASE "def f() -> int:\n    pass\n", "[case_language/C3] f:2:9:", "annotations"},
    {CASE "def f():\npass\n", "[case_language/C3] f:3:1:", "an indented block"},
    {CASE "if True:\n    pass\n  pass\n", "[case_language/C3] f:4:3:", "no outer block"},
    {CASE "  x = 1\n", "[case_language/C3] f:2:3:", "unexpected indentation"},
    {CASE "if True: if False: pass\n", "[case_language/C3] f:2:10:", "simple statement"},
    {CASE "else:\n    pass\n", "[case_language/C3] f:2:1:", "without its 'if'"},
    {CASE "for i in (1, 2):\n    pass\n", "[case_language/C3] f:2:10:", "range(…)"},
    {CASE "for i, j in range(2):\n    pass\n",
     "[case_language/C3] f:2:6:", "expected 'in'"},
    {CASE "for i in range(2):\n    pass\nelse:\n    pass\n",
     "[case_language/C3] f:4:1:", "'else' of a loop"},
    {CASE "with 3:\n    pass\n", "[case_language/C3] f:2:6:", "a call after 'with'"},
    {CASE "class G(object):\n    pass\n",
     "[case_language/C3] f:2:9:", "expected 'Function'"},
    {CASE "class G(Function):\n    pass\n",
     "[case_language/C3] f:3:5:", "'@staticmethod'"},
    {CASE "class G(Function):\n    @staticmethod\n    def setup(ctx):\n        pass\n",
     "[case_language/C3] f:4:9:", "'setup_context' or 'backward'"},
    {CASE "class G(Function):\n    @staticmethod\n    @once_differentiable\n"
          "    def forward(ctx):\n        pass\n",
     "[case_language/C3] f:5:9:", "the one method"},
    {CASE "x = once_differentiable\n", "[case_language/C3] f:2:5:", "a decorator"},
    {CASE
     "class G(Function):\n    @staticmethod\n    def backward(ctx, g):\n        pass\n",
     "[case_language/C3] f:2:1:", "no forward"},
    {CASE "@staticmethod\ndef f():\n    pass\n",
     "[case_language/C3] f:2:1:", "found '@'"},
    {CASE "del 3\n", "[case_language/C3] f:2:5:", "a name after 'del'"},
    {CASE "x = \xc3\xa4\n", "[case_language/C3] f:2:5:", "beyond ASCII"},
    {CASE "x = 1 $ 2\n", "[case_language/C3] f:2:7:", "unexpected character '$'"},
    {CASE "x = 1 \\\n    + 2\n", "[case_language/C3] f:2:7:", "unexpected character"},
    {CASE "x[] = 1\n", "[case_language/C3] f:2:3:", "an index"},
    {CASE "x = torch\n", "[case_language/C3] f:2:10:", "'.' after a module's name"},
    {CASE "x = torch.3\n", "[case_language/C3] f:2:10:", "expected '.' after"},
    {CASE "yield 3\n", "[case_language/C3] f:2:1:", "'yield' is not part"},
    {CASE "x = await y\n", "[case_language/C3] f:2:5:", "'await'"},
    {CASE "x = (y := 3)\n", "[case_language/C3] f:2:8:", "',' or ')'"},
};

Test(script_cases, c1_to_c4_every_mistake_has_its_place)
{
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        const char *text = malformed[i].text;
        tsi_cases *cases;

        cr_expect_eq(tsi_cases_parse("f", text, strlen(text), &cases), TS_ERR_VALUE,
                     "row %zu is accepted: %s", i, text);
        cr_expect(strncmp(ts_error_message(), malformed[i].where,
                          strlen(malformed[i].where)) == 0 &&
                      strstr(ts_error_message(), malformed[i].fragment) != NULL,
                  "row %zu: wanted %s … %s, got %s", i, malformed[i].where,
                  malformed[i].fragment, ts_error_message());
    }
}

static void too_much(const char *before, const char *unit, int count, const char *after,
                     const char *fragment)
{
    const size_t n =
        strlen(CASE) + strlen(before) + strlen(unit) * (size_t)count + strlen(after) + 1;
    char *text = malloc(n);
    tsi_cases *cases;

    strcpy(text, CASE);
    strcat(text, before);
    char *at = text + strlen(text);
    for (int i = 0; i < count; i++, at += strlen(unit))
        strcpy(at, unit);
    strcpy(at, after);
    cr_expect_eq(tsi_cases_parse("f", text, strlen(text), &cases), TS_ERR_VALUE, "%s",
                 unit);
    cr_expect(strstr(ts_error_message(), fragment) != NULL, "%s", ts_error_message());
    free(text);
}

Test(script_cases, c8_depth_and_size_are_bounded)
{
    too_much("x = ", "(", 10000, "1\n", "nested deeper than 60");
    too_much("x = ", "[", 10000, "\n", "nested deeper than 60");
    too_much("x = ", "-", 10000, "1\n", "nested deeper than 60");
    too_much("x = ", "not ", 10000, "1\n", "nested deeper than 60");
    too_much("x = 1", " + 1", 10000, "\n", "nested deeper than 60");
    too_much("x = 1", " ** 1", 10000, "\n", "nested deeper than 60");
    too_much("x = 1", " and 1", 10000, "\n", "nested deeper than 60");
    too_much("x = 1", "[0]", 10000, "\n", "nested deeper than 60");
    too_much("x = (1)", ".t", 10000, "\n", "nested deeper than 60");
    too_much("x = 1\n", "x = 1\n", 10000, "", "more than 20000 nodes");
    too_much("", "x = 1       \n", 10000, "", "longer than 65536 bytes");
    too_much("len(", "1,", 200, ")\n", "more than 80 arguments");
    too_much("if 1:\n pass\n", "elif 1:\n pass\n", 3000, "", "nested deeper than 60");
}

Test(script_cases, c1_a_file_that_is_not_there)
{
    tsi_cases *cases;

    cr_expect_eq(tsi_cases_open("/nowhere/at/all.cases", true, &cases), TS_ERR_RUNTIME);
    cr_expect(strstr(ts_error_message(), "/nowhere/at/all.cases") != NULL);
}
