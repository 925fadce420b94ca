/* SPDX-License-Identifier: MIT */
/* Data exchange: set, copy, convert, scale, duplicate, order of channels. */
#include "vector.h"

#include "handlers.h"

#include "bands.h"
#include "pixels.h"
#include "strided.h"

#include <math.h>
#include <string.h>

/* Goes over the pixels of the region; `place` says which pixel and channel of the source belongs to
 * one of the destination, or that a value does. */
struct transfer {
    const struct npp_function *function;
    const struct npp_call *call;
    struct npp_view source, target;
    NppiSize size; /* of the destination */
};

static bool is_masked_out(const struct npp_call *call, int x, int y)
{
    return call->mask && !((const unsigned char *)call->mask)[y * call->mask_step + x];
}

static NppStatus begin(const struct npp_function *function, const struct npp_call *call,
                       NppiSize size, struct transfer *transfer)
{
    transfer->function = function;
    transfer->call = call;
    transfer->size = size;
    npp_view_source(function, call, &transfer->source);
    npp_view_target(function, call, &transfer->target);
    return npp_view_check(&transfer->source, &transfer->target, size);
}

/* Runs a function for each row, in bands. */
typedef void row_function(const struct transfer *transfer, int y);

struct banded {
    const struct transfer *transfer;
    row_function *run;
};

static void run_band(void *arguments, int first, int last)
{
    const struct banded *banded = arguments;

    for (int y = first; y < last; y++)
        banded->run(banded->transfer, y);
}

static void run_rows(const struct transfer *transfer, row_function *run)
{
    struct banded banded = {transfer, run};

    npp_bands(transfer->size.height,
              (size_t)transfer->size.width * transfer->function->target_channels, run_band,
              &banded);
}

/* Copies a channel of a row; `source_channel` of the source. */
static void copy_channel(const struct transfer *transfer, int y, unsigned channel,
                         unsigned source_channel)
{
    const struct npp_view *source = &transfer->source, *target = &transfer->target;
    void *to = (void *)npp_view_at(target, 0, y, channel);
    const void *from = npp_view_at(source, 0, y, source_channel);
    size_t bytes = target->channel_bytes;

    if (!transfer->call->mask) {
        npp_copy_strided(to, (ptrdiff_t)target->pixel_bytes, from, (ptrdiff_t)source->pixel_bytes,
                         bytes, (size_t)transfer->size.width);
        return;
    }
    for (int x = 0; x < transfer->size.width; x++) {
        if (!is_masked_out(transfer->call, x, y))
            memcpy((void *)npp_view_at(target, x, y, channel),
                   npp_view_at(source, x, y, source_channel), bytes);
    }
}

/* Copies three channels between pixels and planes; false: that is not what is asked for. */
static bool copy_planes(const struct transfer *transfer, int y)
{
    const struct npp_view *source = &transfer->source, *target = &transfer->target;
    size_t bytes = source->channel_bytes, width = (size_t)transfer->size.width;
    void *to[3];
    const void *from[3];

    if (transfer->function->channels != 3 || transfer->function->target_channels != 3 ||
        transfer->call->mask || transfer->function->masked || source->planar == target->planar)
        return false;
    for (unsigned c = 0; c < 3; c++) {
        to[c] = (void *)npp_view_at(target, 0, y, c);
        from[c] = npp_view_at(source, 0, y, c);
    }
    return target->planar ? npp_split(to, from[0], bytes, width)
                          : npp_join(to[0], from, bytes, width);
}

static void copy_row(const struct transfer *transfer, int y)
{
    const struct npp_function *function = transfer->function;
    const struct npp_view *source = &transfer->source, *target = &transfer->target;
    unsigned channels = function->channels < function->target_channels ? function->channels
                                                                       : function->target_channels;

    if (function->masked && !transfer->call->mask)
        channels = 1; /* one channel of several: the pointers lead to it */
    else if (!transfer->call->mask && !function->alpha && !source->planar && !target->planar &&
             function->channels == function->target_channels) {
        memmove((void *)npp_view_at(target, 0, y, 0), npp_view_at(source, 0, y, 0),
                target->pixel_bytes * (size_t)transfer->size.width);
        return;
    }
    if (copy_planes(transfer, y))
        return;
    for (unsigned c = 0; c + function->alpha < channels; c++)
        copy_channel(transfer, y, c, c);
}

/* Copies between layouts of channels: interleaved, planar, one channel of several. */
NppStatus npp_copy(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct transfer transfer;
    NppStatus status = begin(function, call, call->size_roi, &transfer);

    if (status == NPP_SUCCESS && !checks)
        run_rows(&transfer, copy_row);
    return status;
}

static void duplicate_row(const struct transfer *transfer, int y)
{
    for (unsigned c = 0; c + transfer->function->alpha < transfer->function->target_channels; c++)
        copy_channel(transfer, y, c, 0);
}

NppStatus npp_duplicate(const struct npp_function *function, const struct npp_call *call,
                        bool checks)
{
    struct transfer transfer;
    NppStatus status = begin(function, call, call->dst_size_roi, &transfer);

    if (status == NPP_SUCCESS && !checks)
        run_rows(&transfer, duplicate_row);
    return status;
}

/* A channel from 4 on takes the value, one above leaves the destination. */
NppStatus npp_swap_channels(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    struct transfer transfer;
    NppStatus status = begin(function, call, call->size_roi, &transfer);
    unsigned last = function->target_channels - function->alpha;
    double row[4], out[4];

    for (unsigned c = 0; c < last; c++) {
        if (call->dst_order_i[c] < 0)
            return NPP_CHANNEL_ORDER_ERROR;
    }
    if (status != NPP_SUCCESS || checks)
        return status;
    for (int y = 0; y < call->size_roi.height; y++) {
        for (int x = 0; x < call->size_roi.width; x++) {
            npp_load(function->type, npp_view_at(&transfer.source, x, y, 0), row,
                     function->channels);
            for (unsigned c = 0; c < last; c++) {
                unsigned from = (unsigned)call->dst_order_i[c];
                void *to = (void *)npp_view_at(&transfer.target, x, y, c);

                if (from > function->channels)
                    continue;
                out[0] = from < function->channels ? row[from] : call->value_v[0];
                npp_store(function->type, out, to, 1);
            }
        }
    }
    return NPP_SUCCESS;
}

NppStatus npp_set(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct npp_view target;
    unsigned numbers = npp_numbers(function->type);
    unsigned channels = function->target_channels - function->alpha;
    size_t length = call->length ? (size_t)call->length : (size_t)call->size_roi.width;
    int height = call->length ? 1 : call->size_roi.height;
    double value[8];
    bool is_whole = !call->mask && !function->masked && !function->alpha;
    char *first;

    npp_view_target(function, call, &target);
    if (!target.plane[0])
        return NPP_NULL_POINTER_ERROR;
    if (!call->length && (call->size_roi.width <= 0 || height <= 0))
        return NPP_SIZE_ERROR;
    if (!call->length && target.step[0] <= 0)
        return NPP_STEP_ERROR;
    if (checks)
        return NPP_SUCCESS;
    if (function->masked && !call->mask)
        channels = 1;
    for (unsigned i = 0; i < channels * numbers; i++)
        value[i] = channels == 1 ? call->value_v[i] : call->value_v[i] + call->values_v[i];
    if (is_whole) {
        first = (char *)npp_view_at(&target, 0, 0, 0);
        npp_store(function->target_type, value, first, channels);
        npp_repeat(first, target.pixel_bytes, length);
        for (int y = 1; y < height; y++)
            memcpy((void *)npp_view_at(&target, 0, y, 0), first, target.pixel_bytes * length);
        return NPP_SUCCESS;
    }
    for (int y = 0; y < height; y++) {
        for (size_t x = 0; x < length; x++) {
            if (!is_masked_out(call, (int)x, y))
                npp_store(function->target_type, value, (void *)npp_view_at(&target, (int)x, y, 0),
                          channels);
        }
    }
    return NPP_SUCCESS;
}

NppStatus npp_zero(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    if (!call->dst)
        return NPP_NULL_POINTER_ERROR;
    if (call->length <= 0)
        return NPP_SIZE_ERROR;
    if (!checks)
        memset((void *)call->dst, 0, (size_t)call->length * npp_bytes(function->type));
    return NPP_SUCCESS;
}

/* Rounds a number so that a conversion to halves by the nearest goes up, or to 0. */
static double round_half(double value, NppRoundMode mode)
{
    double near = (double)(_Float16)value, step = 0;

    if (mode == NPP_RND_FINANCIAL && near < value)
        step = 1;
    else if (mode == NPP_RND_ZERO && fabs(near) > fabs(value))
        step = near > 0 ? -1 : 1;
    return step ? near + step * (fabs(near) < 6.2e-5 ? 0x1p-24 : ldexp(0x1p-10, ilogb(near)))
                : near;
}

/* A scaled integer of 32 bits: halves go up, not away from 0, where that is asked for. */
static double round_scaled(double value, NppRoundMode mode)
{
    return mode == NPP_RND_FINANCIAL ? floor(value + 0.5) : value;
}

NppStatus npp_copy_signal(const struct npp_function *function, const struct npp_call *call,
                          bool checks)
{
    if (!call->src || !call->dst)
        return NPP_NULL_POINTER_ERROR;
    if (call->length <= 0)
        return NPP_SIZE_ERROR;
    if (!checks)
        memmove((void *)call->dst, call->src, (size_t)call->length * npp_bytes(function->type));
    return NPP_SUCCESS;
}

/* True if floats have every value of the type, and those of powers of 2 times it. */
static bool fits_single(enum npp_type type)
{
    return npp_bytes(type) < 4 ? npp_numbers(type) == 1 : type == NPP_T_32F;
}

enum { PIECE = 1024 }; /* numbers that are converted together; whole pixels */

NPP_VECTOR static void multiply_single(float *values, float factor, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] *= factor;
}

/* Numbers of a piece by way of floats, which are exact. */
static void convert_single(const struct transfer *transfer, const void *from, void *to,
                           size_t count, unsigned per_element)
{
    const struct npp_call *call = transfer->call;
    float values[PIECE];

    npp_load_single(transfer->function->type, from, values, count);
    if (call->scale_factor)
        multiply_single(values, (float)ldexp(1.0, -(int)call->scale_factor), count * per_element);
    npp_store_rounded_single(transfer->function->target_type, values, to, count,
                             (NppRoundMode)call->round_mode);
}

static void convert_double(const struct transfer *transfer, const void *from, void *to,
                           size_t count, unsigned per_element)
{
    const struct npp_function *function = transfer->function;
    NppRoundMode mode = (NppRoundMode)transfer->call->round_mode;
    double scale = ldexp(1.0, -(int)transfer->call->scale_factor), values[PIECE];

    npp_load(function->type, from, values, count);
    for (size_t i = 0; i < count * per_element; i++) {
        values[i] *= scale;
        if (function->target_type == NPP_T_16F)
            values[i] = round_half(values[i], mode);
        else if (function->type == NPP_T_32S)
            values[i] = round_scaled(values[i], mode);
    }
    npp_store_rounded(function->target_type, values, to, count, mode);
}

/* Scales beyond what floats hold go by way of doubles. */
static void convert_row(const struct transfer *transfer, int y)
{
    const struct npp_function *function = transfer->function;
    long long scale = transfer->call->scale_factor;
    unsigned per_element = npp_numbers(function->type);
    bool single = fits_single(function->type) && fits_single(function->target_type) &&
                  function->target_type != NPP_T_16F && scale > -64 && scale < 64;
    unsigned channels = function->channels;
    size_t most = function->alpha ? 1 : PIECE / (channels * per_element), width;

    width = (size_t)transfer->size.width;
    for (size_t x = 0; x < width; x += most) {
        size_t count = (width - x < most ? width - x : most) * channels - function->alpha;

        (single ? convert_single : convert_double)(
            transfer, npp_view_at(&transfer->source, (long long)x, y, 0),
            (void *)npp_view_at(&transfer->target, (long long)x, y, 0), count, per_element);
    }
}

/* Reads, scales by a power of 2 and rounds as asked. */
NppStatus npp_convert(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct transfer transfer;
    NppiSize size = call->length ? (NppiSize){(int)call->length, 1} : call->size_roi;
    NppStatus status = begin(function, call, size, &transfer);

    if (status == NPP_SUCCESS && !checks)
        run_rows(&transfer, convert_row);
    return status;
}
