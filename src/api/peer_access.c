/* SPDX-License-Identifier: MIT */
/* Peer access. All devices share one memory; which of them are linked is configured
 * (CUPIPE_TOPOLOGY). What a program has enabled is stored here; kernels launched from then on are
 * checked against it (device/access.h), and pointer attributes and decompression read it. Copies do
 * not need it, because NVIDIA's driver routes them through the host between devices without peer
 * access. */
#include "impl.h"
#include "core/error.h"
#include "device/context.h"

#include <stdint.h>

CUresult impl_cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    if (!canAccessPeer)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the result is NULL");
    const struct cup_device *device = cup_device_get(dev), *peer = cup_device_get(peerDev);
    if (!device || !peer)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d or %d does not exist", dev, peerDev);
    *canAccessPeer = cup_device_linked(device, peer);
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                      CUdevice dstDevice)
{
    if (!value)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the attribute is NULL");
    const struct cup_device *source = cup_device_get(srcDevice);
    const struct cup_device *destination = cup_device_get(dstDevice);
    if (!source || !destination || source == destination)
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "there is no link from device %d to %d",
                         srcDevice, dstDevice);
    switch (attrib) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
    case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        *value = cup_device_linked(source, destination);
        return CUDA_SUCCESS;
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid link attribute %d", (int)attrib);
    }
}

/* The bit of the peer's device in the current context's set; 0 if the two are not linked. */
static CUresult find_peer(CUcontext handle, uint64_t *bit)
{
    struct CUctx_st *peer;
    CUresult result = cup_context_find(handle, &peer);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_context_usable(peer);
    if (result == CUDA_SUCCESS)
        *bit = cup_device_linked(cup_context_current()->device, peer->device)
                   ? UINT64_C(1) << peer->device->physical
                   : 0;
    cup_context_unref(peer);
    return result;
}

CUresult impl_cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    struct CUctx_st *context = cup_context_current();
    uint64_t bit;
    CUresult result;

    if (Flags != 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags must be 0, not 0x%x", Flags);
    result = find_peer(peerContext, &bit);
    if (result != CUDA_SUCCESS)
        return result;
    if (!bit)
        return cup_error(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
                         "the contexts' devices are not linked");
    if (atomic_fetch_or(&context->peers, bit) & bit)
        return cup_error(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled");
    return CUDA_SUCCESS;
}

CUresult impl_cuCtxDisablePeerAccess(CUcontext peerContext)
{
    struct CUctx_st *context = cup_context_current();
    uint64_t bit;
    CUresult result = find_peer(peerContext, &bit);

    if (result != CUDA_SUCCESS)
        return result;
    if (!(atomic_fetch_and(&context->peers, ~bit) & bit))
        return cup_error(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access is not enabled");
    return CUDA_SUCCESS;
}
