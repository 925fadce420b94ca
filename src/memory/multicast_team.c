/* SPDX-License-Identifier: MIT */
#include "memory/multicast_team.h"

#include "core/align.h"
#include "core/error.h"
#include "memory/physical.h"
#include "os/futex.h"
#include "os/memfd.h"
#include "os/reserve.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

struct team_label {
    char magic[8];
    uint64_t size_bytes;
    uint32_t size, zero;
    struct cup_ipcfile_key key;
};

static const char label_magic[8] = {'c', 'u', 'p', ' ', 'm', 'c', 'o', 1}; /* the 1 is a version */

static uint64_t team_bytes(void)
{
    return cup_align_up(sizeof(struct cup_team), CUP_MEMFD_LABEL_BYTES);
}

/* Maps the team and opens its file again: locks belong to file descriptions, and descriptors that
 * are passed on share one. */
static CUresult attach(int fd, struct cup_team_file *file)
{
    file->fd = cup_ipcfile_reopen(fd);
    if (file->fd < 0)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "the team's file cannot be opened: %s",
                         strerror(errno));
    file->team = cup_memfd_map(file->fd, team_bytes());
    if (file->team)
        return CUDA_SUCCESS;
    close(file->fd);
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the team's file cannot be mapped");
}

static CUresult create_file(struct cup_team_file *file)
{
    struct team_label label = {.size_bytes = file->size_bytes, .size = file->size};

    memcpy(label.magic, label_magic, sizeof(label.magic));
    if (!cup_ipcfile_key_make(&label.key))
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "no random numbers");
    file->key = label.key;
    int fd = cup_memfd_create("cupipe multicast", team_bytes(), &label, sizeof(label));
    if (fd < 0)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "no file for a team: %s", strerror(errno));
    CUresult result = attach(fd, file);
    close(fd);
    return result;
}

CUresult cup_team_create(unsigned size, uint64_t size_bytes, bool shared,
                         struct cup_team_file *file)
{
    int saved = errno;
    CUresult result = CUDA_SUCCESS;

    *file = (struct cup_team_file){.size = size, .size_bytes = size_bytes, .fd = -1};
    if (shared)
        result = create_file(file);
    else if (!(file->team = cup_reserve_private(team_bytes(), CUP_MEMFD_LABEL_BYTES)))
        result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a team");
    errno = saved;
    return result;
}

CUresult cup_team_open(int fd, struct cup_team_file *file)
{
    struct team_label label;
    uint64_t size_bytes;
    int saved = errno;

    if (!cup_memfd_read(fd, &size_bytes, &label, sizeof(label)) || size_bytes != team_bytes() ||
        memcmp(label.magic, label_magic, sizeof(label.magic)) != 0 || label.size == 0 ||
        label.size > CUP_MAX_DEVICES || label.size_bytes == 0 ||
        label.size_bytes % CUP_PHYSICAL_CHUNK_BYTES || label.size_bytes > INT64_MAX)
        return CUDA_ERROR_UNKNOWN; /* it may be memory */
    *file = (struct cup_team_file){
        .key = label.key, .size = label.size, .size_bytes = label.size_bytes, .fd = -1};
    CUresult result = attach(fd, file);
    errno = saved;
    return result;
}

void cup_team_close(struct cup_team_file *file)
{
    if (file->team)
        cup_reserve_release(file->team, team_bytes());
    if (file->team && file->fd >= 0)
        close(file->fd);
    file->team = NULL;
}

/* The lock of a file belongs to the process, whose threads exclude each other by another lock. */
static void assert_held(const struct cup_team_file *file)
{
    assert(file->is_locked);
    (void)file;
}

bool cup_team_lock(struct cup_team_file *file)
{
    int saved = errno, result = 0;

    if (file->fd >= 0) {
        do
            result = flock(file->fd, LOCK_EX);
        while (result != 0 && errno == EINTR);
    }
    errno = saved;
    file->is_locked = result == 0;
    return file->is_locked;
}

void cup_team_unlock(struct cup_team_file *file)
{
    int saved = errno;

    file->is_locked = false;
    if (file->fd >= 0)
        flock(file->fd, LOCK_UN);
    errno = saved;
}

static unsigned added(const struct cup_team_file *file)
{
    uint32_t count = atomic_load(&file->team->added);

    return count < file->size ? count : file->size;
}

int cup_team_member(const struct cup_team_file *file, const CUuuid *device)
{
    for (unsigned i = 0; i < added(file); i++) {
        if (memcmp(&file->team->devices[i], device, sizeof(*device)) == 0)
            return (int)i;
    }
    return -1;
}

bool cup_team_add_locked(struct cup_team_file *file, const CUuuid *device)
{
    assert_held(file);
    unsigned count = added(file);

    if (count == file->size || cup_team_member(file, device) >= 0)
        return false;
    file->team->devices[count] = *device;
    atomic_store(&file->team->added, count + 1);
    cup_futex_wake_shared(&file->team->added, INT_MAX);
    return true;
}

void cup_team_await(struct cup_team_file *file)
{
    uint32_t count;

    while ((count = atomic_load(&file->team->added)) < file->size)
        cup_futex_wait_shared(&file->team->added, count, -1);
}

bool cup_team_read(const struct cup_team_file *file, unsigned index,
                   struct cup_team_binding *binding)
{
    const struct cup_team_binding *from = &file->team->bindings[index];
    uint64_t number = atomic_load(&from->number);

    if (number == 0)
        return false;
    binding->offset = from->offset;
    binding->size_bytes = from->size_bytes;
    binding->member = from->member;
    binding->place = from->place;
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load(&from->number) != number)
        return false;
    atomic_store(&binding->number, number);
    return binding->member < added(file) && binding->size_bytes &&
           (binding->offset | binding->size_bytes) % CUP_PHYSICAL_CHUNK_BYTES == 0 &&
           binding->offset < file->size_bytes &&
           binding->size_bytes <= file->size_bytes - binding->offset &&
           cup_ipcfile_verify(&binding->place, CUP_IPCFILE_MEMORY, &file->key);
}

int cup_team_bind_locked(struct cup_team_file *file, struct cup_team_binding *binding)
{
    assert_held(file);
    for (unsigned i = 0; i < CUP_TEAM_BINDINGS; i++) {
        struct cup_team_binding *to = &file->team->bindings[i];

        if (atomic_load(&to->number) != 0)
            continue;
        if (!cup_ipcfile_seal(&binding->place, &file->key))
            return -1;
        to->offset = binding->offset;
        to->size_bytes = binding->size_bytes;
        to->member = binding->member;
        to->place = binding->place;
        uint64_t number = atomic_load(&file->team->changes) + 1;
        atomic_store(&binding->number, number);
        atomic_store(&to->number, number);
        atomic_store(&file->team->changes, number);
        return (int)i;
    }
    return -1;
}

void cup_team_unbind_locked(struct cup_team_file *file, unsigned index)
{
    assert_held(file);
    atomic_store(&file->team->bindings[index].number, 0);
    atomic_fetch_add(&file->team->changes, 1);
}

void cup_team_sweep_locked(struct cup_team_file *file)
{
    assert_held(file);
    struct cup_team_binding binding;

    for (unsigned i = 0; i < CUP_TEAM_BINDINGS; i++) {
        if (atomic_load(&file->team->bindings[i].number) == 0)
            continue;
        if (!cup_team_read(file, i, &binding) || (binding.place.process != cup_ipcfile_self() &&
                                                  !cup_ipcfile_is_alive(binding.place.process)))
            cup_team_unbind_locked(file, i);
    }
}
