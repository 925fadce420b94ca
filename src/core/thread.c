/* SPDX-License-Identifier: MIT */
/* The states are in a static array whose pages are committed on first touch, so a thread's first
 * call needs no allocation; only states beyond a thousand concurrent threads are allocated. One
 * pthread key reports the end of threads: with one key per part, a state could be needed after it
 * was freed. */
#include "core/thread.h"

#include "core/list.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 1024, WORD_BITS = 64 };

CUP_THREAD_LOCAL struct cup_thread *cup_thread_or_null;

static struct cup_thread threads[THREADS];
static _Atomic(uint64_t) in_use[THREADS / WORD_BITS]; /* one bit per state */

/* The states beyond the array. */
struct allocated_state {
    struct cup_thread state; /* first member */
    struct cup_list link;    /* guarded by allocated_lock */
};

/* Leaf mutex: guards the list of states beyond the array. */
static pthread_mutex_t allocated_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cup_list allocated = CUP_LIST_INITIALIZER(allocated); /* guarded by allocated_lock */

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;
static _Atomic(void (*)(struct cup_thread *self)) ends[CUP_SLOT_COUNT];

static struct cup_thread *alloc_in_word(unsigned word)
{
    uint64_t bits = atomic_load(&in_use[word]);

    while (~bits) {
        unsigned bit = (unsigned)__builtin_ctzll(~bits);
        if (atomic_compare_exchange_weak(&in_use[word], &bits, bits | UINT64_C(1) << bit))
            return &threads[word * WORD_BITS + bit];
    }
    return NULL;
}

static struct cup_thread *alloc_beyond(void)
{
    struct allocated_state *made = aligned_alloc(_Alignof(struct allocated_state), sizeof(*made));

    if (!made)
        return NULL;
    memset(made, 0, sizeof(*made));
    pthread_mutex_lock(&allocated_lock);
    cup_list_append(&allocated, &made->link);
    pthread_mutex_unlock(&allocated_lock);
    return &made->state;
}

static void free_beyond(struct allocated_state *state)
{
    pthread_mutex_lock(&allocated_lock);
    cup_list_remove(&state->link);
    pthread_mutex_unlock(&allocated_lock);
    free(state);
}

static struct cup_thread *alloc_state(void)
{
    for (unsigned word = 0; word < CUP_ARRAY_COUNT(in_use); word++) {
        struct cup_thread *found = alloc_in_word(word);
        if (found)
            return found;
    }
    return alloc_beyond();
}

static void free_state(struct cup_thread *self)
{
    if (self < threads || self >= threads + THREADS) {
        free_beyond((struct allocated_state *)self);
        return;
    }
    size_t index = (size_t)(self - threads);
    /* Other threads may read `calls`, the first field (core/gate.c). */
    atomic_store(&self->calls, 0);
    memset((char *)self + sizeof(self->calls), 0, sizeof(*self) - sizeof(self->calls));
    atomic_fetch_and(&in_use[index / WORD_BITS], ~(UINT64_C(1) << index % WORD_BITS));
}

/* A destructor of the program may call CUDA after this one: the thread then gets a new state, and
 * this function is called again. */
static void on_thread_end(void *argument)
{
    struct cup_thread *self = argument;

    for (int i = 0; i < CUP_SLOT_COUNT; i++) {
        void (*end)(struct cup_thread * self) = atomic_load(&ends[i]);
        if (end)
            end(self);
    }
    cup_thread_or_null = NULL;
    free_state(self);
}

static void create_key(void)
{
    have_key = pthread_key_create(&key, on_thread_end) == 0;
}

/* If neither a state nor memory is free, waits for another thread to end, because no caller can
 * continue without a state. */
struct cup_thread *cup_thread_create(void)
{
    struct cup_thread *made;

    while ((made = alloc_state()) == NULL)
        sched_yield();
    pthread_once(&key_once, create_key);
    made->end_is_observed = have_key && pthread_setspecific(key, made) == 0;
    cup_thread_or_null = made;
    return made;
}

bool cup_thread_at_end(enum cup_thread_slot slot, void (*function)(struct cup_thread *self))
{
    if (atomic_load_explicit(&ends[slot], memory_order_relaxed) != function)
        atomic_store(&ends[slot], function);
    return cup_thread_self()->end_is_observed;
}

bool cup_thread_any(bool (*test)(const struct cup_thread *thread))
{
    bool found = false;

    for (unsigned i = 0; i < THREADS && !found; i++) {
        if (i % WORD_BITS == 0 && atomic_load(&in_use[i / WORD_BITS]) == 0)
            i += WORD_BITS - 1;
        else
            found = test(&threads[i]);
    }
    pthread_mutex_lock(&allocated_lock);
    cup_list_each (each, &allocated, struct allocated_state, link)
        found = found || test(&each->state);
    pthread_mutex_unlock(&allocated_lock);
    return found;
}

uint32_t cup_thread_id(void)
{
    static _Atomic(uint32_t) next_id;
    struct cup_thread *self = cup_thread_self();

    if (!self->id)
        self->id = atomic_fetch_add(&next_id, 1) + 1;
    return self->id;
}
