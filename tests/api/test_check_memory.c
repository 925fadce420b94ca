/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory: overruns, memory used after it was freed, handles that are no more. Each
 * test looks at the stderr of a child that does it. */
#include "test.h"

#include "checked_kernels.h"
#include "checks.h"

/* Copies and fills that are refused. */

A_FUNCTION copy_too_much(void)
{
    CUdeviceptr memory;
    char bytes[2000] = "";

    with_check("memory");
    check_success(cuMemAlloc(&memory, 1000));
    check_result(cuMemcpyHtoD(memory, bytes, 1024), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_copy_that_is_too_long_is_named)
{
    struct told *told = told_well_by(copy_too_much);

    check_says(told, "cuMemcpyHtoD_v2 was given 0x");
    check_says_next(told, "up to 24 bytes past the end of the 1000 bytes of device memory at 0x",
                    "  made by cuMemAlloc_v2", "copy_too_much+0x");
    check(reports_of(told) == 1);
}

A_FUNCTION copy_too_much_in_rows(void)
{
    CUDA_MEMCPY2D copy;
    CUdeviceptr memory;
    char bytes[64 * 16] = "";

    with_check("memory");
    check_success(cuMemAlloc(&memory, 64 * 15 + 7));
    memset(&copy, 0, sizeof(copy));
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes;
    copy.srcPitch = 64;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = memory;
    copy.dstPitch = 64;
    copy.WidthInBytes = 10;
    copy.Height = 16;
    check_result(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_copy_of_too_many_rows_is_named)
{
    struct told *told = told_well_by(copy_too_much_in_rows);

    check_says(told, "cuMemcpy2D_v2 was given 0x");
    check_says(told, "up to 3 bytes past the end of the 967 bytes of device memory at 0x");
}

A_FUNCTION free_it(CUdeviceptr memory)
{
    check_success(cuMemFree(memory));
}

A_FUNCTION fill_too_late(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 1000));
    free_it(memory);
    check_result(cuMemsetD8(memory + 10, 0, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_fill_of_freed_memory_is_named)
{
    struct told *told = told_well_by(fill_too_late);

    check_says(told, "cuMemsetD8_v2 was given 0x");
    check_says_next(told, "10 bytes into the 1000 bytes of device memory at 0x",
                    "  made by cuMemAlloc_v2", "fill_too_late+0x");
    check_says(told, ", which were freed\n");
    check_says(told, "freed by cuMemFree_v2");
    check_says(told, "free_it+0x");
}

A_FUNCTION fill_too_much(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 1000));
    check_result(cuMemsetD32(memory, 0, 252), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemsetD2D8(memory, 100, 0, 50, 11), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_fill_that_is_too_long_is_named)
{
    struct told *told = told_well_by(fill_too_much);

    check_says(told, "cuMemsetD32_v2 was given 0x");
    check_says(told, "up to 8 bytes past the end of the 1000 bytes of device memory at 0x");
    check_says(told, "cuMemsetD2D8_v2 was given 0x");
    check_says(told, "up to 50 bytes past the end of the 1000 bytes of device memory at 0x");
}

/* A device pointer in a unified copy is any pointer, and read when the copy runs. */
A_FUNCTION copy_too_late(void)
{
    CUdeviceptr memory;
    char bytes[100];

    with_check("memory");
    check_success(cuMemAlloc(&memory, 1000));
    check_success(cuMemFree(memory));
    check_result(cuMemcpy((CUdeviceptr)(uintptr_t)bytes, memory, 100), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_copy_that_faults_is_named)
{
    struct told *told = told_well_by(copy_too_late);

    check_says(told, "a copy read 0x"); /* the first or the last byte first, as memcpy does */
    check_says(told, " bytes into the 1000 bytes of device memory at 0x");
    check_says(told, "freed by cuMemFree_v2");
    check(reports_of(told) == 1);
}

/* Kernels. */

A_FUNCTION kernel_too_far(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 1024));
    launch_and_wait(memory, 1024 / 4, CUDA_SUCCESS);
    launch_and_wait(memory, 1024 / 4 + 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_kernel_that_writes_too_far_is_named)
{
    struct told *told = told_well_by(kernel_too_far);

    check_says(told, "kernel fill wrote 4 bytes at 0x");
    check_says(told, "  written by kernel fill, line ");
    check_says(told, ", block (8,0,0), thread (0,0,0)\n");
    check(reports_of(told) == 1); /* the fault that follows is not reported again */
    check_says_next(told, "past the end of the 1024 bytes of device memory at 0x",
                    "  made by cuMemAlloc_v2", "kernel_too_far+0x");
}

/* Not a multiple of pages, and too large to share units. */
A_FUNCTION kernel_too_far_in_large(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 3000320)); /* a multiple of 512 */
    launch_and_wait(memory, 3000320 / 4, CUDA_SUCCESS);
    launch_and_wait(memory, 3000320 / 4 + 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(one_word_behind_a_large_allocation_is_named)
{
    struct told *told = told_well_by(kernel_too_far_in_large);

    check_says(told, "up to 4 bytes past the end of the 3000320 bytes of device memory at 0x");
}

A_FUNCTION kernel_too_early(void)
{
    CUdeviceptr small, large;

    with_check("memory");
    check_success(cuMemAlloc(&large, 3 << 20));
    check_success(cuMemAlloc(&small, 4096));
    launch_and_wait(large - 8, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_word_before_an_allocation_is_named)
{
    struct told *told = told_well_by(kernel_too_early);

    check_says(told, " wrote 4 bytes at 0x");
    check_says(told, ", 8 bytes before the 3145728 bytes of device memory at 0x");
}

A_FUNCTION kernel_too_late(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 3 << 20));
    free_it(memory);
    launch_and_wait(memory, 64, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_kernel_that_uses_freed_memory_is_named)
{
    struct told *told = told_well_by(kernel_too_late);

    check_says(told, "kernel fill wrote 4 bytes at 0x");
    check_says(told, ",0,0), thread (0,0,0)\n"); /* of whichever block came first */
    check_says(told, ", which were freed\n");
    check_says(told, "freed by cuMemFree_v2");
    check_says(told, "free_it+0x");
}

A_FUNCTION kernel_behind_managed(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAllocManaged(&memory, 8192, CU_MEM_ATTACH_GLOBAL));
    launch_and_wait(memory, 8192 / 4 + 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_kernel_that_leaves_managed_memory_is_named)
{
    struct told *told = told_well_by(kernel_behind_managed);

    check_says(told, "up to 4 bytes past the end of the 8192 bytes of managed memory at 0x");
}

A_FUNCTION kernel_behind_host(void)
{
    void *memory;

    with_check("memory");
    check_success(cuMemAllocHost(&memory, 8192));
    launch_and_wait((CUdeviceptr)(uintptr_t)memory, 8192 / 4 + 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_kernel_that_leaves_pinned_memory_is_named)
{
    struct told *told = told_well_by(kernel_behind_host);

    check_says(told, "up to 4 bytes past the end of the 8192 bytes of pinned host memory at 0x");
}

A_FUNCTION kernel_behind_variable(void)
{
    CUdeviceptr variable;
    CUmodule module;
    size_t size;

    with_check("memory");
    check_success(cuModuleLoadData(&module, ptx_variables));
    check_success(cuModuleGetGlobal(&variable, &size, module, "counter"));
    launch_and_wait(variable, 8192 / 4, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_kernel_that_leaves_a_modules_variables_is_named)
{
    struct told *told = told_well_by(kernel_behind_variable);

    check_says(told, " bytes past the end of the ");
    check_says_next(told, " bytes of a module's variables at 0x", "  made by cuModuleLoadData",
                    "kernel_behind_variable+0x");
}

/* Slack. */

A_FUNCTION kernel_a_bit_too_far(void)
{
    CUdeviceptr memory, other;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 1000));
    check_success(cuMemAlloc(&other, 2000));
    launch(memory, 1000 / 4 + 1, NULL); /* the next multiple of 512 is farther */
    launch(other, 2000 / 4 + 2, NULL);
    check_success(cuCtxSynchronize());
    check_success(cuMemFree(memory)); /* it was said before */
}

TEST(a_few_bytes_too_far_are_named_with_their_thread)
{
    struct told *told = told_well_by(kernel_a_bit_too_far);

    check_says(told, "kernel fill wrote 4 bytes at 0x");
    check_says(told, "up to 4 bytes past the end of the 1000 bytes of device memory at 0x");
    check_says(told, ", block (7,0,0), thread (26,0,0)\n");
    check_says(told, "cupipe: and 1 more like \"kernel fill wrote 4 bytes at 0x");
    check(!strstr(told->text, "something wrote"));
    check(reports_of(told) == 1);
}

A_FUNCTION kernel_nowhere(void)
{
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 4096));
    launch_and_wait(16, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_kernel_that_uses_no_memory_at_all_is_named)
{
    struct told *told = told_well_by(kernel_nowhere);

    check_says(told, "kernel fill wrote 4 bytes at 0x10, where there is no memory\n");
    check_says(told, ", block (0,0,0), thread (0,0,0)\n");
    check(reports_of(told) == 1);
}

A_FUNCTION write_a_bit_too_far(void)
{
    unsigned char *first, *second;

    with_check("memory");
    check_success(cuMemAllocHost((void **)&first, 1000));
    check_success(cuMemAllocHost((void **)&second, 100));
    first[1002] = 1;
    second[-3] = 1;
    check_success(cuMemFreeHost(first));
    fputs("freed\n", stderr);
}

TEST(a_few_bytes_too_far_are_found_when_it_is_freed_and_at_the_end)
{
    struct told *told = told_well_by(write_a_bit_too_far);

    check_says(told, "something wrote 1 bytes from 0x");
    check_says(told, "up to 3 bytes past the end of the 1000 bytes of pinned host memory at 0x");
    check_says(told, ", 3 bytes before the 100 bytes of pinned host memory at 0x");
    check(strstr(told->text, "behind the end") < strstr(told->text, "freed\n"));
    check(strstr(told->text, "bytes before") > strstr(told->text, "freed\n"));
    check(reports_of(told) == 2);
}

A_FUNCTION touch_pinned(void)
{
    volatile char *memory;

    with_check("memory");
    check_success(cuMemAllocHost((void **)&memory, 4096));
    memory[4096] = 1;
}

TEST(the_program_itself_is_caught_too)
{
    struct told *told = told_by(touch_pinned);

    check(!WIFEXITED(told->status) || WEXITSTATUS(told->status) != 0);
    check_says(told, "the program touched 0x");
    check_says(told, "up to 1 bytes past the end of the 4096 bytes of pinned host memory at 0x");
}

/* Freeing what cannot be freed. */

A_FUNCTION free_twice(void)
{
    CUdeviceptr memory;
    void *host;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 1000));
    free_it(memory);
    check_result(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemAllocHost(&host, 2000));
    check_success(cuMemFreeHost(host));
    check_result(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemAlloc(&memory, 3000));
    check_result(cuMemFree(memory + 512), CUDA_ERROR_INVALID_VALUE);
}

TEST(what_is_freed_twice_or_in_the_middle_is_named)
{
    struct told *told = told_well_by(free_twice);

    check_says_next(told, ", 0 bytes into the 1000 bytes of device memory at 0x",
                    "  made by cuMemAlloc", "free_twice+0x");
    check_says(told, "freed by cuMemFree_v2");
    check_says(told, "free_it+0x");
    check_says(told, "cuMemFreeHost was given 0x");
    check_says(told, ", 0 bytes into the 2000 bytes of pinned host memory at 0x");
    check_says(told, ", 512 bytes into the 3000 bytes of device memory at 0x");
    check_says(told, ", of which only the beginning can be named\n");
    check(reports_of(told) == 3);
}

A_FUNCTION destroy(CUstream stream)
{
    check_success(cuStreamDestroy(stream));
}

A_FUNCTION use_what_was_destroyed(void)
{
    CUcontext context;
    CUstream stream;
    CUevent event;

    with_check("memory");
    check_success(cuStreamCreate(&stream, 0));
    destroy(stream);
    check(cuStreamDestroy(stream) != CUDA_SUCCESS);
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    check_success(cuEventCreate(&event, 0));
    check_success(cuCtxDestroy(context));
    check(cuEventQuery(event) != CUDA_SUCCESS);
}

TEST(handles_that_are_no_more_are_named)
{
    struct told *told = told_well_by(use_what_was_destroyed);

    check_says(told, "cuStreamDestroy_v2 was given the stream 0x");
    check_says(told, ", which was destroyed\n");
    check_says(told, "  destroyed by cuStreamDestroy_v2, called from\n");
    check_says(told, "destroy+0x");
    check_says(told, "cuEventQuery was given the event 0x");
    check_says(told, ", which ended with its context\n");
}

/* With handles to its memory given away the guards are still there. */
A_FUNCTION too_far_in_shared(void)
{
    CUipcMemHandle handle;
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemAlloc(&memory, 4096));
    check_success(cuIpcGetMemHandle(&handle, memory));
    launch_and_wait(memory, 1024, CUDA_SUCCESS);
    launch_and_wait(memory, 1025, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(memory_that_is_shared_has_guards)
{
    struct told *told = told_well_by(too_far_in_shared);

    check_says(told, "up to 4 bytes past the end of the 4096 bytes of device memory at 0x");
}

/* What works works. */

TEST(guarded_memory_works_as_any_other)
{
    enum { COUNT = 300 };
    CUdeviceptr memory[COUNT];
    unsigned char bytes[777];

    with_check("memory:quarantine=4M");
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < COUNT; i++) {
            size_t size = 777 + (size_t)i * 100 * (size_t)(round + 1);
            check_success(i % 2 ? cuMemAlloc(&memory[i], size)
                                : cuMemAllocAsync(&memory[i], size, NULL));
            check(memory[i] % 512 == 0);
            check_success(cuMemsetD8(memory[i], (unsigned char)i, 777));
        }
        for (int i = 0; i < COUNT; i++) {
            check_success(cuMemcpyDtoH(bytes, memory[i], 777));
            for (int k = 0; k < 777; k++)
                check(bytes[k] == (unsigned char)i);
            check_success(i % 2 ? cuMemFree(memory[i]) : cuMemFreeAsync(memory[i], NULL));
        }
    }
}

/* More than the device has is allocated over time: quarantine gives way. */
TEST(freed_memory_is_given_back_when_there_is_no_other)
{
    CUdeviceptr memory;

    not_under_tsan("there are too few addresses");
    setenv("CUPIPE_MEMORY", "64M", 1);
    with_check("memory:quarantine=1G");
    for (int i = 0; i < 20; i++) {
        check_success(cuMemAlloc(&memory, 20 << 20));
        check_success(cuMemFree(memory));
        check_success(cuMemAllocAsync(&memory, 10 << 20, NULL));
        check_success(cuMemFreeAsync(memory, NULL));
    }
    for (int i = 0; i < 300; i++) {
        check_success(cuMemAddressReserve(&memory, (size_t)1 << 40, 0, 0, 0));
        check_success(cuMemAddressFree(memory, (size_t)1 << 40));
    }
}

A_FUNCTION use_after_quarantine(void)
{
    CUdeviceptr memory, other;

    with_check("memory:quarantine=0");
    check_success(cuMemAlloc(&memory, 4096));
    check_success(cuMemFree(memory));
    check_success(cuMemAlloc(&other, 4096));
    check(other == memory);
    launch_and_wait(memory, 1024, CUDA_SUCCESS);
    launch_and_wait(memory, 1025, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(without_quarantine_memory_is_new_at_once)
{
    struct told *told = told_well_by(use_after_quarantine);

    check_says_next(told, "past the end of the 4096 bytes of device memory at 0x",
                    "  made by cuMemAlloc_v2", "use_after_quarantine+0x");
    check_does_not_say(told, "freed by");
}
