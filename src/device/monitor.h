/* SPDX-License-Identifier: MIT */
/* What the driver tells libnvidia-ml.so.1: a page that each process publishes, and a table of
 * functions that cuGetExportTable() returns. A second page takes requests to the process.
 *
 * The page is the content of a memory file with a well-known name that the process holds open. A
 * monitor of the same user finds it in /proc/PID/fd; it disappears with the process, however that
 * ends. Readers treat it as untrusted. The table works before cuInit() and does not call it, so a
 * monitor creates no context, starts no thread, and sees devices that CUDA_VISIBLE_DEVICES hides.
 */
#ifndef CUP_DEVICE_MONITOR_H
#define CUP_DEVICE_MONITOR_H

#include <cuda.h>
#include <cupipe.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CUP_MONITOR_FILE_NAME "cupipe monitor"
#define CUP_MONITOR_MAGIC UINT64_C(0x33726f74696e6f6d) /* "monitor3" */

enum {
    CUP_MONITOR_DEVICES_MAX = 64,
    CUP_MONITOR_NAME_BYTES = 256,
    CUP_MONITOR_PAGE_BYTES = 4096,
};

/* How long at least one piece of work has been running, in one word, so that readers see it whole:
 * the low bits count what is running; above them is the sum of the ends of all busy times minus
 * their starts, in microseconds of CLOCK_MONOTONIC_COARSE, modulo 2^48. That clock ticks every few
 * milliseconds and costs next to nothing; over many short kernels its error averages out. */
enum { CUP_MONITOR_RUNNING_BITS = 16 };
#define CUP_MONITOR_RUNNING_MASK ((UINT64_C(1) << CUP_MONITOR_RUNNING_BITS) - 1)

struct cup_monitor_activity {
    _Atomic(uint64_t) word;
};

static inline uint64_t cup_monitor_clock_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* The running time until now, modulo 2^48 microseconds. */
static inline uint64_t cup_monitor_active_us(uint64_t word)
{
    uint64_t now = word & CUP_MONITOR_RUNNING_MASK ? cup_monitor_clock_us() : 0;

    return (word + (now << CUP_MONITOR_RUNNING_BITS)) >> CUP_MONITOR_RUNNING_BITS;
}

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
    _Atomic(uint32_t) state; /* CUprocessState */
    uint32_t unused;
    struct cup_monitor_device devices[CUP_MONITOR_DEVICES_MAX];
};

_Static_assert(sizeof(struct cup_monitor_page) <= CUP_MONITOR_PAGE_BYTES, "the page is one page");

/* One request to the process, which a thread of it serves. Who asks holds a lock on the file, so
 * there is one request at a time, and a process that is killed while it asks blocks nobody. Each
 * side treats what the other writes as untrusted. */
enum cup_monitor_action {
    CUP_MONITOR_LOCK,
    CUP_MONITOR_CHECKPOINT,
    CUP_MONITOR_RESTORE,
    CUP_MONITOR_UNLOCK,
    CUP_MONITOR_STORE,    /* begins a checkpoint to memory that the asking process reads */
    CUP_MONITOR_LOAD,     /* begins a restore from memory that the asking process writes */
    CUP_MONITOR_COMPLETE, /* completes STORE or LOAD */
    CUP_MONITOR_CANCEL,   /* returns to the state before STORE or LOAD */
    CUP_MONITOR_ACTIONS,
};

struct cup_monitor_request {
    uint32_t action;
    uint32_t timeout_ms; /* of LOCK; 0: none */
    uint32_t pair_count; /* of RESTORE */
    int32_t pid;         /* of STORE and LOAD: the process that asks */
    uint64_t operation;  /* of COMPLETE and CANCEL: as STORE or LOAD answered */
    CUcheckpointGpuPair pairs[CUP_MONITOR_DEVICES_MAX];
};

/* The memory of a device while it is stored or loaded: a file that the process has open
 * (os/memfd.h), whose label is the number of the operation. */
struct cup_monitor_storage {
    CUuuid uuid;
    uint64_t size_bytes;
    int32_t fd;
    uint32_t unused;
};

/* The answer to STORE and LOAD. */
struct cup_monitor_reply {
    uint64_t operation;
    uint32_t device_count;
    uint32_t unused;
    struct cup_monitor_storage devices[CUP_MONITOR_DEVICES_MAX];
};

struct cup_monitor_control {
    _Atomic(uint32_t) thread;   /* futex: the id of the thread that serves requests; 0: none yet */
    _Atomic(uint32_t) asked;    /* futex: the number of the newest request */
    _Atomic(uint32_t) answered; /* futex: the number of the request answered last */
    _Atomic(uint32_t) result;   /* CUresult of that request */
    union {
        struct cup_monitor_request request;
        struct cup_monitor_reply reply; /* replaces the request when it is answered */
    };
};

/* The content of the file. */
struct cup_monitor_file {
    struct cup_monitor_page page;
    struct cup_monitor_control control __attribute__((aligned(CUP_MONITOR_PAGE_BYTES)));
};

_Static_assert(sizeof(struct cup_monitor_file) == 2 * CUP_MONITOR_PAGE_BYTES, "two pages");

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
    struct cupipe_table_head head;
    /* Returns 0 if the configuration is invalid; *result says why. */
    unsigned (*device_count)(CUresult *result);
    bool (*describe)(unsigned physical, struct cup_monitor_description *description);
    bool (*attribute)(unsigned physical, CUdevice_attribute attribute, int *value);
    /* The CUDA version of the driver (13040 for 13.4), and the release of NVIDIA's that has it. */
    void (*driver_version)(unsigned *cuda, const char **release);
};

/* The name of the table. */
#define CUP_MONITOR_TABLE_ID                                                                       \
    {                                                                                              \
        {                                                                                          \
            'c', 'u', 'p', 'i', 'p', 'e', ' ', 'm', 'o', 'n', 'i', 't', 'o', 'r', ' ', '2'         \
        }                                                                                          \
    }

#endif
