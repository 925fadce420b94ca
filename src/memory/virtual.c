/* SPDX-License-Identifier: MIT */
/* Each chunk of 2 MiB names the mapping that it belongs to; mappings are described in a table that
 * is never unmapped. Writers take the lock; readers take none. A mapping has an id that is never
 * reused. Its description is written before the id, and the id before the chunks that name it;
 * removal clears them in reverse order. So a reader that finds chunk and id unchanged after reading
 * the description has read that of one mapping. Rights and flags may change meanwhile, one word at
 * a time. */
#include "memory/virtual.h"

#include "core/compiler.h"
#include "core/error.h"
#include "core/lock.h"
#include "device/access.h"
#include "device/device.h"
#include "memory/bitmap.h"
#include "memory/redzone.h"
#include "memory/physical.h"
#include "memory/share_piece.h"
#include "memory/space.h"
#include "os/dma_buffer.h"
#include "os/reserve.h"

#include <stdatomic.h>

enum { MAPPING_COUNT_MAX = 1 << 22 };

struct mapping {
    _Atomic(uint64_t) id; /* the buffer id; 0: not in use */
    _Atomic(uint64_t) base, size_bytes;
    _Atomic(uint64_t) read_by, write_by; /* devices by ordinal */
    _Atomic(uint64_t) block_id;
    _Atomic(uint32_t) flags; /* CUP_RANGE_ */
    _Atomic(uint32_t) handle_types;
    _Atomic(struct cup_device *) device;
    struct cup_physical *physical; /* a reference; guarded by lock */
    uint32_t next;                 /* in a list of unused ones; guarded by lock */
};

static struct cup_lock lock = CUP_LOCK_INITIALIZER(CUP_RANK_VIRTUAL);
static struct mapping *mappings; /* index 0 is unused; written once, before chunks_published */
static _Atomic(uint32_t) *mapping_of_chunk; /* likewise */
static _Atomic(bool) chunks_published;
static uint64_t *mapped_bits;              /* a bit a chunk; guarded by lock */
static uint32_t mapping_count = 1, unused; /* guarded by lock */

static bool describe_once(uint64_t address, struct cup_range *range)
{
    if (!atomic_load_explicit(&chunks_published, memory_order_acquire))
        return false;
    _Atomic(uint32_t) *chunk = &mapping_of_chunk[cup_space_chunk_of(address)];
    uint32_t index = atomic_load_explicit(chunk, memory_order_acquire);
    const struct mapping *mapping = &mappings[index];

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
    if (!atomic_load(&chunks_published) || address >> CUP_SPACE_ADDRESS_BITS)
        return 0;
    return atomic_load_explicit(&mapping_of_chunk[cup_space_chunk_of(address)],
                                memory_order_relaxed);
}

static void change_flag(struct mapping *mapping, unsigned flag, bool on)
{
    if (on)
        atomic_fetch_or_explicit(&mapping->flags, flag, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&mapping->flags, ~flag, memory_order_relaxed);
}

static bool virtual_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on)
{
    (void)region;
    cup_lock_acquire(&lock);
    uint32_t index = index_at_locked(address);
    if (index)
        change_flag(&mappings[index], flag, on);
    cup_lock_release(&lock);
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

    cup_lock_acquire(&lock);
    if (init_locked())
        result = cup_space_reserve_locked(size_bytes, alignment, hint, address);
    else
        result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no address space for the table of mappings");
    cup_lock_release(&lock);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && cup_redzones_enabled && cup_redzone_evict_all())
        return cup_virtual_reserve(size_bytes, alignment, hint, address);
    return result;
}

static void kept_release(const struct cup_quarantined *kept)
{
    cup_lock_acquire(&lock);
    cup_space_give_locked(kept->address, kept->size_bytes);
    cup_lock_release(&lock);
}

static void free_locked(uint64_t address, uint64_t size_bytes)
{
    struct cup_quarantined kept = {
        .address = address, .size_bytes = size_bytes, .release = kept_release};

    cup_space_end_locked(address, size_bytes);
    if (cup_redzones_enabled)
        cup_redzone_quarantine(&kept);
    else
        cup_space_give_locked(address, size_bytes);
}

CUresult cup_virtual_free(uint64_t address, uint64_t size_bytes)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&lock);
    if (!cup_space_is_reservation_locked(address, size_bytes))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx + 0x%llx is not a reservation",
                           (unsigned long long)address, (unsigned long long)size_bytes);
    else if (!cup_bits_are(mapped_bits, cup_space_chunk_of(address), cup_space_chunk_of(size_bytes),
                           false))
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "part of the range is still mapped");
    else
        free_locked(address, size_bytes);
    cup_lock_release(&lock);
    return result;
}

void cup_virtual_reservation_at(uint64_t address, uint64_t *base, uint64_t *size_bytes)
{
    cup_lock_acquire(&lock);
    uint64_t start = address & ~(uint64_t)(CUP_SPACE_CHUNK_BYTES - 1), bytes = 0;
    while (cup_space_is_reserved_locked(start, CUP_SPACE_CHUNK_BYTES) &&
           (bytes = cup_space_reserved_bytes_locked(start)) == 0)
        start -= CUP_SPACE_CHUNK_BYTES;
    cup_lock_release(&lock);
    if (bytes) {
        *base = start;
        *size_bytes = bytes;
    }
}

uint64_t cup_virtual_reserved_bytes(uint64_t address)
{
    cup_lock_acquire(&lock);
    uint64_t bytes = cup_space_reserved_bytes_locked(address);
    cup_lock_release(&lock);
    return bytes;
}

static uint32_t mapping_take_locked(void)
{
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
    uint32_t first = cup_space_chunk_of(address), count = cup_space_chunk_of(size_bytes);

    for (uint32_t chunk = first; chunk < first + count; chunk++)
        atomic_store_explicit(&mapping_of_chunk[chunk], index, memory_order_release);
    cup_bits_write(mapped_bits, first, count, index != 0);
}

static void publish_locked(uint32_t index, uint64_t address, struct cup_physical *physical)
{
    struct mapping *mapping = &mappings[index];

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
    uint64_t size = physical->size_bytes;

    if (!cup_space_is_reserved_locked(address, size))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx + 0x%llx is not reserved",
                         (unsigned long long)address, (unsigned long long)size);
    if (!cup_bits_are(mapped_bits, cup_space_chunk_of(address), cup_space_chunk_of(size), false))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "part of the range is already mapped");
    uint32_t index = mapping_take_locked();
    if (index == 0)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "too many mappings");
    if (!cup_reserve_attach((void *)(uintptr_t)address, size, physical->fd, physical->offset)) {
        mappings[index].next = unused;
        unused = index;
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the system allows no more mappings");
    }
    publish_locked(index, address, physical);
    return CUDA_SUCCESS;
}

CUresult cup_virtual_map(uint64_t address, struct cup_physical *physical)
{
    cup_lock_acquire(&lock);
    CUresult result = map_locked(address, physical);
    cup_lock_release(&lock);
    return result;
}

/* Finds the first mapping that begins or continues in [*at, end), and moves *at past it; NULL if
 * there is none. */
static struct mapping *next_mapping_locked(uint64_t *at, uint64_t end)
{
    uint32_t chunk = cup_bits_next(mapped_bits, cup_space_chunk_of(*at), cup_space_chunk_of(end));

    if (chunk == cup_space_chunk_of(end))
        return NULL;
    struct mapping *mapping =
        &mappings[atomic_load_explicit(&mapping_of_chunk[chunk], memory_order_relaxed)];
    *at = mapping->base + mapping->size_bytes;
    return mapping;
}

static bool is_inside(const struct mapping *mapping, uint64_t address, uint64_t end)
{
    return mapping->base >= address && mapping->base + mapping->size_bytes <= end;
}

/* Removes the mappings in the range and returns them as a list. */
static uint32_t remove_locked(uint64_t address, uint64_t end)
{
    uint32_t list = 0;
    struct mapping *mapping;

    for (uint64_t at = address; at < end && (mapping = next_mapping_locked(&at, end));) {
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
    const uint64_t chunk = CUP_SPACE_CHUNK_BYTES;
    uint64_t end = address + size_bytes, low = address & ~(chunk - 1);
    uint64_t high = (end + chunk - 1) & ~(chunk - 1), first = high, last = high;
    struct mapping *mapping;

    if (size_bytes == 0 || end < address || high < end ||
        !cup_space_is_reserved_locked(low, high - low))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx + 0x%llx is not reserved",
                         (unsigned long long)address, (unsigned long long)size_bytes);
    for (uint64_t at = low; at < high && (mapping = next_mapping_locked(&at, high)); last = at) {
        if (!is_inside(mapping, address, end))
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
    cup_lock_acquire(&lock);
    mappings[last].next = unused;
    unused = list;
    cup_lock_release(&lock);
}

CUresult cup_virtual_unmap(uint64_t address, uint64_t size_bytes)
{
    uint32_t list = 0;

    cup_lock_acquire(&lock);
    CUresult result = unmap_locked(address, size_bytes, &list);
    cup_lock_release(&lock);
    if (list)
        retire_list(list);
    return result;
}

struct rights {
    uint64_t read_by, write_by;
    bool host_read, host_write;
};

static bool is_of_host(const CUmemAccessDesc *wanted)
{
    return wanted->location.type != CU_MEM_LOCATION_TYPE_DEVICE;
}

static struct rights rights_after(const struct mapping *mapping, const CUmemAccessDesc *wanted,
                                  size_t count)
{
    struct rights rights = {
        .read_by = mapping->read_by,
        .write_by = mapping->write_by,
        .host_read = (mapping->flags & CUP_RANGE_HOST_READ) != 0,
        .host_write = (mapping->flags & CUP_RANGE_HOST_WRITE) != 0,
    };

    for (size_t i = 0; i < count; i++) {
        bool read = wanted[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
        bool write = wanted[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        if (is_of_host(&wanted[i])) {
            rights.host_read = read;
            rights.host_write = write;
            continue;
        }
        uint64_t bit = UINT64_C(1) << wanted[i].location.id;
        rights.read_by = read ? rights.read_by | bit : rights.read_by & ~bit;
        rights.write_by = write ? rights.write_by | bit : rights.write_by & ~bit;
    }
    return rights;
}

/* Widens page protection before it publishes new rights, and publishes reduced rights before it
 * narrows protection: a reader that checks the rights first never faults. */
static bool apply_locked(struct mapping *mapping, struct rights rights)
{
    bool read = rights.read_by || rights.host_read, write = rights.write_by || rights.host_write;
    bool could_read = !(mapping->flags & CUP_RANGE_NO_READ);
    bool could_write = !(mapping->flags & CUP_RANGE_NO_WRITE);
    void *base = (void *)(uintptr_t)mapping->base;

    if (((read && !could_read) || (write && !could_write)) &&
        !cup_reserve_protect(base, mapping->size_bytes, read, write))
        return false;
    atomic_store_explicit(&mapping->read_by, rights.read_by, memory_order_relaxed);
    atomic_store_explicit(&mapping->write_by, rights.write_by, memory_order_relaxed);
    cup_access_mark(mapping->base, mapping->size_bytes,
                    cup_access_class_of_set(rights.read_by, rights.write_by));
    change_flag(mapping, CUP_RANGE_HOST_READ, rights.host_read);
    change_flag(mapping, CUP_RANGE_HOST_WRITE, rights.host_write);
    change_flag(mapping, CUP_RANGE_NO_READ, !read);
    change_flag(mapping, CUP_RANGE_NO_WRITE, !write);
    return !((could_read && !read) || (could_write && !write)) ||
           cup_reserve_protect(base, mapping->size_bytes, read, write);
}

/* True if all devices that get access have peer access to the device of the memory. */
static bool are_linked(const struct mapping *mapping, const CUmemAccessDesc *wanted, size_t count)
{
    const struct cup_device *home = mapping->device;

    for (size_t i = 0; home && i < count; i++) {
        if (is_of_host(&wanted[i]) || wanted[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
            continue;
        const struct cup_device *device = cup_device_get(wanted[i].location.id);
        if (device != home && !cup_device_linked(device, home))
            return false;
    }
    return true;
}

/* The range must begin and end with whole mappings; gaps between them do not matter. */
static bool is_range_of_mappings_locked(uint64_t address, uint64_t end)
{
    uint64_t at = address, first = end, last = address;
    struct mapping *mapping;

    while (at < end && (mapping = next_mapping_locked(&at, end))) {
        if (!is_inside(mapping, address, end))
            return false;
        first = mapping->base < first ? mapping->base : first;
        last = at;
    }
    return first == address && last == end;
}

static CUresult check_access_locked(uint64_t address, uint64_t end, const CUmemAccessDesc *wanted,
                                    size_t count)
{
    bool for_host = false;
    struct mapping *mapping;

    if (!is_range_of_mappings_locked(address, end))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the range does not consist of whole mappings");
    for (size_t i = 0; i < count; i++)
        for_host = for_host ||
                   (is_of_host(&wanted[i]) && wanted[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE);
    for (uint64_t at = address; at < end && (mapping = next_mapping_locked(&at, end));) {
        if (for_host && mapping->device)
            return cup_error(CUDA_ERROR_NOT_SUPPORTED, "the host cannot access a device's memory");
        if (!are_linked(mapping, wanted, count))
            return cup_error(CUDA_ERROR_INVALID_DEVICE,
                             "the memory's device is not linked to this one");
    }
    return CUDA_SUCCESS;
}

static CUresult set_access_locked(uint64_t address, uint64_t size_bytes,
                                  const CUmemAccessDesc *wanted, size_t count)
{
    uint64_t end = address + size_bytes;

    if (!cup_space_is_reserved_locked(address, size_bytes))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx + 0x%llx is not reserved",
                         (unsigned long long)address, (unsigned long long)size_bytes);
    CUresult result = check_access_locked(address, end, wanted, count);
    struct mapping *mapping;
    for (uint64_t at = address;
         result == CUDA_SUCCESS && at < end && (mapping = next_mapping_locked(&at, end));) {
        if (!apply_locked(mapping, rights_after(mapping, wanted, count)))
            result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the system allows no more mappings");
    }
    return result;
}

CUresult cup_virtual_set_access(uint64_t address, uint64_t size_bytes,
                                const CUmemAccessDesc *wanted, size_t count)
{
    cup_lock_acquire(&lock);
    CUresult result = set_access_locked(address, size_bytes, wanted, count);
    cup_lock_release(&lock);
    return result;
}

CUresult cup_virtual_retain(uint64_t address, struct cup_physical **physical)
{
    cup_lock_acquire(&lock);
    uint32_t index = index_at_locked(address);
    if (index) {
        *physical = mappings[index].physical;
        cup_physical_retain(*physical);
    }
    cup_lock_release(&lock);
    if (!index)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "nothing is mapped at 0x%llx",
                         (unsigned long long)address);
    return CUDA_SUCCESS;
}

/* True if the memory is mapped there and nowhere else. Rare enough to search all mappings. */
static bool is_alone_locked(const struct mapping *mapping)
{
    for (uint32_t index = 1; index < mapping_count; index++) {
        const struct mapping *other = &mappings[index];
        if (other != mapping && atomic_load(&other->id) != 0 &&
            other->physical == mapping->physical)
            return false;
    }
    return true;
}

/* Only mappings record where the memory is, and no thread uses its file without the lock. */
static CUresult move_out_locked(struct mapping *mapping)
{
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
static CUresult share_locked(struct mapping *mapping, uint64_t offset, uint64_t size_bytes, int *fd)
{
    const struct cup_physical *physical = mapping->physical;
    CUresult result = CUDA_SUCCESS;

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

CUresult cup_virtual_share(uint64_t address, uint64_t size_bytes, int *fd)
{
    CUresult result;

    cup_lock_acquire(&lock);
    uint32_t index = index_at_locked(address);
    if (index)
        result = share_locked(&mappings[index], address - mappings[index].base, size_bytes, fd);
    else
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "nothing is mapped at 0x%llx",
                           (unsigned long long)address);
    cup_lock_release(&lock);
    return result;
}
