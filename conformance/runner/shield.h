/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands between the runtime and a backend's kernels: after every call the
 * floating-point environment is as it was, the arguments are held as often as before and
 * look as before. What a kernel changed is put right and found.
 */
#ifndef TSI_SHIELD_H
#define TSI_SHIELD_H

#include "touchstone/door.h"

/* Before anything of a backend is loaded: how this process computes. */
void tsi_shield_begin(void);
/* b's kernels, and its `supports`, behind the shield, for runs on `device`. One backend a
 * process. */
void tsi_shield(ts_backend *b, ts_device_type device);
/* The judge's own arithmetic follows: what changed its environment outside of kernels (a
 * driver, a communicator, the loading of a library) is put right, and found. */
void tsi_shield_settle(void);
/* The same at the end of a run, where there is time for a closer look. */
void tsi_shield_settle_all(void);

/* What was found since the last call, or NULL. Valid until the next call. */
const char *tsi_shield_finding(void);

/* The kernel that this thread is in, or NULL. May be called from a signal's handler. */
const char *tsi_shield_now(void);

/* From here on the bytes of arguments are compared too, where the program that is run does
 * not watch the call itself (script/watch.h). Kernels are to read and write host memory. */
void tsi_shield_look(bool on);

/* From here on calls are measured: whose kernel keeps more than it had. */
void tsi_shield_measure(bool on);
/* The op whose kernels kept most heap while that was on, or NULL. */
const char *tsi_shield_keeper(void);

#endif
