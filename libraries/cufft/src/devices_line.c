/* SPDX-License-Identifier: MIT */
/* One transform of one dimension on several devices. NVIDIA's library computes it as a matrix of
 * factor1 x factor2 and leaves the result in strings, shared out in order; a string has one piece
 * of each row of factor1 elements:
 *
 *     64 elements, two devices, factor1 = 16, two strings of pieces of 8
 *         device 0    0-7, 16-23, 32-39, 48-55
 *         device 1    8-15, 24-31, 40-47, 56-63
 *
 * Here the array is transformed as a whole; its parts are put in the same order, so that programs
 * that compute with cufftXtQueryPlan's factors find what they expect. The factors are those that
 * CUDA 13.0 named for 64 to 1024 elements on two and four devices. */
#include "devices.h"

enum { LEAST_LENGTH = 64, LEAST_ROWS = 32, SPLIT_FROM = 4 };

static int log2_of(size_t power)
{
    return __builtin_ctzll(power);
}

static bool is_power(size_t value)
{
    return value && (value & (value - 1)) == 0;
}

static size_t factor1_of(size_t n)
{
    return (size_t)1 << (log2_of(n) / 2 + 1);
}

bool fft_is_line(const struct fft_plan *plan)
{
    return plan->request.rank == 1 && plan->request.batch == 1;
}

cufftResult fft_devices_take(const struct fft_request *request, int gpu_count)
{
    size_t n = (size_t)request->n[0], gpus = (size_t)gpu_count;

    if (request->batch > 1)
        return CUFFT_SUCCESS;
    if (request->rank > 1)
        return request->n[0] >= LEAST_ROWS && request->n[1] >= LEAST_ROWS ? CUFFT_SUCCESS
                                                                          : CUFFT_INVALID_SIZE;
    return request->kind == FFT_COMPLEX && n >= LEAST_LENGTH && is_power(n) && is_power(gpus) &&
                   n / factor1_of(n) >= gpus
               ? CUFFT_SUCCESS
               : CUFFT_INVALID_SIZE;
}

static cufftXt1dFactors factors_of(const struct fft_plan *plan)
{
    size_t n = (size_t)plan->request.n[0], gpus = (size_t)plan->gpu_count;
    size_t factor1 = factor1_of(n), factor2 = n / factor1;
    size_t strings = gpus * (factor2 / gpus >= SPLIT_FROM ? SPLIT_FROM : 1);
    cufftXt1dFactors factors = {.size = (long long)n,
                                .stringCount = (long long)strings,
                                .stringLength = (long long)(n / strings),
                                .substringLength = (long long)(factor1 / strings),
                                .factor1 = (long long)factor1,
                                .factor2 = (long long)factor2};

    factors.stringMask = factors.stringLength - 1;
    factors.substringMask = factors.substringLength - 1;
    factors.factor1Mask = factors.factor1 - 1;
    factors.factor2Mask = factors.factor2 - 1;
    factors.stringShift = log2_of((size_t)factors.stringLength);
    factors.substringShift = log2_of((size_t)factors.substringLength);
    factors.factor1Shift = log2_of(factor1);
    factors.factor2Shift = log2_of(factor2);
    return factors;
}

size_t fft_line_index(const struct fft_plan *plan, int format, size_t place)
{
    const cufftXt1dFactors factors = factors_of(plan);
    size_t length = (size_t)factors.stringLength, piece = (size_t)factors.substringLength;
    size_t each = (size_t)plan->request.n[0] / (size_t)plan->gpu_count, rest = place % each;
    size_t share = (size_t)factors.factor2 / (size_t)plan->gpu_count;

    switch (format) {
    case CUFFT_XT_FORMAT_OUTPUT:
    case CUFFT_XT_FORMAT_INPLACE_SHUFFLED:
        return place % length / piece * (size_t)factors.factor1 + place / length * piece +
               place % piece;
    case CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED:
        return rest / share * (size_t)factors.factor2 + place / each * share + rest % share;
    default:
        return place;
    }
}

cufftResult cufftXtQueryPlan(cufftHandle handle, void *queryStruct, cufftXtQueryType queryType)
{
    struct fft_plan *plan = fft_handle_find(handle);

    if (!plan || !plan->made)
        return CUFFT_INVALID_PLAN;
    if (!queryStruct || queryType != CUFFT_QUERY_1D_FACTORS)
        return CUFFT_INVALID_VALUE;
    if (!plan->gpu_count || !fft_is_line(plan))
        return CUFFT_NOT_SUPPORTED;
    *(cufftXt1dFactors *)queryStruct = factors_of(plan);
    return CUFFT_SUCCESS;
}
