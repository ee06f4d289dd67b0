/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

ZOO_NEW_KIND("wrong autocast", "an op runs in a dtype that its list does not say");
ZOO_ACCEL_MEMBER("cat is on the lower_precision list", "amp/S5 amp/C2",
                 zoo_op("cat")->autocast_cpu = TS_AUTOCAST_LOWER_PRECISION)
