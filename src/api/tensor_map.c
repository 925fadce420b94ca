/* SPDX-License-Identifier: MIT */
/* Tensor maps. */
#include "impl.h"
#include "core/error.h"
#include "module/tensor_map.h"

#include <string.h>

static CUresult check_pointers(const CUtensorMap *map, const struct cup_tensor_request *request)
{
    if (!map || !request->dims || !request->strides || !request->element_strides ||
        (request->kind == CUP_TENSOR_TILED && !request->box))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no tensor map, or no array of its shape");
    return CUDA_SUCCESS;
}

static CUresult encode(CUtensorMap *map, const struct cup_tensor_request *request)
{
    CUresult result = check_pointers(map, request);

    return result == CUDA_SUCCESS ? cup_tensor_map_encode(map, request) : result;
}

/* What all three forms have in common. */
static struct cup_tensor_request describe(enum cup_tensor_kind kind, CUtensorMapDataType type,
                                          cuuint32_t rank, void *address, const cuuint64_t *dims,
                                          const cuuint64_t *strides,
                                          const cuuint32_t *element_strides)
{
    return (struct cup_tensor_request){
        .kind = kind,
        .type = type,
        .rank = rank,
        .address = address,
        .dims = dims,
        .strides = strides,
        .element_strides = element_strides,
    };
}

static void set_modes(struct cup_tensor_request *request, CUtensorMapInterleave interleave,
                      CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2,
                      CUtensorMapFloatOOBfill fill)
{
    request->interleave = interleave;
    request->swizzle = swizzle;
    request->l2 = l2;
    request->fill = fill;
}

CUresult impl_cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
                                     cuuint32_t tensorRank, void *globalAddress,
                                     const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
                                     const cuuint32_t *boxDim, const cuuint32_t *elementStrides,
                                     CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                     CUtensorMapL2promotion l2Promotion,
                                     CUtensorMapFloatOOBfill oobFill)
{
    struct cup_tensor_request request =
        describe(CUP_TENSOR_TILED, tensorDataType, tensorRank, globalAddress, globalDim,
                 globalStrides, elementStrides);

    set_modes(&request, interleave, swizzle, l2Promotion, oobFill);
    request.box = boxDim;
    return encode(tensorMap, &request);
}

CUresult impl_cuTensorMapEncodeIm2col(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
    const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner, cuuint32_t channelsPerPixel,
    cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill)
{
    struct cup_tensor_request request =
        describe(CUP_TENSOR_IM2COL, tensorDataType, tensorRank, globalAddress, globalDim,
                 globalStrides, elementStrides);

    set_modes(&request, interleave, swizzle, l2Promotion, oobFill);
    request.channels = channelsPerPixel;
    request.pixels = pixelsPerColumn;
    if (!pixelBoxLowerCorner || !pixelBoxUpperCorner)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no corners of the box");
    if (tensorRank > 2 && tensorRank <= CUP_TENSOR_RANK_MAX) {
        request.corners = tensorRank - 2;
        memcpy(request.lower, pixelBoxLowerCorner, request.corners * sizeof(int));
        memcpy(request.upper, pixelBoxUpperCorner, request.corners * sizeof(int));
    }
    return encode(tensorMap, &request);
}

CUresult impl_cuTensorMapEncodeIm2colWide(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
    int pixelBoxLowerCornerWidth, int pixelBoxUpperCornerWidth, cuuint32_t channelsPerPixel,
    cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill)
{
    struct cup_tensor_request request =
        describe(CUP_TENSOR_IM2COL, tensorDataType, tensorRank, globalAddress, globalDim,
                 globalStrides, elementStrides);
    CUresult result = check_pointers(tensorMap, &request);

    if (result != CUDA_SUCCESS)
        return result;
    set_modes(&request, interleave, swizzle, l2Promotion, oobFill);
    request.lower[0] = pixelBoxLowerCornerWidth;
    request.upper[0] = pixelBoxUpperCornerWidth;
    request.corners = 1;
    request.channels = channelsPerPixel;
    request.pixels = pixelsPerColumn;
    if ((unsigned)mode > CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128)
        request.has_bad_mode = true;
    return cup_tensor_map_encode(tensorMap, &request);
}

CUresult impl_cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress)
{
    if (!tensorMap)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no tensor map");
    return cup_tensor_map_replace_address(tensorMap, globalAddress);
}
