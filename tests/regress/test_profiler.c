/* SPDX-License-Identifier: MIT */
/* Found with numba-cuda and cuda.bindings: cuProfilerStart and cuProfilerStop answered
 * NOT_SUPPORTED. They succeed in any order, as recorded, and mark the trace. */
#include "test.h"

#include <cudaProfiler.h>

TEST(start_and_stop_need_no_pair)
{
    with_context();
    check_success(cuProfilerStop());
    check_success(cuProfilerStart());
    check_success(cuProfilerStart());
    check_success(cuProfilerStop());
    check_success(cuProfilerStop());
}

TEST(start_and_stop_need_a_context)
{
    check_result(cuProfilerStart(), CUDA_ERROR_NOT_INITIALIZED);
    check_success(cuInit(0));
    check_result(cuProfilerStart(), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuProfilerStop(), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(there_is_no_profiler_to_initialise)
{
    check_result(cuProfilerInitialize(NULL, NULL, CU_OUT_CSV), CUDA_ERROR_NOT_SUPPORTED);
    check_success(cuInit(0));
    check_result(cuProfilerInitialize("a", "b", CU_OUT_CSV), CUDA_ERROR_NOT_SUPPORTED);
}

TEST(the_trace_has_marks)
{
    char path[] = "/tmp/profiler-XXXXXX", text[16384] = "";
    int file = mkstemp(path);

    check(file >= 0);
    setenv("CUPIPE_TRACE", path, 1);
    pid_t pid = fork();
    if (pid == 0) {
        with_context();
        check_success(cuProfilerStart());
        check_success(cuProfilerStop());
        exit(0);
    }
    check(waitpid(pid, NULL, 0) == pid);
    check(read(file, text, sizeof text - 1) > 0);
    unlink(path);
    const char *start = strstr(text, "{\"name\":\"profiler start\",\"ph\":\"i\"");
    check(start && strstr(start, "{\"name\":\"profiler stop\",\"ph\":\"i\""));
}
