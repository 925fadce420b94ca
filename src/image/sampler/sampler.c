/* SPDX-License-Identifier: MIT */
/* Selects samplers: the kind when a view is created, the footprint by the request. */
#include "image/sampler/sampler.h"

#include "core/processor.h"
#include "image/view.h"

#include <string.h>

static enum cup_sampler_kind kind_of(const struct cup_texel_format *format)
{
    unsigned size = format->channels ? format->bytes / format->channels : 0;

    if (format->block != 1 || format->opaque || format->channels == 3)
        return CUP_SAMPLER_NONE;
    switch (format->kind) {
    case CUP_TEXEL_UNORM:
        if (format->channel_bits == 10)
            return CUP_SAMPLER_1010102;
        return size == 1 ? CUP_SAMPLER_UNORM8 : CUP_SAMPLER_SHORTS;
    case CUP_TEXEL_SNORM:
    case CUP_TEXEL_RAW:
        return size == 1 ? CUP_SAMPLER_BYTES : size == 2 ? CUP_SAMPLER_SHORTS : CUP_SAMPLER_WORDS;
    case CUP_TEXEL_HALF:
        return CUP_SAMPLER_HALVES;
    case CUP_TEXEL_FLOAT:
        return CUP_SAMPLER_FLOATS;
    case CUP_TEXEL_SRGB:
        return CUP_SAMPLER_SRGB;
    }
    return CUP_SAMPLER_NONE;
}

/* The bits of a half that has exactly this value; border colours are such. */
static uint32_t half_bits(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    float value;

    if (magnitude >= 0x7f800000)
        return sign | 0x7c00 | (magnitude >> 13 & 0x3ff);
    if (magnitude >= 0x38800000)
        return sign | (magnitude - 0x38000000) >> 13;
    memcpy(&value, &magnitude, 4);
    return sign | (uint32_t)(value * 0x1p24f);
}

/* A channel of the border's colour as texels have it. */
static uint32_t border_part(const struct cup_view *view, unsigned channel)
{
    int32_t value = view->border.i[channel];
    bool is_byte = view->format.channel_bits == 8;

    switch (view->format.kind) {
    case CUP_TEXEL_UNORM:
        return (uint32_t)(is_byte ? value / 257 : value);
    case CUP_TEXEL_SNORM:
        return (uint32_t)(value / (is_byte ? 32767 * 32 : CUP_SNORM_UNIT));
    case CUP_TEXEL_HALF:
        return half_bits((uint32_t)value);
    default:
        return (uint32_t)value;
    }
}

static void plan_border(struct cup_view *view)
{
    unsigned channels = view->format.channels, bits = 8u * view->format.bytes / channels;

    for (unsigned c = 0; c < channels; c++) {
        uint32_t part = border_part(view, c), kept = bits == 32 ? part : part & ((1u << bits) - 1);

        view->plan.border[c * bits / 32] |= kept << c * bits % 32;
    }
}

/* Offsets are vectors of 32 bits. Returns false if they do not suffice, or if words of the image
 * are not aligned. */
static bool plan_levels(struct cup_view *view)
{
    struct cup_sampler_plan *plan = &view->plan;
    const uint64_t most = INT32_MAX;

    plan->base = view->levels[0].base;
    for (unsigned i = 0; i < view->level_count; i++) {
        const struct cup_view_level *level = &view->levels[i];
        int64_t begin = level->base - plan->base;
        uint64_t slices = level->depth > view->layers ? level->depth : view->layers;
        uint64_t row_bytes = (uint64_t)level->width * view->format.bytes;

        if (begin < 0 || slices * level->slice_bytes + (uint64_t)begin > most || row_bytes > most ||
            (uintptr_t)level->base % 4 != 0 || level->row_bytes % 4 != 0 ||
            level->slice_bytes % 4 != 0 || level->width == 0)
            return false;
        plan->width[i] = (int32_t)level->width;
        plan->height[i] = (int32_t)level->height;
        plan->depth[i] = (int32_t)level->depth;
        plan->begin[i] = (int32_t)begin;
        plan->row[i] = (int32_t)level->row_bytes;
        plan->slice[i] = (int32_t)level->slice_bytes;
    }
    return true;
}

/* Borders of formats whose texels cannot hold any colour, sums of 32-bit integers, and texels of
 * one level that are not what a sum of them would be, need sample_general.c. */
static bool is_special(const struct cup_view *view, enum cup_sampler_kind kind)
{
    bool has_border = false, sums_points = !view->linear && view->linear_levels;

    for (unsigned i = 0; i < 3; i++)
        has_border |= view->address[i] == CU_TR_ADDRESS_MODE_BORDER;
    switch (kind) {
    case CUP_SAMPLER_SRGB:
        return has_border;
    case CUP_SAMPLER_1010102:
        return has_border || (sums_points && view->level_count > 1);
    case CUP_SAMPLER_BYTES:
        return sums_points && view->level_count > 1;
    case CUP_SAMPLER_WORDS:
        return view->linear || (sums_points && view->level_count > 1);
    default:
        return kind == CUP_SAMPLER_NONE;
    }
}

static const cup_sampler *samplers_of(enum cup_sampler_kind kind)
{
#ifdef __x86_64__
    switch (cup_processor_get()) {
    case CUP_PROCESSOR_AVX512:
        return cup_samplers_avx512[kind];
    case CUP_PROCESSOR_AVX2:
        return cup_samplers_avx2[kind];
    case CUP_PROCESSOR_PLAIN:
        break;
    }
#endif
    return cup_samplers_plain[kind];
}

void cup_sampler_plan_init(struct cup_view *view)
{
    const struct cup_view_level *level = &view->levels[0];
    enum cup_sampler_kind kind = kind_of(&view->format);
    uint32_t extent = level->width > level->height ? level->width : level->height;

    extent = extent > level->depth ? extent : level->depth;
    view->plan.coordinate_bits = extent > 65536 ? 23 : extent > 8192 ? 22 : 21;
    /* levels share the bits of coordinates, and extents times 1/256 fit in an integer */
    if (is_special(view, kind) || view->level_count > CUP_SAMPLER_LEVELS ||
        (view->level_count > 1 && extent > 8192) || (!view->is_buffer && extent > 1 << 17) ||
        !plan_levels(view))
        return;
    plan_border(view);
    view->plan.samplers = samplers_of(kind);
}

/* An instruction reads an image of its own geometry, or of a geometry with the same memory layout.
 * Float coordinates on linear memory, and integer coordinates in one dimension on anything else,
 * read zeros. */
static bool is_readable(const struct cup_view *view, const struct cup_texture_request *request)
{
    static const uint8_t families[] = {0, 0, 1, 2, 0, 3, 3};

    if (families[request->geometry] != families[view->geometry])
        return false;
    if (view->is_buffer)
        return request->geometry == CUP_GEOMETRY_1D && !request->float_coordinates &&
               !request->gather;
    return request->float_coordinates ||
           (request->geometry != CUP_GEOMETRY_1D && view->level_count == 1 && !request->gather &&
            request->geometry < CUP_GEOMETRY_CUBE);
}

/* Whether there is one sample of each level, without anything that few instructions have. */
static bool is_plain(const struct cup_view *view, const struct cup_texture_request *request)
{
    bool may_be_anisotropic = request->level_mode == 2 && view->level_count > 1 && view->anisotropy;

    return !request->offset[0] && !request->offset[1] && !request->offset[2] &&
           request->result_bits == 32 && !request->residency && !request->sample &&
           !may_be_anisotropic && !(request->gather && view->level_count > 1);
}

/* In one dimension, linear filtering sees the row above as well. */
static bool sees_rows(const struct cup_view *view)
{
    uint8_t mode = view->address[1];

    return mode == CU_TR_ADDRESS_MODE_BORDER ||
           (mode != CU_TR_ADDRESS_MODE_CLAMP && view->levels[0].height > 1);
}

static enum cup_sampler_footprint footprint_of(const struct cup_view *view,
                                               const struct cup_texture_request *request)
{
    if (request->gather)
        return CUP_FOOTPRINT_GATHER;
    if (!view->linear || !request->float_coordinates)
        return CUP_FOOTPRINT_POINT;
    switch (request->geometry) {
    case CUP_GEOMETRY_1D:
        return sees_rows(view) ? CUP_FOOTPRINT_QUAD : CUP_FOOTPRINT_PAIR;
    case CUP_GEOMETRY_1D_LAYERED:
        return CUP_FOOTPRINT_PAIR;
    case CUP_GEOMETRY_3D:
        return CUP_FOOTPRINT_BOX;
    default:
        return CUP_FOOTPRINT_QUAD;
    }
}

cup_sampler cup_sampler_find(const struct cup_view *view, const struct cup_texture_request *request)
{
    if (!view->plan.samplers || !is_plain(view, request) || !is_readable(view, request))
        return NULL;
    return view->plan.samplers[footprint_of(view, request)];
}
