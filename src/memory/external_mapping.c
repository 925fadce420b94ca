/* SPDX-License-Identifier: MIT */
/* A buffer is an area with one record (import_records.h). The area begins at a multiple of 2 MiB of
 * the memory, as NVIDIA's driver maps its pages; that costs address space only. */
#include "memory/external_mapping.h"

#include "core/align.h"
#include "core/error.h"
#include "core/list.h"
#include "core/lock.h"
#include "device/context.h"
#include "memory/heap.h"
#include "memory/import_records.h"
#include "memory/owner.h"
#include "os/page.h"

#include <stdlib.h>

struct buffer {
    struct cup_import_area area; /* first member: the address map refers to it */
    struct cup_list link;
};

static struct cup_list buffers = CUP_LIST_INITIALIZER(buffers); /* guarded by import lock */

static void end_locked(struct buffer *buffer)
{
    cup_lock_assert_held(&cup_import_lock);
    cup_list_remove(&buffer->link);
    cup_import_area_close_locked(&buffer->area);
    free(buffer);
}

static CUresult open_locked(struct buffer *buffer, int fd, uint64_t file_offset, uint64_t in_area,
                            uint64_t size_bytes, uint64_t *address)
{
    cup_lock_assert_held(&cup_import_lock);
    uint64_t mapped_bytes = cup_align_up(in_area + size_bytes, cup_page_bytes());

    if (!cup_import_area_open_locked(&buffer->area, fd, file_offset, mapped_bytes))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%llu bytes of a file cannot be mapped",
                         (unsigned long long)mapped_bytes);
    struct cup_import_record *record =
        cup_import_record_add_locked(&buffer->area, in_area, size_bytes);
    if (!record) {
        cup_import_area_close_locked(&buffer->area);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "too many buffers are mapped");
    }
    cup_list_insert(&buffers, &buffer->link);
    *address = record->base;
    return CUDA_SUCCESS;
}

CUresult cup_extmem_map(struct CUctx_st *context, int fd, uint64_t start, uint64_t offset,
                        uint64_t size_bytes, uint64_t *address)
{
    uint64_t in_area = offset % CUP_CHUNK_BYTES;
    struct buffer *buffer = malloc(sizeof(*buffer));

    if (!buffer)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a mapping");
    buffer->area = (struct cup_import_area){
        .kind = CUP_RANGE_EXTERNAL,
        .owner = cup_object_index(&context->base),
        .device = context->device,
        .size_bytes = cup_align_up(in_area + size_bytes, CUP_CHUNK_BYTES),
    };
    cup_lock_acquire(&cup_import_lock);
    CUresult result =
        open_locked(buffer, fd, start + (offset - in_area), in_area, size_bytes, address);
    cup_lock_release(&cup_import_lock);
    if (result != CUDA_SUCCESS)
        free(buffer);
    return result;
}

/* The buffer that begins at the address; NULL if none. */
static struct buffer *find_locked(uint64_t address)
{
    cup_lock_assert_held(&cup_import_lock);
    struct cup_import_area *area = cup_import_area_at_locked(address);

    if (!area || area->kind != CUP_RANGE_EXTERNAL ||
        cup_import_record_first_locked(area)->base != address)
        return NULL;
    return (struct buffer *)area;
}

CUresult cup_extmem_unmap(uint64_t address)
{
    struct cup_range range;

    if (cup_map_describe(address, &range))
        cup_owner_wait(range.owner);
    cup_lock_acquire(&cup_import_lock);
    struct buffer *buffer = find_locked(address);
    if (buffer)
        end_locked(buffer);
    cup_lock_release(&cup_import_lock);
    if (!buffer)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the start of a mapped buffer",
                         (unsigned long long)address);
    return CUDA_SUCCESS;
}

void cup_extmem_unmap_owned(uint32_t owner)
{
    cup_lock_acquire(&cup_import_lock);
    cup_list_each_safe (buffer, &buffers, struct buffer, link) {
        if (buffer->area.owner == owner)
            end_locked(buffer);
    }
    cup_lock_release(&cup_import_lock);
}
