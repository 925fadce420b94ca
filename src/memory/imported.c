/* SPDX-License-Identifier: MIT */
/* Address space comes in arenas (import_space.h). A unit of 2 MiB heads the list of the opened
 * allocations in it; a large one is alone in all of its units. Writers take the lock; readers take
 * none: they note the version, follow the list, and begin again if a writer was there meanwhile. */
#include "memory/imported.h"

#include "core/compiler.h"
#include "core/error.h"
#include "core/lock.h"
#include "device/context.h"
#include "memory/import_space.h"
#include "memory/map.h"
#include "memory/share.h"
#include "os/memory_file.h"
#include "os/reserve.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    RECORD_COUNT_MAX = 1 << 20,
    LIST_STEPS_MAX = 1 << 13,     /* more allocations than fit in a block: the list was changing */
    CLOSED_BLOCKS_MOST = 16,      /* that stay mapped */
    CLOSED_BYTES_MOST = 64 << 20, /* likewise, in all */
};

/* An allocation that was opened. Index 0 is nobody's: it ends the lists. */
struct record {
    _Atomic(uint64_t) base, size_bytes;
    _Atomic(uint64_t) buffer_id;
    _Atomic(uint64_t) block_base, block_bytes, block_id;
    _Atomic(struct cup_device *) device;
    _Atomic(uint32_t) owner; /* the context it was opened for: cup_object_index */
    _Atomic(uint32_t) flags;
    _Atomic(uint32_t) next; /* in the block */
    uint32_t opened;        /* how often, less how often closed; guarded by lock */
};

struct cup_import_block {
    struct cup_import_block *next; /* all blocks, last used first; guarded by lock */
    uint64_t inode, process;       /* which file it is; mapped, it stays that */
    uint32_t file_device;
    uint32_t owner;        /* as of its records */
    uint32_t open_records; /* with opened > 0; guarded by lock */
    uint64_t base, size_bytes, id;
    struct cup_device *device;
    const struct cup_share_label *label; /* mapped, so that what its maker writes is seen */
};

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_IMPORT);
static _Atomic(uint32_t) version;              /* odd while a writer is at work */
static struct cup_import_block *blocks;        /* guarded by lock */
static struct record *records;                 /* written once */
static uint32_t record_count = 1, record_free; /* guarded by lock */

static bool find_once(struct cup_import_arena *arena, uint64_t address, struct cup_range *range)
{
    uint32_t index = atomic_load(&arena->heads[cup_import_unit(arena, address)]);

    for (int steps = 0; index && steps < LIST_STEPS_MAX; steps++) {
        const struct record *record = &records[index];
        range->base = atomic_load(&record->base);
        range->size_bytes = atomic_load(&record->size_bytes);
        if (address - range->base < range->size_bytes) {
            range->kind = CUP_RANGE_IPC;
            range->flags = atomic_load(&record->flags);
            range->buffer_id = atomic_load(&record->buffer_id);
            range->owner = atomic_load(&record->owner);
            range->device = atomic_load(&record->device);
            range->block_base = atomic_load(&record->block_base);
            range->block_bytes = atomic_load(&record->block_bytes);
            range->block_id = atomic_load(&record->block_id);
            return true;
        }
        index = atomic_load(&record->next);
    }
    return false;
}

static bool imported_describe(struct cup_region *region, uint64_t address, struct cup_range *range)
{
    for (;;) {
        uint32_t before = atomic_load(&version);
        bool found = find_once((struct cup_import_arena *)region, address, range);
        cup_load_fence();
        if (before % 2 == 0 && atomic_load(&version) == before)
            return found;
        cup_relax();
    }
}

static bool imported_find(struct cup_region *region, uint64_t address, struct cup_span *span)
{
    struct cup_range range;

    if (!imported_describe(region, address, &range))
        return false;
    *span = cup_range_span(&range);
    return true;
}

/* The record the address is in, 0 if none. */
static uint32_t record_at_locked(const struct cup_import_arena *arena, uint64_t address)
{
    uint32_t index = atomic_load(&arena->heads[cup_import_unit(arena, address)]);

    while (index && address - records[index].base >= records[index].size_bytes)
        index = atomic_load(&records[index].next);
    return index;
}

static bool imported_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on)
{
    cup_lock_acquire(&lock);
    uint32_t index = record_at_locked((struct cup_import_arena *)region, address);
    if (index && on)
        atomic_fetch_or(&records[index].flags, flag);
    else if (index)
        atomic_fetch_and(&records[index].flags, ~flag);
    cup_lock_release(&lock);
    return index != 0;
}

static void write_begin(void)
{
    atomic_fetch_add(&version, 1);
}

static void write_end(void)
{
    atomic_fetch_add(&version, 1);
}

static const struct cup_region region_functions = {
    .find = imported_find,
    .describe = imported_describe,
    .set_flag = imported_set_flag,
};

/* A place for a block, and what is needed to have one at all; 0 when the address space is full. */
static uint64_t space_take_locked(uint64_t size_bytes)
{
    if (!records)
        records = cup_reserve_shared("cupipe bookkeeping", RECORD_COUNT_MAX * sizeof(*records),
                                     4096, NULL);
    return records ? cup_import_space_take(&region_functions, size_bytes) : 0;
}

static void name_units_locked(const struct cup_import_block *named, struct cup_import_block *block)
{
    struct cup_import_arena *arena = cup_import_arena_at(named->base);
    uint32_t first = cup_import_unit(arena, named->base);

    for (uint32_t unit = first; unit < first + (named->size_bytes >> CUP_UNIT_SHIFT); unit++) {
        arena->blocks[unit] = block;
        atomic_store(&arena->heads[unit], 0);
    }
}

/* A record more in the block; a large allocation is alone and in all units. */
static uint32_t record_add_locked(const struct cup_import_block *block, uint64_t offset,
                                  uint64_t size_bytes)
{
    struct cup_import_arena *arena = cup_import_arena_at(block->base);
    uint32_t index = record_free, first = cup_import_unit(arena, block->base);

    if (index)
        record_free = atomic_load(&records[index].next);
    else if (record_count < RECORD_COUNT_MAX)
        index = record_count++;
    if (!index)
        return 0;
    write_begin();
    atomic_store(&records[index].base, block->base + offset);
    atomic_store(&records[index].size_bytes, size_bytes);
    atomic_store(&records[index].buffer_id, cup_map_next_id());
    atomic_store(&records[index].flags, 0);
    atomic_store(&records[index].owner, block->owner);
    atomic_store(&records[index].device, block->device);
    atomic_store(&records[index].block_base, block->base);
    atomic_store(&records[index].block_bytes, block->size_bytes);
    atomic_store(&records[index].block_id, block->id);
    atomic_store(&records[index].next, atomic_load(&arena->heads[first]));
    records[index].opened = 0;
    for (uint32_t unit = first; unit < first + (block->size_bytes >> CUP_UNIT_SHIFT); unit++)
        atomic_store(&arena->heads[unit], index);
    write_end();
    return index;
}

/* Takes the block off the list, its memory out of the address space, and its allocations away. */
static void block_end_locked(struct cup_import_block *block)
{
    struct cup_import_block **link = &blocks;
    struct cup_import_arena *arena = cup_import_arena_at(block->base);
    uint32_t index = atomic_load(&arena->heads[cup_import_unit(arena, block->base)]);

    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    write_begin();
    name_units_locked(block, NULL);
    while (index) {
        uint32_t next = atomic_load(&records[index].next);
        atomic_store(&records[index].size_bytes, 0);
        atomic_store(&records[index].next, record_free);
        record_free = index;
        index = next;
    }
    write_end();
    munmap((void *)(uintptr_t)block->label, CUP_MEMORY_FILE_LABEL_BYTES);
    if (cup_reserve_detach((void *)(uintptr_t)block->base, block->size_bytes))
        cup_import_space_give(block->base, block->size_bytes); /* else the addresses are lost */
    free(block);
}

/* Of what is closed, ends what its maker has freed, and what is too much to keep. */
static void tidy_locked(void)
{
    uint64_t count = 0, bytes = 0;

    for (struct cup_import_block *block = blocks, *next; block; block = next) {
        next = block->next;
        if (block->open_records)
            continue;
        bool live = false;
        for (size_t word = 0; word < CUP_UNIT_CELLS / 64 && !live; word++)
            live = atomic_load(&block->label->live[word]) != 0;
        if (!live || count + 1 > CLOSED_BLOCKS_MOST ||
            bytes + block->size_bytes > CLOSED_BYTES_MOST) {
            block_end_locked(block);
        } else {
            count++;
            bytes += block->size_bytes;
        }
    }
}

static struct cup_device *device_with_uuid(const CUuuid *uuid)
{
    for (unsigned i = 0; i < cup_device_count(); i++) {
        struct cup_device *device = cup_device_get((CUdevice)i);
        if (memcmp(&device->uuid, uuid, sizeof(*uuid)) == 0)
            return device;
    }
    return NULL;
}

static bool is_block_of(const struct cup_import_block *block, const struct cup_peer_handle *handle)
{
    return block->inode == handle->inode && block->file_device == handle->device &&
           block->process == handle->process;
}

static struct cup_import_block *find_block_locked(const struct cup_peer_handle *handle)
{
    struct cup_import_block *block = blocks;

    while (block && !is_block_of(block, handle))
        block = block->next;
    return block;
}

/* Everything a handle says about the memory, held against what the block's label says. */
static CUresult judge(const struct cup_peer_handle *handle, const struct cup_share_label *label,
                      uint64_t size_bytes)
{
    if (!cup_share_is_label(label, size_bytes) ||
        !cup_peer_verify(handle, CUP_PEER_MEMORY, &label->key))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the handle is damaged or invented");
    if (handle->extra == 0 || handle->extra > size_bytes ||
        handle->offset > size_bytes - handle->extra)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the handle names more than there is");
    if (!cup_share_is_live(label, handle->offset))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the memory has been freed");
    return CUDA_SUCCESS;
}

/* Maps the memory and its label, at a place of ours. */
static CUresult map_locked(int fd, struct cup_import_block *block)
{
    void *label = mmap(NULL, CUP_MEMORY_FILE_LABEL_BYTES, PROT_READ, MAP_SHARED, fd,
                       (off_t)block->size_bytes);
    uint64_t base = label != MAP_FAILED ? space_take_locked(block->size_bytes) : 0;

    if (base && mmap((void *)(uintptr_t)base, block->size_bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0) != MAP_FAILED) {
        block->base = base;
        block->label = label;
        return CUDA_SUCCESS;
    }
    if (base)
        cup_import_space_give(base, block->size_bytes);
    if (label != MAP_FAILED)
        munmap(label, CUP_MEMORY_FILE_LABEL_BYTES);
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no address space for shared memory");
}

static CUresult block_add_locked(struct CUctx_st *context, const struct cup_peer_handle *handle,
                                 int fd, uint64_t size_bytes, struct cup_device *device,
                                 struct cup_import_block **added)
{
    struct cup_import_block *block = calloc(1, sizeof(*block));

    if (!block)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a block");
    *block = (struct cup_import_block){.inode = handle->inode,
                                       .process = handle->process,
                                       .file_device = handle->device,
                                       .owner = cup_object_index(&context->base),
                                       .size_bytes = size_bytes,
                                       .id = cup_map_next_block_id(),
                                       .device = device};
    CUresult result = map_locked(fd, block);
    if (result != CUDA_SUCCESS) {
        free(block);
        return result;
    }
    write_begin();
    name_units_locked(block, block);
    write_end();
    block->next = blocks;
    blocks = block;
    *added = block;
    return CUDA_SUCCESS;
}

/* Memory of another device is reached as after cuCtxEnablePeerAccess. */
static CUresult reach(struct CUctx_st *context, const struct cup_device *device)
{
    if (!device)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "the memory's device is not visible here");
    if (device == context->device)
        return CUDA_SUCCESS;
    if (!cup_device_linked(context->device, device))
        return cup_error(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "no link to the memory's device");
    atomic_fetch_or(&context->peers, UINT64_C(1) << device->physical);
    return CUDA_SUCCESS;
}

static CUresult open_file_locked(struct CUctx_st *context, const struct cup_peer_handle *handle,
                                 int fd, struct cup_import_block **block)
{
    struct cup_share_label label;
    uint64_t size_bytes;

    if (!cup_memory_file_read(fd, &size_bytes, &label, sizeof(label)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the handle names another file");
    CUresult result = judge(handle, &label, size_bytes);
    if (result != CUDA_SUCCESS)
        return result;
    if (handle->process == cup_peer_self())
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "the memory is this process's own");
    struct cup_device *device = device_with_uuid(&label.device_uuid);
    result = reach(context, device);
    if (result != CUDA_SUCCESS)
        return result;
    return block_add_locked(context, handle, fd, size_bytes, device, block);
}

static CUresult open_block_locked(struct CUctx_st *context, const struct cup_peer_handle *handle,
                                  struct cup_import_block **block)
{
    *block = find_block_locked(handle);
    if (*block) {
        CUresult result = judge(handle, (*block)->label, (*block)->size_bytes);
        if (result == CUDA_SUCCESS && (*block)->owner != cup_object_index(&context->base))
            result = cup_error(CUDA_ERROR_INVALID_CONTEXT, "open for another context");
        return result;
    }
    int fd = cup_peer_open(handle, CUP_PEER_MEMORY);
    if (fd < 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the handle names nothing that is there");
    CUresult result = open_file_locked(context, handle, fd, block);
    close(fd);
    return result;
}

/* The allocation's record; one of another size at its place is of memory that was freed since. */
static uint32_t find_or_add_record_locked(const struct cup_import_block *block, uint64_t offset,
                                          uint64_t size_bytes)
{
    struct cup_import_arena *arena = cup_import_arena_at(block->base);
    uint32_t index = atomic_load(&arena->heads[cup_import_unit(arena, block->base)]);

    while (index &&
           (records[index].base != block->base + offset || records[index].size_bytes != size_bytes))
        index = atomic_load(&records[index].next);
    return index ? index : record_add_locked(block, offset, size_bytes);
}

static CUresult open_locked(struct CUctx_st *context, const struct cup_peer_handle *handle,
                            uint64_t *address)
{
    struct cup_import_block *block;
    CUresult result = open_block_locked(context, handle, &block);

    if (result != CUDA_SUCCESS)
        return result;
    uint32_t index = find_or_add_record_locked(block, handle->offset, handle->extra);
    if (!index)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "too many allocations are open");
    if (records[index].opened++ == 0)
        block->open_records++;
    *address = records[index].base;
    return CUDA_SUCCESS;
}

CUresult cup_imported_open(struct CUctx_st *context, const struct cup_peer_handle *handle,
                           uint64_t *address)
{
    cup_lock_acquire(&lock);
    tidy_locked();
    CUresult result = open_locked(context, handle, address);
    cup_lock_release(&lock);
    return result;
}

/* What was closed last is first on the list, and the last to go. */
static void move_to_front_locked(struct cup_import_block *block)
{
    struct cup_import_block **link = &blocks;

    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    block->next = blocks;
    blocks = block;
}

/* The open allocation that begins there, 0 if none. */
static uint32_t open_record_locked(const struct cup_import_arena *arena, uint64_t address)
{
    uint32_t index = atomic_load(&arena->heads[cup_import_unit(arena, address)]);

    while (index && (records[index].base != address || records[index].opened == 0))
        index = atomic_load(&records[index].next);
    return index;
}

CUresult cup_imported_close(uint64_t address)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&lock);
    struct cup_import_arena *arena = cup_import_arena_at(address);
    uint32_t index = arena ? open_record_locked(arena, address) : 0;
    if (!index) {
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the start of open memory",
                           (unsigned long long)address);
    } else if (--records[index].opened == 0) {
        struct cup_import_block *block = arena->blocks[cup_import_unit(arena, address)];
        block->open_records--;
        move_to_front_locked(block);
    }
    tidy_locked();
    cup_lock_release(&lock);
    return result;
}

void cup_imported_close_owned(uint32_t owner)
{
    cup_lock_acquire(&lock);
    for (struct cup_import_block *block = blocks, *next; block; block = next) {
        next = block->next;
        if (block->owner == owner)
            block_end_locked(block);
    }
    cup_lock_release(&lock);
}
