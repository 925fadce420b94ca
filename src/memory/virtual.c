/* SPDX-License-Identifier: MIT */
/* Each chunk of 2 MiB names the mapping that it belongs to; mappings are described in a table that
 * is never unmapped. Writers take the lock; readers take none. A mapping has an id that is never
 * reused. Its description is written before the id, and the id before the chunks that name it;
 * removal clears them in reverse order. So a reader that finds chunk and id unchanged after reading
 * the description has read that of one mapping. Rights and flags may change meanwhile, one word at
 * a time. */
#include "memory/virtual.h"

#include "core/checks.h"
#include "core/compiler.h"
#include "core/error.h"
#include "core/lock.h"
#include "device/access.h"
#include "device/device.h"
#include "memory/bitmap.h"
#include "memory/physical.h"
#include "memory/share_piece.h"
#include "memory/space.h"
#include "memory/virtual_mapping.h"
#include "os/dma_buffer.h"
#include "os/reserve.h"

#include <stdatomic.h>

enum { MAPPING_COUNT_MAX = 1 << 22 };

static struct cup_mapping *mappings; /* index 0 is unused; written once, before chunks_published */
static _Atomic(uint32_t) *mapping_of_chunk; /* likewise */
static _Atomic(bool) chunks_published;
static uint64_t *mapped_bits;              /* a bit a chunk; guarded by cup_virtual_lock */
static uint32_t mapping_count = 1, unused; /* guarded by cup_virtual_lock */

static bool describe_once(uint64_t address, struct cup_range *range)
{
    if (!atomic_load_explicit(&chunks_published, memory_order_acquire))
        return false;
    _Atomic(uint32_t) *chunk = &mapping_of_chunk[cup_space_chunk_of(address)];
    uint32_t index = atomic_load_explicit(chunk, memory_order_acquire);
    const struct cup_mapping *mapping = &mappings[index];

    if (index == 0)
        return false;
    range->buffer_id = atomic_load_explicit(&mapping->id, memory_order_acquire);
    range->base = atomic_load_explicit(&mapping->base, memory_order_relaxed);
    range->size_bytes = atomic_load_explicit(&mapping->size_bytes, memory_order_relaxed);
    range->flags = atomic_load_explicit(&mapping->flags, memory_order_relaxed);
    range->read_by = atomic_load_explicit(&mapping->read_by, memory_order_relaxed);
    range->write_by = atomic_load_explicit(&mapping->write_by, memory_order_relaxed);
    range->block_id = atomic_load_explicit(&mapping->block_id, memory_order_relaxed);
    range->handle_types = atomic_load_explicit(&mapping->handle_types, memory_order_relaxed);
    range->device = atomic_load_explicit(&mapping->device, memory_order_relaxed);
    cup_load_fence();
    return range->buffer_id != 0 &&
           atomic_load_explicit(&mapping->id, memory_order_relaxed) == range->buffer_id &&
           atomic_load_explicit(chunk, memory_order_relaxed) == index;
}

static bool virtual_describe(struct cup_region *region, uint64_t address, struct cup_range *range)
{
    (void)region;
    if (!describe_once(address, range))
        return false; /* nothing there, or it ended meanwhile */
    range->kind = CUP_RANGE_VIRTUAL;
    range->owner = 0;
    range->block_base = range->base;
    range->block_bytes = range->size_bytes;
    return true;
}

static bool virtual_find(struct cup_region *region, uint64_t address, struct cup_span *span)
{
    struct cup_range range;

    (void)region;
    if (!describe_once(address, &range))
        return false;
    *span = (struct cup_span){range.base, range.size_bytes, CUP_RANGE_VIRTUAL, range.flags};
    return true;
}

static uint32_t index_at_locked(uint64_t address)
{
    cup_lock_assert_held(&cup_virtual_lock);
    if (!atomic_load(&chunks_published) || address >> CUP_SPACE_ADDRESS_BITS)
        return 0;
    return atomic_load_explicit(&mapping_of_chunk[cup_space_chunk_of(address)],
                                memory_order_relaxed);
}

static bool virtual_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on)
{
    (void)region;
    cup_lock_acquire(&cup_virtual_lock);
    uint32_t index = index_at_locked(address);
    if (index)
        cup_mapping_change_flag(&mappings[index], flag, on);
    cup_lock_release(&cup_virtual_lock);
    return index != 0;
}

static const struct cup_region region_functions = {
    .find = virtual_find,
    .describe = virtual_describe,
    .set_flag = virtual_set_flag,
};

/* Called at the first reservation. What was obtained before a failure is kept for the next
 * attempt. */
static bool init_locked(void)
{
    cup_lock_assert_held(&cup_virtual_lock);
    if (!mappings)
        mappings = cup_reserve_array(MAPPING_COUNT_MAX, sizeof(*mappings));
    if (!mapping_of_chunk)
        mapping_of_chunk = cup_reserve_array(CUP_SPACE_CHUNK_COUNT, sizeof(*mapping_of_chunk));
    if (!mapped_bits)
        mapped_bits = cup_reserve_array(CUP_SPACE_CHUNK_COUNT / 64, sizeof(*mapped_bits));
    if (!mappings || !mapping_of_chunk || !mapped_bits || !cup_space_init_locked(&region_functions))
        return false;
    atomic_store_explicit(&chunks_published, true, memory_order_release);
    return true;
}

CUresult cup_virtual_reserve(uint64_t size_bytes, uint64_t alignment, uint64_t hint,
                             uint64_t *address)
{
    CUresult result;

    cup_lock_acquire(&cup_virtual_lock);
    if (init_locked())
        result = cup_space_reserve_locked(size_bytes, alignment, hint, address);
    else
        result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no address space for the table of mappings");
    cup_lock_release(&cup_virtual_lock);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && cup_check_quarantine_emptied())
        return cup_virtual_reserve(size_bytes, alignment, hint, address);
    return result;
}

static void kept_release(const struct cup_quarantined *kept)
{
    cup_lock_acquire(&cup_virtual_lock);
    cup_space_give_locked(kept->address, kept->size_bytes);
    cup_lock_release(&cup_virtual_lock);
}

static void free_locked(uint64_t address, uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_virtual_lock);
    struct cup_quarantined kept = {
        .address = address, .size_bytes = size_bytes, .release = kept_release};

    cup_space_end_locked(address, size_bytes);
    if (cup_checks.redzones)
        cup_check_quarantined(&kept);
    else
        cup_space_give_locked(address, size_bytes);
}

CUresult cup_virtual_free(uint64_t address, uint64_t size_bytes)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&cup_virtual_lock);
    if (!cup_space_is_reservation_locked(address, size_bytes))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx + 0x%llx is not a reservation",
                           (unsigned long long)address, (unsigned long long)size_bytes);
    else if (!cup_bits_are(mapped_bits, cup_space_chunk_of(address), cup_space_chunk_of(size_bytes),
                           false))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "part of the range is still mapped");
    else
        free_locked(address, size_bytes);
    cup_lock_release(&cup_virtual_lock);
    return result;
}

void cup_virtual_reservation_at(uint64_t address, uint64_t *base, uint64_t *size_bytes)
{
    cup_lock_acquire(&cup_virtual_lock);
    uint64_t start = address & ~(uint64_t)(CUP_SPACE_CHUNK_BYTES - 1), bytes = 0;
    while (cup_space_is_reserved_locked(start, CUP_SPACE_CHUNK_BYTES) &&
           (bytes = cup_space_reserved_bytes_locked(start)) == 0)
        start -= CUP_SPACE_CHUNK_BYTES;
    cup_lock_release(&cup_virtual_lock);
    if (bytes) {
        *base = start;
        *size_bytes = bytes;
    }
}

uint64_t cup_virtual_reserved_bytes(uint64_t address)
{
    cup_lock_acquire(&cup_virtual_lock);
    uint64_t bytes = cup_space_reserved_bytes_locked(address);
    cup_lock_release(&cup_virtual_lock);
    return bytes;
}

static uint32_t mapping_take_locked(void)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint32_t index = unused;

    if (index)
        unused = mappings[index].next;
    else if (mapping_count < MAPPING_COUNT_MAX)
        index = mapping_count++;
    return index;
}

static unsigned flags_of(const struct cup_physical *physical)
{
    unsigned flags = CUP_RANGE_NO_READ | CUP_RANGE_NO_WRITE;

    if (physical->multicast)
        flags |= CUP_RANGE_MULTICAST;
    if (!physical->device)
        flags |= CUP_RANGE_ON_HOST;
    if (physical->properties.allocFlags.gpuDirectRDMACapable)
        flags |= CUP_RANGE_RDMA;
    if (physical->properties.allocFlags.usage & CU_MEM_CREATE_USAGE_HW_DECOMPRESS)
        flags |= CUP_RANGE_DECOMPRESS;
    return flags;
}

static void name_chunks_locked(uint64_t address, uint64_t size_bytes, uint32_t index)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint32_t first = cup_space_chunk_of(address), count = cup_space_chunk_of(size_bytes);

    for (uint32_t chunk = first; chunk < first + count; chunk++)
        atomic_store_explicit(&mapping_of_chunk[chunk], index, memory_order_release);
    cup_bits_write(mapped_bits, first, count, index != 0);
}

static void publish_locked(uint32_t index, uint64_t address, struct cup_physical *physical)
{
    cup_lock_assert_held(&cup_virtual_lock);
    struct cup_mapping *mapping = &mappings[index];

    cup_physical_ref(physical);
    mapping->physical = physical;
    atomic_store_explicit(&mapping->base, address, memory_order_release);
    atomic_store_explicit(&mapping->size_bytes, physical->size_bytes, memory_order_release);
    atomic_store_explicit(&mapping->read_by, 0, memory_order_release);
    atomic_store_explicit(&mapping->write_by, 0, memory_order_release);
    atomic_store_explicit(&mapping->block_id, physical->block_id, memory_order_release);
    atomic_store_explicit(&mapping->flags, flags_of(physical), memory_order_release);
    atomic_store_explicit(&mapping->handle_types,
                          physical->properties.requestedHandleTypes &
                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                          memory_order_release);
    atomic_store_explicit(&mapping->device, physical->device, memory_order_release);
    atomic_store_explicit(&mapping->id, cup_map_next_id(), memory_order_release);
    cup_access_mark(address, physical->size_bytes, cup_access_class_of_set(0, 0));
    name_chunks_locked(address, physical->size_bytes, index);
}

static CUresult map_locked(uint64_t address, struct cup_physical *physical)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint64_t size = physical->size_bytes;

    if (!cup_space_is_reserved_locked(address, size))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx + 0x%llx is not reserved",
                         (unsigned long long)address, (unsigned long long)size);
    if (!cup_bits_are(mapped_bits, cup_space_chunk_of(address), cup_space_chunk_of(size), false))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "part of the range is already mapped");
    uint32_t index = mapping_take_locked();
    if (index == 0)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "too many mappings");
    if (!physical->multicast &&
        !cup_reserve_attach((void *)(uintptr_t)address, size, physical->fd, physical->offset)) {
        mappings[index].next = unused;
        unused = index;
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the system allows no more mappings");
    }
    publish_locked(index, address, physical);
    return CUDA_SUCCESS;
}

CUresult cup_virtual_map(uint64_t address, struct cup_physical *physical)
{
    cup_lock_acquire(&cup_virtual_lock);
    CUresult result = map_locked(address, physical);
    cup_lock_release(&cup_virtual_lock);
    return result;
}

struct cup_mapping *cup_mapping_next_locked(uint64_t *at, uint64_t end)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint32_t chunk = cup_bits_next(mapped_bits, cup_space_chunk_of(*at), cup_space_chunk_of(end));

    if (chunk == cup_space_chunk_of(end))
        return NULL;
    struct cup_mapping *mapping =
        &mappings[atomic_load_explicit(&mapping_of_chunk[chunk], memory_order_relaxed)];
    *at = mapping->base + mapping->size_bytes;
    return mapping;
}

/* Removes the mappings in the range and returns them as a list. */
static uint32_t remove_locked(uint64_t address, uint64_t end)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint32_t list = 0;
    struct cup_mapping *mapping;

    for (uint64_t at = address; at < end && (mapping = cup_mapping_next_locked(&at, end));) {
        name_chunks_locked(mapping->base, mapping->size_bytes, 0);
        cup_access_mark(mapping->base, mapping->size_bytes, CUP_ACCESS_OPEN);
        atomic_store_explicit(&mapping->id, 0, memory_order_release);
        mapping->next = list;
        list = (uint32_t)(mapping - mappings);
    }
    return list;
}

/* The range need not consist of whole chunks if the mappings in it are whole. */
static CUresult unmap_locked(uint64_t address, uint64_t size_bytes, uint32_t *list)
{
    cup_lock_assert_held(&cup_virtual_lock);
    const uint64_t chunk = CUP_SPACE_CHUNK_BYTES;
    uint64_t end = address + size_bytes, low = address & ~(chunk - 1);
    uint64_t high = (end + chunk - 1) & ~(chunk - 1), first = high, last = high;
    struct cup_mapping *mapping;

    if (size_bytes == 0 || end < address || high < end ||
        !cup_space_is_reserved_locked(low, high - low))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx + 0x%llx is not reserved",
                         (unsigned long long)address, (unsigned long long)size_bytes);
    for (uint64_t at = low; at < high && (mapping = cup_mapping_next_locked(&at, high));
         last = at) {
        if (!cup_mapping_is_inside(mapping, address, end))
            return cup_error(CUDA_ERROR_INVALID_VALUE, "part of a mapping cannot be unmapped");
        if (first == high)
            first = mapping->base;
    }
    if (first == high)
        return CUDA_SUCCESS;
    if (!cup_reserve_detach((void *)(uintptr_t)first, last - first))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the system allows no more mappings");
    *list = remove_locked(low, high);
    return CUDA_SUCCESS;
}

/* Drops the references on the memory without the lock, because that may free memory and take time;
 * then frees the list entries. */
static void retire_list(uint32_t list)
{
    uint32_t last = list;

    for (uint32_t index = list; index; index = mappings[index].next) {
        cup_physical_unref(mappings[index].physical);
        last = index;
    }
    cup_lock_acquire(&cup_virtual_lock);
    mappings[last].next = unused;
    unused = list;
    cup_lock_release(&cup_virtual_lock);
}

CUresult cup_virtual_unmap(uint64_t address, uint64_t size_bytes)
{
    uint32_t list = 0;

    cup_lock_acquire(&cup_virtual_lock);
    CUresult result = unmap_locked(address, size_bytes, &list);
    cup_lock_release(&cup_virtual_lock);
    if (list)
        retire_list(list);
    return result;
}

CUresult cup_virtual_retain(uint64_t address, struct cup_physical **physical)
{
    cup_lock_acquire(&cup_virtual_lock);
    uint32_t index = index_at_locked(address);
    if (index) {
        *physical = mappings[index].physical;
        cup_physical_retain(*physical);
    }
    cup_lock_release(&cup_virtual_lock);
    if (!index)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "nothing is mapped at 0x%llx",
                         (unsigned long long)address);
    return CUDA_SUCCESS;
}

static struct cup_physical *find_object(uint64_t address, bool is_multicast, uint64_t *offset)
{
    struct cup_physical *found = NULL;

    cup_lock_acquire(&cup_virtual_lock);
    uint32_t index = index_at_locked(address);
    if (index && (mappings[index].physical->multicast != NULL) == is_multicast) {
        found = mappings[index].physical;
        *offset = address - mappings[index].base;
        cup_physical_ref(found);
    }
    cup_lock_release(&cup_virtual_lock);
    return found;
}

struct cup_physical *cup_virtual_find_memory(uint64_t address, uint64_t *offset)
{
    return find_object(address, false, offset);
}

struct cup_physical *cup_virtual_find_multicast(uint64_t address, uint64_t *offset)
{
    return find_object(address, true, offset);
}

/* True if the memory is mapped there and nowhere else. Rare enough to search all mappings. */
static bool is_alone_locked(const struct cup_mapping *mapping)
{
    cup_lock_assert_held(&cup_virtual_lock);
    if (atomic_load(&mapping->physical->bindings))
        return false;
    for (uint32_t index = 1; index < mapping_count; index++) {
        const struct cup_mapping *other = &mappings[index];
        if (other != mapping && atomic_load(&other->id) != 0 &&
            other->physical == mapping->physical)
            return false;
    }
    return true;
}

/* Only mappings record where the memory is, and no thread uses its file without the lock. */
static CUresult move_out_locked(struct cup_mapping *mapping)
{
    cup_lock_assert_held(&cup_virtual_lock);
    struct cup_physical *physical = mapping->physical;

    if (!is_alone_locked(mapping))
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "the memory is mapped in several places, and has no file of its own");
    int fd = cup_share_move_out(
        mapping->base, mapping->size_bytes, !(mapping->flags & CUP_RANGE_NO_READ),
        !(mapping->flags & CUP_RANGE_NO_WRITE), physical->fd, physical->offset);
    if (fd < 0)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the memory cannot be moved to a file");
    physical->fd = fd;
    physical->offset = 0;
    physical->has_file = true;
    return CUDA_SUCCESS;
}

/* Exports as a dma-buf, or as the memory's own file. */
static CUresult share_locked(struct cup_mapping *mapping, uint64_t offset, uint64_t size_bytes,
                             int *fd)
{
    cup_lock_assert_held(&cup_virtual_lock);
    const struct cup_physical *physical = mapping->physical;
    CUresult result = CUDA_SUCCESS;

    if (physical->multicast)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "a multicast object cannot be exported");
    if (size_bytes > physical->size_bytes - offset)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the range lies in more than one mapping");
    *fd = cup_dma_buffer_create(physical->fd, physical->offset + offset, size_bytes);
    if (*fd >= 0)
        return CUDA_SUCCESS;
    if (offset != 0)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "exporting from an offset needs dma-bufs (/dev/udmabuf)");
    if (!physical->has_file)
        result = move_out_locked(mapping);
    if (result != CUDA_SUCCESS)
        return result;
    *fd = cup_ipcfile_reopen(physical->fd);
    if (*fd < 0)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "no file descriptor could be created");
    return CUDA_SUCCESS;
}

CUresult cup_virtual_place(uint64_t address, int *fd, uint64_t *offset, uint64_t *size_bytes)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&cup_virtual_lock);
    uint32_t index = index_at_locked(address);
    const struct cup_physical *physical = index ? mappings[index].physical : NULL;
    if (!physical || physical->multicast) {
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED, "there is no memory at 0x%llx",
                           (unsigned long long)address);
    } else {
        *fd = physical->fd;
        *offset = physical->offset + (address - mappings[index].base);
        *size_bytes = mappings[index].size_bytes - (address - mappings[index].base);
    }
    cup_lock_release(&cup_virtual_lock);
    return result;
}

CUresult cup_virtual_share(uint64_t address, uint64_t size_bytes, int *fd)
{
    CUresult result;

    cup_lock_acquire(&cup_virtual_lock);
    uint32_t index = index_at_locked(address);
    if (index)
        result = share_locked(&mappings[index], address - mappings[index].base, size_bytes, fd);
    else
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "nothing is mapped at 0x%llx",
                           (unsigned long long)address);
    cup_lock_release(&cup_virtual_lock);
    return result;
}
