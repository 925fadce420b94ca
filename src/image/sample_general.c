/* SPDX-License-Identifier: MIT */
/* The reference sampler: executes any request on any view, one lane at a time. It defines the
 * results that the fast samplers (sample_fast.c) must reproduce. */
#include "image/anisotropy.h"
#include "image/cube.h"
#include "image/gradient.h"
#include "image/tiles.h"
#include "image/view.h"

#include <math.h>
#include <string.h>

/* Position along one axis: one or two texels, and the weight of the second. -1: the border. */
struct axis_sample {
    int32_t at[2];
    uint16_t weight;
};

/* The operands of one lane. */
struct lane {
    float at[3];
    float direction[3]; /* for cubes */
    int32_t integer[3];
    int32_t offset[3];
    int32_t moved[3]; /* from the lane's place to the sample's, in 1/256 of a texel */
    uint32_t layer;
    bool is_integer;
};

struct sampling {
    const struct cup_view *view;
    const struct cup_texture_request *request;
    unsigned axes;
    bool linear;
    bool cube;
    bool seamless; /* texels beyond an edge belong to the adjacent face */
    bool missing;  /* no memory is mapped to one of the lane's texels */
};

/* Flushes subnormal operands to zero. */
static float float_of(uint32_t bits)
{
    float value;

    if ((bits & 0x7f800000) == 0)
        bits &= 0x80000000;
    memcpy(&value, &bits, 4);
    return value;
}

/* Saturates; NaN becomes zero. */
static int64_t fixed_of(double value)
{
    const double far = 0x1p45;

    if (!(value < far))
        return value != value ? 0 : (int64_t)far;
    return value < -far ? -(int64_t)far : (int64_t)floor(value);
}

/* Applies the address mode. Returns the texel's index, or -1 for the border. */
static int32_t addressed(int64_t at, uint32_t extent, uint8_t mode)
{
    int64_t n = extent;

    if (at >= 0 && at < n)
        return (int32_t)at;
    switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP:
        at %= n;
        return (int32_t)(at < 0 ? at + n : at);
    case CU_TR_ADDRESS_MODE_MIRROR:
        at %= 2 * n;
        at = at < 0 ? at + 2 * n : at;
        return (int32_t)(at < n ? at : 2 * n - 1 - at);
    case CU_TR_ADDRESS_MODE_BORDER:
        return -1;
    default:
        return at < 0 ? 0 : (int32_t)(n - 1);
    }
}

/* Number of fractional bits that normalised coordinates are truncated to; the same for all axes. */
static unsigned coordinate_bits(const struct cup_view_level *level)
{
    uint32_t extent = level->width > level->height ? level->width : level->height;

    extent = extent > level->depth ? extent : level->depth;
    return extent > 65536 ? 23 : extent > 8192 ? 22 : 21;
}

static struct axis_sample axis_sample_of(const struct sampling *s, const struct lane *lane,
                                         unsigned axis, const struct cup_view_level *level)
{
    uint32_t extent = axis == 0 ? level->width : axis == 1 ? level->height : level->depth;
    const struct cup_view *view = s->view;
    uint8_t mode = s->cube && view->seamless ? CU_TR_ADDRESS_MODE_CLAMP : view->address[axis];
    double at;

    /* integer coordinates ignore the address mode: outside reads the border */
    if (lane->is_integer) {
        int64_t texel = (int64_t)lane->integer[axis] + lane->offset[axis];
        int32_t found = texel >= 0 && texel < extent ? (int32_t)texel : -1;
        return (struct axis_sample){{found, found}, 0};
    }
    if (view->normalized || s->cube) {
        unsigned bits = coordinate_bits(level);
        at = (double)fixed_of((double)lane->at[axis] * (1 << bits)) * extent / (1 << bits);
    } else {
        at = lane->at[axis];
    }
    if (!s->linear) {
        int32_t texel =
            addressed(fixed_of(at + lane->moved[axis] / 256.0) + lane->offset[axis], extent, mode);
        return (struct axis_sample){{texel, texel}, 0};
    }
    int64_t fixed =
        fixed_of(at * 256 + 0.5) - 128 + (int64_t)lane->offset[axis] * 256 + lane->moved[axis];
    if (s->seamless)
        return (struct axis_sample){{(int32_t)(fixed >> 8), (int32_t)(fixed >> 8) + 1},
                                    (uint16_t)(fixed & 255)};
    int32_t first = addressed(fixed >> 8, extent, mode);
    int32_t second = addressed((fixed >> 8) + 1, extent, mode);
    bool merged = first == second && mode == CU_TR_ADDRESS_MODE_CLAMP;
    return (struct axis_sample){{first, second}, merged ? 0 : (uint16_t)(fixed & 255)};
}

static void fetch(struct sampling *s, const struct cup_view_level *level, int32_t x, int32_t y,
                  int32_t z, union cup_texel *texel)
{
    const struct cup_view *view = s->view;
    const struct cup_texel_format *format = &view->format;

    if (x < 0 || y < 0 || z < 0) {
        *texel = view->border;
        return;
    }
    unsigned block = format->block, column = (unsigned)x / block, row = (unsigned)y / block;
    const uint8_t *at = level->base + (size_t)z * level->slice_bytes +
                        (size_t)row * level->row_bytes + (size_t)column * format->bytes;
    format->decode(at, (unsigned)x % block, (unsigned)y % block, texel);
    if (s->request->residency && view->storage)
        s->missing |= !cup_tiles_is_mapped(view->storage,
                                           (unsigned)(level - view->levels) + view->first_level,
                                           column, row, (unsigned)z + view->first_layer);
}

/* Splits a weight in two, with the hardware's rounding of halves of 1/256. */
static uint16_t split_weight(uint16_t weight, uint16_t part, bool up)
{
    return (uint16_t)((weight * part + (up ? 128 : 127)) >> 8);
}

/* The weights of 2 x 2 texels that add up to `whole`: split by columns first, then by rows. */
static void weights_2d(uint16_t whole, uint16_t x, uint16_t y, uint16_t weights[4])
{
    uint16_t right = split_weight(whole, x, true), left = (uint16_t)(whole - right);

    weights[2] = split_weight(left, y, false);
    weights[3] = split_weight(right, y, true);
    weights[0] = (uint16_t)(left - weights[2]);
    weights[1] = (uint16_t)(right - weights[3]);
}

/* The slice of the level that holds the lane's layer or cube face. */
static int32_t slice_of(const struct sampling *s, const struct lane *lane)
{
    uint32_t count = s->view->layers;

    if (s->request->geometry <= CUP_GEOMETRY_3D)
        return 0;
    if (lane->is_integer && lane->layer >= count)
        return -1;
    return (int32_t)(lane->layer < count ? lane->layer : count - 1);
}

/* Texels with their weights. */
struct footprint {
    struct cup_weights weights;
    union cup_texel texels[sizeof(((struct cup_weights *)0)->of) / sizeof(uint16_t)];
};

/* Adds the four texels of a seamless cube with known weights. The weight of a texel beyond a corner
 * is distributed to the other three. */
static void add_faces(struct sampling *s, const struct cup_view_level *level,
                      const struct axis_sample *x, const struct axis_sample *y, int32_t slice,
                      struct footprint *footprint)
{
    uint16_t *weights = footprint->weights.of + footprint->weights.count;
    union cup_texel *texels = footprint->texels + footprint->weights.count;
    int32_t n = (int32_t)level->width;
    int corner = -1;

    memset(texels, 0, 8 * sizeof(*texels));
    for (int i = 0; i < 4; i++) {
        int32_t column = x->at[i & 1], row = y->at[i >> 1], at = slice;
        bool inside = column >= 0 && column < n && row >= 0 && row < n;
        if (!inside && !cup_cube_cross_edge(n, &column, &row, &at))
            corner = i;
        else if (weights[i])
            fetch(s, level, column, row, at, &texels[i]);
    }
    if (corner >= 0) {
        uint16_t third = (uint16_t)((weights[corner] * 85 + 128) >> 8),
                 rest = (uint16_t)(weights[corner] - 2 * third);
        weights[corner ^ 1] = (uint16_t)(weights[corner ^ 1] + third);
        weights[corner ^ 2] = (uint16_t)(weights[corner ^ 2] + third);
        weights[corner ^ 3] = (uint16_t)(weights[corner ^ 3] + rest);
        weights[corner] = 0;
        for (int i = 0; i < 4; i++) {
            int32_t column = x->at[i & 1], row = y->at[i >> 1], at = slice;
            bool inside = column >= 0 && column < n && row >= 0 && row < n;
            if (i != corner && (inside || cup_cube_cross_edge(n, &column, &row, &at)))
                fetch(s, level, column, row, at, &texels[i]);
        }
    }
    footprint->weights.count += 8;
}

/* Adds the texels of a level around a place; `whole` is the weight of them all. */
static void add_sample(struct sampling *s, const struct lane *lane, unsigned number, uint16_t whole,
                       struct footprint *footprint)
{
    const struct cup_view *view = s->view;
    const struct cup_view_level *level = &view->levels[number];
    struct axis_sample x = axis_sample_of(s, lane, 0, level), y = {{0, 0}, 0}, z = {{0, 0}, 0};
    uint16_t *weights = footprint->weights.of + footprint->weights.count;
    union cup_texel *texels = footprint->texels + footprint->weights.count;

    if (s->axes > 1 || (s->linear && s->request->geometry == CUP_GEOMETRY_1D))
        /* One dimension is filtered like the upper edge of a 2D image. */
        y = axis_sample_of(s, lane, 1, level);
    if (s->axes > 2)
        z = axis_sample_of(s, lane, 2, level);
    else
        z.at[0] = z.at[1] = slice_of(s, lane);
    uint16_t behind = split_weight(whole, z.weight, false);
    weights_2d((uint16_t)(whole - behind), x.weight, y.weight, weights);
    weights_2d(behind, x.weight, y.weight, weights + 4);
    if (s->seamless) {
        add_faces(s, level, &x, &y, z.at[0], footprint);
        return;
    }
    for (unsigned i = 0; i < 8; i++) {
        if (!weights[i])
            texels[i] = (union cup_texel){.u = {0}};
        else if (lane->is_integer && (x.at[0] < 0 || y.at[0] < 0 || z.at[0] < 0))
            texels[i] = (union cup_texel){.u = {0}};
        else
            fetch(s, level, x.at[i & 1], y.at[i >> 1 & 1], z.at[i >> 2], &texels[i]);
    }
    footprint->weights.count += 8;
}

/* Returns one channel of the four texels that linear filtering would use, counterclockwise from the
 * lower left. */
static void gather(struct sampling *s, const struct lane *lane, union cup_texel *result)
{
    const struct cup_view *view = s->view;
    const struct cup_view_level *level = &view->levels[0];
    struct axis_sample x = axis_sample_of(s, lane, 0, level), y = axis_sample_of(s, lane, 1, level);
    static const uint8_t columns[] = {0, 1, 1, 0}, rows[] = {1, 1, 0, 0};

    for (unsigned i = 0; i < 4; i++) {
        union cup_texel texel;
        fetch(s, level, x.at[columns[i]], y.at[rows[i]], slice_of(s, lane), &texel);
        cup_texel_finish(&view->format, true, &texel);
        result->u[i] = texel.u[s->request->gather - 1u];
    }
}

/* The direction at the end of a step, and what the step is on the plane of the face. A step of 1 is
 * half the face's width in texels. */
static void step_on_face(const struct sampling *s, const struct lane *lane, const float *step,
                         double *result, struct cup_gradient *gradient)
{
    float end[3];

    for (unsigned i = 0; i < 3; i++)
        end[i] = lane->direction[i] + step[i];
    enum cup_cube_reach kind = cup_cube_step(lane->direction, end, s->view->whole[0], result);
    gradient->bent |= kind != CUP_CUBE_SAME_FACE;
    gradient->beyond |= kind == CUP_CUBE_NO_FACE;
}

/* The step from one lane to the next, in texels. In three dimensions it is the difference of two
 * coordinates. */
static void gradient_of(const struct sampling *s, const struct lane *lane, unsigned number,
                        const uint32_t *const gradients[3], double *result,
                        struct cup_gradient *gradient)
{
    float step[3] = {0, 0, 0};

    for (unsigned i = 0; i < (s->cube ? 3 : s->axes); i++)
        step[i] = float_of(gradients[i][number]);
    if (s->cube) {
        step_on_face(s, lane, step, result, gradient);
        return;
    }
    for (unsigned i = 0; i < s->axes; i++) {
        double exact = s->axes > 2 ? cup_gradient_difference(lane->at[i] + step[i], lane->at[i])
                                   : (double)step[i];
        gradient->beyond |= s->axes > 2 && isinf(lane->at[i]);
        result[i] = cup_gradient_texels(exact, s->view->whole[i]);
    }
}

/* The level in 1/256, clamped to the view's range, and which samples of it are taken: the logarithm
 * of the ratio of a pixel's axes, and the direction of the longer one. */
struct detail {
    int32_t level, ratio;
    int32_t direction[2];
};

/* Is there more than one sample? Not in three dimensions and not in layers of one. */
static bool has_anisotropy(const struct sampling *s)
{
    return s->view->anisotropy && s->axes < 3 && s->request->geometry != CUP_GEOMETRY_1D_LAYERED;
}

/* Returns the level that gradients select; with anisotropic filtering, that of the shorter axis. */
static int32_t gradient_level(const struct sampling *s, const struct lane *at, unsigned lane,
                              struct detail *detail)
{
    struct cup_gradient gradient = {.bent = false};
    struct cup_pixel pixel;

    gradient_of(s, at, lane, s->request->gradient_x, gradient.x, &gradient);
    gradient_of(s, at, lane, s->request->gradient_y, gradient.y, &gradient);
    cup_gradient_measure(&gradient, &pixel);
    if (!has_anisotropy(s) || gradient.beyond)
        return pixel.longer;
    int32_t least = pixel.longer - s->view->anisotropy;
    least = least > pixel.shorter ? least : pixel.shorter;
    least = least < pixel.longer ? least : pixel.longer;
    /* samples are not closer together than texels of level 0 */
    detail->ratio = pixel.longer - (least > 0 ? least : 0);
    cup_anisotropy_direction(pixel.axis, detail->direction);
    return least;
}

/* Narrows the range in which two levels are blended. */
static int64_t steepened(const struct cup_view *view, int64_t level)
{
    int64_t part = level & 255;
    int64_t weight = (part - view->blend_from) * view->blend_slope_quarters >> 2;

    return level - part + (weight < 0 ? 0 : weight > 256 ? 256 : weight);
}

static struct detail detail_of(const struct sampling *s, const struct lane *at, unsigned lane)
{
    const struct cup_view *view = s->view;
    int64_t level = s->request->level_mode ? view->bias : 0;
    int32_t top = (view->level_count - 1) * 256;
    struct detail detail = {.level = 0};

    if (s->request->level_mode == 1)
        level += at->is_integer ? (int64_t)(int32_t)s->request->level[lane] * 256
                                : fixed_of(trunc((double)float_of(s->request->level[lane]) * 256));
    if (s->request->level_mode == 2)
        level += gradient_level(s, at, lane, &detail) - view->first_level * 256;
    level = view->linear_levels ? steepened(view, level) : level;
    level = level > view->level_max ? view->level_max : level;
    level = level < view->level_min ? view->level_min : level;
    detail.level = level < 0 ? 0 : level > top ? top : (int32_t)level;
    return detail;
}

/* Adds the samples of a level, with weights in the footprint's scale. */
static void add_probes(struct sampling *s, const struct lane *lane, unsigned number,
                       const struct cup_probes *probes, struct footprint *footprint)
{
    struct lane moved = *lane;

    for (unsigned i = 0; i < probes->count; i++) {
        int32_t places = 2 * (int32_t)i - (int32_t)probes->count + 1; /* halves of a step */
        uint16_t *weights = footprint->weights.of + footprint->weights.count;
        for (unsigned axis = 0; axis < 2; axis++)
            moved.moved[axis] = places * probes->step[axis] * 2;
        add_sample(s, &moved, number, probes->weights[i], footprint);
        for (unsigned j = 0; j < 8; j++)
            weights[j] = (uint16_t)(weights[j] << (footprint->weights.scale - probes->scale));
    }
}

static void sample_lane(struct sampling *s, unsigned number, const struct lane *lane,
                        union cup_texel *result)
{
    const struct cup_view *view = s->view;
    struct detail detail = {.level = 0};

    if (s->request->gather) {
        gather(s, lane, result);
        return;
    }
    if (view->level_count > 1)
        detail = detail_of(s, lane, number);
    uint16_t second = view->linear_levels ? (uint16_t)(detail.level & 255) : 0;
    struct footprint footprint;
    struct cup_probes near, far;
    unsigned first = (unsigned)(view->linear_levels ? detail.level : detail.level + 128) >> 8;
    cup_anisotropy_probes(detail.direction, detail.ratio, second, (uint16_t)(256 - second), &near);
    cup_anisotropy_probes(detail.direction, detail.ratio + second - 256, 0, second, &far);
    footprint.weights.count = 0;
    footprint.weights.scale = near.scale;
    add_probes(s, lane, first, &near, &footprint);
    if (second)
        add_probes(s, lane, first + 1, &far, &footprint);
    bool exact = !s->linear && !second && near.count == 1;
    if (exact)
        *result = footprint.texels[0];
    else
        cup_filter(&view->format, footprint.texels, &footprint.weights, result);
    cup_texel_finish(&view->format, exact, result);
}

/* Sign-extends the offset from the instruction's field width. */
static int32_t offset_of(const struct cup_texture_request *request, int32_t offset)
{
    unsigned unused = request->gather ? 26 : 28;

    return (int32_t)((uint32_t)offset << unused) >> unused;
}

/* The cube that a lane's layer selects. */
static uint32_t cube_of(const struct lane *lane, uint32_t layers)
{
    uint32_t cubes = layers >= 6 ? layers / 6 : 1;

    return lane->layer < cubes ? lane->layer : cubes - 1;
}

static void lane_init(struct lane *lane, const struct sampling *s, unsigned number)
{
    const struct cup_texture_request *request = s->request;
    bool cube = s->cube;

    memset(lane, 0, sizeof(*lane));
    lane->is_integer = !request->float_coordinates;
    for (unsigned i = 0; i < (cube ? 3 : s->axes); i++) {
        uint32_t bits = request->coordinates[i][number];
        lane->at[i] = float_of(bits);
        if (cube) /* directions may be subnormal */
            memcpy(&lane->at[i], &bits, 4);
        lane->integer[i] = (int32_t)bits;
        lane->offset[i] = request->offset[i] ? offset_of(request, request->offset[i][number]) : 0;
    }
    if (request->layer && request->geometry > CUP_GEOMETRY_3D &&
        request->geometry != CUP_GEOMETRY_CUBE)
        lane->layer = request->layer[number];
    memcpy(lane->direction, lane->at, sizeof(lane->direction));
    if (cube)
        lane->layer = cube_of(lane, s->view->layers) * 6 + cup_cube_project(lane->at);
}

static uint16_t half_of(float value)
{
    union {
        float f;
        uint32_t u;
    } bits = {value};
    uint32_t sign = bits.u >> 16 & 0x8000, magnitude = bits.u & 0x7fffffff;

    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7fff);
    if (magnitude >= 0x47800000)
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) {
        bits.u = magnitude;
        bits.f += 0.5f; /* aligns the steps of subnormals with the float's last bits */
        return (uint16_t)(sign | (bits.u - 0x3f000000));
    }
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

/* An instruction reads an image of its own geometry, or of a geometry with the same memory layout.
 * Any other combination reads zeros. So do float coordinates on linear memory, and 1D integer
 * coordinates on anything else. */
void cup_sample_general(const struct cup_view *view, const struct cup_texture_request *request)
{
    static const uint8_t axes[] = {1, 2, 3, 1, 2, 2, 2};
    struct sampling s = {.view = view,
                         .request = request,
                         .axes = axes[request->geometry],
                         .linear = (view->linear && request->float_coordinates) || request->gather};

    s.cube =
        request->geometry == CUP_GEOMETRY_CUBE || request->geometry == CUP_GEOMETRY_CUBE_LAYERED;
    s.seamless = s.cube && view->seamless && s.linear && !request->gather;

    static const uint8_t families[] = {0, 0, 1, 2, 0, 3, 3};
    bool no_access =
        families[request->geometry] != families[view->geometry] ||
        (request->geometry == CUP_GEOMETRY_1D && request->float_coordinates == view->is_buffer);
    for (uint32_t mask = request->mask; mask; mask &= mask - 1) {
        unsigned number = (unsigned)__builtin_ctz(mask);
        union cup_texel result;
        struct lane lane;
        lane_init(&lane, &s, number);
        s.missing = no_access;
        if (no_access || (request->sample && request->sample[number]))
            result = (union cup_texel){.u = {0}};
        else
            sample_lane(&s, number, &lane, &result);
        for (unsigned c = 0; c < request->components; c++)
            request->results[c][number] =
                request->result_bits == 16 ? half_of(result.f[c]) : result.u[c];
        if (request->residency)
            request->residency[number] = !s.missing;
    }
}
