/* SPDX-License-Identifier: MIT */
/* Creation, look-up and end of contexts. current.c has the calling thread's context stack. */
#include "device/context.h"

#include "core/driver_version.h"
#include "core/error.h"
#include "device/coredump.h"
#include "device/limits.h"
#include "device/upcalls.h"
#include "device/usage.h"
#include "os/clock.h"
#include "stream/event.h"
#include "stream/stream.h"

#include <stdlib.h>

static _Atomic(uint64_t) next_id = 1;

/* Recently destroyed contexts. NVIDIA's driver lets a destroyed context be made current, which
 * programs do when they restore the previous context. The object is therefore kept until this many
 * others have been destroyed. */
enum { DESTROYED_KEPT = 64 };
static _Atomic(struct CUctx_st *) destroyed_contexts[DESTROYED_KEPT];

/* Takes over the caller's reference. */
static void keep_destroyed(struct CUctx_st *context)
{
    static _Atomic(unsigned) next_grave;
    unsigned grave = atomic_fetch_add(&next_grave, 1) % DESTROYED_KEPT;
    struct CUctx_st *before = atomic_exchange(&destroyed_contexts[grave], context);

    if (before)
        cup_context_unref(before);
}

/* Flags that are fixed at creation, and flags that can be changed. The other two only affect
 * creation. */
enum {
    FIXED_FLAGS = CU_CTX_MAP_HOST | CU_CTX_COREDUMP_ENABLE,
    CHANGEABLE_FLAGS = CU_CTX_SCHED_MASK | CU_CTX_LMEM_RESIZE_TO_MAX | CU_CTX_SYNC_MEMOPS,
};

static void context_finish(struct cup_object *object)
{
    struct CUctx_st *context = (struct CUctx_st *)object;

    if (context->legacy)
        cup_stream_unref(context->legacy);
    if (cup_context_is_green(context))
        cup_context_unref(context->owner);
    free(context->coredump);
    cup_lock_finish(&context->lock);
}

void cup_context_register(void)
{
    cup_object_register(CUP_OBJECT_CONTEXT, sizeof(struct CUctx_st), context_finish);
}

static void reset_state(struct CUctx_st *context, unsigned flags)
{
    atomic_store(&context->flags, flags);
    cup_limits_reset(context);
    atomic_store(&context->limits_fixed, 0);
    context->cache_config = CU_FUNC_CACHE_PREFER_NONE;
    atomic_store(&context->peers, 0);
    context->attach_count = 1;
    cup_coredump_inherit(context->coredump, flags & CU_CTX_COREDUMP_ENABLE);
    cup_device_upcalls.accept_dump_requests();
    context->id = atomic_fetch_add(&next_id, 1);
}

CUresult cup_context_create(struct cup_device *device, unsigned flags, unsigned api_version,
                            bool is_primary, struct CUctx_st **context)
{
    struct cup_object *object = cup_object_create(CUP_OBJECT_CONTEXT);

    if (!object)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a context");
    struct CUctx_st *made = (struct CUctx_st *)object;
    made->device = device;
    made->api_version = api_version;
    made->is_primary = is_primary;
    made->owner = made;
    cup_lock_init(&made->lock, CUP_RANK_CONTEXT);
    cup_list_init(&made->streams);
    cup_list_init(&made->events);
    cup_list_init(&made->children);
    made->coredump = malloc(sizeof(*made->coredump));
    if (!made->coredump) {
        cup_context_unref(made);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a context");
    }
    reset_state(made, flags);
    CUresult result =
        cup_stream_create(made, CUP_STREAM_LEGACY, CU_STREAM_DEFAULT, 0, &made->legacy);
    if (result != CUDA_SUCCESS) {
        cup_context_unref(made);
        return result;
    }
    atomic_fetch_add(&device->usage->contexts, 1);
    cup_object_publish(object);
    *context = made;
    return CUDA_SUCCESS;
}

CUresult cup_context_create_green(struct CUctx_st *owner,
                                  const struct CUdevResourceDesc_st *descriptor,
                                  struct CUctx_st **context)
{
    struct CUctx_st *made = (struct CUctx_st *)cup_object_create(CUP_OBJECT_CONTEXT);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a green context");
    made->device = owner->device;
    made->api_version = owner->api_version;
    made->owner = owner;
    made->sms = &descriptor->sms;
    made->workqueue = cup_workqueue_provision(&descriptor->workqueue);
    cup_context_ref(owner);
    cup_lock_init(&made->lock, CUP_RANK_CONTEXT);
    cup_list_init(&made->streams);
    cup_list_init(&made->events);
    cup_list_init(&made->children);
    made->id = atomic_fetch_add(&next_id, 1);
    *context = made;
    return CUDA_SUCCESS;
}

/* Returns a stream of the context that still has a handle, with a reference, or NULL. */
static struct CUstream_st *some_stream(struct CUctx_st *context)
{
    struct CUstream_st *found = NULL;

    cup_lock_acquire(&context->owner->lock);
    cup_list_each (each, &context->owner->streams, struct CUstream_st, context_link) {
        if (each->kind != CUP_STREAM_LEGACY && each->kind != CUP_STREAM_GREEN &&
            cup_stream_is_of(each, context) && atomic_load(&each->base.stamp) > CUP_RETIRED_LAST &&
            cup_object_try_ref(&each->base)) {
            found = each;
            break;
        }
    }
    cup_lock_release(&context->owner->lock);
    return found;
}

/* From CUDA 13.1 on, the streams that an application has made in a green context outlive it until
 * they are destroyed, but nothing else can be done with them. */
static enum cup_retire_reason reason_for(const struct CUstream_st *stream,
                                         const struct CUctx_st *context)
{
    if (cup_context_is_green(context) && stream->kind == CUP_STREAM_CREATED &&
        cup_driver_has(13010))
        return CUP_RETIRED_DETACHED;
    if (context->is_primary || cup_context_is_green(context))
        return CUP_RETIRED_CONTEXT_RESET;
    return CUP_RETIRED_DESTROYED;
}

static void end_streams(struct CUctx_st *context)
{
    struct CUstream_st *stream;

    while ((stream = some_stream(context))) {
        cup_stream_destroy(stream, reason_for(stream, context));
        cup_stream_unref(stream);
    }
}

void cup_context_add_child(struct CUctx_st *context, struct cup_context_child *child,
                           struct cup_object *object,
                           void (*end)(struct cup_object *object, enum cup_retire_reason reason))
{
    child->object = object;
    child->end = end;
    cup_lock_acquire(&context->lock);
    cup_list_insert(&context->children, &child->link);
    cup_lock_release(&context->lock);
}

void cup_context_remove_child(struct CUctx_st *context, struct cup_context_child *child)
{
    if (!child->object)
        return;
    cup_lock_acquire(&context->lock);
    cup_list_remove(&child->link);
    cup_lock_release(&context->lock);
}

/* Returns a child that still has a handle, with a reference on its object, or NULL. */
static struct cup_context_child *some_child(struct CUctx_st *context)
{
    struct cup_context_child *found = NULL;

    cup_lock_acquire(&context->lock);
    cup_list_each (each, &context->children, struct cup_context_child, link) {
        if (atomic_load(&each->object->stamp) > CUP_RETIRED_LAST &&
            cup_object_try_ref(each->object)) {
            found = each;
            break;
        }
    }
    cup_lock_release(&context->lock);
    return found;
}

static void end_children(struct CUctx_st *context)
{
    enum cup_retire_reason reason =
        context->is_primary ? CUP_RETIRED_CONTEXT_RESET : CUP_RETIRED_CONTEXT_GONE;
    struct cup_context_child *child;

    while ((child = some_child(context))) {
        struct cup_object *object = child->object;
        child->end(object, reason);
        cup_object_unref(object);
    }
}

/* Under the lock, so that a concurrent launch that creates `devrt` either sees that the context has
 * ended or is seen here. */
static void release_devrt(struct CUctx_st *context)
{
    cup_lock_acquire(&context->lock);
    bool has_devrt = atomic_load(&context->devrt) != NULL;
    cup_lock_release(&context->lock);
    if (has_devrt)
        cup_device_upcalls.release_devrt(context);
}

bool cup_context_end(struct CUctx_st *context)
{
    enum cup_context_state expected = CUP_CONTEXT_LIVE;

    if (!atomic_compare_exchange_strong(&context->state, &expected, CUP_CONTEXT_DESTROYED))
        return false;
    cup_context_synchronize(context);
    end_streams(context);
    if (!cup_context_is_green(context)) {
        cup_event_end_all(context);
        end_children(context);
        release_devrt(context);
        cup_device_upcalls.release_memory(context);
        atomic_fetch_sub(&context->device->usage->contexts, 1);
    }
    atomic_store(&context->flags, 0);
    if (!context->is_primary && cup_object_retire(&context->base, CUP_RETIRED_CONTEXT_RESET))
        keep_destroyed(context); /* passes the handle's reference */
    return true;
}

CUresult cup_context_revive(struct CUctx_st *context, unsigned flags)
{
    cup_lock_acquire(&context->lock);
    reset_state(context, flags);
    cup_lock_release(&context->lock);
    atomic_fetch_add(&context->device->usage->contexts, 1);
    atomic_store(&context->state, CUP_CONTEXT_LIVE);
    return CUDA_SUCCESS;
}

CUresult cup_context_find_exact(CUcontext handle, struct CUctx_st **context)
{
    struct cup_object *object;
    CUresult result = cup_object_find(CUP_OBJECT_CONTEXT, handle, &object);

    if (result == CUDA_ERROR_CONTEXT_IS_DESTROYED)
        return cup_error(result, "context %p has been destroyed", (void *)handle);
    if (result != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "%p is not a context", (void *)handle);
    *context = (struct CUctx_st *)object;
    return CUDA_SUCCESS;
}

CUresult cup_context_find(CUcontext handle, struct CUctx_st **context)
{
    struct CUctx_st *exact;
    CUresult result = cup_context_find_exact(handle, &exact);

    if (result != CUDA_SUCCESS)
        return result;
    *context = exact->owner;
    if (cup_context_is_green(exact)) {
        cup_context_ref(exact->owner);
        cup_context_unref(exact);
    }
    return CUDA_SUCCESS;
}

CUresult cup_context_find_any(CUcontext handle, struct CUctx_st **context)
{
    CUresult result = cup_context_find_exact(handle, context);

    /* This result implies that the handle is one of our slots, so it can be read. */
    if (result != CUDA_ERROR_CONTEXT_IS_DESTROYED || !cup_object_try_ref(&handle->base))
        return result;
    *context = handle;
    return CUDA_SUCCESS;
}

bool cup_context_is_live(struct CUctx_st *context)
{
    return atomic_load_explicit(&context->state, memory_order_relaxed) == CUP_CONTEXT_LIVE;
}

void cup_context_set_flags(struct CUctx_st *context, unsigned flags)
{
    cup_lock_acquire(&context->lock);
    atomic_store(&context->flags,
                 (atomic_load(&context->flags) & FIXED_FLAGS) | (flags & CHANGEABLE_FLAGS));
    cup_lock_release(&context->lock);
}

void cup_context_skip_id(void)
{
    atomic_fetch_add(&next_id, 1);
}

bool cup_context_was_made(void)
{
    return atomic_load(&next_id) != 1;
}

CUresult cup_context_usable(struct CUctx_st *context)
{
    if (cup_unlikely(!cup_context_is_live(context)))
        return cup_error(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context has been destroyed");
    return cup_device_report(context->device);
}

bool cup_context_may_access(struct CUctx_st *context, const struct cup_device *device)
{
    return device == context->device ||
           (atomic_load_explicit(&context->peers, memory_order_acquire) >> device->physical & 1);
}

/* How long NVIDIA's driver takes to handle an exception of a kernel, as measured on an H200. */
static uint64_t handling_ns(CUresult exception)
{
    const uint64_t ms = 1000000;

    switch (exception) {
    case CUDA_ERROR_ASSERT:
        return 4 * ms;
    case CUDA_ERROR_LAUNCH_FAILED: /* a trap */
        return 330 * ms;
    default:
        return 100 * ms;
    }
}

void cup_context_fail(struct CUctx_st *context, CUresult error, bool in_kernel)
{
    CUresult before = CUDA_SUCCESS;

    if (atomic_load(&context->device->sticky) == CUDA_SUCCESS && in_kernel &&
        !cup_device_error_passes(error))
        atomic_store(&context->device->told_from_ns, cup_clock_ns() + handling_ns(error));
    bool first = atomic_compare_exchange_strong(&context->device->sticky, &before, error);

    while (!first && cup_device_error_passes(before) && !cup_device_error_passes(error))
        first = atomic_compare_exchange_weak(&context->device->sticky, &before, error);
    if (first)
        cup_log(CUP_LOG_ERROR, "%s %d%s: asynchronous work failed with %s",
                cup_device_error_passes(error) ? "on device" : "device", context->device->ordinal,
                cup_device_error_passes(error) ? "" : " is lost", cup_result_name(error));
}

CUresult cup_context_synchronize(struct CUctx_st *context)
{
    cup_stream_wait_all(context, false);
    cup_context_show_output(context->owner);
    return cup_device_look(context->device);
}
