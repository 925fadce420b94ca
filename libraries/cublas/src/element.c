/* SPDX-License-Identifier: MIT */
/* Conversions round to nearest, ties to even. */
#include "element.h"

#include <math.h>
#include <string.h>

size_t blas_element_bytes(cudaDataType_t type)
{
    switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
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

bool blas_element_is_complex(cudaDataType_t type)
{
    return type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_32F || type == CUDA_C_64F;
}

static double half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude;

    if (exponent == 31)
        magnitude = fraction ? NAN : INFINITY;
    else
        magnitude = ldexp(exponent ? 1024 + fraction : fraction, (exponent ? exponent : 1) - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static uint16_t double_to_half(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);
    int exponent;

    if (isnan(value))
        return 0x7fff;
    if (magnitude >= 65520)
        return sign | 0x7c00;
    frexp(magnitude, &exponent);
    /* Below the normal numbers the unit of the last place stays the same. */
    if (exponent < -13)
        return sign | (uint16_t)nearbyint(ldexp(magnitude, 24));
    /* The leading bit is left out; a carry into the exponent gives the right bits. */
    return sign |
           (uint16_t)((exponent + 13) * 1024 + (int)nearbyint(ldexp(magnitude, 11 - exponent)));
}

static double bfloat_to_double(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;

    memcpy(&value, &wide, sizeof(value));
    return value;
}

static uint16_t double_to_bfloat(double value)
{
    float single = (float)value;
    uint32_t bits;

    memcpy(&bits, &single, sizeof(bits));
    if (isnan(single))
        return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The type of the parts of a complex type. */
static cudaDataType_t part_type(cudaDataType_t type)
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

static double load_part(cudaDataType_t type, const void *array, int64_t index)
{
    switch (type) {
    case CUDA_R_16F:
        return half_to_double(((const uint16_t *)array)[index]);
    case CUDA_R_16BF:
        return bfloat_to_double(((const uint16_t *)array)[index]);
    case CUDA_R_32F:
        return ((const float *)array)[index];
    default:
        return ((const double *)array)[index];
    }
}

static void store_part(cudaDataType_t type, void *array, int64_t index, double value)
{
    switch (type) {
    case CUDA_R_16F:
        ((uint16_t *)array)[index] = double_to_half(value);
        break;
    case CUDA_R_16BF:
        ((uint16_t *)array)[index] = double_to_bfloat(value);
        break;
    case CUDA_R_32F:
        ((float *)array)[index] = (float)value;
        break;
    default:
        ((double *)array)[index] = value;
    }
}

struct blas_complex blas_load(cudaDataType_t type, const void *array, int64_t index)
{
    cudaDataType_t part = part_type(type);

    if (part == type)
        return (struct blas_complex){load_part(type, array, index), 0};
    return (struct blas_complex){load_part(part, array, 2 * index),
                                 load_part(part, array, 2 * index + 1)};
}

void blas_store(cudaDataType_t type, void *array, int64_t index, struct blas_complex value)
{
    cudaDataType_t part = part_type(type);

    if (part == type) {
        store_part(type, array, index, value.re);
        return;
    }
    store_part(part, array, 2 * index, value.re);
    store_part(part, array, 2 * index + 1, value.im);
}
