/* SPDX-License-Identifier: MIT */
/* Settings of plans, callbacks, and the version. */
#include "plan.h"

#include <dlfcn.h>
#include <string.h>

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    struct fft_plan *plan = fft_handle_find(handle);

    if (!plan)
        return CUFFT_INVALID_PLAN;
    plan->stream = stream;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int autoAllocate)
{
    struct fft_plan *plan = fft_handle_find(handle);

    if (!plan)
        return CUFFT_INVALID_PLAN;
    plan->allocates = autoAllocate != 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *workArea)
{
    struct fft_plan *plan = fft_handle_find(handle);

    if (!plan)
        return CUFFT_INVALID_PLAN;
    plan->area = workArea;
    return CUFFT_SUCCESS;
}

cufftResult cufftXtSetWorkArea(cufftHandle handle, void **workArea)
{
    struct fft_plan *plan = fft_handle_find(handle);

    if (!plan)
        return CUFFT_INVALID_PLAN;
    if (!workArea)
        return CUFFT_INVALID_VALUE;
    plan->area = workArea[0];
    return CUFFT_SUCCESS;
}

/* NVIDIA's library refuses all policies but the smallest area, and that where the transform needs
 * one. */
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle handle, cufftXtWorkAreaPolicy policy,
                                     size_t *workSize)
{
    struct fft_plan *plan = fft_handle_find(handle);

    if (!plan || !plan->made || policy != CUFFT_WORKAREA_MINIMAL)
        return CUFFT_INVALID_PLAN;
    if (plan->work_bytes)
        return CUFFT_INVALID_SIZE;
    if (workSize)
        *workSize = 0;
    return CUFFT_SUCCESS;
}

/* Properties say how code is compiled. Nothing is compiled here, and they are kept only. */
static cufftResult check_property(const struct fft_plan *plan, cufftProperty property)
{
    if (!plan)
        return CUFFT_INVALID_PLAN;
    if (property == NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS)
        return CUFFT_NOT_SUPPORTED;
    return property == NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

static cufftResult write_property(cufftHandle handle, cufftProperty property, long long value)
{
    struct fft_plan *plan = fft_handle_find(handle);
    cufftResult result = check_property(plan, property);

    if (result != CUFFT_SUCCESS)
        return result;
    if (plan->made)
        return CUFFT_NOT_SUPPORTED;
    plan->patient_jit = value != 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetPlanPropertyInt64(cufftHandle plan, cufftProperty property,
                                      const long long int inputValueInt)
{
    return write_property(plan, property, inputValueInt);
}

cufftResult cufftResetPlanProperty(cufftHandle plan, cufftProperty property)
{
    return write_property(plan, property, 0);
}

cufftResult cufftGetPlanPropertyInt64(cufftHandle handle, cufftProperty property,
                                      long long int *returnPtrValue)
{
    struct fft_plan *plan = fft_handle_find(handle);
    cufftResult result;

    if (plan && !returnPtrValue)
        return CUFFT_INVALID_VALUE;
    result = check_property(plan, property);
    if (result == CUFFT_SUCCESS)
        *returnPtrValue = plan->patient_jit;
    return result;
}

/* Callbacks are device code, which the processor cannot call in the middle of a transform. NVIDIA's
 * shared library refuses them, too: there they are for programs that link the static one. */
cufftResult cufftXtSetCallback(cufftHandle plan, void **callback_routine,
                               cufftXtCallbackType cbType, void **caller_info)
{
    (void)plan, (void)callback_routine, (void)cbType, (void)caller_info;
    return CUFFT_NOT_IMPLEMENTED;
}

cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType cbType)
{
    (void)plan, (void)cbType;
    return CUFFT_NOT_IMPLEMENTED;
}

cufftResult cufftXtSetCallbackSharedSize(cufftHandle plan, cufftXtCallbackType cbType,
                                         size_t sharedSize)
{
    (void)plan, (void)cbType, (void)sharedSize;
    return CUFFT_INVALID_PLAN;
}

/* Code for link-time optimisation is in a form that only NVIDIA's compiler reads. */
cufftResult cufftXtSetJITCallback(cufftHandle handle, const char *lto_callback_symbol_name,
                                  const void *lto_callback_fatbin, size_t lto_callback_fatbin_size,
                                  cufftXtCallbackType type, void **caller_info)
{
    struct fft_plan *plan = fft_handle_find(handle);

    (void)lto_callback_symbol_name, (void)caller_info;
    if (!plan || plan->made)
        return CUFFT_INVALID_PLAN;
    if ((unsigned)type >= CUFFT_CB_UNDEFINED)
        return CUFFT_INVALID_TYPE;
    if (!lto_callback_fatbin || !lto_callback_fatbin_size)
        return CUFFT_INVALID_VALUE;
    return CUFFT_NOT_SUPPORTED;
}

/* The name by which programs call it that were compiled with the headers of CUDA 12. */
cufftResult __cufftXtSetJITCallback_12_7(cufftHandle handle, const char *symbol, const void *fatbin,
                                         size_t fatbin_size, cufftXtCallbackType type,
                                         void **caller_info);

cufftResult __cufftXtSetJITCallback_12_7(cufftHandle handle, const char *symbol, const void *fatbin,
                                         size_t fatbin_size, cufftXtCallbackType type,
                                         void **caller_info)
{
    return cufftXtSetJITCallback(handle, symbol, fatbin, fatbin_size, type, caller_info);
}

/* The version that the file's soname stands for: libcufft.so.11 belongs to CUDA 12. */
static int version(void)
{
    Dl_info info;
    bool older = dladdr((void *)version, &info) && info.dli_fname &&
                 strstr(info.dli_fname, "libcufft.so.11");

    return older ? 11401 : CUFFT_VERSION;
}

cufftResult cufftGetVersion(int *value)
{
    if (value)
        *value = version();
    return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    if (!value)
        return CUFFT_INVALID_VALUE;
    switch (type) {
    case MAJOR_VERSION:
        *value = version() / 1000;
        return CUFFT_SUCCESS;
    case MINOR_VERSION:
        *value = version() / 100 % 10;
        return CUFFT_SUCCESS;
    case PATCH_LEVEL:
        *value = version() % 100;
        return CUFFT_SUCCESS;
    }
    return CUFFT_INVALID_TYPE;
}
