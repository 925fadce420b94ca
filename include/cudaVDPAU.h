/* SPDX-License-Identifier: MIT */
/*
 * VDPAU interoperability of the CUDA driver API: video and output surfaces as graphics resources.
 */
#ifndef CUDAVDPAU_H
#define CUDAVDPAU_H

#include <cuda.h>

/* Without VDPAU's header the types named here are enough to build against this one. */
#if !defined(__has_include)
#include <vdpau/vdpau.h>
#elif __has_include(<vdpau/vdpau.h>)
#include <vdpau/vdpau.h>
#else
typedef uint32_t VdpDevice;
typedef uint32_t VdpFuncId;
typedef uint32_t VdpOutputSurface;
typedef uint32_t VdpVideoSurface;
typedef int VdpStatus;
typedef VdpStatus VdpGetProcAddress(VdpDevice device, VdpFuncId function_id,
                                    void **function_pointer);
#endif

#ifdef __cplusplus
extern "C" {
#endif

CUresult CUDAAPI cuGraphicsVDPAURegisterOutputSurface(CUgraphicsResource *pCudaResource,
        VdpOutputSurface vdpSurface, unsigned int flags);
CUresult CUDAAPI cuGraphicsVDPAURegisterVideoSurface(CUgraphicsResource *pCudaResource,
        VdpVideoSurface vdpSurface, unsigned int flags);

CUresult CUDAAPI cuVDPAUCtxCreate_v2(CUcontext *pCtx, unsigned int flags, CUdevice device,
        VdpDevice vdpDevice, VdpGetProcAddress *vdpGetProcAddress);
CUresult CUDAAPI cuVDPAUGetDevice(CUdevice *pDevice, VdpDevice vdpDevice,
        VdpGetProcAddress *vdpGetProcAddress);

#if defined(__CUDA_API_VERSION_INTERNAL)

CUresult CUDAAPI cuVDPAUCtxCreate(CUcontext *pCtx, unsigned int flags, CUdevice device,
        VdpDevice vdpDevice, VdpGetProcAddress *vdpGetProcAddress);

#else

#define cuVDPAUCtxCreate cuVDPAUCtxCreate_v2

#endif

#ifdef __cplusplus
}
#endif

#endif
