/* SPDX-License-Identifier: MIT */
/* The table of devices a process sees. It is filled once, by cuInit, and never shrinks: a pointer
 * to a device is good until the process ends. */
#ifndef CUP_DEVICE_DEVICE_H
#define CUP_DEVICE_DEVICE_H

#include "core/compiler.h"
#include "core/config.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;
struct cup_heap;

struct cup_device {
    int ordinal;       /* the CUdevice the application uses */
    unsigned physical; /* which of the CUPIPE_DEVICES it is */
    char name[CUP_DEVICE_NAME_BYTES];
    CUuuid uuid;
    unsigned pci_domain;
    unsigned pci_bus;
    unsigned pci_device;
    uint64_t memory_bytes;

    struct cup_heap *heap;
    _Atomic(struct CUctx_st *) primary; /* NULL until the first retain; then for good */
    _Atomic(CUresult) sticky; /* the first error of asynchronous work: see cup_device_report */
};

/* Asynchronous work that fails takes the device with it: every call answers its error from then on.
 * Only a launch that got no resources does no harm: that is told once, and forgotten. Work that
 * comes to its turn before is not done. */
static inline bool cup_device_error_passes(CUresult error)
{
    return error == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

/* For calls that answer it. */
CUresult cup_device_report_failure(struct cup_device *device, CUresult error);

static inline CUresult cup_device_report(struct cup_device *device)
{
    CUresult error = atomic_load_explicit(&device->sticky, memory_order_relaxed);

    return cup_likely(error == CUDA_SUCCESS) ? error : cup_device_report_failure(device, error);
}

/* For calls that answer the error of work they have waited for. */
static inline CUresult cup_device_report_of(struct cup_device *device, CUresult error)
{
    if (cup_unlikely(error != CUDA_SUCCESS) && cup_device_error_passes(error))
        cup_device_report(device);
    return error;
}

/* Fills the table from the configuration. Called by cuInit alone, after cup_config_load. */
CUresult cup_device_init(void);

/* How many devices the process sees; 0 before cup_device_init. */
unsigned cup_device_count(void);

/* NULL when there is no such device. */
struct cup_device *cup_device_get(CUdevice ordinal);

/* The device at a PCI address, or NULL. */
struct cup_device *cup_device_find_pci(unsigned domain, unsigned bus, unsigned device);

/* Is there a link between two devices, so that one can reach the other's memory? */
bool cup_device_linked(const struct cup_device *one, const struct cup_device *other);

/* The value of an attribute; false when there is no such attribute. */
bool cup_device_attribute(const struct cup_device *device, CUdevice_attribute attribute,
                          int *value);

/* The same for the callers inside, which name only attributes that exist. */
int cup_device_property(const struct cup_device *device, CUdevice_attribute attribute);

#endif
