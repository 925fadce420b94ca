/* SPDX-License-Identifier: MIT */
/* Conversions of elements. Lines of the common types are converted by the instruction set's loops;
 * fp8 is written one by one. */
#include "types.h"

#include <math.h>
#include <string.h>

/* fp8: bits of the mantissa, bias of the exponent, the largest finite code. e4m3 has no infinity.
 */
struct small_float {
    int mantissa, bias;
    uint8_t largest, nan;
};

static const struct small_float e4m3 = {3, 7, 0x7e, 0x7f}, e5m2 = {2, 15, 0x7b, 0x7f};

static uint8_t fp8_code(const struct small_float *form, float value)
{
    uint32_t bits, sign, rest, shift = 23 - (uint32_t)form->mantissa, result;
    int smallest = 127 - form->bias + 1;

    memcpy(&bits, &value, sizeof(bits));
    sign = bits >> 24 & 0x80;
    rest = bits & 0x7fffffff;
    if (rest > 0x7f800000)
        return form->nan;
    if ((int)(rest >> 23) < smallest) /* subnormal: round by adding a number whose last bit it is */
        result = (uint32_t)lrintf(ldexpf(fabsf(value), form->bias - 1 + form->mantissa));
    else
        result = ((rest + ((1u << (shift - 1)) - 1) + (rest >> shift & 1)) >> shift) -
                 ((uint32_t)(127 - form->bias) << form->mantissa);
    if (result > form->largest)
        result = form->largest;
    return (uint8_t)(result | sign);
}

size_t product_type_bytes(cudaDataType_t type)
{
    switch ((int)type) {
    case CUDA_R_8I:
    case CUDA_R_8U:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_C_8I:
    case CUDA_C_8U:
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

bool product_type_is_complex(cudaDataType_t type)
{
    return product_real_type(type) != type;
}

cudaDataType_t product_real_type(cudaDataType_t type)
{
    switch ((int)type) {
    case CUDA_C_8I:
        return CUDA_R_8I;
    case CUDA_C_8U:
        return CUDA_R_8U;
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

static void line_to_f32(const struct product_isa *isa, float *out, cudaDataType_t type,
                        const void *in, size_t count)
{
    switch ((int)type) {
    case CUDA_R_16F:
        isa->from_f16(out, in, count);
        break;
    case CUDA_R_16BF:
        isa->from_bf16(out, in, count);
        break;
    case CUDA_R_8I:
        isa->from_s8(out, in, count);
        break;
    case CUDA_R_32I:
        isa->from_s32(out, in, count);
        break;
    case CUDA_R_8U:
        for (size_t i = 0; i < count; i++)
            out[i] = ((const uint8_t *)in)[i];
        break;
    case CUDA_R_8F_E4M3:
        isa->from_e4m3(out, in, count);
        break;
    case CUDA_R_8F_E5M2:
        isa->from_e5m2(out, in, count);
        break;
    case CUDA_R_64F:
        for (size_t i = 0; i < count; i++)
            out[i] = (float)((const double *)in)[i];
        break;
    default:
        memcpy(out, in, count * sizeof(*out));
    }
}

static void line_from_f32(const struct product_isa *isa, void *out, cudaDataType_t type,
                          const float *in, size_t count)
{
    switch ((int)type) {
    case CUDA_R_16F:
        isa->to_f16(out, in, count);
        break;
    case CUDA_R_16BF:
        isa->to_bf16(out, in, count);
        break;
    case CUDA_R_8I:
        isa->to_s8(out, in, count);
        break;
    case CUDA_R_32I:
        for (size_t i = 0; i < count; i++)
            ((int32_t *)out)[i] = in[i] >= 0x1p31f    ? INT32_MAX
                                  : in[i] <= -0x1p31f ? INT32_MIN
                                                      : (int32_t)rintf(in[i]);
        break;
    case CUDA_R_8F_E4M3:
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)out)[i] = fp8_code(&e4m3, in[i]);
        break;
    case CUDA_R_8F_E5M2:
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)out)[i] = fp8_code(&e5m2, in[i]);
        break;
    case CUDA_R_64F:
        for (size_t i = 0; i < count; i++)
            ((double *)out)[i] = in[i];
        break;
    default:
        memmove(out, in, count * sizeof(*in)); /* f32 may stay where it is */
    }
}

void product_to_f32(const struct product_isa *isa, float *out, cudaDataType_t type, const void *in,
                    int64_t stride, size_t count)
{
    size_t bytes = product_type_bytes(type);

    if (stride == 1) {
        line_to_f32(isa, out, type, in, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        line_to_f32(isa, out + i, type, product_at(in, (int64_t)i * stride, bytes), 1);
}

void product_from_f32(const struct product_isa *isa, void *out, cudaDataType_t type,
                      const float *in, int64_t stride, size_t count)
{
    size_t bytes = product_type_bytes(type);

    if (stride == 1) {
        line_from_f32(isa, out, type, in, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        line_from_f32(isa, (void *)product_at(out, (int64_t)i * stride, bytes), type, in + i, 1);
}

static double load_real(cudaDataType_t type, const void *address)
{
    float value;

    if (type == CUDA_R_64F)
        return *(const double *)address;
    if (type == CUDA_R_32I)
        return *(const int32_t *)address;
    line_to_f32(product_isa(), &value, type, address, 1);
    return value;
}

static void store_real(cudaDataType_t type, void *address, double value)
{
    float single = (float)value;

    if (type == CUDA_R_64F)
        *(double *)address = value;
    else
        line_from_f32(product_isa(), address, type, &single, 1);
}

struct product_number product_load(cudaDataType_t type, const void *address)
{
    cudaDataType_t real = product_real_type(type);
    struct product_number number = {.re = load_real(real, address)};

    if (real != type)
        number.im = load_real(real, (const char *)address + product_type_bytes(real));
    return number;
}

void product_store(cudaDataType_t type, void *address, struct product_number value)
{
    cudaDataType_t real = product_real_type(type);

    store_real(real, address, value.re);
    if (real != type)
        store_real(real, (char *)address + product_type_bytes(real), value.im);
}
