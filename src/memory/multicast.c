/* SPDX-License-Identifier: MIT */
#include "memory/multicast.h"

#include "core/dynarray.h"
#include "core/error.h"
#include "core/lock.h"
#include "device/device.h"
#include "memory/physical.h"
#include "memory/virtual.h"
#include "os/futex.h"
#include "os/reserve.h"

#include <stdlib.h>

struct multicast_binding {
    uint64_t offset, size_bytes;
    struct cup_physical *memory; /* a reference */
};

struct multicast_member {
    struct cup_device *device;
    uint64_t window;
    struct {
        CUP_DYNARRAY(struct multicast_binding, list);
    } bindings; /* guarded by the object's lock */
};

struct cup_multicast {
    struct cup_lock lock;
    unsigned team;
    _Atomic(uint32_t) added; /* futex; changed under lock */
    struct multicast_member members[];
};

static void binding_end(struct multicast_member *member, const struct multicast_binding *binding)
{
    cup_reserve_detach((void *)(uintptr_t)(member->window + binding->offset), binding->size_bytes);
    atomic_fetch_sub(&binding->memory->bindings, 1);
    cup_physical_unref(binding->memory);
}

static void object_finish(struct cup_physical *object)
{
    struct cup_multicast *multicast = object->multicast;

    for (unsigned i = 0; i < multicast->added; i++) {
        struct multicast_member *member = &multicast->members[i];

        for (size_t k = 0; k < member->bindings.count; k++)
            binding_end(member, &member->bindings.list[k]);
        free(member->bindings.list);
        cup_reserve_release((void *)(uintptr_t)member->window, object->size_bytes);
    }
    cup_lock_finish(&multicast->lock);
    free(multicast);
}

CUresult cup_multicast_create(unsigned team, uint64_t size_bytes, struct cup_physical **object)
{
    struct cup_multicast *multicast =
        calloc(1, sizeof(*multicast) + team * sizeof(multicast->members[0]));

    if (!multicast)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a multicast object");
    *object = cup_physical_create_multicast(multicast, size_bytes, object_finish);
    if (!*object) {
        free(multicast);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a handle");
    }
    cup_lock_init(&multicast->lock, CUP_RANK_MULTICAST);
    multicast->team = team;
    return CUDA_SUCCESS;
}

static CUresult not_multicast(void)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the handle is not a multicast object's");
}

static struct multicast_member *member_of_locked(struct cup_multicast *multicast,
                                                 const struct cup_device *device)
{
    for (unsigned i = 0; i < multicast->added; i++) {
        if (multicast->members[i].device == device)
            return &multicast->members[i];
    }
    return NULL;
}

static CUresult add_locked(struct cup_physical *object, struct cup_device *device)
{
    struct cup_multicast *multicast = object->multicast;
    unsigned added = multicast->added;
    void *window;

    if (added == multicast->team || member_of_locked(multicast, device))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "device %d is in the team of %u already, or the team is complete",
                         device->ordinal, multicast->team);
    window = cup_reserve_space(object->size_bytes, CUP_PHYSICAL_CHUNK_BYTES);
    if (!window)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no address space for the device's part");
    multicast->members[added].device = device;
    multicast->members[added].window = (uint64_t)(uintptr_t)window;
    if (added == 0)
        object->device = device;
    atomic_store(&multicast->added, added + 1);
    cup_futex_wake(&multicast->added, INT_MAX);
    return CUDA_SUCCESS;
}

CUresult cup_multicast_add(struct cup_physical *object, struct cup_device *device)
{
    CUresult result;

    if (!object->multicast)
        return not_multicast();
    cup_lock_acquire(&object->multicast->lock);
    result = add_locked(object, device);
    cup_lock_release(&object->multicast->lock);
    return result;
}

CUresult cup_multicast_await_team(struct cup_physical *object)
{
    struct cup_multicast *multicast = object->multicast;
    uint32_t added;

    if (!multicast)
        return not_multicast();
    while ((added = atomic_load(&multicast->added)) != multicast->team)
        cup_futex_wait(&multicast->added, added, -1);
    return CUDA_SUCCESS;
}

static bool is_bound_locked(const struct multicast_member *member, uint64_t offset,
                            uint64_t size_bytes)
{
    for (size_t i = 0; i < member->bindings.count; i++) {
        const struct multicast_binding *each = &member->bindings.list[i];
        if (offset < each->offset + each->size_bytes && each->offset < offset + size_bytes)
            return true;
    }
    return false;
}

static CUresult bind_locked(struct cup_physical *object, const struct multicast_binding *wanted,
                            uint64_t memory_offset)
{
    const struct cup_physical *memory = wanted->memory;
    struct multicast_member *member = member_of_locked(object->multicast, memory->device);
    struct multicast_binding *place;

    if (!member || is_bound_locked(member, wanted->offset, wanted->size_bytes))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the memory's device is not in the team, or has bound the range");
    void *at = (void *)(uintptr_t)(member->window + wanted->offset);
    place = cup_dynarray_add(&member->bindings.array, sizeof(*place));
    if (!place)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a binding");
    if (!cup_reserve_attach(at, wanted->size_bytes, memory->fd, memory->offset + memory_offset) ||
        !cup_reserve_protect(at, wanted->size_bytes, true, true)) {
        cup_reserve_detach(at, wanted->size_bytes);
        member->bindings.count--;
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the system allows no more mappings");
    }
    *place = *wanted;
    cup_physical_ref(place->memory);
    atomic_fetch_add(&place->memory->bindings, 1);
    return CUDA_SUCCESS;
}

static bool is_inside(uint64_t offset, uint64_t size_bytes, uint64_t whole_bytes)
{
    return size_bytes && offset % CUP_PHYSICAL_CHUNK_BYTES == 0 &&
           size_bytes % CUP_PHYSICAL_CHUNK_BYTES == 0 && offset <= whole_bytes &&
           size_bytes <= whole_bytes - offset;
}

CUresult cup_multicast_bind(struct cup_physical *object, uint64_t offset,
                            struct cup_physical *memory, uint64_t memory_offset,
                            uint64_t size_bytes)
{
    struct multicast_binding wanted = {offset, size_bytes, memory};
    CUresult result = cup_multicast_await_team(object);

    if (result != CUDA_SUCCESS)
        return result;
    if (memory->multicast || !memory->device)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "only memory of a device can be bound");
    if (!is_inside(offset, size_bytes, object->size_bytes) ||
        !is_inside(memory_offset, size_bytes, memory->size_bytes))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the range is outside the object or the memory, or not in steps of 2 MiB");
    cup_lock_acquire(&object->multicast->lock);
    result = bind_locked(object, &wanted, memory_offset);
    cup_lock_release(&object->multicast->lock);
    return result;
}

/* Removes the binding from its list. */
static bool take_locked(struct multicast_member *member, uint64_t offset, uint64_t size_bytes,
                        struct multicast_binding *taken)
{
    for (size_t i = 0; i < member->bindings.count; i++) {
        struct multicast_binding *each = &member->bindings.list[i];
        if (each->offset != offset || each->size_bytes != size_bytes)
            continue;
        *taken = *each;
        *each = member->bindings.list[--member->bindings.count];
        return true;
    }
    return false;
}

CUresult cup_multicast_unbind(struct cup_physical *object, const struct cup_device *device,
                              uint64_t offset, uint64_t size_bytes)
{
    struct multicast_binding taken;
    struct multicast_member *member;
    bool found;

    if (!object->multicast)
        return not_multicast();
    cup_lock_acquire(&object->multicast->lock);
    member = member_of_locked(object->multicast, device);
    found = member && take_locked(member, offset, size_bytes, &taken);
    cup_lock_release(&object->multicast->lock);
    if (!found)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "device %d has not bound 0x%llx bytes at offset 0x%llx", device->ordinal,
                         (unsigned long long)size_bytes, (unsigned long long)offset);
    binding_end(member, &taken);
    return CUDA_SUCCESS;
}

bool cup_multicast_find(uint64_t address, struct cup_multicast_places *places)
{
    uint64_t offset;

    places->object = cup_virtual_find_multicast(address, &offset);
    if (!places->object)
        return false;
    places->count = places->object->multicast->team;
    for (unsigned i = 0; i < places->count; i++)
        places->addresses[i] = places->object->multicast->members[i].window + offset;
    return true;
}
