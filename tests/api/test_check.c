/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK: what a process says of leaks, of overruns and of memory used after it was freed.
 * Each test looks at the stderr of a child that does it. */
#include "test.h"

#include "kernels.h"

enum { TEXT_BYTES = 1 << 16 };

struct told {
    char text[TEXT_BYTES];
    int status;
};

static void with_check(const char *value)
{
    setenv("CUPIPE_CHECK", value, 1);
    with_context();
    only_cupipe();
}

static struct told *run_child(void (*run)(void))
{
    struct told *told = calloc(1, sizeof(*told));
    size_t length = 0;
    int ends[2];

    check(told && pipe(ends) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        run();
        exit(0);
    }
    close(ends[1]);
    for (ssize_t count; (count = read(ends[0], told->text + length, TEXT_BYTES - 1 - length)) > 0;)
        length += (size_t)count;
    waitpid(pid, &told->status, 0);
    if (WIFEXITED(told->status) && WEXITSTATUS(told->status) == TEST_SKIPPED)
        skip("about cupipe alone");
    return told;
}

#define check_says(told, words)                                                                    \
    do {                                                                                           \
        if (!strstr((told)->text, words))                                                          \
            test_fail(__FILE__, __LINE__, "it does not say \"%s\", but\n%s", words, (told)->text); \
    } while (0)

static void leave_things(void)
{
    CUDA_ARRAY3D_DESCRIPTOR shape = {16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUdeviceptr memory, freed;
    CUstream stream;
    CUevent event, destroyed;
    CUarray array;
    CUmodule module;

    with_check("leaks");
    check_success(cuMemAlloc(&memory, 12345));
    check_success(cuMemAlloc(&freed, 54321));
    check_success(cuMemFree(freed));
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuEventCreate(&event, 0));
    check_success(cuEventCreate(&destroyed, 0));
    check_success(cuEventDestroy(destroyed));
    check_success(cuArray3DCreate(&array, &shape));
    check_success(cuModuleLoadData(&module, ptx_fill));
}

TEST(what_is_left_is_named_with_its_call)
{
    struct told *told = run_child(leave_things);

    check_says(told, "12345 bytes of memory at 0x");
    check_says(told, "made by cuMemAlloc_v2, called from\n");
    check_says(told, "stream 0x");
    check_says(told, "event 0x");
    check_says(told, "array 0x");
    check_says(told, "module 0x");
    check_says(told, "api_test_check+0x"); /* the program, in the backtrace */
    check_says(told, "cupipe: CUPIPE_CHECK: 5 left behind\n");
    check(!strstr(told->text, "54321"));
}

static void leave_nothing(void)
{
    CUdeviceptr memory;
    CUcontext context;
    CUstream stream;

    with_check("leaks");
    check_success(cuMemAlloc(&memory, 1000));
    check_success(cuMemFree(memory));
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    check_success(cuMemAlloc(&memory, 1000));
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuCtxDestroy(context));
}

TEST(what_ended_with_its_context_is_no_leak)
{
    struct told *told = run_child(leave_nothing);

    check(strcmp(told->text, "cupipe: CUPIPE_CHECK: 0 left behind\n") == 0);
}

static void copy_too_much(void)
{
    CUdeviceptr memory;
    char bytes[2000] = "";

    with_check("memory");
    check_success(cuMemAlloc(&memory, 1000));
    check_result(cuMemcpyHtoD(memory, bytes, 1024), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_copy_that_is_too_long_is_named)
{
    struct told *told = run_child(copy_too_much);

    check_says(told, "cuMemcpyHtoD_v2 was given 0x");
    check_says(told, "up to 24 bytes behind the end of the 1000 bytes at 0x");
    check_says(told, "made by cuMemAlloc_v2");
}

static void fill_too_late(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 1000));
    check_success(cuMemFree(memory));
    check_result(cuMemsetD8(memory + 10, 0, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_fill_of_freed_memory_is_named)
{
    struct told *told = run_child(fill_too_late);

    check_says(told, "cuMemsetD8_v2 was given 0x");
    check_says(told, "10 bytes into the 1000 bytes at 0x");
    check_says(told, "freed by cuMemFree_v2");
}

static void launch(CUdeviceptr out, unsigned count, CUresult wanted)
{
    void *arguments[] = {&out, &(unsigned){7}, &count};
    CUfunction function;
    CUmodule module;

    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunction(&function, module, "fill"));
    check_success(
        cuLaunchKernel(function, (count + 31) / 32, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    check_result(cuCtxSynchronize(), wanted);
}

static void kernel_too_far(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 1024));
    launch(memory, 1024 / 4, CUDA_SUCCESS);
    launch(memory, 1024 / 4 + 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_kernel_that_writes_too_far_is_named)
{
    struct told *told = run_child(kernel_too_far);

    check(WIFEXITED(told->status) && WEXITSTATUS(told->status) == 0);
    check_says(told, "a kernel touched 0x");
    check_says(told, "behind the end of the 1024 bytes at 0x");
    check_says(told, "made by cuMemAlloc_v2");
}

static void kernel_too_late(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 3 << 20));
    check_success(cuMemFree(memory));
    launch(memory, 64, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_kernel_that_uses_freed_memory_is_named)
{
    struct told *told = run_child(kernel_too_late);

    check(WIFEXITED(told->status) && WEXITSTATUS(told->status) == 0);
    check_says(told, "a kernel touched 0x");
    check_says(told, "which were freed");
    check_says(told, "freed by cuMemFree_v2");
}

static void kernel_a_bit_too_far(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 1000));
    launch(memory, 1000 / 4 + 1, CUDA_SUCCESS); /* the next multiple of 512 is farther */
    check_success(cuMemFree(memory));
}

TEST(a_few_bytes_too_far_are_found_when_it_is_freed)
{
    struct told *told = run_child(kernel_a_bit_too_far);

    check(WIFEXITED(told->status) && WEXITSTATUS(told->status) == 0);
    check_says(told, "somebody wrote to 0x");
    check_says(told, "behind the end of the 1000 bytes at 0x");
}

static void touch_pinned(void)
{
    volatile char *memory;

    with_check("memory");
    check_success(cuMemAllocHost((void **)&memory, 4096));
    memory[4096] = 1;
}

TEST(the_program_itself_is_caught_too)
{
    struct told *told = run_child(touch_pinned);

    check(!WIFEXITED(told->status) || WEXITSTATUS(told->status) != 0);
    check_says(told, "the program touched 0x");
    check_says(told, "up to 1 bytes behind the end of the 4096 bytes at 0x");
}

TEST(guarded_memory_works_as_any_other)
{
    enum { COUNT = 300 };
    CUdeviceptr memory[COUNT];
    unsigned char bytes[777];

    with_check("memory");
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < COUNT; i++) {
            check_success(cuMemAlloc(&memory[i], 777 + (size_t)i * 100 * (size_t)(round + 1)));
            check(memory[i] % 512 == 0);
            check_success(cuMemsetD8(memory[i], (unsigned char)i, 777));
        }
        for (int i = 0; i < COUNT; i++) {
            check_success(cuMemcpyDtoH(bytes, memory[i], 777));
            for (int k = 0; k < 777; k++)
                check(bytes[k] == (unsigned char)i);
            check_success(cuMemFree(memory[i]));
        }
    }
}
