/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the reference's communicator does: rank after rank in order, wide, rounded once
 * (dist/S6); so a reduction gives the same bits in every collective that contains it
 * (dist/S10).
 */
#include <math.h>

#include "dist/parts.h"

static double pick(double a, double b, bool larger)
{
    if (isnan(a) || isnan(b))
        return NAN;
    return (larger ? b > a : b < a) ? b : a;
}

static double join_float(ts_reduce_op op, double a, double b)
{
    switch (op) {
    case TS_REDUCE_PRODUCT:
        return a * b;
    case TS_REDUCE_MIN:
    case TS_REDUCE_MAX:
        return pick(a, b, op == TS_REDUCE_MAX);
    default: /* SUM, AVG, PREMUL_SUM */
        return a + b;
    }
}

static int64_t join_int(ts_reduce_op op, int64_t a, int64_t b)
{
    switch (op) {
    case TS_REDUCE_PRODUCT:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case TS_REDUCE_MIN:
        return b < a ? b : a;
    case TS_REDUCE_MAX:
        return b > a ? b : a;
    case TS_REDUCE_BAND:
        return a & b;
    case TS_REDUCE_BOR:
        return a | b;
    case TS_REDUCE_BXOR:
        return a ^ b;
    default:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    }
}

static double load(const tsi_part *p, int64_t at)
{
    const double v = ts_load_f64(p->what.dtype, (const char *)p->in + at);

    return p->what.op == TS_REDUCE_PREMUL_SUM ? v * p->what.factor : v;
}

/* Element i of every rank's `in`, joined, into `to`, which may be one of them. */
static void reduce(int ranks, const tsi_part *parts, int64_t from, void *to)
{
    const ts_collective *w = &parts[0].what;
    const int64_t size = ts_dtype_size(w->dtype);

    for (int64_t i = 0; i < w->n; i++) {
        const int64_t at = (from + i) * size;

        if (ts_dtype_is_floating(w->dtype)) {
            double v = load(&parts[0], at);

            for (int r = 1; r < ranks; r++)
                v = join_float(w->op, v, load(&parts[r], at));
            ts_store_f64(w->dtype, (char *)to + i * size,
                         w->op == TS_REDUCE_AVG ? v / ranks : v);
        } else {
            int64_t v = ts_load_i64(w->dtype, (const char *)parts[0].in + at);

            for (int r = 1; r < ranks; r++)
                v = join_int(w->op, v,
                             ts_load_i64(w->dtype, (const char *)parts[r].in + at));
            ts_store_i64(w->dtype, (char *)to + i * size, v);
        }
    }
}

/* n elements; a piece may be at its place already. */
static void move(const ts_collective *w, void *to, int64_t at, const void *from,
                 int64_t of, int64_t n)
{
    const int64_t size = ts_dtype_size(w->dtype);

    if (n > 0)
        memmove((char *)to + at * size, (const char *)from + of * size,
                (size_t)(n * size));
}

static int64_t sum(int n, const int64_t *counts)
{
    int64_t s = 0;

    for (int i = 0; i < n; i++)
        s += counts[i];
    return s;
}

static bool is_rooted(tsi_comm_call call)
{
    return call == TSI_COMM_REDUCE || call == TSI_COMM_BROADCAST ||
           call == TSI_COMM_GATHER || call == TSI_COMM_SCATTER;
}

static bool reduces(tsi_comm_call call)
{
    return call == TSI_COMM_ALL_REDUCE || call == TSI_COMM_REDUCE ||
           call == TSI_COMM_REDUCE_SCATTER;
}

void tsi_part_bytes(tsi_comm_call call, int ranks, int r, const tsi_part *part,
                    size_t *in, size_t *out)
{
    const bool root = r == part->what.root;
    const int64_t n = part->what.n, all = n * ranks;
    int64_t reads = n, writes = n;

    switch (call) {
    case TSI_COMM_ALL_REDUCE:
        break;
    case TSI_COMM_REDUCE:
        writes = root ? n : 0;
        break;
    case TSI_COMM_BROADCAST:
        reads = root ? n : 0;
        break;
    case TSI_COMM_ALL_GATHER:
        writes = all;
        break;
    case TSI_COMM_GATHER:
        writes = root ? all : 0;
        break;
    case TSI_COMM_REDUCE_SCATTER:
        reads = all;
        break;
    case TSI_COMM_SCATTER:
        reads = root ? all : 0;
        break;
    case TSI_COMM_ALL_TO_ALL:
        reads = writes = all;
        break;
    case TSI_COMM_ALL_TO_ALL_V:
        reads = sum(ranks, part->in_counts);
        writes = sum(ranks, part->out_counts);
        break;
    case TSI_COMM_MESSAGE:
        reads = r == 0 ? n : 0;
        writes = r == 0 ? 0 : n;
        break;
    case TSI_COMM_BARRIER:
    case TSI_COMM_SPLIT:
        reads = writes = 0;
        break;
    }
    *in = (size_t)(reads * ts_dtype_size(part->what.dtype));
    *out = (size_t)(writes * ts_dtype_size(part->what.dtype));
}

static ts_status check_pieces(int ranks, const tsi_part *parts)
{
    for (int r = 0; r < ranks; r++)
        for (int q = 0; q < ranks; q++)
            TS_CHECK(parts[r].in_counts[q] == parts[q].out_counts[r], TS_ERR_DIST, NULL,
                     "all_to_all: rank %d sends %" PRId64 " elements to rank %d, which "
                     "wants %" PRId64,
                     r, parts[r].in_counts[q], q, parts[q].out_counts[r]);
    return TS_OK;
}

ts_status tsi_parts_check(tsi_comm_call call, int ranks, const tsi_part *parts)
{
    const ts_collective *w = &parts[0].what;

    if (call == TSI_COMM_BARRIER || call == TSI_COMM_SPLIT)
        return TS_OK;
    for (int r = 1; r < ranks; r++) {
        const ts_collective *v = &parts[r].what;

        TS_CHECK(v->dtype == w->dtype &&
                     (v->n == w->n || call == TSI_COMM_ALL_TO_ALL_V) &&
                     (v->op == w->op || !reduces(call)) &&
                     (v->root == w->root || !is_rooted(call)),
                 TS_ERR_DIST, NULL,
                 "ranks 0 and %d do not make the same call: %" PRId64 " elements of %s, "
                 "%" PRId64 " of %s",
                 r, w->n, ts_dtype_name(w->dtype), v->n, ts_dtype_name(v->dtype));
    }
    TS_CHECK(!is_rooted(call) || (w->root >= 0 && w->root < ranks), TS_ERR_VALUE, NULL,
             "root %d of %d ranks", w->root, ranks);
    if (call == TSI_COMM_ALL_TO_ALL_V)
        return check_pieces(ranks, parts);
    if (!reduces(call))
        return TS_OK;
    TS_CHECK(ts_dtype_is_floating(w->dtype)
                 ? w->op < TS_REDUCE_BAND || w->op == TS_REDUCE_PREMUL_SUM
                 : w->op != TS_REDUCE_AVG && w->op != TS_REDUCE_PREMUL_SUM,
             TS_ERR_UNSUPPORTED, NULL, "reduce op %d of %s", (int)w->op,
             ts_dtype_name(w->dtype));
    return TS_OK;
}

static void exchange(int ranks, const tsi_part *parts)
{
    const ts_collective *w = &parts[0].what;

    for (int r = 0; r < ranks; r++) {
        int64_t at = 0;

        for (int q = 0; q < ranks; q++) { /* rank r's piece of rank q's elements */
            move(w, parts[r].out, at, parts[q].in, sum(r, parts[q].in_counts),
                 parts[r].out_counts[q]);
            at += parts[r].out_counts[q];
        }
    }
}

void tsi_parts_perform(tsi_comm_call call, int ranks, const tsi_part *parts)
{
    const ts_collective *w = &parts[0].what;
    const int64_t n = w->n;
    const int root = w->root;

    switch (call) {
    case TSI_COMM_ALL_REDUCE: /* an element is read from all ranks before it is written */
        reduce(ranks, parts, 0, parts[0].out);
        for (int r = 1; r < ranks; r++)
            move(w, parts[r].out, 0, parts[0].out, 0, n);
        break;
    case TSI_COMM_REDUCE:
        reduce(ranks, parts, 0, parts[root].out);
        break;
    case TSI_COMM_BROADCAST:
        for (int r = 0; r < ranks; r++)
            move(w, parts[r].out, 0, parts[root].in, 0, n);
        break;
    case TSI_COMM_ALL_GATHER:
    case TSI_COMM_GATHER:
        for (int r = 0; r < ranks; r++)
            for (int q = 0; (call == TSI_COMM_ALL_GATHER || r == root) && q < ranks; q++)
                move(w, parts[r].out, q * n, parts[q].in, 0, n);
        break;
    case TSI_COMM_REDUCE_SCATTER:
        for (int r = 0; r < ranks; r++)
            reduce(ranks, parts, r * n, parts[r].out);
        break;
    case TSI_COMM_SCATTER:
        for (int r = 0; r < ranks; r++)
            move(w, parts[r].out, 0, parts[root].in, r * n, n);
        break;
    case TSI_COMM_ALL_TO_ALL:
        for (int r = 0; r < ranks; r++)
            for (int q = 0; q < ranks; q++)
                move(w, parts[r].out, q * n, parts[q].in, r * n, n);
        break;
    case TSI_COMM_ALL_TO_ALL_V:
        exchange(ranks, parts);
        break;
    case TSI_COMM_MESSAGE:
        move(w, parts[1].out, 0, parts[0].in, 0, n);
        break;
    case TSI_COMM_BARRIER:
    case TSI_COMM_SPLIT:
        break;
    }
}
