/* SPDX-License-Identifier: MIT */
/* The words of a map are described in module/tensor_map.c, which writes them. */
#include "exec/services/service_access.h"
#include "exec/services/tensor_map.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/warp.h"
#include "core/compiler.h"
#include "exec/sched/fault.h"
#include "ptx/program.h"

#include <string.h>

enum { WORDS = CUP_TMA_MAP_BYTES / 4, UNIT_BYTES = 16, LANES = CUP_ABI_WARP_LANES };

/* By the type code of word 2. */
static const struct {
    uint8_t type, bytes;
    bool is_float;
} types[16] = {
    {PTX_U8, 1, false},  {PTX_U16, 2, false}, {PTX_U32, 4, false}, {PTX_S32, 4, false},
    {PTX_U64, 8, false}, {PTX_S64, 8, false}, {PTX_F16, 2, true},  {PTX_F32, 4, true},
    {PTX_F32, 4, true},  {PTX_F64, 8, true},  {PTX_BF16, 2, true},
};

static uint32_t field(const uint32_t *words, unsigned word, unsigned bit, unsigned bits)
{
    return words[word] >> bit & ((1u << bits) - 1);
}

static int32_t signed_field(const uint32_t *words, unsigned word, unsigned bit, unsigned bits)
{
    return (int32_t)(field(words, word, bit, bits) << (32 - bits)) >> (32 - bits);
}

static void read_corners(struct cup_tma_tensor *tensor, const uint32_t *words)
{
    static const unsigned bits_of[] = {16, 8, 5};
    unsigned spatial = tensor->rank - 2, bits = bits_of[spatial - 1];

    for (unsigned i = 0; i < spatial; i++) {
        tensor->lower[i] = signed_field(words, 14, bits * i, bits);
        tensor->upper[i] = signed_field(words, 14, 16 + bits * i, bits);
    }
    tensor->pixels = field(words, 15, 0, 10) + 1;
}

static bool is_valid(const struct cup_tma_tensor *tensor)
{
    unsigned row = tensor->box[0] * tensor->unit_bytes;

    if (tensor->rank > CUP_TMA_DIMENSIONS || !tensor->element_bytes ||
        tensor->interleave > CUP_TMA_SLICES_32B)
        return false;
    if ((tensor->is_im2col || tensor->interleave) && tensor->rank < 3)
        return false;
    if (tensor->interleave && (tensor->is_im2col || tensor->element_strides[0] != 1))
        return false; /* not known what the device does */
    return row % UNIT_BYTES == 0;
}

bool cup_tma_read(struct cup_tma_tensor *tensor, const void *map)
{
    uint32_t words[WORDS], code;

    memcpy(words, map, sizeof(words));
    memset(tensor, 0, sizeof(*tensor));
    code = field(words, 2, 7, 4);
    tensor->address = words[0] | (uint64_t)(words[1] & 0x1ffffff) << 32;
    tensor->is_im2col = field(words, 2, 0, 1);
    tensor->rank = field(words, 2, 4, 3) + 1;
    tensor->type = types[code].type;
    tensor->element_bytes = types[code].bytes;
    tensor->is_float = types[code].is_float;
    tensor->rounds_to_tf32 = field(words, 2, 16, 1);
    tensor->flushes = code == 8;
    tensor->interleave = (uint8_t)field(words, 2, 11, 2);
    tensor->unit_bytes = tensor->interleave ? (uint8_t)(UNIT_BYTES << (tensor->interleave - 1))
                                            : tensor->element_bytes;
    tensor->swizzle = (uint8_t)field(words, 2, 13, 2);
    tensor->fills_nan = field(words, 2, 15, 1);
    for (unsigned i = 0; i < CUP_TMA_DIMENSIONS; i++) {
        tensor->dims[i] = words[8 + i] + UINT64_C(1);
        tensor->element_strides[i] = field(words, 13, 3 * i, 3) + 1;
        tensor->box[i] = (i ? field(words, 14, 8 * (i - 1), 8) : words[13] >> 24) + 1;
        tensor->strides[i] =
            i ? (words[2 + i] | (uint64_t)field(words, 7, 4 * (i - 1), 4) << 32) * UNIT_BYTES
              : tensor->unit_bytes;
    }
    if (!is_valid(tensor))
        return false;
    if (tensor->is_im2col)
        read_corners(tensor, words);
    return true;
}

static void put_field(uint32_t *words, unsigned word, unsigned bit, unsigned bits, uint32_t value)
{
    uint32_t mask = ((1u << bits) - 1) << bit;

    words[word] = (words[word] & ~mask) | (value << bit & mask);
}

/* The codes of tensormap.replace's element types. */
static void put_type(uint32_t *words, uint64_t type)
{
    static const struct {
        uint8_t code;
        bool tf32;
    } codes[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0},  {4, 0}, {5, 0}, {6, 0},
                 {7, 0}, {8, 0}, {9, 0}, {10, 0}, {7, 1}, {8, 1}};

    if (type >= CUP_ARRAY_COUNT(codes))
        return;
    put_field(words, 2, 7, 4, codes[type].code);
    put_field(words, 2, 16, 1, codes[type].tf32);
}

static void put_stride(uint32_t *words, unsigned ordinal, uint64_t bytes)
{
    words[3 + ordinal] = (uint32_t)(bytes / UNIT_BYTES);
    put_field(words, 7, 4 * ordinal, 4, (uint32_t)(bytes / UNIT_BYTES >> 32));
}

static void replace(uint32_t *words, const struct cup_abi_warp_call *call, uint64_t value)
{
    unsigned ordinal = call->count;

    switch (call->part) {
    case CUP_ABI_TENSOR_ADDRESS:
        words[0] = (uint32_t)value;
        put_field(words, 1, 0, 25, (uint32_t)(value >> 32));
        break;
    case CUP_ABI_TENSOR_RANK:
        put_field(words, 2, 4, 3, (uint32_t)value);
        break;
    case CUP_ABI_TENSOR_BOX:
        if (ordinal == 0)
            put_field(words, 13, 24, 8, (uint32_t)value - 1);
        else
            put_field(words, 14, 8 * (ordinal - 1), 8, (uint32_t)value - 1);
        break;
    case CUP_ABI_TENSOR_DIMENSION:
        words[8 + ordinal] = (uint32_t)value - 1;
        break;
    case CUP_ABI_TENSOR_STRIDE:
        put_stride(words, ordinal, value);
        break;
    case CUP_ABI_TENSOR_ELEMENT_STRIDE:
        put_field(words, 13, 3 * ordinal, 3, (uint32_t)value - 1);
        break;
    case CUP_ABI_TENSOR_TYPE:
        put_type(words, value);
        break;
    case CUP_ABI_TENSOR_INTERLEAVE:
        put_field(words, 2, 11, 2, (uint32_t)value);
        break;
    case CUP_ABI_TENSOR_SWIZZLE:
        put_field(words, 2, 13, 2, (uint32_t)value);
        break;
    case CUP_ABI_TENSOR_FILL:
        put_field(words, 2, 15, 1, (uint32_t)value);
        break;
    default: /* the swizzle's atom: devices of this kind have one only */
        break;
    }
}

void cup_tma_map_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         const struct cup_abi_warp_call *call, const uint64_t *words)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint8_t *map = (uint8_t *)(uintptr_t)words[lane];

        if ((uintptr_t)map % CUP_TMA_MAP_BYTES)
            cup_fault_misaligned(block, warp, 1u << lane, words[lane], CUP_TMA_MAP_BYTES,
                                 call->line);
        if (call->operation == CUP_ABI_WARP_TENSOR_MAP_COPY)
            cup_service_access(block, warp, lane, (const void *)(uintptr_t)words[LANES + lane],
                               CUP_TMA_MAP_BYTES, call->site, CUP_ABI_READS);
        cup_service_access(block, warp, lane, map, CUP_TMA_MAP_BYTES, call->site, CUP_ABI_WRITES);
        if (call->operation == CUP_ABI_WARP_TENSOR_MAP_COPY)
            memcpy(map, (const void *)(uintptr_t)words[LANES + lane], CUP_TMA_MAP_BYTES);
        else
            replace((uint32_t *)(void *)map, call, words[LANES + lane]);
    }
}
