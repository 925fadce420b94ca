/* SPDX-License-Identifier: MIT */
/*
 * The table of cases, and what they are made of: extents and content of images, and coordinates.
 * All of it follows from a case's name and fields, so that a recording holds answers only.
 */
#include "textures.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sample *table;
static size_t table_count;

void sample_add(const struct sample *sample, const char *name, ...)
{
    va_list arguments;

    if ((table_count & (table_count - 1)) == 0)
        table = realloc(table, (table_count ? table_count * 2 : 1) * sizeof *table);
    table[table_count] = *sample;
    va_start(arguments, name);
    vsnprintf(table[table_count].name, sizeof table->name, name, arguments);
    va_end(arguments);
    table_count++;
}

const struct sample *samples_table(size_t *count)
{
    if (!table) {
        samples_filtering();
        samples_formats();
        samples_mipmaps();
        samples_surfaces();
        samples_gradients();
    }
    *count = table_count;
    return table;
}

struct sample sample_of(CUarray_format format, unsigned channels, enum geometry geometry,
                        unsigned width, unsigned height, unsigned depth)
{
    bool flat = geometry == G_1D || geometry == G_1D_LAYERED;
    bool deep = geometry != G_1D && geometry != G_2D;

    return (struct sample){
        .resource = CU_RESOURCE_TYPE_ARRAY,
        .format = format,
        .channels = channels,
        .geometry = geometry,
        .asked = geometry,
        .width = width,
        .height = flat ? 0 : height,
        .depth = deep ? depth : 0,
        .levels = 1,
        .plane = -1,
        .result = 'f',
        .components = 4,
        .lanes = 160,
        .texture = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                    CU_TR_ADDRESS_MODE_CLAMP}},
    };
}

static const struct {
    CUarray_format format;
    unsigned bytes; /* of a channel, or of the whole where fixed */
    bool fixed;
    const char *name;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 1, false, "u8"},
    {CU_AD_FORMAT_UNSIGNED_INT16, 2, false, "u16"},
    {CU_AD_FORMAT_UNSIGNED_INT32, 4, false, "u32"},
    {CU_AD_FORMAT_SIGNED_INT8, 1, false, "s8"},
    {CU_AD_FORMAT_SIGNED_INT16, 2, false, "s16"},
    {CU_AD_FORMAT_SIGNED_INT32, 4, false, "s32"},
    {CU_AD_FORMAT_HALF, 2, false, "f16"},
    {CU_AD_FORMAT_FLOAT, 4, false, "f32"},
    {CU_AD_FORMAT_UNORM_INT_101010_2, 4, true, "1010102"},
    {CU_AD_FORMAT_UNORM_INT8X1, 1, true, "unorm8x"},
    {CU_AD_FORMAT_UNORM_INT8X2, 2, true, "unorm8x"},
    {CU_AD_FORMAT_UNORM_INT8X4, 4, true, "unorm8x"},
    {CU_AD_FORMAT_UNORM_INT16X1, 2, true, "unorm16x"},
    {CU_AD_FORMAT_UNORM_INT16X2, 4, true, "unorm16x"},
    {CU_AD_FORMAT_UNORM_INT16X4, 8, true, "unorm16x"},
    {CU_AD_FORMAT_SNORM_INT8X1, 1, true, "snorm8x"},
    {CU_AD_FORMAT_SNORM_INT8X2, 2, true, "snorm8x"},
    {CU_AD_FORMAT_SNORM_INT8X4, 4, true, "snorm8x"},
    {CU_AD_FORMAT_SNORM_INT16X1, 2, true, "snorm16x"},
    {CU_AD_FORMAT_SNORM_INT16X2, 4, true, "snorm16x"},
    {CU_AD_FORMAT_SNORM_INT16X4, 8, true, "snorm16x"},
    {CU_AD_FORMAT_BC1_UNORM, 8, true, "bc1-"},
    {CU_AD_FORMAT_BC1_UNORM_SRGB, 8, true, "bc1srgb-"},
    {CU_AD_FORMAT_BC2_UNORM, 16, true, "bc2-"},
    {CU_AD_FORMAT_BC2_UNORM_SRGB, 16, true, "bc2srgb-"},
    {CU_AD_FORMAT_BC3_UNORM, 16, true, "bc3-"},
    {CU_AD_FORMAT_BC3_UNORM_SRGB, 16, true, "bc3srgb-"},
    {CU_AD_FORMAT_BC4_UNORM, 8, true, "bc4u-"},
    {CU_AD_FORMAT_BC4_SNORM, 8, true, "bc4s-"},
    {CU_AD_FORMAT_BC5_UNORM, 16, true, "bc5u-"},
    {CU_AD_FORMAT_BC5_SNORM, 16, true, "bc5s-"},
    {CU_AD_FORMAT_BC6H_UF16, 16, true, "bc6hu-"},
    {CU_AD_FORMAT_BC6H_SF16, 16, true, "bc6hs-"},
    {CU_AD_FORMAT_BC7_UNORM, 16, true, "bc7-"},
    {CU_AD_FORMAT_BC7_UNORM_SRGB, 16, true, "bc7srgb-"},
    {CU_AD_FORMAT_NV12, 1, false, "nv12-"},
    {CU_AD_FORMAT_P010, 2, false, "p010-"},
    {CU_AD_FORMAT_P016, 2, false, "p016-"},
    {CU_AD_FORMAT_NV16, 1, false, "nv16-"},
    {CU_AD_FORMAT_P210, 2, false, "p210-"},
    {CU_AD_FORMAT_P216, 2, false, "p216-"},
    {CU_AD_FORMAT_YUV444_8bit_SemiPlanar, 1, false, "yuv444-8-"},
    {CU_AD_FORMAT_YUV444_16bit_SemiPlanar, 2, false, "yuv444-16-"},
    {CU_AD_FORMAT_Y444_PLANAR8, 1, false, "y444p8-"},
    {CU_AD_FORMAT_Y444_PLANAR10, 2, false, "y444p10-"},
    {CU_AD_FORMAT_YUY2, 4, true, "yuy2-"},
    {CU_AD_FORMAT_Y210, 4, true, "y210-"},
    {CU_AD_FORMAT_Y216, 4, true, "y216-"},
    {CU_AD_FORMAT_AYUV, 4, true, "ayuv-"},
    {CU_AD_FORMAT_Y410, 4, true, "y410-"},
    {CU_AD_FORMAT_Y416, 8, true, "y416-"},
};

static unsigned format_row(CUarray_format format)
{
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format)
            return i;
    abort();
}

const char *format_name(CUarray_format format)
{
    return formats[format_row(format)].name;
}

unsigned format_block(CUarray_format format)
{
    return format >= CU_AD_FORMAT_BC1_UNORM && format <= CU_AD_FORMAT_BC7_UNORM_SRGB ? 4 : 1;
}

unsigned element_bytes(CUarray_format format, unsigned channels)
{
    unsigned row = format_row(format);

    return formats[row].bytes * (formats[row].fixed ? 1 : channels);
}

/* What a plane holds: brightness, or two colours, or one of three. */
CUarray_format plane_format(const struct sample *sample, unsigned *channels)
{
    if (sample->plane < 0) {
        *channels = sample->channels;
        return sample->format;
    }
    bool planar =
        sample->format == CU_AD_FORMAT_Y444_PLANAR8 || sample->format == CU_AD_FORMAT_Y444_PLANAR10;
    *channels = sample->plane == 0 || planar ? 1 : 2;
    return formats[format_row(sample->format)].bytes == 1 ? CU_AD_FORMAT_UNSIGNED_INT8
                                                          : CU_AD_FORMAT_UNSIGNED_INT16;
}

static unsigned shrunk(unsigned extent, unsigned level)
{
    return extent >> level ? extent >> level : 1;
}

static bool is_layered(enum geometry geometry)
{
    return geometry > G_3D;
}

struct extent level_extent(const struct sample *sample, unsigned level)
{
    unsigned channels, block = format_block(sample->format);
    CUarray_format format = plane_format(sample, &channels);
    struct extent e = {.width = shrunk(sample->width, level),
                       .height = shrunk(sample->height, level),
                       .depth = is_layered(sample->geometry) ? sample->depth
                                                             : shrunk(sample->depth, level)};

    if (sample->plane > 0 && channels == 2) {
        bool half = sample->format == CU_AD_FORMAT_NV12 || sample->format == CU_AD_FORMAT_P010 ||
                    sample->format == CU_AD_FORMAT_P016;
        bool full = sample->format == CU_AD_FORMAT_YUV444_8bit_SemiPlanar ||
                    sample->format == CU_AD_FORMAT_YUV444_16bit_SemiPlanar;
        e.width /= full ? 1 : 2;
        e.height /= half ? 2 : 1;
    }
    e.width = (e.width + block - 1) / block;
    e.height = (e.height + block - 1) / block;
    if (!e.depth)
        e.depth = 1;
    e.row_bytes = e.width * element_bytes(format, channels);
    e.bytes = (size_t)e.row_bytes * e.height * e.depth;
    return e;
}

static uint64_t state;

static uint32_t next(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint32_t x = (uint32_t)(state >> 32);
    x ^= x >> 15;
    return x * 2654435769u ^ (uint32_t)state >> 16;
}

static void seed(const char *text, unsigned more)
{
    state = 14695981039346656037u + more;
    for (; *text; text++)
        state = (state ^ (unsigned char)*text) * 1099511628211u;
    next();
    next();
}

static float next_float(float low, float high)
{
    return low + (high - low) * (float)(next() >> 8) * 0x1p-24f;
}

static uint16_t half_of(float value)
{
    if (value == 0)
        return 0;
    uint32_t bits;
    memcpy(&bits, &value, 4);
    int exponent = (int)(bits >> 23 & 255) - 112;
    return (uint16_t)(bits >> 16 & 0x8000) |
           (exponent <= 0 ? 0 : (uint16_t)(exponent << 10 | (bits >> 13 & 1023)));
}

static uint32_t channel_value(const struct sample *s, CUarray_format format, uint32_t index,
                              uint32_t count)
{
    bool is_float = format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF;
    bool is_signed = format == CU_AD_FORMAT_SIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT16 ||
                     format == CU_AD_FORMAT_SIGNED_INT32;
    float value;
    uint32_t bits;

    if (s->content == CONTENT_INDEX || s->content == CONTENT_COUNT)
        bits = s->content == CONTENT_INDEX ? index : count, value = (float)bits;
    else if (s->content == CONTENT_HOT)
        bits = count == s->hot, value = (float)bits;
    else if (s->content == CONTENT_STEPS)
        bits = count & 1   ? is_signed ? 0x7f7f7f7f : 0xffffffff
               : is_signed ? 0x80808080
                           : 0,
        value = (float)(count & 1);
    else
        bits = next(), value = next_float(-1, 3), value *= next() % 4 ? 1 : next_float(0, 0.01f);
    if (!is_float || s->content == CONTENT_BITS)
        return bits;
    if (format == CU_AD_FORMAT_HALF)
        return half_of(value);
    memcpy(&bits, &value, 4);
    return bits;
}

/* The low bits say which of 8 modes a block of BC7 is in; of BC6H's, 5 bits. */
static void blocks_fill(const struct sample *s, unsigned char *bytes, size_t size)
{
    unsigned mode = 0;

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(next() >> 8);
    for (size_t i = 0; i + 16 <= size; i += 16, mode = (mode + 1) % 64) {
        if (s->format == CU_AD_FORMAT_BC7_UNORM || s->format == CU_AD_FORMAT_BC7_UNORM_SRGB)
            bytes[i] = (unsigned char)(bytes[i] << (mode % 8 + 1) | 1 << mode % 8);
        else if (s->format == CU_AD_FORMAT_BC6H_UF16 || s->format == CU_AD_FORMAT_BC6H_SF16)
            bytes[i] = (unsigned char)((bytes[i] & ~31u) | mode % 32);
        else if (s->format == CU_AD_FORMAT_BC1_UNORM && mode % 8 == 0)
            memcpy(bytes + i, bytes + i + 2, 2); /* equal colours */
        if (mode == 63 && s->format == CU_AD_FORMAT_BC7_UNORM)
            bytes[i] = 0;
    }
}

void level_fill(const struct sample *sample, unsigned level, unsigned char *bytes)
{
    struct extent e = level_extent(sample, level);
    unsigned channels;
    CUarray_format format = plane_format(sample, &channels);
    uint32_t count = 0;
    unsigned char *at = bytes;

    for (unsigned i = 0; i < level && sample->content == CONTENT_HOT; i++)
        count += (uint32_t)(level_extent(sample, i).bytes / element_bytes(format, channels));

    seed("content",
         (unsigned)format * 64 + channels * 8 + level + (unsigned)sample->content * 7919);
    if (sample->content == CONTENT_BLOCKS || format_block(format) > 1 ||
        formats[format_row(format)].fixed) {
        blocks_fill(sample, bytes, e.bytes);
        return;
    }
    unsigned size = formats[format_row(format)].bytes;
    for (unsigned z = 0; z < e.depth; z++)
        for (unsigned y = 0; y < e.height; y++)
            for (unsigned x = 0; x < e.width; x++, count++)
                for (unsigned c = 0; c < channels; c++, at += size) {
                    uint32_t value = channel_value(
                        sample, format, x + 32 * y + 1024 * z + 8192 * level + c, count + c);
                    memcpy(at, &value, size);
                }
}

/* In texels, of an extent n. */
static float special_place(unsigned which, float n)
{
    const float places[] = {0,
                            0.5f,
                            1,
                            n - 0.5f,
                            n,
                            n + 0.5f,
                            -0.5f,
                            -1,
                            -n,
                            -n - 0.5f,
                            2 * n,
                            2 * n + .5f,
                            2 * n - .5f,
                            3 * n + .25f,
                            n / 2,
                            n - 1,
                            n - 1.5f,
                            1e-40f,
                            -1e-40f,
                            -1e-7f,
                            0.25f,
                            0.49999997f,
                            0.50195f,
                            1e6f,
                            -1e6f,
                            16777216.f,
                            1e9f,
                            -1e9f,
                            -0.f,
                            1e30f,
                            -1e30f,
                            INFINITY,
                            -INFINITY,
                            NAN,
                            1.5f,
                            n - 2,
                            -2 * n,
                            -3 * n,
                            nextafterf(n, 0),
                            nextafterf(n, 2 * n),
                            4e9f,
                            -4e9f,
                            2147483647.f,
                            0.998046875f,
                            0.501953125f};

    return places[which];
}
enum { SPECIAL_PLACES = 45 };

static int32_t special_integer(unsigned which, int n)
{
    const int32_t places[] = {0,      1,       n - 1,   n,         n + 1,     -1,        -2,
                              -n,     -n - 1,  2 * n,   2 * n - 1, INT32_MAX, INT32_MIN, n / 2,
                              100000, -100000, 1 << 24, -3 * n,    3 * n,     65536};

    return places[which];
}
enum { SPECIAL_INTEGERS = 20 };

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, 4);
    return bits;
}

static float stepped(float value, int steps)
{
    for (; steps > 0; steps--)
        value = nextafterf(value, INFINITY);
    for (; steps < 0; steps++)
        value = nextafterf(value, -INFINITY);
    return value;
}

static uint32_t place_float(const struct sample *s, unsigned axis, unsigned lane, unsigned n)
{
    bool normalized = s->texture.flags & CU_TRSF_NORMALIZED_COORDINATES;
    float extent = (float)n, scale = normalized ? extent : 1, value;
    unsigned turn = lane / SPECIAL_PLACES;

    switch (s->places) {
    case PLACES_SWEEP:
        return bits_of((0.25f + (float)lane / 4096 + (axis ? 0.37f * axis : 0)) / scale);
    case PLACES_TEXELS: {
        unsigned w = s->width, h = s->height ? s->height : 1;
        unsigned at = axis == 0 ? lane % w : axis == 1 ? lane / w % h : lane / w / h;
        return bits_of(((float)at + 0.5f) / scale);
    }
    case PLACES_EDGES:
        value = (float)(next() % (2 * n + 1)) * 0.5f;
        if (next() % 4 == 0)
            value += (float)(next() % 257) / 256;
        return bits_of(stepped(value / scale, (int)(next() % 9) - 4));
    case PLACES_INSIDE:
        return bits_of(next_float(0, extent) / scale);
    default:
        break;
    }
    if (turn == axis)
        return bits_of(special_place(lane % SPECIAL_PLACES, extent) / scale);
    if (lane % 2)
        value = next_float(-1.2f * extent, 2.2f * extent);
    else
        value = (float)(next() % (n * 512)) / 512;
    if (turn < 3)
        value = next_float(0, extent);
    return bits_of(value / scale);
}

static uint32_t place_cube(unsigned axis, unsigned lane)
{
    static const float special[] = {1,        -1,        0,   -0.f,   0.5f,  -0.5f,
                                    INFINITY, -INFINITY, NAN, 1e-40f, 1e30f, 2};
    uint32_t random = next();

    if (lane < 27) /* all corners, edges and middles of faces */
        return bits_of((float)((int)(lane / (axis == 0 ? 1 : axis == 1 ? 3 : 9)) % 3 - 1));
    if (lane < 60)
        return bits_of(special[random % 12]);
    if (lane < 90)
        return bits_of(special[random % 6] * (1 + (float)((int)(random >> 8 & 3) - 1) * 0x1p-10f));
    return bits_of(next_float(-1, 1));
}

static uint32_t place_level(const struct sample *s, unsigned lane)
{
    const float top = (float)s->levels;
    const float special[] = {0,      -1,       0.25f,   0.5f,  0.499f, 0.501f,    0.75f,    1,
                             1.5f,   2,        top - 1, top,   100,    -INFINITY, INFINITY, NAN,
                             0.001f, 0.00195f, 0.0039f, 0.99f, 0.998f, 0.9999f,   1.25f,    -0.25f};

    if (lane % 160 < 24)
        return bits_of(special[lane % 160]);
    return bits_of(lane % 2 ? next_float(-0.5f, top + 0.5f)
                            : (float)(next() % (unsigned)(top * 512)) / 512);
}

static uint32_t place_gradient(const struct sample *s, unsigned lane, unsigned axis, unsigned n)
{
    bool normalized = s->texture.flags & CU_TRSF_NORMALIZED_COORDINATES;
    int exponent = (int)(next() % 8) - 2;
    float value = ldexpf(next_float(-1, 1), exponent);

    if (lane % 8 == 0)
        value = axis == 0 ? (float)(1 << lane / 8 % 5) : 0; /* exactly a level */
    else if (lane % 8 == 1)
        value = axis == 0 ? 1 + (float)(lane / 8 % 16) / 4 : 0;
    else if (lane % 8 == 2 && axis)
        value = 0;
    return bits_of(normalized ? value / (float)n : value);
}

static unsigned at_least_1(unsigned value)
{
    return value ? value : 1;
}

void operands_fill(const struct sample *s, uint32_t *inputs)
{
    unsigned unit =
        s->operation == OP_SAMPLE || s->formatted ? 1 : element_bytes(s->format, s->channels);
    unsigned n[3] = {s->width, at_least_1(s->height), at_least_1(s->depth)};
    bool cube = s->asked == G_CUBE || s->asked == G_CUBE_LAYERED;

    seed(s->name, 0);
    for (unsigned lane = 0; lane < s->lanes; lane++) {
        for (unsigned axis = 0; axis < 3; axis++) {
            uint32_t *to = &inputs[axis * s->lanes + lane];
            if (s->operation != OP_SAMPLE || s->integer_coordinates) {
                bool special = lane / SPECIAL_INTEGERS == axis && s->places == PLACES_MIXED;
                *to = special ? (uint32_t)special_integer(lane % SPECIAL_INTEGERS, (int)n[axis])
                              : next() % (lane < 60 || s->places != PLACES_MIXED ? n[axis]
                                                                                 : n[axis] * 3) -
                                    (lane < 60 || s->places != PLACES_MIXED ? 0 : n[axis]);
                if (axis == 0)
                    *to *= unit;
            } else {
                *to = cube ? place_cube(axis, lane) : place_float(s, axis, lane, n[axis]);
            }
            inputs[(OPERAND_GRADIENT_X + axis) * s->lanes + lane] =
                place_gradient(s, lane, axis, n[axis]);
            inputs[(OPERAND_GRADIENT_Y + axis) * s->lanes + lane] =
                place_gradient(s, lane + 4, axis, n[axis]);
        }
        inputs[OPERAND_LAYER * s->lanes + lane] = lane % 32 == 31
                                                      ? (lane & 32 ? 0xffffffff : 0x80000000 | lane)
                                                      : next() % (at_least_1(s->depth) + 1);
        inputs[OPERAND_LEVEL * s->lanes + lane] = place_level(s, lane);
        for (unsigned i = 0; i < 4; i++)
            inputs[(OPERAND_VALUE + i) * s->lanes + lane] = next();
    }
}

size_t answer_bytes(const struct sample *s)
{
    return s->operation == OP_STORE || s->operation == OP_REDUCE ? level_extent(s, 0).bytes
                                                                 : (size_t)s->lanes * WORDS * 4;
}
