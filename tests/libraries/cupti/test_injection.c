/* SPDX-License-Identifier: MIT */
/* A tool that CUDA_INJECTION64_PATH names is loaded into a program that does not know of it. */
#include "test.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

enum { THREADS = 4 };

static void name_tool(void)
{
    check(setenv("CUDA_INJECTION64_PATH", INJECTED_TOOL, 1) == 0);
}

/* A counter of the tool; -1: it is not loaded. */
static int tool_count(const char *name)
{
    void *tool = dlopen(INJECTED_TOOL, RTLD_NOW | RTLD_NOLOAD);
    _Atomic int *count = tool ? dlsym(tool, name) : NULL;

    return count ? *count : -1;
}

static void allocate(void)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, 1 << 20));
    check_success(cuMemFree(memory));
}

TEST(a_tool_starts_with_the_driver_and_hears_of_calls)
{
    name_tool();
    check(tool_count("tool_starts") == -1);
    with_context();
    check(tool_count("tool_starts") == 1 && tool_count("tool_allocations") == 0);
    allocate();
    allocate();
    check(tool_count("tool_allocations") == 2);
    check_success(cuInit(0));
    check(tool_count("tool_starts") == 1);
}

TEST(a_tool_starts_with_the_runtime)
{
    void *memory;

    name_tool();
    check(cudaMalloc(&memory, 1 << 20) == cudaSuccess);
    check(tool_count("tool_starts") == 1);
    allocate();
    check(tool_count("tool_allocations") >= 1);
}

static void *initialise(void *unused)
{
    check_success(cuInit(0));
    return unused;
}

TEST(a_tool_starts_once_if_threads_initialise_together)
{
    pthread_t threads[THREADS];

    name_tool();
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, initialise, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check(tool_count("tool_starts") == 1);
}

TEST(a_tool_that_cannot_be_loaded_does_not_keep_the_program_from_running)
{
    check(setenv("CUDA_INJECTION64_PATH", "/nowhere/libtool.so", 1) == 0);
    with_context();
    allocate();
}

TEST(without_a_name_no_tool_is_loaded)
{
    check(setenv("CUDA_INJECTION64_PATH", "", 1) == 0);
    with_context();
    check(tool_count("tool_starts") == -1);
}
