/* SPDX-License-Identifier: MIT */
/* Counts what this process uses of each device, where monitors can see it (monitor.h). */
#ifndef CUP_DEVICE_USAGE_H
#define CUP_DEVICE_USAGE_H

#include "device/monitor.h"

/* Publishes a page for devices with these UUIDs; called once, by cup_device_init(). Without a file
 * (no descriptors left, no memfd) the counts stay private. Returns the page. */
struct cup_monitor_page *cup_usage_publish(const CUuuid *uuids, unsigned count);

/* The file of this process; after cup_usage_publish(). */
struct cup_monitor_file *cup_usage_file(void);

static inline void cup_usage_begin(struct cup_monitor_activity *activity)
{
    uint64_t word = atomic_load_explicit(&activity->word, memory_order_relaxed), start;

    do
        start = word & CUP_MONITOR_RUNNING_MASK ? 0 : cup_monitor_clock_us();
    while (!atomic_compare_exchange_weak_explicit(&activity->word, &word,
                                                  word + 1 - (start << CUP_MONITOR_RUNNING_BITS),
                                                  memory_order_relaxed, memory_order_relaxed));
}

static inline void cup_usage_end(struct cup_monitor_activity *activity)
{
    uint64_t word = atomic_load_explicit(&activity->word, memory_order_relaxed), end;

    do
        end = (word & CUP_MONITOR_RUNNING_MASK) == 1 ? cup_monitor_clock_us() : 0;
    while (!atomic_compare_exchange_weak_explicit(&activity->word, &word,
                                                  word - 1 + (end << CUP_MONITOR_RUNNING_BITS),
                                                  memory_order_relaxed, memory_order_relaxed));
}

#endif
