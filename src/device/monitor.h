/* SPDX-License-Identifier: MIT */
/* What the driver tells libnvidia-ml.so.1: a page that each process publishes, and a table of
 * functions that cuGetExportTable() returns.
 *
 * The page is the content of a memory file with a well-known name that the process holds open. A
 * monitor of the same user finds it in /proc/PID/fd; it disappears with the process, however that
 * ends. Readers treat it as untrusted. The table works before cuInit() and does not call it, so a
 * monitor creates no context, starts no thread, and sees devices that CUDA_VISIBLE_DEVICES hides.
 */
#ifndef CUP_DEVICE_MONITOR_H
#define CUP_DEVICE_MONITOR_H

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CUP_MONITOR_FILE_NAME "cupipe monitor"
#define CUP_MONITOR_MAGIC UINT64_C(0x31726f74696e6f6d) /* "monitor1" */

enum {
    CUP_MONITOR_DEVICES_MAX = 64,
    CUP_MONITOR_NAME_BYTES = 256,
    CUP_MONITOR_PAGE_BYTES = 4096,
};

/* A span of time in which at least one piece of work runs. The sum has the end of every span minus
 * its start, so at time t the work has been active for sum_ns, plus t while any is running. */
struct cup_monitor_activity {
    _Atomic(uint32_t) running;
    uint32_t unused;
    _Atomic(uint64_t) sum_ns; /* modulo 2^64 */
};

struct cup_monitor_device {
    CUuuid uuid;                  /* the configured one; names the device to other processes */
    _Atomic(uint64_t) used_bytes; /* what the process is charged for */
    _Atomic(uint32_t) contexts;   /* live ones; green contexts are not counted */
    uint32_t unused;
    struct cup_monitor_activity kernels;
};

struct cup_monitor_page {
    uint64_t magic;
    uint32_t pid; /* in the process's own namespace; children of fork inherit the file */
    uint32_t device_count;
    struct cup_monitor_device devices[CUP_MONITOR_DEVICES_MAX];
};

_Static_assert(sizeof(struct cup_monitor_page) <= CUP_MONITOR_PAGE_BYTES, "the page is one page");

/* One physical device. */
struct cup_monitor_description {
    char name[CUP_MONITOR_NAME_BYTES];
    CUuuid uuid;      /* as cuDeviceGetUuid() returns it */
    CUuuid page_uuid; /* as in pages */
    uint32_t pci_domain, pci_bus, pci_device;
    uint32_t pci_id, pci_subsystem_id; /* device << 16 | vendor; subsystem 0: not known */
    uint32_t is_visible;               /* the driver has it in its table */
    uint32_t unused;
    uint64_t memory_bytes;
    uint64_t used_bytes; /* by this process, as cuMemGetInfo() counts; 0 unless visible */
    uint64_t linked;     /* bit n: peer access to physical device n is possible */
};

struct cup_monitor_table {
    uint64_t size_bytes;
    const char *version; /* of cupipe */
    /* Returns 0 if the configuration is invalid; *result says why. */
    unsigned (*device_count)(CUresult *result);
    bool (*describe)(unsigned physical, struct cup_monitor_description *description);
    bool (*attribute)(unsigned physical, CUdevice_attribute attribute, int *value);
};

/* The name of the table. */
#define CUP_MONITOR_TABLE_ID                                                                       \
    {                                                                                              \
        {                                                                                          \
            'c', 'u', 'p', 'i', 'p', 'e', ' ', 'm', 'o', 'n', 'i', 't', 'o', 'r', ' ', '1'         \
        }                                                                                          \
    }

#endif
