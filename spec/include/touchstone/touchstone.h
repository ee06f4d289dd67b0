/* SPDX-License-Identifier: Apache-2.0 */
/* Everything: the runtime's public interface with one typed function per operator. */
#ifndef TOUCHSTONE_H
#define TOUCHSTONE_H

#include "touchstone/alloc.h"
#include "touchstone/amp.h"
#include "touchstone/autograd.h"
#include "touchstone/backend.h"
#include "touchstone/device.h"
#include "touchstone/dist.h"
#include "touchstone/generator.h"
#include "touchstone/graph.h"
#include "touchstone/ops.h"
#include "touchstone/profile.h"
#include "touchstone/transform.h"

#endif
