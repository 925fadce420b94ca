/* SPDX-License-Identifier: MIT */
/* Statistics of a region or a signal: sums, means, extremes and norms. A result is made of what one
 * pass gathers of a channel. */
#include "gather.h"
#include "handlers.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Channels whose results are wanted: one of several, or all but alpha. */
static unsigned first_channel(const struct npp_call *call)
{
    return call->coi ? (unsigned)call->coi - 1 : 0;
}

static unsigned last_channel(const struct npp_function *function, const struct npp_call *call)
{
    return call->coi ? (unsigned)call->coi : function->channels - (unsigned)function->alpha;
}

/* Writes a result, of two numbers if it is complex. Results of images are doubles, those of signals
 * have the type of the name; a scale factor divides them by a power of 2. */
static void put(const struct npp_function *function, const struct npp_call *call,
                const void *results, unsigned index, const double numbers[2])
{
    bool named = npp_is_signal(function) || function->target_type == NPP_T_64S;
    enum npp_type type = named ? function->target_type : NPP_T_64F;
    int scale = -(int)call->scale_factor;
    const double scaled[2] = {ldexp(numbers[0], scale), ldexp(numbers[1], scale)};

    if (results)
        npp_store(type, scaled, (char *)results + index * npp_bytes(type), 1);
}

NppStatus npp_sum(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    NppStatus status = npp_gather_check(function, call, call->sum);

    if (status != NPP_SUCCESS || checks)
        return status;
    for (unsigned c = 0; c < last_channel(function, call); c++) {
        double sums[2] = {0};

        for (unsigned n = 0; n < npp_numbers(function->type); n++)
            sums[n] = npp_gather(function, call, c, n, NPP_WANTS_SUMS).sum;
        put(function, call, call->sum, c, sums);
    }
    return NPP_SUCCESS;
}

/* The deviation of a signal is that of a sample, with one less in the divisor. */
NppStatus npp_mean(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    NppStatus status = npp_gather_check(function, call, call->mean ? call->mean : call->std_dev);
    unsigned first = first_channel(call);

    if (status != NPP_SUCCESS || checks)
        return status;
    for (unsigned c = first; c < last_channel(function, call); c++) {
        double means[2] = {0}, deviations[2] = {0};

        for (unsigned n = 0; n < npp_numbers(function->type); n++) {
            struct npp_gathered all = npp_gather(function, call, c, n, NPP_WANTS_SUMS);
            double variance;

            means[n] = all.sum / all.count;
            variance = all.squares / all.count - means[n] * means[n];
            if (npp_is_signal(function))
                variance *= all.count / (all.count - 1);
            deviations[n] = sqrt(variance < 0 ? 0 : variance);
        }
        put(function, call, call->mean, c - first, means);
        put(function, call, call->std_dev, c - first, deviations);
    }
    return NPP_SUCCESS;
}

static void put_value(const struct npp_function *function, const void *results, unsigned index,
                      double value)
{
    if (results)
        npp_store(function->type, &value, (char *)results + index * npp_bytes(function->type), 1);
}

static void put_index(const void *results, unsigned index, long long value)
{
    if (results)
        ((int *)results)[index] = (int)value;
}

static void put_point(const void *result, long long x, long long y)
{
    if (result)
        *(NppiPoint *)result = (NppiPoint){(int)x, (int)y};
}

/* The least and the greatest, with their places; of magnitudes where the name says so. */
NppStatus npp_extreme(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    const void *least = call->min ? call->min : call->min_value ? call->min_value : call->min_abs;
    const void *most = call->max ? call->max : call->max_value ? call->max_value : call->max_abs;
    bool absolute = call->min_abs || call->max_abs;
    NppStatus status = npp_gather_check(function, call, least ? least : most);
    unsigned first = first_channel(call);

    if (status != NPP_SUCCESS || checks)
        return status;
    for (unsigned c = first; c < last_channel(function, call); c++) {
        struct npp_gathered all = npp_gather(
            function, call, c, 0, NPP_WANTS_EXTREMES | (absolute ? NPP_WANTS_MAGNITUDES : 0));
        long long x = least ? all.least_x : all.most_x, y = least ? all.least_y : all.most_y;

        put_value(function, least, c - first, all.least);
        put_value(function, most, c - first, all.most);
        put_index(call->index_x, c - first, x);
        put_index(call->index_y, c - first, y);
        put_index(call->indx, c - first, x);
        put_index(call->min_indx, c - first, all.least_x);
        put_index(call->max_indx, c - first, all.most_x);
        put_point(call->min_index, all.least_x, all.least_y);
        put_point(call->max_index, all.most_x, all.most_y);
    }
    return NPP_SUCCESS;
}

/* Norms of an image, of a difference, and of a difference relative to the second image. */
NppStatus npp_norm(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    const void *result = call->norm_rel    ? call->norm_rel
                         : call->norm_diff ? call->norm_diff
                                           : call->norm;
    NppStatus status = npp_gather_check(function, call, result);
    unsigned first = first_channel(call), wants = NPP_WANTS_SUMS;

    if (status != NPP_SUCCESS || checks)
        return status;
    if (call->src2)
        wants |= NPP_WANTS_DIFFERENCE;
    if (call->norm_rel)
        wants |= NPP_WANTS_OTHER;
    if (npp_numbers(function->type) == 2)
        wants |= NPP_WANTS_MAGNITUDES;
    for (unsigned c = first; c < last_channel(function, call); c++) {
        struct npp_gathered all = npp_gather(function, call, c, 0, wants);
        double norm[2] = {0}, other;

        if (strncmp(function->suffix, "Inf", 3) == 0)
            norm[0] = all.most_absolute, other = all.other_most;
        else if (strncmp(function->suffix, "L1", 2) == 0)
            norm[0] = all.absolute, other = all.other_absolute;
        else if (strncmp(function->suffix, "L2Sqr", 5) == 0)
            norm[0] = all.squares, other = 1;
        else
            norm[0] = sqrt(all.squares), other = sqrt(all.other_squares);
        if (call->norm_rel)
            norm[0] /= other;
        put(function, call, result, c - first, norm);
    }
    return NPP_SUCCESS;
}

/* The sum of logarithms of a signal. */
NppStatus npp_sum_ln(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    NppStatus status = npp_gather_check(function, call, call->dst);
    double sum[2] = {0}, value;

    if (status != NPP_SUCCESS || checks)
        return status;
    for (long long i = 0; i < call->length; i++) {
        npp_load(function->type, (const char *)call->src + (size_t)i * npp_bytes(function->type),
                 &value, 1);
        sum[0] += log(value);
    }
    put(function, call, call->dst, 0, sum);
    return NPP_SUCCESS;
}

/* Handlers need no memory of the caller; a buffer has a size that can be allocated. */
NppStatus npp_buffer_size(const struct npp_function *function, const struct npp_call *call,
                          bool checks)
{
    const void *result = call->buffer_size ? call->buffer_size : call->device_memory_buffer_size;

    if (!result || !function->buffer_size_bytes)
        return NPP_NULL_POINTER_ERROR;
    if (checks && function->buffer_size_bytes == 8)
        *(uint64_t *)result = 1024;
    else if (checks)
        *(uint32_t *)result = 1024;
    return NPP_SUCCESS;
}
