/* SPDX-License-Identifier: MIT */
/* The primary context: counting, resetting, flags. */
#include "test.h"

enum { NO_DEVICE = 99 };

static void check_state(unsigned wanted_flags, int wanted_active)
{
    unsigned flags = 7;
    int active = 7;

    check_success(cuDevicePrimaryCtxGetState(0, &flags, &active));
    if (flags != wanted_flags || active != wanted_active)
        test_fail(__FILE__, __LINE__, "flags 0x%x active %d, and not 0x%x %d", flags, active,
                  wanted_flags, wanted_active);
}

static CUcontext retain(void)
{
    CUcontext context = NULL;

    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    check(context != NULL);
    return context;
}

TEST(arguments)
{
    CUcontext context;
    unsigned flags = 7;
    int active = 7;

    check_success(cuInit(0));
    check_result(cuDevicePrimaryCtxRetain(NULL, NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDevicePrimaryCtxRetain(&context, -1), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDevicePrimaryCtxRetain(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDevicePrimaryCtxRelease(NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDevicePrimaryCtxReset(NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDevicePrimaryCtxSetFlags(NO_DEVICE, 0x100), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDevicePrimaryCtxGetState(NO_DEVICE, &flags, &active), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDevicePrimaryCtxGetState(NO_DEVICE, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDevicePrimaryCtxGetState(0, NULL, &active), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDevicePrimaryCtxGetState(0, &flags, NULL), CUDA_ERROR_INVALID_VALUE);
    check(flags == 7 && active == 7);
}

TEST(retain_does_not_make_it_current)
{
    CUcontext context = (CUcontext)(uintptr_t)7;

    check_success(cuInit(0));
    check_state(0, 0);
    retain();
    check_state(0, 1);
    check_success(cuCtxGetCurrent(&context));
    check(!context);
}

TEST(there_is_one)
{
    check_success(cuInit(0));
    check(retain() == retain());
}

TEST(release_counts)
{
    check_success(cuInit(0));
    check_result(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    retain();
    retain();
    check_success(cuDevicePrimaryCtxRelease(0));
    check_state(0, 1);
    check_success(cuDevicePrimaryCtxRelease(0));
    check_state(0, 0);
    check_result(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(last_release_ends_it)
{
    CUcontext context = with_context(), same = NULL;
    CUdeviceptr pointer;
    CUdevice device = 7;
    unsigned long long id;
    unsigned version, flags;

    check_success(cuDevicePrimaryCtxRelease(0));
    check_success(cuCtxGetCurrent(&same));
    check(same == context);
    check_result(cuMemAlloc(&pointer, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuCtxGetId(context, &id), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuCtxGetApiVersion(context, &version), CUDA_ERROR_INVALID_CONTEXT);
    check_success(cuCtxGetDevice_v2(&device, context));
    check(device == 0);
    check_success(cuCtxGetFlags(&flags));
    check(flags == 0);
    check_result(cuCtxSynchronize_v2(context), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_success(cuCtxPushCurrent(context));
    check_success(cuCtxSetCurrent(context));
}

TEST(reset_ends_it_and_keeps_the_count)
{
    CUcontext context = with_context();
    CUdeviceptr pointer;

    check_success(cuDevicePrimaryCtxReset(0));
    check_state(0, 0);
    check_result(cuMemAlloc(&pointer, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check(retain() == context);
    check_state(0, 1);
    check_success(cuMemAlloc(&pointer, 64));
    check_success(cuDevicePrimaryCtxRelease(0));
    check_state(0, 1);
    check_success(cuMemAlloc(&pointer, 64));
    check_success(cuDevicePrimaryCtxRelease(0));
    check_state(0, 0);
}

TEST(release_after_reset)
{
    check_success(cuInit(0));
    retain();
    retain();
    check_success(cuDevicePrimaryCtxReset(0));
    check_success(cuDevicePrimaryCtxRelease(0));
    check_success(cuDevicePrimaryCtxRelease(0));
    check_result(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(reset_can_be_repeated)
{
    check_success(cuInit(0));
    check_success(cuDevicePrimaryCtxReset(0));
    retain();
    check_success(cuDevicePrimaryCtxReset(0));
    check_success(cuDevicePrimaryCtxReset(0));
    check_state(0, 0);
}

TEST(reset_frees_the_memory)
{
    CUdeviceptr pointer;
    char byte = 7;

    with_context();
    check_success(cuMemAlloc(&pointer, 4096));
    check_success(cuDevicePrimaryCtxReset(0));
    check_result(cuMemcpyDtoH(&byte, pointer, 1), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    retain();
    check_result(cuMemcpyDtoH(&byte, pointer, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree(pointer), CUDA_ERROR_INVALID_VALUE);
    check(byte == 7);
}

TEST(a_new_life_has_a_new_id_and_fresh_limits)
{
    CUcontext context = with_context();
    unsigned long long first = 0, second = 0;
    size_t size = 0;

    check_success(cuCtxGetId(context, &first));
    check_success(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    check_success(cuDevicePrimaryCtxReset(0));
    retain();
    check_success(cuCtxGetId(context, &second));
    check(first == 1 && second == 2);
    check_success(cuCtxGetLimit(&size, CU_LIMIT_STACK_SIZE));
    check(size == 1024);
}

TEST(flags_before_it_begins)
{
    check_success(cuInit(0));
    for (unsigned bit = 0; bit < 32; bit++) {
        unsigned flags = 1u << bit;
        bool known = bit < 8 && flags != CU_CTX_MAP_HOST;
        check_result(cuDevicePrimaryCtxSetFlags(0, flags),
                     known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
        if (known)
            check_state(flags, 0);
    }
    check_result(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD),
                 CUDA_ERROR_INVALID_VALUE);
    check_state(CU_CTX_SYNC_MEMOPS, 0);
    check_success(cuDevicePrimaryCtxReset(0));
    check_state(0, 0);
}

static void check_context_flags(unsigned wanted)
{
    unsigned flags = 7;

    check_success(cuCtxGetFlags(&flags));
    if (flags != wanted)
        test_fail(__FILE__, __LINE__, "flags 0x%x, and not 0x%x", flags, wanted);
}

TEST(flags_reach_the_context)
{
    check_success(cuInit(0));
    check_success(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
    check_success(cuCtxSetCurrent(retain()));
    check_context_flags(CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST);
    check_success(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
    check_state(CU_CTX_SCHED_YIELD, 1);
    check_context_flags(CU_CTX_SCHED_YIELD | CU_CTX_MAP_HOST);
    check_success(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
    check_state(CU_CTX_SCHED_YIELD, 1);
    check_context_flags(CU_CTX_SCHED_SPIN | CU_CTX_MAP_HOST);
    check_success(cuDevicePrimaryCtxRelease(0));
    check_state(0, 0);
    check_context_flags(0);
    retain();
    check_context_flags(CU_CTX_MAP_HOST);
}

TEST(coredump_flags)
{
    check_success(cuInit(0));
    check_success(cuDevicePrimaryCtxSetFlags(0, CU_CTX_COREDUMP_ENABLE));
    check_success(cuCtxSetCurrent(retain()));
    check_context_flags(CU_CTX_COREDUMP_ENABLE | CU_CTX_MAP_HOST);
    check_success(cuDevicePrimaryCtxRelease(0));
    check_success(cuDevicePrimaryCtxSetFlags(0, CU_CTX_USER_COREDUMP_ENABLE));
    retain();
    check_state(CU_CTX_USER_COREDUMP_ENABLE, 1);
    check_context_flags(CU_CTX_MAP_HOST);
}

TEST(release_forgets_flags_set_after_a_reset)
{
    check_success(cuInit(0));
    retain();
    check_success(cuDevicePrimaryCtxReset(0));
    check_success(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
    check_state(CU_CTX_SCHED_BLOCKING_SYNC, 0);
    check_success(cuDevicePrimaryCtxRelease(0));
    check_state(0, 0);
}

static void wait_for_flag(void *flag)
{
    flag_wait(flag);
}

static void *raise_later(void *flag)
{
    for (int i = 0; i < 200; i++)
        nap();
    flag_raise(flag);
    return NULL;
}

static void check_end_waits(CUresult (*end)(CUdevice), unsigned stream_flags)
{
    struct flag flag = {0};
    pthread_t thread;
    CUstream stream;

    with_context();
    check_success(cuStreamCreate(&stream, stream_flags));
    check_success(cuLaunchHostFunc(stream, wait_for_flag, &flag));
    check(pthread_create(&thread, NULL, raise_later, &flag) == 0);
    check_success(end(0));
    check(flag_is_raised(&flag));
    check(pthread_join(thread, NULL) == 0);
}

TEST(reset_waits_for_the_work)
{
    check_end_waits(cuDevicePrimaryCtxReset, CU_STREAM_DEFAULT);
}

TEST(reset_waits_for_work_in_nonblocking_streams)
{
    check_end_waits(cuDevicePrimaryCtxReset, CU_STREAM_NON_BLOCKING);
}

TEST(last_release_waits_for_the_work)
{
    check_end_waits(cuDevicePrimaryCtxRelease, CU_STREAM_NON_BLOCKING);
}

static void *retain_and_release(void *unused)
{
    CUcontext context;
    CUdeviceptr pointer;

    for (int i = 0; i < 200; i++) {
        check_success(cuDevicePrimaryCtxRetain(&context, 0));
        check_success(cuCtxPushCurrent(context));
        check_success(cuMemAlloc(&pointer, 4096));
        check_success(cuMemsetD8(pointer, 7, 4096));
        check_success(cuCtxSynchronize());
        check_success(cuCtxPopCurrent(NULL));
        check_success(cuDevicePrimaryCtxRelease(0));
    }
    return unused;
}

TEST(threads_retain_and_release)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];

    check_success(cuInit(0));
    only_cupipe(); /* a real device takes its time for it */
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, retain_and_release, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check_state(0, 0);
}
