/* SPDX-License-Identifier: MIT */
/* Geometry: resize and warp. A pixel of the destination is sampled at a place of the
 * source; what lies outside the source's region leaves the destination alone. */
#include "handlers.h"
#include "pixels.h"

#include <math.h>
#include <string.h>

struct sampler {
    const struct npp_function *function;
    struct npp_view source, target;
    NppiSize size;   /* of the source's image */
    NppiRect region; /* of it that is read */
    int interpolation;
};

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

static double pixel_at(const struct sampler *sampler, int x, int y, unsigned channel)
{
    double value;

    x = clamp(x, 0, sampler->size.width - 1);
    y = clamp(y, 0, sampler->size.height - 1);
    npp_load(sampler->function->type, npp_view_at(&sampler->source, x, y, channel), &value, 1);
    return value;
}

/* The four pixels around a place, by their distances. */
static double sample(const struct sampler *sampler, double x, double y, unsigned channel)
{
    int left = (int)floor(x), top = (int)floor(y);
    double right_part = x - left, low_part = y - top;
    double upper = pixel_at(sampler, left, top, channel) * (1 - right_part) +
                   pixel_at(sampler, left + 1, top, channel) * right_part;
    double lower = pixel_at(sampler, left, top + 1, channel) * (1 - right_part) +
                   pixel_at(sampler, left + 1, top + 1, channel) * right_part;

    return upper * (1 - low_part) + lower * low_part;
}

/* Writes the pixel of the destination that has this place in the source. */
static void put(const struct sampler *sampler, int x, int y, double from_x, double from_y)
{
    const struct npp_function *function = sampler->function;
    unsigned channels = function->channels - (unsigned)function->alpha;

    for (unsigned c = 0; c < channels; c++) {
        double value;

        if (sampler->interpolation == NPPI_INTER_NN)
            value = pixel_at(sampler, (int)floor(from_x + 0.5), (int)floor(from_y + 0.5), c);
        else
            value = sample(sampler, from_x, from_y, c);
        npp_store(function->type, &value, (void *)npp_view_at(&sampler->target, x, y, c), 1);
    }
}

/* The nearest pixel and the four around are done; cubics, Lanczos and supersampling are not. */
static bool is_known(long long interpolation)
{
    return interpolation == NPPI_INTER_NN || interpolation == NPPI_INTER_LINEAR;
}

static NppStatus begin(const struct npp_function *function, const struct npp_call *call,
                       NppiSize size, struct sampler *sampler)
{
    NppStatus status;

    *sampler = (struct sampler){.function = function,
                                .size = call->src_size,
                                .region = call->src_rect,
                                .interpolation = (int)call->interpolation};
    npp_view_source(function, call, &sampler->source);
    npp_view_target(function, call, &sampler->target);
    status = npp_view_check(&sampler->source, &sampler->target, size);
    if (status != NPP_SUCCESS)
        return status;
    if (call->src_rect.width <= 0 || call->src_rect.height <= 0)
        return NPP_RECTANGLE_ERROR;
    return is_known(call->interpolation) ? NPP_SUCCESS : NPP_INTERPOLATION_ERROR;
}

/* Enlarging takes places a quarter of a pixel before, but none before the region, as NVIDIA's
 * library does. */
static double place_of(int at, double scale)
{
    double place = at * scale - (scale < 1 ? 0.25 : 0);

    return place < 0 ? 0 : place;
}

NppStatus npp_resize(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    NppiRect to = call->dst_rect, from = call->src_rect;
    struct sampler sampler;
    NppStatus status = begin(function, call, (NppiSize){to.width, to.height}, &sampler);

    if (status != NPP_SUCCESS || checks)
        return status;
    for (int y = 0; y < to.height; y++) {
        for (int x = 0; x < to.width; x++)
            put(&sampler, to.x + x, to.y + y, from.x + place_of(x, (double)from.width / to.width),
                from.y + place_of(y, (double)from.height / to.height));
    }
    return NPP_SUCCESS;
}

/* A transformation of the plane: places of the destination to places of the source. */
struct transformation {
    double m[3][3];
};

static bool invert(const double in[3][3], double out[3][3])
{
    double determinant = in[0][0] * (in[1][1] * in[2][2] - in[1][2] * in[2][1]) -
                         in[0][1] * (in[1][0] * in[2][2] - in[1][2] * in[2][0]) +
                         in[0][2] * (in[1][0] * in[2][1] - in[1][1] * in[2][0]);

    if (determinant == 0)
        return false;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            out[j][i] = (in[(i + 1) % 3][(j + 1) % 3] * in[(i + 2) % 3][(j + 2) % 3] -
                         in[(i + 1) % 3][(j + 2) % 3] * in[(i + 2) % 3][(j + 1) % 3]) /
                        determinant;
    }
    return true;
}

static bool is_inside(const NppiRect *region, double x, double y)
{
    return x >= region->x && y >= region->y && x <= region->x + region->width - 1 &&
           y <= region->y + region->height - 1;
}

static NppStatus transform(const struct npp_function *function, const struct npp_call *call,
                           bool checks, const struct transformation *backward)
{
    NppiRect to = call->dst_rect;
    struct sampler sampler;
    NppStatus status = begin(function, call, (NppiSize){to.width, to.height}, &sampler);
    const double(*m)[3] = backward->m;

    if (status != NPP_SUCCESS || checks)
        return status;
    for (int y = to.y; y < to.y + to.height; y++) {
        for (int x = to.x; x < to.x + to.width; x++) {
            double w = m[2][0] * x + m[2][1] * y + m[2][2];
            double from_x = (m[0][0] * x + m[0][1] * y + m[0][2]) / w;
            double from_y = (m[1][0] * x + m[1][1] * y + m[1][2]) / w;

            if (is_inside(&sampler.region, from_x, from_y))
                put(&sampler, x, y, from_x, from_y);
        }
    }
    return NPP_SUCCESS;
}

NppStatus npp_warp(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    bool perspective = strstr(function->name, "Perspective") != NULL;
    struct transformation given = {.m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, backward;

    for (int i = 0; i < (perspective ? 3 : 2); i++) {
        for (int j = 0; j < 3; j++)
            given.m[i][j] = call->coeffs_v[3 * i + j];
    }
    if (strstr(function->name, "Back_"))
        backward = given;
    else if (!invert((const double(*)[3])given.m, backward.m))
        return NPP_COEFFICIENT_ERROR;
    return transform(function, call, checks, &backward);
}
