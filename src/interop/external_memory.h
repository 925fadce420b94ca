/* SPDX-License-Identifier: MIT */
/* Memory of a graphics driver, imported as a descriptor. The object keeps the descriptor; buffers
 * and images that were mapped from it are mappings of their own and outlive it. */
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
    struct CUctx_st *context; /* a reference is held */
    struct cup_context_child child;
    int fd; /* our own; -1: none yet */
    bool is_dma_buf;
    bool is_dedicated;   /* one buffer or image fills it: offsets are 0 */
    uint64_t size_bytes; /* as the application says; there may be less, or more */
    struct cup_foreign_file file;
};

void cup_external_memory_register(void);

/* Takes the descriptor over, and closes it, when it succeeds; of an opaque one also when the
 * descriptor is not one of memory, as NVIDIA's driver does. */
CUresult cup_external_memory_import(struct CUctx_st *context, int fd, bool is_dma_buf,
                                    bool is_dedicated, uint64_t size_bytes,
                                    struct CUextMemory_st **memory);

/* Takes a reference. INVALID_VALUE for what never was one, INVALID_HANDLE for what no longer is. */
CUresult cup_external_memory_find(CUexternalMemory handle, struct CUextMemory_st **memory);

/* Ends the handle; false when another thread was quicker. */
bool cup_external_memory_destroy(struct CUextMemory_st *memory, enum cup_retire_reason reason);

CUresult cup_external_memory_map_buffer(struct CUextMemory_st *memory, uint64_t offset,
                                        uint64_t size_bytes, uint64_t *address);

/* The descriptor has passed cup_shape_check, but for CUDA_ARRAY3D_COLOR_ATTACHMENT, and has so many
 * levels. */
CUresult cup_external_memory_map_image(struct CUextMemory_st *memory, uint64_t offset,
                                       const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels,
                                       struct CUmipmappedArray_st **mipmap);

static inline void cup_external_memory_unref(struct CUextMemory_st *memory)
{
    cup_object_unref(&memory->base);
}

#endif
