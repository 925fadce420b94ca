/* SPDX-License-Identifier: MIT */
/* A guarded call saves its registers in the thread's guard (sigsetjmp without the signal mask: no
 * system call). If the faulting thread is inside a guarded call, the handler jumps back there. The
 * handlers are installed with SA_NODEFER, so that the jump leaves no signal blocked, and with
 * SA_ONSTACK, for applications that handle stack overflow.
 *
 * An application may install its own handler later. Each thread checks at intervals of guarded
 * calls whether our handler is still installed; if not, it reinstalls it and chains to the new
 * one. */
/* A call may be left from another stack, which the checking longjmp rejects. */
#undef _FORTIFY_SOURCE

#include "os/guard.h"

#include "core/compiler.h"
#include "core/thread.h"
#include "os/futex.h"
#include "os/registers.h"
#include "os/upcalls.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN
#endif
#endif
#ifdef HAVE_ASAN
#include <sanitizer/asan_interface.h>
#endif

struct cup_guard {
    sigjmp_buf registers;
    void (*caught)(void *argument, const struct cup_guard_fault *fault); /* may be NULL */
    void *argument;
    struct guard_state *state; /* in memory, because registers do not survive the jump */
    struct cup_guard *outer;
};

/* What a thread is in. */
struct guard_state {
    struct cup_guard *volatile innermost;
    uint32_t calls_until_check;
};

CUP_THREAD_STATE(guard, struct guard_state);

struct last_fault {
    struct cup_guard_fault fault; /* of a call without `caught` */
    struct cup_registers registers;
};

CUP_THREAD_STATE(fault, struct last_fault);

enum { CALLS_BETWEEN_CHECKS = 128 };

/* TSan runs handlers with all signals blocked, so they must be unblocked after the jump. */
#ifdef __SANITIZE_THREAD__
enum { SAVE_SIGNAL_MASK = 1 };
#else
enum { SAVE_SIGNAL_MASK = 0 };
#endif

static const int guarded_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { SIGNAL_COUNT = sizeof(guarded_signals) / sizeof(guarded_signals[0]) };

/* Leaf mutex: guards installing the signal handlers. */
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
/* The actions that foreign faults are passed on to. A new action is published by swapping the
 * pointer, so that a concurrent handler reads the old or the new one. guarded by install_lock for
 * writing */
static struct sigaction previous_storage[SIGNAL_COUNT][2];
static _Atomic(struct sigaction *) previous[SIGNAL_COUNT];

/* The held memory range. The number is odd while a range is held, and only grows. A thread whose
 * fault is handled after the release sees that the number has changed since its last fault, and
 * retries. */
static _Atomic(uint32_t) hold_number;
static _Atomic(uintptr_t) hold_base, hold_bytes;
/* The number that each thread has last seen, combined with its id. Threads that never called the
 * library also fault here, and a signal handler cannot allocate state for them. If two threads
 * share an entry, they retry once more. */
enum { SEEN_COUNT = 256 };
static _Atomic(uint64_t) hold_seen[SEEN_COUNT];

static int signal_slot(int number)
{
    for (int slot = 1; slot < SIGNAL_COUNT; slot++) {
        if (guarded_signals[slot] == number)
            return slot;
    }
    return 0;
}

/* Behaves as if the kernel had called the previous action. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    struct sigaction *action = atomic_load(&previous[signal_slot(number)]);

    if (action && (action->sa_flags & SA_SIGINFO) && action->sa_sigaction) {
        action->sa_sigaction(number, info, context);
        return;
    }
    if (action && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
        action->sa_handler(number);
        return;
    }
    if (action && action->sa_handler == SIG_IGN && info->si_code <= 0)
        return; /* sent by kill(), not a fault */
    /* Default action: restore it and return. The instruction faults again and ends the process with
     * the true cause. A signal sent by kill() does not repeat, so it is raised again. */
    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number);
}

/* Returns true if the instruction is to be retried. */
static bool wait_for_hold(const siginfo_t *info)
{
    uint32_t number = atomic_load(&hold_number);
    uintptr_t address = (uintptr_t)info->si_addr;
    int saved = errno;

    if (info->si_signo != SIGSEGV || info->si_code != SEGV_ACCERR)
        return false;
    if (number % 2 == 1 && address - atomic_load(&hold_base) < atomic_load(&hold_bytes)) {
        while (atomic_load(&hold_number) == number)
            cup_futex_wait(&hold_number, number, -1);
        errno = saved;
        return true;
    }
    /* If the number has just changed, the range that was compared may be another one. */
    uint64_t thread = (uint64_t)gettid(), seen = thread << 32 | number;
    bool again = atomic_exchange(&hold_seen[thread % SEEN_COUNT], seen) != seen ||
                 number != atomic_load(&hold_number);
    return again;
}

static uint64_t pc_of(const void *context)
{
    const ucontext_t *registers = context;

#if defined(__aarch64__)
    return registers->uc_mcontext.pc;
#elif defined(__x86_64__)
    return (uint64_t)registers->uc_mcontext.gregs[REG_RIP];
#else
    (void)registers;
    return 0;
#endif
}

/* Returns the kind of access: from the page fault error code on x86, from a record after the
 * registers on aarch64. */
static int access_of(int number, const void *context)
{
    const ucontext_t *registers = context;

    if (number != SIGSEGV && number != SIGBUS)
        return CUP_FAULT_UNKNOWN;
#if defined(__x86_64__)
    return registers->uc_mcontext.gregs[REG_ERR] & 2 ? CUP_FAULT_WRITE : CUP_FAULT_READ;
#elif defined(__aarch64__)
    const struct _aarch64_ctx *record = (const void *)registers->uc_mcontext.__reserved;
    const char *end = (const char *)record + sizeof(registers->uc_mcontext.__reserved);

    while ((const char *)record + sizeof(struct esr_context) <= end && record->size >= 16) {
        if (record->magic == ESR_MAGIC) /* bit 6: the access was a write */
            return ((const struct esr_context *)record)->esr & 64 ? CUP_FAULT_WRITE
                                                                  : CUP_FAULT_READ;
        record = (const void *)((const char *)record + record->size);
    }
#else
    (void)registers;
#endif
    return CUP_FAULT_UNKNOWN;
}

const char *cup_guard_access_word(const struct cup_guard_fault *fault)
{
    static const char *const words[] = {"touched", "read", "wrote to"};

    return words[fault->access];
}

bool cup_guard_last(struct cup_guard_fault *fault)
{
    *fault = cup_thread_fault(cup_thread_self())->fault;
    return fault->signal != 0;
}

const struct cup_registers *cup_guard_fault_registers(void)
{
    return &cup_thread_fault(cup_thread_self())->registers;
}

/* On x86_64 a handler starts with the default floating-point modes, and a jump out of it would keep
 * them: restores the program's modes. */
static void restore_float_modes(const void *context)
{
#if defined(__x86_64__)
    const struct _libc_fpstate *state = ((const ucontext_t *)context)->uc_mcontext.fpregs;

    if (state) {
        __asm__ volatile("fldcw %0" ::"m"(state->cwd));
        __asm__ volatile("ldmxcsr %0" ::"m"(state->mxcsr));
    }
#else
    (void)context;
#endif
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    struct cup_thread *self = cup_thread_or_null;
    struct cup_guard *guard = self ? cup_thread_guard(self)->innermost : NULL;

    if (wait_for_hold(info))
        return;
    if (guard && info->si_code > 0) {
        cup_thread_guard(self)->innermost = NULL;
        struct cup_guard_fault fault = {number, (uint64_t)(uintptr_t)info->si_addr, pc_of(context),
                                        access_of(number, context)};
        cup_registers_capture(&cup_thread_fault(self)->registers, context);
        if (guard->caught)
            guard->caught(guard->argument, &fault);
        else
            cup_thread_fault(self)->fault = fault;
        restore_float_modes(context);
        siglongjmp(guard->registers, 1);
    }
    if (info->si_code > 0 && (number == SIGSEGV || number == SIGBUS))
        cup_os_upcalls.foreign_fault((uint64_t)(uintptr_t)info->si_addr);
    pass_on(number, info, context);
}

static void install_one(int slot)
{
    struct sigaction present, ours;

    if (sigaction(guarded_signals[slot], NULL, &present) != 0)
        return;
    if ((present.sa_flags & SA_SIGINFO) && present.sa_sigaction == on_fault)
        return;
    struct sigaction *old = atomic_load(&previous[slot]);
    struct sigaction *free_slot =
        old == &previous_storage[slot][0] ? &previous_storage[slot][1] : &previous_storage[slot][0];
    *free_slot = present;
    atomic_store(&previous[slot], free_slot);

    memset(&ours, 0, sizeof(ours));
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(guarded_signals[slot], &ours, NULL);
}

void cup_guard_install(void)
{
    pthread_mutex_lock(&install_lock);
    for (int slot = 0; slot < SIGNAL_COUNT; slot++)
        install_one(slot);
    pthread_mutex_unlock(&install_lock);
}

__attribute__((noinline)) _Noreturn void cup_guard_abandon(void)
{
    struct guard_state *state = cup_thread_guard(cup_thread_self());
    struct cup_guard *guard = state->innermost;

    state->innermost = NULL;
    siglongjmp(guard->registers, 1);
}

_Noreturn void cup_guard_abandon_for(const struct cup_guard_fault *fault)
{
    cup_thread_fault(cup_thread_self())->fault = *fault;
    cup_guard_abandon();
}

bool cup_guard_is_open(void)
{
    return cup_thread_guard(cup_thread_self())->innermost != NULL;
}

bool cup_guard_run(void (*action)(void *argument), void *argument)
{
    return cup_guard_run_caught(action, NULL, argument);
}

struct guarded_copy {
    void *to;
    const void *from;
    size_t size_bytes;
};

/* A loop, because ASan would judge the addresses of memcpy before the guard can. */
__attribute__((no_sanitize("address", "undefined"))) static void copy_bytes(void *argument)
{
    struct guarded_copy *copy = argument;

    for (size_t i = 0; i < copy->size_bytes; i++)
        ((unsigned char *)copy->to)[i] = ((const volatile unsigned char *)copy->from)[i];
}

bool cup_guard_copy(void *to, const void *from, size_t size_bytes)
{
    struct guarded_copy copy = {to, from, size_bytes};

    return cup_guard_run(copy_bytes, &copy);
}

/* A jump over frames leaves ASan's redzones of their variables poisoned, in particular from a
 * signal stack or a fiber. Deeper calls would report them. */
static void unpoison_frames(const struct cup_guard *guard)
{
#ifdef HAVE_ASAN
    enum { DEEPER_BYTES = 256 << 10 };

    uintptr_t end = (uintptr_t)guard;

    __asan_unpoison_memory_region((const void *)(end - DEEPER_BYTES), DEEPER_BYTES);
#else
    (void)guard;
#endif
}

static void guard_open(struct cup_guard *guard,
                       void (*caught)(void *argument, const struct cup_guard_fault *fault),
                       void *argument)
{
    struct guard_state *state = cup_thread_guard(cup_thread_self());

    if (cup_unlikely(state->calls_until_check-- == 0)) {
        state->calls_until_check = CALLS_BETWEEN_CHECKS;
        cup_guard_install();
    }
    guard->caught = caught;
    guard->argument = argument;
    guard->state = state;
    guard->outer = state->innermost;
}

bool cup_guard_run_caught(void (*action)(void *argument),
                          void (*caught)(void *argument, const struct cup_guard_fault *fault),
                          void *argument)
{
    struct cup_guard guard;

    guard_open(&guard, caught, argument);
    if (sigsetjmp(guard.registers, SAVE_SIGNAL_MASK) != 0) {
        unpoison_frames(&guard);
        guard.state->innermost = guard.outer;
        return false;
    }
    guard.state->innermost = &guard;
    atomic_signal_fence(memory_order_seq_cst);
    action(argument);
    atomic_signal_fence(memory_order_seq_cst);
    guard.state->innermost = guard.outer;
    return true;
}

bool cup_guard_hold(void *address, size_t size_bytes)
{
    int saved = errno;

    cup_guard_install();
    atomic_store(&hold_base, (uintptr_t)address);
    atomic_store(&hold_bytes, size_bytes);
    atomic_fetch_add(&hold_number, 1);
    bool held = mprotect(address, size_bytes, PROT_READ) == 0;
    errno = saved;
    if (!held)
        cup_guard_release();
    return held;
}

void cup_guard_release(void)
{
    atomic_fetch_add(&hold_number, 1);
    cup_futex_wake(&hold_number, INT_MAX);
}
