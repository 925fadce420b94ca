/* SPDX-License-Identifier: MIT */
/* Correct programs that wait for work without a call that waits for it, under the schedules that
 * put work off: for a word in pinned memory, in a host function, by polling with other calls.
 * Those that wait in another process are in test_schedule_peer.c. */
#include "late.h"
#include "peer.h"

static void CUDA_CB raise_flag(void *data)
{
    flag_raise(data);
}

/* Waits for a word, then raises a flag. */
struct word_waiter {
    atomic_uint *word;
    struct flag done;
};

static void CUDA_CB wait_for_word(void *data)
{
    struct word_waiter *waiter = data;

    word_wait(waiter->word, 1);
    flag_raise(&waiter->done);
}

LATE_TEST(host_function_is_waited_for_by_its_flag)
{
    static struct flag done;

    with_context();
    check_success(cuLaunchHostFunc(free_stream(), raise_flag, &done));
    flag_wait(&done);
}

LATE_TEST(written_word_is_waited_for)
{
    with_context();
    atomic_uint *word = pinned_words(1);
    write_word(free_stream(), word, 1);
    word_wait(word, 1);
}

/* Without ever giving the processor away. */
LATE_TEST(written_word_is_spun_for)
{
    with_context();
    atomic_uint *word = pinned_words(1);
    write_word(free_stream(), word, 1);
    while (atomic_load(word) != 1)
        ;
}

LATE_TEST(memset_of_pinned_memory_is_waited_for)
{
    not_under_tsan("a memset writes with plain stores");
    with_context();
    atomic_uint *words = pinned_words(1000);
    check_success(cuMemsetD32Async(address_of(words), 1, 1000, free_stream()));
    for (int i = 0; i < 1000; i++)
        word_wait(&words[i], 1);
}

/* The last of a chain: streams that wait for each other, in the order of their events. */
LATE_TEST(end_of_a_chain_is_waited_for)
{
    enum { COUNT = 8 };
    CUstream streams[COUNT];

    with_context();
    atomic_uint *words = pinned_words(COUNT);
    for (int i = 0; i < COUNT; i++) {
        streams[i] = free_stream();
        if (i > 0) {
            CUevent event = new_event(CU_EVENT_DISABLE_TIMING);
            check_success(cuEventRecord(event, streams[i - 1]));
            check_success(cuStreamWaitEvent(streams[i], event, 0));
        }
        write_word(streams[i], &words[i], 1);
    }
    word_wait(&words[COUNT - 1], 1);
    for (int i = 0; i < COUNT; i++)
        check(atomic_load(&words[i]) == 1);
}

/* Work turns ready without a call: a value that the host writes lets a stream go on. */
LATE_TEST(value_of_the_host_lets_a_stream_go_on)
{
    with_context();
    atomic_uint *words = pinned_words(3);
    CUstream stream = free_stream();
    write_word(stream, &words[0], 1);
    hold_until(stream, &words[1]);
    write_word(stream, &words[2], 1);
    word_wait(&words[0], 1);
    atomic_store(&words[1], 1);
    word_wait(&words[2], 1);
}

/* A host function waits for another stream; nobody waits for it by a call. */
LATE_TEST(host_function_waits_for_another_stream)
{
    static struct word_waiter waiter;

    with_context();
    waiter.word = pinned_words(1);
    CUstream first = free_stream(), second = free_stream();
    check_success(cuLaunchHostFunc(first, wait_for_word, &waiter));
    write_word(second, waiter.word, 1);
    flag_wait(&waiter.done);
}

/* The host lets the host function go on when another stream is at its end. */
LATE_TEST(host_function_waits_for_the_host_which_waits_for_a_stream)
{
    static struct blocker blocker;

    with_context();
    atomic_uint *word = pinned_words(1);
    CUstream first = free_stream(), second = free_stream();
    check_success(cuLaunchHostFunc(first, blocker_run, &blocker));
    write_word(second, word, 1);
    check_success(cuStreamSynchronize(second));
    check(atomic_load(word) == 1);
    flag_raise(&blocker.released);
    flag_wait(&blocker.done);
}

/* The call waits for a stream, which waits for another by a value alone. */
LATE_TEST(synchronised_stream_waits_for_another_by_a_value)
{
    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream first = free_stream(), second = free_stream();
    hold_until(first, &words[0]);
    write_word(first, &words[1], 1);
    write_word(second, &words[0], 1);
    check_success(cuStreamSynchronize(first));
    check(atomic_load(&words[1]) == 1);
}

/* Calls go on, but none of them asks for the work, of which there is much. */
LATE_TEST(word_is_polled_between_other_calls)
{
    static struct flag done[20];
    CUcontext current;

    with_context();
    atomic_uint *word = pinned_words(1);
    CUstream stream = free_stream();
    for (int i = 0; i < 20; i++)
        check_success(cuLaunchHostFunc(stream, raise_flag, &done[i]));
    write_word(stream, word, 1);
    while (atomic_load(word) != 1) {
        check_success(cuCtxGetCurrent(&current));
        nap();
    }
}

LATE_TEST(memory_is_polled_by_copies_of_another_stream)
{
    CUdeviceptr memory;
    unsigned seen = 0;

    not_under_tsan("the copies race with the memset");
    with_context();
    CUstream stream = free_stream(), other = free_stream();
    check_success(cuMemAlloc(&memory, 4));
    check_success(cuMemsetD32Async(memory, 0, 1, stream));
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemsetD32Async(memory, 7, 1, stream));
    while (seen != 7) {
        check_success(cuMemcpyDtoHAsync(&seen, memory, 4, other));
        check_success(cuStreamSynchronize(other));
        nap();
    }
}

static struct flag busy_ends;

/* Submits and waits, again and again: there is always a job that somebody waits for. */
static void *be_busy(void *context)
{
    check_success(cuCtxSetCurrent(context));
    atomic_uint *word = pinned_words(1);
    CUstream stream = free_stream();
    for (unsigned i = 0; !flag_is_raised(&busy_ends); i++) {
        write_word(stream, word, i);
        check_success(cuStreamSynchronize(stream));
    }
    return NULL;
}

/* What one thread does must not keep the wait of another from its end. */
LATE_TEST(thread_that_is_busy_holds_nobody_up)
{
    static struct word_waiter waiter;
    pthread_t thread;
    CUcontext context = with_context();

    waiter.word = pinned_words(1);
    CUstream first = free_stream(), second = free_stream();
    check(pthread_create(&thread, NULL, be_busy, context) == 0);
    check_success(cuLaunchHostFunc(first, wait_for_word, &waiter));
    write_word(second, waiter.word, 1);
    check_success(cuStreamSynchronize(first));
    flag_raise(&busy_ends);
    check(pthread_join(thread, NULL) == 0);
}

/* A context ends while its work runs because nobody called, or is about to. */
LATE_TEST(context_ends_with_work_pending)
{
    static struct flag done[20];
    CUcontext context;

    check_success(cuInit(0));
    for (int i = 0; i < 20; i++) {
        check_success(cuCtxCreate(&context, NULL, 0, 0));
        CUstream stream = free_stream();
        atomic_uint *words = pinned_words(2);
        write_word(stream, &words[0], 1);
        check_success(cuLaunchHostFunc(stream, raise_flag, &done[i]));
        write_word(stream, &words[1], 1);
        if (i % 4 == 0)
            word_wait(&words[0], 1);
        if (i % 4 == 1)
            flag_wait(&done[i]);
        if (i % 4 == 2)
            check_success(cuStreamDestroy(stream));
        check_success(cuCtxDestroy(context));
        check(flag_is_raised(&done[i]));
    }
}

/* A forked child goes its way without the library; exit() does not wait for work under way. */
static void exit_with_work_under_way(int socket)
{
    static struct blocker blocker;
    int status;

    with_context();
    check_success(cuLaunchHostFunc(free_stream(), blocker_run, &blocker));
    write_word(free_stream(), pinned_words(1), 1);
    flag_wait(&blocker.started);
    pid_t child = fork();
    if (child == 0)
        _exit(cuInit(0) == CUDA_SUCCESS); /* not in a child of one that has called it */
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    peer_signal(socket);
    exit(0);
}

LATE_TEST(process_ends_with_work_under_way)
{
    struct peer peer = peer_start(exit_with_work_under_way);

    peer_await(peer.socket);
    peer_finish(&peer);
}
