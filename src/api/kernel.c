/* SPDX-License-Identifier: MIT */
/* Kernels of libraries: one function per context. Settings are per device. */
#include "impl.h"
#include "core/error.h"
#include "core/precondition.h"
#include "module/library.h"

static const struct ptx_function *declaration(const struct CUkern_st *kernel)
{
    const struct cup_program *program = kernel->library->program;

    return &program->ptx->functions[program->kernels[kernel->kernel]];
}

CUresult impl_cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
    struct CUkern_st *found;
    struct CUfunc_st *function;

    if (!pFunc)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the function is NULL");
    CUresult result = cup_kernel_find(kernel, &found);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_precondition_context();
    if (result == CUDA_SUCCESS)
        result = cup_kernel_function(found, cup_context_current(), &function);
    if (result == CUDA_SUCCESS) {
        *pFunc = function;
        cup_function_unref(function);
    }
    cup_kernel_unref(found);
    return result;
}

CUresult impl_cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
    struct CUkern_st *found;

    if (!pLib)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the library is NULL");
    CUresult result = cup_kernel_find(kernel, &found);
    if (result != CUDA_SUCCESS)
        return result;
    *pLib = found->library;
    cup_kernel_unref(found);
    return CUDA_SUCCESS;
}

CUresult impl_cuKernelGetName(const char **name, CUkernel hfunc)
{
    struct CUkern_st *found;

    if (!name || !hfunc)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the kernel or the pointer for the name is NULL");
    CUresult result = cup_kernel_find(hfunc, &found);
    if (result != CUDA_SUCCESS)
        return result;
    *name = declaration(found)->name;
    cup_kernel_unref(found);
    return CUDA_SUCCESS;
}

CUresult impl_cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
                                   size_t *paramSize)
{
    struct CUkern_st *found;

    if (!paramOffset || !kernel)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the kernel or the pointer for the offset is NULL");
    CUresult result = cup_kernel_find(kernel, &found);
    if (result != CUDA_SUCCESS)
        return result;
    /* The kernel may not be loaded yet: NVIDIA's driver wants the context to load it into. */
    result = cup_precondition_context();
    if (result == CUDA_SUCCESS)
        result = cup_function_parameter(declaration(found), paramIndex, paramOffset, paramSize);
    cup_kernel_unref(found);
    return result;
}

/* Asks for a context as cuKernelGetParamInfo() does. */
CUresult impl_cuKernelGetParamCount(CUkernel kernel, size_t *paramCount)
{
    struct CUkern_st *found;

    if (!paramCount || !kernel)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the kernel or the pointer for the count is NULL");
    CUresult result = cup_kernel_find(kernel, &found);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_precondition_context();
    if (result == CUDA_SUCCESS)
        *paramCount = cup_function_parameter_count(declaration(found));
    cup_kernel_unref(found);
    return result;
}

/* The settings of a kernel on a device; a reference on the kernel is taken. */
static CUresult find_settings(CUkernel handle, CUdevice device, struct CUkern_st **kernel,
                              struct cup_function_settings **settings)
{
    CUresult result = cup_kernel_find(handle, kernel);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_device_get(device)) {
        cup_kernel_unref(*kernel);
        return cup_error(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist", device);
    }
    const struct cup_program *program = (*kernel)->library->program;
    *settings = &program->settings[(*kernel)->kernel * program->device_count + (unsigned)device];
    return CUDA_SUCCESS;
}

CUresult impl_cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel,
                                   CUdevice dev)
{
    struct CUkern_st *found;
    struct cup_function_settings *settings = NULL;

    if (!pi)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the value is NULL");
    CUresult result = find_settings(kernel, dev, &found, &settings);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_function_attribute(found->library->program, &cup_device_get(dev)->profile,
                                    declaration(found), &found->resources, settings, attrib, pi);
    cup_kernel_unref(found);
    return result;
}

CUresult impl_cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel,
                                   CUdevice dev)
{
    struct CUkern_st *found;
    struct cup_function_settings *settings = NULL;
    CUresult result = find_settings(kernel, dev, &found, &settings);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_function_set_attribute(&cup_device_get(dev)->profile, declaration(found),
                                        &found->resources, settings, attrib, val);
    cup_kernel_unref(found);
    return result;
}

CUresult impl_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    struct CUkern_st *found;
    struct cup_function_settings *settings = NULL;
    CUresult result = find_settings(kernel, dev, &found, &settings);

    if (result != CUDA_SUCCESS)
        return result;
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "invalid cache configuration %d", (int)config);
    cup_kernel_unref(found);
    return result;
}
