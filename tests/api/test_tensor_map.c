/* SPDX-License-Identifier: MIT */
/* Tensor maps: the fields of the 128 bytes, and which requests are refused. */
#include "test.h"

#define ADDRESS ((void *)UINT64_C(0x7f0000000000))

static CUtensorMap map __attribute__((aligned(64)));

struct request {
    CUtensorMapDataType type;
    cuuint32_t rank;
    void *address;
    cuuint64_t dims[5], strides[4];
    cuuint32_t box[5], element_strides[5];
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion l2;
    CUtensorMapFloatOOBfill fill;
};

static const struct request usual = {
    .type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
    .rank = 3,
    .address = ADDRESS,
    .dims = {256, 32, 16, 8, 4},
    .strides = {512, 16384, 262144, 2097152},
    .box = {16, 8, 4, 2, 1},
    .element_strides = {1, 1, 1, 1, 1},
};

static CUresult encode(const struct request *request)
{
    return cuTensorMapEncodeTiled(&map, request->type, request->rank, request->address,
                                  request->dims, request->strides, request->box,
                                  request->element_strides, request->interleave, request->swizzle,
                                  request->l2, request->fill);
}

static uint32_t word(unsigned index)
{
    uint32_t words[32];

    memcpy(words, &map, sizeof(words));
    return words[index];
}

/* The driver looks for zeros among as many entries as the rank says. */
static const char *map_after_rank(cuuint32_t rank, cuuint64_t dim, cuuint32_t box,
                                  cuuint32_t stride)
{
    cuuint64_t dims[8] = {256, 32, 16, 8, 4, 1, dim, 1}, strides[8];
    cuuint32_t boxes[8] = {16, 8, 4, 2, 1, 1, box, 1}, steps[8] = {1, 1, 1, 1, 1, 1, stride, 1};
    CUtensorMap kept, zero = {{0}};

    for (unsigned i = 0; i < 8; i++)
        strides[i] = i < 4 ? usual.strides[i] : strides[3];
    memset(&map, 0xa5, sizeof(map));
    kept = map;
    check_result(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank, ADDRESS, dims,
                                        strides, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                 CUDA_ERROR_INVALID_VALUE);
    return memcmp(&map, &kept, sizeof(map)) == 0   ? "kept"
           : memcmp(&map, &zero, sizeof(map)) == 0 ? "zero"
                                                   : "other";
}

TEST(a_rank_that_is_too_large_keeps_the_map_if_there_is_a_zero)
{
    with_context();
    check(strcmp(map_after_rank(0, 1, 1, 1), "kept") == 0);
    check(strcmp(map_after_rank(6, 0, 1, 1), "zero") == 0);
    check(strcmp(map_after_rank(8, 1, 1, 1), "zero") == 0);
    check(strcmp(map_after_rank(8, 0, 1, 1), "kept") == 0);
    check(strcmp(map_after_rank(8, 1, 0, 1), "kept") == 0);
    check(strcmp(map_after_rank(8, 1, 1, 0), "kept") == 0);
}

TEST(a_map_need_not_be_aligned)
{
    static char bytes[256] __attribute__((aligned(64)));
    CUtensorMap *unaligned;

    with_context();
    check_success(encode(&usual));
    for (uintptr_t offset = 4; offset < 64; offset += 4) {
        uintptr_t address = (uintptr_t)bytes + offset;

        memcpy(&unaligned, &address, sizeof(address));
        check_success(cuTensorMapEncodeTiled(
            unaligned, usual.type, usual.rank, usual.address, usual.dims, usual.strides, usual.box,
            usual.element_strides, usual.interleave, usual.swizzle, usual.l2, usual.fill));
        check(memcmp(bytes + offset, &map, sizeof(map)) == 0);
        check_success(cuTensorMapReplaceAddress(unaligned, (char *)ADDRESS + 4096));
    }
}

TEST(a_tiled_map_has_its_shape)
{
    struct request request = usual;

    with_context();
    check_success(encode(&request));
    check(word(0) == 0 && word(1) == 0x7f00);
    check(word(2) == (2 << 4 | 6 << 7));
    check(word(3) == 512 / 16 && word(4) == 16384 / 16 && word(5) == 0);
    check(word(8) == 255 && word(9) == 31 && word(10) == 15 && word(11) == 0);
    check(word(13) == 15u << 24 && word(14) == (7 | 3 << 8));
    check(word(16) == 16 * 8 * 4 * 2 && word(18) == 16);
    request.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
    request.l2 = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    request.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    request.strides[1] = UINT64_C(0x1000000010);
    request.element_strides[1] = 3;
    check_success(encode(&request));
    check(word(2) == (2 << 4 | 6 << 7 | 1 << 13 | 1 << 15 | 3 << 17));
    check(word(4) == 1 && word(7) == 1 << 4);
    check((word(13) & 0xffffff) == 2 << 3 && word(16) == 16 * (8 / 3) * 4 * 2);
}

static void refused(struct request request)
{
    check_result(encode(&request), CUDA_ERROR_INVALID_VALUE);
}

#define REFUSED(field, value)                                                                      \
    do {                                                                                           \
        struct request changed = usual;                                                            \
        changed.field = (value);                                                                   \
        refused(changed);                                                                          \
    } while (0)

TEST(wrong_arguments_are_refused)
{
    with_context();
    REFUSED(rank, 0);
    REFUSED(rank, 6);
    REFUSED(type, (CUtensorMapDataType)99);
    REFUSED(address, (void *)((char *)ADDRESS + 8));
    REFUSED(address, (void *)(UINT64_C(1) << 57));
    REFUSED(dims[1], 0);
    REFUSED(dims[1], (UINT64_C(1) << 32) + 1);
    REFUSED(strides[0], 520);
    REFUSED(strides[1], UINT64_C(1) << 40);
    REFUSED(box[0], 257);
    REFUSED(box[0], 7);
    REFUSED(box[2], 0);
    REFUSED(element_strides[0], 0);
    REFUSED(element_strides[2], 9);
    REFUSED(interleave, (CUtensorMapInterleave)3);
    REFUSED(swizzle, (CUtensorMapSwizzle)9);
    REFUSED(l2, (CUtensorMapL2promotion)4);
    REFUSED(fill, (CUtensorMapFloatOOBfill)2);
    struct request request = usual;
    request.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
    request.box[0] = 32; /* 64 bytes */
    refused(request);
    request = usual;
    request.rank = 2;
    request.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
    refused(request);
    check_result(cuTensorMapEncodeTiled(NULL, usual.type, 2, ADDRESS, usual.dims, usual.strides,
                                        usual.box, usual.element_strides, 0, 0, 0, 0),
                 CUDA_ERROR_INVALID_VALUE);
}

static CUresult encode_im2col(const int lower[2], const int upper[2], cuuint32_t channels,
                              cuuint32_t pixels)
{
    return cuTensorMapEncodeIm2col(&map, usual.type, 4, ADDRESS, usual.dims, usual.strides, lower,
                                   upper, channels, pixels, usual.element_strides, 0, 0, 0, 0);
}

TEST(an_im2col_map_has_corners)
{
    with_context();
    check_success(encode_im2col((int[]){-2, 3}, (int[]){1, -1}, 16, 64));
    check((word(2) & 1) == 1 && word(14) == 0xff0103fe && word(15) == 63);
    check(word(16) == 16 * 64 * 2);
    check_result(encode_im2col((int[]){-129, 0}, (int[]){0, 0}, 16, 64), CUDA_ERROR_INVALID_VALUE);
    /* the box has no extent in a dimension of 32 */
    check_result(encode_im2col((int[]){16, 0}, (int[]){-16, 0}, 16, 64), CUDA_ERROR_INVALID_VALUE);
    check_success(encode_im2col((int[]){16, 0}, (int[]){-15, 0}, 16, 64));
    check_result(encode_im2col((int[]){0, 0}, (int[]){0, 0}, 257, 64), CUDA_ERROR_INVALID_VALUE);
    check_result(encode_im2col((int[]){0, 0}, (int[]){0, 0}, 16, 1025), CUDA_ERROR_INVALID_VALUE);
}

TEST(the_address_can_be_replaced)
{
    struct request request = usual;
    CUtensorMap before;

    with_context();
    check_success(encode(&request));
    before = map;
    check_success(cuTensorMapReplaceAddress(&map, (char *)ADDRESS + 4096));
    check(word(0) == 4096 && word(1) == 0x7f00);
    check(memcmp((char *)&map + 8, (char *)&before + 8, sizeof(map) - 8) == 0);
    check_result(cuTensorMapReplaceAddress(&map, (char *)ADDRESS + 8), CUDA_ERROR_INVALID_VALUE);
    check_result(cuTensorMapReplaceAddress(&map, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuTensorMapReplaceAddress(NULL, ADDRESS), CUDA_ERROR_INVALID_VALUE);
    check(word(0) == 4096);
}
