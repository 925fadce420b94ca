/* SPDX-License-Identifier: MIT */
/* The switch is a few lines of assembly per architecture; the rest reports the current stack to the
 * sanitizers in builds that have them. */
#include "exec/sched/fiber.h"

#include "core/compiler.h"

#include <string.h>

#ifdef CUP_HAVE_ASAN
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* Saves the registers on the current stack and its stack pointer in *save, then restores the
 * registers from the other stack. The control word is written only if it differs, because writing
 * it is slow. */
void cup_fiber_swap(void **save, void *load);
void cup_fiber_enter(void);

#if defined(__aarch64__)

enum { FRAME_BYTES = 176, FRAME_ENTRY = 0, FRAME_ARGUMENT = 8, FRAME_RETURN = 88 };

__asm__(".text\n"
        ".balign 16\n"
        ".globl cup_fiber_swap\n"
        ".hidden cup_fiber_swap\n"
        ".type cup_fiber_swap, %function\n"
        "cup_fiber_swap:\n"
        "    hint #34\n" /* bti c */
        "    sub sp, sp, #176\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mrs x9, fpcr\n"
        "    str x9, [sp, #160]\n"
        "    mov x10, sp\n"
        "    str x10, [x0]\n"
        "    mov sp, x1\n"
        "    ldr x11, [sp, #160]\n"
        "    cmp x9, x11\n"
        "    b.eq 1f\n"
        "    msr fpcr, x11\n"
        "1:  ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #176\n"
        "    ret\n"
        ".size cup_fiber_swap, . - cup_fiber_swap\n"
        ".globl cup_fiber_enter\n"
        ".hidden cup_fiber_enter\n"
        ".type cup_fiber_enter, %function\n"
        "cup_fiber_enter:\n" /* with the function in x19 and its argument in x20 */
        "    .cfi_startproc\n"
        "    .cfi_undefined x30\n"
        "    mov x0, x20\n"
        "    blr x19\n"
        "    brk #1\n"
        "    .cfi_endproc\n"
        ".size cup_fiber_enter, . - cup_fiber_enter\n");

#elif defined(__x86_64__)

enum { FRAME_BYTES = 64, FRAME_ENTRY = 8, FRAME_ARGUMENT = 16, FRAME_RETURN = 56 };

__asm__(".text\n"
        ".balign 16\n"
        ".globl cup_fiber_swap\n"
        ".hidden cup_fiber_swap\n"
        ".type cup_fiber_swap, @function\n"
        "cup_fiber_swap:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r15\n"
        "    pushq %r14\n"
        "    pushq %r13\n"
        "    pushq %r12\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movq (%rsp), %rax\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    movq (%rsp), %rcx\n"
        "    cmpl %eax, %ecx\n"
        "    je 1f\n"
        "    ldmxcsr (%rsp)\n"
        "1:  xorq %rcx, %rax\n"
        "    shrq $32, %rax\n"
        "    testw %ax, %ax\n"
        "    je 2f\n"
        "    fldcw 4(%rsp)\n"
        "2:  addq $8, %rsp\n"
        "    popq %r12\n"
        "    popq %r13\n"
        "    popq %r14\n"
        "    popq %r15\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size cup_fiber_swap, . - cup_fiber_swap\n"
        ".globl cup_fiber_enter\n"
        ".hidden cup_fiber_enter\n"
        ".type cup_fiber_enter, @function\n"
        "cup_fiber_enter:\n" /* with the function in r12 and its argument in r13 */
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n"
        "    movq %r13, %rdi\n"
        "    call *%r12\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size cup_fiber_enter, . - cup_fiber_enter\n");

#endif

/* The initial control word of a fiber: round to nearest, no flush to zero, no traps. */
static void write_control(uint8_t *frame)
{
#if defined(__aarch64__)
    const uint64_t control = 0;

    memcpy(frame + 160, &control, sizeof(control));
#else
    const uint32_t control[2] = {0x1f80, 0x037f};

    memcpy(frame, control, sizeof(control));
#endif
}

CUP_ON_FIBER static void begin(void *argument)
{
    struct cup_fiber *fiber = argument;

#ifdef CUP_HAVE_ASAN
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
    fiber->entry(fiber->argument);
}

static void write_word(uint8_t *frame, unsigned offset, uintptr_t word)
{
    memcpy(frame + offset, &word, sizeof(word));
}

void cup_fiber_prepare(struct cup_fiber *fiber, void (*entry)(void *argument), void *argument)
{
#ifdef CUP_HAVE_ASAN
    __asan_unpoison_memory_region(fiber->stack, fiber->stack_bytes);
#endif
    uint8_t *top = fiber->stack + (fiber->stack_bytes & ~(size_t)15) - 16;
    uint8_t *frame = top - FRAME_BYTES;

    memset(frame, 0, FRAME_BYTES + 16);
    write_control(frame);
    write_word(frame, FRAME_ENTRY, (uintptr_t)begin);
    write_word(frame, FRAME_ARGUMENT, (uintptr_t)fiber);
    write_word(frame, FRAME_RETURN, (uintptr_t)cup_fiber_enter);
    fiber->pointer = frame;
    fiber->entry = entry;
    fiber->argument = argument;
    fiber->asan_stack = NULL;
}

void cup_fiber_finish(struct cup_fiber *fiber)
{
#ifdef CUP_HAVE_ASAN
    __asan_unpoison_memory_region(fiber->stack, fiber->stack_bytes);
#endif
    (void)fiber;
}

void cup_fiber_adopt_thread(struct cup_fiber *fiber)
{
    memset(fiber, 0, sizeof(*fiber));
#ifdef CUP_HAVE_ASAN
    pthread_attr_t attributes;
    void *stack = NULL;
    size_t stack_bytes = 0;

    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &stack, &stack_bytes);
        pthread_attr_destroy(&attributes);
    }
    fiber->stack = stack;
    fiber->stack_bytes = stack_bytes;
#endif
}

CUP_ON_FIBER void cup_fiber_switch(struct cup_fiber *from, struct cup_fiber *to)
{
#ifdef CUP_HAVE_ASAN
    __sanitizer_start_switch_fiber(&from->asan_stack, to->stack, to->stack_bytes);
#endif
    cup_fiber_swap(&from->pointer, to->pointer);
#ifdef CUP_HAVE_ASAN
    __sanitizer_finish_switch_fiber(from->asan_stack, NULL, NULL);
#endif
}

void cup_fiber_before_jump(struct cup_fiber *thread)
{
#ifdef CUP_HAVE_ASAN
    __sanitizer_start_switch_fiber(NULL, thread->stack, thread->stack_bytes);
#endif
    (void)thread;
}

void cup_fiber_after_jump(struct cup_fiber *thread)
{
#ifdef CUP_HAVE_ASAN
    __sanitizer_finish_switch_fiber(thread->asan_stack, NULL, NULL);
#endif
    (void)thread;
}
