/* SPDX-License-Identifier: MIT */
/* Each process that has an object maps what the team has bound, its own memory and that of other
 * processes, into windows of its own, one for each device. It looks for changes of the team when an
 * address is used. */
#include "memory/multicast.h"

#include "core/error.h"
#include "core/lock.h"
#include "device/device.h"
#include "memory/multicast_team.h"
#include "memory/physical.h"
#include "memory/virtual.h"
#include "os/memfd.h"
#include "os/reserve.h"

#include <stdlib.h>
#include <unistd.h>

/* What is mapped of the team's binding of the same index. */
struct multicast_view {
    uint64_t number; /* of the binding; 0: none */
    uint64_t address, size_bytes;
    struct cup_physical *memory; /* bound by this object, with a reference; else NULL */
};

struct cup_multicast {
    struct cup_lock lock;
    struct cup_team_file file;
    _Atomic(uint64_t) seen;            /* the changes that the views have; changed under lock */
    uint64_t windows[CUP_MAX_DEVICES]; /* 0: not reserved yet; guarded by lock until then */
    struct multicast_view views[CUP_TEAM_BINDINGS]; /* guarded by lock */
};

static void *pointer_to(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static void view_detach(struct multicast_view *view)
{
    if (view->size_bytes)
        cup_reserve_detach(pointer_to(view->address), view->size_bytes);
    view->number = view->size_bytes = 0;
}

/* Takes the memory from a view; the caller drops the reference without the lock. */
static struct cup_physical *view_take_memory(struct multicast_view *view)
{
    struct cup_physical *memory = view->memory;

    view->memory = NULL;
    if (memory)
        atomic_fetch_sub(&memory->bindings, 1);
    return memory;
}

/* Bindings end with the last reference that their process holds on the object. */
static void unbind_own(struct cup_multicast *multicast)
{
    if (!cup_team_lock(&multicast->file))
        return;
    for (unsigned i = 0; i < CUP_TEAM_BINDINGS; i++) {
        const struct multicast_view *view = &multicast->views[i];

        if (view->memory && view->number &&
            atomic_load(&multicast->file.team->bindings[i].number) == view->number)
            cup_team_unbind_locked(&multicast->file, i);
    }
    cup_team_unlock(&multicast->file);
}

static void object_finish(struct cup_physical *object)
{
    struct cup_multicast *multicast = object->multicast;

    unbind_own(multicast);
    for (unsigned i = 0; i < CUP_TEAM_BINDINGS; i++) {
        struct cup_physical *memory = view_take_memory(&multicast->views[i]);

        view_detach(&multicast->views[i]);
        if (memory)
            cup_physical_unref(memory);
    }
    for (unsigned i = 0; i < multicast->file.size; i++) {
        if (multicast->windows[i])
            cup_reserve_release(pointer_to(multicast->windows[i]), object->size_bytes);
    }
    cup_team_close(&multicast->file);
    cup_lock_finish(&multicast->lock);
    free(multicast);
}

/* Creates the object of a team that was created or opened; closes the team on failure. */
static CUresult object_create(struct cup_team_file *file, CUmemAllocationHandleType handle_types,
                              struct cup_physical **object)
{
    struct cup_multicast *multicast = calloc(1, sizeof(*multicast));

    *object = multicast ? cup_physical_create_multicast(multicast, file->size_bytes, handle_types,
                                                        object_finish)
                        : NULL;
    if (!*object) {
        free(multicast);
        cup_team_close(file);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a multicast object");
    }
    cup_lock_init(&multicast->lock, CUP_RANK_MULTICAST);
    multicast->file = *file;
    cup_object_publish(&(*object)->base);
    return CUDA_SUCCESS;
}

CUresult cup_multicast_create(unsigned team, uint64_t size_bytes,
                              CUmemAllocationHandleType handle_types, struct cup_physical **object)
{
    struct cup_team_file file;
    CUresult result = cup_team_create(team, size_bytes, handle_types != 0, &file);

    return result == CUDA_SUCCESS ? object_create(&file, handle_types, object) : result;
}

CUresult cup_multicast_import(int fd, struct cup_physical **object)
{
    struct cup_team_file file;
    CUresult result = cup_team_open(fd, &file);

    return result == CUDA_SUCCESS ? object_create(&file, 0, object) : result;
}

CUresult cup_multicast_export(struct cup_physical *object, int *fd)
{
    int shared = cup_memfd_share(object->multicast->file.fd);

    if (shared < 0)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "too many open files");
    *fd = shared;
    return CUDA_SUCCESS;
}

static CUresult not_multicast(void)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the handle is not a multicast object's");
}

/* Locks the object and its team. */
static CUresult begin_change(struct cup_multicast *multicast)
{
    cup_lock_acquire(&multicast->lock);
    if (cup_team_lock(&multicast->file))
        return CUDA_SUCCESS;
    cup_lock_release(&multicast->lock);
    return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "the team's file cannot be locked");
}

static void end_change(struct cup_multicast *multicast)
{
    cup_team_unlock(&multicast->file);
    cup_lock_release(&multicast->lock);
}

CUresult cup_multicast_add(struct cup_physical *object, struct cup_device *device)
{
    struct cup_multicast *multicast = object->multicast;

    if (!multicast)
        return not_multicast();
    CUresult result = begin_change(multicast);
    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_team_add_locked(&multicast->file, &device->uuid))
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "device %d is in the team of %u already, or the team is complete",
                           device->ordinal, multicast->file.size);
    else if (!object->device)
        object->device = device;
    end_change(multicast);
    return result;
}

/* The object's device is the first of the team that this process sees. */
static void find_device(struct cup_physical *object)
{
    const struct cup_team_file *file = &object->multicast->file;

    cup_lock_acquire(&object->multicast->lock);
    for (unsigned i = 0; !object->device && i < file->size; i++)
        object->device = cup_device_with_uuid(&file->team->devices[i]);
    cup_lock_release(&object->multicast->lock);
}

CUresult cup_multicast_await_team(struct cup_physical *object)
{
    if (!object->multicast)
        return not_multicast();
    cup_team_await(&object->multicast->file);
    find_device(object);
    return CUDA_SUCCESS;
}

/* Reserves the windows that are missing. */
static void reserve_windows_locked(struct cup_multicast *multicast)
{
    cup_lock_assert_held(&multicast->lock);
    for (unsigned i = 0; i < multicast->file.size; i++) {
        if (multicast->windows[i] == 0)
            multicast->windows[i] = (uint64_t)(uintptr_t)cup_reserve_space(
                multicast->file.size_bytes, CUP_PHYSICAL_CHUNK_BYTES);
    }
}

/* Where the memory of a binding belongs; 0: no address space is left. */
static uint64_t window_address_locked(const struct cup_multicast *multicast,
                                      const struct cup_team_binding *binding)
{
    cup_lock_assert_held(&multicast->lock);
    uint64_t window = multicast->windows[binding->member];

    return window ? window + binding->offset : 0;
}

static bool view_attach(struct multicast_view *view, uint64_t address, uint64_t size_bytes, int fd,
                        uint64_t offset)
{
    void *at = pointer_to(address);

    if (!address || !cup_reserve_attach(at, size_bytes, fd, offset))
        return false;
    if (!cup_reserve_protect(at, size_bytes, true, true)) {
        cup_reserve_detach(at, size_bytes);
        return false;
    }
    view->address = address;
    view->size_bytes = size_bytes;
    return true;
}

/* Maps what another process has bound. If that cannot be, its part of the window stays
 * inaccessible. */
static void view_open_locked(struct cup_multicast *multicast, struct multicast_view *view,
                             const struct cup_team_binding *binding)
{
    cup_lock_assert_held(&multicast->lock);
    uint64_t file_bytes;
    int fd = cup_ipcfile_open(&binding->place, CUP_IPCFILE_MEMORY, &file_bytes);
    uint64_t end = binding->place.offset + binding->size_bytes;

    if (fd >= 0 && end >= binding->size_bytes && end <= file_bytes)
        view_attach(view, window_address_locked(multicast, binding), binding->size_bytes, fd,
                    binding->place.offset);
    else
        cup_log(CUP_LOG_ERROR, "memory that another process has bound cannot be opened");
    if (fd >= 0)
        close(fd);
}

static void refresh_locked(struct cup_multicast *multicast)
{
    cup_lock_assert_held(&multicast->lock);
    uint64_t changes = atomic_load(&multicast->file.team->changes);

    reserve_windows_locked(multicast);
    for (unsigned i = 0; i < CUP_TEAM_BINDINGS; i++) {
        struct multicast_view *view = &multicast->views[i];
        struct cup_team_binding binding;
        uint64_t number = atomic_load(&multicast->file.team->bindings[i].number);

        if (number == view->number)
            continue;
        view_detach(view);
        if (number == 0 || !cup_team_read(&multicast->file, i, &binding))
            continue;
        view->number = binding.number;
        view_open_locked(multicast, view, &binding);
    }
    atomic_store(&multicast->seen, changes);
}

static bool overlaps_locked(const struct cup_multicast *multicast,
                            const struct cup_team_binding *wanted)
{
    cup_lock_assert_held(&multicast->lock);
    struct cup_team_binding each;

    for (unsigned i = 0; i < CUP_TEAM_BINDINGS; i++) {
        if (cup_team_read(&multicast->file, i, &each) && each.member == wanted->member &&
            wanted->offset < each.offset + each.size_bytes &&
            each.offset < wanted->offset + wanted->size_bytes)
            return true;
    }
    return false;
}

static CUresult bind_locked(struct cup_multicast *multicast, const struct cup_device *device,
                            struct cup_team_binding *wanted, struct cup_physical *memory)
{
    cup_lock_assert_held(&multicast->lock);
    int member = cup_team_member(&multicast->file, &device->uuid), index;
    struct multicast_view view = {.memory = memory};

    wanted->member = (uint64_t)member;
    cup_team_sweep_locked(&multicast->file);
    if (member < 0 || overlaps_locked(multicast, wanted))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "device %d is not in the team, or has bound the range", device->ordinal);
    refresh_locked(multicast);
    if (!view_attach(&view, window_address_locked(multicast, wanted), wanted->size_bytes,
                     memory->fd, wanted->place.offset))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the system allows no more mappings");
    index = cup_team_bind_locked(&multicast->file, wanted);
    if (index < 0) {
        view_detach(&view);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the object has %d bindings", CUP_TEAM_BINDINGS);
    }
    view.number = wanted->number;
    multicast->views[index] = view;
    cup_physical_ref(memory);
    atomic_fetch_add(&memory->bindings, 1);
    return CUDA_SUCCESS;
}

static bool is_inside(uint64_t offset, uint64_t size_bytes, uint64_t whole_bytes)
{
    return size_bytes && offset % CUP_PHYSICAL_CHUNK_BYTES == 0 &&
           size_bytes % CUP_PHYSICAL_CHUNK_BYTES == 0 && offset <= whole_bytes &&
           size_bytes <= whole_bytes - offset;
}

/* True if the memory is the device's own, or that of the NUMA node nearest to it. */
static bool may_bind_for(const struct cup_device *device, const struct cup_physical *memory)
{
    if (memory->device)
        return memory->device == device;
    return memory->properties.location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA &&
           memory->properties.location.id ==
               cup_device_property(device, CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID);
}

CUresult cup_multicast_bind(struct cup_physical *object, const struct cup_device *device,
                            uint64_t offset, struct cup_physical *memory, uint64_t memory_offset,
                            uint64_t size_bytes)
{
    struct cup_team_binding wanted = {
        .offset = offset,
        .size_bytes = size_bytes,
        .place = {.kind = CUP_IPCFILE_MEMORY,
                  .fd = memory->fd,
                  .offset = memory->offset + memory_offset},
    };
    CUresult result = cup_multicast_await_team(object);

    if (result != CUDA_SUCCESS)
        return result;
    if (!device)
        device = memory->device;
    if (memory->multicast || !device)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "only memory of a device can be bound");
    if (!may_bind_for(device, memory))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the memory is neither that of device %d nor that of its NUMA node",
                         device->ordinal);
    if (!is_inside(offset, size_bytes, object->size_bytes) ||
        !is_inside(memory_offset, size_bytes, memory->size_bytes))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the range is outside the object or the memory, or not in steps of 2 MiB");
    result = begin_change(object->multicast);
    if (result != CUDA_SUCCESS)
        return result;
    result = bind_locked(object->multicast, device, &wanted, memory);
    end_change(object->multicast);
    return result;
}

/* Finds a binding of this process, named as it was made; -1: there is none. */
static int find_own_locked(const struct cup_multicast *multicast, const CUuuid *device,
                           uint64_t offset, uint64_t size_bytes)
{
    cup_lock_assert_held(&multicast->lock);
    int member = cup_team_member(&multicast->file, device);
    struct cup_team_binding each;

    for (unsigned i = 0; member >= 0 && i < CUP_TEAM_BINDINGS; i++) {
        if (cup_team_read(&multicast->file, i, &each) && each.member == (uint64_t)member &&
            each.offset == offset && each.size_bytes == size_bytes &&
            each.place.process == cup_ipcfile_self())
            return (int)i;
    }
    return -1;
}

CUresult cup_multicast_unbind(struct cup_physical *object, const struct cup_device *device,
                              uint64_t offset, uint64_t size_bytes)
{
    struct cup_multicast *multicast = object->multicast;
    struct cup_physical *memory = NULL;

    if (!multicast)
        return not_multicast();
    CUresult result = begin_change(multicast);
    if (result != CUDA_SUCCESS)
        return result;
    int index = find_own_locked(multicast, &device->uuid, offset, size_bytes);
    if (index >= 0) {
        cup_team_unbind_locked(&multicast->file, (unsigned)index);
        memory = view_take_memory(&multicast->views[index]);
        refresh_locked(multicast);
    }
    end_change(multicast);
    if (memory)
        cup_physical_unref(memory);
    if (index >= 0)
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE,
                     "device %d has not bound 0x%llx bytes at offset 0x%llx", device->ordinal,
                     (unsigned long long)size_bytes, (unsigned long long)offset);
}

/* Makes the windows current. */
static void refresh(struct cup_multicast *multicast)
{
    if (atomic_load(&multicast->seen) == atomic_load(&multicast->file.team->changes))
        return;
    cup_lock_acquire(&multicast->lock);
    refresh_locked(multicast);
    cup_lock_release(&multicast->lock);
}

bool cup_multicast_find(uint64_t address, struct cup_multicast_places *places)
{
    uint64_t offset;

    places->object = cup_virtual_find_multicast(address, &offset);
    if (!places->object)
        return false;
    struct cup_multicast *multicast = places->object->multicast;
    refresh(multicast);
    places->count = multicast->file.size;
    for (unsigned i = 0; i < places->count; i++) {
        if (multicast->windows[i] == 0) { /* nothing was ever bound, or no address space is left */
            cup_physical_unref(places->object);
            return false;
        }
        places->addresses[i] = multicast->windows[i] + offset;
    }
    return true;
}
