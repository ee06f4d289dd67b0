/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TSI_NAMES_H
#define TSI_NAMES_H

#include "ast.h"

/* What a name calls, looked up once: "torch.add", "Tensor.add_", "expect". NULL: no
 * memory. */
const tsi_callee *tsi_callee_find(tsi_names *names, const char *s, size_t n);

const char *tsi_native_name(tsi_native id);
/* The name of an attribute or method of the language's own. */
const char *tsi_member_name(tsi_member m);

#endif
