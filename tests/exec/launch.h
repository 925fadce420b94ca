/* SPDX-License-Identifier: MIT */
/* Launching the kernels of kernels.c. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "test.h"

#include "core/config.h"
#include "exec/exec.h"
#include "jit/jit.h"
#include "kernels.h"
#include "stream/stream.h"

static const char *const kernel_names[] = {
    "empty",     "fill",       "memory",    "tables",    "reduce",         "barrier_red",
    "producers", "early_exit", "deadlock",  "lookback",  "backwards",      "grid_sync",
    "host_flag", "wild",       "wild_warp", "trap_free", "trap_warp",      "recursion",
    "print",     "assertion",  "heap",      "divergent", "no_such_kernel", "crash",
    "deep",      "present",    "large",
};
enum { KERNEL_COUNT = sizeof(kernel_names) / sizeof(kernel_names[0]) };

static struct ptx_function test_functions[KERNEL_COUNT];
static struct ptx_program test_program;
static _Atomic(struct cup_code *) test_codes[KERNEL_COUNT][CUP_SHAPE_COUNT];
static struct cup_code_image test_image;

static const char *compiler_path = COMPILER_PATH;

/* A context, and an image with all kernels. */
static inline CUcontext with_kernels(const char *cache)
{
    static void *no_symbols[1];

    setenv("CUPIPE_JIT_LIBRARY", compiler_path, 1);
    setenv("CUPIPE_JIT", "optimised", 0); /* compiles once, however long a kernel runs */
    setenv("CUPIPE_CACHE", cache ? cache : "off", 1);
    for (int i = 0; i < KERNEL_COUNT; i++) {
        test_functions[i].name = kernel_names[i];
        test_functions[i].is_kernel = true;
    }
    test_program.function_count = KERNEL_COUNT;
    test_program.functions = test_functions;
    test_program.hash[0] = 1;
    test_image = (struct cup_code_image){&test_program, no_symbols, test_codes};
    return with_context();
}

static inline struct cup_exec_request request_of(const char *name, uint32_t grid, uint32_t block,
                                                 const struct params *params)
{
    struct cup_exec_request request = {.image = &test_image,
                                       .grid = {grid, 1, 1},
                                       .block = {block, 1, 1},
                                       .cluster = {1, 1, 1},
                                       .params = params,
                                       .params_bytes = params ? sizeof(*params) : 0,
                                       .kernel_name = name};

    while (strcmp(kernel_names[request.function], name) != 0)
        request.function++;
    return request;
}

static inline CUresult try_request(const struct cup_exec_request *request)
{
    struct CUstream_st *stream;

    check_success(cup_stream_find(CU_STREAM_LEGACY, &stream));
    CUresult result = cup_exec_launch(stream, request);
    cup_stream_unref(stream);
    return result;
}

static inline void launch(const char *name, uint32_t grid, uint32_t block,
                          const struct params *params)
{
    struct cup_exec_request request = request_of(name, grid, block, params);

    check_success(try_request(&request));
}

#endif
