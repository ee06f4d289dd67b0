/* SPDX-License-Identifier: Apache-2.0 */
/* The reference with a kernel of `add` that does what the environment's TRICK says. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zoo/zoo.h"

static bool trick(const char *name)
{
    const char *set = getenv("TRICK");

    return set && strcmp(set, name) == 0;
}

static ts_status spoil(ts_tensor *y, ts_tensor *x)
{
    static char different;

    if (trick("wrong") || (trick("wrong where strided") && x->strides[x->ndim - 1] != 1))
        memset(zoo_at(y, 0), 1, 1);
    if (trick("random"))
        memset(zoo_at(y, 0), different++, 1);
    if (trick("past end"))
        memset(zoo_at(y, y->numel), 1, 1);
    if (trick("before start"))
        memset(zoo_at(y, -1), 1, 1);
    if (trick("input"))
        memset(zoo_at(x, 0), 1, 1);
    if (trick("gaps") && x->numel > 1 && x->strides[x->ndim - 1] == 2)
        memset(zoo_at(x, 1), 1, 1);
    if (trick("leak"))
        ts_retain(y);
    return TS_OK;
}

/* Takes fresh memory for zeros and adds to it. */
static ts_status add_to_result(const ts_kernel_call *call)
{
    ts_tensor *y = call->results[0];
    float before;

    memcpy(&before, zoo_at(y, 0), sizeof before);
    TS_TRY(zoo_original("add")(call));
    ((float *)y->data)[0] += before;
    return TS_OK;
}

static ts_status tricky_add(const ts_kernel_call *call)
{
    if (trick("segv"))
        raise(SIGSEGV);
    if (trick("abort"))
        abort();
    if (trick("exit"))
        exit(0);
    while (trick("hang"))
        pause();
    if (trick("unsupported"))
        return TS_ERR_UNSUPPORTED;
    if (trick("nothing written"))
        return TS_OK;
    if (trick("result not cleared"))
        return add_to_result(call);
    TS_TRY(zoo_original("add")(call));
    return spoil(call->results[0], call->args[0].tensor);
}

static void on_close(void)
{
    if (trick("close abort"))
        abort();
}

TS_API ts_status ts_backend_open(const ts_host *host, ts_backend *out)
{
    static const ts_kernel_entry replaced[] = {{"add", tricky_add}};
    static const ts_claim mul[] = {{"mul", 0}};

    if (trick("open abort"))
        abort();
    if (trick("open error"))
        return host->fail(TS_ERR_RUNTIME, NULL, "no device");
    while (trick("open hang"))
        pause();
    TS_TRY(zoo_open(host, out, replaced, 1));
    out->close = on_close;
    if (trick("abi"))
        out->abi = 99;
    if (trick("size"))
        out->size = 8;
    if (getenv("TRICK_CLAIMS") && strcmp(getenv("TRICK_CLAIMS"), "none") == 0)
        out->claim_count = 0;
    if (getenv("TRICK_CLAIMS") && strcmp(getenv("TRICK_CLAIMS"), "mul") == 0) {
        out->claims = mul;
        out->claim_count = 1;
    }
    return TS_OK;
}
