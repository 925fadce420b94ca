/* SPDX-License-Identifier: MIT */
/* Many devices, and which of them are linked (CUPIPE_DEVICES, CUPIPE_TOPOLOGY). */
#include "test.h"

static void with_devices(const char *count, const char *topology)
{
    setenv("CUPIPE_DEVICES", count, 1);
    setenv("CUPIPE_MEMORY", "64M", 1);
    setenv("CUPIPE_TOPOLOGY", topology, 1);
    check_success(cuInit(0));
    only_cupipe();
}

static bool can_access(CUdevice one, CUdevice other)
{
    int can = 7, supported = 7;

    check_success(cuDeviceCanAccessPeer(&can, one, other));
    if (one != other) {
        check_success(cuDeviceGetP2PAttribute(&supported, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED,
                                              one, other));
        check(supported == can);
    }
    return can != 0;
}

static CUresult enable(CUdevice one, CUdevice other)
{
    CUcontext context, peer;

    check_success(cuDevicePrimaryCtxRetain(&context, one));
    check_success(cuDevicePrimaryCtxRetain(&peer, other));
    check_success(cuCtxSetCurrent(context));
    return cuCtxEnablePeerAccess(peer, 0);
}

TEST(all_devices_are_linked)
{
    with_devices("3", "all");
    for (CUdevice one = 0; one < 3; one++) {
        for (CUdevice other = 0; other < 3; other++)
            check(can_access(one, other) == (one != other));
    }
    check_success(enable(0, 2));
}

TEST(no_devices_are_linked)
{
    with_devices("3", "none");
    for (CUdevice one = 0; one < 3; one++) {
        for (CUdevice other = 0; other < 3; other++)
            check(!can_access(one, other));
    }
    check_result(enable(0, 1), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

TEST(pairs_of_devices_are_linked)
{
    with_devices("5", "pairs");
    for (CUdevice one = 0; one < 5; one++) {
        for (CUdevice other = 0; other < 5; other++)
            check(can_access(one, other) == (one != other && one / 2 == other / 2));
    }
    check_success(enable(2, 3));
    check_result(enable(1, 2), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

/* Pairs are of the machine's devices, whichever of them the program sees. */
TEST(hidden_devices_are_of_pairs_too)
{
    setenv("CUDA_VISIBLE_DEVICES", "1,2,3", 1);
    with_devices("4", "pairs");
    check(!can_access(0, 1));
    check(can_access(1, 2));
}

TEST(sixty_four_devices_have_memory_of_their_own)
{
    int count = 0;

    not_under_tsan("there are too few addresses");
    with_devices("64", "all");
    check_success(cuDeviceGetCount(&count));
    check(count == 64);
    for (CUdevice device = 0; device < count; device++) {
        CUcontext context;
        CUdeviceptr ptr;
        int ordinal = -1;
        check_success(cuDevicePrimaryCtxRetain(&context, device));
        check_success(cuCtxSetCurrent(context));
        check_success(cuMemAlloc(&ptr, 48 << 20));
        check_success(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ptr));
        check(ordinal == device);
    }
}
