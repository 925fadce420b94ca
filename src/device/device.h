/* SPDX-License-Identifier: MIT */
/* The table of the devices that the process sees. cuInit() fills it once; pointers to devices are
 * valid until the process ends. */
#ifndef CUP_DEVICE_DEVICE_H
#define CUP_DEVICE_DEVICE_H

#include "core/compiler.h"
#include "core/config.h"
#include "device/profile.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;
struct cup_heap;
struct cup_monitor_device;

struct cup_device {
    int ordinal;       /* the CUdevice of the application */
    unsigned physical; /* index among the CUPIPE_DEVICES */
    struct cup_profile profile;
    char name[CUP_DEVICE_NAME_BYTES];
    CUuuid uuid;
    unsigned pci_domain;
    unsigned pci_bus;
    unsigned pci_device;
    uint64_t memory_bytes;

    struct cup_heap *heap;
    struct cup_monitor_device *usage;   /* what this process uses of it; never NULL (usage.h) */
    _Atomic(struct CUctx_st *) primary; /* NULL until the first retain, then never changed */
    _Atomic(CUresult) sticky;           /* the first asynchronous error; later work is skipped */
    _Atomic(uint64_t) told_from_ns;     /* when calls begin to return it; 0: at once */
};

/* An asynchronous error is sticky: every later call returns it. The exception is a launch without
 * resources: its error is returned once and then cleared. Work that is due before that is
 * skipped. */
static inline bool cup_device_error_passes(CUresult error)
{
    return error == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

/* For calls that return the sticky error. An exception of a kernel is not returned before
 * told_from_ns, or before cup_device_look(): until then calls succeed, and the work that they
 * submit is skipped. */
CUresult cup_device_report_failure(struct cup_device *device, CUresult error);

static inline CUresult cup_device_report(struct cup_device *device)
{
    CUresult error = atomic_load_explicit(&device->sticky, memory_order_relaxed);

    return cup_likely(error == CUDA_SUCCESS) ? error : cup_device_report_failure(device, error);
}

/* For calls that wait for work or ask whether it is done. From then on all calls return the
 * error. */
static inline CUresult cup_device_look(struct cup_device *device)
{
    if (cup_unlikely(atomic_load_explicit(&device->sticky, memory_order_relaxed) != CUDA_SUCCESS))
        atomic_store(&device->told_from_ns, 0);
    return cup_device_report(device);
}

/* For calls that return the error of work they waited for. */
static inline CUresult cup_device_report_of(struct cup_device *device, CUresult error)
{
    if (cup_unlikely(error != CUDA_SUCCESS))
        cup_device_look(device);
    return error;
}

/* Fills the table from the configuration. Called only by cuInit(), after cup_config_load(). */
CUresult cup_device_init(void);

/* Describes a physical device as the table would, without a place in it: no heap, no usage. Works
 * before cup_device_init(). */
void cup_device_fill(struct cup_device *device, const struct cup_config *config, unsigned physical);

/* The number of devices; 0 before cup_device_init(). */
unsigned cup_device_count(void);

/* Returns NULL if there is no such device. */
struct cup_device *cup_device_get(CUdevice ordinal);

/* Returns the device with the UUID, or NULL. */
struct cup_device *cup_device_with_uuid(const CUuuid *uuid);

/* Gives devices the identity, UUID and PCI address, of others of the same model. The pairs name
 * every physical device once on either side. Links between devices stay as they are. */
CUresult cup_device_migrate(const CUcheckpointGpuPair *pairs, unsigned count);

/* Returns the device at a PCI address, or NULL. */
struct cup_device *cup_device_find_pci(unsigned domain, unsigned bus, unsigned device);

/* True if the devices are linked, so that peer access is possible. */
bool cup_device_linked(const struct cup_device *one, const struct cup_device *other);

/* The same for two physical devices, which differ, in a topology. */
bool cup_device_linked_physical(enum cup_topology topology, unsigned one, unsigned other);

/* Returns false if there is no such attribute. */
bool cup_device_attribute(const struct cup_device *device, CUdevice_attribute attribute,
                          int *value);

/* The same for internal callers, which use existing attributes only. */
int cup_device_property(const struct cup_device *device, CUdevice_attribute attribute);

/* Replaces a locality domain by its device, as the manual says of devices with a single domain.
 * Whether the device exists is left to the caller. Other locations stay as they are, and so does a
 * domain if the driver is too old to know them; the caller refuses it like an unknown type. Returns
 * CUDA_ERROR_INVALID_VALUE if there is no such domain. */
CUresult cup_location_settle(CUmemLocation *location);

#endif
