/* SPDX-License-Identifier: MIT */
/* Streams and the ends of processes: fork, and exit with work pending. */
#include "hold.h"

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

static int child_status(pid_t pid)
{
    int status;

    check(waitpid(pid, &status, 0) == pid);
    check(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(a_forked_child_is_kept_out)
{
    static struct blocker blocker;

    with_context();
    CUstream stream = new_stream(0), other;
    block(stream, &blocker);
    pid_t pid = fork();
    if (pid == 0) {
        check_result(cuStreamCreate(&other, 0), CUDA_ERROR_NOT_INITIALIZED);
        check_result(cuStreamQuery(NULL), CUDA_ERROR_NOT_INITIALIZED);
        _exit(0);
    }
    check(child_status(pid) == 0);
    flag_raise(&blocker.released);
    check_success(cuStreamSynchronize(stream));
    check(flag_is_raised(&blocker.done));
}

TEST(a_forked_child_does_not_hang)
{
    with_context();
    only_cupipe();
    CUstream stream = new_stream(0);
    CUevent event = new_event(0);
    pid_t pid = fork();
    if (pid == 0) {
        check_result(cuStreamSynchronize(stream), CUDA_ERROR_NOT_INITIALIZED);
        check_result(cuStreamDestroy(stream), CUDA_ERROR_NOT_INITIALIZED);
        check_result(cuEventQuery(event), CUDA_ERROR_NOT_INITIALIZED);
        check_result(cuEventDestroy(event), CUDA_ERROR_NOT_INITIALIZED);
        exit(0);
    }
    check(child_status(pid) == 0);
    check_success(cuStreamSynchronize(stream));
}

/* In a process of its own: its exit is what is tested. */
static int exit_status_of(void (*run)(void))
{
    pid_t pid = fork();

    if (pid == 0) {
        run();
        exit(3);
    }
    return child_status(pid);
}

static struct blocker never_released;

static void leave_work_pending(void)
{
    with_context();
    only_cupipe();
    CUstream stream = new_stream(0), held = new_stream(0);
    atomic_uint *words = pinned_words(2);
    hold_until(held, &words[0]);
    write_word(held, &words[1], 1);
    block(stream, &never_released);
    check_success(cuLaunchHostFunc(stream, do_nothing, NULL));
}

static void *work_for_ever(void *data)
{
    CUstream stream = data;

    while (cuLaunchHostFunc(stream, do_nothing, NULL) == CUDA_SUCCESS)
        ;
    return NULL;
}

static void leave_threads_working(void)
{
    pthread_t thread;

    with_context();
    only_cupipe();
    for (int i = 0; i < 4; i++) {
        check(pthread_create(&thread, NULL, work_for_ever, new_stream(0)) == 0);
        pthread_detach(thread);
    }
    for (int i = 0; i < 100; i++)
        check_success(cuLaunchHostFunc(NULL, do_nothing, NULL));
}

TEST(exit_with_work_pending)
{
    int status = exit_status_of(leave_work_pending);

    check(status == 3 || status == TEST_SKIPPED);
}

TEST(exit_while_threads_submit)
{
    int status = exit_status_of(leave_threads_working);

    check(status == 3 || status == TEST_SKIPPED);
}
