/* SPDX-License-Identifier: MIT */
/* Functions: queries and settings. */
#include "impl.h"
#include "core/error.h"
#include "module/function.h"

CUresult impl_cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    struct CUfunc_st *function;

    if (!pi)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the value is NULL");
    CUresult result = cup_function_find(hfunc, &function);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_context_usable(function->module->context);
    if (result == CUDA_SUCCESS)
        result = cup_function_attribute(function->module->program, cup_function_profile(function),
                                        cup_function_ptx(function), &function->resources,
                                        &function->settings, attrib, pi);
    /* A library's kernel keeps the number that was set; its function knows yes and no. */
    if (result == CUDA_SUCCESS && attrib == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
        *pi = *pi != 0;
    cup_function_unref(function);
    return result;
}

CUresult impl_cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
    struct CUfunc_st *function;
    CUresult result = cup_function_find(hfunc, &function);

    if (result != CUDA_SUCCESS)
        return result;
    /* A function keeps this as 0 or 1; a library's kernel as it was given. */
    if (attrib == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
        value = value != 0;
    result = cup_function_set_attribute(cup_function_profile(function), cup_function_ptx(function),
                                        &function->resources, &function->settings, attrib, value);
    cup_function_unref(function);
    return result;
}

CUresult impl_cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
    struct CUfunc_st *function;
    CUresult result = cup_function_find(hfunc, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "invalid cache configuration %d", (int)config);
    cup_function_unref(function);
    return result;
}

CUresult impl_cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
    struct CUfunc_st *function;
    CUresult result = cup_function_find(hfunc, &function);

    if (result != CUDA_SUCCESS)
        return result;
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "invalid bank size %d", (int)config);
    cup_function_unref(function);
    return result;
}

CUresult impl_cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
    struct CUfunc_st *function;

    if (!hmod || !hfunc)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the function or the pointer for the module is NULL");
    CUresult result = cup_function_find(hfunc, &function);
    if (result != CUDA_SUCCESS)
        return result;
    *hmod = function->module;
    cup_function_unref(function);
    return CUDA_SUCCESS;
}

CUresult impl_cuFuncGetName(const char **name, CUfunction hfunc)
{
    struct CUfunc_st *function;

    if (!name || !hfunc)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the function or the pointer for the name is NULL");
    CUresult result = cup_function_find(hfunc, &function);
    if (result != CUDA_SUCCESS)
        return result;
    *name = cup_function_ptx(function)->name;
    cup_function_unref(function);
    return CUDA_SUCCESS;
}

CUresult impl_cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize)
{
    struct CUfunc_st *function;

    if (!paramOffset || !func)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the function or the pointer for the offset is NULL");
    CUresult result = cup_function_find(func, &function);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_function_parameter(cup_function_ptx(function), paramIndex, paramOffset, paramSize);
    cup_function_unref(function);
    return result;
}

CUresult impl_cuFuncGetParamCount(CUfunction func, size_t *paramCount)
{
    struct CUfunc_st *function;

    if (!paramCount || !func)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the function or the pointer for the count is NULL");
    CUresult result = cup_function_find(func, &function);
    if (result != CUDA_SUCCESS)
        return result;
    *paramCount = cup_function_parameter_count(cup_function_ptx(function));
    cup_function_unref(function);
    return CUDA_SUCCESS;
}

CUresult impl_cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    struct CUfunc_st *found;

    if (!state)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the state is NULL");
    CUresult result = cup_function_find(function, &found);
    if (result != CUDA_SUCCESS)
        return result;
    *state = CU_FUNCTION_LOADING_STATE_LOADED; /* every handle comes from a loaded module */
    cup_function_unref(found);
    return CUDA_SUCCESS;
}

CUresult impl_cuFuncLoad(CUfunction function)
{
    struct CUfunc_st *found;
    CUresult result = cup_function_find(function, &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (cup_function_ptx(found)->is_kernel)
        result =
            cup_exec_prepare(&found->module->image, found->module->program->kernels[found->kernel]);
    cup_function_unref(found);
    return result;
}
