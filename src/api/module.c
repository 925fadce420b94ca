/* SPDX-License-Identifier: MIT */
/* Modules: load, unload, and look up their contents. */
#include "impl.h"
#include "core/error.h"
#include "module/function.h"
#include "module/module.h"
#include "module/options.h"

#include <stdlib.h>
#include <string.h>

/* The file, if there is one, is in `image`, and `bytes` long. */
static CUresult load(CUmodule *module, const void *image, size_t bytes, unsigned count,
                     CUjit_option *options, void **values)
{
    struct cup_jit_options read;
    struct ptx_log log = {0};
    struct cup_program *program;
    CUresult result = cup_jit_options_read(&read, count, options, values, false);

    if (result == CUDA_SUCCESS)
        result = cup_context_look_current();
    if (result != CUDA_SUCCESS)
        return result;
    struct cup_build build = cup_jit_options_build(&read, &cup_context_current()->device->profile);
    result = read.compile_error;
    if (result == CUDA_SUCCESS)
        result = cup_program_load(image, bytes, &build, &log, &program);
    if (result == CUDA_SUCCESS) {
        result = cup_jit_options_check(&read, program->ptx, build.profile);
        if (result != CUDA_SUCCESS)
            cup_program_unref(program);
        else
            cup_program_describe(program, &build, read.verbose, &log);
    }
    cup_jit_options_report(&read, &log, result != CUDA_SUCCESS);
    ptx_log_free(&log);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_module_create(cup_context_current(), program, NULL, module);
    cup_program_unref(program);
    return result;
}

CUresult impl_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                                 CUjit_option *options, void **optionValues)
{
    if (!module || !image)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the image or the pointer for the module is NULL");
    if (cup_source_is_wrapper(image))
        return cup_error(CUDA_ERROR_INVALID_IMAGE, "the image is a fatbin's wrapper, not a fatbin");
    return load(module, image, 0, numOptions, options, optionValues);
}

CUresult impl_cuModuleLoadData(CUmodule *module, const void *image)
{
    return impl_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

/* Accepts what cuModuleLoadData accepts. */
CUresult impl_cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    return impl_cuModuleLoadDataEx(module, fatCubin, 0, NULL, NULL);
}

CUresult impl_cuModuleLoad(CUmodule *module, const char *fname)
{
    struct cup_source_text text;

    if (!module || !fname)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the name or the pointer for the module is NULL");
    CUresult result = cup_source_read_file(fname, &text);
    if (result != CUDA_SUCCESS)
        return result;
    if (text.length == 0)
        result = cup_error(CUDA_ERROR_INVALID_IMAGE, "%s is empty", fname);
    else
        result = load(module, text.bytes, text.length, 0, NULL, NULL);
    free(text.bytes);
    return result;
}

CUresult impl_cuModuleUnload(CUmodule hmod)
{
    struct CUmod_st *module;
    CUresult result = cup_module_find(hmod, &module);

    if (result != CUDA_SUCCESS)
        return result;
    if (module->library)
        result = cup_error(CUDA_ERROR_NOT_PERMITTED, "%p is a library's module", (void *)hmod);
    else
        result = cup_context_usable(module->context);
    /* Wait for the module's kernels and their output before it is unloaded, as programs expect. */
    if (result == CUDA_SUCCESS)
        cup_context_synchronize(module->context);
    if (result == CUDA_SUCCESS && !cup_module_destroy(module, CUP_RETIRED_DESTROYED))
        result = cup_error(CUDA_ERROR_INVALID_HANDLE, "another thread unloaded %p", (void *)hmod);
    cup_module_unref(module);
    return result;
}

CUresult impl_cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    struct CUmod_st *module;
    CUresult result = cup_module_find(hmod, &module);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_context_usable(module->context);
    if (result == CUDA_SUCCESS && (!hfunc || !name || !*name)) {
        result =
            cup_error(CUDA_ERROR_INVALID_VALUE, "the name or the pointer for the function is NULL");
    } else if (result == CUDA_SUCCESS) {
        uint32_t index = cup_program_function(module->program, name);
        *hfunc = index < module->function_count ? module->functions[index] : NULL;
        if (!*hfunc)
            result = cup_error(CUDA_ERROR_NOT_FOUND, "the module has no kernel %s", name);
        else if ((*hfunc)->resources.lacks_query && !atomic_exchange(&(*hfunc)->is_refused, true))
            result = cup_error(CUDA_ERROR_NOT_FOUND, "%s has an unsupported texture query", name);
    }
    cup_module_unref(module);
    return result;
}

CUresult impl_cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod,
                                   const char *name)
{
    struct CUmod_st *module;
    CUresult result = cup_module_find(hmod, &module);

    if (result != CUDA_SUCCESS)
        return result;
    if (dptr)
        *dptr = 0;
    if (bytes)
        *bytes = 0;
    result = cup_module_variable(module, name, dptr, bytes);
    cup_module_unref(module);
    return result;
}

CUresult impl_cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
    struct CUmod_st *module;
    CUresult result = cup_module_find(mod, &module);

    if (result != CUDA_SUCCESS)
        return result;
    if (count)
        *count = module->program->kernel_count;
    else
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the count is NULL");
    cup_module_unref(module);
    return result;
}

CUresult impl_cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions,
                                         CUmodule mod)
{
    struct CUmod_st *module;
    CUresult result = cup_module_find(mod, &module);

    if (result != CUDA_SUCCESS)
        return result;
    if (!functions)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the array for functions is NULL");
    for (unsigned i = 0; functions && i < numFunctions && i < module->program->kernel_count; i++)
        functions[i] = module->functions[i];
    cup_module_unref(module);
    return result;
}

CUresult impl_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    if (!mode)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the mode is NULL");
    *mode = cup_module_loading_mode();
    return CUDA_SUCCESS;
}
