/* SPDX-License-Identifier: MIT */
/* Linear copies: every byte compared with a model, order in streams, ends of allocations. Invalid
 * host pointers are in test_fault.c. */
#include "test.h"

#include <sys/mman.h>

#define MIB ((size_t)1 << 20)

enum kind { DEVICE, PINNED, REGISTERED, PAGEABLE, KIND_COUNT };

/* Memory of some kind and what should be in it. */
struct area {
    CUdeviceptr at;
    unsigned char *host; /* NULL: device memory */
    unsigned char *model;
    size_t bytes;
};

static uint32_t random_state = 12345;

static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static struct area make_area(enum kind kind, size_t bytes)
{
    struct area area = {.bytes = bytes, .model = malloc(bytes)};

    if (kind == DEVICE)
        check_success(cuMemAlloc(&area.at, bytes));
    else if (kind == PINNED)
        check_success(cuMemAllocHost((void **)&area.host, bytes));
    else
        area.host = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (kind == REGISTERED)
        check_success(cuMemHostRegister(area.host, bytes, 0));
    if (area.host)
        area.at = (CUdeviceptr)(uintptr_t)area.host;
    return area;
}

/* New contents, in the memory and in the model. */
static void area_fill(struct area *area)
{
    uint32_t value = next_random();

    for (size_t i = 0; i < area->bytes; i++)
        area->model[i] = (unsigned char)((value += 0x9e3779b9u) >> 24);
    if (area->host)
        memcpy(area->host, area->model, area->bytes);
    else
        check_success(cuMemcpyHtoD(area->at, area->model, area->bytes));
    check_success(cuCtxSynchronize()); /* other streams do not wait for the copy */
}

static void area_check(const struct area *area)
{
    static unsigned char *buffer;
    static size_t room;

    if (area->host) {
        check(memcmp(area->host, area->model, area->bytes) == 0);
        return;
    }
    if (room < area->bytes)
        buffer = realloc(buffer, room = area->bytes);
    check_success(cuMemcpyDtoH(buffer, area->at, area->bytes));
    check(memcmp(buffer, area->model, area->bytes) == 0);
}

static void area_copy(struct area *to, size_t to_offset, struct area *from, size_t from_offset,
                      size_t bytes, CUstream stream)
{
    CUdeviceptr target = to->at + to_offset, source = from->at + from_offset;

    if (stream)
        check_success(cuMemcpyAsync(target, source, bytes, stream));
    else
        check_success(cuMemcpy(target, source, bytes));
    memmove(to->model + to_offset, from->model + from_offset, bytes);
}

static void check_all_small_sizes(struct area *to, struct area *from, CUstream stream)
{
    for (size_t bytes = 0; bytes <= 300; bytes++) {
        area_copy(to, 7 + bytes % 13, from, 3 + bytes % 11, bytes, stream);
        check_success(cuCtxSynchronize());
        area_check(to);
        if (bytes % 10 == 0)
            area_fill(from);
    }
    area_check(from);
}

TEST(small_copies_between_all_kinds)
{
    CUstream stream;

    with_context();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int pair = 0; pair < KIND_COUNT * KIND_COUNT; pair++) {
        struct area to = make_area(pair % KIND_COUNT, 512);
        struct area from = make_area(pair / KIND_COUNT, 512);
        area_fill(&to);
        area_fill(&from);
        check_all_small_sizes(&to, &from, NULL);
        check_all_small_sizes(&to, &from, stream);
    }
}

TEST(large_copies_between_all_kinds)
{
    static const size_t around[] = {4096, 65536, 1 << 20, 5 << 20};
    CUstream stream;

    with_context();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int pair = 0; pair < KIND_COUNT * KIND_COUNT; pair++) {
        struct area to = make_area(pair % KIND_COUNT, 6 * MIB);
        struct area from = make_area(pair / KIND_COUNT, 6 * MIB);
        area_fill(&to);
        area_fill(&from);
        for (int i = 0; i < 12; i++) {
            area_copy(&to, 1 + i * 5, &from, 3 + i * 7, around[i / 3] + (size_t)(i % 3) - 1,
                      i % 2 ? stream : NULL);
            check_success(cuCtxSynchronize());
            if (i % 3 == 2)
                area_check(&to);
        }
        area_check(&from);
    }
}

/* Many copies queue up behind one another; the model does them in order. */
TEST(a_stream_copies_in_order)
{
    struct area areas[6];
    CUstream stream;

    with_context();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 6; i++) {
        areas[i] = make_area(i % 3, 300000);
        area_fill(&areas[i]);
    }
    for (int i = 0; i < 2000; i++) {
        struct area *to = &areas[next_random() % 6], *from = &areas[next_random() % 6];
        size_t bytes = next_random() % 8 == 0 ? 200000 : next_random() % 3000;
        if (to == from)
            continue;
        area_copy(to, next_random() % 100000, from, next_random() % 100000, bytes, stream);
    }
    check_success(cuStreamSynchronize(stream));
    for (int i = 0; i < 6; i++)
        area_check(&areas[i]);
}

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

TEST(a_million_random_copies)
{
    enum { ROOM = 4096, AREAS = 2 * KIND_COUNT };
    struct area areas[AREAS];
    double start;

    with_context();
    for (int i = 0; i < AREAS; i++) {
        areas[i] = make_area(i % KIND_COUNT, ROOM);
        area_fill(&areas[i]);
    }
    start = seconds();
    for (int i = 0; i < 1000000 && seconds() - start < 4; i++) {
        struct area *to = &areas[next_random() % AREAS], *from = &areas[next_random() % AREAS];
        size_t bytes = next_random() % 64;
        if (to == from)
            continue;
        area_copy(to, next_random() % (ROOM - 64), from, next_random() % (ROOM - 64), bytes, NULL);
        if (i % 1000 == 0)
            area_check(to);
    }
    for (int i = 0; i < AREAS; i++)
        area_check(&areas[i]);
}

TEST(copies_that_overlap_move)
{
    static const int shifts[] = {1, -1, 64, -64, 4096, -4096, 100001, -100001};
    static const size_t sizes[] = {100, 5000, 200000, 3 << 20};
    struct area area;

    with_context();
    only_cupipe();
    area = make_area(DEVICE, 4 * MIB);
    area_fill(&area);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t j = 0; j < sizeof(shifts) / sizeof(shifts[0]); j++) {
            size_t to = 200000, from = (size_t)(200000 - shifts[j]);
            check_success(cuMemcpyDtoD(area.at + to, area.at + from, sizes[i]));
            memmove(area.model + to, area.model + from, sizes[i]);
            area_check(&area);
        }
    }
}

TEST(copies_past_the_end_are_refused)
{
    static unsigned char host[4 << 20];
    static const size_t sizes[] = {1, 4096, 5000, 1 << 20, (2 << 20) + 5};

    with_context();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct area area = make_area(DEVICE, sizes[i]), other = make_area(DEVICE, 4 * MIB);
        size_t end = sizes[i];
        area_fill(&area);
        area_fill(&other);
        check_result(cuMemcpyHtoD(area.at, host, end + 1), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyDtoH(host, area.at + end - 1, 2), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyDtoD(other.at, area.at, end + 1), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyDtoD(area.at + end - 1, other.at, 2), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyHtoDAsync(area.at, host, end + 512, NULL), CUDA_ERROR_INVALID_VALUE);
        check_result(cuMemcpyHtoD(area.at, host, SIZE_MAX), CUDA_ERROR_INVALID_VALUE);
        check_success(cuCtxSynchronize());
        area_check(&area);
        area_check(&other);
    }
}

TEST(pinned_copies_past_the_end_are_refused)
{
    struct area pinned, device;

    with_context();
    pinned = make_area(PINNED, 1000);
    device = make_area(DEVICE, 4096);
    area_fill(&pinned);
    area_fill(&device);
    check_result(cuMemcpyHtoD(device.at, pinned.host, 1001), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoH(pinned.host + 1, device.at, 1000), CUDA_ERROR_INVALID_VALUE);
    area_check(&pinned);
    area_check(&device);
}

TEST(copies_of_nothing_succeed)
{
    with_context();
    check_success(cuMemcpyHtoD(0, NULL, 0));
    check_success(cuMemcpyDtoH(NULL, 0, 0));
    check_success(cuMemcpyDtoD(0, 0, 0));
    check_success(cuMemcpyAsync(0, 0, 0, NULL));
}

TEST(typed_copies_want_cuda_memory_on_the_device_side)
{
    unsigned char host[64], other[64];
    CUdeviceptr pageable = (CUdeviceptr)(uintptr_t)other, ptr;

    with_context();
    check_success(cuMemAlloc(&ptr, 64));
    check_result(cuMemcpyHtoD(pageable, host, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoH(host, pageable, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoD(pageable, ptr, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoD(ptr, pageable, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyHtoD(0, host, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyHtoD(ptr, NULL, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoH(NULL, ptr, 64), CUDA_ERROR_INVALID_VALUE);
}

TEST(freed_memory_cannot_be_copied)
{
    unsigned char host[64];
    CUdeviceptr ptr;

    with_context();
    check_success(cuMemAlloc(&ptr, 4096));
    check_success(cuMemFree(ptr));
    check_result(cuMemcpyHtoD(ptr, host, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyDtoH(host, ptr, 64), CUDA_ERROR_INVALID_VALUE);
}

TEST(memory_of_another_context_can_be_copied)
{
    unsigned char out = 42, back = 0;
    CUcontext primary = with_context(), context;
    CUdeviceptr ptr, own;

    check_success(cuCtxCreate(&context, NULL, 0, 0));
    check_success(cuMemAlloc(&ptr, 64));
    check_success(cuCtxSetCurrent(primary));
    check_success(cuMemAlloc(&own, 64));
    check_success(cuMemcpyHtoD(ptr, &out, 1));
    check_success(cuMemcpyPeer(own, primary, ptr, context, 1));
    check_success(cuMemcpyDtoH(&back, own, 1));
    check(back == 42);
}

/* A destroyed context that is still current spoils every copy, whatever its stream. */
TEST(a_destroyed_context_copies_nothing)
{
    CUcontext context;
    CUstream stream;
    CUdeviceptr ptr;

    check_success(cuInit(0));
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuMemAlloc(&ptr, 64));
    check_success(cuCtxPushCurrent(context));
    check_success(cuCtxDestroy(context));
    check_result(cuMemcpyHtoDAsync(ptr, &ptr, 8, stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuMemcpyHtoD(ptr, &ptr, 8), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

static struct flag gate;

static void wait_at_gate(void *unused)
{
    (void)unused;
    flag_wait(&gate);
}

/* A stream that runs nothing until the gate is raised. */
static CUstream blocked_stream(void)
{
    CUstream stream;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchHostFunc(stream, wait_at_gate, NULL));
    return stream;
}

static void *raise_gate_later(void *unused)
{
    struct timespec time = {0, 50000000};

    (void)unused;
    nanosleep(&time, NULL);
    flag_raise(&gate);
    return NULL;
}

TEST(a_pageable_source_is_read_at_once)
{
    struct area from, to;
    CUstream stream;

    with_context();
    from = make_area(PAGEABLE, 1000);
    to = make_area(DEVICE, 1000);
    area_fill(&from);
    area_fill(&to);
    stream = blocked_stream();
    check_success(cuMemcpyHtoDAsync(to.at, from.host, 1000, stream));
    memcpy(to.model, from.model, 1000);
    memset(from.host, 0, 1000);
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    flag_raise(&gate);
    check_success(cuStreamSynchronize(stream));
    area_check(&to);
}

/* However large it is; the call may then wait for the stream. */
TEST(a_large_pageable_source_is_read_before_return)
{
    struct area from, to;
    CUstream stream;
    pthread_t thread;

    with_context();
    from = make_area(PAGEABLE, 9 * MIB);
    to = make_area(DEVICE, 9 * MIB);
    area_fill(&from);
    area_fill(&to);
    stream = blocked_stream();
    check(pthread_create(&thread, NULL, raise_gate_later, NULL) == 0);
    check_success(cuMemcpyHtoDAsync(to.at, from.host, from.bytes, stream));
    memcpy(to.model, from.model, from.bytes);
    memset(from.host, 0, from.bytes);
    check_success(cuStreamSynchronize(stream));
    area_check(&to);
    pthread_join(thread, NULL);
}

static void check_read_in_turn(enum kind kind)
{
    struct area from = make_area(kind, 1000), to = make_area(DEVICE, 1000);
    CUstream stream;

    area_fill(&from);
    area_fill(&to);
    stream = blocked_stream();
    check_success(cuMemcpyHtoDAsync(to.at, from.host, 1000, stream));
    memset(from.host, 7, 1000);
    memset(to.model, 7, 1000);
    flag_raise(&gate);
    check_success(cuStreamSynchronize(stream));
    area_check(&to);
}

TEST(a_pinned_source_is_read_in_its_turn)
{
    with_context();
    check_read_in_turn(PINNED);
}

TEST(a_registered_source_is_read_in_its_turn)
{
    with_context();
    check_read_in_turn(REGISTERED);
}

TEST(a_pageable_destination_is_complete_on_return)
{
    struct area from, to;
    CUstream stream;
    pthread_t thread;

    with_context();
    from = make_area(DEVICE, 3 * MIB);
    to = make_area(PAGEABLE, 3 * MIB);
    area_fill(&from);
    area_fill(&to);
    stream = blocked_stream();
    check(pthread_create(&thread, NULL, raise_gate_later, NULL) == 0);
    check_success(cuMemcpyDtoHAsync(to.host, from.at, from.bytes, stream));
    memcpy(to.model, from.model, from.bytes);
    area_check(&to);
    check(flag_is_raised(&gate));
    pthread_join(thread, NULL);
}

TEST(a_device_copy_does_not_wait)
{
    struct area from, to;

    with_context();
    from = make_area(DEVICE, 1000);
    to = make_area(DEVICE, 1000);
    area_fill(&from);
    area_fill(&to);
    check_success(cuLaunchHostFunc(NULL, wait_at_gate, NULL));
    check_success(cuMemcpyDtoD(to.at, from.at, 1000));
    check_result(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    flag_raise(&gate);
    memcpy(to.model, from.model, 1000);
    area_check(&to);
}

struct copier {
    pthread_t thread;
    CUcontext context;
    unsigned seed;
};

static void *copy_much(void *argument)
{
    struct copier *copier = argument;
    unsigned char *out = malloc(3 * MIB), *back = malloc(3 * MIB);
    CUdeviceptr ptr, other;
    CUstream stream;

    check_success(cuCtxSetCurrent(copier->context));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuMemAlloc(&ptr, 3 * MIB));
    check_success(cuMemAlloc(&other, 3 * MIB));
    for (unsigned round = 0; round < 60; round++) {
        size_t bytes = round % 10 == 0 ? 3 * MIB : 1000 * (size_t)round + 1;
        memset(out, (int)(copier->seed * 60 + round), bytes);
        check_success(cuMemcpyHtoDAsync(ptr, out, bytes, stream));
        check_success(cuMemcpyDtoDAsync(other, ptr, bytes, stream));
        check_success(cuMemcpyDtoHAsync(back, other, bytes, stream));
        check_success(cuStreamSynchronize(stream));
        check(memcmp(out, back, bytes) == 0);
    }
    free(out);
    free(back);
    return NULL;
}

TEST(threads_copy_at_once)
{
    struct copier copiers[8];
    CUcontext context = with_context();

    for (unsigned i = 0; i < 8; i++) {
        copiers[i] = (struct copier){.context = context, .seed = i};
        check(pthread_create(&copiers[i].thread, NULL, copy_much, &copiers[i]) == 0);
    }
    for (unsigned i = 0; i < 8; i++)
        pthread_join(copiers[i].thread, NULL);
}
