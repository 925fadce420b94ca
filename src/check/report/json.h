/* SPDX-License-Identifier: MIT */
/* The JSON file of reports (CUPIPE_CHECK_JSON): one object on a line for each report, written at
 * once, so that a killed process leaves whole lines. Processes may share the file. */
#ifndef CUP_CHECK_REPORT_JSON_H
#define CUP_CHECK_REPORT_JSON_H

#include "check/report/report.h"

/* Opens the file, to which lines are appended; `%p` in the path is the process id. Returns false
 * with a message on stderr. */
bool cup_report_json_open(const char *path);

/* Writes a report. `id` is its number in the process. */
void cup_report_json_report(const struct cup_report *report, uint64_t id);

/* At exit: how often the report occurred, and the summary. */
void cup_report_json_count(uint64_t id, uint64_t count);
void cup_report_json_summary(uint64_t reports, uint64_t more, uint64_t suppressed);

#endif
