/* SPDX-License-Identifier: MIT */
/* What CUPIPE_CHECK=races reports. */
#ifndef CUP_EXEC_CHECK_RACES_REPORT_H
#define CUP_EXEC_CHECK_RACES_REPORT_H

#include "exec/race_unit.h"

/* The callback of units; context: their grid. */
void cup_races_report(void *context, const struct cup_race *race);

#endif
