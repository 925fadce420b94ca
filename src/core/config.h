/* SPDX-License-Identifier: MIT */
/* The configuration from the environment. cuInit() reads it once; variables.def is the table of
 * variables, docs/ENVIRONMENT.md explains them. Enumerators that a variable's words choose stand in
 * the order of the words. An invalid value is never replaced by a default: it is reported on
 * stderr, whatever the log level, and cuInit() fails. */
#ifndef CUP_CORE_CONFIG_H
#define CUP_CORE_CONFIG_H

#include "core/driver_version.h"
#include "core/gpu.h"
#include "core/log.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#define CUP_MAX_DEVICES 64
#define CUP_MAX_THREADS 1024
#define CUP_MAX_SMS 1024
#define CUP_DEVICE_NAME_BYTES 256                 /* including the terminating NUL */
#define CUP_MEMORY_STEP_BYTES (UINT64_C(2) << 20) /* a device's memory is a multiple of this */
#define CUP_MEMORY_MIN_BYTES (UINT64_C(32) << 20)
#define CUP_MEMORY_MAX_BYTES (UINT64_C(64) << 40)

enum cup_config_schedule {
    CUP_CONFIG_SCHEDULE_EAGER,  /* work starts as soon as possible */
    CUP_CONFIG_SCHEDULE_LAZY,   /* work starts when a call waits for it */
    CUP_CONFIG_SCHEDULE_RANDOM, /* any legal order, chosen by the seed */
};

/* CUPIPE_CPU: what compiled kernels and the runtime may use of the processor. */
enum cup_config_cpu {
    CUP_CONFIG_CPU_ALL,
    CUP_CONFIG_CPU_AVX512,
    CUP_CONFIG_CPU_AVX2,
    CUP_CONFIG_CPU_PLAIN,
};

/* CUPIPE_JIT: which tiers of the compiler are used. */
enum cup_config_jit {
    CUP_CONFIG_JIT_BOTH, /* first, and optimised when a kernel has run long enough */
    CUP_CONFIG_JIT_FIRST,
    CUP_CONFIG_JIT_OPTIMISED,
    CUP_CONFIG_JIT_HOT,
};

enum cup_topology {
    CUP_TOPOLOGY_ALL,   /* every device is linked to every other */
    CUP_TOPOLOGY_NONE,  /* to none */
    CUP_TOPOLOGY_PAIRS, /* 0 to 1, 2 to 3, and so on */
};

/* The source of the UUIDs that cuDeviceGetUuid() returns. */
enum cup_uuid_source {
    CUP_UUID_AUTO,   /* the Vulkan device's, if the process has loaded Vulkan */
    CUP_UUID_VULKAN, /* the Vulkan device's, loading Vulkan if necessary */
    CUP_UUID_GIVEN,  /* the configured one */
};

/* The form of memory that can be exported: as Mesa's software drivers expect it, or plain. */
enum cup_export_form {
    CUP_EXPORT_AUTO, /* as the Vulkan driver expects it, if the process has loaded Vulkan */
    CUP_EXPORT_LLVMPIPE,
    CUP_EXPORT_PLAIN,
};

/* CUPIPE_PERF: what perf is told of kernels. */
enum cup_config_perf {
    CUP_CONFIG_PERF_OFF,
    CUP_CONFIG_PERF_MAP,    /* their names */
    CUP_CONFIG_PERF_JITDUMP /* their names, code and source lines */
};

struct cup_config {
    const struct cup_driver_version *driver; /* CUPIPE_DRIVER */

    unsigned device_count;             /* physical devices: 1..CUP_MAX_DEVICES */
    unsigned visible_count;            /* at least 1 after a successful load */
    unsigned visible[CUP_MAX_DEVICES]; /* ordinal -> physical index */
    unsigned order[CUP_MAX_DEVICES];   /* physical indices, as CUDA_DEVICE_ORDER has them */

    /* the model of each physical device, and what overrides it: 0 or NULL: nothing */
    const struct cup_gpu *gpus[CUP_MAX_DEVICES];
    bool gpus_chosen; /* CUPIPE_GPU is set */
    unsigned sms;
    const struct cup_capability *capability;

    char device_name[CUP_DEVICE_NAME_BYTES]; /* {} in it is the name of the GPU */
    CUuuid device_uuid;                      /* of physical device 0; see cup_config_uuid */
    enum cup_uuid_source uuid_source;
    enum cup_export_form export_form;

    enum cup_topology topology;

    uint64_t memory_bytes;        /* of each device; at most that of its model, if chosen */
    bool memory_given;            /* CUPIPE_MEMORY is set: the model's memory does not matter */
    uint64_t memory_budget_bytes; /* limit of a process; 0: none */
    unsigned threads;             /* workers: 1..CUP_MAX_THREADS */
    enum cup_config_schedule schedule;
    uint64_t schedule_seed; /* for CUP_CONFIG_SCHEDULE_RANDOM */
    bool launch_blocking;   /* CUDA_LAUNCH_BLOCKING=1: a launch returns when its kernel has ended */

    const char *injection_path; /* CUDA_INJECTION64_PATH; NULL: no tool */
    const char *trace_path;     /* CUPIPE_TRACE; NULL: no trace */

    const char *cache_path; /* CUPIPE_CACHE: folder of the kernel cache; NULL: the default */
    bool cache_off;         /* CUPIPE_CACHE=off */
    const char *jit_path;   /* CUPIPE_JIT_LIBRARY: path of the compiler; NULL: search for it */
    enum cup_config_jit jit;
    bool fast_math; /* CUPIPE_MATH=fast */
    enum cup_config_cpu cpu;
    /* CUPIPE_DUMP: folder for the compiler's intermediate files; NULL: none */
    const char *dump_path;
    bool ptx_newer; /* CUPIPE_PTX=newer: read PTX versions that are not known yet */
    enum cup_config_perf perf;
    /* CUPIPE_CAPTURE_RANGE=profiler: trace and profile from cuProfilerStart to cuProfilerStop */
    bool capture_range;
    const char *profile_path; /* CUPIPE_PROFILE; NULL: no profile */
    bool debug;               /* CUPIPE_DEBUG=1: compile kernels for debuggers */

    bool check_leaks;                /* CUPIPE_CHECK=leaks */
    bool check_memory;               /* CUPIPE_CHECK=memory */
    bool check_init;                 /* CUPIPE_CHECK=init */
    bool check_streams;              /* CUPIPE_CHECK=streams */
    bool check_races;                /* CUPIPE_CHECK=races */
    bool check_sync;                 /* CUPIPE_CHECK=sync */
    uint64_t check_quarantine_bytes; /* limit of freed memory that is kept from reuse */
    uint64_t check_limit;            /* CUPIPE_CHECK_LIMIT: reports that are written */
    const char *check_suppress_path; /* CUPIPE_CHECK_SUPPRESS; NULL: none */
    const char *check_json_path;     /* CUPIPE_CHECK_JSON; NULL: none */
    int check_exit;                  /* CUPIPE_CHECK_EXIT: status if something is found; 0: none */

    enum cup_log_level log_level;
    const char *log_path; /* NULL: stderr */
};

/* Reads the environment until the first success; later calls return CUDA_SUCCESS. INVALID_VALUE: a
 * CUPIPE_ variable is invalid. NO_DEVICE, INVALID_DEVICE: one of NVIDIA's is. Also sets up the log.
 * Called only by cuInit(), under its lock. */
CUresult cup_config_load(void);

/* Reads the environment into *config, which is zeroed; its texts point into the environment. The
 * first step of cup_config_load(), which copies them. */
CUresult cup_config_read(struct cup_config *config);

/* Reads one value as cup_config_read() would read it in `variable`, without any effect. Reports on
 * stderr what is wrong with it; the message names the value as that of `name`. False: it is wrong,
 * or there is no such variable. */
bool cup_config_check(const char *variable, const char *value, const char *name);

/* Whether kernels are compiled with checks, whose reports name source lines. */
bool cup_config_checks_kernels(void);

/* Whether someone asks for the source lines of kernels. */
bool cup_config_keeps_texts(void);

/* Whether CUPIPE_CHECK names any check. */
bool cup_config_checks(void);

/* Returns the configuration. Valid and immutable after cup_config_load() has succeeded. */
const struct cup_config *cup_config_get(void);

/* Writes the name of a physical device. False: it was too long and is cut. */
bool cup_config_device_name(const struct cup_config *config, unsigned physical,
                            char name[CUP_DEVICE_NAME_BYTES]);

/* The UUID of a physical device: the configured one with the index added to its last byte. */
static inline CUuuid cup_config_uuid(const struct cup_config *config, unsigned physical)
{
    CUuuid uuid = config->device_uuid;
    const size_t last = sizeof(uuid.bytes) - 1;

    uuid.bytes[last] = (char)((unsigned char)uuid.bytes[last] + physical);
    return uuid;
}

#endif
