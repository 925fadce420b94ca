/* SPDX-License-Identifier: MIT */
/* A block of another process is an area (import_records.h); its opened allocations are records.
 * Closed blocks stay on the list, most recently used first, until there are too many. */
#include "memory/imported.h"

#include "core/align.h"
#include "core/checks.h"
#include "core/compiler.h"
#include "core/error.h"
#include "core/lock.h"
#include "device/context.h"
#include "memory/import_records.h"
#include "memory/share_piece.h"
#include "os/clock.h"
#include "os/memfd.h"
#include "os/page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    CLOSED_BLOCKS_MOST = 16,      /* that stay mapped */
    CLOSED_BYTES_MOST = 64 << 20, /* likewise, in all */
    LOOK_AGAIN_NS = 1000000,      /* whether their exporter has freed them */
};

struct imported_block {
    struct cup_import_area area; /* first member: the address map refers to it */
    struct imported_block *next; /* all blocks, last used first; guarded by the import lock */
    uint64_t inode, process;     /* identify the file while it is mapped */
    uint32_t file_device;
    uint32_t open_records;               /* with opened > 0; guarded by the import lock */
    const struct cup_share_label *label; /* mapped, so that the exporter's updates are visible */
};

static struct imported_block *blocks; /* guarded by the import lock */

/* Removes the block from the list, unmaps its memory and removes its records. */
static void block_end_locked(struct imported_block *block)
{
    cup_lock_assert_held(&cup_import_lock);
    struct imported_block **link = &blocks;

    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    munmap((void *)(uintptr_t)block->label, CUP_MEMFD_LABEL_BYTES);
    cup_import_area_close_locked(&block->area);
    free(block);
}

static bool is_live(const struct imported_block *block)
{
    bool live = false;

    for (size_t word = 0; word < CUP_CHUNK_GRANULES / 64 && !live; word++)
        live = atomic_load(&block->label->live[word]) != 0;
    return live;
}

/* The first look at a label is a page fault, which takes as long as all other steps of opening a
 * block. So closed blocks are looked at once a while, which most are not there for if a program
 * opens many. */
static bool is_time_to_look_locked(void)
{
    cup_lock_assert_held(&cup_import_lock);
    static uint64_t looked_ns; /* guarded by the import lock */
    uint64_t now_ns = cup_clock_ns();

    if (now_ns - looked_ns < LOOK_AGAIN_NS)
        return false;
    looked_ns = now_ns;
    return true;
}

/* Unmaps closed blocks that the exporter has freed, and those that exceed the limits. */
static void tidy_locked(void)
{
    cup_lock_assert_held(&cup_import_lock);
    uint64_t count = 0, bytes = 0;
    bool looks = is_time_to_look_locked();

    for (struct imported_block *block = blocks, *next; block; block = next) {
        next = block->next;
        if (block->open_records)
            continue;
        if ((looks && !is_live(block)) || count + 1 > CLOSED_BLOCKS_MOST ||
            bytes + block->area.size_bytes > CLOSED_BYTES_MOST) {
            block_end_locked(block);
        } else {
            count++;
            bytes += block->area.size_bytes;
        }
    }
}

static bool is_block_of(const struct imported_block *block, const struct cup_ipcfile_handle *handle)
{
    return block->inode == handle->inode && block->file_device == handle->device &&
           block->process == handle->process;
}

static struct imported_block *find_block_locked(const struct cup_ipcfile_handle *handle)
{
    cup_lock_assert_held(&cup_import_lock);
    struct imported_block *block = blocks;

    while (block && !is_block_of(block, handle))
        block = block->next;
    return block;
}

/* Checks the contents of a handle against the block's label. */
static CUresult validate(const struct cup_ipcfile_handle *handle,
                         const struct cup_share_label *label, uint64_t size_bytes)
{
    if (!cup_share_is_label(label, size_bytes) ||
        !cup_ipcfile_verify(handle, CUP_IPCFILE_MEMORY, &label->key))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the handle is not valid");
    if (handle->extra == 0 || handle->extra > size_bytes ||
        handle->offset > size_bytes - handle->extra)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the handle's range exceeds the shared memory");
    if (!cup_share_is_live(label, handle->offset))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the memory has been freed");
    return CUDA_SUCCESS;
}

/* Maps the memory and its label. */
static CUresult map_locked(int fd, struct imported_block *block)
{
    cup_lock_assert_held(&cup_import_lock);
    void *label =
        mmap(NULL, CUP_MEMFD_LABEL_BYTES, PROT_READ, MAP_SHARED, fd, (off_t)block->area.size_bytes);

    if (label != MAP_FAILED &&
        cup_import_area_open_locked(&block->area, fd, 0, block->area.size_bytes)) {
        block->label = label;
        return CUDA_SUCCESS;
    }
    if (label != MAP_FAILED)
        munmap(label, CUP_MEMFD_LABEL_BYTES);
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no address space for shared memory");
}

static CUresult block_add_locked(struct CUctx_st *context, const struct cup_ipcfile_handle *handle,
                                 int fd, uint64_t size_bytes, struct cup_device *device,
                                 struct imported_block **added)
{
    cup_lock_assert_held(&cup_import_lock);
    struct imported_block *block = calloc(1, sizeof(*block));

    if (!block)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a block");
    *block = (struct imported_block){.area = {.kind = CUP_RANGE_IPC,
                                              .owner = cup_object_index(&context->base),
                                              .device = device,
                                              .size_bytes = size_bytes},
                                     .inode = handle->inode,
                                     .process = handle->process,
                                     .file_device = handle->device};
    CUresult result = map_locked(fd, block);
    if (result != CUDA_SUCCESS) {
        free(block);
        return result;
    }
    block->next = blocks;
    blocks = block;
    *added = block;
    return CUDA_SUCCESS;
}

/* Memory of another device is accessible as after cuCtxEnablePeerAccess. */
static CUresult reach(struct CUctx_st *context, const struct cup_device *device)
{
    if (!device)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "the memory's device is not visible here");
    if (device == context->device)
        return CUDA_SUCCESS;
    if (!cup_device_linked(context->device, device))
        return cup_error(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
                         "the memory's device is not linked to this one");
    atomic_fetch_or(&context->peers, UINT64_C(1) << device->physical);
    return CUDA_SUCCESS;
}

static CUresult open_file_locked(struct CUctx_st *context, const struct cup_ipcfile_handle *handle,
                                 int fd, uint64_t file_bytes, struct imported_block **block)
{
    cup_lock_assert_held(&cup_import_lock);
    struct cup_share_label label;
    uint64_t size_bytes;

    if (!cup_memfd_read_opened(fd, file_bytes, &size_bytes, &label, sizeof(label)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the handle refers to another file");
    CUresult result = validate(handle, &label, size_bytes);
    if (result != CUDA_SUCCESS)
        return result;
    if (handle->process == cup_ipcfile_self())
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "the memory was allocated by this process");
    struct cup_device *device = cup_device_with_uuid(&label.device_uuid);
    result = reach(context, device);
    if (result != CUDA_SUCCESS)
        return result;
    return block_add_locked(context, handle, fd, size_bytes, device, block);
}

static CUresult open_block_locked(struct CUctx_st *context, const struct cup_ipcfile_handle *handle,
                                  struct imported_block **block)
{
    cup_lock_assert_held(&cup_import_lock);
    *block = find_block_locked(handle);
    if (*block) {
        CUresult result = validate(handle, (*block)->label, (*block)->area.size_bytes);
        if (result == CUDA_SUCCESS && (*block)->area.owner != cup_object_index(&context->base))
            result = cup_error(CUDA_ERROR_INVALID_CONTEXT,
                               "the memory is already open in another context");
        return result;
    }
    uint64_t file_bytes;
    int fd = cup_ipcfile_open(handle, CUP_IPCFILE_MEMORY, &file_bytes);
    if (fd < 0 && cup_ipcfile_is_stale(handle, CUP_IPCFILE_MEMORY))
        return cup_error(CUDA_ERROR_INVALID_HANDLE,
                         "the process that created the handle has ended");
    if (fd < 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the object of the handle does not exist any more");
    CUresult result = open_file_locked(context, handle, fd, file_bytes, block);
    close(fd);
    return result;
}

/* The allocation's record. A record of another size at its address describes memory that was freed
 * since. */
static struct cup_import_record *find_or_add_record_locked(const struct imported_block *block,
                                                           uint64_t offset, uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_import_lock);
    struct cup_import_record *record = cup_import_record_first_locked(&block->area);

    while (record &&
           (record->base != block->area.base + offset || record->size_bytes != size_bytes))
        record = cup_import_record_next_locked(record);
    return record ? record : cup_import_record_add_locked(&block->area, offset, size_bytes);
}

/* With CUPIPE_CHECK=memory only the pages of open allocations are accessible. */
static void protect_locked(const struct imported_block *block)
{
    cup_lock_assert_held(&cup_import_lock);
    if (cup_likely(!cup_checks.redzones))
        return;
    mprotect((void *)(uintptr_t)block->area.base, block->area.size_bytes, PROT_NONE);
    for (struct cup_import_record *record = cup_import_record_first_locked(&block->area); record;
         record = cup_import_record_next_locked(record)) {
        uint64_t first = cup_align_down(record->base, cup_page_bytes());

        if (record->opened)
            mprotect((void *)(uintptr_t)first, record->base + record->size_bytes - first,
                     PROT_READ | PROT_WRITE);
    }
}

static CUresult open_locked(struct CUctx_st *context, const struct cup_ipcfile_handle *handle,
                            uint64_t *address)
{
    cup_lock_assert_held(&cup_import_lock);
    struct imported_block *block;
    CUresult result = open_block_locked(context, handle, &block);

    if (result != CUDA_SUCCESS)
        return result;
    struct cup_import_record *record =
        find_or_add_record_locked(block, handle->offset, handle->extra);
    if (!record)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "too many allocations are open");
    cup_import_record_raise_locked(&block->area, record);
    if (record->opened++ == 0) {
        block->open_records++;
        protect_locked(block);
    }
    *address = record->base;
    return CUDA_SUCCESS;
}

CUresult cup_imported_open(struct CUctx_st *context, const struct cup_ipcfile_handle *handle,
                           uint64_t *address)
{
    cup_lock_acquire(&cup_import_lock);
    tidy_locked();
    CUresult result = open_locked(context, handle, address);
    cup_lock_release(&cup_import_lock);
    return result;
}

/* The block closed last moves to the front of the list and is evicted last. */
static void move_to_front_locked(struct imported_block *block)
{
    cup_lock_assert_held(&cup_import_lock);
    struct imported_block **link = &blocks;

    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    block->next = blocks;
    blocks = block;
}

/* The open allocation of another process that begins there, and its block; NULL if none. */
static struct cup_import_record *open_record_locked(uint64_t address, struct imported_block **block)
{
    cup_lock_assert_held(&cup_import_lock);
    struct cup_import_area *area = cup_import_area_at_locked(address);

    if (!area || area->kind != CUP_RANGE_IPC)
        return NULL;
    *block = (struct imported_block *)area;
    struct cup_import_record *record = cup_import_record_first_locked(area);
    while (record && (record->base != address || record->opened == 0))
        record = cup_import_record_next_locked(record);
    return record;
}

bool cup_imported_owner(uint64_t address, uint32_t *owner)
{
    struct imported_block *block;

    cup_lock_acquire(&cup_import_lock);
    bool is_open = open_record_locked(address, &block) != NULL;
    if (is_open)
        *owner = block->area.owner;
    cup_lock_release(&cup_import_lock);
    return is_open;
}

CUresult cup_imported_close(uint64_t address)
{
    CUresult result = CUDA_SUCCESS;
    struct imported_block *block;

    cup_lock_acquire(&cup_import_lock);
    struct cup_import_record *record = open_record_locked(address, &block);
    if (!record) {
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the start of open memory",
                           (unsigned long long)address);
    } else if (--record->opened == 0) {
        block->open_records--;
        protect_locked(block);
        move_to_front_locked(block);
    }
    tidy_locked();
    cup_lock_release(&cup_import_lock);
    return result;
}

void cup_imported_close_owned(uint32_t owner)
{
    cup_lock_acquire(&cup_import_lock);
    for (struct imported_block *block = blocks, *next; block; block = next) {
        next = block->next;
        if (block->area.owner == owner)
            block_end_locked(block);
    }
    cup_lock_release(&cup_import_lock);
}
