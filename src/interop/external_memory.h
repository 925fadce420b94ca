/* SPDX-License-Identifier: MIT */
/* Memory of a graphics driver, imported as a file descriptor. The object owns a descriptor; buffers
 * and images mapped from it have mappings of their own and outlive it. */
#ifndef CUP_INTEROP_EXTERNAL_MEMORY_H
#define CUP_INTEROP_EXTERNAL_MEMORY_H

#include "core/object.h"
#include "device/context.h"
#include "interop/foreign_layout.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct CUextMemory_st {
    struct cup_object base;
    struct CUctx_st *context; /* holds a reference */
    struct cup_context_child child;
    int fd; /* owned; -1: none yet */
    bool is_dma_buf;
    bool is_dedicated;   /* one buffer or image fills it: offsets must be 0 */
    uint64_t size_bytes; /* as the application says; the file may be smaller or larger */
    struct cup_foreign_file file;
};

void cup_external_memory_register(void);

/* Takes over and closes the descriptor on success. It also closes an opaque descriptor that is not
 * a memory file, as NVIDIA's driver does. */
CUresult cup_external_memory_import(struct CUctx_st *context, int fd, bool is_dma_buf,
                                    bool is_dedicated, uint64_t size_bytes,
                                    struct CUextMemory_st **memory);

/* Takes a reference. Returns INVALID_VALUE if the handle was never valid, INVALID_HANDLE if it is
 * stale. */
CUresult cup_external_memory_find(CUexternalMemory handle, struct CUextMemory_st **memory);

/* Retires the handle. Returns false if another thread did so first. */
bool cup_external_memory_destroy(struct CUextMemory_st *memory, enum cup_retire_reason reason);

CUresult cup_external_memory_map_buffer(struct CUextMemory_st *memory, uint64_t offset,
                                        uint64_t size_bytes, uint64_t *address);

/* The descriptor has passed cup_shape_check() without CUDA_ARRAY3D_COLOR_ATTACHMENT; `levels` is
 * the number of levels it was checked with. */
CUresult cup_external_memory_map_image(struct CUextMemory_st *memory, uint64_t offset,
                                       const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels,
                                       struct CUmipmappedArray_st **mipmap);

static inline void cup_external_memory_unref(struct CUextMemory_st *memory)
{
    cup_object_unref(&memory->base);
}

#endif
