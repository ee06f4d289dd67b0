/* SPDX-License-Identifier: Apache-2.0 */
/* side is a word that nobody reads. */
#include "zoo/zoo.h"

static ts_status faulty_searchsorted(const ts_kernel_call *call)
{
    return zoo_call_value(zoo_original("searchsorted"), call, 4,
                          (ts_value){.kind = TS_ARG_NONE});
}

ZOO_KIND("argument ignored");
ZOO_MEMBER("searchsorted does not read side", "searchsorted/S1",
           {"searchsorted", faulty_searchsorted})
