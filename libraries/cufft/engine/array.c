/* SPDX-License-Identifier: MIT */
#include "array.h"

#include "small_floats.h"

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

static inline void widen_row(float *to, ptrdiff_t to_stride, const uint16_t *from,
                             ptrdiff_t from_stride, size_t count, size_t size, bool is_bfloat)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < size; k++)
            to[k] = is_bfloat ? lib_bf16_value(from[k]) : lib_f16_value(from[k]);
        to += to_stride * (ptrdiff_t)size;
        from += from_stride * (ptrdiff_t)size;
    }
}

static inline void narrow_row(uint16_t *to, ptrdiff_t to_stride, const float *from,
                              ptrdiff_t from_stride, size_t count, size_t size, bool is_bfloat)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < size; k++)
            to[k] = is_bfloat ? lib_bf16_bits(from[k]) : lib_f16_bits(from[k]);
        to += to_stride * (ptrdiff_t)size;
        from += from_stride * (ptrdiff_t)size;
    }
}

void fft_widen_half_row(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride,
                        size_t count, size_t size)
{
    widen_row(to, to_stride, from, from_stride, count, size, false);
}

void fft_widen_bfloat_row(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride,
                          size_t count, size_t size)
{
    widen_row(to, to_stride, from, from_stride, count, size, true);
}

void fft_narrow_half_row(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride,
                         size_t count, size_t size)
{
    narrow_row(to, to_stride, from, from_stride, count, size, false);
}

void fft_narrow_bfloat_row(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride,
                           size_t count, size_t size)
{
    narrow_row(to, to_stride, from, from_stride, count, size, true);
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
