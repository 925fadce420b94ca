/* SPDX-License-Identifier: MIT */
/* What the driver is told. It is asked only if the program has loaded it: this library starts
 * nothing by itself. */
#ifndef NVTOOLSEXT_REPORT_H
#define NVTOOLSEXT_REPORT_H

#include "open.h"

#include <cupipe.h>

uint64_t nvtx_now_ns(void);
/* Tells of a range, or, if it ends when it starts, of a mark. */
void nvtx_report_range(const struct nvtx_range *range, uint64_t end_ns);
/* Tells of the names that the driver does not know yet. */
void nvtx_report_names(void);
void nvtx_report_counter(const struct cupipe_trace_counter *counter);

#endif
