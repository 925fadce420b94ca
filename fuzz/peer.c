/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include "descriptors.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void must(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "peer: %s answers %d\n", what, result);
    abort();
}

static void start_library(void)
{
    CUcontext context;

    must(cuInit(0), "cuInit");
    must(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

static void share_pool(struct peer *peer)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool pool;
    CUdeviceptr memory;

    must(cuMemPoolCreate(&pool, &properties), "cuMemPoolCreate");
    must(cuMemAllocFromPoolAsync(&memory, 4096, pool, NULL), "cuMemAllocFromPoolAsync");
    must(cuStreamSynchronize(NULL), "cuStreamSynchronize");
    must(cuMemPoolExportToShareableHandle(&peer->pool_fd, pool,
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
         "cuMemPoolExportToShareableHandle");
    must(cuMemPoolExportPointer(&peer->pointer, memory), "cuMemPoolExportPointer");
}

static void share_all(struct peer *peer)
{
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .requestedHandleTypes =
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemGenericAllocationHandle memory;
    CUdeviceptr small, large;
    CUevent event;

    must(cuMemAlloc(&small, 4096), "cuMemAlloc");
    must(cuMemAlloc(&large, 3 << 20), "cuMemAlloc");
    must(cuIpcGetMemHandle(&peer->small, small), "cuIpcGetMemHandle");
    must(cuIpcGetMemHandle(&peer->large, large), "cuIpcGetMemHandle");
    must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS), "cuEventCreate");
    must(cuEventRecord(event, NULL), "cuEventRecord");
    must(cuIpcGetEventHandle(&peer->event, event), "cuIpcGetEventHandle");
    must(cuMemCreate(&memory, 2 << 20, &properties, 0), "cuMemCreate");
    must(cuMemExportToShareableHandle(&peer->memory_fd, memory,
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
         "cuMemExportToShareableHandle");
    share_pool(peer);
}

static void send_all(int socket, const struct peer *peer)
{
    const int fds[] = {peer->memory_fd, peer->pool_fd};

    if (!descriptors_send(socket, peer, sizeof(*peer), fds, 2))
        abort();
}

static void receive_all(int socket, struct peer *peer)
{
    int fds[2];

    if (!descriptors_receive(socket, peer, sizeof(*peer), fds, 2) || fds[1] < 0)
        abort();
    peer->memory_fd = fds[0];
    peer->pool_fd = fds[1];
}

void peer_start(struct peer *peer)
{
    int sockets[2];
    pid_t parent = getpid();

    setenv("CUPIPE_MEMORY", "64M", 0);
    setenv("CUPIPE_THREADS", "1", 0);
    setenv("CUPIPE_LOG", "none", 0);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        abort();
    pid_t pid = fork();
    if (pid < 0)
        abort();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        start_library();
        share_all(peer);
        send_all(sockets[1], peer);
        for (;;)
            pause();
    }
    close(sockets[1]);
    receive_all(sockets[0], peer);
    close(sockets[0]);
    start_library();
}
