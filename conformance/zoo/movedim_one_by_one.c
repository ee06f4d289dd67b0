/* SPDX-License-Identifier: Apache-2.0 */
/* movedim of a list as one move after the other: a later dim's name is one that an earlier
 * move has changed. */
#include "touchstone/ops.h"
#include "zoo/zoo.h"

static ts_status faulty_movedim(ts_frame *f)
{
    const ts_value *source = &f->args[1], *destination = &f->args[2];
    ts_tensor *now = ts_retain(f->args[0].tensor);
    ts_status s = TS_OK;

    for (int64_t k = 0; s == TS_OK && k < source->ints.n && k < destination->ints.n;
         k++) {
        ts_tensor *next = NULL;

        s = ts_movedim(now, source->ints.v[k], destination->ints.v[k], &next);
        ts_release(now);
        now = next;
    }
    f->results[0] = now;
    return s;
}

ZOO_KIND("dim mistaken");
ZOO_RUNTIME_MEMBER("movedim moves the dims of a list one after the other", "movedim/S2",
                   zoo_op("movedim_list")->program = faulty_movedim)
