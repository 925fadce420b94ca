/* SPDX-License-Identifier: MIT */
#include "memory/pool_file.h"

#include "core/align.h"
#include "core/error.h"
#include "device/access.h"
#include "device/device.h"
#include "memory/heap.h"
#include "os/memfd.h"
#include "os/random.h"
#include "os/reserve.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char label_magic[8] = {'c', 'u', 'p', 'o', 'o', 'l', 0, 1}; /* the 1 is a version */
static const char pointer_magic[8] = {'c', 'u', 'p', 'p', 't', 'r', 0, 1};

static const uint64_t memory_bytes_max = UINT64_C(1) << 44;

/* Both are read from an untrusted file: every field is checked. */
struct pool_file_label {
    char magic[8];
    uint64_t memory_bytes;
    uint64_t token; /* the pool's own */
    uint32_t location_type;
    int32_t location_id; /* a device is known by its uuid */
    CUuuid device_uuid;
    uint32_t usage;
    uint32_t rdma_capable; /* 0 or 1 */
};

struct pointer {
    char magic[8];
    uint64_t token;
    uint64_t offset;
    uint64_t size_bytes;
    uint64_t serial;
    uint64_t zero[3];
};

_Static_assert(sizeof(struct pointer) == sizeof(CUmemPoolPtrExportData),
               "what travels has 64 bytes");

/* One entry per granule of the memory, stored after the memory in the file. */
struct pool_file_entry {
    _Atomic(uint64_t) serial; /* random while an exported allocation begins here, else 0 */
    _Atomic(uint64_t) size_bytes;
};

struct cup_pool_file {
    struct cup_heap *heap;
    int fd;
    uint64_t memory_bytes;
    uint64_t token;
    _Atomic(struct pool_file_entry *) table; /* the exporter's view; NULL until it exports */
};

static uint64_t table_bytes(uint64_t memory_bytes)
{
    return (memory_bytes >> CUP_GRANULE_SHIFT) * sizeof(struct pool_file_entry);
}

struct cup_heap *cup_pool_file_heap(const struct cup_pool_file *file)
{
    return file->heap;
}

/* Takes ownership of the descriptor on success. */
static struct cup_pool_file *open_file(const CUmemPoolProps *properties,
                                       const struct pool_file_label *label, int fd)
{
    bool on_device = properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    enum cup_range_kind kind = on_device ? CUP_RANGE_DEVICE : CUP_RANGE_PINNED;
    struct cup_device *device = on_device ? cup_device_get(properties->location.id) : NULL;
    struct cup_pool_file *file = calloc(1, sizeof(*file));

    if (!file)
        return NULL;
    file->fd = fd;
    file->memory_bytes = label->memory_bytes;
    file->token = label->token;
    if (cup_heap_create_on_file(kind, device, label->memory_bytes, fd, &file->heap) == CUDA_SUCCESS)
        return file;
    free(file);
    return NULL;
}

struct cup_pool_file *cup_pool_file_create(const CUmemPoolProps *properties, uint64_t memory_bytes)
{
    struct pool_file_label label = {
        .memory_bytes = cup_align_up(memory_bytes, CUP_MAP_SLOT_BYTES),
        .location_type = properties->location.type,
        .location_id = properties->location.id,
        .usage = properties->usage,
        .rdma_capable = properties->gpuDirectRDMACapable != 0,
    };

    memcpy(label.magic, label_magic, sizeof(label.magic));
    if (properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        label.device_uuid = cup_device_get(properties->location.id)->uuid;
    if (label.memory_bytes > memory_bytes_max || !cup_random(&label.token))
        return NULL;
    int fd = cup_memfd_create("cupipe pool", label.memory_bytes + table_bytes(label.memory_bytes),
                              &label, sizeof(label));
    if (fd < 0)
        return NULL;
    struct cup_pool_file *file = open_file(properties, &label, fd);
    if (!file)
        close(fd);
    return file;
}

void cup_pool_file_close(struct cup_pool_file *file)
{
    struct pool_file_entry *table = atomic_load(&file->table);

    if (table)
        cup_reserve_release(table, table_bytes(file->memory_bytes));
    cup_access_mark(file->heap->region.base, file->heap->region.size_bytes, CUP_ACCESS_OPEN);
    cup_heap_destroy(file->heap);
    close(file->fd);
    free(file);
}

CUresult cup_pool_file_export(const struct cup_pool_file *file, int *fd)
{
    int shared = cup_memfd_share(file->fd);

    if (shared < 0)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "too many open files");
    *fd = shared;
    return CUDA_SUCCESS;
}

static bool read_label(int fd, struct pool_file_label *label)
{
    uint64_t size_bytes;

    return cup_memfd_read(fd, &size_bytes, label, sizeof(*label)) &&
           memcmp(label->magic, label_magic, sizeof(label->magic)) == 0 &&
           label->rdma_capable <= 1 && label->memory_bytes != 0 &&
           label->memory_bytes <= memory_bytes_max &&
           cup_is_aligned(label->memory_bytes, CUP_MAP_SLOT_BYTES) &&
           size_bytes == label->memory_bytes + table_bytes(label->memory_bytes);
}

static bool place_known(const struct pool_file_label *label, CUmemLocation *location)
{
    location->type = (CUmemLocationType)label->location_type;
    location->id = label->location_id;
    if (label->location_type != CU_MEM_LOCATION_TYPE_DEVICE)
        return label->location_type == CU_MEM_LOCATION_TYPE_HOST ||
               label->location_type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
    for (unsigned i = 0; i < cup_device_count(); i++) {
        const struct cup_device *device = cup_device_get((CUdevice)i);
        if (memcmp(&device->uuid, &label->device_uuid, sizeof(device->uuid)) == 0) {
            location->id = device->ordinal;
            return true;
        }
    }
    return false;
}

CUresult cup_pool_file_import(int fd, struct cup_pool_file **file, CUmemPoolProps *properties)
{
    struct pool_file_label label;

    memset(properties, 0, sizeof(*properties));
    if (!read_label(fd, &label))
        return cup_error(CUDA_ERROR_UNKNOWN, "file descriptor %d is not an exported pool", fd);
    if (!place_known(&label, &properties->location))
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "the pool's device is not visible here");
    properties->allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties->usage = (unsigned short)label.usage;
    properties->gpuDirectRDMACapable = (unsigned char)label.rdma_capable;
    int own = cup_memfd_share(fd);
    if (own < 0)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "too many open files");
    *file = open_file(properties, &label, own);
    if (*file)
        return CUDA_SUCCESS;
    close(own);
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no address space for a pool of %llu bytes",
                     (unsigned long long)label.memory_bytes);
}

static struct pool_file_entry *table_open(struct cup_pool_file *file)
{
    uint64_t bytes = table_bytes(file->memory_bytes);
    struct pool_file_entry *table = atomic_load(&file->table), *none = NULL;

    if (table)
        return table;
    table = cup_reserve_space(bytes, 4096);
    if (!table)
        return NULL;
    if (!cup_reserve_attach(table, bytes, file->fd, file->memory_bytes) ||
        !cup_reserve_protect(table, bytes, true, true)) {
        cup_reserve_release(table, bytes);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&file->table, &none, table))
        return table;
    cup_reserve_release(table, bytes); /* another thread was first */
    return none;
}

static uint64_t granule_of(const struct cup_pool_file *file, uint64_t address)
{
    return (address - file->heap->region.base) >> CUP_GRANULE_SHIFT;
}

/* The number of an allocation stays the same however often it is exported. */
CUresult cup_pool_file_export_pointer(struct cup_pool_file *file, uint64_t address,
                                      uint64_t size_bytes, CUmemPoolPtrExportData *data)
{
    struct pointer pointer = {
        .token = file->token,
        .offset = address - file->heap->region.base,
        .size_bytes = size_bytes,
    };
    struct pool_file_entry *table = table_open(file);
    uint64_t fresh, none = 0;

    if (!table || !cup_random(&fresh))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to export a pointer");
    struct pool_file_entry *entry = &table[granule_of(file, address)];
    atomic_store(&entry->size_bytes, size_bytes);
    pointer.serial = atomic_compare_exchange_strong(&entry->serial, &none, fresh) ? fresh : none;
    memcpy(pointer.magic, pointer_magic, sizeof(pointer.magic));
    memcpy(data, &pointer, sizeof(pointer));
    return CUDA_SUCCESS;
}

void cup_pool_file_forget(struct cup_pool_file *file, uint64_t address)
{
    struct pool_file_entry *table = atomic_load(&file->table);

    if (table)
        atomic_store(&table[granule_of(file, address)].serial, 0);
}

/* A small allocation lies in one chunk and a large one begins at a chunk, as in the exporter. */
static bool fits(const struct cup_pool_file *file, const struct pointer *pointer)
{
    uint64_t in_chunk = pointer->offset % CUP_CHUNK_BYTES;

    if (!cup_is_aligned(pointer->offset, CUP_GRANULE_BYTES) || pointer->size_bytes == 0 ||
        pointer->size_bytes > file->memory_bytes ||
        pointer->offset > file->memory_bytes - pointer->size_bytes)
        return false;
    return cup_size_is_large(pointer->size_bytes)
               ? in_chunk == 0
               : in_chunk + pointer->size_bytes <= CUP_CHUNK_BYTES;
}

CUresult cup_pool_file_find_pointer(const struct cup_pool_file *file,
                                    const CUmemPoolPtrExportData *data, uint64_t *address,
                                    uint64_t *size_bytes)
{
    static const uint64_t zero[CUP_ARRAY_COUNT(((struct pointer *)0)->zero)];
    struct pointer pointer;
    uint64_t entry[2];

    memcpy(&pointer, data, sizeof(pointer));
    if (memcmp(pointer.magic, pointer_magic, sizeof(pointer.magic)) != 0 ||
        memcmp(pointer.zero, zero, sizeof(zero)) != 0 || pointer.token != file->token ||
        pointer.serial == 0 || !fits(file, &pointer))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the data does not describe a pointer of this pool");
    uint64_t at = file->memory_bytes + (pointer.offset >> CUP_GRANULE_SHIFT) * sizeof(entry);
    if (pread(file->fd, entry, sizeof(entry), (off_t)at) != (ssize_t)sizeof(entry) ||
        entry[0] != pointer.serial || entry[1] != pointer.size_bytes)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the exported allocation has been freed");
    *address = file->heap->region.base + pointer.offset;
    *size_bytes = pointer.size_bytes;
    return CUDA_SUCCESS;
}
