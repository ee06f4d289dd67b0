/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the trace of a small training step on the accelerator to standard output. */
#include <dlfcn.h>
#include <stdlib.h>

#include "touchstone/touchstone.h"

static ts_status open_all(void)
{
    const ts_host host = {sizeof host, TS_BACKEND_ABI, ts_fail};
    ts_backend_open_fn open = NULL;
    const char *path = getenv("TOUCHSTONE_REFERENCE");
    void *h = path ? dlopen(path, RTLD_NOW) : NULL;
    ts_backend b;

    TS_CHECK(h, TS_ERR_RUNTIME, NULL, "no backend at TOUCHSTONE_REFERENCE");
    *(void **)&open = dlsym(h, "ts_backend_open");
    TS_TRY(open(&host, &b));
    TS_TRY(ts_backend_install(TS_CPU, &b, NULL));
    TS_TRY(ts_backend_install(TS_ACCEL, &b, NULL));
    return ts_accel_open(ts_software_driver());
}

static ts_status step(ts_tensor *x, ts_tensor *w, ts_stream *side)
{
    ts_tensor *y = NULL, *z = NULL, *loss = NULL, *bad;
    ts_status s;

    ts_range_push("forward \"quoted\"");
    s = ts_matmul(x, w, &y);
    if (s == TS_OK)
        s = ts_softmax(y, 1, NULL, &z);
    if (s == TS_OK)
        s = ts_sum(z, NULL, &loss);
    ts_range_pop();
    if (s == TS_OK)
        s = ts_backward(1, &loss, NULL, false, false);
    (void)ts_mm(x, x, &bad); /* fails, and is an event all the same */
    ts_stream_set_current(side);
    ts_release(loss);
    if (s == TS_OK)
        s = ts_neg(x, &loss);
    ts_stream_set_current(NULL);
    ts_release(y);
    ts_release(z);
    ts_release(loss);
    return s;
}

static ts_status leaf(int rows, int columns, ts_tensor **out)
{
    ts_full_opts o = ts_full_defaults();

    o.dtype = TS_FLOAT32;
    o.device = (ts_device){TS_ACCEL, 0};
    TS_TRY(ts_full((int64_t[]){rows, columns}, 2, ts_float(0.5), &o, out));
    return ts_set_requires_grad(*out, true);
}

static ts_status run(void)
{
    const ts_profile_schedule schedule = {.wait = 1, .warmup = 1, .active = 2};
    const ts_profile_options o = {.host = true,
                                  .device = true,
                                  .shapes = true,
                                  .memory = true,
                                  .schedule = &schedule};
    ts_tensor *x, *w;
    ts_stream *side;
    ts_profile *p;

    TS_TRY(open_all());
    TS_TRY(ts_stream_new(0, &side));
    TS_TRY(leaf(4, 3, &x));
    TS_TRY(leaf(3, 5, &w));
    TS_TRY(ts_profile_new(&o, &p));
    TS_TRY(ts_profile_start(p));
    for (int i = 0; i < 4; i++) {
        TS_TRY(step(x, w, side));
        TS_TRY(ts_profile_step(p));
    }
    TS_TRY(ts_profile_stop(p));
    TS_TRY(ts_profile_export_chrome_trace(p, stdout));
    ts_profile_free(p);
    ts_release(x);
    ts_release(w);
    ts_stream_release(side);
    return TS_OK;
}

int main(void)
{
    if (run() == TS_OK)
        return 0;
    fprintf(stderr, "%s\n", ts_error_message());
    return 1;
}
