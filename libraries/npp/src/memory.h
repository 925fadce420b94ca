/* SPDX-License-Identifier: MIT */
/* Device memory of nppiMalloc and nppsMalloc. */
#ifndef NPP_MEMORY_H
#define NPP_MEMORY_H

#include <common/driver.h>
#include <limits.h>
#include <stdint.h>

static inline void *npp_malloc(size_t count, size_t bytes)
{
    CUdeviceptr address;
    size_t all;

    if (!count || !bytes || __builtin_mul_overflow(count, bytes, &all) || !lib_driver() ||
        lib_ensure_context() != CUDA_SUCCESS ||
        lib_driver()->memory_alloc(&address, all) != CUDA_SUCCESS)
        return NULL;
    return (void *)(uintptr_t)address;
}

/* Rows of whole 512 bytes, as those of NVIDIA's library. */
static inline void *npp_malloc_rows(int width, int height, size_t pixel_bytes, int *step)
{
    size_t row = width > 0 ? ((size_t)width * pixel_bytes + 511) & ~(size_t)511 : 0;
    void *memory = height > 0 && step && row <= INT_MAX ? npp_malloc((size_t)height, row) : NULL;

    if (memory)
        *step = (int)row;
    return memory;
}

static inline void npp_free(void *data)
{
    if (data && lib_driver())
        lib_driver()->memory_free((CUdeviceptr)(uintptr_t)data);
}

#endif
