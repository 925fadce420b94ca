/* SPDX-License-Identifier: MIT */
/* Elements of all types. Numbers of 16 bits are converted by their bits, with rounding to the
 * nearest even. */
#include "types.h"

#include "small_floats.h"

#include <math.h>
#include <string.h>

size_t sparse_bytes(cudaDataType type)
{
    switch (type) {
    case CUDA_R_8I:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
    case CUDA_C_16F:
    case CUDA_C_16BF:
        return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
        return 8;
    case CUDA_C_64F:
        return 16;
    default:
        return 0;
    }
}

bool sparse_is_complex(cudaDataType type)
{
    return type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_32F || type == CUDA_C_64F;
}

static cudaDataType part_type(cudaDataType type)
{
    switch (type) {
    case CUDA_C_16F:
        return CUDA_R_16F;
    case CUDA_C_16BF:
        return CUDA_R_16BF;
    case CUDA_C_32F:
        return CUDA_R_32F;
    case CUDA_C_64F:
        return CUDA_R_64F;
    default:
        return type;
    }
}

cudaDataType sparse_compute_type(cudaDataType type)
{
    switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return CUDA_R_32F;
    case CUDA_C_16F:
    case CUDA_C_16BF:
        return CUDA_C_32F;
    default:
        return type;
    }
}

static double load_part(cudaDataType type, const void *array, int64_t index)
{
    switch (type) {
    case CUDA_R_8I:
        return ((const int8_t *)array)[index];
    case CUDA_R_32I:
        return ((const int32_t *)array)[index];
    case CUDA_R_16F:
        return lib_f16_value(((const uint16_t *)array)[index]);
    case CUDA_R_16BF:
        return lib_bf16_value(((const uint16_t *)array)[index]);
    case CUDA_R_32F:
        return ((const float *)array)[index];
    default:
        return ((const double *)array)[index];
    }
}

static void store_part(cudaDataType type, void *array, int64_t index, double value)
{
    switch (type) {
    case CUDA_R_8I:
        ((int8_t *)array)[index] = (int8_t)fmin(fmax(value, INT8_MIN), INT8_MAX);
        break;
    case CUDA_R_32I:
        ((int32_t *)array)[index] = (int32_t)fmin(fmax(value, INT32_MIN), INT32_MAX);
        break;
    case CUDA_R_16F:
        ((uint16_t *)array)[index] = lib_f16_bits_of_double(value);
        break;
    case CUDA_R_16BF:
        ((uint16_t *)array)[index] = lib_bf16_bits((float)value);
        break;
    case CUDA_R_32F:
        ((float *)array)[index] = (float)value;
        break;
    default:
        ((double *)array)[index] = value;
    }
}

struct sparse_number sparse_load(cudaDataType type, const void *array, int64_t index)
{
    cudaDataType part = part_type(type);

    if (part == type)
        return (struct sparse_number){load_part(type, array, index), 0};
    return (struct sparse_number){load_part(part, array, 2 * index),
                                  load_part(part, array, 2 * index + 1)};
}

void sparse_store(cudaDataType type, void *array, int64_t index, struct sparse_number value)
{
    cudaDataType part = part_type(type);

    if (part == type) {
        store_part(type, array, index, value.re);
        return;
    }
    store_part(part, array, 2 * index, value.re);
    store_part(part, array, 2 * index + 1, value.im);
}

void sparse_convert(cudaDataType to_type, void *to, cudaDataType from_type, const void *from,
                    int64_t count)
{
    if (to_type == from_type) {
        memcpy(to, from, (size_t)count * sparse_bytes(to_type));
        return;
    }
    for (int64_t i = 0; i < count; i++)
        sparse_store(to_type, to, i, sparse_load(from_type, from, i));
}
