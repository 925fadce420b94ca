/* SPDX-License-Identifier: MIT */
/* Geometry: warps, rotation and maps. A pixel of the destination is sampled at a place of the
 * source. A place outside the source's region leaves the destination alone; rotations and maps move
 * places of up to half a pixel before the region to its edge, and maps reach to its very end. */
#include "geometry.h"
#include "handlers.h"
#include "sampling.h"

#include "bands.h"

#include <math.h>
#include <string.h>

struct pass {
    const struct npp_function *function;
    const struct npp_call *call;
    struct npp_source source;
    struct npp_view target;
    NppiRect from, to;
    double backward[3][3]; /* places of the destination to places of the source */
    bool mapped;           /* places stand in maps */
    double before;         /* how far before the region a place may lie */
};

/* Warps know no B-splines, maps Lanczos too, and halves only what is common to all. */
static bool is_known(const struct pass *pass, const struct npp_function *function,
                     long long interpolation)
{
    if (interpolation == NPPI_INTER_LANCZOS)
        return pass->mapped;
    if (interpolation == NPPI_INTER_CUBIC2P_BSPLINE || interpolation == NPPI_INTER_CUBIC2P_B05C03)
        return pass->mapped || pass->before > 0;
    if (interpolation == NPPI_INTER_CUBIC2P_CATMULLROM && function->type == NPP_T_16F)
        return false;
    return npp_taps_known(interpolation);
}

static NppStatus begin(const struct npp_function *function, const struct npp_call *call,
                       struct pass *pass)
{
    NppiRect from = call->src_rect;
    NppStatus status;

    npp_view_source(function, call, &pass->source.view);
    npp_view_target(function, call, &pass->target);
    status = npp_view_check(&pass->source.view, &pass->target,
                            (NppiSize){pass->to.width, pass->to.height});
    if (status != NPP_SUCCESS)
        return status;
    if (call->src_size.width <= 0 || call->src_size.height <= 0)
        return NPP_SIZE_ERROR;
    if (from.width <= 0 || from.height <= 0)
        return NPP_RECTANGLE_ERROR;
    if (!is_known(pass, function, call->interpolation))
        return NPP_INTERPOLATION_ERROR;
    pass->function = function;
    pass->call = call;
    pass->from = from;
    pass->source.type = function->type;
    pass->source.channels = function->channels - (unsigned)function->alpha;
    pass->source.most_x = call->src_size.width - 1;
    pass->source.most_y = call->src_size.height - 1;
    return NPP_SUCCESS;
}

/* Moves a place that lies a little before the region to its edge; false: it lies outside. */
static bool move_inside(const struct pass *pass, double *x, double *y)
{
    const NppiRect *region = &pass->from;

    if (!(*x >= region->x - pass->before && *y >= region->y - pass->before &&
          *x < region->x + region->width && *y < region->y + region->height))
        return false;
    if (!pass->mapped &&
        (*x > region->x + region->width - 1 || *y > region->y + region->height - 1))
        return false;
    *x = *x < region->x ? region->x : *x;
    *y = *y < region->y ? region->y : *y;
    return true;
}

/* The place in the source; false: there is none. */
static bool find_place(const struct pass *pass, int x, int y, double *from_x, double *from_y)
{
    const struct npp_call *call = pass->call;
    const double(*m)[3] = pass->backward;
    double w = m[2][0] * x + m[2][1] * y + m[2][2];

    if (pass->mapped) {
        const void *x_row = (const char *)call->x_map + y * call->x_map_step;
        const void *y_row = (const char *)call->y_map + y * call->y_map_step;
        bool is_double = pass->function->type == NPP_T_64F;

        *from_x = is_double ? ((const double *)x_row)[x] : (double)((const float *)x_row)[x];
        *from_y = is_double ? ((const double *)y_row)[x] : (double)((const float *)y_row)[x];
    } else {
        *from_x = (double)(float)((m[0][0] * x + m[0][1] * y + m[0][2]) / w);
        *from_y = (double)(float)((m[1][0] * x + m[1][1] * y + m[1][2]) / w);
    }
    return move_inside(pass, from_x, from_y);
}

/* True if all pixels that a place needs are in the image. */
static bool is_whole(const struct npp_source *source, const struct npp_taps *columns,
                     const struct npp_taps *rows)
{
    return columns->first >= source->least_x && rows->first >= source->least_y &&
           columns->first + columns->count - 1 <= source->most_x &&
           rows->first + rows->count - 1 <= source->most_y;
}

static void find_taps(const struct pass *pass, double x, double y, struct npp_taps *columns,
                      struct npp_taps *rows)
{
    long long interpolation = pass->call->interpolation;

    npp_taps_at(interpolation, x, columns);
    npp_taps_at(interpolation, y, rows);
    if (npp_taps_fall_back(interpolation) && !is_whole(&pass->source, columns, rows)) {
        npp_taps_at(NPPI_INTER_LINEAR, x, columns);
        npp_taps_at(NPPI_INTER_LINEAR, y, rows);
    }
}

static void run_band(void *arguments, int first, int last)
{
    const struct pass *pass = arguments;

    for (int y = pass->to.y + first; y < pass->to.y + last; y++) {
        for (int x = pass->to.x; x < pass->to.x + pass->to.width; x++) {
            struct npp_taps columns, rows;
            double from_x, from_y, values[4];

            if (!find_place(pass, x, y, &from_x, &from_y))
                continue;
            find_taps(pass, from_x, from_y, &columns, &rows);
            npp_sample(&pass->source, &columns, &rows, values);
            npp_put_pixel(pass->function, &pass->target, x, y, values);
        }
    }
}

static NppStatus run(const struct npp_function *function, const struct npp_call *call, bool checks,
                     struct pass *pass)
{
    NppStatus status = begin(function, call, pass);

    if (status == NPP_SUCCESS && !checks)
        npp_bands(pass->to.height, (size_t)pass->to.width * 32, run_band, pass);
    return status;
}

bool npp_invert(const double in[3][3], double out[3][3])
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

NppStatus npp_warp(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    bool perspective = strstr(function->name, "Perspective") != NULL;
    double given[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    struct pass pass = {.to = call->dst_rect};

    for (int i = 0; i < (perspective ? 3 : 2); i++) {
        for (int j = 0; j < 3; j++)
            given[i][j] = call->coeffs_v[3 * i + j];
    }
    if (strstr(function->name, "Back_"))
        memcpy(pass.backward, given, sizeof(given));
    else if (!npp_invert((const double(*)[3])given, pass.backward))
        return NPP_COEFFICIENT_ERROR;
    return run(function, call, checks, &pass);
}

NppStatus npp_warp_by(const struct npp_function *function, const struct npp_call *call, bool checks,
                      const double forward[3][3])
{
    struct pass pass = {.to = call->dst_rect};

    if (!npp_invert(forward, pass.backward))
        return NPP_COEFFICIENT_ERROR;
    return run(function, call, checks, &pass);
}

/* Angles are in degrees, against the clock, about the origin; then the image is shifted. */
NppStatus npp_rotate(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    double angle = call->angle_v[0] * M_PI / 180, c = cos(angle), s = sin(angle);
    const double forward[3][3] = {
        {c, s, call->shift_x_v[0]}, {-s, c, call->shift_y_v[0]}, {0, 0, 1}};
    struct pass pass = {.to = call->dst_rect, .before = 0.5};

    npp_invert(forward, pass.backward);
    return run(function, call, checks, &pass);
}

NppStatus npp_remap(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct pass pass = {.to = {0, 0, call->dst_size_roi.width, call->dst_size_roi.height},
                        .mapped = true,
                        .before = 0.5};

    if (!call->x_map || !call->y_map)
        return NPP_NULL_POINTER_ERROR;
    return run(function, call, checks, &pass);
}
