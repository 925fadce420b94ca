/* SPDX-License-Identifier: MIT */
/* Error handling: results by name and by text. Both work before cuInit. */
#include "impl.h"
#include "core/error.h"

/* For an unknown result the output is NULL and the call fails. */
static CUresult answer(const char *string, CUresult asked, const char **output)
{
    if (!output)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the string is NULL");
    *output = string;
    if (!string)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid result code %d", (int)asked);
    return CUDA_SUCCESS;
}

CUresult impl_cuGetErrorName(CUresult error, const char **pStr)
{
    return answer(cup_result_name(error), error, pStr);
}

CUresult impl_cuGetErrorString(CUresult error, const char **pStr)
{
    return answer(cup_result_text(error), error, pStr);
}
