/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a backend is written with: the door, what a kernel is given, and
 * elements and lines for kernels on host memory. Start at spec/areas/backend.md. */
#ifndef TOUCHSTONE_BACKEND_H
#define TOUCHSTONE_BACKEND_H

#include <inttypes.h>

#include "touchstone/call.h"
#include "touchstone/door.h"
#include "touchstone/element.h"
#include "touchstone/generator.h"
#include "touchstone/lines.h"

#endif
