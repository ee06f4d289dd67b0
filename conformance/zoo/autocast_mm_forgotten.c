/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

ZOO_KIND("wrong autocast");
ZOO_ACCEL_MEMBER("mm is on no list", "amp/S2", zoo_op("mm")->autocast = TS_AUTOCAST_NONE)
