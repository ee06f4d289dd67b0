/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

ZOO_KIND("wrong autocast");
ZOO_ACCEL_MEMBER("cat is on the lower_precision list", "amp/S5 amp/C2",
                 zoo_op("cat")->autocast_cpu = TS_AUTOCAST_LOWER_PRECISION)
