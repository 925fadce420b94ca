/* SPDX-License-Identifier: MIT */
/* Creates, shares and destroys memory without an address. Processes exchange a descriptor of the
 * file; its label has the size of the memory, its location and its intended use. */
#include "memory/physical.h"

#include "core/error.h"
#include "device/device.h"
#include "memory/heap.h"
#include "memory/pinned.h"
#include "memory/upcalls.h"
#include "os/memfd.h"
#include "os/reserve.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char label_magic[8] = {'c', 'u', 'p', 'i', 'p', 'e', 0, 1}; /* the 1 is a version */

/* Read from an untrusted file: every field is checked. */
struct physical_label {
    char magic[8];
    uint64_t size_bytes;
    uint32_t location_type; /* CU_MEM_LOCATION_TYPE_ */
    int32_t location_id;    /* of the host; a device is known by its uuid */
    CUuuid device_uuid;
    uint8_t compression;
    uint8_t rdma;
    uint16_t usage;
    uint32_t zero;
};

/* The last reference is gone: no handle names the memory and nothing is mapped. */
static void physical_finish(struct cup_object *object)
{
    struct cup_physical *physical = (struct cup_physical *)object;
    uint64_t window = atomic_load(&physical->window);

    cup_object_retire(object, CUP_RETIRED_DESTROYED);
    if (physical->multicast)
        physical->finish(physical);
    free(physical->tiles);
    if (window)
        cup_reserve_release((void *)(uintptr_t)window, physical->size_bytes);
    if (physical->has_file)
        close(physical->fd);
    if (physical->is_reserved)
        cup_heap_return_chunks(physical->charged, physical->reserved_offset, physical->size_bytes);
    else if (physical->charged)
        cup_heap_discharge(physical->charged, physical->size_bytes);
}

void cup_physical_register(void)
{
    cup_object_register(CUP_OBJECT_PHYSICAL, sizeof(struct cup_physical), physical_finish);
}

/* Creates the object without memory. */
static struct cup_physical *physical_new(const CUmemAllocationProp *properties, uint64_t size_bytes)
{
    struct cup_physical *physical = (struct cup_physical *)cup_object_create(CUP_OBJECT_PHYSICAL);

    if (!physical)
        return NULL;
    physical->properties = *properties;
    physical->size_bytes = size_bytes;
    physical->block_id = cup_map_next_block_id();
    physical->fd = -1;
    if (properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        physical->device = cup_device_get(properties->location.id);
    atomic_store(&physical->handles, 1);
    return physical;
}

static struct physical_label label_of(const struct cup_physical *physical)
{
    const CUmemAllocationProp *properties = &physical->properties;
    struct physical_label label = {
        .size_bytes = physical->size_bytes,
        .location_type = properties->location.type,
        .location_id = properties->location.id,
        .compression = properties->allocFlags.compressionType,
        .rdma = properties->allocFlags.gpuDirectRDMACapable,
        .usage = properties->allocFlags.usage,
    };

    memcpy(label.magic, label_magic, sizeof(label.magic));
    if (physical->device)
        label.device_uuid = physical->device->uuid;
    return label;
}

static CUresult no_memory(const struct cup_physical *physical, const struct cup_heap *heap)
{
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%llu bytes requested, of %llu in total",
                     (unsigned long long)physical->size_bytes,
                     (unsigned long long)heap->limit_bytes);
}

/* Exported memory has the layout that the installed driver knows, so that Vulkan and OpenGL can
 * import it. */
static int file_create(struct cup_physical *physical, const struct physical_label *label)
{
    static const char name[] = "cupipe memory";

    if (cup_memory_upcalls.export_form(physical->device) == CUP_PHYSICAL_PLAIN)
        return cup_memfd_create(name, physical->size_bytes, label, sizeof(*label));
    return cup_llvmpipe_file_create(name, physical->size_bytes, label, sizeof(*label),
                                    &physical->offset);
}

static CUresult fill_with_file(struct cup_physical *physical, struct cup_heap *heap)
{
    struct physical_label label = label_of(physical);

    if (physical->size_bytes > heap->limit_bytes || !cup_heap_charge(heap, physical->size_bytes))
        return no_memory(physical, heap);
    physical->fd = file_create(physical, &label);
    if (physical->fd < 0) {
        int error = errno;
        cup_heap_discharge(heap, physical->size_bytes);
        return cup_error(error == EMFILE || error == ENFILE ? CUDA_ERROR_OPERATING_SYSTEM
                                                            : CUDA_ERROR_OUT_OF_MEMORY,
                         "no file for the memory: %s", strerror(error));
    }
    physical->has_file = true;
    physical->charged = heap;
    return CUDA_SUCCESS;
}

static CUresult fill_from_heap(struct cup_physical *physical, struct cup_heap *heap)
{
    if (!cup_heap_reserve_chunks(heap, physical->size_bytes, &physical->reserved_offset))
        return no_memory(physical, heap);
    physical->is_reserved = true;
    physical->offset = physical->reserved_offset;
    physical->fd = heap->fd;
    physical->charged = heap;
    return CUDA_SUCCESS;
}

CUresult cup_physical_create(const CUmemAllocationProp *properties, uint64_t size_bytes,
                             struct cup_physical **physical)
{
    struct cup_physical *made = physical_new(properties, size_bytes);
    CUresult result;

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a handle");
    if (!made->device)
        result = fill_with_file(made, cup_pinned_heap());
    else if (properties->requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        result = fill_with_file(made, made->device->heap);
    else
        result = fill_from_heap(made, made->device->heap);
    if (result != CUDA_SUCCESS) {
        cup_physical_unref(made);
        return result;
    }
    cup_object_publish(&made->base);
    *physical = made;
    return CUDA_SUCCESS;
}

struct cup_physical *cup_physical_create_multicast(struct cup_multicast *multicast,
                                                   uint64_t size_bytes,
                                                   CUmemAllocationHandleType handle_types,
                                                   void (*finish)(struct cup_physical *object))
{
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .requestedHandleTypes = handle_types};
    struct cup_physical *object = physical_new(&properties, size_bytes);

    if (!object)
        return NULL;
    object->multicast = multicast;
    object->finish = finish;
    return object;
}

CUresult cup_physical_export(struct cup_physical *physical, int *fd)
{
    assert(physical->has_file);
    int shared = cup_memfd_share(physical->fd);

    if (shared < 0)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "too many open files");
    *fd = shared;
    return CUDA_SUCCESS;
}

/* Properties as the importer sees them: it cannot export the memory again. */
static CUresult read_properties(const struct physical_label *label, CUmemAllocationProp *properties)
{
    memset(properties, 0, sizeof(*properties));
    properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties->location.type = (CUmemLocationType)label->location_type;
    properties->location.id = label->location_id;
    properties->allocFlags.compressionType = label->compression;
    properties->allocFlags.gpuDirectRDMACapable = label->rdma;
    properties->allocFlags.usage = label->usage;
    switch (label->location_type) {
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        return CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_DEVICE: {
        const struct cup_device *device = cup_device_with_uuid(&label->device_uuid);
        if (!device)
            return cup_error(CUDA_ERROR_INVALID_DEVICE, "the memory's device is not visible here");
        properties->location.id = device->ordinal;
        return CUDA_SUCCESS;
    }
    default:
        return cup_error(CUDA_ERROR_UNKNOWN, "the label has no valid location");
    }
}

static bool read_label(int fd, struct physical_label *label, uint64_t *offset)
{
    struct cup_memfd_location place;

    if (!cup_memfd_open(fd, &place, label, sizeof(*label)))
        return false;
    *offset = place.offset;
    return memcmp(label->magic, label_magic, sizeof(label->magic)) == 0 &&
           label->size_bytes == place.size_bytes &&
           place.size_bytes % CUP_PHYSICAL_CHUNK_BYTES == 0;
}

CUresult cup_physical_import(int fd, struct cup_physical **physical)
{
    CUmemAllocationProp properties;
    struct physical_label label;
    uint64_t offset;

    if (!read_label(fd, &label, &offset))
        return cup_error(CUDA_ERROR_UNKNOWN, "file descriptor %d is not exported memory", fd);
    CUresult result = read_properties(&label, &properties);
    if (result != CUDA_SUCCESS)
        return result;
    int own = cup_memfd_share(fd);
    if (own < 0)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "too many open files");
    struct cup_physical *made = physical_new(&properties, label.size_bytes);
    if (!made) {
        close(own);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a handle");
    }
    made->fd = own;
    made->offset = offset;
    made->has_file = true;
    cup_object_publish(&made->base);
    *physical = made;
    return CUDA_SUCCESS;
}

CUresult cup_physical_find(CUmemGenericAllocationHandle handle, struct cup_physical **physical)
{
    struct cup_object *object;

    if (cup_object_find(CUP_OBJECT_PHYSICAL, (const void *)(uintptr_t)handle, &object) !=
        CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not a memory handle",
                         (unsigned long long)handle);
    *physical = (struct cup_physical *)object;
    return CUDA_SUCCESS;
}

void cup_physical_retain(struct cup_physical *physical)
{
    cup_physical_ref(physical);
    atomic_fetch_add(&physical->handles, 1);
}

CUresult cup_physical_release(struct cup_physical *physical)
{
    uint32_t handles = atomic_load(&physical->handles);

    do {
        if (handles == 0)
            return cup_error(CUDA_ERROR_INVALID_VALUE,
                             "the handle was already released as often as it was retained");
    } while (!atomic_compare_exchange_weak(&physical->handles, &handles, handles - 1));
    cup_physical_unref(physical);
    return CUDA_SUCCESS;
}

uint64_t cup_physical_address(struct cup_physical *physical)
{
    uint64_t window = atomic_load(&physical->window);

    if (!physical->has_file)
        return physical->charged->region.base + physical->offset;
    if (window)
        return window;
    void *mapped = cup_memfd_map_at(physical->fd, physical->offset, physical->size_bytes);
    if (!mapped)
        return 0;
    if (atomic_compare_exchange_strong(&physical->window, &window, (uint64_t)(uintptr_t)mapped))
        return (uint64_t)(uintptr_t)mapped;
    cup_reserve_release(mapped, physical->size_bytes); /* another thread was first */
    return window;
}
