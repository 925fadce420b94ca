/* SPDX-License-Identifier: MIT */
/* VDPAU interoperability. CUDA reaches the surfaces of a VDPAU device through functions that only
 * NVIDIA's VDPAU driver has, beyond those of the public interface. They are asked for, as NVIDIA's
 * driver does, and no other VDPAU driver has them; so no context is ever one of a VDPAU device. */
#include "api/context_flags.h"
#include "core/error.h"
#include "device/device.h"
#include "impl.h"

/* The first number of the functions that belong to a driver (VDP_FUNC_ID_BASE_DRIVER). */
enum { FIRST_DRIVER_FUNCTION = 0x2000 };

static CUresult ask_driver(VdpDevice device, VdpGetProcAddress *get_function)
{
    void *function = NULL;

    if (!get_function)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no function that finds VDPAU's functions");
    if (get_function(device, FIRST_DRIVER_FUNCTION, &function) != 0 || !function)
        return cup_error(CUDA_ERROR_UNKNOWN, "VDPAU device %u has no functions for CUDA", device);
    return cup_error(CUDA_ERROR_UNKNOWN, "VDPAU device %u belongs to another driver", device);
}

CUresult impl_cuVDPAUGetDevice(CUdevice *pDevice, VdpDevice vdpDevice,
                               VdpGetProcAddress *vdpGetProcAddress)
{
    if (!pDevice)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the device");
    if (!vdpDevice)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no VDPAU device");
    return ask_driver(vdpDevice, vdpGetProcAddress);
}

CUresult impl_cuVDPAUCtxCreate_v2(CUcontext *pCtx, unsigned int flags, CUdevice device,
                                  VdpDevice vdpDevice, VdpGetProcAddress *vdpGetProcAddress)
{
    if (!pCtx)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the context");
    if (!cup_device_get(device))
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "there is no device %d", device);
    if (!cup_api_context_flags_valid(flags))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no such context flags: 0x%x", flags);
    return ask_driver(vdpDevice, vdpGetProcAddress);
}

static CUresult no_vdpau_context(void)
{
    return cup_error(CUDA_ERROR_INVALID_CONTEXT, "the context is not one of a VDPAU device");
}

CUresult impl_cuGraphicsVDPAURegisterOutputSurface(CUgraphicsResource *pCudaResource,
                                                   VdpOutputSurface vdpSurface, unsigned int flags)
{
    (void)pCudaResource;
    (void)vdpSurface;
    (void)flags;
    return no_vdpau_context();
}

CUresult impl_cuGraphicsVDPAURegisterVideoSurface(CUgraphicsResource *pCudaResource,
                                                  VdpVideoSurface vdpSurface, unsigned int flags)
{
    (void)pCudaResource;
    (void)vdpSurface;
    (void)flags;
    return no_vdpau_context();
}
