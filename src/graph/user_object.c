/* SPDX-License-Identifier: MIT */
#include "graph/user_object.h"

#include "core/error.h"
#include "core/lock.h"
#include "core/thread.h"
#include "graph/node.h"
#include "os/thread.h"

#include <pthread.h>
#include <stdlib.h>

/* Leaf mutex: guards the list of user objects whose destructors must be called. */
static pthread_mutex_t doomed_lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUuserObject_st *doomed_first, *doomed_last; /* guarded by doomed_lock */
static bool is_served; /* a thread is calling destructors; guarded by doomed_lock */

void cup_user_object_register(void)
{
    cup_object_register(CUP_OBJECT_USER_OBJECT, sizeof(struct CUuserObject_st), NULL);
}

CUresult cup_user_object_create(void *pointer, CUhostFn destructor, unsigned count,
                                struct CUuserObject_st **object)
{
    struct CUuserObject_st *made =
        (struct CUuserObject_st *)cup_object_create(CUP_OBJECT_USER_OBJECT);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a user object");
    made->pointer = pointer;
    made->destructor = destructor;
    atomic_store(&made->count, count);
    cup_object_publish(&made->base);
    *object = made;
    return CUDA_SUCCESS;
}

CUresult cup_user_object_find(CUuserObject handle, struct CUuserObject_st **object)
{
    struct cup_object *found;

    if (!handle || cup_object_find(CUP_OBJECT_USER_OBJECT, handle, &found) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not a user object", (void *)handle);
    *object = (struct CUuserObject_st *)found;
    return CUDA_SUCCESS;
}

void cup_user_object_retain(struct CUuserObject_st *object, unsigned count)
{
    atomic_fetch_add(&object->count, count);
}

static struct CUuserObject_st *next_doomed(void)
{
    pthread_mutex_lock(&doomed_lock);
    struct CUuserObject_st *object = doomed_first;
    if (object)
        doomed_first = object->next;
    else
        is_served = false;
    pthread_mutex_unlock(&doomed_lock);
    return object;
}

static void *call_destructors(void *unused)
{
    struct CUuserObject_st *object;

    (void)unused;
    while ((object = next_doomed())) {
        object->destructor(object->pointer);
        cup_object_unref(&object->base);
    }
    return NULL;
}

/* User objects whose destructors the current call makes at its end. */
struct ending_objects {
    struct CUuserObject_st *first, *last;
    bool are_queued; /* a call has begun that makes destructors at its end */
};

CUP_THREAD_STATE(user_objects, struct ending_objects);

/* Queues the destructor. It is not called here, because the caller may hold locks. */
static void doom(struct CUuserObject_st *object)
{
    struct ending_objects *ending = cup_thread_user_objects(cup_thread_self());

    object->next = NULL;
    if (ending->are_queued) {
        *(ending->first ? &ending->last->next : &ending->first) = object;
        ending->last = object;
        return;
    }
    pthread_mutex_lock(&doomed_lock);
    *(doomed_first ? &doomed_last->next : &doomed_first) = object;
    doomed_last = object;
    if (!is_served)
        is_served = cup_os_thread_start(call_destructors, NULL, "cupipe objects");
    pthread_mutex_unlock(&doomed_lock);
}

void cup_user_objects_begin(void)
{
    cup_thread_user_objects(cup_thread_self())->are_queued = true;
}

/* A destructor may make calls of its own, which end other objects. */
void cup_user_objects_end(void)
{
    struct ending_objects *ending = cup_thread_user_objects(cup_thread_self());
    struct CUuserObject_st *next;

    ending->are_queued = false;
    struct CUuserObject_st *object = ending->first;
    ending->first = NULL;
    for (; object; object = next) {
        next = object->next;
        object->destructor(object->pointer);
        cup_object_unref(&object->base);
    }
}

/* An object of which more references are released than there are is never destroyed, as with
 * NVIDIA's driver. */
void cup_user_object_release(struct CUuserObject_st *object, unsigned count)
{
    int64_t before = atomic_fetch_sub(&object->count, count);

    if (before == count && cup_object_retire(&object->base, CUP_RETIRED_DESTROYED))
        doom(object);
}

static struct cup_user_reference *reference_of(struct cup_user_references *users,
                                               const struct CUuserObject_st *object)
{
    for (size_t i = 0; i < users->count; i++) {
        if (users->list[i].object == object)
            return &users->list[i];
    }
    return NULL;
}

static struct cup_user_reference *add_reference(struct cup_user_references *users,
                                                struct CUuserObject_st *object)
{
    struct cup_user_reference *added = cup_dynarray_add(&users->array, sizeof(*added));

    if (!added)
        return NULL;
    cup_object_ref(&object->base);
    *added = (struct cup_user_reference){object, 0};
    return added;
}

CUresult cup_graph_retain_user(struct CUgraph_st *graph, struct CUuserObject_st *object,
                               unsigned count, bool moved)
{
    cup_lock_acquire(&cup_graph_lock);
    struct cup_user_reference *reference = reference_of(&graph->users, object);
    if (!reference)
        reference = add_reference(&graph->users, object);
    if (reference)
        reference->count += count;
    cup_lock_release(&cup_graph_lock);
    if (!reference)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a reference");
    if (!moved)
        cup_user_object_retain(object, count);
    return CUDA_SUCCESS;
}

/* References that the graph does not hold are released from the application's. */
void cup_graph_release_user(struct CUgraph_st *graph, struct CUuserObject_st *object,
                            unsigned count)
{
    cup_lock_acquire(&cup_graph_lock);
    struct cup_user_reference *reference = reference_of(&graph->users, object);
    if (reference)
        reference->count -= count < reference->count ? count : reference->count;
    cup_lock_release(&cup_graph_lock);
    cup_user_object_release(object, count);
}

CUresult cup_user_references_copy(struct cup_user_references *to,
                                  const struct cup_user_references *from)
{
    for (size_t i = 0; i < from->count; i++) {
        struct cup_user_reference *reference = add_reference(to, from->list[i].object);
        if (!reference)
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a reference");
        reference->count = from->list[i].count;
        cup_user_object_retain(reference->object, reference->count);
    }
    return CUDA_SUCCESS;
}

CUresult cup_user_references_collect_locked(struct cup_user_references *to,
                                            const struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUresult result = cup_user_references_copy(to, &graph->users);

    for (const struct CUgraphNode_st *node = graph->first; node && result == CUDA_SUCCESS;
         node = node->next) {
        const CUDA_CONDITIONAL_NODE_PARAMS *conditional = &node->params->given.conditional;

        if (node->params->type->id == CU_GRAPH_NODE_TYPE_GRAPH)
            result = cup_user_references_collect_locked(to, node->params->given.graph.graph);
        for (unsigned i = 0; node->params->type->id == CU_GRAPH_NODE_TYPE_CONDITIONAL &&
                             i < conditional->size && result == CUDA_SUCCESS;
             i++)
            result = cup_user_references_collect_locked(to, conditional->phGraph_out[i]);
    }
    return result;
}

void cup_user_references_drop(struct cup_user_references *references)
{
    for (size_t i = 0; i < references->count; i++) {
        if (references->list[i].count)
            cup_user_object_release(references->list[i].object, references->list[i].count);
        cup_object_unref(&references->list[i].object->base);
    }
    free(references->list);
    *references = (struct cup_user_references){0};
}
