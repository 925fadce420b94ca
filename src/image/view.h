/* SPDX-License-Identifier: MIT */
/* The internals of a view, for the code that creates it and the samplers: levels as strided boxes,
 * the texel format as a decoder, and the address modes. */
#ifndef CUP_IMAGE_VIEW_H
#define CUP_IMAGE_VIEW_H

#include "core/compiler.h"
#include "image/sampler/sampler.h"
#include "image/texture.h"

#include <stdbool.h>
#include <stdint.h>

/* The representation of a decoded texel's channels, which determines how they are filtered. The
 * hardware filters normalised values as 16-bit integers and floats at the precision of the
 * format. */
enum cup_texel_kind {
    CUP_TEXEL_RAW,   /* integers */
    CUP_TEXEL_UNORM, /* 0 to 65535 */
    CUP_TEXEL_SNORM, /* -32768 to 32767 times CUP_SNORM_UNIT, sometimes slightly less */
    CUP_TEXEL_HALF,  /* floats with 11 significant bits */
    CUP_TEXEL_FLOAT,
    CUP_TEXEL_SRGB, /* colours are HALF; alpha (the second of two channels) is UNORM */
};

/* Both 1/127 and 1/32767 are integral multiples of 1 / (32767 * CUP_SNORM_UNIT). */
enum { CUP_SNORM_UNIT = 127 * 32 };

union cup_texel {
    int32_t i[4];
    uint32_t u[4];
    float f[4];
};

/* Decodes the texel at (x, y) of the block, or the element, at `bytes`. */
typedef void (*cup_texel_decode)(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);

struct cup_texel_format {
    enum cup_texel_kind kind;
    uint8_t bytes; /* size of an element or block */
    uint8_t block; /* texels along a block's side, otherwise 1 */
    uint8_t channels;
    /* of integers; otherwise the precision of the border colour; 0: not rounded */
    uint8_t channel_bits;
    bool is_signed;
    bool opaque; /* alpha is 1, also for the border colour */
    cup_texel_decode decode;
};

static inline enum cup_texel_kind cup_texel_channel_kind(const struct cup_texel_format *format,
                                                         unsigned channel)
{
    if (format->kind != CUP_TEXEL_SRGB)
        return format->kind;
    return channel == 3 || (channel == 1 && format->channels == 2) ? CUP_TEXEL_UNORM
                                                                   : CUP_TEXEL_HALF;
}

/* Selects the decoder for an array's elements. Returns false if the format cannot be sampled. */
bool cup_texel_format_of_array(CUarray_format id, unsigned channels, unsigned texture_flags,
                               struct cup_texel_format *format);
bool cup_texel_format_of_view(CUresourceViewFormat id, unsigned texture_flags,
                              struct cup_texel_format *format);

void cup_texel_bc1(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc2(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc3(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc4(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc4_signed(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc5(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc5_signed(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc6h(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc6h_signed(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc7(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
/* The same, with red, green and blue converted from sRGB. */
void cup_texel_bc1_srgb(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc2_srgb(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc3_srgb(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);
void cup_texel_bc7_srgb(const void *bytes, unsigned x, unsigned y, union cup_texel *texel);

/* The hardware's table of the sRGB curve: the upper halves of floats, by 8-bit values. */
extern const uint16_t cup_srgb_curve[256];
/* Converts an 8-bit sRGB value with it. */
float cup_srgb(uint8_t value);
/* The exponent, as frexp has it, that the table's entry of this value is stored with. */
int cup_srgb_exponent(float value);
/* Converts colours, which are 8-bit values times 257, from sRGB to floats. */
void cup_texel_to_srgb(union cup_texel *texel);

struct cup_view_level {
    const uint8_t *base;
    uint32_t width, height, depth; /* in texels, at least 1; the depth is 1 unless 3D */
    size_t row_bytes, slice_bytes;
};

struct cup_view {
    uint8_t geometry;
    uint8_t address[3]; /* CUaddress_mode, after the hardware's substitutions */
    bool linear;
    bool linear_levels; /* filter between levels (mipmapFilterMode is linear) */
    bool normalized;
    bool seamless;
    bool is_surface;
    bool is_buffer; /* linear memory: integer coordinates only */
    uint8_t level_count;
    uint8_t first_level;         /* level of the image that is the view's level 0 */
    uint32_t first_layer;        /* likewise for layers */
    uint32_t whole[3];           /* extents of the image's level 0: gradients count in them */
    struct cup_storage *storage; /* of an image created without memory, otherwise NULL */
    uint32_t layers;             /* at least 1; cube faces count */
    int32_t bias, level_min, level_max; /* in 1/256 of a level */
    int32_t anisotropy;                 /* cup_anisotropy_limit */
    /* adjustment of the weight between levels under anisotropic filtering */
    uint8_t blend_from, blend_slope_quarters;
    struct cup_texel_format format;
    union cup_texel border;
    struct cup_view_level levels[CUP_LEVELS_MAX];
    struct cup_sampler_plan plan;
};

/* Executes any request. */
void cup_sample_general(const struct cup_view *view, const struct cup_texture_request *request);
/* The level of a lane, in 1/256, of a view of several levels. */
int32_t cup_sample_level(const struct cup_view *view, const struct cup_texture_request *request,
                         unsigned lane);

/* Executes any request of surfaces, lane by lane. */
enum cup_surface_fault cup_surface_general(const struct cup_view *view,
                                           const struct cup_surface_request *request);

/* Weights in 1 / 2^scale: one of a texel, eight of a sample, for up to sixteen samples of two
 * levels. */
struct cup_weights {
    unsigned count, scale;
    uint16_t of[2 * 16 * 8];
};

/* Computes the weighted sum of texels, with the hardware's rounding. The result has the same
 * representation as the texels. */
void cup_filter(const struct cup_texel_format *format, const union cup_texel *texels,
                const struct cup_weights *weights, union cup_texel *result);
/* Converts a texel to an instruction's result: normalised values become floats. `exact` means that
 * it was not filtered. */
void cup_texel_finish(const struct cup_texel_format *format, bool exact, union cup_texel *texel);

/* float(v / 65535), and float(v / 32767) in units of CUP_SNORM_UNIT and at least -1, both rounded
 * to nearest. */
static inline float cup_unorm_float(int32_t value)
{
    return (float)((double)value * (1.0 / 65535));
}

static inline float cup_snorm_float(int32_t value)
{
    float result = (float)((double)value / (32767.0 * CUP_SNORM_UNIT));

    return result < -1 ? -1 : result;
}

#endif
