/* SPDX-License-Identifier: MIT */
/* Libraries: code that belongs to no context. */
#include "module/library.h"

#include "impl.h"
#include "core/error.h"
#include "core/precondition.h"
#include "module/options.h"

#include <stdlib.h>

/* The device with the lowest compute capability above `last`; NULL: there is none. */
static const struct cup_device *next_device(unsigned last)
{
    const struct cup_device *lowest = NULL;

    for (unsigned i = 0; i < cup_device_count(); i++) {
        const struct cup_device *device = cup_device_get((CUdevice)i);
        unsigned capability = cup_profile_capability(&device->profile);

        if (capability > last && (!lowest || capability < cup_profile_capability(&lowest->profile)))
            lowest = device;
    }
    return lowest;
}

/* Code for the least device runs on all others; only if there is none the next one counts. */
static CUresult load_program(const void *code, size_t bytes, const struct cup_jit_options *read,
                             struct cup_source *source, struct ptx_log *log,
                             struct cup_program **program)
{
    const struct cup_device *device = next_device(0);
    CUresult result = CUDA_ERROR_NO_DEVICE;

    for (; device; device = next_device(cup_profile_capability(&device->profile))) {
        struct cup_build build = cup_jit_options_build(read, &device->profile);

        result = cup_source_read(code, bytes, build.profile, source, log);
        if (result == CUDA_SUCCESS)
            result = cup_program_create(source, &build, true, log, program);
        if (result == CUDA_SUCCESS)
            result = cup_jit_options_check(read, (*program)->ptx, build.profile);
        if (result == CUDA_SUCCESS)
            cup_program_describe(*program, &build, read->verbose, log);
        if (result == CUDA_SUCCESS || !next_device(cup_profile_capability(&device->profile)))
            break;
        if (*program)
            cup_program_unref(*program);
        *program = NULL;
        cup_source_finish(source);
        ptx_log_free(log);
    }
    return result;
}

static CUresult load(CUlibrary *library, const void *code, size_t bytes, CUjit_option *options,
                     void **values, unsigned count)
{
    struct cup_jit_options read;
    struct ptx_log log = {0};
    struct cup_source source = {0};
    struct cup_program *program = NULL;
    CUresult result = cup_jit_options_read(&read, count, options, values, false), loaded;

    if (result != CUDA_SUCCESS)
        return result;
    loaded = read.compile_error;
    if (loaded == CUDA_SUCCESS)
        loaded = load_program(code, bytes, &read, &source, &log, &program);
    if (loaded != CUDA_SUCCESS && program) {
        cup_program_unref(program);
        program = NULL;
    }
    bool bad_machine_code = source.bad_machine_code;
    cup_source_finish(&source);
    cup_jit_options_report(&read, &log, loaded != CUDA_SUCCESS);
    ptx_log_free(&log);
    if (bad_machine_code)
        return loaded; /* validated now; other errors appear on first use */
    result = cup_library_create(program, loaded, library);
    if (program)
        cup_program_unref(program);
    return result;
}

static CUresult check_options(const CUlibraryOption *options, void **values, unsigned count)
{
    (void)values;
    if (count > 0 && !options)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the array of %u options is NULL", count);
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)options[i] >= CU_LIBRARY_NUM_OPTIONS)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid library option %d",
                             (int)options[i]);
    return CUDA_SUCCESS;
}

CUresult impl_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                                void **jitOptionsValues, unsigned int numJitOptions,
                                CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                unsigned int numLibraryOptions)
{
    CUresult result = check_options(libraryOptions, libraryOptionValues, numLibraryOptions);

    if (!library || !code)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the code or the pointer for the library is NULL");
    if (result != CUDA_SUCCESS)
        return result;
    return load(library, code, 0, jitOptions, jitOptionsValues, numJitOptions);
}

CUresult impl_cuLibraryLoadFromFile(CUlibrary *library, const char *fileName,
                                    CUjit_option *jitOptions, void **jitOptionsValues,
                                    unsigned int numJitOptions, CUlibraryOption *libraryOptions,
                                    void **libraryOptionValues, unsigned int numLibraryOptions)
{
    struct cup_source_text text;
    CUresult result = check_options(libraryOptions, libraryOptionValues, numLibraryOptions);

    if (!library || !fileName)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the name or the pointer for the library is NULL");
    if (result == CUDA_SUCCESS)
        result = cup_source_read_file(fileName, &text);
    if (result != CUDA_SUCCESS)
        return result;
    if (text.length == 0)
        result = cup_error(CUDA_ERROR_INVALID_IMAGE, "%s is empty", fileName);
    else
        result =
            load(library, text.bytes, text.length, jitOptions, jitOptionsValues, numJitOptions);
    free(text.bytes);
    return result;
}

CUresult impl_cuLibraryUnload(CUlibrary library)
{
    struct CUlib_st *found;
    CUresult result = cup_library_find(library, &found);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_library_destroy(found))
        result =
            cup_error(CUDA_ERROR_INVALID_HANDLE, "another thread unloaded %p", (void *)library);
    cup_library_unref(found);
    return result;
}

CUresult impl_cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
    struct CUlib_st *found;

    if (!pKernel || !name)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the name or the pointer for the kernel is NULL");
    CUresult result = cup_library_find_usable(library, &found);
    if (result != CUDA_SUCCESS)
        return result;
    uint32_t kernel = cup_program_kernel(found->program, name);
    if (kernel == UINT32_MAX)
        result = cup_error(CUDA_ERROR_NOT_FOUND, "the library has no kernel %s", name);
    else
        *pKernel = found->kernels[kernel];
    cup_library_unref(found);
    return result;
}

CUresult impl_cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
    struct CUlib_st *found;

    if (!count)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the count is NULL");
    CUresult result = cup_library_find(lib, &found);
    if (result != CUDA_SUCCESS)
        return result;
    *count = found->program ? found->program->kernel_count : 0;
    cup_library_unref(found);
    return CUDA_SUCCESS;
}

CUresult impl_cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib)
{
    struct CUlib_st *found;

    if (!kernels)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the array for kernels is NULL");
    CUresult result = cup_library_find(lib, &found);
    if (result != CUDA_SUCCESS)
        return result;
    unsigned there = found->program ? found->program->kernel_count : 0;
    for (unsigned i = 0; i < numKernels && i < there; i++)
        kernels[i] = found->kernels[there - 1 - i]; /* in reverse order */
    cup_library_unref(found);
    return CUDA_SUCCESS;
}

/* The library's module in the current context. */
static CUresult current_module(CUlibrary handle, struct CUmod_st **module)
{
    struct CUlib_st *library;
    CUresult result = cup_library_find_usable(handle, &library);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_precondition_context();
    if (result == CUDA_SUCCESS)
        result = cup_library_get_module(library, cup_context_current(), module);
    cup_library_unref(library);
    return result;
}

CUresult impl_cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
    struct CUmod_st *module;

    if (!pMod)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the module is NULL");
    CUresult result = current_module(library, &module);
    if (result != CUDA_SUCCESS)
        return result;
    *pMod = module;
    cup_module_unref(module);
    return CUDA_SUCCESS;
}

CUresult impl_cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
                                 const char *name)
{
    struct CUmod_st *module;

    if (!name || (!dptr && !bytes))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the name or all pointers for results are NULL");
    CUresult result = current_module(library, &module);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_module_variable(module, name, dptr, bytes);
    cup_module_unref(module);
    return result;
}

/* Managed variables belong to the library, so no context is needed. */
CUresult impl_cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
                                  const char *name)
{
    struct CUlib_st *found;

    if (!name || !*name || (!dptr && !bytes))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the name is NULL or empty, or all pointers for results are NULL");
    CUresult result = cup_library_find_usable(library, &found);
    if (result != CUDA_SUCCESS)
        return result;
    uint32_t variable = cup_program_variable(found->program, name);
    if (variable == UINT32_MAX || !found->program->ptx->variables[variable].managed) {
        result = cup_error(CUDA_ERROR_NOT_FOUND, "managed variable %s does not exist", name);
    } else {
        if (dptr)
            *dptr = found->program->managed[variable];
        if (bytes)
            *bytes = found->program->ptx->variables[variable].size_bytes;
    }
    cup_library_unref(found);
    return result;
}

/* Unified functions, which run on device and host alike, are not supported. */
CUresult impl_cuLibraryGetUnifiedFunction(void **fptr, CUlibrary library, const char *symbol)
{
    struct CUlib_st *found;

    if (!fptr || !symbol)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the name or the pointer for the function is NULL");
    CUresult result = cup_library_find(library, &found);
    if (result != CUDA_SUCCESS)
        return result;
    cup_library_unref(found);
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the library has no unified function %s", symbol);
}
