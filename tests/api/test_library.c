/* SPDX-License-Identifier: MIT */
/* A library's kernel is one function per context, whichever context it was launched in last. */
#include "kernels.h"
#include "test.h"

/* Each launch counts in the variable of the context that it runs in. */
static const char ptx_count[] = PTX_HEAD ".visible .global .u32 launches;\n"
                                         ".visible .entry count()\n"
                                         "{\n"
                                         "    .reg .b32 %r<2>;\n"
                                         "    atom.global.add.u32 %r1, [launches], 1;\n"
                                         "    ret;\n"
                                         "}\n"
                                         ".visible .entry count_ten()\n"
                                         "{\n"
                                         "    .reg .b32 %r<2>;\n"
                                         "    atom.global.add.u32 %r1, [launches], 10;\n"
                                         "    ret;\n"
                                         "}\n";

static CUlibrary load_library(void)
{
    CUlibrary library = NULL;

    check_success(cuLibraryLoadData(&library, ptx_count, NULL, NULL, 0, NULL, NULL, 0));
    return library;
}

static CUkernel kernel_of(CUlibrary library, const char *name)
{
    CUkernel kernel = NULL;

    check_success(cuLibraryGetKernel(&kernel, library, name));
    return kernel;
}

static void launch(CUkernel kernel, CUstream stream)
{
    check_success(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
}

/* The variable of the current context. */
static unsigned launches(CUlibrary library)
{
    CUdeviceptr variable = 0;
    unsigned count = 0;

    check_success(cuCtxSynchronize());
    check_success(cuLibraryGetGlobal(&variable, NULL, library, "launches"));
    check_success(cuMemcpyDtoH(&count, variable, sizeof count));
    return count;
}

static CUfunction function_of(CUkernel kernel)
{
    CUfunction function = NULL;

    check_success(cuKernelGetFunction(&function, kernel));
    return function;
}

TEST(contexts_take_turns_with_a_kernel)
{
    CUcontext first = with_context(), second;
    CUlibrary library = load_library();
    CUkernel kernel = kernel_of(library, "count"), ten = kernel_of(library, "count_ten");
    CUfunction function = function_of(kernel);

    check_success(cuCtxCreate(&second, NULL, 0, 0));
    check(function_of(kernel) != function);
    for (int i = 0; i < 3; i++) {
        check_success(cuCtxSetCurrent(first));
        launch(kernel, NULL);
        check(function_of(kernel) == function);
        check_success(cuCtxSetCurrent(second));
        launch(kernel, NULL);
        launch(ten, NULL);
        check(function_of(kernel) != function);
    }
    check(launches(library) == 33);
    check_success(cuCtxSetCurrent(first));
    check(launches(library) == 3);
    check_success(cuCtxDestroy(second));
    launch(kernel, NULL);
    launch(ten, NULL);
    check(launches(library) == 14);
    check_success(cuLibraryUnload(library));
}

TEST(a_kernel_runs_in_the_context_of_its_stream)
{
    CUcontext first = with_context(), second;
    CUlibrary library = load_library();
    CUkernel kernel = kernel_of(library, "count");
    CUstream stream;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuCtxCreate(&second, NULL, 0, 0));
    for (int i = 0; i < 2; i++) {
        launch(kernel, NULL);
        launch(kernel, stream);
        launch(kernel, stream);
    }
    check(launches(library) == 2);
    check_success(cuCtxSetCurrent(first));
    check(launches(library) == 4);
    check_success(cuCtxDestroy(second));
    check_success(cuLibraryUnload(library));
}

/* The handle of a primary context stays the same when the context is reset. */
TEST(a_kernel_begins_anew_in_a_context_that_was_reset)
{
    CUcontext context;
    CUlibrary library;
    CUkernel kernel;

    check_success(cuInit(0));
    library = load_library();
    kernel = kernel_of(library, "count");
    for (unsigned i = 1; i < 4; i++) {
        check_success(cuDevicePrimaryCtxRetain(&context, 0));
        check_success(cuCtxSetCurrent(context));
        for (unsigned k = 0; k < i; k++)
            launch(kernel, NULL);
        check(launches(library) == i);
        check_success(cuDevicePrimaryCtxReset(0));
    }
    check_success(cuLibraryUnload(library));
}

/* Functions end with their context, and their handles come again, for other kernels and for other
 * libraries. Many kernels in turn make that happen. Kernel k adds k. */
enum { LIBRARIES = 6, KERNELS = 100, TURNS = 100 };

static CUlibrary load_many_kernels(void)
{
    static char text[KERNELS * 100 + 200];
    CUlibrary library = NULL;
    size_t length = (size_t)sprintf(text, PTX_HEAD ".visible .global .u32 launches;\n");

    for (int i = 0; i < KERNELS; i++)
        length += (size_t)sprintf(text + length,
                                  ".visible .entry k%d()\n{\n    .reg .b32 %%r<2>;\n"
                                  "    atom.global.add.u32 %%r1, [launches], %d;\n    ret;\n}\n",
                                  i, i);
    check_success(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    return library;
}

TEST(kernels_keep_apart_while_contexts_end)
{
    CUlibrary libraries[LIBRARIES];
    CUcontext context;
    unsigned random = 1;

    check_success(cuInit(0));
    for (int i = 0; i < LIBRARIES; i++)
        libraries[i] = load_many_kernels();
    for (int turn = 0; turn < TURNS; turn++) {
        check_success(cuDevicePrimaryCtxRetain(&context, 0));
        check_success(cuCtxSetCurrent(context));
        for (int i = 0; i < 20; i++) {
            unsigned before, added;
            CUlibrary library;
            char name[16];

            random = random * 1103515245u + 12345u;
            library = libraries[(random >> 16) % LIBRARIES];
            added = (random >> 20) % KERNELS;
            sprintf(name, "k%u", added);
            before = launches(library);
            launch(kernel_of(library, name), NULL);
            check(launches(library) == before + added);
        }
        check_success(cuDevicePrimaryCtxReset(0));
    }
    for (int i = 0; i < LIBRARIES; i++)
        check_success(cuLibraryUnload(libraries[i]));
}

/* A kernel keeps the number that was set; its function knows yes and no. */
TEST(parameters_of_a_kernel_are_told_in_a_context)
{
    CUlibrary library;
    CUkernel kernel;
    size_t offset = 99, bytes = 99;

    with_context();
    check_success(cuLibraryLoadData(&library, ptx_fill, NULL, NULL, 0, NULL, NULL, 0));
    kernel = kernel_of(library, "fill");
    check_success(cuKernelGetParamInfo(kernel, 0, &offset, &bytes));
    check(offset == 0 && bytes == 8);
    check_success(cuCtxSetCurrent(NULL));
    check_result(cuKernelGetParamInfo(kernel, 0, &offset, &bytes), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(non_portable_clusters_are_a_yes_or_no_of_the_function)
{
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    int of_kernel = 0, of_function = 0;

    with_context();
    check_success(cuLibraryLoadData(&library, ptx_fill, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetKernel(&kernel, library, "fill"));
    check_success(cuKernelGetFunction(&function, kernel));
    check_success(
        cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 50, kernel, 0));
    check_success(cuKernelGetAttribute(
        &of_kernel, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, kernel, 0));
    check_success(cuFuncGetAttribute(
        &of_function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, function));
    check(of_kernel == 50 && of_function == 1);
}
