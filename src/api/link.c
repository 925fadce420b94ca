/* SPDX-License-Identifier: MIT */
/* Linking: combines pieces of code into one image for cuModuleLoadData. */
#include "module/link.h"

#include "impl.h"
#include "core/error.h"
#include "core/precondition.h"

#include <stdlib.h>

CUresult impl_cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                              CUlinkState *stateOut)
{
    struct cup_jit_options read;

    if (!stateOut)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the link is NULL");
    CUresult result = cup_jit_options_read(&read, numOptions, options, optionValues, true);
    if (result != CUDA_SUCCESS)
        return result;
    return cup_link_create(cup_context_current(), &read, stateOut);
}

/* A state that is NULL is an error before cuInit, too. */
static CUresult find_before_state(CUlinkState state, struct CUlinkState_st **link)
{
    CUresult result = state ? cup_precondition_init() : CUDA_SUCCESS;

    return result == CUDA_SUCCESS ? cup_link_find(state, link) : result;
}

CUresult impl_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                               const char *name, unsigned int numOptions, CUjit_option *options,
                               void **optionValues)
{
    struct cup_jit_options read;
    struct CUlinkState_st *link;
    CUresult result = find_before_state(state, &link);

    if (result != CUDA_SUCCESS)
        return result;
    if (!data || size == 0 || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the data is NULL, or has invalid type %d",
                           (int)type);
    else
        result = cup_jit_options_read(&read, numOptions, options, optionValues, true);
    if (result == CUDA_SUCCESS)
        result = cup_link_add(link, type, data, size, name);
    cup_link_unref(link);
    return result;
}

CUresult impl_cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                               unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    struct cup_source_text text;
    struct CUlinkState_st *link;
    CUresult result = find_before_state(state, &link);

    if (result != CUDA_SUCCESS)
        return result;
    cup_link_unref(link);
    if (!path)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no path");
    result = cup_source_read_file(path, &text);
    if (result != CUDA_SUCCESS)
        return result;
    result = impl_cuLinkAddData_v2(state, type, text.bytes, text.length, path, numOptions, options,
                                   optionValues);
    free(text.bytes);
    return result;
}

CUresult impl_cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    struct CUlinkState_st *link;

    if (!cubinOut)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the image is NULL");
    CUresult result = cup_link_find(state, &link);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_link_complete(link, cubinOut, sizeOut);
    cup_link_unref(link);
    return result;
}

CUresult impl_cuLinkDestroy(CUlinkState state)
{
    struct CUlinkState_st *link;
    CUresult result = cup_link_find(state, &link);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_link_destroy(link, CUP_RETIRED_DESTROYED))
        result = cup_error(CUDA_ERROR_INVALID_HANDLE, "another thread destroyed %p", (void *)state);
    cup_link_unref(link);
    return result;
}
