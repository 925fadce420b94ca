/* SPDX-License-Identifier: MIT */
/* Failures on request: CUPIPE_FAIL. */
#include "test.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>

static void with_rules(const char *rules)
{
    setenv("CUPIPE_FAIL", rules, 1);
    with_context();
    only_cupipe();
}

/* The numbers of the calls of cuMemAlloc that fail, as bits. */
static unsigned failing_calls(unsigned count)
{
    unsigned failed = 0;

    for (unsigned i = 0; i < count; i++) {
        CUdeviceptr memory;
        CUresult result = cuMemAlloc(&memory, 4096);

        check(result == CUDA_SUCCESS || result == CUDA_ERROR_OUT_OF_MEMORY);
        if (result == CUDA_SUCCESS)
            check_success(cuMemFree(memory));
        else
            failed |= 1u << i;
    }
    return failed;
}

TEST(the_third_call_fails)
{
    with_rules("cuMemAlloc:3");
    check(failing_calls(10) == 1u << 2);
}

TEST(a_failed_call_does_nothing)
{
    CUdeviceptr memory = 7;
    size_t before, after, total;

    with_rules("cuMemAlloc:1");
    check_success(cuMemGetInfo(&before, &total));
    check_result(cuMemAlloc(&memory, 64 << 20), CUDA_ERROR_OUT_OF_MEMORY);
    check(memory == 7);
    check_success(cuMemGetInfo(&after, &total));
    check(before == after);
}

TEST(every_nth_call_fails)
{
    with_rules("cuMemAlloc:every=4");
    check(failing_calls(12) == (1u << 3 | 1u << 7 | 1u << 11));
}

TEST(calls_fail_by_chance_and_repeatably)
{
    unsigned failed = 0, again = 0;

    with_rules("cuMemAlloc:p=0.5,seed=7;cuMemFree:p=0,seed=7;cuMemAllocHost:p=0.5,seed=7");
    for (int i = 0; i < 4; i++)
        failed |= failing_calls(8) << (8 * i);
    check(failed != 0 && failed != UINT32_MAX);
    for (int i = 0; i < 32; i++) {
        void *memory;

        if (cuMemAllocHost(&memory, 16) != CUDA_SUCCESS)
            again |= 1u << i;
    }
    check(failed == again);
}

TEST(the_error_can_be_named)
{
    CUdeviceptr memory;
    CUstream stream;

    with_rules("cuMemAlloc:1,error=DEVICE_UNAVAILABLE;cuStreamCreate:1:CUDA_ERROR_UNKNOWN");
    check_result(cuMemAlloc(&memory, 16), CUDA_ERROR_DEVICE_UNAVAILABLE);
    check_result(cuStreamCreate(&stream, 0), CUDA_ERROR_UNKNOWN);
    check_success(cuStreamCreate(&stream, 0));
}

TEST(without_a_number_every_call_fails)
{
    with_rules("cuMemAlloc:error=OUT_OF_MEMORY");
    check(failing_calls(5) == 31);
}

TEST(a_name_may_end_in_a_star)
{
    CUdeviceptr memory;
    CUevent event;

    with_rules("cuMem*:2;cuEvent*:1,error=UNKNOWN");
    check_success(cuMemAlloc(&memory, 16));
    check_result(cuMemFree(memory), CUDA_ERROR_OUT_OF_MEMORY);
    check_success(cuMemFree(memory));
    check_result(cuEventCreate(&event, 0), CUDA_ERROR_UNKNOWN);
}

TEST(all_forms_of_a_function_count_as_one)
{
    CUresult (*legacy)(void *, CUdeviceptr, size_t), (*per_thread)(void *, CUdeviceptr, size_t);
    CUdeviceptr memory;
    int value;

    with_rules("cuMemcpyDtoH:2");
    check_success(cuMemAlloc(&memory, 4));
    *(void **)&legacy = dlsym(RTLD_DEFAULT, "cuMemcpyDtoH_v2");
    *(void **)&per_thread = dlsym(RTLD_DEFAULT, "cuMemcpyDtoH_v2_ptds");
    check_success(legacy(&value, memory, 4));
    check_result(per_thread(&value, memory, 4), CUDA_ERROR_OUT_OF_MEMORY);
    check_success(legacy(&value, memory, 4));
}

TEST(functions_found_by_name_fail_too)
{
    CUresult (*allocate)(CUdeviceptr *, size_t);
    CUdeviceptr memory;

    with_rules("cuMemAlloc:1");
    check_success(cuGetProcAddress("cuMemAlloc", (void **)&allocate, 12000, 0, NULL));
    check_result(allocate(&memory, 16), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(a_late_call_does_not_fail)
{
    with_rules("cuMemAlloc:2,late=1");
    check(failing_calls(4) == 0);
}

TEST(a_call_kills_the_process)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        with_rules("cuMemAlloc:2,kill");
        failing_calls(2);
        _exit(0);
    }
    check(waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIPPED)
        skip("about cupipe alone");
    check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(cu_init_can_fail_and_succeed_later)
{
    setenv("CUPIPE_FAIL", "cuInit:1,error=SYSTEM_NOT_READY", 1);
    CUresult first = cuInit(0);
    check_success(cuInit(0));
    only_cupipe();
    check_result(first, CUDA_ERROR_SYSTEM_NOT_READY);
}

TEST(a_job_fails_as_the_device_would)
{
    CUdeviceptr memory;
    CUstream stream;

    with_rules("stream:5:ILLEGAL_ADDRESS");
    check_success(cuMemAlloc(&memory, 1 << 20));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 4; i++)
        check_success(cuMemsetD8Async(memory, i, 64, stream));
    check_success(cuStreamSynchronize(stream));
    cuMemsetD8Async(memory, 5, 64, stream);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_result(cuMemAlloc(&memory, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_job_that_fails_is_not_done)
{
    unsigned char *memory;
    CUstream stream;

    with_rules("stream:2:LAUNCH_FAILED");
    check_success(cuMemAllocHost((void **)&memory, 64));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuMemsetD8Async((CUdeviceptr)memory, 1, 64, stream));
    cuMemsetD8Async((CUdeviceptr)memory, 2, 64, stream);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
    check(memory[0] == 1 && memory[63] == 1);
}

static void check_refused(const char *rules)
{
    setenv("CUPIPE_FAIL", rules, 1);
    check_result(cuInit(0), CUDA_ERROR_INVALID_VALUE);
}

TEST(rules_that_make_no_sense_are_refused)
{
    static const char *const wrong[] = {
        "cuMemAlloca:1",
        "cuMemAlloc:0",
        "cuMemAlloc:x",
        "cuMemAlloc:",
        "cuMemAlloc:p=2",
        "cuMemAlloc:p=",
        "cuMemAlloc:p=a",
        "cuMemAlloc:every=0",
        "cuMemAlloc:seed=",
        "cuMemAlloc:error=NO",
        ":3",
        "no*:1",
        "cuMemAlloc:1,,2",
        "cuMemAlloc:SUCCESS",
        "cuMemAlloc:rank=1",
        "cuMemAlloc:late=0",
        "cuMemAlloc:late=soon",
        "ncclAllReduce:rank=",
    };

    /* On another driver the variable means nothing. */
    if (cuInit(0) == CUDA_SUCCESS) {
        char name[256];

        check_success(cuDeviceGetName(name, sizeof(name), 0));
        if (!strstr(name, "cupipe"))
            skip("about cupipe alone");
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        pid_t pid = fork();

        if (pid == 0) {
            execl("/proc/self/exe", "test_fail", "refused", wrong[i], (char *)NULL);
            _exit(3);
        }
        int status;
        waitpid(pid, &status, 0);
        check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/* The test above begins this program again, with rules to be refused. */
__attribute__((constructor)) static void begin_as_helper(int argc, char **argv)
{
    if (argc != 3 || strcmp(argv[1], "refused") != 0)
        return;
    check_refused(argv[2]);
    _exit(0);
}

TEST(the_end_of_the_process_reports)
{
    int ends[2], status;
    char text[1024] = "";

    check(pipe(ends) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        CUdeviceptr memory;

        dup2(ends[1], STDERR_FILENO);
        with_rules("cuMemAlloc:3;stream:9");
        for (int i = 0; i < 4; i++)
            cuMemAlloc(&memory, 16);
        exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t count; (count = read(ends[0], text + length, sizeof(text) - 1 - length)) > 0;)
        length += (size_t)count;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIPPED)
        skip("about cupipe alone");
    check(strcmp(text, "cupipe: CUPIPE_FAIL: cuMemAlloc:3 failed 1 of 4\n"
                       "cupipe: CUPIPE_FAIL: stream:9 failed 0 of 0\n") == 0);
}
