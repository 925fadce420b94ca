/* SPDX-License-Identifier: MIT */
/* core/thread.h: slots are zero when a thread begins, belong to their thread, and end in their
 * order. */
#include "core/thread.h"
#include "test.h"

#include <pthread.h>

CUP_THREAD_STATE(contexts, uint64_t);
CUP_THREAD_STATE(frame, uint64_t);
CUP_THREAD_STATE(fault, uint64_t);

static char ended[8];

static void add(char letter)
{
    ended[strlen(ended)] = letter;
}

static void contexts_end(struct cup_thread *self)
{
    check(*cup_thread_contexts(self) == 1);
    add('c');
}

static void frame_ends(struct cup_thread *self)
{
    check(*cup_thread_frame(self) == 2);
    add('f');
}

static void fault_ends(struct cup_thread *self)
{
    check(*cup_thread_fault(self) == 3);
    add('l');
}

static void *use_slots(void *argument)
{
    struct cup_thread *self = cup_thread_self();

    (void)argument;
    check(self == cup_thread_self() && self->id == 0);
    check(*cup_thread_contexts(self) == 0 && *cup_thread_frame(self) == 0 &&
          *cup_thread_fault(self) == 0);
    check(cup_thread_at_end(CUP_SLOT_fault, fault_ends));
    check(cup_thread_at_end(CUP_SLOT_contexts, contexts_end));
    check(cup_thread_at_end(CUP_SLOT_frame, frame_ends));
    *cup_thread_contexts(self) = 1;
    *cup_thread_frame(self) = 2;
    *cup_thread_fault(self) = 3;
    cup_thread_id();
    return self;
}

TEST(slots_end_in_their_order_and_begin_as_zeros)
{
    void *first, *second;
    pthread_t thread;

    check(pthread_create(&thread, NULL, use_slots, NULL) == 0);
    check(pthread_join(thread, &first) == 0);
    check(strcmp(ended, "cfl") == 0);
    memset(ended, 0, sizeof(ended));
    check(pthread_create(&thread, NULL, use_slots, NULL) == 0);
    check(pthread_join(thread, &second) == 0);
    check(strcmp(ended, "cfl") == 0 && first == second); /* the state was used again */
}
