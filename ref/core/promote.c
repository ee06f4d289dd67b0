/* SPDX-License-Identifier: Apache-2.0 */
/* Type promotion (T-12); spec/areas/promotion.md. */
#include "core/body.h"

static bool is_float8(ts_dtype d)
{
    return d == TS_FLOAT8_E4M3FN || d == TS_FLOAT8_E5M2;
}

ts_dtype ts_promote_types(ts_dtype a, ts_dtype b)
{
    const ts_dtype_info *ia, *ib;

    if (a == b)
        return a;
    if (is_float8(a) || is_float8(b)) /* PyTorch promotes float8 with nothing else */
        return TS_DTYPE_NONE;
    ia = ts_dtype_get(a);
    ib = ts_dtype_get(b);
    if (ia->class_ != ib->class_ &&
        (ia->class_ == TS_CLASS_FLOAT || ib->class_ == TS_CLASS_FLOAT))
        return ia->class_ == TS_CLASS_FLOAT ? a : b;
    if (ia->class_ == TS_CLASS_FLOAT) /* float16 and bfloat16 meet in float32 */
        return ia->bytes == ib->bytes ? TS_FLOAT32 : ia->bytes > ib->bytes ? a : b;
    if (ia->class_ == TS_CLASS_BOOL)
        return b;
    if (ib->class_ == TS_CLASS_BOOL)
        return a;
    if (ia->class_ != ib->class_ && ia->bytes == ib->bytes) /* uint8 and int8 */
        return TS_INT16;
    return ia->bytes > ib->bytes ? a : b;
}

bool ts_can_cast(ts_dtype from, ts_dtype to)
{
    if (tse_is_real(from) && !tse_is_real(to))
        return false;
    return from == TS_BOOL || to != TS_BOOL;
}

/* Of two standings, the higher decides unless the lower is of a higher category. */
static ts_dtype combine(ts_dtype higher, ts_dtype lower)
{
    if (higher == TS_DTYPE_NONE)
        return lower;
    if (lower == TS_DTYPE_NONE || tse_is_real(higher))
        return higher;
    if (higher == TS_BOOL || tse_is_real(lower))
        return ts_promote_types(higher, lower);
    return higher;
}

ts_dtype tsi_result_type_of(int n, ts_tensor *const *t)
{
    ts_dtype by_standing[3] = {TS_DTYPE_NONE, TS_DTYPE_NONE, TS_DTYPE_NONE};
    bool clash = false;

    for (int k = 0; k < n; k++) {
        ts_dtype *slot = &by_standing[tsi_of(t[k])->wrapped_number ? 2 : t[k]->ndim == 0];
        ts_dtype d = t[k]->dtype;

        if (tsi_of(t[k])->wrapped_number && tse_is_real(d))
            d = TS_FLOAT32; /* the default dtype */
        if (*slot == TS_DTYPE_NONE) {
            *slot = d;
        } else {
            *slot = ts_promote_types(*slot, d);
            clash |= *slot == TS_DTYPE_NONE;
        }
    }
    if (clash)
        return TS_DTYPE_NONE;
    return combine(by_standing[0], combine(by_standing[1], by_standing[2]));
}

ts_dtype tsi_scalar_dtype(ts_scalar s)
{
    return s.kind == TS_SCALAR_BOOL  ? TS_BOOL
           : s.kind == TS_SCALAR_INT ? TS_INT64
                                     : TS_FLOAT32;
}
