/* SPDX-License-Identifier: MIT */
/* The CUDA version that the driver has, which CUPIPE_DRIVER chooses (driver_versions.def). It
 * decides which functions exist (entrypoints.def, the column `since`), which enumerators are known
 * (enumerators.def) and which PTX is read. */
#ifndef CUP_CORE_DRIVER_VERSION_H
#define CUP_CORE_DRIVER_VERSION_H

#include "core/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>

struct cup_driver_version {
    unsigned cuda;   /* 13040 for 13.4 */
    unsigned ptx;    /* the newest PTX ISA that it reads: 95 for 9.5 */
    unsigned branch; /* of NVIDIA's driver that brought this version of CUDA */
};

/* The enumerations of enumerators.def. */
enum cup_enumeration {
    CUP_ENUM_ARRAY_FORMAT,
    CUP_ENUM_CLUSTER_POLICY,
    CUP_ENUM_CONDITIONAL,
    CUP_ENUM_COREDUMP_FLAG,
    CUP_ENUM_COREDUMP_SETTING,
    CUP_ENUM_DECOMPRESSION,
    CUP_ENUM_DEVICE_ATTRIBUTE,
    CUP_ENUM_DEV_RESOURCE,
    CUP_ENUM_EXTERNAL_MEMORY,
    CUP_ENUM_FUNCTION_ATTRIBUTE,
    CUP_ENUM_GRAPH_NODE,
    CUP_ENUM_JIT_OPTION,
    CUP_ENUM_JIT_TARGET,
    CUP_ENUM_LAUNCH_ATTRIBUTE,
    CUP_ENUM_LIMIT,
    CUP_ENUM_MEMORY_HANDLE,
    CUP_ENUM_MEMORY_LOCATION,
    CUP_ENUM_MEMORY_OPERATION,
    CUP_ENUM_MEMORY_TYPE,
    CUP_ENUM_P2P_ATTRIBUTE,
    CUP_ENUM_POINTER_ATTRIBUTE,
    CUP_ENUM_POOL_ATTRIBUTE,
    CUP_ENUM_RANGE_ATTRIBUTE,
    CUP_ENUM_RESULT,
    CUP_ENUM_TENSOR_DATA_TYPE,
    CUP_ENUM_TENSOR_SWIZZLE,
};

/* The chosen version. The library reads CUPIPE_DRIVER when it is loaded, because
 * cuDriverGetVersion() and cuGetProcAddress() work before cuInit(), and again in cuInit(), which
 * reports a wrong value. Until then a wrong value counts as none. */
extern _Atomic(const struct cup_driver_version *) cup_driver_chosen;

static inline const struct cup_driver_version *cup_driver_version(void)
{
    return atomic_load_explicit(&cup_driver_chosen, memory_order_relaxed);
}

/* Whether the driver has what came with a version of CUDA. */
static inline bool cup_driver_has(unsigned since)
{
    return cup_driver_version()->cuda >= since;
}

/* Parses "13.0"; NULL: the newest version. Returns NULL if there is no such version. */
const struct cup_driver_version *cup_driver_version_parse(const char *text);

/* The oldest and the newest version. */
const struct cup_driver_version *cup_driver_version_first(void);
const struct cup_driver_version *cup_driver_version_last(void);

/* False if the driver is older than the enumerator with this value. Values that are no enumerators
 * count as known: the caller refuses them. */
bool cup_driver_knows(enum cup_enumeration enumeration, long long value);

#endif
