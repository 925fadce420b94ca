/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=streams: streams that are ordered by what other programs share: external semaphores,
 * and events of another process. */
#include "peer_event.h"

#include "checked_streams.h"
#include "semaphore_file.h"

/* A semaphore orders what comes before its signal, not what comes after. */
static void run_semaphore(void)
{
    struct world world = begin();
    CUexternalSemaphore semaphore = import_file(make_file(TIMELINE));

    if (is_right)
        write_first(&world);
    check_success(signal_one(semaphore, 1, world.a));
    if (!is_right)
        write_first(&world);
    check_success(wait_one(semaphore, 1, world.b));
    read_then(&world);
    finish();
}

/* The wait may be there before the signal. */
static void run_semaphore_backwards(void)
{
    struct world world = begin();
    CUexternalSemaphore semaphores[2];

    for (int i = 0; i < 2; i++)
        semaphores[i] = import_file(make_file(TIMELINE));
    check_success(wait_one(semaphores[0], 5, world.b));
    read_then(&world);
    write_first(&world);
    check_success(signal_one(semaphores[!is_right], 5, world.a));
    if (!is_right) /* whoever signals it, it is not the stream that writes */
        check_success(signal_one(semaphores[0], 5, new_stream(CU_STREAM_NON_BLOCKING)));
    finish();
}

TEST(semaphores_order_streams)
{
    check_both(run_semaphore, "  read by cuMemcpyDtoDAsync_v2, in stream 0x");
    check_both(run_semaphore_backwards, "  written by cuMemsetD32Async, in stream 0x");
}

/* Another process, whose stream waits for one event and records another. */
static void pass_on(int socket)
{
    with_context();
    CUevent second = event_new(), first = event_receive(socket);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);

    event_send(socket, second);
    peer_await(socket);
    check_success(cuStreamWaitEvent(stream, first, 0));
    check_success(cuEventRecord(second, stream));
    peer_signal(socket);
    peer_await(socket);
}

/* The order goes through the other process, if the second stream waits for it. */
static void run_other_process(void)
{
    struct peer peer = peer_start(pass_on);
    struct world world = begin();
    CUevent first = event_new(), second;

    event_send(peer.socket, first);
    second = event_receive(peer.socket);
    write_first(&world);
    check_success(cuEventRecord(first, world.a));
    peer_signal(peer.socket);
    peer_await(peer.socket);
    if (is_right)
        check_success(cuStreamWaitEvent(world.b, second, 0));
    read_then(&world);
    finish();
    peer_signal(peer.socket);
    peer_finish(&peer);
}

/* An event that could be of another process, and is not. */
static void run_own_event(void)
{
    struct world world = begin();
    CUevent event = event_new();

    write_first(&world);
    check_success(cuEventRecord(event, world.a));
    if (is_right)
        check_success(cuStreamWaitEvent(world.b, event, 0));
    read_then(&world);
    finish();
}

TEST(events_of_other_processes_order_streams)
{
    check_both(run_other_process, "  written by cuMemsetD32Async, in stream 0x");
    check_both(run_own_event, "  read by cuMemcpyDtoDAsync_v2, in stream 0x");
}
