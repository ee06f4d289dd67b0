/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

ZOO_NEW_KIND("wait not marked", "an op waits for the device and does not say so");
ZOO_ACCEL_MEMBER("nonzero waits for the device and does not say so", "exec/S18",
                 zoo_op("nonzero")->synchronizing = false)
