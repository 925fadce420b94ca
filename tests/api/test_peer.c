/* SPDX-License-Identifier: MIT */
/* Peer access between the four devices that this test configures. */
#include "test.h"

enum { DEVICES = 4, NO_DEVICE = 99 };

/* The primary contexts of four devices; that of device 0 is current. */
static void with_devices(CUcontext contexts[DEVICES])
{
    check(setenv("CUPIPE_DEVICES", "4", 1) == 0 && setenv("CUPIPE_MEMORY", "256M", 1) == 0);
    check_success(cuInit(0));
    only_cupipe();
    for (int i = 0; i < DEVICES; i++)
        check_success(cuDevicePrimaryCtxRetain(&contexts[i], i));
    check_success(cuCtxSetCurrent(contexts[0]));
}

TEST(a_device_is_not_its_own_peer)
{
    int can = 7, value = 7;
    CUcontext primary = with_context(), context;

    check_success(cuDeviceCanAccessPeer(&can, 0, 0));
    check(can == 0);
    check_result(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0),
                 CUDA_ERROR_INVALID_DEVICE);
    check_success(cuCtxCreate(&context, NULL, 0, 0));
    check_result(cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    check_result(cuCtxEnablePeerAccess(primary, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    check_result(cuCtxDisablePeerAccess(context), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    check_result(cuCtxDisablePeerAccess(primary), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    check(value == 7);
}

TEST(arguments)
{
    int can = 7;
    CUcontext context = with_context();

    check_result(cuDeviceCanAccessPeer(NULL, 0, NO_DEVICE), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceCanAccessPeer(&can, 0, NO_DEVICE), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDeviceCanAccessPeer(&can, NO_DEVICE, 0), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuDeviceCanAccessPeer(&can, -1, 0), CUDA_ERROR_INVALID_DEVICE);
    check_result(
        cuDeviceGetP2PAttribute(NULL, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 0, NO_DEVICE),
        CUDA_ERROR_INVALID_VALUE);
    check_result(
        cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 0, NO_DEVICE),
        CUDA_ERROR_INVALID_DEVICE);
    check_result(cuCtxEnablePeerAccess(NULL, 0), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxEnablePeerAccess(context, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxDisablePeerAccess(NULL), CUDA_ERROR_INVALID_CONTEXT);
    check(can == 7);
}

TEST(without_a_context)
{
    check_success(cuInit(0));
    check_result(cuCtxEnablePeerAccess(NULL, 1), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cuCtxDisablePeerAccess(NULL), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(all_devices_can_be_peers)
{
    CUcontext contexts[DEVICES];
    int can, value;

    with_devices(contexts);
    for (int i = 0; i < DEVICES; i++) {
        for (int j = 0; j < DEVICES; j++) {
            can = 7;
            check_success(cuDeviceCanAccessPeer(&can, i, j));
            check(can == (i != j));
        }
    }
    check_success(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 3));
    check(value == 1);
    check_success(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 2, 1));
    check(value == 0);
    check_result(cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)0, 0, 1),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)99, 0, 1),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(access_is_enabled_once)
{
    CUcontext contexts[DEVICES];

    with_devices(contexts);
    check_result(cuCtxDisablePeerAccess(contexts[1]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    check_success(cuCtxEnablePeerAccess(contexts[1], 0));
    check_result(cuCtxEnablePeerAccess(contexts[1], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    check_success(cuCtxEnablePeerAccess(contexts[3], 0));
    check_success(cuCtxDisablePeerAccess(contexts[1]));
    check_result(cuCtxDisablePeerAccess(contexts[1]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    check_result(cuCtxEnablePeerAccess(contexts[3], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
}

TEST(access_has_a_direction)
{
    CUcontext contexts[DEVICES];

    with_devices(contexts);
    check_success(cuCtxEnablePeerAccess(contexts[1], 0));
    check_success(cuCtxSetCurrent(contexts[1]));
    check_result(cuCtxDisablePeerAccess(contexts[0]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    check_success(cuCtxEnablePeerAccess(contexts[0], 0));
}

TEST(reset_forgets_peers)
{
    CUcontext contexts[DEVICES];

    with_devices(contexts);
    check_success(cuCtxEnablePeerAccess(contexts[1], 0));
    check_success(cuDevicePrimaryCtxReset(0));
    check_success(cuDevicePrimaryCtxRetain(&contexts[0], 0));
    check_success(cuCtxEnablePeerAccess(contexts[1], 0));
}

TEST(a_context_that_ended_is_no_peer)
{
    CUcontext contexts[DEVICES], other;

    with_devices(contexts);
    check_success(cuCtxCreate(&other, NULL, 0, 2));
    check_success(cuCtxDestroy(other));
    check_result(cuCtxEnablePeerAccess(other, 0), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_success(cuDevicePrimaryCtxReset(3));
    check_result(cuCtxEnablePeerAccess(contexts[3], 0), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST(copy_between_devices)
{
    CUcontext contexts[DEVICES];
    CUdeviceptr here, there;
    char bytes[4096], back[4096] = {0};

    with_devices(contexts);
    memset(bytes, 7, sizeof(bytes));
    check_success(cuMemAlloc(&here, sizeof(bytes)));
    check_success(cuMemcpyHtoD(here, bytes, sizeof(bytes)));
    check_success(cuCtxSetCurrent(contexts[3]));
    check_success(cuMemAlloc(&there, sizeof(bytes)));
    check_success(cuMemcpyPeer(there, contexts[3], here, contexts[0], sizeof(bytes)));
    check_success(cuMemcpyDtoH(back, there, sizeof(back)));
    check(memcmp(bytes, back, sizeof(bytes)) == 0);
}

/* A copy without a stream is ordered with the work of both contexts, not only of the current
 * one. */
TEST(copies_are_ordered_with_both_contexts)
{
    CUcontext contexts[DEVICES];
    CUdeviceptr memory[DEVICES];
    unsigned char byte = 0;

    check(setenv("CUPIPE_SCHEDULE", "lazy", 1) == 0); /* work waits until someone waits for it */
    with_devices(contexts);
    for (int i = 0; i < DEVICES; i++) {
        check_success(cuCtxSetCurrent(contexts[i]));
        check_success(cuMemAlloc(&memory[i], 4096));
        check_success(cuMemsetD8(memory[i], (unsigned char)(i + 1), 4096));
    }
    check_success(cuCtxSetCurrent(contexts[3]));
    check_success(cuMemcpyPeer(memory[1], contexts[1], memory[0], contexts[0], 4096));
    check_success(cuMemcpyDtoH(&byte, memory[1], 1));
    check(byte == 1);
    check_success(cuCtxSetCurrent(contexts[1]));
    check_success(cuMemsetD8(memory[1], 9, 4096));
    check_success(cuCtxSetCurrent(contexts[3]));
    check_success(cuMemcpyPeer(memory[2], contexts[2], memory[1], contexts[1], 4096));
    check_success(cuMemcpyDtoH(&byte, memory[2], 1));
    check(byte == 9);
}

TEST(memory_belongs_to_its_device)
{
    CUcontext contexts[DEVICES];

    with_devices(contexts);
    for (int i = 0; i < DEVICES; i++) {
        CUdeviceptr pointer;
        int ordinal = 7;
        check_success(cuCtxSetCurrent(contexts[i]));
        check_success(cuMemAlloc(&pointer, 4096));
        check_success(
            cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer));
        check(ordinal == i);
    }
}

/* Value operations reach the memory that kernels of the stream's device reach. */
TEST(value_operations_need_peer_access)
{
    CUcontext contexts[DEVICES];
    CUdeviceptr own, other;
    CUstream stream;

    with_devices(contexts);
    check_success(cuMemAlloc(&own, 64));
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuCtxSetCurrent(contexts[1]));
    check_success(cuMemAlloc(&other, 64));
    check_success(cuCtxSetCurrent(contexts[0]));
    check_success(cuStreamWriteValue32(stream, own, 1, 0));
    check_result(cuStreamWriteValue32(stream, other, 1, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamWaitValue32(stream, other, 0, CU_STREAM_WAIT_VALUE_EQ),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuCtxEnablePeerAccess(contexts[1], 0));
    check_success(cuStreamWriteValue32(stream, other, 1, 0));
    check_success(cuStreamWaitValue32(stream, other, 1, CU_STREAM_WAIT_VALUE_EQ));
    check_success(cuStreamSynchronize(stream));
}
