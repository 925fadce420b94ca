/* SPDX-License-Identifier: MIT */
/* Mapping of memory to arrays that were created without. */
#include "api/memcpy_common.h"
#include "core/error.h"
#include "core/precondition.h"
#include "image/array_map.h"
#include "impl.h"
#include "stream/stream.h"

/* An empty list is an error before all other checks, even before cuInit. */
CUresult impl_cuMemMapArrayAsync(CUarrayMapInfo *mapInfoList, unsigned int count, CUstream hStream)
{
    struct CUstream_st *stream;

    if (!mapInfoList || count == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the list of mappings is NULL or empty");
    CUresult result = cup_precondition_handle();
    if (result == CUDA_SUCCESS)
        result = cup_api_copy_find_stream(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_array_map_submit(stream, mapInfoList, count);
    cup_stream_unref(stream);
    return result;
}
