/* SPDX-License-Identifier: Apache-2.0 */
/* Operators over numbers, sequences and tensors (case_language/S4, S5). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "interp.h"

static const struct {
    const char *text;
    int known; /* the op that a tensor operand calls */
} table[OP_COUNT] = {
    [OP_ADD] = {"+", K_ADD},
    [OP_SUB] = {"-", K_SUB},
    [OP_MUL] = {"*", K_MUL},
    [OP_DIV] = {"/", K_DIV},
    [OP_FLOORDIV] = {"//", K_FLOOR_DIVIDE},
    [OP_MOD] = {"%", K_REMAINDER},
    [OP_POW] = {"**", K_POW},
    [OP_MATMUL] = {"@", K_MATMUL},
    [OP_AND] = {"&", K_BITWISE_AND},
    [OP_OR] = {"|", K_BITWISE_OR},
    [OP_XOR] = {"^", K_BITWISE_XOR},
    [OP_LSHIFT] = {"<<", K_LEFT_SHIFT},
    [OP_RSHIFT] = {">>", K_RIGHT_SHIFT},
    [OP_EQ] = {"==", K_EQ},
    [OP_NE] = {"!=", K_NE},
    [OP_LT] = {"<", K_LT},
    [OP_LE] = {"<=", K_LE},
    [OP_GT] = {">", K_GT},
    [OP_GE] = {">=", K_GE},
    [OP_IS] = {"is", -1},
    [OP_IS_NOT] = {"is not", -1},
    [OP_NEG] = {"-", K_NEG},
    [OP_POS] = {"+", -1},
    [OP_INVERT] = {"~", K_BITWISE_NOT},
};

static ts_status bad_operands(tsi_operator op, const tsi_value *a, const tsi_value *b)
{
    return ts_fail(TS_ERR_TYPE, "case_language/C5",
                   "unsupported operand types for %s: '%s' and '%s'", table[op].text,
                   tsi_kind_name(a), tsi_kind_name(b));
}

static ts_status overflow(tsi_operator op, int64_t a, int64_t b)
{
    return ts_fail(TS_ERR_OVERFLOW, "case_language/C7",
                   "%" PRId64 " %s %" PRId64 " does not fit in 64 bits", a,
                   table[op].text, b);
}

static ts_status by_zero(void)
{
    return ts_fail(TS_ERR_ZERO_DIVISION, "case_language/C7", "division by zero");
}

static ts_status int_power(int64_t a, int64_t b, tsi_value *out)
{
    int64_t result = 1, base = a;

    if (b < 0) {
        if (a == 0)
            return by_zero();
        *out = (tsi_value){.kind = V_FLOAT, .f = pow((double)a, (double)b)};
        return TS_OK;
    }
    for (int64_t e = b; e > 0; e >>= 1) {
        if ((e & 1) != 0 && __builtin_mul_overflow(result, base, &result))
            return overflow(OP_POW, a, b);
        if (e > 1 && __builtin_mul_overflow(base, base, &base))
            return overflow(OP_POW, a, b);
    }
    *out = tsi_int(result);
    return TS_OK;
}

static ts_status int_binary(tsi_operator op, int64_t a, int64_t b, tsi_value *out)
{
    const int64_t exact = INT64_C(1) << 53;
    int64_t r = 0;
    bool over = false;

    switch (op) {
    case OP_ADD:
        over = __builtin_add_overflow(a, b, &r);
        break;
    case OP_SUB:
        over = __builtin_sub_overflow(a, b, &r);
        break;
    case OP_MUL:
        over = __builtin_mul_overflow(a, b, &r);
        break;
    case OP_DIV:
        if (b == 0)
            return by_zero();
        if (a > exact || a < -exact || b > exact || b < -exact)
            return overflow(op, a, b);
        *out = (tsi_value){.kind = V_FLOAT, .f = (double)a / (double)b};
        return TS_OK;
    case OP_FLOORDIV:
    case OP_MOD:
        if (b == 0)
            return by_zero();
        if (a == INT64_MIN && b == -1) {
            if (op == OP_FLOORDIV)
                return overflow(op, a, b);
            break;
        }
        if (op == OP_FLOORDIV)
            r = a / b - (a % b != 0 && (a < 0) != (b < 0));
        else
            r = a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
        break;
    case OP_POW:
        return int_power(a, b, out);
    case OP_AND:
        r = a & b;
        break;
    case OP_OR:
        r = a | b;
        break;
    case OP_XOR:
        r = a ^ b;
        break;
    case OP_LSHIFT:
    case OP_RSHIFT:
        TS_CHECK(b >= 0, TS_ERR_VALUE, "case_language/C7", "negative shift count");
        if (op == OP_RSHIFT) {
            const int n = b > 63 ? 63 : (int)b;

            r = a >= 0 ? a >> n : ~(~a >> n);
        } else if (a != 0) {
            over = b > 62 || __builtin_mul_overflow(a, INT64_C(1) << (b & 63), &r);
        }
        break;
    default:
        return ts_fail(TS_ERR_TYPE, "case_language/C5",
                       "unsupported operand types for %s", table[op].text);
    }
    if (over)
        return overflow(op, a, b);
    *out = tsi_int(r);
    return TS_OK;
}

static ts_status float_binary(tsi_operator op, const tsi_value *x, const tsi_value *y,
                              tsi_value *out)
{
    const double a = tsi_number(x), b = tsi_number(y);
    double r = 0;

    switch (op) {
    case OP_ADD:
        r = a + b;
        break;
    case OP_SUB:
        r = a - b;
        break;
    case OP_MUL:
        r = a * b;
        break;
    case OP_DIV:
        if (b == 0)
            return by_zero();
        r = a / b;
        break;
    case OP_FLOORDIV:
    case OP_MOD: {
        if (b == 0)
            return by_zero();

        double m = fmod(a, b);
        double q = (a - m) / b;

        if (m != 0 && (b < 0) != (m < 0)) {
            m += b;
            q -= 1;
        } else if (m == 0) {
            m = copysign(0, b);
        }
        if (q != 0) {
            const double f = floor(q);

            q = q - f > 0.5 ? f + 1 : f;
        } else {
            q = copysign(0, a / b);
        }
        r = op == OP_MOD ? m : q;
        break;
    }
    case OP_POW:
        if (a == 0 && b < 0)
            return by_zero();
        TS_CHECK(!(a < 0 && isfinite(a) && isfinite(b) && floor(b) != b), TS_ERR_VALUE,
                 "case_language/C7",
                 "a negative number to a fractional power is complex");
        r = pow(a, b);
        TS_CHECK(!isinf(r) || isinf(a) || isinf(b), TS_ERR_OVERFLOW, "case_language/C7",
                 "%g ** %g is too large", a, b);
        break;
    default:
        return bad_operands(op, x, y);
    }
    *out = (tsi_value){.kind = V_FLOAT, .f = r};
    return TS_OK;
}

static ts_status concatenate(tsi_interp *in, const tsi_value *a, const tsi_value *b,
                             tsi_value *out)
{
    TS_TRY(tsi_object_new(in, (tsi_kind)a->kind, a->o->n + b->o->n, out));
    for (int i = 0; i < a->o->n; i++)
        out->o->v[out->o->n++] = tsi_retain(a->o->v[i]);
    for (int i = 0; i < b->o->n; i++)
        out->o->v[out->o->n++] = tsi_retain(b->o->v[i]);
    return TS_OK;
}

static ts_status tensor_call(tsi_interp *in, tsi_operator op, int n, const tsi_value *a,
                             tsi_value *out)
{
    tsi_value args[2] = {a[0]};
    ts_tensor *wrapped = NULL;
    ts_status s;

    if (n > 1)
        args[1] = a[1];
    if (op == OP_SUB && tsi_is_number(a)) /* 2 - x */
        return tsi_call_known(in, K_RSUB, TS_FUNCTIONAL, 2, (tsi_value[]){a[1], a[0]},
                              out);
    if ((op == OP_ADD || op == OP_MUL) && tsi_is_number(a)) /* 2 * x is x.mul(2) */
        return tsi_call_known(in, (tsi_known_op)table[op].known, TS_FUNCTIONAL, 2,
                              (tsi_value[]){a[1], a[0]}, out);
    if (op == OP_DIV && tsi_is_number(a)) { /* 2 / x, as PyTorch does it */
        TS_TRY(tsi_call_known(in, K_RECIPROCAL, TS_FUNCTIONAL, 1, &a[1], &args[0]));
        args[1] = a[0];
        s = tsi_call_known(in, K_MUL, TS_FUNCTIONAL, 2, args, out);
        tsi_release(args[0]);
        return s;
    }
    if (tsi_is_number(&args[0])) { /* 2 ** x */
        TS_TRY(ts_wrapped_number(tsi_scalar_of(&args[0]), &wrapped));
        args[0] = tsi_tensor_value(wrapped);
    }
    s = tsi_call_known(in, (tsi_known_op)table[op].known, TS_FUNCTIONAL, n, args, out);
    ts_release(wrapped);
    return s;
}

static bool tensor_operands(const tsi_value *a, const tsi_value *b)
{
    return (a->kind == V_TENSOR && (b->kind == V_TENSOR || tsi_is_number(b))) ||
           (b->kind == V_TENSOR && tsi_is_number(a));
}

ts_status tsi_binary(tsi_interp *in, tsi_operator op, const tsi_value *a,
                     const tsi_value *b, tsi_value *out)
{
    if (tensor_operands(a, b))
        return tensor_call(in, op, 2, (tsi_value[]){*a, *b}, out);
    if (tsi_is_number(a) && tsi_is_number(b)) {
        if (a->kind == V_FLOAT || b->kind == V_FLOAT)
            return float_binary(op, a, b, out);
        TS_TRY(int_binary(op, tsi_integer(a), tsi_integer(b), out));
        if (a->kind == V_BOOL && b->kind == V_BOOL &&
            (op == OP_AND || op == OP_OR || op == OP_XOR))
            *out = tsi_bool(out->i != 0);
        return TS_OK;
    }
    if (op == OP_ADD && tsi_is_sequence(a) && a->kind == b->kind)
        return concatenate(in, a, b, out);
    return bad_operands(op, a, b);
}

ts_status tsi_unary(tsi_interp *in, tsi_operator op, const tsi_value *a, tsi_value *out)
{
    if (a->kind == V_TENSOR) {
        if (op != OP_POS)
            return tensor_call(in, op, 1, a, out);
        *out = tsi_retain(*a);
        return TS_OK;
    }
    if (a->kind == V_FLOAT && op != OP_INVERT) {
        *out = *a;
        if (op == OP_NEG)
            out->f = -out->f;
        return TS_OK;
    }
    if (a->kind == V_INT || a->kind == V_BOOL) {
        const int64_t i = tsi_integer(a);

        if (op == OP_NEG)
            return int_binary(OP_SUB, 0, i, out);
        *out = tsi_int(op == OP_INVERT ? ~i : i);
        return TS_OK;
    }
    return ts_fail(TS_ERR_TYPE, "case_language/C5", "bad operand type for unary %s: '%s'",
                   table[op].text, tsi_kind_name(a));
}

/* The same comparison with its sides exchanged. */
static tsi_operator mirrored(tsi_operator op)
{
    switch (op) {
    case OP_LT:
        return OP_GT;
    case OP_LE:
        return OP_GE;
    case OP_GT:
        return OP_LT;
    case OP_GE:
        return OP_LE;
    default:
        return op;
    }
}

static bool ordered(tsi_operator op, const tsi_value *x, const tsi_value *y)
{
    const long double a =
        x->kind == V_FLOAT ? (long double)x->f : (long double)tsi_integer(x);
    const long double b =
        y->kind == V_FLOAT ? (long double)y->f : (long double)tsi_integer(y);

    return op == OP_LT ? a < b : op == OP_LE ? a <= b : op == OP_GT ? a > b : a >= b;
}

static bool same_object(const tsi_value *a, const tsi_value *b)
{
    if (tsi_is_number(a) || tsi_is_number(b))
        return a->kind == b->kind && tsi_equal(a, b);
    if (a->kind >= V_TENSOR)
        return a->kind == b->kind && (a->kind == V_TENSOR ? a->t == b->t : a->o == b->o);
    return tsi_equal(a, b);
}

ts_status tsi_compare(tsi_interp *in, tsi_operator op, const tsi_value *a,
                      const tsi_value *b, tsi_value *out)
{
    if (op == OP_IS || op == OP_IS_NOT) {
        *out = tsi_bool(same_object(a, b) == (op == OP_IS));
        return TS_OK;
    }
    if (tensor_operands(a, b)) {
        if (a->kind == V_TENSOR)
            return tensor_call(in, op, 2, (tsi_value[]){*a, *b}, out);
        return tensor_call(in, mirrored(op), 2, (tsi_value[]){*b, *a}, out);
    }
    if (op == OP_EQ || op == OP_NE) {
        *out = tsi_bool(tsi_equal(a, b) == (op == OP_EQ));
        return TS_OK;
    }
    if (!tsi_is_number(a) || !tsi_is_number(b))
        return bad_operands(op, a, b);
    *out = tsi_bool(ordered(op, a, b));
    return TS_OK;
}

ts_status tsi_augment(tsi_interp *in, tsi_operator op, const tsi_value *a,
                      const tsi_value *b, tsi_value *out)
{
    if (a->kind == V_TENSOR && op != OP_MATMUL && tensor_operands(a, b))
        return tsi_call_known(in, (tsi_known_op)table[op].known, TS_INPLACE, 2,
                              (tsi_value[]){*a, *b}, out);
    if (a->kind == V_LIST && op == OP_ADD && tsi_is_sequence(b)) {
        const int n = b->o->n; /* fixed: x += x must end */

        for (int i = 0; i < n; i++)
            TS_TRY(tsi_append(in, a->o, tsi_retain(b->o->v[i])));
        *out = tsi_retain(*a);
        return TS_OK;
    }
    return tsi_binary(in, op, a, b, out);
}
