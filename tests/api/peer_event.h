/* SPDX-License-Identifier: MIT */
/* Events that another process opens. */
#ifndef TEST_PEER_EVENT_H
#define TEST_PEER_EVENT_H

#include "peer.h"

static inline CUevent event_new(void)
{
    CUevent event;

    check_success(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    return event;
}

static inline CUipcEventHandle handle_of(CUevent event)
{
    CUipcEventHandle handle;

    check_success(cuIpcGetEventHandle(&handle, event));
    return handle;
}

static inline void event_send(int socket, CUevent event)
{
    CUipcEventHandle handle = handle_of(event);

    peer_send(socket, &handle, sizeof(handle));
}

static inline CUevent event_receive(int socket)
{
    CUipcEventHandle handle;
    CUevent event;

    peer_receive(socket, &handle, sizeof(handle));
    check_success(cuIpcOpenEventHandle(&event, handle));
    return event;
}

#endif
