/* SPDX-License-Identifier: MIT */
/* Memory for arrays that were made without. */
#include "api/copy_call.h"
#include "bodies.h"
#include "core/error.h"
#include "core/gate.h"
#include "image/map_array.h"
#include "stream/stream.h"

/* An empty list is wrong before anything is looked at, also before cuInit. */
CUresult body_cuMemMapArrayAsync(CUarrayMapInfo *mapInfoList, unsigned int count, CUstream hStream)
{
    struct CUstream_st *stream;

    if (!mapInfoList || count == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "nothing is to be mapped");
    CUresult result = cup_gate_handle();
    if (result == CUDA_SUCCESS)
        result = cup_copy_find_stream(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_map_array_submit(stream, mapInfoList, count);
    cup_stream_unref(stream);
    return result;
}
