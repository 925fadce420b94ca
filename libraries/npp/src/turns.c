/* SPDX-License-Identifier: MIT */
/* Mirrors and transposes images. */
#include "handlers.h"

#include "bands.h"
#include "pixels.h"
#include "strided.h"
#include "transpose.h"

#include <stdlib.h>
#include <string.h>

enum { TILE = 32 }; /* pixels: what is read and written of it stays in the first cache */

struct pass {
    struct npp_view source, target;
    NppiSize size; /* of the source */
    size_t bytes;  /* of a pixel, without alpha */
    NppiAxis flip;
    const char *copy; /* of the source, in place */
};

static NppStatus begin(const struct npp_function *function, const struct npp_call *call,
                       struct pass *pass)
{
    pass->size = call->size_roi;
    pass->bytes = npp_bytes(function->type) * (size_t)(function->channels - function->alpha);
    npp_view_source(function, call, &pass->source);
    npp_view_target(function, call, &pass->target);
    return npp_view_check(&pass->source, &pass->target, call->size_roi);
}

/* Bands are rows of tiles of the destination. */
static void transpose_band(void *arguments, int first, int last)
{
    const struct pass *pass = arguments;
    int end = last * TILE < pass->size.width ? last * TILE : pass->size.width;

    for (int tile = 0; tile < pass->size.height; tile += TILE) {
        int count = pass->size.height - tile < TILE ? pass->size.height - tile : TILE;

        for (int x = first * TILE; x < end; x += TILE)
            npp_transpose_tile(
                (char *)npp_view_at(&pass->target, tile, x, 0), (ptrdiff_t)pass->target.step[0],
                npp_view_at(&pass->source, x, tile, 0), (ptrdiff_t)pass->source.step[0],
                pass->bytes, (size_t)(end - x < TILE ? end - x : TILE), (size_t)count);
    }
}

NppStatus npp_transpose(const struct npp_function *function, const struct npp_call *call,
                        bool checks)
{
    struct pass pass = {0};
    NppStatus status = begin(function, call, &pass);

    pass.bytes = pass.source.pixel_bytes;
    if (status == NPP_SUCCESS && !checks)
        npp_bands((pass.size.width - 1) / TILE + 1,
                  (size_t)pass.size.height * TILE * function->channels, transpose_band, &pass);
    return status;
}

/* In place an odd width is refused, and an odd height where rows change places. */
static bool has_middle(NppiSize size, NppiAxis flip)
{
    return size.width % 2 || (size.height % 2 && flip != NPP_VERTICAL_AXIS);
}

static void mirror_band(void *arguments, int first, int last)
{
    const struct pass *pass = arguments;
    ptrdiff_t pixel = (ptrdiff_t)pass->source.pixel_bytes;
    size_t width = (size_t)pass->size.width;

    for (int y = first; y < last; y++) {
        int row = pass->flip != NPP_VERTICAL_AXIS ? pass->size.height - 1 - y : y;
        const char *from = pass->copy ? pass->copy + (size_t)row * (size_t)pixel * width
                                      : npp_view_at(&pass->source, 0, row, 0);
        bool turns = pass->flip != NPP_HORIZONTAL_AXIS;

        npp_copy_strided((void *)npp_view_at(&pass->target, 0, y, 0), pixel,
                         turns ? from + (ptrdiff_t)(width - 1) * pixel : from,
                         turns ? -pixel : pixel, pass->bytes, width);
    }
}

/* Rows of the source, one after the other; NULL: there is no memory. */
static char *copy_source(const struct pass *pass)
{
    size_t row = pass->source.pixel_bytes * (size_t)pass->size.width;
    char *copy = malloc(row * (size_t)pass->size.height);

    for (int y = 0; copy && y < pass->size.height; y++)
        memcpy(copy + (size_t)y * row, npp_view_at(&pass->source, 0, y, 0), row);
    return copy;
}

NppStatus npp_mirror(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct pass pass = {.flip = (NppiAxis)call->flip};
    NppStatus status = begin(function, call, &pass);
    char *copy = NULL;

    if (status == NPP_SUCCESS && (call->flip < 0 || call->flip > NPP_BOTH_AXIS))
        return NPP_MIRROR_FLIP_ERROR;
    if (status == NPP_SUCCESS && call->src_dst && has_middle(call->size_roi, pass.flip))
        return NPP_SIZE_ERROR;
    if (status != NPP_SUCCESS || checks)
        return status;
    if (pass.source.plane[0] == pass.target.plane[0]) {
        copy = copy_source(&pass);
        if (!copy)
            return NPP_NO_MEMORY_ERROR;
        pass.copy = copy;
    }
    npp_bands(pass.size.height, (size_t)pass.size.width * function->channels, mirror_band, &pass);
    free(copy);
    return NPP_SUCCESS;
}
