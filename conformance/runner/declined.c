/* SPDX-License-Identifier: Apache-2.0 */
/* A run that ended because something is not there: whose doing that is. */
#include <stdio.h>
#include <string.h>

#include "runner/execute.h"
#include "runner/pipe.h"

ts_backend_counts tsi_counted(const tsi_executor *x)
{
    ts_backend_counts c = ts_backend_counted();

    for (int i = 0; i < x->npeers; i++) {
        c.ran += x->peers[i]->counts.ran;
        c.assisted += x->peers[i]->counts.assisted;
        c.declined += x->peers[i]->counts.declined;
    }
    return c;
}

/* The dtype that a message ends in, "… in float64", or the case's. */
static ts_dtype dtype_of(const char *message, ts_dtype otherwise)
{
    const char *word = strrchr(message, ' ');
    const ts_dtype d = word ? ts_dtype_from_name(word + 1) : TS_DTYPE_NONE;

    return d != TS_DTYPE_NONE ? d : otherwise;
}

/* A run that ended in TS_ERR_UNSUPPORTED: the first word of the message is the op. */
tsi_verdict tsi_declined(tsi_executor *x, const tsi_run_result *r)
{
    const char *message = r->message;
    const tsi_case *c = x->item->c;
    char op[64];
    bool claims;
    int n = 0;

    if (x->pipe && tsi_pipe_unsupported(x->pipe, &message)) {
        const char *what = tsi_pipe_unsupported(x->pipe, &message);

        snprintf(x->reason, sizeof(x->reason), "%s", message);
        if (!tsi_pipe_claims(x->pipe, what, c->dtype, &claims))
            return claims ? TSI_NOT_CLAIMED : TSI_UNSUPPORTED;
        snprintf(x->reason, sizeof(x->reason), "%s is claimed, but not supported: %s",
                 what, message);
        return TSI_FAIL;
    }

    if (message[0] == '[' && strstr(message, "] "))
        message = strstr(message, "] ") + 2;
    while (message[n] && message[n] != ' ' && message[n] != ':' &&
           n < (int)sizeof(op) - 1)
        n++;
    snprintf(op, sizeof(op), "%.*s", n, message);
    if (!ts_op_find(op)) {
        /* No kernel was asked: the case uses more of PyTorch than this build has. */
        snprintf(x->reason, sizeof(x->reason), "not in this build: %s", message);
        return strcmp(c->provenance, "user") == 0 ? TSI_UNSUPPORTED : TSI_FAIL;
    }
    if (tsi_counted(x).declined > 0) {
        snprintf(x->reason, sizeof(x->reason), "its supports() declines: %s", message);
        return TSI_NOT_CLAIMED;
    }
    if (tsi_backend_claimed(op, dtype_of(message, c->dtype), &claims)) {
        snprintf(x->reason, sizeof(x->reason), "%s is claimed, but not supported: %s", op,
                 message);
        return TSI_FAIL;
    }
    snprintf(x->reason, sizeof(x->reason), "%s", message);
    return claims ? TSI_NOT_CLAIMED : TSI_UNSUPPORTED;
}
