/* SPDX-License-Identifier: MIT */
/* Shared by the tests of memory pools. */
#ifndef POOLS_H
#define POOLS_H

#include "hold.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
#define BLOCK (32 * MIB)

static inline CUmemPoolProps properties_of(CUdevice device)
{
    CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device},
    };

    return properties;
}

static inline CUmemoryPool new_pool(size_t max_bytes)
{
    CUmemPoolProps properties = properties_of(0);
    CUmemoryPool pool;

    properties.maxSize = max_bytes;
    check_success(cuMemPoolCreate(&pool, &properties));
    return pool;
}

static inline CUmemoryPool default_pool(void)
{
    CUmemoryPool pool;

    check_success(cuDeviceGetDefaultMemPool(&pool, 0));
    return pool;
}

static inline uint64_t wide(CUmemoryPool pool, CUmemPool_attribute attribute)
{
    cuuint64_t value;

    check_success(cuMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static inline void check_counts(CUmemoryPool pool, uint64_t reserved, uint64_t used)
{
    check(wide(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == reserved);
    check(wide(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == used);
}

static inline void set_policy(CUmemoryPool pool, CUmemPool_attribute attribute, int on)
{
    check_success(cuMemPoolSetAttribute(pool, attribute, &on));
}

static inline void keep_everything(CUmemoryPool pool)
{
    cuuint64_t threshold = UINT64_MAX;

    check_success(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
}

static inline CUdeviceptr allocate_from(CUmemoryPool pool, size_t bytes, CUstream stream)
{
    CUdeviceptr ptr = 0;

    check_success(cuMemAllocFromPoolAsync(&ptr, bytes, pool, stream));
    check(ptr != 0);
    return ptr;
}

static inline CUdeviceptr allocate(size_t bytes, CUstream stream)
{
    CUdeviceptr ptr = 0;

    check_success(cuMemAllocAsync(&ptr, bytes, stream));
    check(ptr != 0);
    return ptr;
}

#endif
