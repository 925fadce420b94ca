/* SPDX-License-Identifier: MIT */
/* Multicast objects that processes share: each adds a device and binds its memory. */
#include "descriptors.h"
#include "peer.h"
#include "test.h"
#include "multicast.h"

enum { FD_TYPE = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR };

/* One process of the two: an object, memory of its device bound to it, and both mapped. */
struct side {
    CUmemGenericAllocationHandle object, memory;
    CUdeviceptr ptr, own;
};

/* Each process sees one device, as ranks of a job do. */
static void with_device(const char *which)
{
    setenv("CUPIPE_DEVICES", "2", 1);
    setenv("CUPIPE_MEMORY", "256M", 1);
    setenv("CUDA_VISIBLE_DEVICES", which, 1);
    with_context();
    only_cupipe();
}

static CUdeviceptr map_here(CUmemGenericAllocationHandle memory)
{
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr ptr;

    check_success(cuMemAddressReserve(&ptr, BYTES, 0, 0, 0));
    check_success(cuMemMap(ptr, BYTES, 0, memory, 0));
    check_success(cuMemSetAccess(ptr, BYTES, &access, 1));
    return ptr;
}

static void join_team(struct side *side)
{
    check_success(cuMulticastAddDevice(side->object, 0));
    side->memory = new_memory(0);
    side->own = map_here(side->memory);
    check_success(cuMulticastBindMem(side->object, 0, side->memory, 0, BYTES, 0));
    side->ptr = map_here(side->object);
}

static CUmemGenericAllocationHandle exportable(void)
{
    CUmulticastObjectProp prop = properties();
    CUmemGenericAllocationHandle object;

    prop.handleTypes = FD_TYPE;
    check_success(cuMulticastCreate(&object, &prop));
    return object;
}

static void send_object(int socket, CUmemGenericAllocationHandle object)
{
    int fd = -1;

    check_success(cuMemExportToShareableHandle(&fd, object, (CUmemAllocationHandleType)FD_TYPE, 0));
    check(descriptors_send(socket, "x", 1, &fd, 1));
    close(fd);
}

static CUmemGenericAllocationHandle receive_object(int socket)
{
    CUmemGenericAllocationHandle object;
    char byte;
    int fd;

    check(descriptors_receive(socket, &byte, 1, &fd, 1) && fd >= 0);
    check_success(cuMemImportFromShareableHandle(&object, (void *)(intptr_t)fd,
                                                 (CUmemAllocationHandleType)FD_TYPE));
    close(fd);
    return object;
}

/* Serves requests of one byte: w writes 5 behind the object's address, r answers with the first
 * word of its own memory, u unbinds, b binds again, q ends. */
static void serve(int socket)
{
    struct side side;
    char request;

    with_device("1");
    side.object = receive_object(socket);
    join_team(&side);
    peer_signal(socket);
    while (recv(socket, &request, 1, 0) == 1 && request != 'q') {
        unsigned answer = 0;

        if (request == 'w')
            check_success(cuMemsetD32(side.ptr, 5, BYTES / 4));
        if (request == 'u')
            check_success(cuMulticastUnbind(side.object, 0, 0, BYTES));
        if (request == 'b')
            check_success(cuMulticastBindMem(side.object, 0, side.memory, 0, BYTES, 0));
        if (request == 'r')
            answer = word_at(side.own);
        check_success(cuCtxSynchronize());
        peer_send(socket, &answer, sizeof(answer));
    }
}

static unsigned ask(const struct peer *peer, char request)
{
    unsigned answer;

    peer_send(peer->socket, &request, 1);
    peer_receive(peer->socket, &answer, sizeof(answer));
    return answer;
}

static struct peer begin(struct side *side)
{
    struct peer peer = peer_start(serve);

    with_device("0");
    side->object = exportable();
    send_object(peer.socket, side->object);
    join_team(side);
    peer_await(peer.socket);
    return peer;
}

TEST(writes_reach_both_processes)
{
    struct side side;
    struct peer peer = begin(&side);

    check_success(cuMemsetD32(side.ptr, 7, BYTES / 4));
    check_success(cuCtxSynchronize());
    check(word_at(side.own) == 7 && word_at(side.own + BYTES - 4) == 7);
    check(ask(&peer, 'r') == 7);
    ask(&peer, 'w');
    check(word_at(side.own) == 5 && ask(&peer, 'r') == 5);
    peer_send(peer.socket, "q", 1);
    peer_finish(&peer);
}

TEST(the_other_process_unbinds_and_binds)
{
    struct side side;
    struct peer peer = begin(&side);

    check_success(cuMemsetD32(side.ptr, 7, 4));
    check(ask(&peer, 'r') == 7);
    ask(&peer, 'u');
    ask(&peer, 'b');
    check_success(cuMemsetD32(side.ptr, 8, 4));
    check_success(cuCtxSynchronize());
    check(ask(&peer, 'r') == 8 && word_at(side.own) == 8);
    /* what another process has bound is its own */
    check_result(cuMulticastUnbind(side.object, 0, HALF, HALF), CUDA_ERROR_INVALID_VALUE);
    ask(&peer, 'u');
    check_success(cuMemsetD32Async(side.ptr, 9, 4, NULL));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    peer_kill(&peer);
}

/* Its memory stays where it was mapped, and its place in the team becomes free. */
TEST(the_other_process_dies)
{
    struct side side;
    struct peer peer = begin(&side);

    check_success(cuMemsetD32(side.ptr, 7, 4));
    peer_kill(&peer);
    check_success(cuMemsetD32(side.ptr, 8, 4));
    check_success(cuCtxSynchronize());
    check(word_at(side.own) == 8);
    check_success(cuMulticastUnbind(side.object, 0, 0, BYTES));
    check_success(cuMulticastBindMem(side.object, 0, side.memory, 0, BYTES, 0));
    check_success(cuMemUnmap(side.ptr, BYTES));
    check_success(cuMemRelease(side.object));
}

TEST(one_process_imports_its_own_object)
{
    CUmemGenericAllocationHandle object, again;
    CUdeviceptr ptr, own[DEVICES];
    int fd = -1;

    with_devices();
    object = exportable();
    check_success(cuMemExportToShareableHandle(&fd, object, (CUmemAllocationHandleType)FD_TYPE, 0));
    check_success(cuMemImportFromShareableHandle(&again, (void *)(intptr_t)fd,
                                                 (CUmemAllocationHandleType)FD_TYPE));
    for (int i = 0; i < DEVICES; i++)
        check_success(cuMulticastAddDevice(i ? again : object, i));
    for (int i = 0; i < DEVICES; i++) {
        CUmemGenericAllocationHandle memory = new_memory(i);
        own[i] = map(memory);
        check_success(cuMulticastBindMem(i ? again : object, 0, memory, 0, BYTES, 0));
    }
    ptr = map(again);
    check_success(cuMemsetD32(ptr, 3, BYTES / 4));
    check(word_at(own[0]) == 3 && word_at(own[1]) == 3);
    /* an imported object cannot be exported, and a descriptor of it is no memory */
    check_result(cuMemExportToShareableHandle(&fd, again, (CUmemAllocationHandleType)FD_TYPE, 0),
                 CUDA_ERROR_INVALID_VALUE);
    close(fd);
}

TEST(objects_without_a_type_are_not_exported)
{
    CUmulticastObjectProp prop = properties();
    CUmemGenericAllocationHandle object;
    int fd = -1;

    with_devices();
    check_result(
        cuMemExportToShareableHandle(&fd, new_object(), (CUmemAllocationHandleType)FD_TYPE, 0),
        CUDA_ERROR_INVALID_VALUE);
    prop.handleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    check_result(cuMulticastCreate(&object, &prop), CUDA_ERROR_NOT_SUPPORTED);
}

/* A team's file that was damaged by another process harms nobody. */
TEST(damaged_teams_are_harmless)
{
    struct side side;
    struct peer peer = begin(&side);
    char zeros[4096], ones[4096];
    int fd = -1;

    check_success(
        cuMemExportToShareableHandle(&fd, side.object, (CUmemAllocationHandleType)FD_TYPE, 0));
    memset(zeros, 0, sizeof(zeros));
    memset(ones, 0xff, sizeof(ones));
    for (off_t at = 4096; at < 64 << 10; at += 4096)
        check(pwrite(fd, ones, sizeof(ones), at) == sizeof(ones));
    cuMemsetD32Async(side.ptr, 8, 4, NULL);
    cuCtxSynchronize();
    for (off_t at = 0; at < 64 << 10; at += 4096)
        check(pwrite(fd, zeros, sizeof(zeros), at) == sizeof(zeros));
    cuMulticastUnbind(side.object, 0, 0, BYTES);
    cuMemUnmap(side.ptr, BYTES);
    check_success(cuMemRelease(side.object));
    close(fd);
    peer_kill(&peer);
}
