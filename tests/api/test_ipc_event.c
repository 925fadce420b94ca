/* SPDX-License-Identifier: MIT */
/* Events of one process in another: recorded here, waited for there. */
#include "peer_event.h"

static CUstream stream_new(void)
{
    CUstream stream;

    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

static void wait_for_flag(void *flag)
{
    flag_wait(flag);
}

static void sleep_a_little(void)
{
    usleep(50000);
}

/* Exports an event, records it behind a host function that waits, ends the wait when told. */
static void record_behind_a_wait(int socket)
{
    struct flag go_on = {0};

    with_context();
    CUevent event = event_new();
    CUipcEventHandle handle = handle_of(event);
    CUstream stream = stream_new();
    check_success(cuLaunchHostFunc(stream, wait_for_flag, &go_on));
    check_success(cuEventRecord(event, stream));
    peer_send(socket, &handle, sizeof(handle));
    peer_await(socket);
    flag_raise(&go_on);
    check_success(cuStreamSynchronize(stream));
    peer_signal(socket);
    peer_await(socket);
}

TEST(event_is_reached_when_the_other_process_reaches_it)
{
    struct peer peer = peer_start(record_behind_a_wait);

    with_context();
    CUevent event = event_receive(peer.socket);
    check_result(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    peer_signal(peer.socket);
    check_success(cuEventSynchronize(event));
    check_success(cuEventQuery(event));
    peer_await(peer.socket);
    peer_signal(peer.socket);
    peer_finish(&peer);
}

TEST(stream_waits_for_the_other_process_and_holds_up_nobody)
{
    struct peer peer = peer_start(record_behind_a_wait);
    unsigned char byte = 0;
    CUdeviceptr ptr, other;

    with_context();
    CUevent event = event_receive(peer.socket);
    check_success(cuMemAlloc(&ptr, 4096));
    check_success(cuMemAlloc(&other, 4096));
    check_success(cuMemsetD8(ptr, 1, 4096));
    check_success(cuCtxSynchronize());
    CUstream waiting = stream_new(), free_stream = stream_new();
    check_success(cuStreamWaitEvent(waiting, event, 0));
    check_success(cuMemsetD8Async(ptr, 2, 4096, waiting));
    check_success(cuMemsetD8Async(other, 3, 4096, free_stream));
    check_success(cuStreamSynchronize(free_stream));
    sleep_a_little();
    check_result(cuStreamQuery(waiting), CUDA_ERROR_NOT_READY);
    peer_signal(peer.socket);
    check_success(cuStreamSynchronize(waiting));
    check_success(cuMemcpyDtoH(&byte, ptr, 1));
    check(byte == 2);
    peer_await(peer.socket);
    peer_signal(peer.socket);
    peer_finish(&peer);
}

/* What a dead process has recorded will never run: those who wait for it go on. */
TEST(dead_recorder_holds_up_nobody_for_ever)
{
    struct peer peer = peer_start(record_behind_a_wait);

    with_context();
    only_cupipe();
    CUevent event = event_receive(peer.socket);
    CUstream waiting = stream_new();
    check_success(cuStreamWaitEvent(waiting, event, 0));
    check_result(cuStreamQuery(waiting), CUDA_ERROR_NOT_READY);
    peer_kill(&peer);
    check_success(cuStreamSynchronize(waiting));
    check_success(cuEventSynchronize(event));
    check_success(cuEventRecord(event, waiting));
    check_success(cuEventSynchronize(event));
    check_success(cuEventDestroy(event));
}

static void record_there(int socket)
{
    with_context();
    CUevent event = event_receive(socket);
    CUstream stream = stream_new();
    check_success(cuEventQuery(event));
    check_success(cuEventRecord(event, stream));
    check_success(cuStreamSynchronize(stream));
    peer_signal(socket);
    peer_await(socket);
    check_result(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    peer_signal(socket);
    check_success(cuEventSynchronize(event));
    check_success(cuEventDestroy(event));
}

TEST(both_sides_record_and_the_latest_counts)
{
    struct peer peer = peer_start(record_there);
    struct flag go_on = {0};

    with_context();
    CUevent event = event_new();
    CUstream stream = stream_new();
    event_send(peer.socket, event);
    peer_await(peer.socket);
    check_success(cuEventSynchronize(event));
    check_success(cuLaunchHostFunc(stream, wait_for_flag, &go_on));
    check_success(cuEventRecord(event, stream));
    check_result(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    peer_signal(peer.socket);
    peer_await(peer.socket);
    flag_raise(&go_on);
    check_success(cuEventSynchronize(event));
    peer_finish(&peer);
}

TEST(only_interprocess_events_have_handles)
{
    CUipcEventHandle handle;
    CUevent event;

    with_context();
    for (unsigned flags = 0; flags < 4; flags++) {
        check_success(cuEventCreate(&event, flags));
        check_result(cuIpcGetEventHandle(&handle, event), CUDA_ERROR_INVALID_HANDLE);
        check_success(cuEventDestroy(event));
    }
    check_result(cuEventCreate(&event, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
    check_result(cuIpcGetEventHandle(&handle, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(event_of_the_process_itself_is_not_opened)
{
    CUevent opened;

    with_context();
    CUipcEventHandle handle = handle_of(event_new());
    check_result(cuIpcOpenEventHandle(&opened, handle), CUDA_ERROR_INVALID_CONTEXT);
    memset(&handle, 0, sizeof(handle));
    check_result(cuIpcOpenEventHandle(&opened, handle), CUDA_ERROR_MAP_FAILED);
}

static void open_damaged(int socket)
{
    CUipcEventHandle handle;
    CUevent event;

    with_context();
    peer_receive(socket, &handle, sizeof(handle));
    for (int round = 0; round < 2; round++) {
        for (size_t bit = 0; bit < 8 * sizeof(handle); bit++) {
            CUipcEventHandle wrong = handle;
            wrong.reserved[bit / 8] = (char)(wrong.reserved[bit / 8] ^ 1 << bit % 8);
            check_result(cuIpcOpenEventHandle(&event, wrong), CUDA_ERROR_MAP_FAILED);
        }
        check_success(cuIpcOpenEventHandle(&event, handle));
    }
}

TEST(damaged_handles_open_no_event)
{
    struct peer peer = peer_start(open_damaged);

    with_context();
    only_cupipe();
    event_send(peer.socket, event_new());
    peer_finish(&peer);
}

/* Slots are used again; an event is its own all the same. */
TEST(many_events_come_and_go)
{
    struct flag go_on = {0};

    with_context();
    CUstream stream = stream_new();
    CUevent pending = event_new();
    check_success(cuLaunchHostFunc(stream, wait_for_flag, &go_on));
    check_success(cuEventRecord(pending, stream));
    for (int i = 0; i < 10000; i++) {
        CUevent event = event_new();
        check_success(cuEventQuery(event));
        check_success(cuEventRecord(event, CU_STREAM_PER_THREAD));
        check_success(cuEventSynchronize(event));
        check_success(cuEventDestroy(event));
    }
    check_result(cuEventQuery(pending), CUDA_ERROR_NOT_READY);
    flag_raise(&go_on);
    check_success(cuEventSynchronize(pending));
}
