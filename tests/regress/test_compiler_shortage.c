/* SPDX-License-Identifier: MIT */
/* LLVM ended the process when it got no memory in the midst of a kernel, and a compiler that could
 * not be loaded for want of memory was never looked for again. The program's own malloc, which LLVM
 * has to use, fails from the n-th request on in the thread that compiles. */
#include "test.h"

#include "kernels.h"

#include <errno.h>
#include <limits.h>
#include <sys/resource.h>

enum { MIB = 1 << 20, STEPS = 400 };

static _Atomic(long) requests_left = LONG_MAX; /* of threads other than the first */
static pthread_t first_thread;

#if !defined(TEST_UNDER_ASAN) && !defined(TEST_UNDER_TSAN)
void *__libc_malloc(size_t size); /* as glibc has it, under its other name */

void *malloc(size_t size)
{
    if (atomic_load_explicit(&requests_left, memory_order_relaxed) == LONG_MAX ||
        pthread_equal(pthread_self(), first_thread) || atomic_fetch_sub(&requests_left, 1) > 0)
        return __libc_malloc(size);
    errno = ENOMEM;
    return NULL;
}
#endif

static void leave_addresses(size_t bytes)
{
    FILE *file = fopen("/proc/self/statm", "r");
    struct rlimit limit;
    unsigned long pages;

    check(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    check(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = limit.rlim_max;
    if (bytes != SIZE_MAX)
        limit.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + bytes;
    check(setrlimit(RLIMIT_AS, &limit) == 0);
}

/* A kernel unlike those before, that writes 1 to where it is told. */
static const char *new_kernel(void)
{
    static char text[STEPS * 64 + 1024];
    static int number;
    size_t length = (size_t)sprintf(text, PTX_HEAD ".visible .entry one(.param .u64 out)\n{\n"
                                                   ".reg .b32 %%r<3>;\n.reg .b64 %%rd<3>;\n"
                                                   "ld.param.u64 %%rd0, [out];\n"
                                                   "mov.u32 %%r0, %%tid.x;\n");

    number++;
    for (int i = 0; i < STEPS; i++)
        length += (size_t)sprintf(text + length, "mad.lo.u32 %%r0, %%r0, 5, %d;\n", i + number);
    sprintf(text + length, "or.b32 %%r0, %%r0, 1;\nand.b32 %%r0, %%r0, 1;\n"
                           "st.global.u32 [%%rd0], %%r0;\nret;\n}\n");
    return text;
}

static CUresult launch(CUmodule module, CUdeviceptr out)
{
    void *arguments[] = {&out};
    CUfunction function;
    CUresult result = cuModuleGetFunction(&function, module, "one");

    if (result == CUDA_SUCCESS)
        result = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    return result == CUDA_SUCCESS ? cuCtxSynchronize() : result;
}

/* SUCCESS or OUT_OF_MEMORY. */
static CUresult compile(CUdeviceptr out)
{
    unsigned value = 0;
    CUmodule module;
    CUresult result = cuModuleLoadData(&module, new_kernel());

    if (result == CUDA_SUCCESS) {
        result = launch(module, out);
        check_success(cuModuleUnload(module));
    }
    if (result != CUDA_ERROR_OUT_OF_MEMORY) {
        check_success(result);
        check_success(cuMemcpyDtoH(&value, out, 4));
        check(value == 1);
        check_success(cuMemsetD32(out, 0, 1));
    }
    return result;
}

static CUdeviceptr begin(void)
{
    CUdeviceptr out;

#if defined(TEST_UNDER_ASAN) || defined(TEST_UNDER_TSAN)
    skip("sanitizers have a malloc, and take addresses, of their own");
#endif
    first_thread = pthread_self();
    setenv("CUPIPE_THREADS", "1", 1); /* the launch compiles, and answers */
    setenv("CUPIPE_MEMORY", "256M", 1);
    setenv("CUPIPE_CACHE", "off", 1);
    with_context();
    check_success(cuMemAlloc(&out, 4));
    return out;
}

TEST(a_compiler_that_could_not_be_loaded_is_loaded_when_there_is_memory)
{
    CUdeviceptr out = begin();

    leave_addresses(8 * MIB);
    check_result(compile(out), CUDA_ERROR_OUT_OF_MEMORY);
    leave_addresses(SIZE_MAX);
    check_success(compile(out));
}

TEST(no_memory_in_the_midst_of_a_kernel)
{
    CUdeviceptr out = begin();
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    int failed = 0;

    check_success(compile(out));
    for (long n = 0; result == CUDA_ERROR_OUT_OF_MEMORY; n += n / 4 + 1) {
        atomic_store(&requests_left, n);
        result = compile(out);
        atomic_store(&requests_left, LONG_MAX);
        failed += result == CUDA_ERROR_OUT_OF_MEMORY;
    }
    printf("%d times there was too little\n", failed);
    check(result == CUDA_SUCCESS && failed > 10);
    check_success(compile(out));
}
