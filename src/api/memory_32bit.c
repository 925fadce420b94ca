/* SPDX-License-Identifier: MIT */
/* Memory management from before CUDA 3.2, with 32-bit addresses and sizes. As for the copies
 * (memcpy_32bit.c), every context here has 64-bit addresses, so these functions fail. They set
 * their outputs to 0 before they look for a context. */
#include "impl.h"
#include "api/refuse_32bit.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/context.h"
#include "module/module.h"

#include <stddef.h>

static CUresult refuse(void)
{
    CUresult result = cup_precondition_context();

    return result == CUDA_SUCCESS ? cup_api_refuse_32bit() : result;
}

static void clear(unsigned int *output)
{
    if (output)
        *output = 0;
}

CUresult impl_cuMemAlloc(CUdeviceptr_v1 *dptr, unsigned int bytesize)
{
    (void)bytesize;
    clear(dptr);
    return refuse();
}

CUresult impl_cuMemAllocHost(void **pp, unsigned int bytesize)
{
    (void)bytesize;
    if (pp)
        *pp = NULL;
    return refuse();
}

CUresult impl_cuMemAllocPitch(CUdeviceptr_v1 *dptr, unsigned int *pPitch, unsigned int WidthInBytes,
                              unsigned int Height, unsigned int ElementSizeBytes)
{
    (void)WidthInBytes;
    (void)Height;
    (void)ElementSizeBytes;
    clear(dptr);
    clear(pPitch);
    return refuse();
}

/* Without a context there is no such memory; 0 is always free. */
CUresult impl_cuMemFree(CUdeviceptr_v1 dptr)
{
    if (cup_context_current())
        return refuse();
    if (dptr)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no allocation at 0x%x", dptr);
    return CUDA_SUCCESS;
}

CUresult impl_cuMemGetAddressRange(CUdeviceptr_v1 *pbase, unsigned int *psize, CUdeviceptr_v1 dptr)
{
    (void)dptr;
    if (!pbase && !psize)
        return CUDA_SUCCESS;
    clear(pbase);
    clear(psize);
    return refuse();
}

CUresult impl_cuMemGetInfo(unsigned int *free, unsigned int *total)
{
    clear(free);
    clear(total);
    return refuse();
}

CUresult impl_cuMemHostGetDevicePointer(CUdeviceptr_v1 *pdptr, void *p, unsigned int Flags)
{
    (void)p;
    (void)Flags;
    clear(pdptr);
    return refuse();
}

CUresult impl_cuModuleGetGlobal(CUdeviceptr_v1 *dptr, unsigned int *bytes, CUmodule hmod,
                                const char *name)
{
    struct CUmod_st *module;

    (void)name;
    clear(dptr);
    clear(bytes);
    CUresult result = cup_module_find(hmod, &module);
    if (result != CUDA_SUCCESS)
        return result;
    cup_module_unref(module);
    return refuse();
}
