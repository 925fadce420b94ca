/* SPDX-License-Identifier: MIT */
/* Requests for plans: types, the order of complaints, and layouts. */
#include "plan.h"

#include <string.h>

void fft_set_type(struct fft_many *many, cufftType type)
{
    static const struct {
        cufftType type;
        enum fft_kind kind;
        enum fft_precision precision;
    } types[] = {
        {CUFFT_C2C, FFT_COMPLEX, FFT_FLOAT},          {CUFFT_R2C, FFT_REAL_TO_COMPLEX, FFT_FLOAT},
        {CUFFT_C2R, FFT_COMPLEX_TO_REAL, FFT_FLOAT},  {CUFFT_Z2Z, FFT_COMPLEX, FFT_DOUBLE},
        {CUFFT_D2Z, FFT_REAL_TO_COMPLEX, FFT_DOUBLE}, {CUFFT_Z2D, FFT_COMPLEX_TO_REAL, FFT_DOUBLE},
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        if (types[i].type == type) {
            many->kind = types[i].kind;
            many->precision = types[i].precision;
            many->type_known = true;
        }
    }
}

/* The precision of a type, and whether it is complex. Returns false for other types. */
static bool split_type(cudaDataType type, enum fft_precision *precision, bool *is_complex)
{
    static const struct {
        cudaDataType real, complex;
        enum fft_precision precision;
    } types[] = {
        {CUDA_R_16F, CUDA_C_16F, FFT_HALF},
        {CUDA_R_16BF, CUDA_C_16BF, FFT_BFLOAT16},
        {CUDA_R_32F, CUDA_C_32F, FFT_FLOAT},
        {CUDA_R_64F, CUDA_C_64F, FFT_DOUBLE},
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        if (type == types[i].real || type == types[i].complex) {
            *precision = types[i].precision;
            *is_complex = type == types[i].complex;
            return true;
        }
    }
    return false;
}

void fft_set_data_types(struct fft_many *many, cudaDataType in, cudaDataType out,
                        cudaDataType execution)
{
    enum fft_precision precisions[3];
    bool complex_in, complex_out, unused;

    if (!split_type(in, &precisions[0], &complex_in) ||
        !split_type(out, &precisions[1], &complex_out) ||
        !split_type(execution, &precisions[2], &unused) || (!complex_in && !complex_out))
        return;
    many->kind = !complex_in    ? FFT_REAL_TO_COMPLEX
                 : !complex_out ? FFT_COMPLEX_TO_REAL
                                : FFT_COMPLEX;
    many->precision = precisions[0];
    many->type_known = precisions[0] == precisions[1] && precisions[0] == precisions[2];
}

static void read_numbers(long long *to, const void *from, int count, bool wide)
{
    for (int i = 0; i < count; i++)
        to[i] = wide ? ((const long long *)from)[i] : ((const int *)from)[i];
}

/* True if the numbers of elements and of bytes can be counted. */
static bool countable(const struct fft_request *request)
{
    long long count = request->batch;

    for (int i = 0; i < request->rank; i++) {
        if (__builtin_mul_overflow(count, request->n[i] + 2, &count))
            return false;
    }
    return count < (1LL << 56);
}

/* Dimensions behind the first may be less than 1: they count as 1. Without any other, nothing is
 * computed. A real transform must have a last dimension. */
static cufftResult check_sizes(struct fft_request *request)
{
    bool half = request->precision == FFT_HALF || request->precision == FFT_BFLOAT16;
    bool missing = false, longer = false;

    if (request->n[0] < 1 || request->batch < 1)
        return CUFFT_INVALID_SIZE;
    if (request->kind != FFT_COMPLEX && request->n[request->rank - 1] < 1)
        return CUFFT_INTERNAL_ERROR;
    for (int i = 0; i < request->rank; i++) {
        missing |= request->n[i] < 1;
        longer |= request->n[i] > 1;
        if (request->n[i] < 1)
            request->n[i] = 1;
        if (half && (request->n[i] & (request->n[i] - 1)))
            return CUFFT_NOT_SUPPORTED;
    }
    request->empty = missing && !longer;
    return countable(request) ? CUFFT_SUCCESS : CUFFT_INVALID_SIZE;
}

cufftResult fft_check(const struct fft_many *many, struct fft_request *request)
{
    *request = (struct fft_request){
        .kind = many->kind, .precision = many->precision, .rank = many->rank, .batch = many->batch};
    if (many->rank < 1 || many->rank > FFT_MAX_RANK || !many->n)
        return CUFFT_INVALID_VALUE;
    if (!many->in_embed != !many->out_embed)
        return CUFFT_INVALID_VALUE;
    read_numbers(request->n, many->n, many->rank, many->wide);
    if (many->in_embed) {
        if (many->in_stride < 1 || many->in_distance < 1 || many->out_stride < 1 ||
            many->out_distance < 1)
            return CUFFT_INVALID_VALUE;
        request->embedded = true;
        request->in.stride = many->in_stride;
        request->in.distance = many->in_distance;
        request->out.stride = many->out_stride;
        request->out.distance = many->out_distance;
        read_numbers(request->in.embed, many->in_embed, many->rank, many->wide);
        read_numbers(request->out.embed, many->out_embed, many->rank, many->wide);
    }
    return check_sizes(request);
}

/* Strides of one side: the batch, then the dimensions. */
static void embedded_strides(const struct fft_request *request, const struct fft_side *side,
                             ptrdiff_t *stride)
{
    unsigned long long step = (unsigned long long)side->stride;

    stride[0] = side->distance;
    for (int i = request->rank; i >= 1; i--) {
        stride[i] = (ptrdiff_t)step;
        step *= (unsigned long long)side->embed[i - 1];
    }
}

static void dense_strides(const struct fft_transform *transform, bool padded,
                          size_t (*length)(const struct fft_transform *, int), ptrdiff_t *stride)
{
    size_t step = 1;

    for (int i = transform->dimensions - 1; i >= 0; i--) {
        bool last = i == transform->dimensions - 1;

        stride[i] = (ptrdiff_t)step;
        step *= last && padded ? 2 * (transform->shape[i] / 2 + 1) : length(transform, i);
    }
}

void fft_describe(const struct fft_request *request, bool in_place, bool forward,
                  struct fft_transform *transform)
{
    *transform = (struct fft_transform){.kind = request->kind,
                                        .precision = request->precision,
                                        .forward = forward,
                                        .dimensions = request->rank + 1,
                                        .transformed = request->rank};
    transform->shape[0] = (size_t)request->batch;
    for (int i = 0; i < request->rank; i++)
        transform->shape[i + 1] = (size_t)request->n[i];
    if (request->embedded) {
        embedded_strides(request, &request->in, transform->in_stride);
        embedded_strides(request, &request->out, transform->out_stride);
        return;
    }
    dense_strides(transform, in_place && request->kind == FFT_REAL_TO_COMPLEX, fft_in_length,
                  transform->in_stride);
    dense_strides(transform, in_place && request->kind == FFT_COMPLEX_TO_REAL, fft_out_length,
                  transform->out_stride);
}

double fft_elements(const struct fft_request *request)
{
    double count = (double)request->batch;

    for (int i = 0; i < request->rank; i++)
        count *= (double)request->n[i];
    return count;
}

static bool has_large_factor(long long n)
{
    for (long long factor = 2; factor <= 127 && n > 1; factor++) {
        while (n % factor == 0)
            n /= factor;
    }
    return n > 1;
}

/* NVIDIA's library transforms lengths up to some bound without a work area, longer ones through a
 * copy, and lengths with a prime factor above 127 by convolutions. These are the bounds and sizes
 * of its version 12.0 on an H200, the convolutions' about. */
size_t fft_work_bytes(const struct fft_request *request)
{
    bool is_double = request->precision == FFT_DOUBLE, real = request->kind != FFT_COMPLEX;
    size_t element = is_double ? 16 : 8, bytes = 0;
    long long last = request->n[request->rank - 1];
    size_t rows = (size_t)(fft_elements(request) / (double)last);

    for (int i = 0; i < request->rank; i++) {
        long long n = request->n[i];
        bool halved = real && i == request->rank - 1;
        long long bound = has_large_factor(n)   ? (halved ? 127 : 4096)
                          : halved && is_double ? 4096
                                                : 16384;
        size_t length = (size_t)(has_large_factor(n) ? 4 * last
                                 : real              ? last / 2 + (last / 2 > 16384)
                                                     : last);

        if (n > bound && rows * length * element > bytes)
            bytes = rows * length * element;
    }
    return bytes;
}
