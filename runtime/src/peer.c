/* SPDX-License-Identifier: MIT */
/* Peer access, and atomics across the bus. */
#include "context.h"
#include "driver.h"
#include "runtime_impl.h"

cudaError_t impl_cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    return rt_result(rt_driver.cuDeviceCanAccessPeer(canAccessPeer, device, peerDevice));
}

cudaError_t impl_cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice,
                                           int dstDevice)
{
    return rt_result(rt_driver.cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)attr,
                                                       srcDevice, dstDevice));
}

static cudaError_t peer_context(int peer, CUcontext *context)
{
    CUdevice device;
    cudaError_t result = rt_result(rt_driver.cuDeviceGet(&device, peer));

    return result == cudaSuccess ? rt_context_retain(device, context) : result;
}

/* A device cannot be its own peer; the driver reports that with another error. */
static cudaError_t check_peer(int peer, cudaError_t own)
{
    CUdevice device, current;
    cudaError_t result = rt_result(rt_driver.cuDeviceGet(&device, peer));

    if (result == cudaSuccess)
        result = rt_context_bind();
    if (result == cudaSuccess)
        result = rt_context_device(&current);
    return result != cudaSuccess ? result : device == current ? own : cudaSuccess;
}

cudaError_t impl_cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    CUcontext context;
    cudaError_t result;

    if (flags)
        return cudaErrorInvalidValue;
    result = check_peer(peerDevice, cudaErrorPeerAccessUnsupported);
    if (result == cudaSuccess)
        result = peer_context(peerDevice, &context);
    return result == cudaSuccess ? rt_result(rt_driver.cuCtxEnablePeerAccess(context, flags))
                                 : result;
}

cudaError_t impl_cudaDeviceDisablePeerAccess(int peerDevice)
{
    CUcontext context;
    cudaError_t result = check_peer(peerDevice, cudaErrorPeerAccessNotEnabled);

    if (result == cudaSuccess)
        result = peer_context(peerDevice, &context);
    return result == cudaSuccess ? rt_result(rt_driver.cuCtxDisablePeerAccess(context)) : result;
}

cudaError_t impl_cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                     const enum cudaAtomicOperation *operations,
                                                     unsigned int count, int device)
{
    return rt_result(rt_driver.cuDeviceGetHostAtomicCapabilities(
        capabilities, (const CUatomicOperation *)(const void *)operations, count, device));
}

cudaError_t impl_cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                                    const enum cudaAtomicOperation *operations,
                                                    unsigned int count, int srcDevice,
                                                    int dstDevice)
{
    return rt_result(rt_driver.cuDeviceGetP2PAtomicCapabilities(
        capabilities, (const CUatomicOperation *)(const void *)operations, count, srcDevice,
        dstDevice));
}
