/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

ZOO_KIND("wrong autocast");
ZOO_ACCEL_MEMBER("softmax is on the lower_precision list", "amp/S4",
                 zoo_op("softmax")->autocast = TS_AUTOCAST_LOWER_PRECISION)
