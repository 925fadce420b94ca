/* SPDX-License-Identifier: MIT */
/* Attributes of core dumps, of the current context and of the process, and callbacks. */
#include "impl.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/context.h"
#include "device/coredump.h"
#include "device/coredump_callback.h"

static CUresult check(CUcoredumpSettings attribute, const size_t *size, int of_context)
{
    if (!size)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no size");
    CUresult result = cup_coredump_check(attribute, of_context);
    return result == CUDA_SUCCESS && of_context ? cup_precondition_context() : result;
}

CUresult impl_cuCoredumpGetAttribute(CUcoredumpSettings attrib, void *value, size_t *size)
{
    CUresult result = check(attrib, size, 1);

    return result == CUDA_SUCCESS
               ? cup_coredump_get(cup_context_current()->coredump, attrib, value, size)
               : result;
}

CUresult impl_cuCoredumpSetAttribute(CUcoredumpSettings attrib, void *value, size_t *size)
{
    CUresult result = check(attrib, size, 1);

    return result == CUDA_SUCCESS
               ? cup_coredump_set(cup_context_current()->coredump, attrib, value, size)
               : result;
}

CUresult impl_cuCoredumpGetAttributeGlobal(CUcoredumpSettings attrib, void *value, size_t *size)
{
    CUresult result = check(attrib, size, 0);

    return result == CUDA_SUCCESS ? cup_coredump_get(NULL, attrib, value, size) : result;
}

CUresult impl_cuCoredumpSetAttributeGlobal(CUcoredumpSettings attrib, void *value, size_t *size)
{
    CUresult result = check(attrib, size, 0);

    /* NVIDIA's driver crashes if it is not initialised. */
    if (result == CUDA_SUCCESS && attrib == CU_COREDUMP_ENABLE_USER_TRIGGER && value)
        result = cup_precondition_init();
    return result == CUDA_SUCCESS ? cup_coredump_set(NULL, attrib, value, size) : result;
}

/* Callbacks need neither initialisation nor a context: like the attributes of the process, they may
 * be set before. */

static CUresult add_callback(enum cup_coredump_moment moment, CUcoredumpStatusCallback callback,
                             void *data, CUcoredumpCallbackHandle *handle)
{
    if (!callback)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no function to call");
    return cup_coredump_callback_add(moment, callback, data, handle);
}

CUresult impl_cuCoredumpRegisterStartCallback(CUcoredumpStatusCallback callback, void *userData,
                                              CUcoredumpCallbackHandle *callbackOut)
{
    return add_callback(CUP_COREDUMP_STARTS, callback, userData, callbackOut);
}

CUresult impl_cuCoredumpRegisterCompleteCallback(CUcoredumpStatusCallback callback, void *userData,
                                                 CUcoredumpCallbackHandle *callbackOut)
{
    return add_callback(CUP_COREDUMP_IS_COMPLETE, callback, userData, callbackOut);
}

CUresult impl_cuCoredumpDeregisterStartCallback(CUcoredumpCallbackHandle callback)
{
    return cup_coredump_callback_remove(CUP_COREDUMP_STARTS, callback);
}

CUresult impl_cuCoredumpDeregisterCompleteCallback(CUcoredumpCallbackHandle callback)
{
    return cup_coredump_callback_remove(CUP_COREDUMP_IS_COMPLETE, callback);
}
