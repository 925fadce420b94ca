/* SPDX-License-Identifier: MIT */
/* Contexts: making and ending them, each thread's stack of them, their settings. */
#include "test.h"

#include <limits.h>

CUresult CUDAAPI cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);
CUresult CUDAAPI cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                                unsigned int flags, CUdevice dev);

enum { NO_DEVICE = 99 };

static CUcontext create(unsigned flags)
{
    CUcontext context = NULL;

    check_success(cuCtxCreate(&context, NULL, flags, 0));
    check(context != NULL);
    return context;
}

static CUcontext current(void)
{
    CUcontext context = (CUcontext)(uintptr_t)7;

    check_success(cuCtxGetCurrent(&context));
    return context;
}

static unsigned flags_of_current(void)
{
    unsigned flags = UINT_MAX;

    check_success(cuCtxGetFlags(&flags));
    return flags;
}

TEST(without_a_context)
{
    CUdevice device = 7;
    CUcontext context = (CUcontext)(uintptr_t)7;
    unsigned flags;
    unsigned long long id;
    size_t value;

    check_success(cuInit(0));
    check(!current());
    check_result(cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxGetDevice_v2(&device, NULL), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxSynchronize_v2(NULL), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxPopCurrent(&context), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxPopCurrent(NULL), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxGetFlags(&flags), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxSetFlags(0), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxGetId(NULL, &id), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxGetApiVersion(NULL, &flags), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxAttach(&context, 0), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxResetPersistingL2Cache(), CUDA_ERROR_INVALID_CONTEXT);
    check(device == 7 && context == (CUcontext)(uintptr_t)7);
}

TEST(created_context_is_current)
{
    CUcontext context;
    CUdevice device = 7;

    check_success(cuInit(0));
    context = create(0);
    check(current() == context);
    check_success(cuCtxGetDevice(&device));
    check(device == 0);
    check_success(cuCtxSynchronize());
    check_success(cuCtxDestroy(context));
    check(!current());
}

TEST(create_checks_the_device_first)
{
    CUcontext context = NULL;

    check_success(cuInit(0));
    check_result(cuCtxCreate(NULL, NULL, 0, NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuCtxCreate(&context, NULL, 0x100, -1), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuCtxCreate(NULL, NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxCreate(&context, NULL, 0x100, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxCreate(&context, NULL, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check(!context && !current());
}

TEST(create_with_affinity_is_unsupported)
{
    CUexecAffinityParam affinity = {.type = CU_EXEC_AFFINITY_TYPE_SM_COUNT};
    CUctxCreateParams params = {.execAffinityParams = &affinity, .numExecAffinityParams = 1};
    CUcontext context = NULL;

    check_success(cuInit(0));
    affinity.param.smCount.val = 16;
    check_result(cuCtxCreate_v3(&context, &affinity, 1, 0, 0),
                 CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    check_result(cuCtxCreate_v3(&context, NULL, 1, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxCreate(&context, &params, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    params.execAffinityParams = NULL;
    check_result(cuCtxCreate(&context, &params, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check(!context);
    check_success(cuCtxCreate_v3(&context, &affinity, -1, 0, 0));
    params.numExecAffinityParams = 0;
    check_success(cuCtxCreate(&context, &params, 0, 0));
}

TEST(create_with_a_graphics_queue)
{
    CUctxCigParam graphics = {0};
    CUctxCreateParams params = {.cigParams = &graphics};
    CUcontext context = NULL;

    check_success(cuInit(0));
    check_result(cuCtxCreate(&context, &params, 0, 0), CUDA_ERROR_INVALID_VALUE);
    graphics.sharedDataType = CIG_DATA_TYPE_D3D12_COMMAND_QUEUE;
    check_result(cuCtxCreate(&context, &params, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
    check(!context);
}

/* The plain name, which cuda.h gives to the newest form, is the first form's in the library. */
#undef cuCtxCreate
CUresult CUDAAPI cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev);

TEST(first_form_of_create_has_no_room_beside_others)
{
    CUcontext context = NULL, primary = with_context();

    check_result(cuCtxCreate(&context, 0, NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuCtxCreate(NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxCreate(&context, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
    check(!context && current() == primary);
}
#define cuCtxCreate cuCtxCreate_v4

TEST(all_forms_make_the_same_context)
{
    CUcontext contexts[3] = {0};
    unsigned version;

    check_success(cuInit(0));
    check_success(cuCtxCreate_v2(&contexts[0], 0, 0));
    check_success(cuCtxCreate_v3(&contexts[1], NULL, 0, 0, 0));
    check_success(cuCtxCreate(&contexts[2], NULL, 0, 0));
    for (int i = 0; i < 3; i++) {
        check_success(cuCtxGetApiVersion(contexts[i], &version));
        check(version == 3020);
    }
    check_success(cuCtxGetApiVersion(NULL, &version));
    check_result(cuCtxGetApiVersion(contexts[0], NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(destroy_what_is_no_context)
{
    CUcontext primary = with_context();

    check_result(cuCtxDestroy(NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);
    check_success(cuCtxSynchronize());
}

TEST(destroy_twice)
{
    CUcontext context;

    with_context();
    context = create(0);
    check_success(cuCtxDestroy(context));
    only_cupipe(); /* NVIDIA's driver reads what it has freed, and answers accordingly */
    check_result(cuCtxDestroy(context), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(garbage_is_no_context)
{
    static char zeros[4096];
    CUcontext garbage[] = {(CUcontext)(uintptr_t)16, (CUcontext)zeros, (CUcontext)UINTPTR_MAX};
    CUdevice device;
    unsigned long long id;
    unsigned version;

    with_context();
    only_cupipe(); /* NVIDIA's driver crashes */
    for (int i = 0; i < 3; i++) {
        check_result(cuCtxDestroy(garbage[i]), CUDA_ERROR_INVALID_CONTEXT);
        check_result(cuCtxSetCurrent(garbage[i]), CUDA_ERROR_INVALID_CONTEXT);
        check_result(cuCtxPushCurrent(garbage[i]), CUDA_ERROR_INVALID_CONTEXT);
        check_result(cuCtxGetDevice_v2(&device, garbage[i]), CUDA_ERROR_INVALID_CONTEXT);
        check_result(cuCtxSynchronize_v2(garbage[i]), CUDA_ERROR_INVALID_CONTEXT);
        check_result(cuCtxGetId(garbage[i], &id), CUDA_ERROR_INVALID_CONTEXT);
        check_result(cuCtxGetApiVersion(garbage[i], &version), CUDA_ERROR_INVALID_CONTEXT);
        check_result(cuCtxDetach(garbage[i]), CUDA_ERROR_INVALID_CONTEXT);
        check_result(cuCtxEnablePeerAccess(garbage[i], 0), CUDA_ERROR_INVALID_CONTEXT);
    }
    check_success(cuCtxSynchronize());
}

TEST(destroy_takes_the_context_off_the_stack_once)
{
    CUcontext primary = with_context(), context = create(0), popped = NULL;

    check_success(cuCtxPushCurrent(primary));
    check_success(cuCtxPushCurrent(context));
    check_success(cuCtxPushCurrent(context));
    check_success(cuCtxDestroy(context));
    check(current() == context);
    check_result(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_success(cuCtxPopCurrent(&popped));
    check(popped == context && current() == primary);
    check_success(cuCtxSynchronize());
}

TEST(destroy_a_context_that_is_not_current)
{
    CUcontext primary = with_context(), context = create(0);

    check_success(cuCtxSetCurrent(primary));
    check_success(cuCtxDestroy(context));
    check(current() == primary);
    check_success(cuCtxSynchronize());
}

/* Its thread notices with its next call. */
static void *use_and_wait(void *argument)
{
    struct {
        CUcontext context;
        struct flag ready, destroyed;
    } *shared = argument;
    CUdevice device = 7;
    CUdeviceptr pointer;

    check_success(cuCtxSetCurrent(shared->context));
    check_success(cuMemAlloc(&pointer, 4096));
    flag_raise(&shared->ready);
    flag_wait(&shared->destroyed);
    check_result(cuMemAlloc(&pointer, 4096), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check(current() == shared->context);
    check_success(cuCtxGetDevice(&device));
    check(device == 0 && flags_of_current() == 0);
    check_success(cuCtxSetCurrent(NULL));
    check(!current());
    return NULL;
}

TEST(destroy_a_context_another_thread_uses)
{
    struct {
        CUcontext context;
        struct flag ready, destroyed;
    } shared = {0};
    pthread_t thread;

    check_success(cuInit(0));
    shared.context = create(CU_CTX_SCHED_YIELD);
    check_success(cuCtxSetCurrent(NULL));
    check(pthread_create(&thread, NULL, use_and_wait, &shared) == 0);
    flag_wait(&shared.ready);
    check_success(cuCtxDestroy(shared.context));
    flag_raise(&shared.destroyed);
    check(pthread_join(thread, NULL) == 0);
}

TEST(destroyed_context_can_be_current)
{
    CUcontext primary = with_context(), context = create(0);
    size_t value;

    check_success(cuCtxDestroy(context));
    check_success(cuCtxSetCurrent(context));
    check(current() == context);
    check_result(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_success(cuCtxSetCurrent(primary));
    only_cupipe(); /* NVIDIA's driver may have had enough by now */
    check_success(cuCtxSetCurrent(context));
    check_result(cuCtxDestroy(context), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_success(cuCtxPushCurrent(context));
    check_success(cuCtxPopCurrent(NULL));
    check_success(cuCtxSetCurrent(primary));
    check_success(cuCtxSynchronize());
}

TEST(destroyed_context_is_known_as_such)
{
    CUcontext context;
    unsigned long long id;
    unsigned version;

    with_context();
    context = create(0);
    check_success(cuCtxDestroy(context));
    check_result(cuCtxGetId(context, &id), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuCtxSynchronize_v2(context), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuCtxGetApiVersion(context, &version), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST(set_current_null_uncovers_the_context_below)
{
    CUcontext primary = with_context(), context = create(0);

    check(current() == context);
    check_success(cuCtxSetCurrent(NULL));
    check(current() == primary);
    check_success(cuCtxSetCurrent(NULL));
    check(!current());
    check_success(cuCtxSetCurrent(NULL));
    check_success(cuCtxDestroy(context));
}

TEST(stack_of_contexts)
{
    CUcontext primary = with_context(), context = create(0), popped = NULL;

    for (int i = 0; i < 100; i++)
        check_success(cuCtxPushCurrent(i % 2 ? primary : context));
    for (int i = 99; i >= 0; i--) {
        check_success(cuCtxPopCurrent(&popped));
        check(popped == (i % 2 ? primary : context));
    }
    check(current() == context);
    check_result(cuCtxPushCurrent(NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxGetCurrent(NULL), CUDA_ERROR_INVALID_VALUE);
}

static void *sees_nothing(void *unused)
{
    check(!current());
    return unused;
}

TEST(each_thread_has_its_own_stack)
{
    pthread_t thread;

    with_context();
    check(pthread_create(&thread, NULL, sees_nothing, NULL) == 0);
    check(pthread_join(thread, NULL) == 0);
}

TEST(many_contexts_come_and_go)
{
    CUcontext primary = with_context(), context;
    unsigned long long id, last = 0;

    only_cupipe(); /* a real device takes a minute for it */
    for (int i = 0; i < 2000; i++) {
        context = create(0);
        check_success(cuCtxGetId(context, &id));
        check(id > last);
        last = id;
        check_success(cuCtxDestroy(context));
        check(current() == primary);
    }
}

TEST(ids_count_up_from_one)
{
    CUcontext first, second;
    unsigned long long ids[3];

    check_success(cuInit(0));
    first = create(0);
    second = create(0);
    check_success(cuCtxGetId(first, &ids[0]));
    check_success(cuCtxGetId(second, &ids[1]));
    check_success(cuCtxGetId(NULL, &ids[2]));
    check(ids[0] == 1 && ids[1] == 2 && ids[2] == 2);
    check_result(cuCtxGetId(first, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(creation_flags)
{
    static const struct {
        unsigned given, kept;
    } cases[] = {{0x00, 0x00}, {0x01, 0x01}, {0x02, 0x02}, {0x04, 0x04}, {0x08, 0x08}, {0x10, 0x10},
                 {0x20, 0x20}, {0x40, 0x20}, {0x80, 0x80}, {0x60, 0x20}, {0xfc, 0xbc}};

    check_success(cuInit(0));
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CUcontext context = create(cases[i].given);
        check(flags_of_current() == cases[i].kept);
        check_success(cuCtxDestroy(context));
    }
}

TEST(changing_flags)
{
    static const struct {
        unsigned given, kept;
    } cases[] = {{0x01, 0x01}, {0x02, 0x02}, {0x04, 0x04}, {0x08, 0x00}, {0x10, 0x10},
                 {0x20, 0x00}, {0x40, 0x00}, {0x80, 0x80}, {0x18, 0x10}, {0x90, 0x90}};

    check_success(cuInit(0));
    create(0);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_success(cuCtxSetFlags(cases[i].given));
        check(flags_of_current() == cases[i].kept);
    }
    check_result(cuCtxSetFlags(0x100), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxSetFlags(0x03), CUDA_ERROR_INVALID_VALUE);
    check(flags_of_current() == 0x90);
    check_result(cuCtxGetFlags(NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(some_flags_stay_as_created)
{
    check_success(cuInit(0));
    create(CU_CTX_MAP_HOST | CU_CTX_COREDUMP_ENABLE | CU_CTX_SYNC_MEMOPS);
    check_success(cuCtxSetFlags(CU_CTX_SCHED_SPIN | CU_CTX_LMEM_RESIZE_TO_MAX));
    check(flags_of_current() == (CU_CTX_MAP_HOST | CU_CTX_COREDUMP_ENABLE | CU_CTX_SCHED_SPIN |
                                 CU_CTX_LMEM_RESIZE_TO_MAX));
}

TEST(attach_counts)
{
    CUcontext context, same = NULL;

    check_success(cuInit(0));
    context = create(0);
    check_success(cuCtxAttach(&same, 0));
    check(same == context);
    check_result(cuCtxAttach(&same, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxAttach(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    check_success(cuCtxDetach(context));
    check_success(cuCtxSynchronize());
    check_success(cuCtxDetach(context));
    check(!current());
    check(cuCtxDestroy(context) != CUDA_SUCCESS);
}

TEST(destroy_does_not_mind_who_is_attached)
{
    CUcontext context, same;

    check_success(cuInit(0));
    context = create(0);
    check_success(cuCtxAttach(&same, 0));
    check_success(cuCtxDestroy(context));
    check_result(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(detach_is_for_the_current_context)
{
    CUcontext primary = with_context(), context = create(0);

    check_result(cuCtxDetach(NULL), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxDetach(primary), CUDA_ERROR_INVALID_CONTEXT);
    check_success(cuCtxDetach(context));
    check(current() == primary);
    check_success(cuCtxDetach(primary));
    check_success(cuCtxSynchronize());
}

TEST(device_and_synchronize_by_handle)
{
    CUcontext primary = with_context(), context = create(0);
    CUdevice device = 7;

    check_success(cuCtxGetDevice_v2(&device, context));
    check(device == 0);
    check_success(cuCtxGetDevice_v2(&device, primary));
    check_success(cuCtxGetDevice_v2(&device, NULL));
    check_result(cuCtxGetDevice_v2(NULL, context), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxGetDevice(NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuCtxSynchronize_v2(context));
    check_success(cuCtxSynchronize_v2(primary));
    check_success(cuCtxSynchronize_v2(NULL));
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

static void submit_wait(struct flag *flag, pthread_t *thread)
{
    CUstream stream;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchHostFunc(stream, wait_for_flag, flag));
    check(pthread_create(thread, NULL, raise_later, flag) == 0);
}

TEST(synchronize_waits_for_all_streams)
{
    struct flag flag = {0};
    pthread_t thread;

    with_context();
    submit_wait(&flag, &thread);
    check_success(cuCtxSynchronize());
    check(flag_is_raised(&flag));
    check(pthread_join(thread, NULL) == 0);
}

TEST(destroy_waits_for_the_work)
{
    struct flag flag = {0};
    pthread_t thread;
    CUcontext context;

    check_success(cuInit(0));
    context = create(0);
    submit_wait(&flag, &thread);
    check_success(cuCtxDestroy(context));
    check(flag_is_raised(&flag));
    check(pthread_join(thread, NULL) == 0);
}

TEST(changing_the_stack_size_waits_for_the_work)
{
    struct flag flag = {0};
    pthread_t thread;

    with_context();
    submit_wait(&flag, &thread);
    check_success(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
    check_success(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20));
    check(!flag_is_raised(&flag));
    check_success(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    check(flag_is_raised(&flag));
    check(pthread_join(thread, NULL) == 0);
}

static void check_limit(CUlimit limit, size_t set, size_t kept)
{
    size_t value = 7;

    check_success(cuCtxSetLimit(limit, set));
    check_success(cuCtxGetLimit(&value, limit));
    if (value != kept)
        test_fail(__FILE__, __LINE__, "limit %d: %zu becomes %zu and not %zu", (int)limit, set,
                  value, kept);
}

TEST(limits_are_rounded)
{
    check_success(cuInit(0));
    create(0);
    check_limit(CU_LIMIT_STACK_SIZE, 0, 0);
    check_limit(CU_LIMIT_STACK_SIZE, 1, 16);
    check_limit(CU_LIMIT_STACK_SIZE, 523712, 523712);
    check_limit(CU_LIMIT_PRINTF_FIFO_SIZE, 0, 524288);
    check_limit(CU_LIMIT_PRINTF_FIFO_SIZE, 524289, 524544);
    check_limit(CU_LIMIT_PRINTF_FIFO_SIZE, (size_t)1 << 40, (size_t)1 << 31);
    check_limit(CU_LIMIT_PRINTF_FIFO_SIZE, SIZE_MAX, 0);
    check_limit(CU_LIMIT_MALLOC_HEAP_SIZE, 0, 4194304);
    check_limit(CU_LIMIT_MALLOC_HEAP_SIZE, 5000000, 5046272);
    check_limit(CU_LIMIT_MALLOC_HEAP_SIZE, SIZE_MAX, 0);
    check_limit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 0, 32);
    check_limit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 33, 33);
    check_limit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 33, 33);
    check_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0, 0);
}

TEST(limits_that_are_too_large)
{
    size_t value = 0;

    check_success(cuInit(0));
    create(0);
    check_result(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 523713), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, SIZE_MAX),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    check(value == 1024);
}

TEST(limits_that_do_not_exist)
{
    size_t value = 7;

    check_success(cuInit(0));
    create(0);
    check_result(cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH),
                 CUDA_ERROR_UNSUPPORTED_LIMIT);
    check_result(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 2), CUDA_ERROR_UNSUPPORTED_LIMIT);
    check_result(cuCtxSetLimit(CU_LIMIT_SHMEM_SIZE, 1024), CUDA_ERROR_NOT_PERMITTED);
    check_result(cuCtxGetLimit(&value, CU_LIMIT_MAX), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxSetLimit((CUlimit)-1, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE), CUDA_ERROR_INVALID_VALUE);
    check(value == 7);
}

TEST(limits_belong_to_one_context)
{
    size_t value = 0;

    check_success(cuInit(0));
    create(0);
    check_limit(CU_LIMIT_STACK_SIZE, 4096, 4096);
    create(0);
    check_success(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    check(value == 1024);
}

TEST(cache_configuration_is_kept)
{
    CUfunc_cache config = CU_FUNC_CACHE_PREFER_L1;

    check_success(cuInit(0));
    create(0);
    check_success(cuCtxGetCacheConfig(&config));
    check(config == CU_FUNC_CACHE_PREFER_NONE);
    check_success(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_EQUAL));
    check_result(cuCtxSetCacheConfig((CUfunc_cache)4), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxSetCacheConfig((CUfunc_cache)-1), CUDA_ERROR_INVALID_VALUE);
    check_success(cuCtxGetCacheConfig(&config));
    check(config == CU_FUNC_CACHE_PREFER_EQUAL);
    check_result(cuCtxGetCacheConfig(NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(shared_memory_banks_are_four_bytes_wide)
{
    CUsharedconfig config = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;

    check_success(cuInit(0));
    create(0);
    check_success(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    check_success(cuCtxGetSharedMemConfig(&config));
    check(config == CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    check_result(cuCtxSetSharedMemConfig((CUsharedconfig)3), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxGetSharedMemConfig(NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(stream_priorities)
{
    int least = 7, greatest = 7;

    check_success(cuInit(0));
    create(0);
    check_success(cuCtxGetStreamPriorityRange(&least, &greatest));
    check(least == 0 && greatest == -5);
    check_success(cuCtxGetStreamPriorityRange(NULL, &greatest));
    check_success(cuCtxGetStreamPriorityRange(NULL, NULL));
}

TEST(execution_affinity)
{
    CUexecAffinityParam affinity = {0};
    int count;

    check_success(cuInit(0));
    create(0);
    check_success(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
    check_success(cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    check(affinity.type == CU_EXEC_AFFINITY_TYPE_SM_COUNT &&
          affinity.param.smCount.val == (unsigned)count);
    check_result(cuCtxGetExecAffinity(&affinity, (CUexecAffinityType)1),
                 CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    check_result(cuCtxGetExecAffinity(NULL, CU_EXEC_AFFINITY_TYPE_SM_COUNT),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuCtxResetPersistingL2Cache());
}

static void try_context_calls(void *done)
{
    CUcontext context = NULL;
    CUdevice device;

    check_success(cuInit(0));
    check_result(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_PERMITTED);
    check_result(cuCtxSetCurrent(NULL), CUDA_ERROR_NOT_PERMITTED);
    check_result(cuCtxPopCurrent(&context), CUDA_ERROR_NOT_PERMITTED);
    check_result(cuCtxGetDevice(&device), CUDA_ERROR_NOT_PERMITTED);
    check_result(cuCtxSynchronize(), CUDA_ERROR_NOT_PERMITTED);
    check_result(cuDevicePrimaryCtxRetain(&context, 0), CUDA_ERROR_NOT_PERMITTED);
    flag_raise(done);
}

TEST(host_functions_may_not_call)
{
    struct flag done = {0};
    CUstream stream;

    with_context();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchHostFunc(stream, try_context_calls, &done));
    check_success(cuStreamSynchronize(stream));
    check(flag_is_raised(&done));
}
