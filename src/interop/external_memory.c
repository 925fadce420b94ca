/* SPDX-License-Identifier: MIT */
/* Sizes are validated twice, as in NVIDIA's driver: a request must lie inside the size that the
 * application declared, and then inside the actual file. The file may still shrink at any time; an
 * access to missing pages is then an error of the accessing work (os/guard.h). */
#include "interop/external_memory.h"

#include "core/error.h"
#include "core/log.h"
#include "image/mipmap.h"
#include "memory/external_mapping.h"
#include "os/memfd.h"
#include "os/page.h"

#include <errno.h>
#include <linux/dma-buf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Larger than any user address space. */
#define ADDRESS_SPACE_BYTES (UINT64_C(1) << 47)

static void memory_finish(struct cup_object *object)
{
    struct CUextMemory_st *memory = (struct CUextMemory_st *)object;

    cup_context_remove_child(memory->context, &memory->child);
    if (memory->fd >= 0)
        close(memory->fd);
    cup_context_unref(memory->context);
}

void cup_external_memory_register(void)
{
    cup_object_register(CUP_OBJECT_EXTERNAL_MEMORY, sizeof(struct CUextMemory_st), memory_finish);
}

static void memory_end(struct cup_object *object, enum cup_retire_reason reason)
{
    cup_external_memory_destroy((struct CUextMemory_st *)object, reason);
}

/* Closes the application's descriptor and preserves errno. */
static void close_given(int fd)
{
    int saved = errno;

    close(fd);
    errno = saved;
}

static CUresult memory_new(struct CUctx_st *context, int fd, struct CUextMemory_st **memory)
{
    struct CUextMemory_st *made =
        (struct CUextMemory_st *)cup_object_create(CUP_OBJECT_EXTERNAL_MEMORY);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a handle");
    cup_context_ref(context);
    made->context = context;
    made->fd = cup_memfd_keep(fd);
    if (made->fd < 0) {
        cup_external_memory_unref(made);
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "too many open files");
    }
    *memory = made;
    return CUDA_SUCCESS;
}

CUresult cup_external_memory_import(struct CUctx_st *context, int fd, bool is_dma_buf,
                                    bool is_dedicated, uint64_t size_bytes,
                                    struct CUextMemory_st **memory)
{
    struct cup_foreign_file file;
    struct CUextMemory_st *made = NULL;

    if (!(is_dma_buf ? cup_foreign_read_dma_buf : cup_foreign_read_opaque)(fd, &file)) {
        if (!is_dma_buf && fd >= 0)
            close_given(fd);
        return cup_error(is_dma_buf ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_UNKNOWN,
                         "file descriptor %d is not external memory", fd);
    }
    CUresult result = memory_new(context, fd, &made);
    if (result != CUDA_SUCCESS)
        return result;
    made->is_dma_buf = is_dma_buf;
    made->is_dedicated = is_dedicated;
    made->size_bytes = size_bytes;
    made->file = file;
    close_given(fd);
    cup_context_add_child(context, &made->child, &made->base, memory_end);
    cup_object_publish(&made->base);
    *memory = made;
    return CUDA_SUCCESS;
}

CUresult cup_external_memory_find(CUexternalMemory handle, struct CUextMemory_st **memory)
{
    struct cup_object *object;

    if (cup_object_find(CUP_OBJECT_EXTERNAL_MEMORY, handle, &object) != CUDA_SUCCESS)
        return cup_error(cup_object_was(CUP_OBJECT_EXTERNAL_MEMORY, handle)
                             ? CUDA_ERROR_INVALID_HANDLE
                             : CUDA_ERROR_INVALID_VALUE,
                         "%p is not an external memory", (void *)handle);
    *memory = (struct CUextMemory_st *)object;
    return CUDA_SUCCESS;
}

bool cup_external_memory_destroy(struct CUextMemory_st *memory, enum cup_retire_reason reason)
{
    if (!cup_object_retire(&memory->base, reason))
        return false;
    cup_external_memory_unref(memory); /* the handle's reference */
    return true;
}

/* Sums wrap as in NVIDIA's driver; sizes beyond any address space are a separate error. */
static CUresult check_bounds(const struct CUextMemory_st *memory, uint64_t offset,
                             uint64_t size_bytes)
{
    if (size_bytes == 0 || offset >= memory->size_bytes ||
        offset + size_bytes > memory->size_bytes || (memory->is_dedicated && offset != 0))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid range of %llu bytes at offset %llu in memory of %llu bytes",
                         (unsigned long long)size_bytes, (unsigned long long)offset,
                         (unsigned long long)memory->size_bytes);
    if (size_bytes >= ADDRESS_SPACE_BYTES)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%llu bytes cannot be mapped",
                         (unsigned long long)size_bytes);
    if (offset >= ADDRESS_SPACE_BYTES ||
        !cup_foreign_holds(memory->fd, &memory->file, offset + size_bytes))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%llu bytes at offset %llu exceed the file",
                         (unsigned long long)size_bytes, (unsigned long long)offset);
    return CUDA_SUCCESS;
}

/* Streams access the memory at any time, so CPU access to a dma-buf begins when it is mapped and
 * never ends. Memory files do not need this. */
static void begin_access(const struct CUextMemory_st *memory)
{
    struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW};
    int saved = errno;

    if (memory->is_dma_buf && ioctl(memory->fd, DMA_BUF_IOCTL_SYNC, &sync) != 0 && errno != ENOTTY)
        cup_log(CUP_LOG_WARNING, "a dma-buf cannot be synchronised: %s", strerror(errno));
    errno = saved;
}

CUresult cup_external_memory_map_buffer(struct CUextMemory_st *memory, uint64_t offset,
                                        uint64_t size_bytes, uint64_t *address)
{
    CUresult result = check_bounds(memory, offset, size_bytes);

    if (result == CUDA_SUCCESS)
        result = cup_extmem_map(memory->context, memory->fd, memory->file.location.offset, offset,
                                size_bytes, address);
    if (result == CUDA_SUCCESS)
        begin_access(memory);
    return result;
}

CUresult cup_external_memory_map_image(struct CUextMemory_st *memory, uint64_t offset,
                                       const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels,
                                       struct CUmipmappedArray_st **mipmap)
{
    uint64_t page = cup_page_bytes(), in_page = offset % page;
    struct cup_box boxes[CUP_LEVELS_MAX];
    struct cup_shape shape;

    cup_shape_init(&shape, descriptor, true, levels);
    uint64_t bytes = cup_foreign_boxes(memory->file.maker, &shape, in_page, boxes);
    CUresult result = check_bounds(memory, offset, bytes);
    if (result != CUDA_SUCCESS)
        return result;
    void *mapped = cup_memfd_map_at(memory->fd, memory->file.location.offset + (offset - in_page),
                                    in_page + bytes);
    if (!mapped)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%llu bytes of a file cannot be mapped",
                         (unsigned long long)bytes);
    for (unsigned level = 0; level < shape.levels; level++)
        boxes[level].base += (uint64_t)(uintptr_t)mapped;
    return cup_mipmap_create_mapped(memory->context, descriptor, levels, boxes, mapped,
                                    in_page + bytes, mipmap);
}
