/* SPDX-License-Identifier: MIT */
/* Geometry: resize, rotate, warp, remap. A pixel of the destination is sampled at a place of the
 * source; what lies outside the source's region leaves the destination alone. */
#include "handlers.h"
#include "pixels.h"

#include <math.h>
#include <string.h>

struct sampler {
    const struct npp_function *function;
    struct npp_view source, target;
    NppiRect region; /* of the source */
    int interpolation;
};

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

static double pixel_at(const struct sampler *sampler, int x, int y, unsigned channel)
{
    const NppiRect *region = &sampler->region;
    double value;

    x = clamp(x, region->x, region->x + region->width - 1);
    y = clamp(y, region->y, region->y + region->height - 1);
    npp_load(sampler->function->type, npp_view_at(&sampler->source, x, y, channel), &value, 1);
    return value;
}

/* The weight of a neighbour by its distance: cubics with parameters B and C, and Lanczos. */
static double cubic(double distance, double b, double c)
{
    double x = fabs(distance);

    if (x < 1)
        return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + (6 - 2 * b)) /
               6;
    if (x < 2)
        return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x +
                (8 * b + 24 * c)) /
               6;
    return 0;
}

static double lanczos(double distance)
{
    double x = M_PI * distance;

    if (distance == 0)
        return 1;
    return fabs(distance) < 3 ? 3 * sin(x) * sin(x / 3) / (x * x) : 0;
}

static double weight_of(int interpolation, double distance)
{
    switch (interpolation) {
    case NPPI_INTER_LINEAR:
        return fabs(distance) < 1 ? 1 - fabs(distance) : 0;
    case NPPI_INTER_CUBIC:
    case NPPI_INTER_CUBIC2P_CATMULLROM:
        return cubic(distance, 0, 0.5);
    case NPPI_INTER_CUBIC2P_BSPLINE:
        return cubic(distance, 1, 0);
    case NPPI_INTER_CUBIC2P_B05C03:
        return cubic(distance, 0.5, 0.3);
    default:
        return lanczos(distance);
    }
}

static int reach_of(int interpolation)
{
    return interpolation == NPPI_INTER_LINEAR ? 1 : interpolation >= NPPI_INTER_LANCZOS ? 3 : 2;
}

static double sample(const struct sampler *sampler, double x, double y, unsigned channel)
{
    int left = (int)floor(x), top = (int)floor(y), reach = reach_of(sampler->interpolation);
    double sum = 0, weights = 0;

    for (int j = top - reach + 1; j <= top + reach; j++) {
        for (int i = left - reach + 1; i <= left + reach; i++) {
            double weight =
                weight_of(sampler->interpolation, x - i) * weight_of(sampler->interpolation, y - j);

            if (weight == 0)
                continue;
            sum += weight * pixel_at(sampler, i, j, channel);
            weights += weight;
        }
    }
    return sum / weights;
}

/* Writes the pixel of the destination that has this place in the source. */
static void put(const struct sampler *sampler, int x, int y, double from_x, double from_y,
                bool nearest_rounds)
{
    const struct npp_function *function = sampler->function;
    unsigned channels = function->channels - (unsigned)function->alpha;

    for (unsigned c = 0; c < channels; c++) {
        double value;

        if (sampler->interpolation == NPPI_INTER_NN)
            value = pixel_at(sampler, (int)floor(from_x + (nearest_rounds ? 0.5 : 0)),
                             (int)floor(from_y + (nearest_rounds ? 0.5 : 0)), c);
        else
            value = sample(sampler, from_x, from_y, c);
        npp_store(function->type, &value, (void *)npp_view_at(&sampler->target, x, y, c), 1);
    }
}

static bool is_known(long long interpolation)
{
    return interpolation == NPPI_INTER_NN || interpolation == NPPI_INTER_LINEAR ||
           (interpolation >= NPPI_INTER_CUBIC && interpolation <= NPPI_INTER_CUBIC2P_B05C03) ||
           interpolation == NPPI_INTER_LANCZOS;
}

static NppStatus begin(const struct npp_function *function, const struct npp_call *call,
                       NppiSize size, struct sampler *sampler)
{
    NppStatus status;

    *sampler = (struct sampler){
        .function = function, .region = call->src_rect, .interpolation = (int)call->interpolation};
    npp_view_source(function, call, &sampler->source);
    npp_view_target(function, call, &sampler->target);
    status = npp_view_check(&sampler->source, &sampler->target, size);
    if (status != NPP_SUCCESS)
        return status;
    if (call->src_rect.width <= 0 || call->src_rect.height <= 0)
        return NPP_RECTANGLE_ERROR;
    return is_known(call->interpolation) ? NPP_SUCCESS : NPP_INTERPOLATION_ERROR;
}

NppStatus npp_resize(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    NppiRect to = call->dst_rect, from = call->src_rect;
    struct sampler sampler;
    NppStatus status = begin(function, call, (NppiSize){to.width, to.height}, &sampler);
    bool has_factors = strstr(function->name, "SqrPixel") != NULL;
    double across, down;

    if (status != NPP_SUCCESS || checks)
        return status;
    across = has_factors ? 1 / call->x_factor_v[0] : (double)from.width / to.width;
    down = has_factors ? 1 / call->y_factor_v[0] : (double)from.height / to.height;
    for (int y = 0; y < to.height; y++) {
        for (int x = 0; x < to.width; x++) {
            bool nearest = call->interpolation == NPPI_INTER_NN && !has_factors;
            double from_x = nearest ? x * across : (x + 0.5) * across - 0.5;
            double from_y = nearest ? y * down : (y + 0.5) * down - 0.5;

            if (has_factors) {
                from_x -= call->x_shift_v[0] * across;
                from_y -= call->y_shift_v[0] * down;
            }
            put(&sampler, to.x + x, to.y + y, from.x + from_x, from.y + from_y, !nearest);
        }
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
                put(&sampler, x, y, from_x, from_y, true);
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

NppStatus npp_rotate(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    double angle = call->angle_v[0] * M_PI / 180;
    struct transformation forward = {.m = {{cos(angle), sin(angle), call->shift_x_v[0]},
                                           {-sin(angle), cos(angle), call->shift_y_v[0]},
                                           {0, 0, 1}}},
                          backward;

    invert((const double(*)[3])forward.m, backward.m);
    return transform(function, call, checks, &backward);
}

NppStatus npp_remap(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct sampler sampler;
    NppStatus status = begin(function, call, call->dst_size_roi, &sampler);
    enum npp_type type = function->type == NPP_T_64F ? NPP_T_64F : NPP_T_32F;

    if (status == NPP_SUCCESS && (!call->x_map || !call->y_map))
        return NPP_NULL_POINTER_ERROR;
    if (status != NPP_SUCCESS || checks)
        return status;
    for (int y = 0; y < call->dst_size_roi.height; y++) {
        for (int x = 0; x < call->dst_size_roi.width; x++) {
            size_t offset = (size_t)x * npp_bytes(type);
            double from_x, from_y;

            npp_load(type, (const char *)call->x_map + y * call->x_map_step + offset, &from_x, 1);
            npp_load(type, (const char *)call->y_map + y * call->y_map_step + offset, &from_y, 1);
            if (is_inside(&sampler.region, from_x, from_y))
                put(&sampler, x, y, from_x, from_y, true);
        }
    }
    return NPP_SUCCESS;
}
