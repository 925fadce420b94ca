/* SPDX-License-Identifier: MIT */
/*
 * VDPAU interoperability of the runtime API.
 */
#ifndef __CUDA_VDPAU_INTEROP_H__
#define __CUDA_VDPAU_INTEROP_H__

#include "cuda_runtime_api.h"
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

cudaError_t CUDARTAPI cudaVDPAUGetDevice(int *device, VdpDevice vdpDevice,
                                         VdpGetProcAddress *vdpGetProcAddress);
cudaError_t CUDARTAPI cudaVDPAUSetVDPAUDevice(int device, VdpDevice vdpDevice,
                                              VdpGetProcAddress *vdpGetProcAddress);
cudaError_t CUDARTAPI cudaGraphicsVDPAURegisterVideoSurface(struct cudaGraphicsResource **resource,
                                                            VdpVideoSurface vdpSurface,
                                                            unsigned int flags);
cudaError_t CUDARTAPI cudaGraphicsVDPAURegisterOutputSurface(struct cudaGraphicsResource **resource,
                                                             VdpOutputSurface vdpSurface,
                                                             unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
