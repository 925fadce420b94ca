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

/* VDPAU devices need no preparation any more: only chooses the device. */
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
