/* SPDX-License-Identifier: MIT */
/* For tests of NVML: checks of results, and devices that no other process has. */
#ifndef NVML_TEST_H
#define NVML_TEST_H

#include "test.h"

#include <nvml.h>

#define check_nvml(call, expected)                                                                 \
    do {                                                                                           \
        nvmlReturn_t nvml_result = (call);                                                         \
        if (nvml_result != (expected))                                                             \
            test_fail(__FILE__, __LINE__, "%s: %s", #call, nvmlErrorString(nvml_result));          \
    } while (0)

#define nvml_ok(call) check_nvml(call, NVML_SUCCESS)

/* Processes are told apart from those of other tests by the UUID of their devices. Called before
 * the driver reads its configuration. */
static inline void own_devices(const char *count)
{
    char uuid[64];

    snprintf(uuid, sizeof(uuid), "11223344-5566-8000-8000-%08x0000", (unsigned)getpid());
    setenv("CUPIPE_DEVICE_UUID", uuid, 1);
    setenv("CUPIPE_DEVICES", count, 1);
}

static inline nvmlDevice_t first_device(void)
{
    nvmlDevice_t device;

    nvml_ok(nvmlInit());
    nvml_ok(nvmlDeviceGetHandleByIndex(0, &device));
    return device;
}

#endif
