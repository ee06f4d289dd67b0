/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the expectations share. */
#ifndef TSI_EXPECT_H
#define TSI_EXPECT_H

#include "interp.h"

#define TSI_MAX_NAME 200

/* --- names, and telling the judge (expect.c) */

/* out, of TSI_MAX_NAME bytes: "error1". */
void tsi_nameless(tsi_interp *in, tsi_expect_kind kind, char *out);
/* "y" in the third iteration of a loop is "y.2"; refused where it stands already. */
ts_status tsi_named(tsi_interp *in, const char *given, char *out);
ts_status tsi_tell(tsi_interp *in, tsi_expectation *e);
/* What a peer answered to this expectation; *given: there is one. */
ts_status tsi_reply_to(tsi_interp *in, tsi_expect_kind kind, tsi_reply *r, bool *given);
ts_status tsi_decided(tsi_interp *in, tsi_expect_kind kind, const char *name, bool passed,
                      const char *reason, ts_tensor *t);

/* Why the expectation under way would hold whatever a backend did, or NULL (hollow.c). */
const char *tsi_hollow(const tsi_interp *in, tsi_native id, const tsi_value *const *v);

/* --- literals (expect_literal.c) */

/* Equality as a literal means it: NaN equals NaN, 1 is neither 1.0 nor True, zeros have
 * signs. */
bool tsi_same_value(const tsi_value *a, const tsi_value *b);
/* A record's value against ours: JSON has no NaN and no tuples. */
bool tsi_same_json(const tsi_value *v, const json_t *j);
/* Whether a value is what a literal says; for tensors the literal takes their dtype
 * first. rtol below 0: bit by bit. */
ts_status tsi_matches(tsi_interp *in, const tsi_value *value, const tsi_value *want,
                      double rtol, double atol, bool *same);
ts_status tsi_compared(tsi_interp *in, tsi_expect_kind kind, const char *name,
                       const tsi_value *value, const tsi_value *want, bool same);

/* --- expectations of a call (expect_call.c) */

ts_status tsi_expect_error(tsi_interp *in, const tsi_args *args);
ts_status tsi_expect_warns(tsi_interp *in, tsi_args *args, tsi_value *out);

#endif
