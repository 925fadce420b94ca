/* SPDX-License-Identifier: MIT */
#include "memory/pinned.h"

#include "core/align.h"
#include "os/system.h"

#define BYTES_MIN (UINT64_C(256) << 20) /* less is not worth starting with */

static struct cup_heap *heap;

struct cup_heap *cup_pinned_heap(void)
{
    return heap;
}

CUresult cup_pinned_create(uint64_t *tried_bytes)
{
    CUresult result = CUDA_SUCCESS;

    for (uint64_t bytes = cup_system_memory_bytes(); !heap; bytes /= 2) {
        *tried_bytes = cup_align_down(bytes, CUP_CHUNK_BYTES);
        result = cup_heap_create(CUP_RANGE_PINNED, NULL, *tried_bytes, 0, &heap);
        if (result != CUDA_SUCCESS && bytes / 2 < BYTES_MIN)
            break;
    }
    return result;
}
