/* SPDX-License-Identifier: MIT */
/* What CUPIPE_CHECK=races reports. */
#ifndef CUP_CHECK_RACE_RACE_REPORT_H
#define CUP_CHECK_RACE_RACE_REPORT_H

#include "check/race/unit.h"

/* The callback of units; context: their grid. */
void cup_races_report(void *context, const struct cup_race *race);

#endif
