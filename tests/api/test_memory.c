/* SPDX-License-Identifier: MIT */
/* Device memory: placement, queries and freeing of allocations. Running out of memory is in
 * test_limits.c. */
#include "test.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

/* Far from anything a process maps. */
#define NOBODYS_ADDRESS ((CUdeviceptr)0x123456000)

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr ptr = 0;

    check_success(cuMemAlloc(&ptr, bytes));
    return ptr;
}

static void check_range(CUdeviceptr at, CUdeviceptr base, size_t bytes)
{
    CUdeviceptr found_base = 0;
    size_t found_bytes = 0;

    check_success(cuMemGetAddressRange(&found_base, &found_bytes, at));
    check(found_base == base);
    check(found_bytes == bytes);
}

TEST(allocation_of_nothing_is_refused)
{
    CUdeviceptr ptr = 7;

    with_context();
    check_result(cuMemAlloc(&ptr, 0), CUDA_ERROR_INVALID_VALUE);
    check(ptr == 0);
    check_result(cuMemAlloc(NULL, 512), CUDA_ERROR_INVALID_VALUE);
}

TEST(allocation_without_a_context_is_refused)
{
    CUdeviceptr ptr = 7;

    check_result(cuMemAlloc(&ptr, 512), CUDA_ERROR_NOT_INITIALIZED);
    check_success(cuInit(0));
    check_result(cuMemAlloc(&ptr, 512), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(addresses_are_multiples_of_512)
{
    static const size_t sizes[] = {1, 2, 100, 511, 513, 5000, 65537, MIB, MIB + 1, 7 * MIB + 3};

    with_context();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        check(allocate(sizes[i]) % 512 == 0);
}

/* The first of its size may fill a hole; what follows comes in a row. */
TEST(small_allocations_lie_one_behind_the_other)
{
    static const struct {
        size_t bytes, step;
    } rows[] = {{1, 512}, {512, 512}, {513, 1024}, {5000, 5120}, {65536, 65536}, {100000, 100352}};

    with_context();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CUdeviceptr before = allocate(rows[i].bytes);
        for (int j = 0; j < 7; j++) {
            CUdeviceptr next = allocate(rows[i].bytes);
            check(next == before + rows[i].step);
            before = next;
        }
    }
}

TEST(large_allocations_begin_on_2_mib)
{
    with_context();
    for (size_t bytes = MIB + 1; bytes < 64 * MIB; bytes = bytes * 2 + 1)
        check(allocate(bytes) % (2 * MIB) == 0);
}

TEST(a_hole_is_used_again)
{
    CUdeviceptr ptr[8];

    with_context();
    for (int i = 0; i < 8; i++)
        ptr[i] = allocate(4096);
    check_success(cuMemFree(ptr[3]));
    check(allocate(4096) == ptr[3]);
}

TEST(address_range_is_exact)
{
    static const size_t sizes[] = {1, 511, 512, 5000, MIB - 1, MIB, MIB + 1, 5 * MIB + 3};

    with_context();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        CUdeviceptr ptr = allocate(sizes[i]), base = 7;
        size_t bytes = 7;
        check_range(ptr, ptr, sizes[i]);
        check_range(ptr + sizes[i] / 2, ptr, sizes[i]);
        check_range(ptr + sizes[i] - 1, ptr, sizes[i]);
        if (sizes[i] % 512) {
            check_result(cuMemGetAddressRange(&base, &bytes, ptr + sizes[i]), CUDA_ERROR_NOT_FOUND);
            check(base == 0 && bytes == 0);
        }
    }
}

TEST(address_range_is_gone_after_free)
{
    CUdeviceptr base;
    size_t bytes;

    with_context();
    for (size_t size = 512; size <= 8 * MIB; size *= 16) {
        CUdeviceptr ptr = allocate(size);
        check_success(cuMemFree(ptr));
        check_result(cuMemGetAddressRange(&base, &bytes, ptr), CUDA_ERROR_NOT_FOUND);
    }
}

TEST(pitch_is_a_multiple_of_512)
{
    static const size_t widths[] = {1, 511, 512, 513, 4000};
    CUdeviceptr ptr;
    size_t pitch;

    with_context();
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        check_success(cuMemAllocPitch(&ptr, &pitch, widths[i], 3, 4));
        check(pitch == (widths[i] + 511) / 512 * 512);
        check_range(ptr, ptr, pitch * 3);
    }
    check_result(cuMemAllocPitch(&ptr, &pitch, 100, 3, 5), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAllocPitch(&ptr, &pitch, 0, 3, 4), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemAllocPitch(&ptr, &pitch, 100, 0, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST(free_of_nothing_succeeds)
{
    with_context();
    check_success(cuMemFree(0));
}

TEST(free_of_other_pointers_is_refused)
{
    void *pinned, *pageable = malloc(4096);
    CUdeviceptr ptr;

    with_context();
    ptr = allocate(5 * MIB);
    check_result(cuMemFree(ptr + 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree(ptr + 512), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree(ptr + 2 * MIB), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree(1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree(NOBODYS_ADDRESS), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree(~(CUdeviceptr)0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree((CUdeviceptr)(uintptr_t)pageable), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemAllocHost(&pinned, 4096));
    check_result(cuMemFree((CUdeviceptr)(uintptr_t)pinned), CUDA_ERROR_INVALID_VALUE);
    check_range(ptr + 3 * MIB, ptr, 5 * MIB);
    check_success(cuMemFree(ptr));
    free(pageable);
}

TEST(free_twice_is_refused)
{
    with_context();
    for (size_t bytes = 512; bytes <= 8 * MIB; bytes *= 16) {
        CUdeviceptr ptr = allocate(bytes);
        check_success(cuMemFree(ptr));
        check_result(cuMemFree(ptr), CUDA_ERROR_INVALID_VALUE);
    }
}

TEST(memory_goes_with_its_context)
{
    CUcontext primary = with_context(), context;
    CUdeviceptr mine = allocate(4096), small, large, base;
    void *pinned;
    size_t bytes;

    check_success(cuCtxCreate(&context, NULL, 0, 0));
    small = allocate(4096);
    large = allocate(8 * MIB);
    check_success(cuMemAllocHost(&pinned, 4096));
    check_success(cuCtxDestroy(context));
    check_success(cuCtxSetCurrent(primary));
    check_result(cuMemGetAddressRange(&base, &bytes, small), CUDA_ERROR_NOT_FOUND);
    check_result(cuMemGetAddressRange(&base, &bytes, large), CUDA_ERROR_NOT_FOUND);
    check_result(cuMemGetAddressRange(&base, &bytes, (CUdeviceptr)(uintptr_t)pinned),
                 CUDA_ERROR_NOT_FOUND);
    check_result(cuMemFree(small), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
    check_range(mine, mine, 4096);
}

TEST(memory_of_one_context_is_freed_from_another)
{
    CUcontext primary = with_context(), context;
    CUdeviceptr ptr;

    check_success(cuCtxCreate(&context, NULL, 0, 0));
    ptr = allocate(4096);
    check_success(cuCtxSetCurrent(primary));
    check_success(cuMemFree(ptr));
    check_result(cuMemFree(ptr), CUDA_ERROR_INVALID_VALUE);
}

static void wait_for_flag(void *flag)
{
    flag_wait(flag);
}

static void *raise_later(void *flag)
{
    struct timespec time = {0, 50000000};

    nanosleep(&time, NULL);
    flag_raise(flag);
    return NULL;
}

TEST(free_waits_for_work_that_uses_the_memory)
{
    static struct flag flag;
    CUdeviceptr ptr;
    CUstream stream;
    pthread_t thread;

    with_context();
    ptr = allocate(MIB);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchHostFunc(stream, wait_for_flag, &flag));
    check_success(cuMemsetD8Async(ptr, 1, MIB, stream));
    check(pthread_create(&thread, NULL, raise_later, &flag) == 0);
    check_success(cuMemFree(ptr));
    check(flag_is_raised(&flag));
    check_success(cuStreamQuery(stream));
    pthread_join(thread, NULL);
}

enum { THREADS = 8, ROUNDS = 3000, LIVE = 64 };

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static size_t random_size(uint32_t *random)
{
    size_t limit = next_random(random) % 50 == 0 ? 4 * MIB : 20000;

    return next_random(random) % limit + 1;
}

struct worker {
    pthread_t thread;
    CUcontext context;
    uint32_t random;
    CUdeviceptr left; /* for another thread to free */
};

/* Every allocation carries its owner's mark at both ends: two threads that were given the same
 * memory would find each other's. */
static void *allocate_and_free(void *argument)
{
    struct worker *worker = argument;
    CUdeviceptr ptr[LIVE] = {0};
    size_t bytes[LIVE];
    uint32_t random = worker->random;
    unsigned char mark = (unsigned char)worker->random, found[2];

    check_success(cuCtxSetCurrent(worker->context));
    for (int i = 0; i < ROUNDS; i++) {
        unsigned at = next_random(&random) % LIVE;
        if (ptr[at]) {
            check_range(ptr[at] + next_random(&random) % bytes[at], ptr[at], bytes[at]);
            check_success(cuMemcpyDtoH(&found[0], ptr[at], 1));
            check_success(cuMemcpyDtoH(&found[1], ptr[at] + bytes[at] - 1, 1));
            check(found[0] == mark && found[1] == mark);
            check_success(cuMemFree(ptr[at]));
        }
        bytes[at] = random_size(&random);
        ptr[at] = allocate(bytes[at]);
        check_success(cuMemcpyHtoD(ptr[at], &mark, 1));
        check_success(cuMemcpyHtoD(ptr[at] + bytes[at] - 1, &mark, 1));
    }
    for (int i = 0; i < LIVE; i++)
        check_success(cuMemFree(ptr[i]));
    worker->left = allocate(5000);
    return NULL;
}

TEST(threads_allocate_and_free_at_once)
{
    struct worker workers[THREADS];
    CUcontext context = with_context();

    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.context = context, .random = 77 + i};
        check(pthread_create(&workers[i].thread, NULL, allocate_and_free, &workers[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        check(pthread_join(workers[i].thread, NULL) == 0);
    for (unsigned i = 0; i < THREADS; i++) {
        check_range(workers[i].left, workers[i].left, 5000);
        check_success(cuMemFree(workers[i].left));
    }
}

static struct {
    pthread_barrier_t barrier;
    CUcontext context;
    CUdeviceptr ptr[1000];
    atomic_int freed;
} race;

static void *free_all(void *argument)
{
    (void)argument;
    check_success(cuCtxSetCurrent(race.context));
    pthread_barrier_wait(&race.barrier);
    for (int i = 0; i < 1000; i++) {
        CUresult result = cuMemFree(race.ptr[i]);
        check(result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_VALUE);
        atomic_fetch_add(&race.freed, result == CUDA_SUCCESS);
    }
    return NULL;
}

/* Four threads free the same memory: each piece is freed by one of them. */
TEST(racing_frees_free_once)
{
    pthread_t threads[4];

    race.context = with_context();
    only_cupipe();
    for (int i = 0; i < 1000; i++)
        race.ptr[i] = allocate(i % 10 ? 4096 : 2 * MIB);
    pthread_barrier_init(&race.barrier, NULL, 4);
    for (int i = 0; i < 4; i++)
        check(pthread_create(&threads[i], NULL, free_all, NULL) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    check(atomic_load(&race.freed) == 1000);
}
