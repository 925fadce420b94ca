/* SPDX-License-Identifier: MIT */
#include "array.h"

#include <stdint.h>
#include <string.h>

size_t fft_in_length(const struct fft_transform *transform, int axis)
{
    size_t length = transform->shape[axis];
    bool half = transform->kind == FFT_COMPLEX_TO_REAL && axis == transform->dimensions - 1;

    return half ? length / 2 + 1 : length;
}

size_t fft_out_length(const struct fft_transform *transform, int axis)
{
    size_t length = transform->shape[axis];
    bool half = transform->kind == FFT_REAL_TO_COMPLEX && axis == transform->dimensions - 1;

    return half ? length / 2 + 1 : length;
}

static size_t real_bytes(enum fft_precision precision)
{
    static const size_t bytes[] = {
        [FFT_HALF] = 2, [FFT_BFLOAT16] = 2, [FFT_FLOAT] = 4, [FFT_DOUBLE] = 8};

    return bytes[precision];
}

size_t fft_in_bytes(const struct fft_transform *transform)
{
    return real_bytes(transform->precision) << (transform->kind != FFT_REAL_TO_COMPLEX);
}

size_t fft_out_bytes(const struct fft_transform *transform)
{
    return real_bytes(transform->precision) << (transform->kind != FFT_COMPLEX_TO_REAL);
}

static struct fft_span span(const struct fft_transform *transform, const ptrdiff_t *stride,
                            size_t (*length)(const struct fft_transform *, int), size_t bytes)
{
    struct fft_span result = {0, bytes};

    for (int i = 0; i < transform->dimensions; i++) {
        size_t steps = length(transform, i) - 1;

        if (stride[i] < 0)
            result.before += steps * -(size_t)stride[i] * bytes;
        else
            result.after += steps * (size_t)stride[i] * bytes;
    }
    return result;
}

struct fft_span fft_in_span(const struct fft_transform *transform)
{
    return span(transform, transform->in_stride, fft_in_length, fft_in_bytes(transform));
}

struct fft_span fft_out_span(const struct fft_transform *transform)
{
    return span(transform, transform->out_stride, fft_out_length, fft_out_bytes(transform));
}

void fft_same_row(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride,
                  size_t count, size_t size)
{
    if (to_stride == 1 && from_stride == 1) {
        memcpy(to, from, count * size);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy((char *)to + (ptrdiff_t)(i * size) * to_stride,
               (const char *)from + (ptrdiff_t)(i * size) * from_stride, size);
}

static float float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float widen_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 31, fraction = half & 1023;

    if (exponent == 31)
        return float_of_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent == 0)
        return (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
    return float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

/* Rounds to nearest, ties to even. */
static uint16_t narrow_half(float value)
{
    uint32_t bits = bits_of_float(value), sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;

    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7fff);
    if (magnitude >= 0x477ff000)
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) {
        /* The sum has the half's denormal fraction in its last bits. */
        float sum = float_of_bits(magnitude) + 0.5f;

        return (uint16_t)(sign | (bits_of_float(sum) - bits_of_float(0.5f)));
    }
    return (uint16_t)(sign | (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13);
}

static float widen_bfloat(uint16_t bits)
{
    return float_of_bits((uint32_t)bits << 16);
}

static uint16_t narrow_bfloat(float value)
{
    uint32_t bits = bits_of_float(value);

    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline void widen_row(float *to, ptrdiff_t to_stride, const uint16_t *from,
                             ptrdiff_t from_stride, size_t count, size_t size,
                             float (*widen)(uint16_t))
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < size; k++)
            to[k] = widen(from[k]);
        to += to_stride * (ptrdiff_t)size;
        from += from_stride * (ptrdiff_t)size;
    }
}

static inline void narrow_row(uint16_t *to, ptrdiff_t to_stride, const float *from,
                              ptrdiff_t from_stride, size_t count, size_t size,
                              uint16_t (*narrow)(float))
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < size; k++)
            to[k] = narrow(from[k]);
        to += to_stride * (ptrdiff_t)size;
        from += from_stride * (ptrdiff_t)size;
    }
}

void fft_widen_half_row(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride,
                        size_t count, size_t size)
{
    widen_row(to, to_stride, from, from_stride, count, size, widen_half);
}

void fft_widen_bfloat_row(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride,
                          size_t count, size_t size)
{
    widen_row(to, to_stride, from, from_stride, count, size, widen_bfloat);
}

void fft_narrow_half_row(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride,
                         size_t count, size_t size)
{
    narrow_row(to, to_stride, from, from_stride, count, size, narrow_half);
}

void fft_narrow_bfloat_row(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride,
                           size_t count, size_t size)
{
    narrow_row(to, to_stride, from, from_stride, count, size, narrow_bfloat);
}

/* The bytes of an element on each side: what is converted is 2 bytes here and 4 there. */
static void element_bytes(const struct fft_copy *copy, size_t *to, size_t *from)
{
    bool widens = copy->row == fft_widen_half_row || copy->row == fft_widen_bfloat_row;
    bool copies = copy->row == fft_same_row;

    *to = copies ? copy->size : copy->size * (widens ? 4 : 2);
    *from = copies ? copy->size : copy->size * (widens ? 2 : 4);
}

void fft_copy_elements(const struct fft_copy *copy)
{
    int last = copy->transform->dimensions - 1;
    size_t index[FFT_MAX_DIMENSIONS] = {0}, to_bytes, from_bytes;

    element_bytes(copy, &to_bytes, &from_bytes);
    for (;;) {
        ptrdiff_t to = 0, from = 0;
        int axis = last - 1;

        for (int i = 0; i < last; i++) {
            to += (ptrdiff_t)index[i] * copy->to_stride[i];
            from += (ptrdiff_t)index[i] * copy->from_stride[i];
        }
        copy->row((char *)copy->to + to * (ptrdiff_t)to_bytes, copy->to_stride[last],
                  (const char *)copy->from + from * (ptrdiff_t)from_bytes, copy->from_stride[last],
                  copy->length(copy->transform, last), copy->size);
        while (axis >= 0 && ++index[axis] == copy->length(copy->transform, axis))
            index[axis--] = 0;
        if (axis < 0)
            return;
    }
}
