/* SPDX-License-Identifier: MIT */
/* Programs with two streams under CUPIPE_CHECK=streams, which order their work or do not. Included
 * after test.h. */
#ifndef CHECKED_STREAMS_H
#define CHECKED_STREAMS_H

#include "checks.h"
#include "hold.h"
#include "kernels.h"

enum { BYTES = 4096, WORDS = BYTES / 4 };

static bool is_right; /* whether the child orders its work */

/* Kernels that touch single bytes, and words by atomics. */
static const char ptx_bytes[] = PTX_HEAD ".visible .entry odd(.param .u64 out, .param .u32 first)\n"
                                         "{\n"
                                         "    .reg .b32 %r<5>;\n"
                                         "    .reg .b64 %rd<4>;\n"
                                         "    ld.param.u64 %rd1, [out];\n"
                                         "    ld.param.u32 %r1, [first];\n"
                                         "    mov.u32 %r2, %tid.x;\n"
                                         "    shl.b32 %r3, %r2, 1;\n"
                                         "    add.u32 %r4, %r3, %r1;\n"
                                         "    cvt.u64.u32 %rd2, %r4;\n"
                                         "    add.u64 %rd3, %rd1, %rd2;\n"
                                         "    st.global.u8 [%rd3], %r2;\n"
                                         "    ret;\n"
                                         "}\n"
                                         ".visible .entry add(.param .u64 out)\n"
                                         "{\n"
                                         "    .reg .b64 %rd<2>;\n"
                                         "    ld.param.u64 %rd1, [out];\n"
                                         "    red.global.add.u32 [%rd1], 1;\n"
                                         "    ret;\n"
                                         "}\n";

/* A process with two streams that the default-stream rules do not order, and memory. */
struct world {
    CUstream a, b;
    CUdeviceptr memory, other;
    CUfunction fill, odd, add;
};

static inline struct world begin_with(unsigned flags)
{
    struct world world;
    CUmodule module;

    with_check("streams");
    world.a = new_stream(flags);
    world.b = new_stream(flags);
    check_success(cuMemAlloc(&world.memory, BYTES));
    check_success(cuMemAlloc(&world.other, BYTES));
    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunction(&world.fill, module, "fill"));
    check_success(cuModuleLoadData(&module, ptx_bytes));
    check_success(cuModuleGetFunction(&world.odd, module, "odd"));
    check_success(cuModuleGetFunction(&world.add, module, "add"));
    return world;
}

static inline struct world begin(void)
{
    return begin_with(CU_STREAM_NON_BLOCKING);
}

/* Runs the program in order and out of order, at once and lazily. */
static inline void check_both(void (*run)(void), const char *words)
{
    for (int lazy = 0; lazy < 2; lazy++) {
        setenv("CUPIPE_SCHEDULE", lazy ? "lazy" : "eager", 1);
        is_right = true;
        struct told *told = told_well_by(run);
        check_does_not_say(told, "CUPIPE_CHECK");
        is_right = false;
        told = told_well_by(run);
        check_says(told, "without an order between them");
        check_says(told, words);
        check(reports_of(told) == 1);
        free(told);
    }
}

A_FUNCTION write_first(const struct world *world)
{
    check_success(cuMemsetD32Async(world->memory, 1, WORDS, world->a));
}

A_FUNCTION read_then(const struct world *world)
{
    check_success(cuMemcpyDtoDAsync(world->other, world->memory, BYTES, world->b));
}

/* Work of `then` waits for what `first` has been given so far. */
static inline void follow(CUstream first, CUstream then)
{
    CUevent event = new_event(CU_EVENT_DISABLE_TIMING);

    check_success(cuEventRecord(event, first));
    check_success(cuStreamWaitEvent(then, event, 0));
}

static inline CUgraphExec instantiate(CUgraph graph)
{
    CUgraphExec exec;

    check_success(cuGraphInstantiate(&exec, graph, 0));
    return exec;
}

static inline void finish(void)
{
    check_success(cuCtxSynchronize());
}

#endif
