/* SPDX-License-Identifier: MIT */
/* Colors of an image whose pixels have one of red, green and blue in a pattern of two by two. Green
 * is interpolated along the direction in which its color changes least; the two others are means of
 * the pixels that have them. Pixels outside the image are mirrored ones. */
#include "bands.h"
#include "handlers.h"

#include <stdint.h>
#include <stdlib.h>

struct mosaic {
    const struct npp_function *function;
    const struct npp_call *call;
    int red_x, red_y; /* place of red in the pattern */
};

static int mirror(int at, int size)
{
    at = at < 0 ? -at : at;
    return at >= size ? 2 * (size - 1) - at : at;
}

static int64_t value_at(const struct mosaic *mosaic, int x, int y)
{
    const struct npp_call *call = mosaic->call;
    enum npp_type type = mosaic->function->type;
    double value;

    x = mirror(x, call->src_size.width);
    y = mirror(y, call->src_size.height);
    npp_load(type, (const char *)call->src + y * call->src_step + (size_t)x * npp_bytes(type),
             &value, 1);
    return (int64_t)value;
}

static int64_t mean(const struct mosaic *mosaic, int x, int y, int dx, int dy)
{
    return (value_at(mosaic, x - dx, y - dy) + value_at(mosaic, x + dx, y + dy)) / 2;
}

static int64_t bend(const struct mosaic *mosaic, int x, int y, int dx, int dy)
{
    return llabs(2 * value_at(mosaic, x, y) - value_at(mosaic, x - 2 * dx, y - 2 * dy) -
                 value_at(mosaic, x + 2 * dx, y + 2 * dy));
}

static int64_t green_at(const struct mosaic *mosaic, int x, int y)
{
    bool along_row = bend(mosaic, x, y, 1, 0) < bend(mosaic, x, y, 0, 1);

    return mean(mosaic, x, y, along_row, !along_row);
}

/* The mean of the four pixels at the corners: in even rows that of two columns, in others that of
 * two rows. */
static int64_t corners_at(const struct mosaic *mosaic, int x, int y)
{
    int64_t a = value_at(mosaic, x - 1, y - 1), b = value_at(mosaic, x + 1, y - 1);
    int64_t c = value_at(mosaic, x - 1, y + 1), d = value_at(mosaic, x + 1, y + 1);

    return y % 2 == 0 ? ((a + c) / 2 + (b + d) / 2) / 2 : ((a + b) / 2 + (c + d) / 2) / 2;
}

static void put_pixel(const struct mosaic *mosaic, int x, int y)
{
    const struct npp_call *call = mosaic->call;
    enum npp_type type = mosaic->function->type;
    unsigned channels = mosaic->function->target_channels;
    bool red_column = x % 2 == mosaic->red_x, red_row = y % 2 == mosaic->red_y;
    int64_t here = value_at(mosaic, x, y);
    double pixel[4] = {0, 0, 0, call->alpha_v[0]};

    if (red_column == red_row) {
        pixel[1] = (double)green_at(mosaic, x, y);
        pixel[red_row ? 0 : 2] = (double)here;
        pixel[red_row ? 2 : 0] = (double)corners_at(mosaic, x, y);
    } else {
        pixel[1] = (double)here;
        pixel[red_row ? 0 : 2] = (double)mean(mosaic, x, y, 1, 0);
        pixel[red_row ? 2 : 0] = (double)mean(mosaic, x, y, 0, 1);
    }
    npp_store(type, pixel,
              (char *)call->dst + (y - call->src_rect.y) * call->dst_step +
                  (size_t)(x - call->src_rect.x) * channels * npp_bytes(type),
              channels);
}

static void fill_rows(void *arguments, int first, int last)
{
    const struct mosaic *mosaic = arguments;
    NppiRect region = mosaic->call->src_rect;

    for (int y = region.y + first; y < region.y + last; y++) {
        for (int x = region.x; x < region.x + region.width; x++)
            put_pixel(mosaic, x, y);
    }
}

NppStatus npp_bayer(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    static const signed char red[4][2] = {{1, 1}, {0, 0}, {0, 1}, {1, 0}};
    NppiRect region = call->src_rect;
    struct mosaic mosaic = {.function = function, .call = call};

    if (!call->src || !call->dst)
        return NPP_NULL_POINTER_ERROR;
    if (region.x < 0 || region.y < 0 || region.x + region.width > call->src_size.width ||
        region.y + region.height > call->src_size.height)
        return NPP_OUT_OFF_RANGE_ERROR;
    if (region.width < 2 || region.height < 2 || region.width % 2 || region.height % 2 ||
        region.x % 2 || region.y % 2)
        return NPP_SIZE_ERROR;
    if (call->src_step <= 0 || call->dst_step <= 0)
        return NPP_STEP_ERROR;
    if (call->grid < 0 || call->grid > 3)
        return NPP_BAD_ARGUMENT_ERROR;
    if (checks)
        return NPP_SUCCESS;
    mosaic.red_x = red[call->grid][0];
    mosaic.red_y = red[call->grid][1];
    npp_bands(region.height, (size_t)region.width * 64, fill_rows, &mosaic);
    return NPP_SUCCESS;
}
