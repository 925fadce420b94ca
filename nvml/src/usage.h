/* SPDX-License-Identifier: MIT */
/* What processes use of a device, from the pages that they publish (device/monitor.h). Only
 * processes whose descriptors the caller may look at are seen: those of the same user, or all for
 * root. */
#ifndef NVML_USAGE_H
#define NVML_USAGE_H

#include "device.h"

enum { NVML_PROCESSES_MAX = 512 };

/* A process with a context on the device. */
struct nvml_process {
    unsigned pid;
    unsigned percent; /* of the time in which kernels ran; nvml_usage_sample() writes it */
    uint64_t used_bytes;
    uint64_t active_us; /* how long kernels have run so far, modulo 2^48 */
};

struct nvml_process_list {
    unsigned count;
    struct nvml_process processes[NVML_PROCESSES_MAX];
};

/* Lists the processes. */
void nvml_usage_list(nvmlDevice_t device, struct nvml_process_list *list);

/* Forgets earlier samples. */
void nvml_usage_start(void);

/* In the child of a fork: releases the lock that a thread of the parent may have held, and forgets
 * earlier samples. */
void nvml_usage_after_fork(void);

/* Lists the processes with their utilisation since the call before. The first call for a device
 * waits for 50 ms; one that comes sooner after another than that gets the same answer. */
void nvml_usage_sample(nvmlDevice_t device, struct nvml_process_list *list);

#endif
