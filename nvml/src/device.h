/* SPDX-License-Identifier: MIT */
/* The library's state: whether it is initialised, the driver's table, and the devices. */
#ifndef NVML_DEVICE_H
#define NVML_DEVICE_H

#include "device/monitor.h"

#include <nvml.h>
#include <stdbool.h>

struct nvmlDevice_st {
    unsigned index; /* the physical index */
    struct cup_monitor_description description;
};

bool nvml_is_initialised(void);
bool nvml_device_is_valid(nvmlDevice_t device);

/* The answer of functions that are not implemented. */
nvmlReturn_t nvml_not_supported(void);

/* The CUDA version of the driver. Finds the driver if that is still to do; 0: there is none. */
int nvml_cuda_version(void);

/* Whether a function that came with this CUDA version is there. It is also if there is no driver:
 * nvmlInit() reports that. */
bool nvml_has(int since);

/* The functions below are for bodies that run while the library is initialised. */
const struct cup_monitor_table *nvml_driver(void);
unsigned nvml_device_count(void);
nvmlDevice_t nvml_device(unsigned index);

/* An attribute of the driver; 0 if it has none of this name. */
int nvml_attribute(nvmlDevice_t device, CUdevice_attribute attribute);

/* Writes a text and its NUL. NVML_ERROR_INSUFFICIENT_SIZE: the place is too short. */
nvmlReturn_t nvml_text(char *place, unsigned length, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
