/* SPDX-License-Identifier: MIT */
/* VDPAU: devices and surfaces. */
#include "context.h"
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>

cudaError_t impl_cudaVDPAUGetDevice(int *device, VdpDevice vdpDevice,
                                    VdpGetProcAddress *vdpGetProcAddress)
{
    return rt_result(
        rt_driver.cuVDPAUGetDevice((CUdevice *)(void *)device, vdpDevice, vdpGetProcAddress));
}

/* The device of a context is that of its GPU; nothing has to be said any more. */
cudaError_t impl_cudaVDPAUSetVDPAUDevice(int device, VdpDevice vdpDevice,
                                         VdpGetProcAddress *vdpGetProcAddress)
{
    (void)vdpDevice, (void)vdpGetProcAddress;
    return rt_context_set_device(device);
}

cudaError_t impl_cudaGraphicsVDPAURegisterVideoSurface(struct cudaGraphicsResource **resource,
                                                       VdpVideoSurface vdpSurface,
                                                       unsigned int flags)
{
    return rt_result(rt_driver.cuGraphicsVDPAURegisterVideoSurface(
        (CUgraphicsResource *)(void *)resource, vdpSurface, flags));
}

cudaError_t impl_cudaGraphicsVDPAURegisterOutputSurface(struct cudaGraphicsResource **resource,
                                                        VdpOutputSurface vdpSurface,
                                                        unsigned int flags)
{
    return rt_result(rt_driver.cuGraphicsVDPAURegisterOutputSurface(
        (CUgraphicsResource *)(void *)resource, vdpSurface, flags));
}
