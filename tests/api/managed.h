/* SPDX-License-Identifier: MIT */
/* Managed memory for tests, and queries of its attributes. */
#ifndef MANAGED_H
#define MANAGED_H

#include "hold.h"

enum { PAGE = 4096, KIB = 1024, MIB = 1024 * KIB, BYTES = 256 * KIB, PAGES = BYTES / PAGE };

static const CUmemLocation device_0 = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
static const CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};

static inline CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr ptr = 0;

    check_success(cuMemAllocManaged(&ptr, bytes, CU_MEM_ATTACH_GLOBAL));
    return ptr;
}

static inline unsigned char *bytes_at(CUdeviceptr ptr)
{
    return (unsigned char *)(uintptr_t)ptr;
}

static inline int ask(CUdeviceptr ptr, size_t bytes, CUmem_range_attribute attribute)
{
    int value = -99;

    check_success(cuMemRangeGetAttribute(&value, sizeof(value), attribute, ptr, bytes));
    return value;
}

static inline int preferred(CUdeviceptr ptr, size_t bytes)
{
    return ask(ptr, bytes, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION);
}

static inline int prefetched(CUdeviceptr ptr, size_t bytes)
{
    return ask(ptr, bytes, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION);
}

#endif
