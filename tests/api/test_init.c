/* SPDX-License-Identifier: MIT */
/* cuInit, and the state of the library in a forked child and at the end of the process. */
#include "test.h"

TEST(nothing_works_before_init)
{
    CUcontext context = (CUcontext)(uintptr_t)7;
    int count = 7;

    check_result(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    check(count == 7);
    check_result(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuCtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuCtxSetCurrent(NULL), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuDevicePrimaryCtxRetain(&context, 0), CUDA_ERROR_NOT_INITIALIZED);
    check(context == (CUcontext)(uintptr_t)7);
}

TEST(version_and_error_names_work_before_init)
{
    const char *name = NULL, *text = NULL;
    int version = 0;

    check_success(cuDriverGetVersion(&version));
    check(version >= 13000);
    check_success(cuGetErrorName(CUDA_ERROR_NOT_INITIALIZED, &name));
    check(strcmp(name, "CUDA_ERROR_NOT_INITIALIZED") == 0);
    check_success(cuGetErrorString(CUDA_ERROR_NOT_INITIALIZED, &text));
    check(strcmp(text, "initialization error") == 0);
}

TEST(error_strings_of_unknown_numbers_are_null)
{
    const char *name = "kept", *text = "kept";

    check_result(cuGetErrorName((CUresult)111, &name), CUDA_ERROR_INVALID_VALUE);
    check(!name);
    check_result(cuGetErrorString((CUresult)-1, &text), CUDA_ERROR_INVALID_VALUE);
    check(!text);
}

TEST(newer_errors_have_names)
{
    static const struct {
        CUresult result;
        const char *name;
    } newer[] = {
        {CUDA_ERROR_MULTICAST_RESOURCE_FULL, "CUDA_ERROR_MULTICAST_RESOURCE_FULL"},
        {CUDA_ERROR_INSUFFICIENT_LOADER_VERSION, "CUDA_ERROR_INSUFFICIENT_LOADER_VERSION"},
        {CUDA_ERROR_STREAM_DETACHED, "CUDA_ERROR_STREAM_DETACHED"},
        {CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, "CUDA_ERROR_GRAPH_RECAPTURE_FAILURE"},
        {CUDA_ERROR_FABRIC_NOT_READY, "CUDA_ERROR_FABRIC_NOT_READY"},
    };
    const char *name = NULL, *text = NULL;
    need_driver(13040);
    for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
        check_success(cuGetErrorName(newer[i].result, &name));
        check(strcmp(name, newer[i].name) == 0);
        check_success(cuGetErrorString(newer[i].result, &text));
        check(strlen(text) > 10);
    }
}

TEST(an_older_driver_does_not_know_newer_errors)
{
    static const int newer[] = {47, 227, 917, 918, 919};
    const char *name, *text;

    setenv("CUPIPE_DRIVER", "13.0", 1);
    check_success(cuInit(0));
    only_cupipe();
    for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
        name = text = "kept";
        check_result(cuGetErrorName((CUresult)newer[i], &name), CUDA_ERROR_INVALID_VALUE);
        check_result(cuGetErrorString((CUresult)newer[i], &text), CUDA_ERROR_INVALID_VALUE);
        check(!name && !text);
    }
    check_success(cuGetErrorName(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, &name));
}

TEST(init_flags_must_be_zero)
{
    int count;

    check_result(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    check_success(cuInit(0));
    check_result(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    check_success(cuDeviceGetCount(&count));
}

TEST(init_can_be_repeated)
{
    for (int i = 0; i < 100; i++)
        check_success(cuInit(0));
}

static struct flag start;

static void *init_and_use(void *argument)
{
    CUcontext context;
    int count = 0;

    flag_wait(&start);
    check_success(cuInit(0));
    check_success(cuDeviceGetCount(&count));
    check(count >= 1);
    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    check_success(cuCtxSetCurrent(context));
    check_success(cuCtxSynchronize());
    *(CUcontext *)argument = context;
    return NULL;
}

TEST(many_threads_may_init_at_once)
{
    enum { THREADS = 32 };
    pthread_t threads[THREADS];
    CUcontext contexts[THREADS] = {0};

    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, init_and_use, &contexts[i]) == 0);
    flag_raise(&start);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    for (int i = 1; i < THREADS; i++)
        check(contexts[i] == contexts[0]);
}

/* What the child of a fork answers; the parent goes on afterwards. */
static void in_child(void (*checks)(void))
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        checks();
        _exit(0);
    }
    check(pid > 0 && waitpid(pid, &status, 0) == pid);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void check_closed(void)
{
    CUcontext context = (CUcontext)(uintptr_t)7;
    CUdevice device = 7;
    CUdeviceptr pointer = 0;
    int count = 7, version = 0;

    check_success(cuDriverGetVersion(&version));
    check_result(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuInit(0), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuCtxGetDevice(&device), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuCtxSetCurrent(NULL), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuDevicePrimaryCtxRetain(&context, 0), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuCtxCreate(&context, NULL, 0, 0), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuCtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuMemAlloc(&pointer, 4096), CUDA_ERROR_NOT_INITIALIZED);
    check(count == 7 && device == 7 && context == (CUcontext)(uintptr_t)7 && !pointer);
}

TEST(child_of_an_initialised_process_cannot_use_the_library)
{
    CUdeviceptr pointer;

    with_context();
    check_success(cuMemAlloc(&pointer, 4096));
    in_child(check_closed);
    check_success(cuMemFree(pointer));
    check_success(cuCtxSynchronize());
}

TEST(child_of_an_initialised_process_without_context)
{
    check_success(cuInit(0));
    in_child(check_closed);
}

static void use_all(void)
{
    CUdeviceptr pointer;
    int value = 7, back = 0;

    with_context();
    check_success(cuMemAlloc(&pointer, sizeof(value)));
    check_success(cuMemcpyHtoD(pointer, &value, sizeof(value)));
    check_success(cuMemcpyDtoH(&back, pointer, sizeof(back)));
    check(back == 7);
    check_success(cuMemFree(pointer));
}

TEST(child_forked_before_init_inits_itself)
{
    in_child(use_all);
    use_all();
    in_child(check_closed);
}

static struct flag stop;

static void *fork_again_and_again(void *unused)
{
    (void)unused;
    while (!flag_is_raised(&stop)) {
        pid_t pid = fork();
        int status = 0;
        if (pid == 0) {
            CUresult result = cuInit(0);
            _exit(result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
        }
        check(waitpid(pid, &status, 0) == pid);
        check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return NULL;
}

TEST(fork_while_another_thread_inits)
{
    pthread_t thread;

    check(pthread_create(&thread, NULL, fork_again_and_again, NULL) == 0);
    for (int i = 0; i < 20; i++)
        nap();
    check_success(cuInit(0));
    for (int i = 0; i < 100; i++)
        nap();
    flag_raise(&stop);
    check(pthread_join(thread, NULL) == 0);
}

static void check_deinitialized(void)
{
    int count = 7;

    check_result(cuInit(0), CUDA_ERROR_DEINITIALIZED);
    check_result(cuDeviceGetCount(&count), CUDA_ERROR_DEINITIALIZED);
    check_result(cuCtxSynchronize(), CUDA_ERROR_DEINITIALIZED);
    check(count == 7);
}

static void check_alive(void)
{
    check_success(cuInit(0));
    check_success(cuCtxSynchronize());
}

/* Handlers run in the opposite order: the library is there for the later ones and gone for the
 * earlier. */
TEST(exit_closes_the_library)
{
    check(atexit(check_deinitialized) == 0);
    with_context();
    check(atexit(check_alive) == 0);
}

TEST(exit_in_a_forked_child)
{
    int status = 0;
    pid_t pid;

    with_context();
    pid = fork();
    if (pid == 0)
        exit(0);
    check(pid > 0 && waitpid(pid, &status, 0) == pid);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_success(cuCtxSynchronize());
}

static void wait_for_ever(void *unused)
{
    (void)unused;
    for (;;)
        pause();
}

/* Of a leak checker, which would count the work that is never done. */
void __lsan_disable(void) __attribute__((weak));

TEST(exit_with_work_pending)
{
    CUstream stream;

    with_context();
    if (__lsan_disable)
        __lsan_disable();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuLaunchHostFunc(stream, wait_for_ever, NULL));
    check_success(cuLaunchHostFunc(stream, wait_for_ever, NULL));
}
