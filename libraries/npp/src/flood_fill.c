/* SPDX-License-Identifier: MIT */
/* Flood fills: the pixels that are connected with a seed and like it take new values. Pixels are
 * like the seed if they have its value, or lie in a range, or differ from it by no more than two
 * bounds. A boundary of the filled region may have a value of its own. */
#include "handlers.h"
#include "neighbours.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct fill {
    const struct npp_function *function;
    const struct npp_call *call;
    int width, height;
    const struct npp_neighbour *neighbours;
    int neighbour_count;
    double least[3], most[3]; /* of each channel */
    uint8_t *filled;          /* one for each pixel */
    uint32_t *waiting;        /* pixels whose neighbours are still to be looked at */
    NppiConnectedRegion region;
};

static char *pixel_at(const struct fill *fill, int x, int y)
{
    size_t bytes = npp_bytes(fill->function->type) * fill->function->channels;

    return (char *)fill->call->src_dst + y * fill->call->src_dst_step + (size_t)x * bytes;
}

static bool is_like_seed(const struct fill *fill, int x, int y)
{
    double value[4];
    bool like = true;

    npp_load(fill->function->type, pixel_at(fill, x, y), value, fill->function->channels);
    for (unsigned c = 0; c < fill->function->channels && c < 3; c++)
        like &= value[c] >= fill->least[c] && value[c] <= fill->most[c];
    return like;
}

/* A value of a call with one channel, or of a list for several. */
static double value_of(const struct fill *fill, const double *one, const double *several,
                       unsigned c)
{
    return fill->function->channels == 1 ? one[0] : several[c];
}

static void find_bounds(struct fill *fill)
{
    const struct npp_call *call = fill->call;
    bool range = strstr(fill->function->name, "Range") != NULL;
    bool gradient = strstr(fill->function->name, "Gradient") != NULL;
    double seed[4] = {0};

    npp_load(fill->function->type, pixel_at(fill, call->seed.x, call->seed.y), seed,
             fill->function->channels);
    for (unsigned c = 0; c < fill->function->channels && c < 3; c++) {
        double low = call->low_v[c], high = call->high_v[c];

        fill->least[c] = range ? low : gradient ? seed[c] - low : seed[c];
        fill->most[c] = range ? high : gradient ? seed[c] + high : seed[c];
        fill->region.aSeedPixelValue[c] = (Npp32u)seed[c];
    }
}

static void take(struct fill *fill, int x, int y, size_t *count)
{
    NppiRect *box = &fill->region.oBoundingBox;

    fill->filled[(size_t)y * (size_t)fill->width + (size_t)x] = 1;
    fill->waiting[(*count)++] = (uint32_t)y * (uint32_t)fill->width + (uint32_t)x;
    fill->region.nConnectedPixelCount++;
    box->x = x < box->x ? x : box->x;
    box->y = y < box->y ? y : box->y;
    box->width = x > box->width ? x : box->width; /* the right and the lower end for now */
    box->height = y > box->height ? y : box->height;
}

/* A seed that is not in the range fills itself alone. */
static void spread(struct fill *fill)
{
    NppiPoint seed = fill->call->seed;
    size_t count = 0;

    fill->region.oBoundingBox = (NppiRect){seed.x, seed.y, seed.x, seed.y};
    take(fill, seed.x, seed.y, &count);
    if (!is_like_seed(fill, seed.x, seed.y))
        count = 0;
    while (count) {
        uint32_t at = fill->waiting[--count];

        for (int i = 0; i < fill->neighbour_count; i++) {
            int x = (int)(at % (uint32_t)fill->width) + fill->neighbours[i].x;
            int y = (int)(at / (uint32_t)fill->width) + fill->neighbours[i].y;

            if (x >= 0 && x < fill->width && y >= 0 && y < fill->height &&
                !fill->filled[(size_t)y * (size_t)fill->width + (size_t)x] &&
                is_like_seed(fill, x, y))
                take(fill, x, y, &count);
        }
    }
}

/* A filled pixel is on the boundary if one of the eight around it is not filled. */
static bool is_boundary(const struct fill *fill, int x, int y)
{
    for (int i = 0; i < 8; i++) {
        int nx = x + npp_neighbours_8[i].x, ny = y + npp_neighbours_8[i].y;

        if (nx >= 0 && nx < fill->width && ny >= 0 && ny < fill->height &&
            !fill->filled[(size_t)ny * (size_t)fill->width + (size_t)nx])
            return true;
    }
    return false;
}

static void paint(const struct fill *fill)
{
    const struct npp_call *call = fill->call;
    bool bounded = strstr(fill->function->name, "Boundary") != NULL;
    unsigned channels = fill->function->channels < 3 ? fill->function->channels : 3;

    for (int y = 0; y < fill->height; y++) {
        for (int x = 0; x < fill->width; x++) {
            bool edge;
            double values[3];

            if (!fill->filled[(size_t)y * (size_t)fill->width + (size_t)x])
                continue;
            edge = bounded && is_boundary(fill, x, y);
            for (unsigned c = 0; c < channels; c++)
                values[c] = edge
                                ? value_of(fill, call->boundary_value_v, call->boundary_values_v, c)
                                : value_of(fill, call->new_value_v, call->new_values_v, c);
            npp_store(fill->function->type, values, pixel_at(fill, x, y), channels);
        }
    }
}

static NppStatus check(const struct npp_call *call)
{
    if (!call->src_dst)
        return NPP_NULL_POINTER_ERROR;
    if (call->size_roi.width <= 0 || call->size_roi.height <= 0)
        return NPP_SIZE_ERROR;
    if (call->src_dst_step <= 0)
        return NPP_STEP_ERROR;
    if (call->norm_form != nppiNormInf && call->norm_form != nppiNormL1)
        return NPP_BAD_ARGUMENT_ERROR;
    if (call->seed.x < 0 || call->seed.x >= call->size_roi.width || call->seed.y < 0 ||
        call->seed.y >= call->size_roi.height)
        return NPP_BAD_ARGUMENT_ERROR;
    return NPP_SUCCESS;
}

NppStatus npp_flood_fill(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    bool all = call->norm_form == nppiNormInf;
    struct fill fill = {.function = function,
                        .call = call,
                        .width = call->size_roi.width,
                        .height = call->size_roi.height,
                        .neighbours = all ? npp_neighbours_8 : npp_neighbours_4,
                        .neighbour_count = all ? 8 : 4};
    size_t count = (size_t)call->size_roi.width * (size_t)call->size_roi.height;
    NppStatus status = check(call);

    if (status != NPP_SUCCESS || checks)
        return status;
    fill.filled = calloc(count, 1);
    fill.waiting = malloc(count * sizeof(*fill.waiting));
    if (fill.filled && fill.waiting) {
        find_bounds(&fill);
        spread(&fill);
        paint(&fill);
        if (call->connected_region)
            *(NppiConnectedRegion *)call->connected_region = fill.region;
    } else {
        status = NPP_NO_MEMORY_ERROR;
    }
    free(fill.waiting);
    free(fill.filled);
    return status;
}
