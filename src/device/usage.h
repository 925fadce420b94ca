/* SPDX-License-Identifier: MIT */
/* Counts what this process uses of each device, where monitors can see it (monitor.h). */
#ifndef CUP_DEVICE_USAGE_H
#define CUP_DEVICE_USAGE_H

#include "device/monitor.h"
#include "os/clock.h"

/* Publishes a page for devices with these UUIDs; called once, by cup_device_init(). Without a file
 * (no descriptors left, no memfd) the counts stay private. Returns the page. */
struct cup_monitor_page *cup_usage_publish(const CUuuid *uuids, unsigned count);

static inline void cup_usage_begin(struct cup_monitor_activity *activity)
{
    if (atomic_fetch_add_explicit(&activity->running, 1, memory_order_relaxed) == 0)
        atomic_fetch_sub_explicit(&activity->sum_ns, cup_clock_ns(), memory_order_relaxed);
}

static inline void cup_usage_end(struct cup_monitor_activity *activity)
{
    if (atomic_fetch_sub_explicit(&activity->running, 1, memory_order_relaxed) == 1)
        atomic_fetch_add_explicit(&activity->sum_ns, cup_clock_ns(), memory_order_relaxed);
}

#endif
