/* SPDX-License-Identifier: MIT */
/* What the driver is told. It is asked only if the program has loaded it: this library starts
 * nothing by itself. */
#ifndef NVTOOLSEXT_REPORT_H
#define NVTOOLSEXT_REPORT_H

#include "open.h"

#include <cupipe.h>

uint64_t nvtx_now_ns(void);
/* Adds a range, or, if it ends when it starts, a mark, to the trace. */
void nvtx_report_range(const struct nvtx_range *range, uint64_t end_ns);
/* Tell tools of what happens now. */
void nvtx_report_marker(const struct nvtx_range *range, enum cupipe_marker_kind kind,
                        uint64_t time_ns);
void nvtx_report_lock(const char *name, const char *domain, uint32_t number,
                      enum cupipe_marker_kind kind);
/* Tells tools that a function of NVTX has ended. `result` may be NULL. */
void nvtx_report_call(const char *function, const uint64_t *params, const void *result);
/* Tells of the names that the driver does not know yet. */
void nvtx_report_names(void);
void nvtx_report_counter(const struct cupipe_trace_counter *counter);

/* For the function that contains it: parameters are words of eight bytes, also in NVTX's own
 * structures of them. */
#define NVTX_WORD(value) ((uint64_t)(uintptr_t)(value))
#define NVTX_TELL(result, ...) nvtx_report_call(__func__, (const uint64_t[]){__VA_ARGS__}, result)

#endif
