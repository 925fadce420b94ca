/* SPDX-License-Identifier: MIT */
/* Streams that write values to memory and wait for values there. */
#include "hold.h"

#include <dlfcn.h>
#include <sys/mman.h>

TEST(values_are_written)
{
    uint64_t value = 0;

    with_context();
    CUdeviceptr device;
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuMemAlloc(&device, 64));
    check_success(cuStreamWriteValue64(stream, device, 0x1122334455667788u, 0));
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemcpyDtoH(&value, device, sizeof(value)));
    check(value == 0x1122334455667788u);
    check_success(cuStreamWriteValue32(stream, device, 0xaabbccddu, 0));
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemcpyDtoH(&value, device, sizeof(value)));
    check(value == 0x11223344aabbccddu);
}

TEST(every_kind_of_stream_writes)
{
    with_context();
    atomic_uint *word = pinned_words(1);
    CUstream streams[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, new_stream(0)};
    for (unsigned i = 0; i < 4; i++) {
        write_word(streams[i], word, i + 1);
        check_success(cuStreamSynchronize(streams[i]));
        check(atomic_load(word) == i + 1);
    }
}

TEST(a_wait_ends_when_the_host_writes)
{
    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);

    hold_until(stream, &words[0]);
    write_word(stream, &words[1], 1);
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    check(atomic_load(&words[1]) == 0);
    atomic_store(&words[0], 1);
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&words[1]) == 1);
}

TEST(a_wait_ends_when_a_stream_writes)
{
    CUdeviceptr device;

    with_context();
    CUstream writer = new_stream(CU_STREAM_NON_BLOCKING),
             waiter = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuMemAlloc(&device, 64));
    check_success(cuMemsetD8(device, 0, 64));
    check_success(cuStreamWaitValue64(waiter, device, 77, CU_STREAM_WAIT_VALUE_EQ));
    check_result(cuStreamQuery(waiter), CUDA_ERROR_NOT_READY);
    check_success(cuStreamWriteValue64(writer, device, 77, 0));
    check_success(cuStreamSynchronize(waiter));
}

/* What the writer did before is there when the wait is over. */
TEST(a_value_carries_what_came_before)
{
    with_context();
    atomic_uint *words = pinned_words(4);
    CUstream ping = new_stream(CU_STREAM_NON_BLOCKING), pong = new_stream(CU_STREAM_NON_BLOCKING);
    for (unsigned i = 1; i <= 200; i++) {
        write_word(ping, &words[0], i);
        write_word(ping, &words[1], i);
        check_success(
            cuStreamWaitValue32(pong, address_of(&words[1]), i, CU_STREAM_WAIT_VALUE_GEQ));
        write_word(pong, &words[2], i);
        check_success(cuStreamWaitValue32(ping, address_of(&words[2]), i, CU_STREAM_WAIT_VALUE_EQ));
    }
    check_success(cuStreamSynchronize(ping));
    check_success(cuStreamSynchronize(pong));
    check(atomic_load(&words[0]) == 200 && atomic_load(&words[2]) == 200);
}

struct comparison {
    unsigned test;
    uint64_t stored, value, then;
    bool over_at_once, over_then;
};

static void compare(const struct comparison *c, bool wide)
{
    uint64_t *stored = (uint64_t *)pinned_words(2);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUdeviceptr address = address_of(stored);

    __atomic_store_n(stored, c->stored, __ATOMIC_SEQ_CST);
    if (wide)
        check_success(cuStreamWaitValue64(stream, address, c->value, c->test));
    else
        check_success(cuStreamWaitValue32(stream, address, (uint32_t)c->value, c->test));
    if (c->over_at_once) {
        check_success(cuStreamSynchronize(stream));
        return;
    }
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    __atomic_store_n(stored, c->then, __ATOMIC_SEQ_CST);
    if (c->over_then) {
        check_success(cuStreamSynchronize(stream));
        return;
    }
    for (int i = 0; i < 20; i++) {
        check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
        nap();
    }
    __atomic_store_n(stored, c->value, __ATOMIC_SEQ_CST);
    check_success(cuStreamSynchronize(stream));
}

enum {
    GEQ = CU_STREAM_WAIT_VALUE_GEQ,
    EQ = CU_STREAM_WAIT_VALUE_EQ,
    AND = CU_STREAM_WAIT_VALUE_AND,
    NOR = CU_STREAM_WAIT_VALUE_NOR,
};

TEST(comparisons_of_32_bits)
{
    static const struct comparison table[] = {
        {GEQ, 4, 5, 5, false, true},
        {GEQ, 6, 5, 0, true, true},
        {GEQ, 4, 5, 0xffffffff, false, false},
        {GEQ, 0xffffffff, 0, 0, false, true},
        {GEQ, 0, 0xffffffff, 0, true, true},
        {GEQ, 0x80000000, 0, 0x7fffffff, false, true},
        {GEQ, 0x7fffffff, 0, 0, true, true},
        {GEQ, 0x80000001, 1, 1, false, true},
        {GEQ, 0x80000000, 1, 0, true, true},
        {EQ, 4, 5, 5, false, true},
        {EQ, 6, 5, 5, false, true},
        {EQ, 5, 5, 0, true, true},
        {EQ, 0xff00000005, 5, 0, true, true}, /* the upper half is somebody else's */
        {AND, 4, 3, 1, false, true},
        {AND, 6, 3, 0, true, true},
        {NOR, 0xffffffff, 0, 0xfffffffe, false, true},
        {NOR, 0xfffffff0, 0xf, 0, false, true},
        {NOR, 1, 1, 0, true, true},
    };

    with_context();
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        compare(&table[i], false);
}

TEST(comparisons_of_64_bits)
{
    static const struct comparison table[] = {
        {GEQ, 4, 5, 5, false, true},
        {GEQ, UINT64_MAX, 0, 0, false, true},
        {GEQ, UINT64_C(1) << 63, 0, INT64_MAX, false, true},
        {GEQ, 0x100000000, 0x200000000, 0x200000000, false, true},
        {EQ, 5, 0x100000005, 0x100000005, false, true},
        {AND, 5, 0x100000000, 0x100000000, false, true},
        {NOR, 0xffffffff00000000, 0xffffffff, 0, false, true},
    };

    with_context();
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        compare(&table[i], true);
}

TEST(flags_that_are_none)
{
    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUdeviceptr address = address_of(pinned_words(2));
    for (int bit = 0; bit < 32; bit++) {
        unsigned flags = 1u << bit;
        check_result(cuStreamWriteValue32(stream, address, 0, flags), CUDA_ERROR_INVALID_VALUE);
        check_result(cuStreamWriteValue64(stream, address, 0, flags), CUDA_ERROR_INVALID_VALUE);
        if (bit < 2)
            continue;
        CUresult expected = bit == 30 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
        check_result(cuStreamWaitValue32(stream, address, 0, flags), expected);
        check_result(cuStreamWaitValue64(stream, address, 0, flags), expected);
    }
    check_success(cuStreamQuery(stream));
}

static void check_bad_address(CUstream stream, CUdeviceptr address, bool narrow_is_fine)
{
    if (!narrow_is_fine) {
        check_result(cuStreamWriteValue32(stream, address, 0, 0), CUDA_ERROR_INVALID_VALUE);
        check_result(cuStreamWaitValue32(stream, address, 0, 0), CUDA_ERROR_INVALID_VALUE);
    }
    check_result(cuStreamWriteValue64(stream, address, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamWaitValue64(stream, address, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(addresses_that_are_none)
{
    static uint64_t pageable[8];
    CUdeviceptr device, freed;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuMemAlloc(&device, 4096));
    check_success(cuMemAlloc(&freed, 64 << 20));
    check_success(cuMemFree(freed));
    check_bad_address(stream, 0, false);
    check_bad_address(stream, 8, false);
    check_bad_address(stream, address_of(pageable), false);
    check_bad_address(stream, freed, false);
    check_bad_address(stream, device + 1, false);
    check_bad_address(stream, device + 2, false);
    check_bad_address(stream, device + 4, true);
    check_bad_address(stream, device + 4092, true);
    check_bad_address(stream, (CUdeviceptr)0xdeadbeef00000000u, false);
    check_success(cuStreamWriteValue32(stream, device + 4092, 0, 0));
    check_success(cuStreamSynchronize(stream));
}

static CUstreamBatchMemOpParams batch_write(const void *word, unsigned value)
{
    CUstreamBatchMemOpParams p = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32};

    p.writeValue.address = address_of(word);
    p.writeValue.value = value;
    return p;
}

static CUstreamBatchMemOpParams batch_wait(const void *word, unsigned value)
{
    CUstreamBatchMemOpParams p = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32};

    p.waitValue.address = address_of(word);
    p.waitValue.value = value;
    p.waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    return p;
}

TEST(a_batch_runs_in_order)
{
    with_context();
    atomic_uint *words = pinned_words(4);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUstreamBatchMemOpParams ops[] = {
        batch_write(&words[0], 3), batch_wait(&words[0], 3),  batch_write(&words[1], 4),
        batch_wait(&words[2], 5),  batch_write(&words[3], 6),
    };

    check_success(cuStreamBatchMemOp(stream, 5, ops, 0));
    word_wait(&words[1], 4);
    check(atomic_load(&words[3]) == 0);
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    atomic_store(&words[2], 5);
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&words[3]) == 6);
}

TEST(a_batch_has_at_most_255_operations)
{
    enum { MOST = 255 };
    static CUstreamBatchMemOpParams ops[MOST + 1];

    with_context();
    atomic_uint *words = pinned_words(MOST + 1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (unsigned i = 0; i <= MOST; i++)
        ops[i] = batch_write(&words[i], i + 1);
    check_result(cuStreamBatchMemOp(stream, MOST + 1, ops, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamBatchMemOp(stream, 1, ops, 1), CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamBatchMemOp(stream, 0, ops, 0));
    check_success(cuStreamBatchMemOp(stream, 0, NULL, 0));
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&words[0]) == 0);
    check_success(cuStreamBatchMemOp(stream, MOST, ops, 0));
    check_success(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < MOST; i++)
        check(atomic_load(&words[i]) == i + 1);
}

TEST(a_wrong_batch_does_nothing)
{
    with_context();
    atomic_uint *words = pinned_words(4);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUstreamBatchMemOpParams wrong[5];

    wrong[0] = batch_write(&words[2], 13);
    wrong[0].writeValue.flags = 0x80;
    wrong[1] = batch_write((char *)&words[2] + 1, 13);
    wrong[2] = batch_write(NULL, 13);
    wrong[3] = (CUstreamBatchMemOpParams){.operation = (CUstreamBatchMemOpType)0};
    wrong[4] = (CUstreamBatchMemOpParams){.operation = (CUstreamBatchMemOpType)99};
    for (int i = 0; i < 5; i++) {
        CUstreamBatchMemOpParams ops[] = {batch_write(&words[0], 11), wrong[i],
                                          batch_write(&words[3], 14)};
        check_result(cuStreamBatchMemOp(stream, 3, ops, 0), CUDA_ERROR_INVALID_VALUE);
        check_success(cuStreamSynchronize(stream));
        check(atomic_load(&words[0]) == 0 && atomic_load(&words[3]) == 0);
    }
}

TEST(barriers_and_flushes_in_a_batch)
{
    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (unsigned flags = 0; flags < 4; flags++) {
        CUstreamBatchMemOpParams op = {.operation = CU_STREAM_MEM_OP_BARRIER};
        op.memoryBarrier.flags = flags;
        check_result(cuStreamBatchMemOp(stream, 1, &op, 0),
                     flags < 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
        op.operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
        check_result(cuStreamBatchMemOp(stream, 1, &op, 0), CUDA_ERROR_NOT_SUPPORTED);
    }
    check_success(cuStreamSynchronize(stream));
}

TEST(a_batch_without_operations_is_invalid)
{
    with_context();
    only_cupipe();
    check_result(cuStreamBatchMemOp(NULL, 1, NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(the_first_versions_are_not_supported)
{
    typedef CUresult value32(CUstream, CUdeviceptr, cuuint32_t, unsigned);
    typedef CUresult value64(CUstream, CUdeviceptr, cuuint64_t, unsigned);
    typedef CUresult batch(CUstream, unsigned, CUstreamBatchMemOpParams *, unsigned);

    with_context();
    CUstream stream = new_stream(0);
    CUdeviceptr address = address_of(pinned_words(2));
    static const char *const narrow[] = {"cuStreamWriteValue32", "cuStreamWaitValue32"};
    static const char *const wide[] = {"cuStreamWriteValue64", "cuStreamWaitValue64"};
    for (int i = 0; i < 2; i++) {
        value32 *first32 = (value32 *)dlsym(RTLD_DEFAULT, narrow[i]);
        value64 *first64 = (value64 *)dlsym(RTLD_DEFAULT, wide[i]);
        check(first32 && first64);
        check_result(first32(stream, address, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
        check_result(first64(stream, address, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
    }
    batch *first = (batch *)dlsym(RTLD_DEFAULT, "cuStreamBatchMemOp");
    check(first != NULL);
    check_result(first(stream, 0, NULL, 0), CUDA_ERROR_NOT_SUPPORTED);
    check_result(first(stream, 256, NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

/* More streams wait than there are workers. */
TEST(many_streams_wait)
{
    enum { COUNT = 64 };
    CUstream streams[COUNT];

    with_context();
    only_cupipe(); /* a card has fewer channels */
    atomic_uint *words = pinned_words(2 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        streams[i] = new_stream(CU_STREAM_NON_BLOCKING);
        hold_until(streams[i], &words[i]);
        write_word(streams[i], &words[COUNT + i], 1);
    }
    for (int i = COUNT - 1; i >= 0; i--) {
        check_result(cuStreamQuery(streams[i]), CUDA_ERROR_NOT_READY);
        atomic_store(&words[i], 1);
        check_success(cuStreamSynchronize(streams[i]));
        check(atomic_load(&words[COUNT + i]) == 1);
    }
}

static void CUDA_CB count_run(void *data)
{
    atomic_fetch_add((atomic_uint *)data, 1);
}

static void CUDA_CB note_status(CUstream stream, CUresult status, void *data)
{
    (void)stream;
    atomic_store((atomic_uint *)data, status);
}

static void CUDA_CB wait_for_word(void *data)
{
    word_wait(data, 1);
}

/* Memory that was registered and then taken away: the device fails, and everything says so. */
TEST(a_fault_is_the_end_of_the_device)
{
    static atomic_uint calls, status = 12345, may_go_on;
    CUcontext second;
    CUdeviceptr device;

    CUcontext first = with_context();
    only_cupipe();
    check_success(cuCtxCreate(&second, NULL, 0, 0));
    check_success(cuCtxSetCurrent(first));
    CUstream stream = new_stream(0), other = new_stream(CU_STREAM_NON_BLOCKING), late;
    CUevent event = new_event(0);
    void *page = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check_success(cuMemHostRegister(page, 65536, 0));
    check_success(cuLaunchHostFunc(stream, wait_for_word, &may_go_on));
    check_success(cuStreamWriteValue32(stream, address_of(page), 1, 0));
    check_success(cuEventRecord(event, stream));
    check_success(cuLaunchHostFunc(stream, count_run, &calls));
    check_success(cuStreamAddCallback(stream, note_status, &status, 0));
    check(mprotect(page, 65536, PROT_NONE) == 0); /* not unmapped: another thread may map there */
    atomic_store(&may_go_on, 1);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
    check(calls == 0 && status == CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuStreamQuery(other), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuEventQuery(event), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuEventSynchronize(event), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuEventRecord(event, other), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuStreamCreate(&late, 0), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuMemAlloc(&device, 64), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuStreamDestroy(stream), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuEventQuery(NULL), CUDA_ERROR_INVALID_HANDLE);
    check_success(cuCtxSetCurrent(second));
    check_result(cuStreamCreate(&late, 0), CUDA_ERROR_LAUNCH_FAILED);
}

TEST(a_fault_ends_waits)
{
    with_context();
    only_cupipe();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING),
             waiter = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *word = pinned_words(1);
    void *page = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check_success(cuMemHostRegister(page, 65536, 0));
    hold_until(waiter, word);
    check(mprotect(page, 65536, PROT_NONE) == 0);
    cuStreamWriteValue32(stream, address_of(page), 1, 0);
    check_result(cuStreamSynchronize(waiter), CUDA_ERROR_LAUNCH_FAILED);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}
