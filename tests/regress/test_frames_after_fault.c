/* SPDX-License-Identifier: MIT */
/* Found by the fuzzer: in builds with ASan a fault that was survived left marks on the thread's
 * stack around the variables of the calls that it ended, and later calls of that thread, which had
 * their variables there, were taken for wrong. And clang's UBSan looked for the type of a kernel
 * before its first instruction, where nothing is. */
#include "test.h"

#include "kernels.h"

enum { DEPTH = 200, NEAR_BYTES = 2 << 10, FAR_BYTES = 128 << 10 };

/* ASan's, where it is: the first byte that is marked, or NULL. */
extern void *__asan_region_is_poisoned(void *begin, size_t size) __attribute__((weak));

/* Variables of several sizes, all over the stack below; where there are no calls, no marks may be.
 */
static __attribute__((noinline)) unsigned use_stack(int depth)
{
    char *here = __builtin_frame_address(0);

    if (depth == DEPTH && __asan_region_is_poisoned)
        check(!__asan_region_is_poisoned(here - FAR_BYTES, FAR_BYTES - NEAR_BYTES));
    volatile unsigned char small[3], large[77];
    unsigned sum = 0;

    for (size_t i = 0; i < sizeof(small); i++)
        sum += small[i] = (unsigned char)depth;
    for (size_t i = 0; i < sizeof(large); i++)
        sum += large[i] = (unsigned char)i;
    return depth > 0 ? sum + use_stack(depth - 1) : sum;
}

static void CUDA_CB use_stack_of_worker(void *used)
{
    *(unsigned *)used = use_stack(DEPTH);
}

static const char ptx_wild[] =
    PTX_HEAD ".visible .entry wild(.param .u64 where, .param .u32 thread)\n"
             "{\n"
             "    .shared .align 4 .b32 word;\n"
             "    .reg .pred %p<2>;\n"
             "    .reg .b32 %r<4>;\n"
             "    .reg .b64 %rd<2>;\n"
             "    ld.param.u64 %rd1, [where];\n"
             "    ld.param.u32 %r1, [thread];\n"
             "    mov.u32 %r2, %tid.x;\n"
             "    setp.eq.u32 %p1, %r2, %r1;\n"
             "    bar.sync 0;\n"
             "    @%p1 st.global.u32 [%rd1], %r2;\n"
             "    bar.sync 0;\n"
             "    ret;\n"
             "}\n";

/* What it writes to is as far from memory of its own. In a context of the device, which is lost. */
static CUresult run_wild(CUdevice device, uint64_t distance)
{
    unsigned thread = 33;
    CUdeviceptr where;
    void *arguments[] = {&where, &thread};
    CUfunction function;
    CUcontext context;
    CUmodule module;

    check_success(cuDevicePrimaryCtxRetain(&context, device));
    check_success(cuCtxSetCurrent(context));
    check_success(cuMemAlloc(&where, 64));
    where += distance;
    check_success(cuModuleLoadData(&module, ptx_wild));
    check_success(cuModuleGetFunction(&function, module, "wild"));
    check_success(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
    return cuCtxSynchronize();
}

static void use_stacks(void)
{
    CUcontext context;
    unsigned used = 0;

    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    check_success(cuCtxSetCurrent(context));
    check_success(cuLaunchHostFunc(NULL, use_stack_of_worker, &used));
    check_success(cuCtxSynchronize());
    check(used == use_stack(DEPTH));
}

TEST(a_kernel_runs)
{
    with_context();
    check_success(run_wild(0, 0));
}

/* Also those of the library's threads. ASan does not clean up more than 64 MiB by itself. */
static void with_large_stacks(void)
{
    pthread_attr_t attributes;

    check(pthread_attr_init(&attributes) == 0);
    check(pthread_attr_setstacksize(&attributes, (size_t)256 << 20) == 0);
    check(pthread_setattr_default_np(&attributes) == 0);
}

static void check_fault(uint64_t distance, CUresult error)
{
    with_large_stacks();
    setenv("CUPIPE_DEVICES", "2", 1);
    setenv("CUPIPE_THREADS", "1", 1);
    setenv("CUPIPE_LOG", "none", 1);
    with_context();
    only_cupipe();
    use_stacks();
    check_result(run_wild(1, distance), error);
    use_stacks();
}

/* One is found by a signal, the other by the kernel itself. */
TEST(a_wild_address_leaves_the_stack_to_others)
{
    check_fault((uint64_t)1 << 46, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(an_odd_address_leaves_the_stack_to_others)
{
    check_fault(1, CUDA_ERROR_MISALIGNED_ADDRESS);
}

static void *fault_in_copies(void *context)
{
    CUdeviceptr memory;

    check_success(cuCtxSetCurrent(context));
    check_success(cuMemAlloc(&memory, 16 << 20));
    for (size_t bytes = 1; bytes <= 16 << 20; bytes *= 4) {
        check(cuMemcpyHtoD(memory, (const void *)0xdead00000000, bytes) != CUDA_SUCCESS);
        use_stacks();
    }
    return NULL;
}

TEST(a_fault_of_a_copy_leaves_the_stack_to_others)
{
    setenv("CUPIPE_THREADS", "1", 1);
    CUcontext context = with_context();
    only_cupipe();
    fault_in_copies(context);
}

/* A batch has variables of its own between the guard and the copy; it runs in the caller. */
static void *fault_in_batch(void *context)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    CUdeviceptr to[2], from[2] = {0xdead00000000, 0xdead00000000};
    size_t sizes[2] = {64, 64}, first = 0;
    unsigned expected = use_stack(DEPTH);
    CUstream stream;

    check_success(cuCtxSetCurrent(context));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuMemAlloc(&to[0], 4096));
    to[1] = to[0] + 1024;
    CUresult result = cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1, stream);
    check(result != CUDA_SUCCESS || cuStreamSynchronize(stream) != CUDA_SUCCESS);
    check(use_stack(DEPTH) == expected);
    return NULL;
}

static void run_in_large_stack(void *(*work)(void *context))
{
    pthread_t thread;

    with_large_stacks();
    setenv("CUPIPE_THREADS", "1", 1);
    setenv("CUPIPE_LOG", "none", 1);
    CUcontext context = with_context();
    only_cupipe();
    check(pthread_create(&thread, NULL, work, context) == 0);
    check(pthread_join(thread, NULL) == 0);
}

TEST(a_fault_of_a_copy_leaves_a_large_stack_to_others)
{
    run_in_large_stack(fault_in_copies);
}

TEST(a_fault_of_a_batch_leaves_a_large_stack_to_others)
{
    run_in_large_stack(fault_in_batch);
}
