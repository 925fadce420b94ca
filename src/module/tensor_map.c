/* SPDX-License-Identifier: MIT */
/* The 32-bit words of a map:
 *
 *     0, 1    address, 57 bits
 *     2       bit 0 im2col; 4 rank - 1; 7 type; 11 interleave; 13 swizzle; 15 fill; 16 type of 32
 *             bits that is rounded to tf32; 17 L2 promotion
 *     3 - 6   strides in units of 16 bytes; word 7 has bits 32 to 35 of each
 *     8 - 12  dimensions - 1
 *     13      element strides - 1, 3 bits each; from bit 24: first side of the box, or channels, -
 * 1 14      tiled: other sides of the box - 1, 8 bits each; im2col: lower corners in the lower
 * half, upper corners in the upper half, in 16, 8 or 5 bits each 15      im2col: pixels per column
 * - 1 16      bytes of a box; 18: alignment that the swizzle needs, in units of 1/16 */
#include "module/tensor_map.h"

#include "core/error.h"
#include "memory/map.h"
#include "os/guard.h"

#include <stdbool.h>
#include <string.h>

enum {
    WORDS = 32,
    ADDRESS_BITS = 57,
    STRIDE_BITS = 40,
    UNIT_BYTES = 16,
    BOX_MAX = 256,
    PIXELS_MAX = 1024,
    ELEMENT_STRIDE_MAX = 8,
    BOX_BYTES_MAX = 228 << 10, /* the shared memory of a multiprocessor */
};

/* Type codes of word 2 and sizes. The types with 4 and 6 bits are those of a later device. */
static const struct {
    uint32_t code;
    uint8_t bytes;
    bool is_float;
} types[] = {
    [CU_TENSOR_MAP_DATA_TYPE_UINT8] = {0 << 7, 1, false},
    [CU_TENSOR_MAP_DATA_TYPE_UINT16] = {1 << 7, 2, false},
    [CU_TENSOR_MAP_DATA_TYPE_UINT32] = {2 << 7, 4, false},
    [CU_TENSOR_MAP_DATA_TYPE_INT32] = {3 << 7, 4, false},
    [CU_TENSOR_MAP_DATA_TYPE_UINT64] = {4 << 7, 8, false},
    [CU_TENSOR_MAP_DATA_TYPE_INT64] = {5 << 7, 8, false},
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = {6 << 7, 2, true},
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = {7 << 7, 4, true},
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = {9 << 7, 8, true},
    [CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = {10 << 7, 2, true},
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = {8 << 7, 4, true},
    [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = {7 << 7 | 1 << 16, 4, true},
    [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = {8 << 7 | 1 << 16, 4, true},
};

static CUresult refuse(const char *why)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "no tensor map: %s", why);
}

struct zero_search {
    const struct cup_tensor_request *request;
    bool found;
};

/* NVIDIA's driver looks at as many entries as the rank says, also if the rank is too large. What
 * lies behind an application's lists may not be readable, and is none of ASan's business. */
__attribute__((no_sanitize("address", "undefined"))) static void search_zero(void *argument)
{
    struct zero_search *search = argument;
    const struct cup_tensor_request *request = search->request;

    for (uint32_t i = 0; i < request->rank && !search->found; i++)
        search->found = request->dims[i] == 0 || request->element_strides[i] == 0 ||
                        (request->kind == CUP_TENSOR_TILED && request->box[i] == 0);
}

/* A refused request with a zero leaves the map untouched. */
static bool has_zero(const struct cup_tensor_request *request)
{
    struct zero_search search = {request, request->rank == 0};

    if (request->kind == CUP_TENSOR_IM2COL && (!request->channels || !request->pixels))
        return true;
    return !cup_guard_run(search_zero, &search) || search.found;
}

static unsigned unit_bytes(const struct cup_tensor_request *request)
{
    return request->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 2 * UNIT_BYTES : UNIT_BYTES;
}

static bool rank_is_valid(const struct cup_tensor_request *request)
{
    bool spatial =
        request->kind == CUP_TENSOR_IM2COL || request->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE;

    return request->rank <= CUP_TENSOR_RANK_MAX && request->rank >= (spatial ? 3 : 1);
}

/* Words 0 to 2. */
static CUresult encode_head(uint32_t *words, const struct cup_tensor_request *request)
{
    uint64_t address = (uintptr_t)request->address;

    if (cup_map_misalignment(address, unit_bytes(request)) || address >> ADDRESS_BITS ||
        !rank_is_valid(request) || request->has_bad_mode)
        return refuse("its address or its rank");
    words[0] = (uint32_t)address;
    words[1] = (uint32_t)(address >> 32);
    words[2] = (request->rank - 1) << 4 | (request->kind == CUP_TENSOR_IM2COL);
    if ((unsigned)request->type >= sizeof(types) / sizeof(types[0]))
        return refuse("its type");
    words[2] |= types[request->type].code;
    if ((unsigned)request->interleave > CU_TENSOR_MAP_INTERLEAVE_32B)
        return refuse("its interleave");
    words[2] |= (uint32_t)request->interleave << 11;
    if ((unsigned)request->swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
        return refuse("its swizzle");
    words[2] |= (uint32_t)request->swizzle << 13;
    if ((unsigned)request->fill > (types[request->type].is_float
                                       ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                                       : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return refuse("its fill");
    words[2] |= (uint32_t)request->fill << 15;
    if ((unsigned)request->l2 > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
        return refuse("its L2 promotion");
    words[2] |= (uint32_t)request->l2 << 17;
    return CUDA_SUCCESS;
}

/* Words 3 to 13. */
static CUresult encode_shape(uint32_t *words, const struct cup_tensor_request *request)
{
    for (unsigned i = 0; i + 1 < request->rank; i++) {
        uint64_t stride = request->strides[i];
        if (stride % unit_bytes(request) || stride >> STRIDE_BITS)
            return refuse("its strides");
        words[3 + i] = (uint32_t)(stride / UNIT_BYTES);
        words[7] |= (uint32_t)(stride / UNIT_BYTES >> 32) << (4 * i);
    }
    for (unsigned i = 0; i < request->rank; i++) {
        if (request->dims[i] > UINT64_C(1) << 32)
            return refuse("its dimensions");
        words[8 + i] = (uint32_t)(request->dims[i] - 1);
        if (request->element_strides[i] > ELEMENT_STRIDE_MAX)
            return refuse("its element strides");
        words[13] |= (request->element_strides[i] - 1) << (3 * i);
    }
    return CUDA_SUCCESS;
}

/* The box of a tiled map. Element strides leave out a part of its elements. */
static CUresult encode_box(uint32_t *words, const struct cup_tensor_request *request,
                           uint64_t *elements)
{
    *elements = 1;
    for (unsigned i = 0; i < request->rank; i++) {
        if (request->box[i] > BOX_MAX)
            return refuse("its box");
        if (i == 0)
            words[13] |= (request->box[0] - 1) << 24;
        else
            words[14] |= (request->box[i] - 1) << (8 * (i - 1));
        *elements *= request->box[i] / request->element_strides[i];
    }
    return CUDA_SUCCESS;
}

/* The extent of a spatial dimension between the corners, in 32 bits as on the device. Channels are
 * the first dimension, unless they are interleaved. */
static bool corner_is_valid(const struct cup_tensor_request *request, unsigned i, int least)
{
    unsigned first = request->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE;
    int lower = request->lower[i], upper = request->upper[i];
    uint32_t extent = (uint32_t)request->dims[i + first] + (uint32_t)upper - (uint32_t)lower;

    if (lower < least || lower > -least - 1 || upper < least || upper > -least - 1)
        return false;
    return i >= request->corners || (int32_t)extent > 0;
}

/* The bounding box of an im2col map. */
static CUresult encode_corners(uint32_t *words, const struct cup_tensor_request *request,
                               uint64_t *elements)
{
    static const unsigned bits_of[] = {16, 8, 5};
    unsigned spatial = request->rank - 2, bits = bits_of[spatial - 1];
    uint32_t mask = (UINT32_C(1) << bits) - 1;

    for (unsigned i = 0; i < spatial; i++) {
        if (!corner_is_valid(request, i, -(1 << (bits - 1))))
            return refuse("its corners");
    }
    if (request->channels > BOX_MAX || request->pixels > PIXELS_MAX)
        return refuse("its channels or pixels");
    for (unsigned i = 0; i < spatial; i++) {
        words[14] |= ((uint32_t)request->lower[i] & mask) << (bits * i);
        words[14] |= ((uint32_t)request->upper[i] & mask) << (16 + bits * i);
    }
    words[13] |= (request->channels - 1) << 24;
    words[15] = request->pixels - 1;
    *elements = (uint64_t)request->channels * request->pixels;
    return CUDA_SUCCESS;
}

/* A row of the box is a whole number of units and, if it is swizzled, no longer than the pattern.
 */
static CUresult encode_size(uint32_t *words, const struct cup_tensor_request *request,
                            uint64_t elements)
{
    unsigned bytes = types[request->type].bytes;
    unsigned row = ((words[13] >> 24) + 1) * bytes;

    if (row % UNIT_BYTES)
        return refuse("its rows are not a multiple of 16 bytes");
    if (request->swizzle && request->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE &&
        row > (unsigned)UNIT_BYTES << request->swizzle)
        return refuse("its rows are longer than the swizzle's");
    if (elements * bytes > BOX_BYTES_MAX)
        return refuse("its box is larger than shared memory");
    words[16] = (uint32_t)(elements * bytes);
    words[18] = request->swizzle ? 128u << request->swizzle : UNIT_BYTES;
    return CUDA_SUCCESS;
}

CUresult cup_tensor_map_encode(void *map, const struct cup_tensor_request *request)
{
    uint32_t words[WORDS] = {0};
    uint64_t elements = 0;

    if (has_zero(request))
        return refuse("a count is zero");
    CUresult result = encode_head(words, request);
    if (result == CUDA_SUCCESS)
        result = encode_shape(words, request);
    if (result == CUDA_SUCCESS)
        result = request->kind == CUP_TENSOR_TILED ? encode_box(words, request, &elements)
                                                   : encode_corners(words, request, &elements);
    if (result == CUDA_SUCCESS)
        result = encode_size(words, request, elements);
    memcpy(map, words, sizeof(words));
    return result;
}

CUresult cup_tensor_map_replace_address(void *map, const void *address)
{
    const uint64_t mask = (UINT64_C(1) << ADDRESS_BITS) - 1;
    uint64_t number = (uintptr_t)address, before;

    if (!number || cup_map_misalignment(number, UNIT_BYTES) || number & ~mask)
        return refuse("its address");
    memcpy(&before, map, sizeof(before));
    number |= before & ~mask;
    memcpy(map, &number, sizeof(number));
    return CUDA_SUCCESS;
}
