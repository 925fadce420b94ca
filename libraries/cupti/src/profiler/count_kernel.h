/* SPDX-License-Identifier: MIT */
/* What a kernel that has ended counted. */
#ifndef CUPTI_COUNT_KERNEL_H
#define CUPTI_COUNT_KERNEL_H

#include "profiling/metrics.h"

#include <cupipe.h>

struct metric_device {
    unsigned multiprocessors;
    double clock_khz;
};

void count_kernel(const struct cupipe_activity *work, const struct metric_device *device,
                  struct quantities *counted);

#endif
