/* SPDX-License-Identifier: MIT */
/* Retain counts of primary contexts. Ending a context waits for its work without holding a lock:
 * `ending` is set meanwhile, and threads that want to revive the context wait for it. */
#include "device/primary.h"

#include "core/compiler.h"
#include "core/error.h"
#include "core/lock.h"
#include "os/futex.h"

enum { PRIMARY_API_VERSION = 3020 };

struct primary {
    struct cup_lock lock;
    _Atomic(uint32_t) ending; /* futex: 1 while the context is being ended; written under lock */
    unsigned users;           /* guarded by lock */
    unsigned greens;          /* green contexts; guarded by lock */
    unsigned flags;           /* guarded by lock */
    bool active;              /* guarded by lock */
};

static struct primary primaries[CUP_MAX_DEVICES] = {
    [0 ... CUP_MAX_DEVICES - 1] = {.lock = CUP_LOCK_INITIALIZER(CUP_RANK_PRIMARY)},
};

/* Acquires the lock when the context is not being ended. */
static struct primary *primary_lock(const struct cup_device *device)
{
    struct primary *primary = &primaries[device->ordinal];

    cup_lock_acquire(&primary->lock);
    while (atomic_load(&primary->ending)) {
        cup_lock_release(&primary->lock);
        cup_futex_wait(&primary->ending, 1, -1);
        cup_lock_acquire(&primary->lock);
    }
    return primary;
}

/* Creates or revives the context. The caller holds the lock; creating a context takes only locks of
 * higher rank. */
static CUresult begin_locked(struct cup_device *device, struct primary *primary)
{
    cup_lock_assert_held(&primary->lock);
    unsigned flags = (primary->flags & ~(unsigned)CU_CTX_USER_COREDUMP_ENABLE) | CU_CTX_MAP_HOST;
    struct CUctx_st *context = device->primary;
    CUresult result = cup_device_report(device);

    if (result != CUDA_SUCCESS)
        return cup_error(result, "device %d is lost", device->ordinal);
    if (context)
        result = cup_context_revive(context, flags);
    else
        result = cup_context_create(device, flags, PRIMARY_API_VERSION, true, &context);
    if (result == CUDA_SUCCESS)
        atomic_store(&device->primary, context);
    primary->active = result == CUDA_SUCCESS;
    return result;
}

/* Ends the context if it is active, and releases the lock. */
static void end_and_unlock(struct cup_device *device, struct primary *primary)
{
    primary->flags = 0;
    if (!primary->active) {
        cup_lock_release(&primary->lock);
        return;
    }
    primary->active = false;
    atomic_store(&primary->ending, 1);
    cup_lock_release(&primary->lock);

    cup_context_end(device->primary);

    cup_lock_acquire(&primary->lock);
    atomic_store(&primary->ending, 0);
    cup_lock_release(&primary->lock);
    cup_futex_wake(&primary->ending, INT_MAX);
}

static CUresult retain(struct cup_device *device, bool green, struct CUctx_st **context)
{
    struct primary *primary = primary_lock(device);
    CUresult result = CUDA_SUCCESS;

    if (!primary->active)
        result = begin_locked(device, primary);
    if (result == CUDA_SUCCESS) {
        (*(green ? &primary->greens : &primary->users))++;
        *context = device->primary;
    }
    cup_lock_release(&primary->lock);
    return result;
}

CUresult cup_primary_retain(struct cup_device *device, struct CUctx_st **context)
{
    return retain(device, false, context);
}

CUresult cup_primary_retain_green(struct cup_device *device, struct CUctx_st **context)
{
    return retain(device, true, context);
}

/* Ends the context if nobody uses it, and releases the lock. */
static void end_unused_and_unlock(struct cup_device *device, struct primary *primary)
{
    if (primary->users == 0 && primary->greens == 0)
        end_and_unlock(device, primary);
    else
        cup_lock_release(&primary->lock);
}

CUresult cup_primary_release(struct cup_device *device)
{
    struct primary *primary = primary_lock(device);

    bool has_greens = primary->greens != 0;

    if (primary->users == 0) {
        cup_lock_release(&primary->lock);
        return cup_error(has_greens ? CUDA_ERROR_NOT_PERMITTED : CUDA_ERROR_INVALID_CONTEXT,
                         "the primary context is not retained");
    }
    primary->users--;
    end_unused_and_unlock(device, primary);
    return CUDA_SUCCESS;
}

void cup_primary_release_green(struct cup_device *device)
{
    struct primary *primary = primary_lock(device);

    primary->greens--;
    end_unused_and_unlock(device, primary);
}

CUresult cup_primary_reset(struct cup_device *device)
{
    struct primary *primary = primary_lock(device);

    if (primary->greens != 0) {
        cup_lock_release(&primary->lock);
        return cup_error(CUDA_ERROR_NOT_PERMITTED, "the primary context has green contexts");
    }
    end_and_unlock(device, primary);
    return CUDA_SUCCESS;
}

void cup_primary_set_flags(struct cup_device *device, unsigned flags)
{
    struct primary *primary = primary_lock(device);

    primary->flags = flags;
    if (primary->active)
        cup_context_set_flags(device->primary, flags);
    cup_lock_release(&primary->lock);
}

void cup_primary_state(struct cup_device *device, unsigned *flags, bool *active)
{
    struct primary *primary = &primaries[device->ordinal];

    cup_lock_acquire(&primary->lock);
    *flags = primary->flags;
    *active = primary->active;
    cup_lock_release(&primary->lock);
}
