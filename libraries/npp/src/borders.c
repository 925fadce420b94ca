/* SPDX-License-Identifier: MIT */
/* Copies into larger images: what lies around the source is a constant, its edge, or its other
 * side.
 */
#include "handlers.h"

#include "bands.h"
#include "pixels.h"
#include "strided.h"

#include <string.h>

enum border { CONSTANT, REPLICATE, WRAP };

struct pass {
    const struct npp_function *function;
    const struct npp_call *call;
    struct npp_view source, target;
    enum border border;
};

static int wrap(int at, int size)
{
    at %= size;
    return at < 0 ? at + size : at;
}

static int clamp_to(int at, int size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

/* Pixels of a row from one column to another that lie outside the source. */
static void fill_outside(const struct pass *pass, int y, int row, int begin, int end)
{
    const struct npp_function *function = pass->function;
    const struct npp_call *call = pass->call;
    NppiSize from = call->src_size_roi;
    unsigned channels = function->channels - function->alpha;

    for (int x = begin; x < end; x++) {
        int column = x - (int)call->left_border_width;
        void *to = (void *)npp_view_at(&pass->target, x, y, 0);

        if (pass->border == CONSTANT) {
            npp_store(function->type, call->value_v, to, channels);
            continue;
        }
        column = pass->border == WRAP ? wrap(column, from.width) : clamp_to(column, from.width);
        memcpy(to, npp_view_at(&pass->source, column, row, 0),
               npp_bytes(function->type) * channels);
    }
}

static void run_band(void *arguments, int first, int last)
{
    const struct pass *pass = arguments;
    const struct npp_call *call = pass->call;
    NppiSize from = call->src_size_roi;
    int left = (int)call->left_border_width, width = call->dst_size_roi.width;
    size_t pixel = pass->target.pixel_bytes;
    size_t kept = pixel - pass->function->alpha * pass->target.channel_bytes;

    for (int y = first; y < last; y++) {
        int row = y - (int)call->top_border_height;
        bool inside = row >= 0 && row < from.height;

        row = pass->border == WRAP ? wrap(row, from.height) : clamp_to(row, from.height);
        if (!inside && pass->border == CONSTANT) {
            fill_outside(pass, y, row, 0, width);
            continue;
        }
        fill_outside(pass, y, row, 0, left);
        if (kept == pixel)
            memcpy((void *)npp_view_at(&pass->target, left, y, 0),
                   npp_view_at(&pass->source, 0, row, 0), pixel * (size_t)from.width);
        else
            npp_copy_strided((void *)npp_view_at(&pass->target, left, y, 0), (ptrdiff_t)pixel,
                             npp_view_at(&pass->source, 0, row, 0), (ptrdiff_t)pixel, kept,
                             (size_t)from.width);
        fill_outside(pass, y, row, left + from.width, width);
    }
}

static NppStatus copy_bordered(const struct npp_function *function, const struct npp_call *call,
                               bool checks, enum border border)
{
    struct pass pass = {.function = function, .call = call, .border = border};
    NppiSize from = call->src_size_roi, to = call->dst_size_roi;
    NppStatus status;

    npp_view_source(function, call, &pass.source);
    npp_view_target(function, call, &pass.target);
    status = npp_view_check(&pass.source, &pass.target, to);
    if (status == NPP_SUCCESS &&
        (from.width <= 0 || from.height <= 0 || call->top_border_height < 0 ||
         call->left_border_width < 0 || call->left_border_width > to.width - from.width ||
         call->top_border_height > to.height - from.height))
        return NPP_SIZE_ERROR;
    if (status == NPP_SUCCESS && !checks)
        npp_bands(to.height, (size_t)to.width * function->channels, run_band, &pass);
    return status;
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
