/* SPDX-License-Identifier: MIT */
#include "graph/work_submit.h"

#include "graph/capture.h"

bool cup_work_capture(struct CUstream_st *stream, const struct cup_work_type *type, void *work,
                      CUresult *result)
{
    struct cup_captured_work captured = {0};
    CUresult described = type->describe(stream, work, &captured);

    if (described != CUDA_SUCCESS) {
        *result = described;
        return true;
    }
    switch (captured.kind) {
    case CUP_CAPTURED_NODE:
        return cup_capture_add(stream, &captured, result);
    case CUP_CAPTURED_RECORD:
        return cup_capture_record(stream, &captured, result);
    case CUP_CAPTURED_WAIT:
        return cup_capture_wait(stream, &captured, result);
    case CUP_CAPTURED_NONE:
        break;
    }
    CUresult refused = cup_capture_refuse(stream, captured.name);
    if (refused != CUDA_SUCCESS)
        *result = refused;
    return refused != CUDA_SUCCESS;
}
