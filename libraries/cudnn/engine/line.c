/* SPDX-License-Identifier: MIT */
/* Conversion of lines. Elements with a stride are gathered as they are into a chunk, which is then
 * converted as a line without gaps: so each type has one loop. The conversions of small floats are
 * those of products, chosen by the processor's instruction set. */
#include "line.h"

#include "types.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 512 };

static cudaDataType_t cuda_type(cudnnDataType_t type)
{
    switch ((int)type) {
    case CUDNN_DATA_DOUBLE:
        return CUDA_R_64F;
    case CUDNN_DATA_HALF:
        return CUDA_R_16F;
    case CUDNN_DATA_BFLOAT16:
        return CUDA_R_16BF;
    case CUDNN_DATA_INT8:
        return CUDA_R_8I;
    case CUDNN_DATA_INT32:
        return CUDA_R_32I;
    case CUDNN_DATA_FP8_E4M3:
        return CUDA_R_8F_E4M3;
    case CUDNN_DATA_FP8_E5M2:
        return CUDA_R_8F_E5M2;
    default:
        return CUDA_R_32F;
    }
}

/* Types that are integers or f64 are converted by way of doubles. */
static bool is_double_like(cudnnDataType_t type)
{
    switch ((int)type) {
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT32:
    case CUDNN_DATA_UINT32:
    case CUDNN_DATA_INT64:
    case CUDNN_DATA_UINT8:
    case CUDNN_DATA_BOOLEAN:
    case CUDNN_DATA_FP8_E8M0:
        return true;
    default:
        return false;
    }
}

static void doubles_of(double *out, cudnnDataType_t type, const void *in, size_t count)
{
    switch ((int)type) {
    case CUDNN_DATA_INT32:
        for (size_t i = 0; i < count; i++)
            out[i] = ((const int32_t *)in)[i];
        break;
    case CUDNN_DATA_UINT32:
        for (size_t i = 0; i < count; i++)
            out[i] = ((const uint32_t *)in)[i];
        break;
    case CUDNN_DATA_INT64:
        for (size_t i = 0; i < count; i++)
            out[i] = (double)((const int64_t *)in)[i];
        break;
    case CUDNN_DATA_UINT8:
        for (size_t i = 0; i < count; i++)
            out[i] = ((const uint8_t *)in)[i];
        break;
    case CUDNN_DATA_BOOLEAN:
        for (size_t i = 0; i < count; i++)
            out[i] = ((const uint8_t *)in)[i] != 0;
        break;
    case CUDNN_DATA_FP8_E8M0:
        for (size_t i = 0; i < count; i++)
            out[i] = ((const uint8_t *)in)[i] == 0xff ? (double)NAN
                                                      : ldexp(1, ((const uint8_t *)in)[i] - 127);
        break;
    default:
        memcpy(out, in, count * sizeof(*out));
    }
}

static double clamped(double value, double least, double most)
{
    if (isnan(value))
        return 0;
    return rint(value < least ? least : value > most ? most : value);
}

static uint8_t e8m0_of(double value)
{
    int exponent;

    if (isnan(value))
        return 0xff;
    if (value <= 0)
        return 0;
    exponent = isinf(value) ? 127 : (int)rint(log2(value));
    return (uint8_t)(exponent < -127 ? 0 : exponent > 127 ? 254 : exponent + 127);
}

static void doubles_to(void *out, cudnnDataType_t type, const double *in, size_t count)
{
    switch ((int)type) {
    case CUDNN_DATA_INT32:
        for (size_t i = 0; i < count; i++)
            ((int32_t *)out)[i] = (int32_t)clamped(in[i], INT32_MIN, INT32_MAX);
        break;
    case CUDNN_DATA_UINT32:
        for (size_t i = 0; i < count; i++)
            ((uint32_t *)out)[i] = (uint32_t)clamped(in[i], 0, UINT32_MAX);
        break;
    case CUDNN_DATA_INT64:
        for (size_t i = 0; i < count; i++)
            ((int64_t *)out)[i] =
                in[i] >= 0x1p63 ? INT64_MAX : (int64_t)clamped(in[i], -0x1p63, 0x1p63);
        break;
    case CUDNN_DATA_UINT8:
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)out)[i] = (uint8_t)clamped(in[i], 0, UINT8_MAX);
        break;
    case CUDNN_DATA_BOOLEAN:
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)out)[i] = in[i] != 0;
        break;
    case CUDNN_DATA_FP8_E8M0:
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)out)[i] = e8m0_of(in[i]);
        break;
    default:
        memcpy(out, in, count * sizeof(*in));
    }
}

/* Lines without gaps, of at most CHUNK elements where types differ. */
static void load_dense(bool wide, void *out, cudnnDataType_t type, const void *in, size_t count)
{
    float singles[CHUNK];
    double doubles[CHUNK];

    if (is_double_like(type)) {
        doubles_of(wide ? out : doubles, type, in, count);
        for (size_t i = 0; !wide && i < count; i++)
            ((float *)out)[i] = (float)doubles[i];
        return;
    }
    product_to_f32(product_isa(), wide ? singles : out, cuda_type(type), in, 1, count);
    for (size_t i = 0; wide && i < count; i++)
        ((double *)out)[i] = singles[i];
}

static void store_dense(bool wide, void *out, cudnnDataType_t type, const void *in, size_t count)
{
    float singles[CHUNK];
    double doubles[CHUNK];

    if (is_double_like(type)) {
        for (size_t i = 0; !wide && i < count; i++)
            doubles[i] = ((const float *)in)[i];
        doubles_to(out, type, wide ? in : doubles, count);
        return;
    }
    for (size_t i = 0; wide && i < count; i++)
        singles[i] = (float)((const double *)in)[i];
    product_from_f32(product_isa(), out, cuda_type(type), wide ? singles : in, 1, count);
}

#define MOVE(type, to, to_stride, from, from_stride)                                               \
    for (size_t i = 0; i < count; i++)                                                             \
    ((type *)(to))[(int64_t)i * (to_stride)] = ((const type *)(from))[(int64_t)i * (from_stride)]

/* Copies elements of so many bytes; the strides count elements. */
static void move(void *to, int64_t to_stride, const void *from, int64_t from_stride, size_t bytes,
                 size_t count)
{
    if (bytes == 1)
        MOVE(uint8_t, to, to_stride, from, from_stride);
    else if (bytes == 2)
        MOVE(uint16_t, to, to_stride, from, from_stride);
    else if (bytes == 4)
        MOVE(uint32_t, to, to_stride, from, from_stride);
    else
        MOVE(uint64_t, to, to_stride, from, from_stride);
}

void dnn_line_load(bool wide, void *out, cudnnDataType_t type, const void *in, int64_t stride,
                   size_t count)
{
    size_t bytes = dnn_type_bytes(type), number = wide ? sizeof(double) : sizeof(float);
    _Alignas(8) char raw[CHUNK * sizeof(double)];

    if (stride == 1 && type == (wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT)) {
        memcpy(out, in, count * bytes);
        return;
    }
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        size_t part = count - begin < CHUNK ? count - begin : CHUNK;
        const char *from = (const char *)in + (int64_t)begin * stride * (int64_t)bytes;

        if (stride != 1)
            move(raw, 1, from, stride, bytes, part);
        load_dense(wide, (char *)out + begin * number, type, stride == 1 ? from : raw, part);
    }
}

void dnn_line_store(bool wide, void *out, cudnnDataType_t type, int64_t stride, const void *in,
                    size_t count)
{
    size_t bytes = dnn_type_bytes(type), number = wide ? sizeof(double) : sizeof(float);
    _Alignas(8) char raw[CHUNK * sizeof(double)];

    if (stride == 1 && type == (wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT)) {
        memmove(out, in, count * bytes);
        return;
    }
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        size_t part = count - begin < CHUNK ? count - begin : CHUNK;
        char *to = (char *)out + (int64_t)begin * stride * (int64_t)bytes;

        store_dense(wide, stride == 1 ? to : raw, type, (const char *)in + begin * number, part);
        if (stride != 1)
            move(to, stride, raw, 1, bytes, part);
    }
}
