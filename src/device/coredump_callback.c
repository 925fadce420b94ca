/* SPDX-License-Identifier: MIT */
/* The list of callbacks. Handles are compared with the entries and never dereferenced. */
#include "device/coredump_callback.h"

#include "core/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

struct CUcoredumpCallbackEntry_st {
    struct CUcoredumpCallbackEntry_st *next; /* guarded by lock */
    enum cup_coredump_moment moment;
    CUcoredumpStatusCallback function;
    void *data;
    uint64_t number; /* of the registration */
};

/* Leaf mutex: guards the list of callbacks. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUcoredumpCallbackEntry_st *entries; /* newest first; guarded by lock */
static uint64_t last_number;                       /* guarded by lock */

CUresult cup_coredump_callback_add(enum cup_coredump_moment moment,
                                   CUcoredumpStatusCallback callback, void *data,
                                   CUcoredumpCallbackHandle *handle)
{
    struct CUcoredumpCallbackEntry_st *made = malloc(sizeof(*made));

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a callback");
    pthread_mutex_lock(&lock);
    *made = (struct CUcoredumpCallbackEntry_st){.next = entries,
                                                .moment = moment,
                                                .function = callback,
                                                .data = data,
                                                .number = ++last_number};
    entries = made;
    pthread_mutex_unlock(&lock);
    if (handle)
        *handle = made;
    return CUDA_SUCCESS;
}

CUresult cup_coredump_callback_remove(enum cup_coredump_moment moment,
                                      CUcoredumpCallbackHandle handle)
{
    struct CUcoredumpCallbackEntry_st **link = &entries, *found = NULL;

    pthread_mutex_lock(&lock);
    while (*link && (*link != handle || (*link)->moment != moment))
        link = &(*link)->next;
    if (*link) {
        found = *link;
        *link = found->next;
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is no callback for %s of core dumps",
                         (void *)handle, moment == CUP_COREDUMP_STARTS ? "the start" : "the end");
    free(found);
    return CUDA_SUCCESS;
}

/* Copies the oldest entry for this moment that was registered after `number`. */
static bool next_after(enum cup_coredump_moment moment, uint64_t number,
                       struct CUcoredumpCallbackEntry_st *copy)
{
    const struct CUcoredumpCallbackEntry_st *next = NULL;

    pthread_mutex_lock(&lock);
    for (const struct CUcoredumpCallbackEntry_st *each = entries; each; each = each->next) {
        if (each->moment == moment && each->number > number)
            next = each;
    }
    if (next)
        *copy = *next;
    pthread_mutex_unlock(&lock);
    return next != NULL;
}

void cup_coredump_callback_run(enum cup_coredump_moment moment, CUdevice device)
{
    struct CUcoredumpCallbackEntry_st entry = {.number = 0};

    while (next_after(moment, entry.number, &entry))
        entry.function(entry.data, (int)getpid(), device);
}
