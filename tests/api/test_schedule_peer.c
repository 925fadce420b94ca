/* SPDX-License-Identifier: MIT */
/* Correct programs of two processes, under the schedules that put work off: one waits for work of
 * the other, which does not call the library meanwhile. */
#include "late.h"
#include "peer.h"

/* What a process shares with another: a word of its memory, and an event. */
struct shared {
    CUipcMemHandle memory;
    CUipcEventHandle event;
};

/* A word of device memory, zero before anything else happens. */
static CUdeviceptr new_word(void)
{
    CUdeviceptr word;

    check_success(cuMemAlloc(&word, 4));
    check_success(cuMemsetD32(word, 0, 1));
    check_success(cuCtxSynchronize());
    return word;
}

static void send_shared(int socket, CUdeviceptr word, CUevent event)
{
    struct shared shared;

    check_success(cuIpcGetMemHandle(&shared.memory, word));
    check_success(cuIpcGetEventHandle(&shared.event, event));
    peer_send(socket, &shared, sizeof(shared));
}

static void open_shared(int socket, CUdeviceptr *word, CUevent *event)
{
    struct shared shared;

    peer_receive(socket, &shared, sizeof(shared));
    check_success(cuIpcOpenMemHandle(word, shared.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    check_success(cuIpcOpenEventHandle(event, shared.event));
}

static CUevent shared_event(void)
{
    return new_event(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
}

static unsigned read_word(CUdeviceptr word, CUstream stream)
{
    unsigned value = 0;

    check_success(cuMemcpyDtoHAsync(&value, word, 4, stream));
    check_success(cuStreamSynchronize(stream));
    return value;
}

/* Submits work and an event behind it, then waits for the peer to end. */
static void record_and_wait(void (*work)(int socket))
{
    struct peer peer = peer_start(work);

    with_context();
    CUdeviceptr word = new_word();
    CUstream stream = free_stream();
    CUevent event = shared_event();
    check_success(cuMemsetD32Async(word, 42, 1, stream));
    check_success(cuEventRecord(event, stream));
    send_shared(peer.socket, word, event);
    peer_finish(&peer);
}

static void synchronize_event(int socket)
{
    CUdeviceptr word;
    CUevent event;

    with_context();
    open_shared(socket, &word, &event);
    check_success(cuEventSynchronize(event));
    check(read_word(word, free_stream()) == 42);
}

static void wait_for_event(int socket)
{
    CUdeviceptr word;
    CUevent event;

    with_context();
    open_shared(socket, &word, &event);
    CUstream stream = free_stream();
    check_success(cuStreamWaitEvent(stream, event, 0));
    check(read_word(word, stream) == 42);
}

static void query_event(int socket)
{
    CUdeviceptr word;
    CUevent event;
    CUresult result;

    with_context();
    open_shared(socket, &word, &event);
    while ((result = cuEventQuery(event)) == CUDA_ERROR_NOT_READY)
        nap();
    check_success(result);
    check(read_word(word, free_stream()) == 42);
}

static void poll_memory(int socket)
{
    CUdeviceptr word;
    CUevent event;

    with_context();
    open_shared(socket, &word, &event);
    CUstream stream = free_stream();
    while (read_word(word, stream) != 42)
        nap();
}

LATE_TEST(peer_synchronises_with_an_event)
{
    record_and_wait(synchronize_event);
}

LATE_TEST(stream_of_a_peer_waits_for_an_event)
{
    record_and_wait(wait_for_event);
}

LATE_TEST(peer_asks_for_an_event)
{
    record_and_wait(query_event);
}

LATE_TEST(peer_polls_memory)
{
    record_and_wait(poll_memory);
}

/* The event is recorded behind a wait for what this process has submitted and does not ask for. */
static void write_and_synchronize(int socket)
{
    CUdeviceptr word;
    CUevent event;

    with_context();
    open_shared(socket, &word, &event);
    check_success(cuMemsetD32Async(word, 1, 1, free_stream()));
    check_success(cuEventSynchronize(event));
    peer_signal(socket);
}

LATE_TEST(event_waits_for_work_of_the_process_that_waits_for_it)
{
    struct peer peer = peer_start(write_and_synchronize);

    with_context();
    CUdeviceptr word = new_word();
    CUstream stream = free_stream();
    CUevent event = shared_event();
    check_success(cuStreamWaitValue32(stream, word, 1, CU_STREAM_WAIT_VALUE_EQ));
    check_success(cuEventRecord(event, stream));
    send_shared(peer.socket, word, event);
    peer_await(peer.socket);
    peer_finish(&peer);
}
