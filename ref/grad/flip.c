/* SPDX-License-Identifier: Apache-2.0 */
/* flip/G1 to flip/G3. */
#include "touchstone/ops/flip_glue.h"

#include <stdlib.h>

#include "grad/vjp.h"

ts_status tsi_vjp_flip(tsi_vjp *v)
{
    const ts_value *dims = &v->args[TS_FLIP_DIMS];

    return ts_flip(v->grads[0], dims->ints.v, dims->ints.n, &v->out[TS_FLIP_SELF]);
}

ts_status tsi_vjp_roll(tsi_vjp *v)
{
    const ts_value *shifts = &v->args[TS_ROLL_SHIFTS], *dims = &v->args[TS_ROLL_DIMS];
    int64_t *back = malloc((size_t)(2 * shifts->ints.n) * sizeof *back);
    ts_roll_opts o = ts_roll_defaults();
    ts_status s;

    TS_CHECK(back, TS_ERR_OUT_OF_MEMORY, NULL, "roll: out of memory");
    for (int64_t k = 0; k < shifts->ints.n; k++) /* the last pair first */
        back[k] = -shifts->ints.v[shifts->ints.n - 1 - k];
    for (int64_t k = 0; k < dims->ints.n; k++)
        back[shifts->ints.n + k] = dims->ints.v[dims->ints.n - 1 - k];
    o.dims = back + shifts->ints.n;
    o.ndims = dims->ints.n;
    s = ts_roll(v->grads[0], back, shifts->ints.n, &o, &v->out[TS_ROLL_SELF]);
    free(back);
    return s;
}

ts_status tsi_vjp_rot90(tsi_vjp *v)
{
    ts_rot90_opts o = ts_rot90_defaults();

    o.k = -(v->args[TS_ROT90_K].i & 3);
    o.dims = v->args[TS_ROT90_DIMS].ints.v;
    o.ndims = v->args[TS_ROT90_DIMS].ints.n;
    return ts_rot90(v->grads[0], &o, &v->out[TS_ROT90_SELF]);
}
