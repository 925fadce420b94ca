/* SPDX-License-Identifier: MIT */
/* Data exchange: set, copy, convert, scale, duplicate, order of channels, transposition, borders.
 */
#include "handlers.h"
#include "pixels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Goes over the pixels of the region; `place` says which pixel and channel of the source belongs to
 * one of the destination, or that a value does. */
struct transfer {
    const struct npp_function *function;
    const struct npp_call *call;
    struct npp_view source, target;
    NppiSize size; /* of the destination */
};

/* A channel of the source in place of a plane or channel of the destination. */
static const void *source_of(const struct transfer *transfer, int x, int y, unsigned channel)
{
    const struct npp_view *view = &transfer->source;

    return npp_view_at(view, x, y, channel);
}

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

/* Copies between layouts of channels: interleaved, planar, one channel of several. */
NppStatus npp_copy(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct transfer transfer;
    NppStatus status = begin(function, call, call->size_roi, &transfer);
    unsigned channels = function->channels < function->target_channels ? function->channels
                                                                       : function->target_channels;
    size_t bytes = npp_bytes(function->type);

    if (status != NPP_SUCCESS || checks)
        return status;
    if (function->masked && !call->mask)
        channels = 1; /* one channel of several: the pointers lead to it */
    for (int y = 0; y < call->size_roi.height; y++) {
        for (int x = 0; x < call->size_roi.width; x++) {
            if (is_masked_out(call, x, y))
                continue;
            for (unsigned c = 0; c + function->alpha < channels; c++)
                memcpy((void *)npp_view_at(&transfer.target, x, y, c),
                       source_of(&transfer, x, y, c), bytes);
        }
    }
    return NPP_SUCCESS;
}

NppStatus npp_duplicate(const struct npp_function *function, const struct npp_call *call,
                        bool checks)
{
    struct transfer transfer;
    NppStatus status = begin(function, call, call->dst_size_roi, &transfer);

    if (status != NPP_SUCCESS || checks)
        return status;
    for (int y = 0; y < call->dst_size_roi.height; y++) {
        for (int x = 0; x < call->dst_size_roi.width; x++) {
            for (unsigned c = 0; c + function->alpha < function->target_channels; c++)
                memcpy((void *)npp_view_at(&transfer.target, x, y, c),
                       source_of(&transfer, x, y, 0), npp_bytes(function->type));
        }
    }
    return NPP_SUCCESS;
}

NppStatus npp_transpose(const struct npp_function *function, const struct npp_call *call,
                        bool checks)
{
    struct transfer transfer;
    NppStatus status = begin(function, call, call->size_roi, &transfer);
    size_t bytes = npp_bytes(function->type) * function->channels;

    if (status != NPP_SUCCESS || checks)
        return status;
    for (int y = 0; y < call->size_roi.height; y++) {
        for (int x = 0; x < call->size_roi.width; x++)
            memcpy((void *)npp_view_at(&transfer.target, y, x, 0), source_of(&transfer, x, y, 0),
                   bytes);
    }
    return NPP_SUCCESS;
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
            npp_load(function->type, source_of(&transfer, x, y, 0), row, function->channels);
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

/* Reads, scales by a power of 2 and rounds as asked. */
NppStatus npp_convert(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct transfer transfer;
    NppiSize size = call->length ? (NppiSize){(int)call->length, 1} : call->size_roi;
    NppStatus status = begin(function, call, size, &transfer);
    double scale = ldexp(1.0, -(int)call->scale_factor), value[4];
    unsigned channels = function->channels - function->alpha;

    if (status != NPP_SUCCESS || checks)
        return status;
    for (int y = 0; y < size.height; y++) {
        for (int x = 0; x < size.width; x++) {
            npp_load(function->type, source_of(&transfer, x, y, 0), value, channels);
            for (unsigned c = 0; c < channels; c++) {
                value[c] *= scale;
                if (function->target_type == NPP_T_16F)
                    value[c] = round_half(value[c], (NppRoundMode)call->round_mode);
                else if (function->type == NPP_T_32S)
                    value[c] = round_scaled(value[c], (NppRoundMode)call->round_mode);
            }
            npp_store_rounded(function->target_type, value,
                              (void *)npp_view_at(&transfer.target, x, y, 0), channels,
                              (NppRoundMode)call->round_mode);
        }
    }
    return NPP_SUCCESS;
}

enum border { CONSTANT, REPLICATE, WRAP };

static int wrap(int at, int size)
{
    at %= size;
    return at < 0 ? at + size : at;
}

static int clamp_to(int at, int size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static NppStatus copy_bordered(const struct npp_function *function, const struct npp_call *call,
                               bool checks, enum border border)
{
    struct transfer transfer;
    NppStatus status = begin(function, call, call->dst_size_roi, &transfer);
    NppiSize from = call->src_size_roi;
    unsigned channels = function->channels - function->alpha;
    size_t bytes = npp_bytes(function->type) * channels;

    if (status == NPP_SUCCESS &&
        (from.width <= 0 || from.height <= 0 || call->top_border_height < 0 ||
         call->left_border_width < 0 ||
         from.width + call->left_border_width > call->dst_size_roi.width ||
         from.height + call->top_border_height > call->dst_size_roi.height))
        return NPP_SIZE_ERROR;
    if (status != NPP_SUCCESS || checks)
        return status;
    for (int y = 0; y < call->dst_size_roi.height; y++) {
        for (int x = 0; x < call->dst_size_roi.width; x++) {
            int column = x - (int)call->left_border_width, row = y - (int)call->top_border_height;
            void *to = (void *)npp_view_at(&transfer.target, x, y, 0);
            bool inside = column >= 0 && column < from.width && row >= 0 && row < from.height;

            if (!inside && border == CONSTANT) {
                npp_store(function->type, call->value_v, to, channels);
                continue;
            }
            column = border == WRAP ? wrap(column, from.width) : clamp_to(column, from.width);
            row = border == WRAP ? wrap(row, from.height) : clamp_to(row, from.height);
            memcpy(to, source_of(&transfer, column, row, 0), bytes);
        }
    }
    return NPP_SUCCESS;
}

NppStatus npp_copy_constant_border(const struct npp_function *function, const struct npp_call *call,
                                   bool checks)
{
    return copy_bordered(function, call, checks, CONSTANT);
}

NppStatus npp_copy_replicate_border(const struct npp_function *function,
                                    const struct npp_call *call, bool checks)
{
    return copy_bordered(function, call, checks, REPLICATE);
}

NppStatus npp_copy_wrap_border(const struct npp_function *function, const struct npp_call *call,
                               bool checks)
{
    return copy_bordered(function, call, checks, WRAP);
}

/* In place an odd width is refused, and an odd height where rows change places. */
static bool has_middle(NppiSize size, NppiAxis flip)
{
    return size.width % 2 || (size.height % 2 && flip != NPP_VERTICAL_AXIS);
}

/* In place, pixels are exchanged; otherwise they are copied to their mirrored places. */
NppStatus npp_mirror(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct transfer transfer;
    NppiSize size = call->size_roi;
    NppStatus status = begin(function, call, size, &transfer);
    size_t bytes = npp_bytes(function->type) * function->channels;
    size_t kept = npp_bytes(function->type) * (size_t)(function->channels - function->alpha);
    char *copy;

    if (status == NPP_SUCCESS && (call->flip < 0 || call->flip > NPP_BOTH_AXIS))
        return NPP_MIRROR_FLIP_ERROR;
    if (status == NPP_SUCCESS && (call->src_dst && has_middle(size, (NppiAxis)call->flip)))
        return NPP_SIZE_ERROR;
    if (status != NPP_SUCCESS || checks)
        return status;
    copy = malloc(bytes * (size_t)size.width * (size_t)size.height);
    if (!copy)
        return NPP_NO_MEMORY_ERROR;
    for (int y = 0; y < size.height; y++)
        memcpy(copy + (size_t)y * bytes * (size_t)size.width, source_of(&transfer, 0, y, 0),
               bytes * (size_t)size.width);
    for (int y = 0; y < size.height; y++) {
        for (int x = 0; x < size.width; x++) {
            int row = call->flip != NPP_VERTICAL_AXIS ? size.height - 1 - y : y;
            int column = call->flip != NPP_HORIZONTAL_AXIS ? size.width - 1 - x : x;

            memcpy((void *)npp_view_at(&transfer.target, x, y, 0),
                   copy + ((size_t)row * (size_t)size.width + (size_t)column) * bytes, kept);
        }
    }
    free(copy);
    return NPP_SUCCESS;
}
