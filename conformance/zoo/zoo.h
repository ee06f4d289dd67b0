/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The zoo: backends with one realistic fault each, all of which the judge must find out.
 * A member is the reference with one or two kernels replaced:
 *
 *     static ts_status faulty_add(const ts_kernel_call *call)
 *     {
 *         TS_TRY(zoo_original("add")(call));
 *         ...spoil call->results[0]...
 *         return TS_OK;
 *     }
 *     ZOO_KIND("tail dropped");
 *     ZOO_MEMBER("what goes wrong, in one sentence", "add/S1 add/S2", {"add",
 * faulty_add})
 *
 * A kind's first member says what it is, by ZOO_NEW_KIND(kind, meaning). The second
 * string of a member names the rules that it breaks; their cases are tried first. Faulty .cu kernels are in cuda/: the
 * simulated CUDA backend with one file replaced.
 */
#ifndef TOUCHSTONE_ZOO_H
#define TOUCHSTONE_ZOO_H

#include "touchstone/backend.h"
#include "touchstone/device.h"
#include "touchstone/dist.h"
#include "touchstone/op.h"

/* The reference's kernel of `op`. */
ts_kernel zoo_original(const char *op);

/* Elements of `t`, encoded, from t->data; for a contiguous tensor its index in row-major
 * order. */
static inline char *zoo_at(const ts_tensor *t, int64_t element)
{
    return (char *)t->data + element * ts_dtype_size(t->dtype);
}

/* Call `kernel` with argument i replaced. */
ts_status zoo_call_value(ts_kernel kernel, const ts_kernel_call *call, int i, ts_value v);
ts_status zoo_call_with(ts_kernel kernel, const ts_kernel_call *call, int i,
                        ts_tensor *t);

/*
 * Elements of a fault that is a formula: `right` is what the reference gave, a to c are the
 * arguments' elements, 0 where there are not so many tensors. Only floats and tensors that
 * are contiguous and as large as the result are put to it; anything else stays right, as a
 * backend has another kernel for it.
 */
typedef double (*zoo_formula)(double right, double a, double b, double c);
ts_status zoo_elements(const ts_kernel_call *call, const char *op, zoo_formula formula);

ts_status zoo_open(const ts_host *host, ts_backend *out, const ts_kernel_entry *replaced,
                   size_t count);

/* The software accelerator's table, for a member to spoil. */
ts_driver *zoo_driver(void);
/* An op's row in the runtime's table. */
ts_op *zoo_op(const char *name);

/*
 * A member that is judged on the accelerator, whose streams run as late as the rules
 * allow. SPOIL is a statement at its opening.
 */
#define ZOO_ACCEL_MEMBER(FAULT, BREAKS, SPOIL)                                 \
    TS_API extern const char ts_zoo_fault[], ts_zoo_breaks[], ts_zoo_device[]; \
    const char ts_zoo_fault[] = FAULT, ts_zoo_breaks[] = BREAKS;               \
    const char ts_zoo_device[] = "accel";                                      \
    ts_status ts_backend_open(const ts_host *host, ts_backend *out)            \
    {                                                                          \
        TS_TRY(zoo_open(host, out, NULL, 0));                                  \
        out->driver = zoo_driver();                                            \
        SPOIL;                                                                 \
        return TS_OK;                                                          \
    }

/* A member whose fault is in the runtime: SPOIL is a statement that puts it into
 * zoo_op("…")'s api or program. */
#define ZOO_RUNTIME_MEMBER(FAULT, BREAKS, SPOIL)                    \
    TS_API extern const char ts_zoo_fault[], ts_zoo_breaks[];       \
    const char ts_zoo_fault[] = FAULT, ts_zoo_breaks[] = BREAKS;    \
    ts_status ts_backend_open(const ts_host *host, ts_backend *out) \
    {                                                               \
        TS_TRY(zoo_open(host, out, NULL, 0));                       \
        SPOIL;                                                      \
        return TS_OK;                                               \
    }

#define ZOO_KIND(KIND)                      \
    TS_API extern const char ts_zoo_kind[]; \
    const char ts_zoo_kind[] = KIND
/* MEANING is for judge.py, which reads the sources. */
#define ZOO_NEW_KIND(KIND, MEANING) ZOO_KIND(KIND)

/* A collective on host memory as one that sees all ranks' buffers does it. */
typedef struct zoo_collective {
    int ranks;
    ts_dtype dtype;
    ts_reduce_op op;
    int64_t n;
    bool backward;
} zoo_collective;

typedef ts_status (*zoo_collective_fn)(const zoo_collective *c, const void *const *in,
                                       void *const *out);

typedef struct zoo_collectives {
    zoo_collective_fn all_reduce, all_gather, reduce_scatter;
} zoo_collectives;

/* The reference with another communicator: the functions given, on the last rank's call. */
ts_status zoo_open_collectives(const ts_host *host, ts_backend *out,
                               const zoo_collectives *given);
/* The same with a whole table, for a fault of one rank's side; its own entries replace the
 * reference's. */
ts_communicator *zoo_communicator(void);

static inline double zoo_load(const zoo_collective *c, const void *buffer, int64_t i)
{
    return ts_load_f64(c->dtype, (const char *)buffer + i * ts_dtype_size(c->dtype));
}

static inline void zoo_store(const zoo_collective *c, void *buffer, int64_t i, double v)
{
    ts_store_f64(c->dtype, (char *)buffer + i * ts_dtype_size(c->dtype), v);
}

/* What the reference does. */
ts_status zoo_all_reduce(const zoo_collective *c, const void *const *in,
                         void *const *out);
ts_status zoo_all_gather(const zoo_collective *c, const void *const *in,
                         void *const *out);
ts_status zoo_reduce_scatter(const zoo_collective *c, const void *const *in,
                             void *const *out);

/* A member whose fault is in the functions given by name: .all_reduce = … */
#define ZOO_COLLECTIVES(FAULT, BREAKS, ...)                         \
    TS_API extern const char ts_zoo_fault[], ts_zoo_breaks[];       \
    const char ts_zoo_fault[] = FAULT, ts_zoo_breaks[] = BREAKS;    \
    ts_status ts_backend_open(const ts_host *host, ts_backend *out) \
    {                                                               \
        static const zoo_collectives given = {__VA_ARGS__};         \
                                                                    \
        return zoo_open_collectives(host, out, &given);             \
    }

/* A member whose fault is in the calls on one rank's communicator: SPOIL is a statement
 * that puts it into zoo_communicator(). */
#define ZOO_COMMUNICATOR(FAULT, BREAKS, SPOIL)                      \
    TS_API extern const char ts_zoo_fault[], ts_zoo_breaks[];       \
    const char ts_zoo_fault[] = FAULT, ts_zoo_breaks[] = BREAKS;    \
    ts_status ts_backend_open(const ts_host *host, ts_backend *out) \
    {                                                               \
        TS_TRY(zoo_open(host, out, NULL, 0));                       \
        out->communicator = zoo_communicator();                     \
        SPOIL;                                                      \
        return TS_OK;                                               \
    }

#define ZOO_MEMBER(FAULT, BREAKS, ...)                                 \
    TS_API extern const char ts_zoo_fault[], ts_zoo_breaks[];          \
    const char ts_zoo_fault[] = FAULT, ts_zoo_breaks[] = BREAKS;       \
    static const ts_kernel_entry zoo_replaced[] = {__VA_ARGS__};       \
    ts_status ts_backend_open(const ts_host *host, ts_backend *out)    \
    {                                                                  \
        return zoo_open(host, out, zoo_replaced,                       \
                        sizeof(zoo_replaced) / sizeof(*zoo_replaced)); \
    }

#endif
