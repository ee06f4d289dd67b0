/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer in C, without Python (spec/areas/pipe.md): add, sub, mul and neg over plain loops,
 * of one shape and one dtype, in programs that are a line of assignments and expect().
 * A run's memory comes from one pool, which the next run uses again.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "c_tensor.h"

enum { NAMES = 64, POOL = 1 << 22 };

static const char *const codes[] = {"F64", "F32"};
static const char *const ops[] = {"add", "sub", "mul", "rsub", "neg", "relu"};
static const char *const signs[] = {"+", "-", "*"};

static struct {
    jmp_buf end;
    const char *lacks; /* what is not supported */
    json_t *inputs, *answers;
    size_t taken, used;
    int nnames;
    const char *names[NAMES];
    const tensor *values[NAMES];
    _Alignas(16) char memory[POOL];
} run;

_Noreturn void lacks(const char *what)
{
    run.lacks = what;
    longjmp(run.end, 1);
}

void *take(int64_t bytes)
{
    void *out = run.memory + run.used;

    if (bytes > (int64_t)(POOL - run.used) - 16)
        lacks("memory");
    run.used += ((size_t)bytes + 15) & ~(size_t)15;
    return out;
}

int find(const char *const *list, int n, const char *word, const char *otherwise)
{
    for (int i = 0; i < n; i++)
        if (strcmp(list[i], word) == 0)
            return i;
    lacks(otherwise);
}

static double load(const tensor *t, int64_t i)
{
    const void *at = element(t, i);

    return t->dtype == 0 ? *(const double *)at : (double)*(const float *)at;
}

/* In double, and rounded once: for these ops the bits of float arithmetic. */
static tensor *apply(int op, const tensor *a, const tensor *b)
{
    tensor *t = result_like(a);
    const size_t dims = sizeof *a->sizes * (size_t)a->ndim;

    if (a->dtype != b->dtype)
        lacks("promotion");
    if (a->ndim != b->ndim || memcmp(a->sizes, b->sizes, dims) != 0 ||
        memcmp(a->strides, b->strides, dims) != 0)
        lacks("broadcasting");
    for (int64_t i = 0; i < t->numel; i++) {
        const double x = load(a, i), y = load(b, i);
        const double z = op == 0   ? x + y
                         : op == 1 ? x - y
                         : op == 2 ? x * y
                         : op == 3 ? y - x
                         : op == 4 ? -x
                         : x < 0   ? 0
                                   : x;
        void *at = element(t, i);

        if (t->dtype == 0)
            *(double *)at = z;
        else
            *(float *)at = (float)z;
    }
    return t;
}

static const tensor *value(json_t *node)
{
    json_t *f = json_array_get(node, 1), *args = json_array_get(node, 2);
    const char *kind = peer_text(node, 0), *name = peer_text(f, 1);

    if (strcmp(kind, "name") == 0)
        return run.values[find(run.names, run.nnames, peer_text(node, 1), "language")];
    if (strcmp(kind, "binary") == 0) {
        const int sign = find(signs, 3, peer_text(node, 1), "operator");
        const tensor *left = value(json_array_get(node, 2));

        return apply(sign, left, value(json_array_get(node, 3)));
    }
    if (strcmp(kind, "call") != 0)
        lacks("language");
    if (strcmp(name, "normal") == 0 || strcmp(name, "uniform") == 0 ||
        strcmp(name, "data") == 0)
        return next_input(json_array_get(run.inputs, run.taken++));

    /* torch.add(x, y), F.relu(x) or x.add(y) */
    const bool method = strcmp(peer_text(f, 0), "attribute") == 0;
    const char *dot = strchr(name, '.');
    const char *word = method ? peer_text(f, 2) : dot ? dot + 1 : "";
    const int op = find(ops, 6, word, *word ? word : "language");
    const tensor *a = value(json_array_get(method ? f : args, method ? 1 : 0)), *b = a;

    if (json_object_size(json_array_get(node, 3)) ||
        json_array_size(args) + method != (op > 3 ? 1u : 2u))
        lacks("arguments");
    if (op <= 3)
        b = value(json_array_get(args, method ? 0 : 1));
    return apply(op, a, b);
}

static void told(const tensor *t)
{
    char *bytes = malloc((size_t)(t->numel * t->size) + 1);

    for (int64_t i = 0; i < t->numel; i++)
        memcpy(bytes + i * t->size, element(t, i), (size_t)t->size);
    peer_expect(run.answers, dtypes[t->dtype], t->ndim, t->sizes, t->strides,
                peer_store(codes[t->dtype], (size_t)t->numel, (size_t)t->size, bytes));
}

static void statement(json_t *s)
{
    json_t *part = json_array_get(s, 2);
    const char *kind = peer_text(s, 1), *name = peer_text(part, 1);
    int k = 0;

    if (strcmp(kind, "assign") == 0 && strcmp(peer_text(part, 0), "name") == 0) {
        const tensor *t = value(json_array_get(s, 3));

        while (k < run.nnames && strcmp(run.names[k], name) != 0)
            k++;
        if (k == NAMES)
            lacks("long programs");
        run.names[k] = name;
        run.values[k] = t;
        run.nnames += k == run.nnames;
    } else if (strcmp(kind, "expression") == 0 &&
               strcmp(peer_text(json_array_get(part, 1), 1), "expect") == 0) {
        told(value(json_array_get(json_array_get(part, 2), 0)));
    } else {
        lacks("language");
    }
}

static const char *run_program(json_t *message, json_t *answers)
{
    json_t *tree = json_object_get(message, "tree");

    run.lacks = NULL;
    run.taken = run.used = 0;
    run.nnames = 0;
    run.inputs = json_object_get(message, "inputs");
    run.answers = answers;
    if (setjmp(run.end) == 0)
        for (size_t i = 0; i < json_array_size(tree); i++)
            statement(json_array_get(tree, i));
    return run.lacks;
}

int main(void)
{
    return peer_serve(json_pack("{s:s,s:s,s:[{s:s},{s:s},{s:s},{s:s},{s:s},{s:s}]}",
                                "name", "loops in C", "version", "1", "claims", "op",
                                "add", "op", "sub", "op", "mul", "op", "neg", "op",
                                "rsub", "op", "relu"),
                      run_program);
}
