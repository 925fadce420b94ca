/* SPDX-License-Identifier: MIT */
/*
 * Every function with zero arguments: as the first call of a process, with a live context, and
 * after cudaDeviceReset. Compiled again for the per-thread default stream.
 */
#include "recorder.hpp"

/* Calls a function with zero arguments by its name: the symbol is bound when it is called, so that
 * one that the library lacks costs its own lines alone. */
template <auto function> struct zero_call;
template <class Result, class... Parameters, Result (*function)(Parameters...)>
struct zero_call<function> {
    static cudaError_t run(void)
    {
        return (cudaError_t)function(Parameters()...);
    }
};
template <class Result, class... Parameters, Result (*function)(Parameters...) noexcept>
struct zero_call<function> {
    static cudaError_t run(void)
    {
        return (cudaError_t)function(Parameters()...);
    }
};

static const struct {
    const char *name;
    cudaError_t (*run)(void);
} calls[] = {
#define STREAM_FUNCTION(name) {#name, zero_call<name>::run},
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define FUNCTION(name)
#define SUFFIX "pt"
#define ORDER_OFFSET 30
#else
#define FUNCTION STREAM_FUNCTION
#define SUFFIX ""
#define ORDER_OFFSET 0
#endif
#include "functions.def"
};

static void check_first(int index)
{
    keep_last_error = 1;
    keep_after_sticky = 1;
    if (!case_start("call"))
        return;
    cudaError_t result = calls[index].run();
    cudaError_t first = cudaGetLastError();
    cudaError_t second = cudaGetLastError();
    case_answer(result, FORMAT(" get=%s get=%s", error_name(first), error_name(second)));
    CHECK("sync", cudaDeviceSynchronize());
}

static void check_live(void)
{
    cases_independent = 1;
    use_runtime();
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        if (!strcmp(calls[i].name, "cudaDeviceReset"))
            continue;
        CHECK(calls[i].name, calls[i].run(), "sync=%s", sync_device());
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        cudaGraph_t graph;
        if (!cudaStreamIsCapturing(cudaStreamPerThread, &status) && status)
            cudaStreamEndCapture(cudaStreamPerThread, &graph);
        cudaSetDevice(0);
    }
}

static void check_after_reset(void)
{
    cases_independent = 1;
    use_runtime();
    auto primary_state = DRIVER(cuDevicePrimaryCtxGetState);
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        unsigned flags;
        int active = 1;
        if (primary_state)
            primary_state(0, &flags, &active);
        if (active)
            cudaDeviceReset();
        CHECK(calls[i].name, calls[i].run());
    }
}

__attribute__((constructor)) static void groups_register(void)
{
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        group_register_index(800 + ORDER_OFFSET, FORMAT("first" SUFFIX "/%s", calls[i].name),
                             check_first, (int)i);
    group_register(810 + ORDER_OFFSET, "zero" SUFFIX, check_live);
    group_register(811 + ORDER_OFFSET, "afterreset" SUFFIX, check_after_reset);
}
