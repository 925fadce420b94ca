/* SPDX-License-Identifier: MIT */
/* Kernels as the compiler would make them, written by hand. Each is compiled by itself, with its
 * name defined; lanes are loops. */
#include "kernels.h"

#include "abi/kernel.h"
#include "abi/launch.h"
#include "abi/services.h"
#include "abi/sync.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define SERVICES(block) ((block)->launch->services)
#define PARAMS(block) ((const struct params *)(block)->launch->params)

#define INFO(...)                                                                                  \
    __attribute__((visibility("default")))                                                         \
    const struct cup_abi_kernel_info cup_abi_kernel_info = {                                       \
        .abi_version = CUP_ABI_VERSION,                                                            \
        .size_bytes = sizeof(struct cup_abi_kernel_info),                                          \
        __VA_ARGS__}

#define FREE_KERNEL                                                                                \
    static void run_block(struct cup_abi_block *block);                                            \
    __attribute__((visibility("default"))) void run_blocks(                                        \
        struct cup_abi_block *block, uint64_t first,                                               \
        uint64_t count) __asm__("cup_abi_run_blocks");                                             \
    void run_blocks(struct cup_abi_block *block, uint64_t first, uint64_t count)                   \
    {                                                                                              \
        const uint32_t *grid = block->launch->grid;                                                \
        if (block->thread_first != 0) /* the first thread does it all */                           \
            return;                                                                                \
        for (uint64_t i = first; i < first + count; i++) {                                         \
            block->linear = i;                                                                     \
            block->index[0] = (uint32_t)(i % grid[0]);                                             \
            block->index[1] = (uint32_t)(i / grid[0] % grid[1]);                                   \
            block->index[2] = (uint32_t)(i / grid[0] / grid[1]);                                   \
            run_block(block);                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void run_block(struct cup_abi_block *block)

#define WARP_KERNEL                                                                                \
    __attribute__((visibility("default"))) void run_warp(                                          \
        struct cup_abi_block *block, uint32_t warp) __asm__("cup_abi_run_warp");                   \
    void run_warp(struct cup_abi_block *block, uint32_t warp)

static __attribute__((unused)) uint32_t lanes_of(const struct cup_abi_block *block, uint32_t warp)
{
    uint32_t left = block->launch->block_threads - warp * 32;

    return left >= 32 ? UINT32_MAX : (1u << left) - 1;
}

static __attribute__((unused)) void sync(struct cup_abi_block *block, uint32_t warp)
{
    SERVICES(block)->barrier(block, warp, 0, 0, lanes_of(block, warp), 0, 0);
}

#if defined(KERNEL_empty)
INFO(.width = 32);
FREE_KERNEL
{
    (void)block;
}

#elif defined(KERNEL_fill)
INFO(.width = 32);
FREE_KERNEL
{
    PARAMS(block)->out[block->linear] = block->linear * 3 + block->index[1];
}

#elif defined(KERNEL_present)
/* out[0]: threads that run blocks now; out[1]: the most there were. `other` is a function that
 * takes a while. */
INFO(.width = 32);
FREE_KERNEL
{
    _Atomic(uint64_t) *counts = (_Atomic(uint64_t) *)PARAMS(block)->out;
    uint64_t now = atomic_fetch_add(&counts[0], 1) + 1, most = atomic_load(&counts[1]);

    while (most < now && !atomic_compare_exchange_weak(&counts[1], &most, now))
        ;
    ((void (*)(void))(uintptr_t)PARAMS(block)->other)();
    atomic_fetch_sub(&counts[0], 1);
}

#elif defined(KERNEL_memory)
/* Uses all of its shared and local memory. */
INFO(.shared_bytes = 1000, .local_bytes = 24);
FREE_KERNEL
{
    const struct cup_abi_launch *launch = block->launch;
    uint32_t shared = launch->shared_static_bytes + launch->shared_dynamic_bytes;
    uint64_t sum = 0;

    memset(block->shared, (int)(block->linear & 0xff), shared);
    memset(block->local, 1, (size_t)launch->block_warps * 32 * 24);
    for (uint32_t i = 0; i < shared; i++)
        sum += block->shared[i];
    PARAMS(block)->out[block->linear] = sum + ((uintptr_t)block->shared % 1024) * 1000000;
}

#elif defined(KERNEL_large)
INFO(.width = 1, .is_large = 1);

FREE_KERNEL
{
    PARAMS(block)->out[block->linear] = 1;
}

#elif defined(KERNEL_tables)
/* What needs relocations: tables, calls within and calls to libc and libm. */
INFO(.width = 1);
static double (*const functions[])(double, double, double) = {fma, fma};
static const char *const names[] = {"zero", "one", "two", "three"};
static const double weights[] = {1.5, 2.5, 3.5, 4.5};

static __attribute__((noinline)) uint64_t choose(uint64_t i)
{
    switch (i) {
    case 0:
        return 17;
    case 1:
        return strlen(names[i]) ? 23 : 1;
    case 2:
        return 5 * i;
    case 3:
        return (uint64_t)weights[i & 3];
    case 4:
        return 99;
    case 5:
        return 1234;
    default:
        return 7;
    }
}

FREE_KERNEL
{
    uint64_t n = block->linear;
    double x = functions[n & 1]((double)n, weights[n & 3], 1.0);
    char text[64];

    memset(text, 0, sizeof(text));
    memcpy(text, names[n & 3], (n & 3) + 1);
    PARAMS(block)->out[n] = (uint64_t)x * 1000000 + choose(n) * 100 + (uint64_t)text[0];
}

#elif defined(KERNEL_reduce)
/* Sums the thread numbers of a block, a tree with a barrier at each level. */
INFO(.waiting = 1, .shared_bytes = 1024 * 8, .stack_bytes = 4096);
WARP_KERNEL
{
    uint64_t *values = (uint64_t *)block->shared;
    uint32_t threads = block->launch->block_threads;

    for (uint32_t t = warp * 32; t < warp * 32 + 32 && t < threads; t++)
        values[t] = t + block->linear;
    for (uint32_t half = 512; half; half /= 2) {
        sync(block, warp);
        for (uint32_t t = warp * 32; t < warp * 32 + 32 && t < half && t + half < threads; t++)
            values[t] += values[t + half];
    }
    if (warp == 0)
        PARAMS(block)->out[block->linear] = values[0];
}

#elif defined(KERNEL_barrier_red)
INFO(.waiting = 1);
WARP_KERNEL
{
    uint32_t lanes = lanes_of(block, warp), odd = lanes & 0xaaaaaaaa;
    const struct cup_abi_services *s = SERVICES(block);
    uint64_t *out = PARAMS(block)->out;

    for (int round = 0; round < 3; round++) {
        uint32_t count = s->barrier(block, warp, 3, 0, lanes, 1, odd);
        uint32_t all = s->barrier(block, warp, 3, 0, lanes, 2, warp == 1 ? lanes & ~1u : lanes);
        uint32_t any = s->barrier(block, warp, 4, 0, lanes, 3, warp == 2 ? 1 : 0);
        uint32_t none = s->barrier(block, warp, 3, 0, lanes, 3, 0);
        uint32_t every = s->barrier(block, warp, 3, 0, lanes, 2, lanes);
        out[warp] = count + 1000 * all + 10000 * any + 100000 * none + 1000000 * every;
    }
}

#elif defined(KERNEL_producers)
/* Warps 1 to 3 write and arrive, warp 0 waits for them and reads: 128 threads at barrier 5. */
INFO(.waiting = 1, .shared_bytes = 64);
WARP_KERNEL
{
    const struct cup_abi_services *s = SERVICES(block);
    volatile uint64_t *values = (volatile uint64_t *)block->shared;

    for (uint64_t round = 1; round <= 3; round++) {
        if (warp > 0) {
            values[warp] = warp * round;
            s->barrier_arrive(block, warp, 5, 128, UINT32_MAX);
            s->barrier(block, warp, 6, 128, UINT32_MAX, 0, 0);
        } else {
            s->barrier(block, warp, 5, 128, UINT32_MAX, 0, 0);
            PARAMS(block)->out[block->linear * 3 + round - 1] = values[1] + values[2] + values[3];
            s->barrier(block, warp, 6, 128, UINT32_MAX, 0, 0);
        }
    }
}

#elif defined(KERNEL_early_exit)
/* Odd warps leave at once, half of warp 0 a little later; the rest meet at a barrier. */
INFO(.waiting = 1);
WARP_KERNEL
{
    const struct cup_abi_services *s = SERVICES(block);

    if (warp % 2 == 1) {
        s->lanes_exit(block, warp, UINT32_MAX);
        return;
    }
    uint32_t lanes = lanes_of(block, warp);
    if (warp == 0) {
        s->yield(block, warp);
        s->lanes_exit(block, warp, 0xffff);
        lanes &= 0xffff0000;
    }
    uint32_t count = s->barrier(block, warp, 0, 0, lanes, 1, lanes);
    __atomic_fetch_add(PARAMS(block)->out, count, __ATOMIC_RELAXED);
    s->lanes_exit(block, warp, lanes);
}

#elif defined(KERNEL_deadlock)
INFO(.waiting = 1);
WARP_KERNEL
{
    SERVICES(block)->barrier(block, warp, warp, 64, UINT32_MAX, 0, 0);
}

#elif defined(KERNEL_divergent)
/* The halves of a warp come to a barrier one after the other, and wait for it together. */
INFO(.waiting = 1);
WARP_KERNEL
{
    const struct cup_abi_services *s = SERVICES(block);

    for (int round = 0; round < 3; round++) {
        struct cup_abi_barrier_call call;
        uint32_t parked = UINT32_MAX;
        s->barrier_begin(block, warp, 2, 0, 0x0000ffff, 1, 0x00000003, &call);
        s->yield(block, warp);
        s->barrier_begin(block, warp, 2, 0, 0xffff0000, 1, 0x00070000, &call);
        while ((parked &= ~s->barrier_done(block, parked, &call)))
            s->park(block, warp, 0, 0);
        uint32_t one = call.results[3], other = call.results[20];
        __atomic_fetch_add(PARAMS(block)->out, one == other ? one : 1000000, __ATOMIC_RELAXED);
    }
}

#elif defined(KERNEL_lookback)
/* Each block adds to what the one before it published. */
INFO(.waiting = 1, .spins = 1);
WARP_KERNEL
{
    volatile uint64_t *out = PARAMS(block)->out;
    uint64_t before = 0;

    if (warp != 0)
        return;
    while (block->linear &&
           (before = __atomic_load_n(&out[block->linear - 1], __ATOMIC_ACQUIRE)) == 0)
        SERVICES(block)->yield(block, warp);
    __atomic_store_n(&out[block->linear], before + block->linear + 1, __ATOMIC_RELEASE);
}

#elif defined(KERNEL_backwards)
/* Each block waits for the one behind it: all must have begun. */
INFO(.waiting = 1, .spins = 1);
WARP_KERNEL
{
    volatile uint64_t *out = PARAMS(block)->out;
    uint64_t after = 1;

    while (block->linear + 1 < PARAMS(block)->count &&
           (after = __atomic_load_n(&out[block->linear + 1], __ATOMIC_ACQUIRE)) == 0)
        SERVICES(block)->yield(block, warp);
    sync(block, warp);
    if (warp == 0)
        __atomic_store_n(&out[block->linear], after + 1, __ATOMIC_RELEASE);
}

#elif defined(KERNEL_grid_sync)
/* As cooperative groups do it: an arrival counter whose top bit flips when all have come. */
INFO(.waiting = 1, .spins = 1, .uses_grid_sync = 1);
WARP_KERNEL
{
    const struct cup_abi_launch *launch = block->launch;
    const struct cup_abi_services *s = SERVICES(block);
    uint32_t *barrier = (uint32_t *)(uintptr_t)(launch->envreg[1] << 32 | launch->envreg[2]) + 1;
    uint64_t *out = PARAMS(block)->out;
    uint32_t blocks = launch->grid[0], wrong = 0;

    for (uint64_t round = 1; round <= PARAMS(block)->other; round++) {
        if (warp == 0)
            __atomic_store_n(&out[block->linear], round, __ATOMIC_RELAXED);
        sync(block, warp);
        if (warp == 0) {
            uint32_t add = block->linear == 0 ? 0x80000001 - blocks : 1;
            uint32_t old = __atomic_fetch_add(barrier, add, __ATOMIC_RELEASE);
            while (((__atomic_load_n(barrier, __ATOMIC_ACQUIRE) ^ old) & 0x80000000) == 0)
                s->yield(block, warp);
        }
        sync(block, warp);
        for (uint32_t i = 0; i < blocks; i++) {
            uint64_t value = __atomic_load_n(&out[i], __ATOMIC_RELAXED);
            wrong += value != round && value != round + 1;
        }
    }
    if (wrong)
        __atomic_fetch_add(&out[blocks], 1, __ATOMIC_RELAXED);
}

#elif defined(KERNEL_host_flag)
INFO(.waiting = 1, .spins = 1);
WARP_KERNEL
{
    while (__atomic_load_n(PARAMS(block)->flag, __ATOMIC_ACQUIRE) == 0)
        SERVICES(block)->yield(block, warp);
    PARAMS(block)->out[block->linear] = 1;
}

#elif defined(KERNEL_wild)
INFO(.width = 1);
FREE_KERNEL
{
    if (block->linear == PARAMS(block)->count)
        *(volatile uint32_t *)(uintptr_t)PARAMS(block)->other = 1;
}

#elif defined(KERNEL_wild_warp)
INFO(.waiting = 1);
WARP_KERNEL
{
    sync(block, warp);
    if (block->linear == PARAMS(block)->count && warp == 1)
        *(volatile uint32_t *)(uintptr_t)PARAMS(block)->other = 1;
    sync(block, warp);
}

#elif defined(KERNEL_trap_free)
INFO(.width = 1);
FREE_KERNEL
{
    if (block->linear == PARAMS(block)->count)
        SERVICES(block)->trap(block, 0, 1, (uint32_t)PARAMS(block)->other, 12);
}

#elif defined(KERNEL_trap_warp)
INFO(.waiting = 1, .spins = 1);
WARP_KERNEL
{
    sync(block, warp);
    if (block->linear == PARAMS(block)->count)
        SERVICES(block)->trap(block, warp, 1, (uint32_t)PARAMS(block)->other, 12);
    for (;;)
        SERVICES(block)->yield(block, warp);
}

#elif defined(KERNEL_recursion)
INFO(.recursive = 1, .stack_bytes = 256);
static __attribute__((noinline)) uint64_t descend(volatile uint64_t *depth, uint64_t limit)
{
    volatile uint64_t here[16];

    here[0] = ++*depth;
    if (*depth < limit)
        here[1] = descend(depth, limit);
    return here[0] + here[1];
}

FREE_KERNEL
{
    volatile uint64_t depth = 0;

    descend(&depth, PARAMS(block)->count);
    PARAMS(block)->out[block->linear] = depth;
}

#elif defined(KERNEL_print)
INFO(.uses_printf = 1);
FREE_KERNEL
{
    uint64_t formats[32], arguments[32];
    int32_t results[32] = {0};

    for (int lane = 0; lane < 32; lane++) {
        formats[lane] = PARAMS(block)->other;
        arguments[lane] = (uint64_t)(uintptr_t)PARAMS(block)->flag;
    }
    SERVICES(block)->vprintf(block, 0, (uint32_t)PARAMS(block)->count, formats, arguments, results);
    PARAMS(block)->out[block->linear] = (uint64_t)(int64_t)results[0];
}

#elif defined(KERNEL_assertion)
INFO(.uses_printf = 1);
FREE_KERNEL
{
    uint64_t messages[32], files[32], functions[32];
    uint32_t lines[32];

    if (block->linear % 2 == 0)
        return;
    for (int lane = 0; lane < 32; lane++) {
        messages[lane] = (uint64_t)(uintptr_t) "a == b";
        files[lane] = (uint64_t)(uintptr_t) "kernel.cu";
        functions[lane] = (uint64_t)(uintptr_t) "void k(int *)";
        lines[lane] = 42;
    }
    SERVICES(block)->assert_fail(block, 1, 1u << 5, messages, files, lines, functions);
}

#elif defined(KERNEL_heap)
/* other 0: each block allocates and keeps, 1: frees what was kept. */
INFO(.uses_malloc = 1);
FREE_KERNEL
{
    uint64_t *out = PARAMS(block)->out;
    uint64_t sizes[32], results[32] = {0};

    if (PARAMS(block)->other == 1) {
        SERVICES(block)->release(block, 1, &out[block->linear]);
        return;
    }
    for (int lane = 0; lane < 32; lane++)
        sizes[lane] = PARAMS(block)->count;
    SERVICES(block)->allocate(block, 1, sizes, results);
    out[block->linear] = results[0];
    if (results[0])
        memset((void *)(uintptr_t)results[0], (int)block->linear, PARAMS(block)->count);
}
#endif
