/* SPDX-License-Identifier: MIT */
#include "exec/worker.h"

#include "core/compiler.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

enum { SIGNAL_STACK_BYTES = 64 << 10 };

static CUP_THREAD_LOCAL uint32_t number; /* 0: none yet */
static CUP_THREAD_LOCAL bool has_signal_stack;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* the stack made here, for the end of the thread */

uint32_t cup_worker_number(void)
{
    static _Atomic(uint32_t) last;

    if (cup_unlikely(number == 0))
        number = atomic_fetch_add(&last, 1) + 1;
    return number - 1;
}

static void thread_ends(void *stack)
{
    stack_t present;

    /* The application may have put another one in its place. */
    if (sigaltstack(NULL, &present) == 0 && present.ss_sp == stack) {
        stack_t none = {.ss_flags = SS_DISABLE};
        sigaltstack(&none, NULL);
    }
    munmap(stack, SIGNAL_STACK_BYTES);
}

static void make_key(void)
{
    if (pthread_key_create(&key, thread_ends) != 0)
        key = (pthread_key_t)-1;
}

void cup_worker_need_signal_stack(void)
{
    stack_t present;

    if (cup_likely(has_signal_stack))
        return;
    has_signal_stack = true;
    if (sigaltstack(NULL, &present) != 0 || !(present.ss_flags & SS_DISABLE))
        return; /* the application's own does as well */
    pthread_once(&key_once, make_key);
    void *stack =
        mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return;
    if (key == (pthread_key_t)-1 || pthread_setspecific(key, stack) != 0) {
        munmap(stack, SIGNAL_STACK_BYTES);
        return;
    }
    stack_t ours = {.ss_sp = stack, .ss_size = SIGNAL_STACK_BYTES};
    sigaltstack(&ours, NULL);
}
