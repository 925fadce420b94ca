/* SPDX-License-Identifier: MIT */
/* Suppressions (CUPIPE_CHECK_SUPPRESS): a file of faults that are not to be reported, a line each.
 *
 *     # the library's own buffers
 *     leaks   file=*libthird.so*
 *     races   kernel=*histogram* function=*
 *     streams fault=write-read call=cuMemcpy*
 *
 * The first word is a check, or a pattern of checks. The others must all fit one place of the
 * report; `fault` fits the report itself. `function` and `file` fit the device function and the
 * source file, or a function and a file of the call stack. Patterns have the wildcards of the
 * shell. */
#ifndef CUP_CHECK_REPORT_SUPPRESSIONS_H
#define CUP_CHECK_REPORT_SUPPRESSIONS_H

#include "check/report/report.h"

/* Reads the file. Returns false, with a message for every wrong line on stderr. */
bool cup_suppress_load(const char *path);

/* Returns a suppression that the report fits and counts it; NULL: none. */
struct cup_suppression *cup_suppress_find(const struct cup_report *report);

/* Counts a repetition. */
void cup_suppress_again(struct cup_suppression *suppression);

/* Names the suppressions that were not used on stderr. */
void cup_suppress_finish(void);

#endif
