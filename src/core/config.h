/* SPDX-License-Identifier: MIT */
/* What the environment asks for. It is read once, by cuInit; docs/ENVIRONMENT.md lists the
 * variables. A value that makes no sense is never replaced by a default: it is reported on stderr,
 * whatever the log level, and cuInit fails. */
#ifndef CUP_CORE_CONFIG_H
#define CUP_CORE_CONFIG_H

#include "core/log.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#define CUP_MAX_DEVICES 64
#define CUP_MAX_THREADS 1024
#define CUP_DEVICE_NAME_BYTES 256                 /* with the final zero */
#define CUP_MEMORY_STEP_BYTES (UINT64_C(2) << 20) /* a device's memory is a multiple of this */
#define CUP_MEMORY_MIN_BYTES (UINT64_C(32) << 20)
#define CUP_MEMORY_MAX_BYTES (UINT64_C(64) << 40)

enum cup_config_schedule {
    CUP_CONFIG_SCHEDULE_EAGER,  /* work starts as soon as it may */
    CUP_CONFIG_SCHEDULE_LAZY,   /* work starts when somebody waits for it */
    CUP_CONFIG_SCHEDULE_RANDOM, /* any legal order, drawn from the seed */
};

enum cup_topology {
    CUP_TOPOLOGY_ALL,   /* every device is linked to every other */
    CUP_TOPOLOGY_NONE,  /* to none */
    CUP_TOPOLOGY_PAIRS, /* 0 to 1, 2 to 3, and so on */
};

/* What cuDeviceGetUuid answers. */
enum cup_uuid_source {
    CUP_UUID_AUTO,   /* the Vulkan device's, in a process that has loaded Vulkan */
    CUP_UUID_VULKAN, /* the Vulkan device's, if need be by loading Vulkan */
    CUP_UUID_GIVEN,  /* the configured one */
};

/* How memory is made that may be exported: as Mesa's software drivers want it, or the plain way. */
enum cup_export_form {
    CUP_EXPORT_AUTO, /* as the Vulkan driver wants it, in a process that has loaded Vulkan */
    CUP_EXPORT_LLVMPIPE,
    CUP_EXPORT_PLAIN,
};

struct cup_config {
    unsigned device_count;             /* physical devices: 1..CUP_MAX_DEVICES */
    unsigned visible_count;            /* at least 1 after a load that succeeded */
    unsigned visible[CUP_MAX_DEVICES]; /* ordinal -> physical index */

    char device_name[CUP_DEVICE_NAME_BYTES];
    CUuuid device_uuid; /* of physical device 0; see cup_config_uuid */
    enum cup_uuid_source uuid_source;
    enum cup_export_form export_form;

    enum cup_topology topology;

    uint64_t memory_bytes;        /* of each device */
    uint64_t memory_budget_bytes; /* what a process is to use of it; 0: all */
    unsigned threads;             /* workers: 1..CUP_MAX_THREADS */
    enum cup_config_schedule schedule;
    uint64_t schedule_seed; /* for CUP_CONFIG_SCHEDULE_RANDOM */

    const char *trace_path; /* CUPIPE_TRACE; NULL: no trace */

    const char *cache_path; /* CUPIPE_CACHE: the folder of compiled kernels; NULL: the usual one */
    bool cache_off;         /* CUPIPE_CACHE=off */
    const char *jit_path;   /* CUPIPE_JIT: the compiler of kernels; NULL: it is looked for */
    const char *dump_path; /* CUPIPE_DUMP: where the compiler leaves what it makes; NULL: nowhere */
    bool perf;             /* CUPIPE_PERF=1: tell perf where kernels are */

    bool check_leaks;                /* CUPIPE_CHECK=leaks */
    bool check_memory;               /* CUPIPE_CHECK=memory */
    uint64_t check_quarantine_bytes; /* of freed memory that is kept from use */

    enum cup_log_level log_level;
    const char *log_path; /* NULL: stderr */
};

/* Reads the environment at the first call that succeeds; later calls answer CUDA_SUCCESS at once.
 * INVALID_VALUE: a CUPIPE_ variable was wrong. NO_DEVICE, INVALID_DEVICE: one of NVIDIA's was.
 * Called by cuInit alone, under its lock. Sets the log up, too. */
CUresult cup_config_load(void);

/* Reads the environment into *config, which begins as zeros; its strings are the environment's own.
 * What cup_config_load does first. */
CUresult cup_config_read(struct cup_config *config);

/* What was read. Valid, and never changing, once cup_config_load has succeeded. */
const struct cup_config *cup_config_get(void);

/* The UUID of a physical device: the configured one with the index added to its last byte. */
CUuuid cup_config_uuid(const struct cup_config *config, unsigned physical);

#endif
