/* SPDX-License-Identifier: MIT */
/* Events: recording, waiting, timing, and lifetimes. */
#include "hold.h"

TEST(create_takes_flags_it_knows)
{
    CUevent event;

    with_context();
    for (unsigned flags = 0; flags <= 64; flags++) {
        bool valid = flags < 4 || flags == 6 || flags == 7;
        event = NULL;
        check_result(cuEventCreate(&event, flags), valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
        check((event != NULL) == valid);
        if (valid)
            check_success(cuEventDestroy(event));
    }
    check_result(cuEventCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(null_is_no_event)
{
    float time;

    check_result(cuEventQuery(NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    with_context();
    CUevent event = new_event(0);
    check_result(cuEventQuery(NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventSynchronize(NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventRecord(NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuStreamWaitEvent(NULL, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventElapsedTime(&time, NULL, event), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventElapsedTime(&time, event, NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void check_bad_event(CUevent bad)
{
    CUcontext context;
    CUevent good = new_event(0);
    float time;

    check_success(cuCtxGetCurrent(&context));
    check_result(cuEventQuery(bad), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventSynchronize(bad), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventRecord(bad, NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventRecordWithFlags(bad, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventDestroy(bad), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuStreamWaitEvent(NULL, bad, 0), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuCtxRecordEvent(context, bad), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuCtxWaitEvent(context, bad), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventElapsedTime(&time, bad, good), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventElapsedTime(&time, good, bad), CUDA_ERROR_INVALID_HANDLE);
}

TEST(garbage_is_no_event)
{
    static char bytes[4096];

    with_context();
    only_cupipe();
    check_bad_event((CUevent)bytes);
    check_bad_event((CUevent)0x20);
    check_bad_event((CUevent)UINTPTR_MAX);
    check_bad_event((CUevent)new_stream(0));
    CUevent event = new_event(0);
    check_success(cuEventDestroy(event));
    check_bad_event(event);
}

TEST(an_event_not_recorded_is_complete)
{
    float time;

    with_context();
    CUevent event = new_event(0), recorded = new_event(0);
    check_success(cuEventQuery(event));
    check_success(cuEventSynchronize(event));
    check_success(cuStreamWaitEvent(new_stream(0), event, 0));
    check_success(cuEventRecord(recorded, NULL));
    check_success(cuEventSynchronize(recorded));
    check_result(cuEventElapsedTime(&time, event, event), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventElapsedTime(&time, recorded, event), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventElapsedTime(&time, event, recorded), CUDA_ERROR_INVALID_HANDLE);
}

TEST(an_event_is_reached_with_the_work_before_it)
{
    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(0);

    hold_until(stream, &words[0]);
    write_word(stream, &words[1], 4);
    check_success(cuEventRecord(event, stream));
    check_result(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    atomic_store(&words[0], 1);
    check_success(cuEventSynchronize(event));
    check(atomic_load(&words[1]) == 4);
    check_success(cuEventQuery(event));
}

TEST(work_after_an_event_does_not_matter)
{
    with_context();
    atomic_uint *words = pinned_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(0);

    check_success(cuEventRecord(event, stream));
    hold_until(stream, &words[0]);
    check_success(cuEventSynchronize(event));
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    atomic_store(&words[0], 1);
    check_success(cuStreamSynchronize(stream));
}

TEST(the_latest_recording_counts)
{
    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream held = new_stream(CU_STREAM_NON_BLOCKING), idle = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(0);

    hold_until(held, &words[0]);
    check_success(cuEventRecord(event, held));
    check_result(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    check_success(cuEventRecord(event, idle));
    check_success(cuEventSynchronize(event));
    check_success(cuEventRecord(event, held));
    check_result(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    atomic_store(&words[0], 1);
    check_success(cuEventSynchronize(event));
}

/* A wait is for the recording there was when it was asked for. */
TEST(a_wait_is_not_moved_by_a_later_recording)
{
    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream first = new_stream(CU_STREAM_NON_BLOCKING),
             second = new_stream(CU_STREAM_NON_BLOCKING);
    CUstream waiter = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(0);

    hold_until(first, &words[0]);
    check_success(cuEventRecord(event, first));
    check_success(cuStreamWaitEvent(waiter, event, 0));
    hold_until(second, &words[1]);
    check_success(cuEventRecord(event, second));
    atomic_store(&words[0], 1);
    check_success(cuStreamSynchronize(waiter));
    check_result(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    atomic_store(&words[1], 1);
    check_success(cuCtxSynchronize());
}

TEST(a_stream_waits_for_an_event)
{
    static struct note note;

    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream first = new_stream(CU_STREAM_NON_BLOCKING),
             second = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(CU_EVENT_DISABLE_TIMING);

    hold_until(first, &words[0]);
    write_word(first, &words[1], 9);
    check_success(cuEventRecord(event, first));
    check_success(cuStreamWaitEvent(second, event, 0));
    note.word = &words[1];
    check_success(cuLaunchHostFunc(second, note_run, &note));
    check_result(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    check_success(cuEventDestroy(event)); /* the wait stays */
    atomic_store(&words[0], 1);
    check_success(cuStreamSynchronize(second));
    check(note.seen == 9);
}

TEST(a_chain_of_streams)
{
    enum { COUNT = 16 };
    CUstream streams[COUNT];

    with_context();
    atomic_uint *words = pinned_words(2);
    CUevent event = new_event(0);
    for (int i = 0; i < COUNT; i++)
        streams[i] = new_stream(CU_STREAM_NON_BLOCKING);
    for (int i = 0; i < COUNT; i++) {
        if (i == 0)
            hold_until(streams[i], &words[0]);
        else
            check_success(cuStreamWaitEvent(streams[i], event, 0));
        write_word(streams[i], &words[1], (unsigned)i + 1);
        check_success(cuEventRecord(event, streams[i]));
    }
    check_result(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    atomic_store(&words[0], 1);
    check_success(cuEventSynchronize(event));
    check(atomic_load(&words[1]) == COUNT);
    check_success(cuStreamSynchronize(streams[COUNT - 1]));
}

TEST(an_event_outlives_its_stream)
{
    with_context();
    atomic_uint *words = pinned_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(0);

    hold_until(stream, &words[0]);
    check_success(cuEventRecord(event, stream));
    check_success(cuStreamDestroy(stream));
    check_result(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    atomic_store(&words[0], 1);
    check_success(cuEventSynchronize(event));
    check_success(cuEventQuery(event));
}

TEST(destroying_a_pending_event_does_not_wait)
{
    with_context();
    atomic_uint *words = pinned_words(1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(0);

    hold_until(stream, &words[0]);
    check_success(cuEventRecord(event, stream));
    check_success(cuEventDestroy(event));
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    atomic_store(&words[0], 1);
    check_success(cuStreamSynchronize(stream));
}

TEST(flags_of_record_and_wait)
{
    with_context();
    CUevent event = new_event(0);
    check_success(cuEventRecordWithFlags(event, NULL, CU_EVENT_RECORD_DEFAULT));
    check_result(cuEventRecordWithFlags(event, NULL, CU_EVENT_RECORD_EXTERNAL),
                 CUDA_ERROR_ILLEGAL_STATE);
    check_result(cuStreamWaitEvent(NULL, event, CU_EVENT_WAIT_EXTERNAL), CUDA_ERROR_ILLEGAL_STATE);
    for (unsigned flags = 2; flags <= 4; flags++) {
        check_result(cuEventRecordWithFlags(event, NULL, flags), CUDA_ERROR_INVALID_VALUE);
        check_result(cuStreamWaitEvent(NULL, event, flags), CUDA_ERROR_INVALID_VALUE);
    }
}

TEST(the_time_between_events)
{
    float time = -1, back = 1, same = -1;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent start = new_event(0), end = new_event(CU_EVENT_BLOCKING_SYNC);
    CUevent timeless = new_event(CU_EVENT_DISABLE_TIMING);
    check_success(cuEventRecord(start, stream));
    check_success(cuEventRecord(end, stream));
    check_success(cuEventRecord(timeless, stream));
    check_success(cuStreamSynchronize(stream));
    check_success(cuEventElapsedTime(&time, start, end));
    check_success(cuEventElapsedTime(&back, end, start));
    check_success(cuEventElapsedTime(&same, start, start));
    check(time >= 0 && back <= 0 && same == 0 && time == -back);
    check_result(cuEventElapsedTime(NULL, start, end), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventElapsedTime(&time, start, timeless), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventElapsedTime(&time, timeless, end), CUDA_ERROR_INVALID_HANDLE);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

TEST(the_time_is_taken_when_the_event_is_reached)
{
    float time = -1;

    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent start = new_event(0), end = new_event(0);
    double before = seconds();
    check_success(cuEventRecord(start, stream));
    check_success(cuEventSynchronize(start));
    hold_until(stream, &words[0]);
    check_success(cuEventRecord(end, stream));
    check_result(cuEventElapsedTime(&time, start, end), CUDA_ERROR_NOT_READY);
    check(time == -1);
    double held = seconds();
    while (seconds() - held < 0.02)
        nap();
    atomic_store(&words[0], 1);
    check_success(cuEventSynchronize(end));
    double after = seconds();
    check_success(cuEventElapsedTime(&time, start, end));
    check(time >= 19 && time <= (after - before) * 1e3 + 1);
}

TEST(events_and_streams_of_two_contexts)
{
    CUcontext first = with_context(), second;
    float time;

    CUstream stream = new_stream(0);
    CUevent event = new_event(0);
    check_success(cuCtxCreate(&second, NULL, 0, 0));
    CUevent other = new_event(0);
    check_success(cuEventRecord(other, NULL));
    check_success(cuEventSynchronize(other));
    check_result(cuEventRecord(event, NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuEventRecord(other, stream), CUDA_ERROR_INVALID_HANDLE);
    check_success(cuEventRecord(event, stream));
    check_success(cuStreamWaitEvent(NULL, event, 0));
    check_success(cuEventSynchronize(event));
    check_success(cuEventQuery(event));
    check_result(cuEventElapsedTime(&time, event, other), CUDA_ERROR_INVALID_HANDLE);
    check_success(cuCtxDestroy(second));
    check_success(cuCtxSetCurrent(first));
}

/* An event of one context holds back a stream of another. */
TEST(waiting_across_contexts)
{
    CUcontext second;
    static struct note note;

    with_context();
    atomic_uint *words = pinned_words(2);
    CUstream first_stream = new_stream(0);
    CUevent event = new_event(0);
    hold_until(first_stream, &words[0]);
    write_word(first_stream, &words[1], 6);
    check_success(cuEventRecord(event, first_stream));
    check_success(cuCtxCreate(&second, NULL, 0, 0));
    CUstream second_stream = new_stream(0);
    check_success(cuStreamWaitEvent(second_stream, event, 0));
    note.word = &words[1];
    check_success(cuLaunchHostFunc(second_stream, note_run, &note));
    check_result(cuStreamQuery(second_stream), CUDA_ERROR_NOT_READY);
    atomic_store(&words[0], 1);
    check_success(cuStreamSynchronize(second_stream));
    check(note.seen == 6);
}

TEST(a_context_event_is_behind_all_streams)
{
    CUcontext context = with_context();
    atomic_uint *words = pinned_words(4);
    CUstream streams[] = {new_stream(0), new_stream(CU_STREAM_NON_BLOCKING), CU_STREAM_PER_THREAD};
    CUevent event = new_event(0);

    for (int i = 0; i < 3; i++)
        hold_until(streams[i], &words[i]);
    check_success(cuCtxRecordEvent(context, event));
    for (int i = 0; i < 3; i++) {
        check_result(cuEventQuery(event), CUDA_ERROR_NOT_READY);
        atomic_store(&words[i], 1);
    }
    check_success(cuEventSynchronize(event));
    check_success(cuEventQuery(event));
    check_success(cuCtxRecordEvent(context, event)); /* nothing to wait for */
    check_success(cuEventSynchronize(event));
}

TEST(a_context_event_does_not_wait_for_later_work)
{
    CUcontext context = with_context();
    atomic_uint *words = pinned_words(2);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING),
             later = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = new_event(0);

    hold_until(stream, &words[0]);
    check_success(cuCtxRecordEvent(context, event));
    hold_until(later, &words[1]);
    atomic_store(&words[0], 1);
    check_success(cuEventSynchronize(event));
    check_result(cuStreamQuery(later), CUDA_ERROR_NOT_READY);
    atomic_store(&words[1], 1);
    check_success(cuCtxSynchronize());
}

TEST(a_context_waits_for_an_event)
{
    CUcontext context = with_context();
    atomic_uint *words = pinned_words(8);
    CUstream held = new_stream(CU_STREAM_NON_BLOCKING);
    CUstream streams[4] = {new_stream(0), new_stream(CU_STREAM_NON_BLOCKING), NULL};
    CUevent event = new_event(0);

    hold_until(held, &words[0]);
    check_success(cuEventRecord(event, held));
    check_success(cuCtxWaitEvent(context, event));
    streams[3] = new_stream(CU_STREAM_NON_BLOCKING); /* made while the context waits */
    for (int i = 0; i < 4; i++)
        write_word(streams[i], &words[i + 1], 1);
    for (int i = 0; i < 4; i++) {
        check_result(cuStreamQuery(streams[i]), CUDA_ERROR_NOT_READY);
        check(atomic_load(&words[i + 1]) == 0);
    }
    atomic_store(&words[0], 1);
    check_success(cuCtxSynchronize());
    for (int i = 0; i < 4; i++)
        check(atomic_load(&words[i + 1]) == 1);
    check_success(cuCtxWaitEvent(context, event)); /* reached already */
    check_success(cuStreamQuery(new_stream(0)));
}

TEST(context_events_check_their_arguments)
{
    CUcontext primary = with_context(), context;
    CUevent event = new_event(0), other;

    check_success(cuCtxCreate(&context, NULL, 0, 0));
    other = new_event(0);
    check_result(cuCtxRecordEvent(NULL, event), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxWaitEvent(NULL, event), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxRecordEvent(context, NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuCtxWaitEvent(context, NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuCtxRecordEvent(primary, other), CUDA_ERROR_INVALID_HANDLE);
    check_success(cuCtxWaitEvent(primary, other));
    check_success(cuCtxRecordEvent(context, other));
    check_success(cuCtxDestroy(context));
    check_result(cuCtxRecordEvent(context, event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuCtxWaitEvent(context, event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

/* Recording, waiting and asking from several threads at once. */
struct racer {
    CUcontext context;
    CUstream stream;
    CUevent *events;
};

static void *race(void *data)
{
    struct racer *racer = data;
    float time;

    check_success(cuCtxSetCurrent(racer->context));
    for (int i = 0; i < 2000; i++) {
        CUevent event = racer->events[i % 4], next = racer->events[(i + 1) % 4];
        check_success(cuEventRecord(event, racer->stream));
        check_success(cuStreamWaitEvent(racer->stream, next, 0));
        CUresult result = cuEventQuery(next);
        check(result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY);
        cuEventElapsedTime(&time, event, next);
        if (i % 50 == 0)
            check_success(cuEventSynchronize(event));
    }
    return NULL;
}

TEST(threads_share_events)
{
    static struct racer racers[4];
    CUevent events[4];
    pthread_t threads[4];

    CUcontext context = with_context();
    for (int i = 0; i < 4; i++)
        events[i] = new_event(0);
    for (int i = 0; i < 4; i++) {
        racers[i] = (struct racer){context, new_stream(i & 1), events};
        check(pthread_create(&threads[i], NULL, race, &racers[i]) == 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    check_success(cuCtxSynchronize());
    for (int i = 0; i < 4; i++)
        check_success(cuEventQuery(events[i]));
}
