/* SPDX-License-Identifier: MIT */
/* Memory pools: when memory is given out again, and to whom. */
#include "pools.h"

TEST(a_stream_gets_its_own_memory_again_before_it_is_free)
{
    static const size_t sizes[] = {1, 64 * KIB, MIB, 3 * MIB, 40 * MIB};
    atomic_uint *word;
    CUstream stream;

    with_context();
    only_cupipe();
    word = pinned_words(1);
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    hold_until(stream, word);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        CUdeviceptr first = allocate(sizes[i], stream);
        check_success(cuMemFreeAsync(first, stream));
        check(allocate(sizes[i], stream) == first);
        check_success(cuMemFreeAsync(first, stream));
    }
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check_counts(default_pool(), 0, 0);
}

TEST(half_of_what_a_stream_has_freed_is_given_to_it_again)
{
    CUdeviceptr whole, first, second;
    atomic_uint *word;
    CUstream stream;

    with_context();
    only_cupipe();
    word = pinned_words(1);
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    hold_until(stream, word);
    whole = allocate(64 * KIB, stream);
    check_success(cuMemFreeAsync(whole, stream));
    first = allocate(32 * KIB, stream);
    second = allocate(32 * KIB, stream);
    check(first == whole && second == whole + 32 * KIB);
    atomic_store(word, 1);
    check_success(cuMemFreeAsync(first, stream));
    check_success(cuMemFreeAsync(second, stream));
    check_success(cuStreamSynchronize(stream));
    check_counts(default_pool(), 0, 0);
}

/* What the first stream still has to read is not written by the second. */
TEST(no_other_stream_gets_memory_before_it_is_free)
{
    enum { BYTES = 64 * KIB };
    CUstream first, second;
    unsigned char *host;
    atomic_uint *word;
    CUdeviceptr ptr;

    with_context();
    word = pinned_words(1);
    first = new_stream(CU_STREAM_NON_BLOCKING);
    second = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuMemHostAlloc((void **)&host, BYTES, 0));
    ptr = allocate(BYTES, first);
    check_success(cuMemsetD8Async(ptr, 5, BYTES, first));
    hold_until(first, word);
    check_success(cuMemcpyDtoHAsync(host, ptr, BYTES, first));
    check_success(cuMemFreeAsync(ptr, first));
    for (int i = 0; i < 100; i++) {
        CUdeviceptr other = allocate(BYTES, second);
        check(other + BYTES <= ptr || other >= ptr + BYTES);
        check_success(cuMemsetD8Async(other, 9, BYTES, second));
        if (i % 2)
            check_success(cuMemFreeAsync(other, second));
    }
    check_success(cuStreamSynchronize(second));
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(first));
    for (int i = 0; i < BYTES; i++)
        check(host[i] == 5);
}

TEST(a_stream_that_waits_for_an_event_behind_the_free_gets_the_memory)
{
    CUmemoryPool pool;
    CUstream first, second, third;
    atomic_uint *word;
    CUdeviceptr ptr;
    CUevent event;

    with_context();
    only_cupipe();
    word = pinned_words(1);
    first = new_stream(CU_STREAM_NON_BLOCKING);
    second = new_stream(CU_STREAM_NON_BLOCKING);
    third = new_stream(CU_STREAM_NON_BLOCKING);
    event = new_event(CU_EVENT_DISABLE_TIMING);
    pool = new_pool(BLOCK);
    set_policy(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
    ptr = allocate_from(pool, BLOCK, first);
    hold_until(first, word);
    check_success(cuMemFreeAsync(ptr, first));
    check_success(cuEventRecord(event, first));
    check_success(cuStreamWaitEvent(second, event, 0));
    check_result(cuMemAllocFromPoolAsync(&ptr, BLOCK, pool, third), CUDA_ERROR_OUT_OF_MEMORY);
    allocate_from(pool, BLOCK, second);
    check_result(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(second));
}

TEST(an_event_before_the_free_is_not_enough)
{
    CUstream first, second;
    CUmemoryPool pool;
    atomic_uint *word;
    CUdeviceptr ptr;
    CUevent event;

    with_context();
    word = pinned_words(1);
    first = new_stream(CU_STREAM_NON_BLOCKING);
    second = new_stream(CU_STREAM_NON_BLOCKING);
    event = new_event(CU_EVENT_DISABLE_TIMING);
    pool = new_pool(BLOCK);
    set_policy(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
    ptr = allocate_from(pool, BLOCK, first);
    hold_until(first, word);
    check_success(cuEventRecord(event, first));
    check_success(cuMemsetD8Async(ptr, 1, BLOCK, first));
    check_success(cuMemFreeAsync(ptr, first));
    check_success(cuStreamWaitEvent(second, event, 0));
    check_result(cuMemAllocFromPoolAsync(&ptr, BLOCK, pool, second), CUDA_ERROR_OUT_OF_MEMORY);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(first));
    check_success(cuMemAllocFromPoolAsync(&ptr, BLOCK, pool, second));
}

TEST(when_nothing_else_is_left_a_stream_is_made_to_wait)
{
    CUstream first, second;
    CUmemoryPool pool;
    atomic_uint *word;
    CUdeviceptr ptr, other;

    with_context();
    only_cupipe();
    word = pinned_words(1);
    first = new_stream(CU_STREAM_NON_BLOCKING);
    second = new_stream(CU_STREAM_NON_BLOCKING);
    pool = new_pool(BLOCK);
    ptr = allocate_from(pool, BLOCK, first);
    hold_until(first, word);
    check_success(cuMemsetD8Async(ptr, 1, BLOCK, first));
    check_success(cuMemFreeAsync(ptr, first));
    other = allocate_from(pool, BLOCK, second);
    check(other == ptr);
    check_success(cuMemsetD8Async(other, 2, BLOCK, second));
    check_result(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(second));
    unsigned char byte = 0;
    check_success(cuMemcpyDtoH(&byte, other + BLOCK - 1, 1));
    check(byte == 2);
}

TEST(without_chance_reuse_needs_the_program_to_synchronise)
{
    CUstream first, second;
    CUmemoryPool pool;
    CUdeviceptr ptr;

    with_context();
    first = new_stream(CU_STREAM_NON_BLOCKING);
    second = new_stream(CU_STREAM_NON_BLOCKING);
    pool = new_pool(BLOCK);
    keep_everything(pool);
    set_policy(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 0);
    set_policy(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
    ptr = allocate_from(pool, BLOCK, first);
    check_success(cuMemFreeAsync(ptr, first));
    check_result(cuMemAllocFromPoolAsync(&ptr, BLOCK, pool, second), CUDA_ERROR_OUT_OF_MEMORY);
    check_success(cuStreamSynchronize(first));
    check_success(cuMemAllocFromPoolAsync(&ptr, BLOCK, pool, second));
}

/* A free in the legacy stream is behind the work of blocking streams. */
TEST(a_free_in_the_default_stream_waits_for_blocking_streams)
{
    CUstream blocking, free_one;
    CUmemoryPool pool;
    atomic_uint *word;
    CUdeviceptr ptr;

    with_context();
    word = pinned_words(1);
    blocking = new_stream(0);
    free_one = new_stream(CU_STREAM_NON_BLOCKING);
    pool = new_pool(BLOCK);
    set_policy(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
    ptr = allocate_from(pool, BLOCK, 0);
    hold_until(blocking, word);
    check_success(cuMemsetD8Async(ptr, 1, BLOCK, blocking));
    check_success(cuMemFreeAsync(ptr, 0));
    check_result(cuMemAllocFromPoolAsync(&ptr, BLOCK, pool, free_one), CUDA_ERROR_OUT_OF_MEMORY);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(0));
    check_success(cuMemAllocFromPoolAsync(&ptr, BLOCK, pool, free_one));
}

TEST(memory_freed_in_a_stream_that_was_destroyed_comes_back)
{
    CUstream stream;
    atomic_uint *word;

    with_context();
    word = pinned_words(1);
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUdeviceptr ptr = allocate(64 * KIB, stream);
    hold_until(stream, word);
    check_success(cuMemFreeAsync(ptr, stream));
    check_success(cuStreamDestroy(stream));
    check_success(cuMemFreeAsync(allocate(64 * KIB, 0), 0));
    atomic_store(word, 1);
    check_success(cuCtxSynchronize());
    check_counts(default_pool(), 0, 0);
}

/* Many threads. */

enum { THREADS = 6, ROUNDS = 300, LIVE_MAX = 16 };

struct crowd {
    CUcontext context;
    CUmemoryPool pool;
    CUdeviceptr handed[THREADS]; /* to the next thread */
    atomic_int number;
};

static void fill_and_check(CUdeviceptr ptr, size_t bytes, unsigned mark, CUstream stream)
{
    unsigned back[2] = {0, 0};
    size_t words = bytes / 4;

    check_success(cuMemsetD32Async(ptr, mark, words, stream));
    check_success(cuMemcpyDtoHAsync(&back[0], ptr, 4, stream));
    check_success(cuMemcpyDtoHAsync(&back[1], ptr + (words - 1) * 4, 4, stream));
    check_success(cuStreamSynchronize(stream));
    check(back[0] == mark && back[1] == mark);
}

static void *crowd_run(void *argument)
{
    struct crowd *crowd = argument;
    unsigned number = (unsigned)atomic_fetch_add(&crowd->number, 1), random = number * 7919 + 1;
    CUdeviceptr live[LIVE_MAX] = {0};
    CUstream stream;

    check_success(cuCtxSetCurrent(crowd->context));
    stream = new_stream(number % 2 ? CU_STREAM_NON_BLOCKING : 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        random = random * 1103515245 + 12345;
        unsigned place = random >> 16 & (LIVE_MAX - 1);
        size_t bytes = 4 << (random >> 20 & 15);
        if (random >> 28 == 0)
            bytes = 3 * MIB;
        if (live[place])
            check_success(cuMemFreeAsync(live[place], stream));
        live[place] = allocate_from(crowd->pool, bytes, stream);
        fill_and_check(live[place], bytes, number << 16 | i, stream);
    }
    for (int i = 0; i < LIVE_MAX; i++)
        check_success(cuMemFreeAsync(live[i], stream));
    check_success(cuStreamSynchronize(stream));
    check_success(cuStreamDestroy(stream));
    return NULL;
}

static void run_crowd(CUmemoryPool pool, CUcontext context)
{
    struct crowd crowd = {.context = context, .pool = pool};
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, crowd_run, &crowd) == 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check_success(cuCtxSynchronize());
    check_counts(pool, 0, 0);
}

TEST(threads_share_a_pool)
{
    CUcontext context = with_context();

    run_crowd(default_pool(), context);
    run_crowd(new_pool(0), context);
}

/* Each stream works on memory that another one frees while both run. */
TEST(streams_pass_memory_on_while_they_run)
{
    enum { STREAMS = 4, STEPS = 200, BYTES = 256 * KIB };
    CUstream streams[STREAMS];
    unsigned *seen;

    with_context();
    seen = (unsigned *)pinned_words(STREAMS * STEPS * 2);
    for (int i = 0; i < STREAMS; i++)
        streams[i] = new_stream(i % 2 ? CU_STREAM_NON_BLOCKING : 0);
    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned i = 0; i < STREAMS; i++) {
            unsigned index = step * STREAMS + i;
            CUdeviceptr ptr = allocate(BYTES, streams[i]);
            check_success(cuMemsetD32Async(ptr, index, BYTES / 4, streams[i]));
            check_success(cuMemcpyDtoHAsync(&seen[2 * index], ptr, 4, streams[i]));
            check_success(cuMemcpyDtoHAsync(&seen[2 * index + 1], ptr + BYTES - 4, 4, streams[i]));
            check_success(cuMemFreeAsync(ptr, streams[i]));
        }
    }
    check_success(cuCtxSynchronize());
    for (unsigned i = 0; i < STREAMS * STEPS; i++)
        check(seen[2 * i] == i && seen[2 * i + 1] == i);
    check_counts(default_pool(), 0, 0);
}

TEST(order_holds_when_work_is_put_off)
{
    setenv("CUPIPE_SCHEDULE", "random:3", 1);
    run_streams_pass_memory_on_while_they_run();
}
