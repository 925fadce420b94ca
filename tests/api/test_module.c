/* SPDX-License-Identifier: MIT */
/* Modules: loading, contents, unloading. */
#include "kernels.h"
#include "test.h"

static CUmodule load(const char *text)
{
    CUmodule module;

    check_success(cuModuleLoadData(&module, text));
    return module;
}

TEST(a_module_is_loaded_from_text)
{
    CUmodule module;
    CUfunction function;
    unsigned count = 0;

    with_context();
    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunctionCount(&count, module));
    check(count == 2);
    check_success(cuModuleGetFunction(&function, module, "fill"));
    check(function != NULL);
    check_success(cuModuleUnload(module));
}

TEST(a_kernel_is_found_by_name_only)
{
    CUmodule module;
    CUfunction function = NULL;

    with_context();
    module = load(ptx_fill);
    check_result(cuModuleGetFunction(&function, module, "no such kernel"), CUDA_ERROR_NOT_FOUND);
    check_result(cuModuleGetFunction(&function, module, ""), CUDA_ERROR_INVALID_VALUE);
    check_result(cuModuleGetFunction(NULL, module, "fill"), CUDA_ERROR_INVALID_VALUE);
    check_result(cuModuleGetFunction(&function, module, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(the_same_name_is_the_same_function)
{
    CUmodule module;
    CUfunction first, second, all[2] = {NULL};

    with_context();
    module = load(ptx_fill);
    check_success(cuModuleGetFunction(&first, module, "fill"));
    check_success(cuModuleGetFunction(&second, module, "fill"));
    check(first == second);
    check_success(cuModuleEnumerateFunctions(all, 2, module));
    check(all[0] == first || all[1] == first);
}

TEST(variables_have_their_first_values)
{
    CUmodule module;
    CUdeviceptr counter, table, letters, where, space;
    size_t bytes = 0;
    unsigned values[4] = {0};
    char text[5];
    CUdeviceptr pointers[2];
    unsigned char zeros[4096];

    with_context();
    module = load(ptx_variables);
    check_success(cuModuleGetGlobal(&counter, &bytes, module, "counter"));
    check(bytes == 4);
    check_success(cuMemcpyDtoH(values, counter, 4));
    check(values[0] == 41);
    check_success(cuModuleGetGlobal(&table, &bytes, module, "table"));
    check(bytes == 16);
    check_success(cuMemcpyDtoH(values, table, 16));
    check(values[3] == 4);
    check_success(cuModuleGetGlobal(&letters, &bytes, module, "letters"));
    check(bytes == 5);
    check_success(cuMemcpyDtoH(text, letters, 5));
    check(memcmp(text, "hello", 5) == 0);
    check_success(cuModuleGetGlobal(&where, NULL, module, "where"));
    check_success(cuMemcpyDtoH(pointers, where, 16));
    check(pointers[0] == counter);
    check_success(cuModuleGetGlobal(&space, &bytes, module, "empty_space"));
    check(bytes == 4096);
    check_success(cuMemcpyDtoH(zeros, space, 4096));
    for (unsigned i = 0; i < 4096; i++)
        check(zeros[i] == 0);
}

TEST(a_kernel_changes_a_variable)
{
    CUmodule module;
    CUfunction increment;
    CUdeviceptr counter;
    unsigned value = 0;

    with_context();
    module = load(ptx_variables);
    check_success(cuModuleGetFunction(&increment, module, "increment"));
    check_success(cuModuleGetGlobal(&counter, NULL, module, "counter"));
    for (int i = 0; i < 3; i++)
        check_success(cuLaunchKernel(increment, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    check_success(cuMemcpyDtoH(&value, counter, 4));
    check(value == 44);
}

TEST(each_load_has_variables_of_its_own)
{
    CUmodule one, other;
    CUdeviceptr of_one, of_other;

    with_context();
    one = load(ptx_variables);
    other = load(ptx_variables);
    check_success(cuModuleGetGlobal(&of_one, NULL, one, "counter"));
    check_success(cuModuleGetGlobal(&of_other, NULL, other, "counter"));
    check(of_one != of_other);
}

TEST(a_variable_is_found_by_name_only)
{
    CUmodule module;
    CUdeviceptr address;
    size_t bytes;

    with_context();
    module = load(ptx_variables);
    check_result(cuModuleGetGlobal(&address, &bytes, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    check_result(cuModuleGetGlobal(&address, &bytes, module, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuModuleGetGlobal(NULL, &bytes, module, "counter"));
    check(bytes == 4);
    check_success(cuModuleGetGlobal(&address, NULL, module, "counter"));
}

TEST(text_that_is_no_ptx_is_refused)
{
    CUmodule module = (CUmodule)7;

    with_context();
    check_result(
        cuModuleLoadData(&module, PTX_HEAD ".visible .entry k()\n{\n  bogus.u32 %r1;\n}\n"),
        CUDA_ERROR_INVALID_PTX);
    check_result(cuModuleLoadData(NULL, ptx_fill), CUDA_ERROR_INVALID_VALUE);
    check_result(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(the_error_log_names_the_line)
{
    static const char text[] = PTX_HEAD ".visible .entry k()\n{\n  bogus.u32 %r1;\n}\n";
    char log[1024] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module;

    with_context();
    check_result(cuModuleLoadDataEx(&module, text, 2, options, values), CUDA_ERROR_INVALID_PTX);
    check(strstr(log, "line 6") != NULL);
    check((uintptr_t)values[1] > 0 && (uintptr_t)values[1] <= sizeof log);
}

TEST(an_unloaded_module_is_no_module)
{
    CUmodule module;
    CUfunction function;

    with_context();
    module = load(ptx_fill);
    check_success(cuModuleUnload(module));
    only_cupipe(); /* NVIDIA's driver may crash */
    check_result(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuModuleGetFunction(&function, module, "fill"), CUDA_ERROR_INVALID_HANDLE);
}

TEST(unloading_waits_for_the_kernels)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    unsigned value = 7, count = 1 << 20, last = 0;
    void *arguments[] = {&memory, &value, &count};

    with_context();
    module = load(ptx_fill);
    check_success(cuModuleGetFunction(&function, module, "fill"));
    check_success(cuMemAlloc(&memory, 4 * count));
    check_success(cuLaunchKernel(function, count / 256, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
    check_success(cuModuleUnload(module));
    check_success(cuStreamQuery(NULL));
    check_success(cuMemcpyDtoH(&last, memory + 4 * (count - 1), 4));
    check(last == 7);
}

TEST(a_module_is_loaded_from_a_file)
{
    char path[] = "/tmp/cupipe_module_XXXXXX";
    int fd = mkstemp(path);
    CUmodule module;

    check(fd >= 0);
    check(write(fd, ptx_fill, sizeof ptx_fill - 1) == (ssize_t)sizeof ptx_fill - 1);
    close(fd);
    with_context();
    check_success(cuModuleLoad(&module, path));
    unlink(path);
    check_result(cuModuleLoad(&module, "/nowhere/at/all.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST(a_library_has_one_kernel_for_all_contexts)
{
    CUlibrary library;
    CUkernel kernel, same;
    CUfunction function;
    const char *name = NULL;
    unsigned count = 0;

    check_success(cuInit(0));
    check_success(cuLibraryLoadData(&library, ptx_fill, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetKernelCount(&count, library));
    check(count == 2);
    check_success(cuLibraryGetKernel(&kernel, library, "fill"));
    check_success(cuLibraryGetKernel(&same, library, "fill"));
    check(kernel == same);
    check_success(cuKernelGetName(&name, kernel));
    check(strcmp(name, "fill") == 0);
    check_result(cuKernelGetFunction(&function, kernel), CUDA_ERROR_INVALID_CONTEXT);
    with_context();
    check_success(cuKernelGetFunction(&function, kernel));
    check_success(cuFuncGetName(&name, function));
    check(strcmp(name, "fill") == 0);
    check_success(cuLibraryUnload(library));
}

TEST(a_librarys_kernel_is_launched_as_it_is)
{
    CUlibrary library;
    CUkernel kernel;
    CUdeviceptr memory;
    unsigned value = 5, count = 100, read[100];
    void *arguments[] = {&memory, &value, &count};

    with_context();
    check_success(cuLibraryLoadData(&library, ptx_fill, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetKernel(&kernel, library, "fill"));
    check_success(cuMemAlloc(&memory, sizeof read));
    check_success(cuLaunchKernel((CUfunction)kernel, 4, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    check_success(cuMemcpyDtoH(read, memory, sizeof read));
    for (unsigned i = 0; i < count; i++)
        check(read[i] == 5);
}

TEST(parameters_are_where_the_declaration_puts_them)
{
    CUmodule module;
    CUfunction function;
    size_t offset = 99, size = 99;

    with_context();
    module = load(ptx_fill);
    check_success(cuModuleGetFunction(&function, module, "fill"));
    check_success(cuFuncGetParamInfo(function, 0, &offset, &size));
    check(offset == 0 && size == 8);
    check_success(cuFuncGetParamInfo(function, 2, &offset, &size));
    check(offset == 12 && size == 4);
    check_result(cuFuncGetParamInfo(function, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
}

TEST(two_texts_are_linked)
{
    CUlinkState link;
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    void *image, *arguments[] = {&memory};
    size_t bytes;
    unsigned value = 0;

    with_context();
    check_success(cuLinkCreate(0, NULL, NULL, &link));
    check_success(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx_caller, sizeof ptx_caller,
                                "caller", 0, NULL, NULL));
    check_success(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx_callee, sizeof ptx_callee,
                                "callee", 0, NULL, NULL));
    check_success(cuLinkComplete(link, &image, &bytes));
    check(bytes > 0);
    check_success(cuModuleLoadData(&module, image));
    check_success(cuLinkDestroy(link));
    check_success(cuModuleGetFunction(&function, module, "ask"));
    check_success(cuMemAlloc(&memory, 4));
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    check_success(cuMemcpyDtoH(&value, memory, 4));
    check(value == 42);
}

static const char ptx_managed[] =
    PTX_HEAD ".visible .global .attribute(.managed) .align 4 .u32 shared_word = 3;\n"
             ".visible .global .align 8 .u64 where = generic(shared_word);\n"
             ".visible .entry increment()\n"
             "{\n"
             "    .reg .b32 %r<3>;\n"
             "    ld.global.u32 %r1, [shared_word];\n"
             "    add.s32 %r2, %r1, 1;\n"
             "    st.global.u32 [shared_word], %r2;\n"
             "    ret;\n"
             "}\n";

TEST(a_librarys_managed_variable_is_one_for_all_contexts)
{
    CUlibrary library;
    CUdeviceptr early = 0, late = 0, where = 0;
    CUkernel kernel;
    CUcontext other;
    size_t size = 0;

    check_success(cuInit(0));
    check_success(cuLibraryLoadData(&library, ptx_managed, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetManaged(&early, &size, library, "shared_word"));
    check(size == 4);
    check(*(volatile unsigned *)early == 3);
    check_result(cuLibraryGetManaged(&late, &size, library, "where"), CUDA_ERROR_NOT_FOUND);
    check_result(cuLibraryGetManaged(&late, &size, library, ""), CUDA_ERROR_INVALID_VALUE);
    check_success(cuLibraryGetKernel(&kernel, library, "increment"));
    with_context();
    for (int i = 0; i < 2; i++) {
        check_success(cuLibraryGetManaged(&late, NULL, library, "shared_word"));
        check(early == late);
        check_success(cuLibraryGetGlobal(&late, NULL, library, "shared_word"));
        check(early == late);
        check_success(cuLibraryGetGlobal(&late, NULL, library, "where"));
        check_success(cuMemcpyDtoH(&where, late, sizeof(where)));
        check(early == where);
        check_success(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        check_success(cuCtxSynchronize());
        check(*(volatile unsigned *)early == 4 + (unsigned)i);
        check_success(cuCtxCreate(&other, NULL, 0, 0));
    }
    check_success(cuCtxDestroy(other));
    check(*(volatile unsigned *)early == 5);
    check_success(cuLibraryUnload(library));
}

TEST(a_managed_variable_is_not_freed_by_its_address)
{
    CUmodule module;
    CUdeviceptr variable;

    with_context();
    only_cupipe();
    module = load(ptx_managed);
    check_success(cuModuleGetGlobal(&variable, NULL, module, "shared_word"));
    check_result(cuMemFree(variable), CUDA_ERROR_INVALID_VALUE);
    check_success(cuModuleUnload(module));
}

TEST(a_kernel_with_reqntid_runs_in_blocks_of_that_shape_only)
{
    static const char text[] = PTX_HEAD ".visible .entry count(.param .u64 out) .reqntid 8, 4\n"
                                        "{\n"
                                        "    .reg .b64 %rd<2>;\n"
                                        "    .reg .b32 %r<2>;\n"
                                        "    ld.param.u64 %rd1, [out];\n"
                                        "    atom.global.add.u32 %r1, [%rd1], 1;\n"
                                        "    ret;\n"
                                        "}\n";
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    unsigned count = 0;
    void *arguments[] = {&memory};

    with_context();
    module = load(text);
    check_success(cuModuleGetFunction(&function, module, "count"));
    check_success(cuMemAlloc(&memory, 4));
    check_success(cuMemsetD32(memory, 0, 1));
    check_result(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuLaunchKernel(function, 1, 1, 1, 8, 2, 1, 0, NULL, arguments, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuLaunchKernel(function, 1, 1, 1, 8, 4, 1, 0, NULL, arguments, NULL));
    check_success(cuMemcpyDtoH(&count, memory, 4));
    check(count == 32);
}

TEST(what_is_set_for_a_function_wins_over_its_kernel)
{
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    int value = 0;

    with_context();
    check_success(cuLibraryLoadData(&library, ptx_fill, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetKernel(&kernel, library, "fill"));
    check_success(cuKernelGetFunction(&function, kernel));
    check_success(
        cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000, kernel, 0));
    check_success(
        cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
    check(value == 100000);
    check_success(
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000));
    check_success(
        cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 80000, kernel, 0));
    check_success(
        cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
    check(value == 60000);
    check_success(
        cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, 0));
    check(value == 80000);
}
