/* SPDX-License-Identifier: MIT */
/* Statistics of a region or a signal: one pass gathers everything that a family may want of a
 * channel. */
#include "handlers.h"
#include "pixels.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct gathered {
    double sum, squares, absolute, most_absolute, product;
    double other_squares, other_absolute, other_most; /* of the second source */
    double least, most;
    NppiPoint least_at, most_at;
    double count;
};

static bool is_signal(const struct npp_function *function)
{
    return strncmp(function->name, "npps", 4) == 0;
}

static NppiSize region_of(const struct npp_function *function, const struct npp_call *call)
{
    return is_signal(function) ? (NppiSize){(int)call->length, 1} : call->size_roi;
}

static NppStatus check(const struct npp_function *function, const struct npp_call *call,
                       const void *result)
{
    NppiSize size = region_of(function, call);

    if (!result || !(call->src || call->src1))
        return NPP_NULL_POINTER_ERROR;
    if (size.width <= 0 || size.height <= 0)
        return NPP_SIZE_ERROR;
    if (!is_signal(function) && (call->src ? call->src_step : call->src1_step) <= 0)
        return NPP_STEP_ERROR;
    return NPP_SUCCESS;
}

static void take(struct gathered *all, double a, double b, int x, int y)
{
    double magnitude = fabs(a);

    all->sum += a;
    all->squares += a * a;
    all->absolute += magnitude;
    all->product += a * b;
    all->other_squares += b * b;
    all->other_absolute += fabs(b);
    if (magnitude > all->most_absolute)
        all->most_absolute = magnitude;
    if (fabs(b) > all->other_most)
        all->other_most = fabs(b);
    if (all->count == 0 || a < all->least)
        all->least = a, all->least_at = (NppiPoint){x, y};
    if (all->count == 0 || a > all->most)
        all->most = a, all->most_at = (NppiPoint){x, y};
    all->count++;
}

/* NVIDIA's library takes numbers of 16 bits beside an alpha as those without a sign, where it looks
 * for the greatest of one image. */
static enum npp_type type_of(const struct npp_function *function)
{
    bool greatest = strncmp(function->name, "nppiNorm_Inf", 12) == 0 ||
                    strncmp(function->name, "nppiNormRel_Inf", 15) == 0;

    return greatest && function->alpha && function->type == NPP_T_16S ? NPP_T_16U : function->type;
}

static double as_unsigned(double value)
{
    return value < 0 ? value + 65536 : value;
}

/* Gathers a number of each pixel; of two sources, their difference if asked for. */
static struct gathered gather(const struct npp_function *function, const struct npp_call *call,
                              unsigned channel, unsigned number, bool of_difference)
{
    NppiSize size = region_of(function, call);
    enum npp_type type = type_of(function);
    struct npp_view first;
    struct gathered all = {0};

    npp_view_source(function, call, &first);
    for (int y = 0; y < size.height; y++) {
        for (int x = 0; x < size.width; x++) {
            double a[2], b[2] = {0};

            if (call->mask && !((const uint8_t *)call->mask)[y * call->mask_step + x])
                continue;
            npp_load(call->src2 ? function->type : type, npp_view_at(&first, x, y, channel), a, 1);
            if (call->src2)
                npp_load(function->type,
                         (const char *)call->src2 + y * call->src2_step +
                             ((size_t)x * function->channels + channel) * npp_bytes(function->type),
                         b, 1);
            take(&all, of_difference ? a[number] - b[number] : a[number], b[number], x, y);
            if (type != function->type)
                all.other_most = fmax(all.other_most, as_unsigned(b[number]));
        }
    }
    return all;
}

/* Channels whose results are wanted: one of several, or all but alpha. */
static unsigned first_channel(const struct npp_call *call)
{
    return call->coi ? (unsigned)call->coi - 1 : 0;
}

static unsigned last_channel(const struct npp_function *function, const struct npp_call *call)
{
    return call->coi ? (unsigned)call->coi : function->channels - (unsigned)function->alpha;
}

/* Results of images are doubles, those of signals have the type of the name. */
static void put(const struct npp_function *function, const void *results, unsigned index,
                double value)
{
    enum npp_type type = is_signal(function) || function->target_type == NPP_T_64S
                             ? function->target_type
                             : NPP_T_64F;

    if (results)
        npp_store(type, &value, (char *)results + index * npp_bytes(type), 1);
}

NppStatus npp_sum(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    NppStatus status = check(function, call, call->sum);
    unsigned numbers = npp_numbers(function->type);

    if (status != NPP_SUCCESS || checks)
        return status;
    for (unsigned c = 0; c < last_channel(function, call); c++) {
        double sums[2] = {0};

        for (unsigned n = 0; n < numbers; n++)
            sums[n] = gather(function, call, c, n, false).sum;
        if (numbers == 2)
            npp_store(function->target_type, sums, (void *)call->sum, 1);
        else
            put(function, call->sum, c, sums[0]);
    }
    return NPP_SUCCESS;
}

/* The deviation of a signal is that of a sample, with one less in the divisor. */
NppStatus npp_mean(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    NppStatus status = check(function, call, call->mean ? call->mean : call->std_dev);
    unsigned first = first_channel(call);

    if (status != NPP_SUCCESS || checks)
        return status;
    for (unsigned c = first; c < last_channel(function, call); c++) {
        struct gathered all = gather(function, call, c, 0, false);
        double mean = all.sum / all.count;
        double variance = all.squares / all.count - mean * mean;

        if (is_signal(function))
            variance *= all.count / (all.count - 1);
        put(function, call->mean, c - first, mean);
        put(function, call->std_dev, c - first, sqrt(variance < 0 ? 0 : variance));
    }
    return NPP_SUCCESS;
}

static void put_value(const struct npp_function *function, const void *results, unsigned index,
                      double value)
{
    if (results)
        npp_store(function->type, &value, (char *)results + index * npp_bytes(function->type), 1);
}

static void put_index(const void *results, unsigned index, int value)
{
    if (results)
        ((int *)results)[index] = value;
}

NppStatus npp_extreme(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    const void *least = call->min ? call->min : call->min_value;
    const void *most = call->max ? call->max : call->max_value;
    NppStatus status = check(function, call, least ? least : most);
    unsigned first = first_channel(call);

    if (status != NPP_SUCCESS || checks)
        return status;
    for (unsigned c = first; c < last_channel(function, call); c++) {
        struct gathered all = gather(function, call, c, 0, false);
        NppiPoint at = least ? all.least_at : all.most_at;

        put_value(function, least, c - first, all.least);
        put_value(function, most, c - first, all.most);
        put_index(call->index_x, c - first, at.x);
        put_index(call->index_y, c - first, at.y);
        if (call->min_index)
            *(NppiPoint *)call->min_index = all.least_at;
        if (call->max_index)
            *(NppiPoint *)call->max_index = all.most_at;
    }
    return NPP_SUCCESS;
}

NppStatus npp_dot_product(const struct npp_function *function, const struct npp_call *call,
                          bool checks)
{
    NppStatus status = check(function, call, call->dp);

    if (status != NPP_SUCCESS || checks)
        return status;
    for (unsigned c = 0; c < last_channel(function, call); c++)
        put(function, call->dp, c, gather(function, call, c, 0, false).product);
    return NPP_SUCCESS;
}

/* Norms of an image, of a difference, and of a difference relative to the second image. */
NppStatus npp_norm(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    const void *result = call->norm_rel    ? call->norm_rel
                         : call->norm_diff ? call->norm_diff
                                           : call->norm;
    NppStatus status = check(function, call, result);
    unsigned first = first_channel(call);

    if (status != NPP_SUCCESS || checks)
        return status;
    for (unsigned c = first; c < last_channel(function, call); c++) {
        struct gathered all = gather(function, call, c, 0, call->src2 != NULL);
        double norm, other;

        if (strncmp(function->suffix, "Inf", 3) == 0)
            norm = all.most_absolute, other = all.other_most;
        else if (strncmp(function->suffix, "L1", 2) == 0)
            norm = all.absolute, other = all.other_absolute;
        else
            norm = sqrt(all.squares), other = sqrt(all.other_squares);
        put(function, result, c - first, call->norm_rel ? norm / other : norm);
    }
    return NPP_SUCCESS;
}

/* Sums of all pixels above and to the left, one row and column larger than the source. */
NppStatus npp_integral(const struct npp_function *function, const struct npp_call *call,
                       bool checks)
{
    NppiSize size = call->size_roi;
    NppStatus status = check(function, call, call->dst);
    struct npp_view source, target;

    if (status != NPP_SUCCESS || checks)
        return status;
    npp_view_source(function, call, &source);
    npp_view_target(function, call, &target);
    for (int y = 0; y <= size.height; y++) {
        double sum = 0;

        for (int x = 0; x <= size.width; x++) {
            double value = call->val_v[0], above, pixel;

            if (y && x) {
                npp_load(function->type, npp_view_at(&source, x - 1, y - 1, 0), &pixel, 1);
                npp_load(function->target_type, npp_view_at(&target, x, y - 1, 0), &above, 1);
                sum += pixel;
                value = above + sum;
            }
            npp_store(function->target_type, &value, (void *)npp_view_at(&target, x, y, 0), 1);
        }
    }
    return NPP_SUCCESS;
}

NppStatus npp_count_in_range(const struct npp_function *function, const struct npp_call *call,
                             bool checks)
{
    NppStatus status = check(function, call, call->counts);
    struct npp_view source;

    if (status != NPP_SUCCESS || checks)
        return status;
    npp_view_source(function, call, &source);
    for (unsigned c = 0; c < last_channel(function, call); c++) {
        int count = 0;

        for (int y = 0; y < call->size_roi.height; y++) {
            for (int x = 0; x < call->size_roi.width; x++) {
                double value;

                npp_load(function->type, npp_view_at(&source, x, y, c), &value, 1);
                count += value >= call->lower_bound_v[c] && value <= call->upper_bound_v[c];
            }
        }
        ((int *)call->counts)[c] = count;
    }
    return NPP_SUCCESS;
}

/* Which of the intervals between levels a value is in; -1: none. */
static int interval_of(const double *levels, int count, double value)
{
    for (int i = 0; i + 1 < count; i++) {
        if (value >= levels[i] && value < levels[i + 1])
            return i;
    }
    return -1;
}

enum { LEVELS_MOST = 1024 };

/* Levels have whole distances, which leaves a rest below the upper one. */
static void even_levels(double *levels, int count, double lower, double upper)
{
    double distance = floor((upper - lower) / (count - 1));

    for (int i = 0; i < count; i++)
        levels[i] = lower + distance * i;
}

/* Reads the levels of a channel. */
static void levels_of(const struct npp_function *function, const struct npp_call *call, unsigned c,
                      double levels[LEVELS_MOST])
{
    int count = function->channels > 1 ? call->level_count_i[c] : (int)call->level_count;

    npp_load(npp_is_float(function->type) ? NPP_T_32F : NPP_T_32S,
             function->channels > 1 ? call->levels_planes[c] : call->levels, levels, (size_t)count);
}

static NppStatus histogram(const struct npp_function *function, const struct npp_call *call,
                           bool checks, bool even)
{
    NppStatus status =
        check(function, call, function->channels > 1 ? call->hist_planes[0] : call->hist);
    struct npp_view source;
    double levels[LEVELS_MOST];

    if (status != NPP_SUCCESS)
        return status;
    npp_view_source(function, call, &source);
    for (unsigned c = 0; c < last_channel(function, call); c++) {
        int *bins = (int *)(function->channels > 1 ? call->hist_planes[c] : call->hist);
        int count = function->channels > 1 ? call->level_count_i[c] : (int)call->level_count;

        if (count < 2 || count > LEVELS_MOST)
            return NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR;
        if (checks)
            continue;
        if (even)
            even_levels(levels, count, call->lower_level_v[c], call->upper_level_v[c]);
        else
            levels_of(function, call, c, levels);
        memset(bins, 0, (size_t)(count - 1) * sizeof(int));
        for (int y = 0; y < call->size_roi.height; y++) {
            for (int x = 0; x < call->size_roi.width; x++) {
                double value;
                int bin;

                npp_load(function->type, npp_view_at(&source, x, y, c), &value, 1);
                bin = interval_of(levels, count, value);
                if (bin >= 0)
                    bins[bin]++;
            }
        }
    }
    return NPP_SUCCESS;
}

NppStatus npp_histogram_even(const struct npp_function *function, const struct npp_call *call,
                             bool checks)
{
    return histogram(function, call, checks, true);
}

NppStatus npp_histogram_range(const struct npp_function *function, const struct npp_call *call,
                              bool checks)
{
    return histogram(function, call, checks, false);
}

/* Writes levels to the host, at once. */
NppStatus npp_even_levels(const struct npp_function *function, const struct npp_call *call,
                          bool checks)
{
    double levels[LEVELS_MOST];
    int count = (int)call->level_count;

    (void)function;
    if (!call->levels)
        return NPP_NULL_POINTER_ERROR;
    if (count < 2 || count > LEVELS_MOST)
        return NPP_HISTOGRAM_NUMBER_OF_LEVELS_ERROR;
    if (!checks)
        return NPP_SUCCESS;
    even_levels(levels, count, call->lower_level_v[0], call->upper_level_v[0]);
    npp_store(NPP_T_32S, levels, (void *)call->levels, (size_t)count);
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
