/* SPDX-License-Identifier: MIT */
/* The states lie in an array that costs nothing until it is touched, so that a thread's first call
 * needs no memory; only what is beyond a thousand threads at once is allocated. One key of
 * pthread's tells of the end of threads: with a key for each part, states would be needed after
 * they were given back. */
#include "core/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 1024, WORD_BITS = 64 };

CUP_THREAD_LOCAL struct cup_thread *cup_thread_or_null;

static struct cup_thread threads[THREADS];
static _Atomic(uint64_t) taken[THREADS / WORD_BITS]; /* a bit for each */

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;
static _Atomic(void (*)(struct cup_thread *self)) ends[CUP_END_COUNT];

static struct cup_thread *take_in(unsigned word)
{
    uint64_t bits = atomic_load(&taken[word]);

    while (~bits) {
        unsigned bit = (unsigned)__builtin_ctzll(~bits);
        if (atomic_compare_exchange_weak(&taken[word], &bits, bits | UINT64_C(1) << bit))
            return &threads[word * WORD_BITS + bit];
    }
    return NULL;
}

static struct cup_thread *take(void)
{
    for (unsigned word = 0; word < CUP_ARRAY_COUNT(taken); word++) {
        struct cup_thread *found = take_in(word);
        if (found)
            return found;
    }
    struct cup_thread *made = aligned_alloc(_Alignof(struct cup_thread), sizeof(*made));
    if (made)
        memset(made, 0, sizeof(*made));
    return made;
}

static void give(struct cup_thread *self)
{
    if (self < threads || self >= threads + THREADS) {
        free(self);
        return;
    }
    size_t index = (size_t)(self - threads);
    memset(self, 0, sizeof(*self));
    atomic_fetch_and(&taken[index / WORD_BITS], ~(UINT64_C(1) << index % WORD_BITS));
}

/* A program's own function of this kind may call CUDA after this: the thread begins anew then, and
 * this is called again. */
static void thread_ends(void *argument)
{
    struct cup_thread *self = argument;

    for (int i = 0; i < CUP_END_COUNT; i++) {
        void (*end)(struct cup_thread * self) = atomic_load(&ends[i]);
        if (end)
            end(self);
    }
    cup_thread_or_null = NULL;
    give(self);
}

static void make_key(void)
{
    have_key = pthread_key_create(&key, thread_ends) == 0;
}

/* With neither a place nor memory it waits for another thread to end: there is no caller that could
 * do without. */
struct cup_thread *cup_thread_create(void)
{
    struct cup_thread *made;

    while ((made = take()) == NULL)
        sched_yield();
    pthread_once(&key_once, make_key);
    made->end_is_observed = have_key && pthread_setspecific(key, made) == 0;
    cup_thread_or_null = made;
    return made;
}

bool cup_thread_at_end(enum cup_thread_end which, void (*function)(struct cup_thread *self))
{
    if (atomic_load_explicit(&ends[which], memory_order_relaxed) != function)
        atomic_store(&ends[which], function);
    return cup_thread_self()->end_is_observed;
}

uint32_t cup_thread_id(void)
{
    static _Atomic(uint32_t) next_id;
    struct cup_thread *self = cup_thread_self();

    if (!self->id)
        self->id = atomic_fetch_add(&next_id, 1) + 1;
    return self->id;
}
