/* SPDX-License-Identifier: MIT */
#include "event_sets.h"

#include "core/dynarray.h"
#include "os/mutex.h"

#include <pthread.h>
#include <stdint.h>

enum { USE_SHIFT = 32 };

struct slot {
    enum event_set_kind kind; /* EVENT_SET_NONE: free */
    uint32_t use;             /* grows when the slot is freed */
    uint32_t next;            /* of a free slot: the number of the next, from 1; 0: none */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    CUP_DYNARRAY(struct slot, slots);
} sets;                     /* guarded by lock */
static uint32_t first_free; /* its number, from 1; guarded by lock */

static void *handle_of(uint32_t number)
{
    return (void *)(uintptr_t)((uint64_t)sets.slots[number - 1].use << USE_SHIFT | number);
}

static struct slot *find_locked(enum event_set_kind kind, const void *handle)
{
    cup_mutex_assert_held(&lock);
    uint32_t number = (uint32_t)(uintptr_t)handle;

    if (number == 0 || number > sets.count || sets.slots[number - 1].kind != kind ||
        handle_of(number) != handle)
        return NULL;
    return &sets.slots[number - 1];
}

static void *create_locked(enum event_set_kind kind)
{
    cup_mutex_assert_held(&lock);
    uint32_t number = first_free;

    if (number) {
        first_free = sets.slots[number - 1].next;
    } else {
        struct slot *added = cup_dynarray_add(&sets.array, sizeof(*added));
        if (!added)
            return NULL;
        *added = (struct slot){.kind = EVENT_SET_NONE};
        number = (uint32_t)sets.count;
    }
    sets.slots[number - 1].kind = kind;
    return handle_of(number);
}

void *event_set_create(enum event_set_kind kind)
{
    pthread_mutex_lock(&lock);
    void *handle = create_locked(kind);
    pthread_mutex_unlock(&lock);
    return handle;
}

bool event_set_is_live(enum event_set_kind kind, const void *handle)
{
    pthread_mutex_lock(&lock);
    bool found = find_locked(kind, handle) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

bool event_set_free(enum event_set_kind kind, const void *handle)
{
    pthread_mutex_lock(&lock);
    struct slot *found = find_locked(kind, handle);
    if (found) {
        *found = (struct slot){.use = found->use + 1, .next = first_free};
        first_free = (uint32_t)(found - sets.slots) + 1;
    }
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

void event_sets_after_fork(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
