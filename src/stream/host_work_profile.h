/* SPDX-License-Identifier: MIT */
/* What CUPIPE_PROFILE tells of work of the host (cupipe.h): calls, time and bytes by name. */
#ifndef CUP_STREAM_HOST_WORK_PROFILE_H
#define CUP_STREAM_HOST_WORK_PROFILE_H

#include <cupipe.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_host_work_counts {
    struct cup_host_work_counts *next;
    const char *name; /* that of the work, which lives as long as the process */
    _Atomic(uint64_t) calls, duration_ns;
    _Atomic(uint64_t) bytes_read, bytes_written; /* as far as the work named its ranges */
};

/* True if runs are to be counted now. */
bool cup_host_work_is_profiled(void);
/* Counts a run of the work. */
void cup_host_work_profile_add(const struct cupipe_work *work, uint64_t duration_ns);

/* The first of all counts; NULL: nothing has run. For the end of the process. */
const struct cup_host_work_counts *cup_host_work_profile_first(void);

#endif
