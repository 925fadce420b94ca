/* SPDX-License-Identifier: MIT */
/* Found by the soak: a process that opened an event of another was entered in a table of 1,024
 * slots and never removed, so after as many processes no event could be opened. */
#include "peer.h"

enum { OPENERS = 1100, AT_ONCE = 4 };

static void export_event(int socket)
{
    CUipcEventHandle handle;
    CUevent event;

    with_context();
    check_success(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    check_success(cuIpcGetEventHandle(&handle, event));
    check_success(cuEventRecord(event, NULL));
    peer_send(socket, &handle, sizeof(handle));
    peer_await(socket);
    check_success(cuEventSynchronize(event));
    check_success(cuEventDestroy(event));
}

static CUipcEventHandle handle;

static void open_event(int socket)
{
    CUevent event;

    (void)socket;
    with_context();
    check_success(cuIpcOpenEventHandle(&event, handle));
    check_success(cuEventSynchronize(event));
    check_success(cuEventRecord(event, NULL));
    check_success(cuEventSynchronize(event));
}

TEST(as_many_processes_as_there_are_open_an_event_one_after_the_other)
{
    struct peer exporter, openers[AT_ONCE];

    setenv("CUPIPE_MEMORY", "64M", 0);
    setenv("CUPIPE_THREADS", "1", 0);
    exporter = peer_start(export_event);
    peer_receive(exporter.socket, &handle, sizeof(handle));
    for (int i = 0; i < OPENERS; i += AT_ONCE) {
        for (int k = 0; k < AT_ONCE; k++)
            openers[k] = peer_start(open_event);
        for (int k = 0; k < AT_ONCE; k++)
            peer_finish(&openers[k]);
    }
    peer_signal(exporter.socket);
    peer_finish(&exporter);
}
