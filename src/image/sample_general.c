/* SPDX-License-Identifier: MIT */
/* The reference sampler: executes any request on any view, one lane at a time. It defines the
 * results that the samplers of whole warps (sampler/) must reproduce. */
#include "image/anisotropy.h"
#include "image/cube.h"
#include "image/sampling.h"
#include "image/tiles.h"

/* Position along one axis: one or two texels, and the weight of the second. -1: the border. */
struct axis_sample {
    int32_t at[2];
    uint16_t weight;
};

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

static struct axis_sample axis_sample_of(const struct cup_sampling *s, const struct cup_lane *lane,
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
        at = (double)cup_fixed_of((double)lane->at[axis] * (1 << bits)) * extent / (1 << bits);
    } else {
        at = lane->at[axis];
    }
    if (!s->linear) {
        int32_t texel = addressed(cup_fixed_of(at + lane->moved[axis] / 256.0) + lane->offset[axis],
                                  extent, mode);
        return (struct axis_sample){{texel, texel}, 0};
    }
    int64_t fixed =
        cup_fixed_of(at * 256 + 0.5) - 128 + (int64_t)lane->offset[axis] * 256 + lane->moved[axis];
    if (s->seamless)
        return (struct axis_sample){{(int32_t)(fixed >> 8), (int32_t)(fixed >> 8) + 1},
                                    (uint16_t)(fixed & 255)};
    int32_t first = addressed(fixed >> 8, extent, mode);
    int32_t second = addressed((fixed >> 8) + 1, extent, mode);
    bool merged = first == second && mode == CU_TR_ADDRESS_MODE_CLAMP;
    return (struct axis_sample){{first, second}, merged ? 0 : (uint16_t)(fixed & 255)};
}

static void fetch(struct cup_sampling *s, const struct cup_view_level *level, int32_t x, int32_t y,
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
static int32_t slice_of(const struct cup_sampling *s, const struct cup_lane *lane)
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
static void add_faces(struct cup_sampling *s, const struct cup_view_level *level,
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
static void add_sample(struct cup_sampling *s, const struct cup_lane *lane, unsigned number,
                       uint16_t whole, struct footprint *footprint)
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
        /* of a weight that is rounded to zero, NaN still counts */
        bool takes_part =
            (!(i & 1) || x.weight) && (!(i & 2) || y.weight) && (!(i & 4) || z.weight);
        if (!takes_part)
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
static void gather(struct cup_sampling *s, const struct cup_lane *lane, union cup_texel *result)
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

/* Adds the samples of a level, with weights in the footprint's scale. */
static void add_probes(struct cup_sampling *s, const struct cup_lane *lane, unsigned number,
                       const struct cup_probes *probes, struct footprint *footprint)
{
    struct cup_lane moved = *lane;

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

static void sample_lane(struct cup_sampling *s, unsigned number, const struct cup_lane *lane,
                        union cup_texel *result)
{
    const struct cup_view *view = s->view;
    struct cup_detail detail = {.level = 0};

    if (s->request->gather) {
        gather(s, lane, result);
        return;
    }
    if (view->level_count > 1)
        detail = cup_detail_of(s, lane, number);
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
static uint32_t cube_of(const struct cup_lane *lane, uint32_t layers)
{
    uint32_t cubes = layers >= 6 ? layers / 6 : 1;

    return lane->layer < cubes ? lane->layer : cubes - 1;
}

static void lane_init(struct cup_lane *lane, const struct cup_sampling *s, unsigned number)
{
    const struct cup_texture_request *request = s->request;
    bool cube = s->cube;

    memset(lane, 0, sizeof(*lane));
    lane->is_integer = !request->float_coordinates;
    for (unsigned i = 0; i < (cube ? 3 : s->axes); i++) {
        uint32_t bits = request->coordinates[i][number];
        lane->at[i] = cup_float_of(bits);
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

static struct cup_sampling sampling_of(const struct cup_view *view,
                                       const struct cup_texture_request *request)
{
    static const uint8_t axes[] = {1, 2, 3, 1, 2, 2, 2};
    struct cup_sampling s = {.view = view,
                             .request = request,
                             .axes = axes[request->geometry],
                             .linear =
                                 (view->linear && request->float_coordinates) || request->gather};

    s.cube =
        request->geometry == CUP_GEOMETRY_CUBE || request->geometry == CUP_GEOMETRY_CUBE_LAYERED;
    s.seamless = s.cube && view->seamless && s.linear && !request->gather;
    return s;
}

int32_t cup_sample_level(const struct cup_view *view, const struct cup_texture_request *request,
                         unsigned lane)
{
    struct cup_sampling s = sampling_of(view, request);
    struct cup_lane at;

    lane_init(&at, &s, lane);
    return cup_detail_of(&s, &at, lane).level;
}

/* An instruction reads an image of its own geometry, or of a geometry with the same memory layout.
 * Any other combination reads zeros. So do float coordinates on linear memory, and 1D integer
 * coordinates on anything else. */
void cup_sample_general(const struct cup_view *view, const struct cup_texture_request *request)
{
    static const uint8_t families[] = {0, 0, 1, 2, 0, 3, 3};
    struct cup_sampling s = sampling_of(view, request);
    bool is_line = request->geometry == CUP_GEOMETRY_1D;
    bool no_access =
        families[request->geometry] != families[view->geometry] ||
        (view->is_buffer ? request->float_coordinates : is_line && !request->float_coordinates);
    for (uint32_t mask = request->mask; mask; mask &= mask - 1) {
        unsigned number = (unsigned)__builtin_ctz(mask);
        union cup_texel result;
        struct cup_lane lane;
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
