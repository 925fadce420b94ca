/* SPDX-License-Identifier: MIT */
/* External semaphore objects. semaphore_job.c has the stream operations. */
#include "interop/external_semaphore.h"

#include "core/compiler.h"
#include "core/error.h"
#include "interop/semaphore_watch.h"

#include <unistd.h>

static const struct cup_semaphore_type *const types[] = {
    &cup_semaphore_type_file,
    &cup_semaphore_type_swiftshader,
};

static void semaphore_finish(struct cup_object *object)
{
    struct CUextSemaphore_st *semaphore = (struct CUextSemaphore_st *)object;

    cup_context_remove_child(semaphore->context, &semaphore->child);
    if (semaphore->payload)
        semaphore->type->close(semaphore->payload);
    cup_context_unref(semaphore->context);
}

void cup_external_semaphore_register(void)
{
    cup_object_register(CUP_OBJECT_EXTERNAL_SEMAPHORE, sizeof(struct CUextSemaphore_st),
                        semaphore_finish);
}

static void semaphore_end(struct cup_object *object, enum cup_retire_reason reason)
{
    cup_external_semaphore_destroy((struct CUextSemaphore_st *)object, reason);
}

CUresult cup_external_semaphore_import(struct CUctx_st *context, int fd,
                                       struct CUextSemaphore_st **semaphore)
{
    struct cup_object *object = cup_object_create(CUP_OBJECT_EXTERNAL_SEMAPHORE);

    if (!object)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a semaphore");
    struct CUextSemaphore_st *made = (struct CUextSemaphore_st *)object;
    cup_context_ref(context);
    made->context = context;
    for (size_t i = 0; i < CUP_ARRAY_COUNT(types) && !made->payload; i++) {
        made->type = types[i];
        made->payload = types[i]->open(fd);
    }
    if (!made->payload) {
        cup_object_unref(object);
        return cup_error(CUDA_ERROR_UNKNOWN, "file descriptor %d is not a semaphore", fd);
    }
    close(fd);
    cup_context_add_child(context, &made->child, object, semaphore_end);
    cup_object_publish(object);
    *semaphore = made;
    return CUDA_SUCCESS;
}

CUresult cup_external_semaphore_find(CUexternalSemaphore handle,
                                     struct CUextSemaphore_st **semaphore)
{
    struct cup_object *object;

    if (cup_object_find(CUP_OBJECT_EXTERNAL_SEMAPHORE, handle, &object) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not a semaphore", (void *)handle);
    *semaphore = (struct CUextSemaphore_st *)object;
    return CUDA_SUCCESS;
}

bool cup_external_semaphore_destroy(struct CUextSemaphore_st *semaphore,
                                    enum cup_retire_reason reason)
{
    if (!cup_object_retire(&semaphore->base, reason))
        return false;
    atomic_store(&semaphore->ended, true);
    cup_semaphore_watch_wake();
    cup_external_semaphore_unref(semaphore); /* the handle's reference */
    return true;
}
