/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs from seeds: exact recurrences, the twin of those in case_language.py. */
#include <math.h>
#include <string.h>

#include "names.h"

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)
#define MAX_BYTES ((int64_t)256 << 20)
#define MAX_TABLE 48

_Static_assert(NATIVE_DISTINCT - NATIVE_NORMAL == TSI_DISTINCT,
               "generators stand in the order of their words");

const char *tsi_generator_name(tsi_generator g)
{
    return tsi_native_name((tsi_native)(NATIVE_NORMAL + g));
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t stream(uint64_t seed, uint64_t k)
{
    return mix(seed + GOLDEN * (k + 1));
}

static uint64_t word(uint64_t stream, uint64_t i)
{
    return mix(stream + GOLDEN * (i + 1));
}

/* What the conversions need to know of a float dtype. */
typedef struct float_format {
    int bytes, precision, least; /* bits of significand, exponent of the least normal */
    uint64_t overflow, nan;
} float_format;

static const float_format formats[] = {
    [TS_FLOAT64] = {8, 53, -1022, UINT64_C(0x7FF) << 52, UINT64_C(0x7FF8) << 48},
    [TS_FLOAT32] = {4, 24, -126, 0x7F800000, 0x7FC00000},
    [TS_BFLOAT16] = {2, 8, -126, 0x7F80, 0x7FC0},
    [TS_FLOAT16] = {2, 11, -14, 0x7C00, 0x7E00},
    [TS_FLOAT8_E4M3FN] = {1, 4, -6, 0x7E, 0x7F},
    [TS_FLOAT8_E5M2] = {1, 3, -14, 0x7C, 0x7F},
};

static uint64_t bits_of(double v)
{
    uint64_t u;

    memcpy(&u, &v, sizeof u);
    return u;
}

/* v rounded once to the format, to nearest, ties to even. */
static uint64_t encode(const float_format *f, double v)
{
    const uint64_t u = bits_of(v);
    const uint64_t sign = u >> 63 << (8 * f->bytes - 1);
    uint64_t code;

    if (isnan(v))
        return f->nan;
    if (f->bytes == 8)
        return u;
    if (isinf(v)) {
        code = f->overflow;
    } else if (v == 0) {
        code = 0;
    } else {
        int exponent =
            (int)(u >> 52 & 0x7FF) - 1023; /* no target reaches the subnormals */
        double quantum;
        uint64_t q;

        if (exponent < f->least)
            exponent = f->least;
        q = (uint64_t)(1023 - (exponent - f->precision + 1)) << 52; /* 1 / one unit */
        memcpy(&quantum, &q, sizeof quantum);
        code = ((uint64_t)(exponent - f->least) << (f->precision - 1)) +
               (uint64_t)nearbyint(fabs(v) * quantum);
        if (code > f->overflow)
            code = f->overflow;
    }
    return code | sign;
}

static void put(void *out, int64_t i, int bytes, uint64_t code)
{
    unsigned char *at = (unsigned char *)out + i * bytes;

    switch (bytes) { /* little-endian, as data files are */
    case 8:
        memcpy(at, &code, 8);
        break;
    case 4:
        memcpy(at, &code, 4);
        break;
    default:
        memcpy(at, &code, bytes == 2 ? 2 : 1);
    }
}

/* The same of a number, which mostly needs no rounding. */
static inline void put_number(void *out, int64_t i, const float_format *f, double v)
{
    const float narrow = (float)v;

    if (f->bytes == 8)
        memcpy((double *)out + i, &v, sizeof v);
    else if (f->bytes == 4 && (double)narrow == v)
        memcpy((float *)out + i, &narrow, sizeof narrow);
    else
        put(out, i, f->bytes, encode(f, v));
}

/* --- tables of special values */

typedef struct table {
    int n;
    uint64_t code[MAX_TABLE];
} table;

static void add(table *t, const float_format *f, double v)
{
    t->code[t->n++] = encode(f, v);
}

static double greatest(const float_format *f)
{
    const int exponent_bits = 8 * f->bytes - f->precision;

    if (f->nan == f->overflow + 1) /* e4m3fn gives its top exponent to numbers */
        return 448;
    return ldexp(2 - ldexp(1, 1 - f->precision), (1 << (exponent_bits - 1)) - 1);
}

static bool float_table(const char *name, const float_format *f, table *t)
{
    const bool all = strcmp(name, "special") == 0;
    const double tiny = ldexp(1, f->least), least = ldexp(1, f->least - f->precision + 1);
    const double eps = ldexp(1, 1 - f->precision), max = greatest(f);

    if (all || strcmp(name, "nan") == 0)
        add(t, f, NAN);
    if (all || strcmp(name, "inf") == 0) {
        add(t, f, INFINITY);
        add(t, f, -INFINITY);
    }
    if (all || strcmp(name, "zero") == 0) {
        add(t, f, 0.0);
        add(t, f, -0.0);
    }
    if (all || strcmp(name, "subnormal") == 0) {
        const double v[] = {least,     -least,       tiny / 2,
                            -tiny / 2, tiny - least, least - tiny};

        for (int i = 0; i < 6; i++)
            add(t, f, v[i]);
    }
    if (all || strcmp(name, "extreme") == 0) {
        const double v[] = {max, -max, tiny, -tiny, eps, -eps};

        for (int i = 0; i < 6; i++)
            add(t, f, v[i]);
    }
    if (all || strcmp(name, "tie") == 0)
        for (int k = -8; k <= 8; k++)
            add(t, f, k / 2.0);
    return t->n > 0;
}

static bool int_table(const char *name, const ts_dtype_info *d, table *t)
{
    const bool all = strcmp(name, "special") == 0;

    if (all || strcmp(name, "zero") == 0)
        t->code[t->n++] = 0;
    if (all || strcmp(name, "extreme") == 0) {
        t->code[t->n++] = (uint64_t)d->int_min;
        t->code[t->n++] = (uint64_t)d->int_max;
        t->code[t->n++] = 0;
        if (d->int_min < 0)
            t->code[t->n++] = UINT64_MAX;
        t->code[t->n++] = 1;
    }
    return t->n > 0;
}

static ts_status apply_mix(tsi_generator g, const tsi_generate_args *a, ts_dtype dtype,
                           int64_t n, void *out)
{
    const ts_dtype_info *d = ts_dtype_get(dtype);
    const uint64_t hit = stream(a->seed, 7), pick = stream(a->seed, 8);
    table t = {0};
    bool known = false;

    if (d->class_ == TS_CLASS_FLOAT)
        known = float_table(a->mix, &formats[dtype], &t);
    else if (d->class_ != TS_CLASS_BOOL)
        known = int_table(a->mix, d, &t);
    TS_CHECK(known, TS_ERR_VALUE, "case_language/C6", "%s(): no mix '%.40s' for %s",
             tsi_generator_name(g), a->mix, d->name);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || word(hit, (uint64_t)i) % 4 == 0)
            put(out, i, d->bytes, t.code[word(pick, (uint64_t)i) % (uint64_t)t.n]);
    return TS_OK;
}

/* --- generators */

static void put_int(ts_dtype dtype, void *out, int64_t i, int64_t v)
{
    const ts_dtype_info *d = ts_dtype_get(dtype);

    if (d->class_ == TS_CLASS_FLOAT)
        put_number(out, i, &formats[dtype], (double)v);
    else if (d->class_ == TS_CLASS_BOOL)
        put(out, i, 1, v != 0);
    else
        put(out, i, d->bytes, (uint64_t)v);
}

static void normal(uint64_t seed, const float_format *f, int64_t n, void *out)
{
    const uint64_t s[3] = {stream(seed, 0), stream(seed, 1), stream(seed, 2)};

    for (int64_t i = 0; i < n; i++) {
        int64_t sum = -393216;

        for (int k = 0; k < 3; k++) {
            const uint64_t w = word(s[k], (uint64_t)i);

            sum += (int64_t)((w & 0xFFFF) + (w >> 16 & 0xFFFF) + (w >> 32 & 0xFFFF) +
                             (w >> 48));
        }
        put_number(out, i, f, (double)sum / 65536.0);
    }
}

static ts_status uniform(const tsi_generate_args *a, const float_format *f, int64_t n,
                         void *out)
{
    const uint64_t s = stream(a->seed, 3);
    const double span = a->high - a->low;

    TS_CHECK(isfinite(a->low) && isfinite(a->high) && isfinite(span) && a->low <= a->high,
             TS_ERR_VALUE, "case_language/C6", "uniform(): [%g, %g) is no interval",
             a->low, a->high);
    for (int64_t i = 0; i < n; i++) {
        const double u = (double)(word(s, (uint64_t)i) >> 40) * 0x1p-24;

        put_number(out, i, f, a->low + span * u);
    }
    return TS_OK;
}

static ts_status integers(const tsi_generate_args *a, ts_dtype dtype, int64_t n,
                          void *out)
{
    const ts_dtype_info *d = ts_dtype_get(dtype);
    const int64_t low = a->int_low, high = a->int_high, exact = INT64_C(1) << 53;
    const uint64_t s = stream(a->seed, 4), span = (uint64_t)high - (uint64_t)low;

    TS_CHECK(low < high && span < UINT64_C(1) << 63, TS_ERR_VALUE, "case_language/C6",
             "integers(): [%lld, %lld) is no interval of at most 63 bits", (long long)low,
             (long long)high);
    if (d->class_ == TS_CLASS_FLOAT)
        TS_CHECK(low >= -exact && high <= exact && low <= exact && high >= -exact,
                 TS_ERR_VALUE, "case_language/C6",
                 "integers(): [%lld, %lld) is beyond 2**53 for %s", (long long)low,
                 (long long)high, d->name);
    else if (d->class_ != TS_CLASS_BOOL)
        TS_CHECK(d->int_min <= low && high - 1 <= d->int_max, TS_ERR_VALUE,
                 "case_language/C6", "integers(): [%lld, %lld) does not fit in %s",
                 (long long)low, (long long)high, d->name);
    for (int64_t i = 0; i < n; i++)
        put_int(dtype, out, i, low + (int64_t)(word(s, (uint64_t)i) % span));
    return TS_OK;
}

/* Fisher-Yates into int64 elements at the start of `order`. */
static void permute(uint64_t seed, int64_t n, int64_t *order)
{
    const uint64_t s = stream(seed, 6);

    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = (int64_t)(word(s, (uint64_t)i) % (uint64_t)(i + 1));
        const int64_t t = order[i];

        order[i] = order[j];
        order[j] = t;
    }
}

static ts_status distinct(const tsi_generate_args *a, ts_dtype dtype, int64_t n,
                          void *out)
{
    const ts_dtype_info *d = ts_dtype_get(dtype);
    const int64_t first = d->class_ == TS_CLASS_UNSIGNED ? 0 : -(n / 2);
    const int64_t last = first + (n > 0 ? n - 1 : 0);
    ts_storage *scratch;
    bool fits = d->class_ != TS_CLASS_BOOL;

    if (d->class_ == TS_CLASS_FLOAT)
        fits = -first <= INT64_C(1) << formats[dtype].precision;
    else if (fits)
        fits = d->int_min <= first && last <= d->int_max;
    TS_CHECK(fits, TS_ERR_VALUE, "case_language/C6",
             "distinct(): %lld values do not fit in %s", (long long)n, d->name);
    TS_TRY(
        ts_storage_new((ts_device){TS_CPU, 0}, n * (int64_t)sizeof(int64_t), &scratch));

    int64_t *order = ts_storage_data(scratch);

    permute(a->seed, n, order);
    for (int64_t i = 0; i < n; i++)
        put_int(dtype, out, i, order[i] + first);
    ts_storage_release(scratch);
    return TS_OK;
}

ts_status tsi_generate(tsi_generator g, const tsi_generate_args *a, ts_dtype dtype,
                       int64_t n, void *out)
{
    const ts_dtype_info *d = ts_dtype_get(dtype);

    TS_CHECK(n <= MAX_BYTES / d->bytes, TS_ERR_VALUE, "case_language/C8",
             "%s(): %lld elements of %s are more than %lld bytes", tsi_generator_name(g),
             (long long)n, d->name, (long long)MAX_BYTES);
    TS_CHECK(a->mix == NULL || g <= TSI_INTEGERS, TS_ERR_TYPE, "case_language/C6",
             "%s() takes no mix", tsi_generator_name(g));
    TS_CHECK(g > TSI_UNIFORM || d->class_ == TS_CLASS_FLOAT, TS_ERR_TYPE,
             "case_language/C6", "%s() makes floating dtypes only, not %s",
             tsi_generator_name(g), d->name);
    switch (g) {
    case TSI_NORMAL:
        normal(a->seed, &formats[dtype], n, out);
        break;
    case TSI_UNIFORM:
        TS_TRY(uniform(a, &formats[dtype], n, out));
        break;
    case TSI_INTEGERS:
        TS_TRY(integers(a, dtype, n, out));
        break;
    case TSI_BOOLS:
        for (int64_t i = 0, s = (int64_t)stream(a->seed, 5); i < n; i++)
            put(out, i, 1, word((uint64_t)s, (uint64_t)i) >> 63);
        break;
    case TSI_PERMUTATION:
        permute(a->seed, n, out);
        break;
    default:
        TS_TRY(distinct(a, dtype, n, out));
        break;
    }
    return a->mix != NULL && n > 0 ? apply_mix(g, a, dtype, n, out) : TS_OK;
}

/* --- layouts */

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

ts_status tsi_layout(tsi_variant v, int ndim, const int64_t *sizes, int64_t *strides,
                     int64_t *offset, int64_t *storage_elements, int *expanded)
{
    int64_t numel = 1, step = 1;

    *offset = 0;
    *expanded = -1;
    for (int d = 0; d < ndim; d++) {
        TS_CHECK(sizes[d] >= 0, TS_ERR_VALUE, "case_language/C6", "negative size %lld",
                 (long long)sizes[d]);
        TS_CHECK(numel == 0 || sizes[d] <= MAX_BYTES / at_least_one(numel), TS_ERR_VALUE,
                 "case_language/C8", "a generated tensor is more than %lld bytes",
                 (long long)MAX_BYTES);
        numel *= sizes[d];
    }
    if (v == TSI_EXPANDED)
        for (int d = 0; d < ndim && *expanded < 0; d++)
            if (sizes[d] > 1)
                *expanded = d;
    if (v == TSI_STRIDED)
        step = ndim > 0 ? 2 : 1;
    for (int i = 0; i < ndim; i++) { /* from the dim that varies fastest */
        const int d = v == TSI_TRANSPOSED ? i : ndim - 1 - i;

        strides[d] = step;
        if (d == *expanded)
            strides[d] = 0;
        else
            step *= at_least_one(sizes[d]);
    }
    if (*expanded >= 0)
        numel /= sizes[*expanded];
    *storage_elements = numel;
    if (v == TSI_OFFSET) {
        *offset = 3;
        *storage_elements = 3 + numel + 2;
    } else if (v == TSI_STRIDED) {
        *offset = 1;
        *storage_elements = ndim > 0 ? 2 * numel + 1 : 3;
    } else if (v == TSI_CHANNELS_LAST && ndim == 4) {
        strides[1] = 1;
        strides[3] = sizes[1];
        strides[2] = sizes[3] * sizes[1];
        strides[0] = sizes[2] * sizes[3] * sizes[1];
    }
    return TS_OK;
}
