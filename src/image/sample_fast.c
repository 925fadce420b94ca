/* SPDX-License-Identifier: MIT */
/* Fast samplers for the most frequent cases, 32 lanes at a time: 8-bit normalised values and floats
 * in one and two dimensions, point and linear filtering, with clamp, wrap and border addressing.
 *
 * All work is done in loops over all 32 lanes of small arrays that the compiler vectorises; lanes
 * outside the mask compute harmless values that are not stored. The results equal those of
 * sample_general.c bit for bit: cases that would need a branch (distant exponents, NaN) fall back
 * to it. */
#include "image/view.h"

#include <string.h>

enum { LANES = 32 };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The texels along one axis and the weight of the second. Bit 0 of `outside` is set if the first
 * texel is the border's, bit 1 if the second is. */
struct axis {
    int32_t first[LANES], second[LANES];
    uint32_t weight[LANES];
    uint8_t outside[LANES];
};

/* Four lanes. Explicit vectors: the compiler does not vectorise loops with float comparisons. */
typedef float floats __attribute__((vector_size(16)));
typedef int32_t ints __attribute__((vector_size(16)));
enum { WIDE = 4 };

ALWAYS_INLINE floats load_floats(const void *from)
{
    floats value;

    memcpy(&value, from, sizeof(value));
    return value;
}

ALWAYS_INLINE ints load_ints(const void *from)
{
    ints value;

    memcpy(&value, from, sizeof(value));
    return value;
}

ALWAYS_INLINE floats choose(ints which, floats yes, floats no)
{
    return (floats)((which & (ints)yes) | (~which & (ints)no));
}

/* Clamps to the range of a conversion to int; NaN and subnormals become zero. */
ALWAYS_INLINE floats clamp_finite(floats value, float limit)
{
    ints magnitude = (ints)value & 0x7fffffff;
    floats most;

    value = (floats)((ints)value & (magnitude >= 0x00800000) & (magnitude <= 0x7f800000));
    most = choose(value < limit, value, (floats){limit, limit, limit, limit});
    return choose(most > -limit, most, (floats){-limit, -limit, -limit, -limit});
}

ALWAYS_INLINE ints floor_of(floats value)
{
    ints whole = __builtin_convertvector(value, ints);

    return whole + (value < __builtin_convertvector(whole, floats)); /* true is -1 */
}

/* floor() as floats, for any magnitude. */
ALWAYS_INLINE floats floor_floats(floats value)
{
    ints small = ((ints)value & 0x7fffffff) < 0x4b000000; /* below 2^23 */
    floats near = (floats)((ints)value & small);

    return choose(small, __builtin_convertvector(floor_of(near), floats), value);
}

/* In 1/256 of a texel for linear filtering, otherwise in texels. */
ALWAYS_INLINE void positions(const uint32_t *coordinates, uint32_t extent, unsigned bits,
                             bool normalized, bool wraps, bool linear, int32_t *restrict at)
{
    float scale = (float)(1u << bits);
    int32_t fixed[LANES];

    for (unsigned i = 0; i < LANES; i += WIDE) {
        floats value = load_floats(coordinates + i);
        ints result;
        if (normalized && wraps) { /* the fractional part of an already truncated number */
            floats cut = floor_floats(clamp_finite(value, 0x1p100f) * scale);
            result = __builtin_convertvector(cut - floor_floats(cut * (1 / scale)) * scale, ints);
        } else if (normalized) {
            result = floor_of(clamp_finite(value, 4) * scale);
        } else if (linear) {
            floats fine = clamp_finite(value, 0x1p22f) * 256;
            ints whole = floor_of(fine);
            result = whole - 128 - (fine - __builtin_convertvector(whole, floats) >= 0.5f);
        } else {
            result = floor_of(clamp_finite(value, 0x1p30f));
        }
        memcpy((normalized ? fixed : at) + i, &result, sizeof(result));
    }
    if (!normalized)
        return;
    unsigned shift = linear ? bits - 8 : bits;
    int64_t half = linear ? (int64_t)1 << (shift - 1) : 0;
    for (unsigned i = 0; i < LANES; i++)
        at[i] =
            (int32_t)(((int64_t)fixed[i] * (int32_t)extent + half) >> shift) - (linear ? 128 : 0);
}

ALWAYS_INLINE int32_t clamped(int32_t at, int32_t last)
{
    at = at < last ? at : last;
    return at > 0 ? at : 0;
}

ALWAYS_INLINE void resolve(const int32_t *restrict at, uint32_t extent, uint8_t mode, bool linear,
                           struct axis *restrict axis)
{
    int32_t last = (int32_t)extent - 1, n = (int32_t)extent;

    for (unsigned i = 0; i < LANES; i++) {
        int32_t texel = linear ? at[i] >> 8 : at[i], next = texel + 1;
        if (mode == CU_TR_ADDRESS_MODE_WRAP) { /* `at` is from -1 to the extent */
            texel = texel < 0 ? texel + n : texel;
            texel = texel > last ? texel - n : texel;
            next = next > last ? next - n : next;
        }
        axis->first[i] = clamped(texel, last);
        if (linear) {
            axis->second[i] = clamped(next, last);
            axis->weight[i] = (uint32_t)at[i] & 255;
        }
        if (mode == CU_TR_ADDRESS_MODE_BORDER)
            axis->outside[i] =
                (uint8_t)((texel < 0 || texel > last) | (next < 0 || next > last) << 1);
    }
}

ALWAYS_INLINE void axis_init(const struct cup_view *view, const struct cup_texture_request *request,
                             unsigned number, bool linear, struct axis *axis)
{
    const struct cup_view_level *level = &view->levels[0];
    uint32_t extent = number ? level->height : level->width;
    uint32_t larger = level->width > level->height ? level->width : level->height;
    unsigned bits = larger > 65536 ? 23 : larger > 8192 ? 22 : 21;
    bool wraps = view->address[number] == CU_TR_ADDRESS_MODE_WRAP;
    const uint32_t *coordinates = request->coordinates[number];
    int32_t at[LANES];

    if (view->normalized && wraps)
        positions(coordinates, extent, bits, true, true, linear, at);
    else if (view->normalized)
        positions(coordinates, extent, bits, true, false, linear, at);
    else
        positions(coordinates, extent, bits, false, false, linear, at);
    if (wraps)
        resolve(at, extent, CU_TR_ADDRESS_MODE_WRAP, linear, axis);
    else if (view->address[number] == CU_TR_ADDRESS_MODE_BORDER)
        resolve(at, extent, CU_TR_ADDRESS_MODE_BORDER, linear, axis);
    else
        resolve(at, extent, CU_TR_ADDRESS_MODE_CLAMP, linear, axis);
}

/* float(value / 65535) rounded to nearest, for 16-bit values. */
ALWAYS_INLINE float unorm(uint32_t value)
{
    float whole = (float)(int32_t)value;

    return whole * 0x1p-16f + whole * 0x1.0001p-32f;
}

/* Stores the lanes of the mask. */
ALWAYS_INLINE void store(const struct cup_texture_request *request, unsigned c,
                         const void *restrict values)
{
    const uint32_t *words = values;

    if (c >= request->components)
        return;
    if (request->mask == 0xffffffff) {
        memcpy(request->results[c], words, LANES * sizeof(*words));
        return;
    }
    for (uint32_t mask = request->mask; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        request->results[c][lane] = words[lane];
    }
}

static void store_zero(const struct cup_texture_request *request, unsigned from)
{
    static const uint32_t zeros[LANES];

    for (unsigned c = from; c < request->components; c++)
        store(request, c, zeros);
}

/* Loads up to 4 bytes of an element. */
ALWAYS_INLINE uint32_t element(const uint8_t *base, size_t offset, unsigned bytes)
{
    uint32_t value = 0;

    memcpy(&value, base + offset, bytes);
    return value;
}

/* Loads words of the texels at (column, row). If the lanes are consecutive in a row, the common
 * case, this is one copy. */
ALWAYS_INLINE void fetch(const struct cup_view_level *level, const int32_t *restrict columns,
                         const int32_t *restrict rows, unsigned bytes, unsigned skip, unsigned size,
                         uint32_t *restrict words)
{
    for (unsigned i = 0; i < LANES; i++) {
        size_t at = (size_t)(uint32_t)columns[i] * bytes + skip;
        if (rows)
            at += (size_t)(uint32_t)rows[i] * level->row_bytes;
        words[i] = element(level->base, at, size);
    }
}

/* True if the lanes read consecutive texels of a row. */
ALWAYS_INLINE bool are_consecutive(const int32_t *restrict columns, const int32_t *restrict rows)
{
    ints other = {0, 0, 0, 0}, number = {0, 1, 2, 3};

    for (unsigned i = 0; i < LANES; i += WIDE) {
        other |= (load_ints(columns + i) - columns[0]) ^ number;
        if (rows)
            other |= load_ints(rows + i) ^ rows[0];
        number += WIDE;
    }
    return (other[0] | other[1] | other[2] | other[3]) == 0;
}

/* Replaces texels outside the image with the border colour. */
ALWAYS_INLINE void border(const struct cup_view *view, const struct axis *x, const struct axis *y,
                          unsigned x_bit, unsigned y_bit, uint32_t value, uint32_t *restrict words)
{
    if (view->address[0] == CU_TR_ADDRESS_MODE_BORDER)
        for (unsigned i = 0; i < LANES; i++)
            words[i] = x->outside[i] & x_bit ? value : words[i];
    if (y && view->address[1] == CU_TR_ADDRESS_MODE_BORDER)
        for (unsigned i = 0; i < LANES; i++)
            words[i] = y->outside[i] & y_bit ? value : words[i];
}

/* The border colour packed as bytes. */
static uint32_t border_bytes(const struct cup_view *view)
{
    uint32_t bytes = 0;

    for (unsigned c = 0; c < view->format.channels; c++)
        bytes |=
            (view->format.kind == CUP_TEXEL_RAW ? view->border.u[c] & 255 : view->border.u[c] / 257)
            << 8 * c;
    return bytes;
}

ALWAYS_INLINE void store_bytes(const struct cup_texture_request *request, unsigned channels,
                               const uint32_t *restrict texels, bool raw)
{
    for (unsigned c = 0; c < channels; c++) {
        uint32_t words[LANES];
        float values[LANES];
        for (unsigned i = 0; i < LANES; i++) {
            words[i] = texels[i] >> 8 * c & 255;
            values[i] = unorm(words[i] * 257);
        }
        store(request, c, raw ? (const void *)words : values);
    }
    store_zero(request, channels);
}

/* Point sampling without conversion: `bytes` of each texel, in words of up to 4 bytes. */
ALWAYS_INLINE void point(const struct cup_view *view, const struct cup_texture_request *request,
                         unsigned axes, unsigned channels, unsigned size, bool raw)
{
    const struct cup_view_level *level = &view->levels[0];
    struct axis x, y;
    uint32_t words[LANES];
    const int32_t *rows = NULL;
    unsigned bytes = channels * size;

    axis_init(view, request, 0, false, &x);
    if (axes == 2) {
        axis_init(view, request, 1, false, &y);
        rows = y.first;
    }
    if (size == 1) {
        fetch(level, x.first, rows, bytes, 0, bytes, words);
        border(view, &x, axes == 2 ? &y : NULL, 1, 1, border_bytes(view), words);
        store_bytes(request, channels, words, raw);
        return;
    }
    bool run = channels == 1 && are_consecutive(x.first, rows);
    for (unsigned c = 0; c < channels; c++) {
        if (run)
            memcpy(words,
                   level->base + (size_t)(uint32_t)x.first[0] * bytes +
                       (rows ? (size_t)(uint32_t)rows[0] * level->row_bytes : 0),
                   sizeof(words));
        else
            fetch(level, x.first, rows, bytes, c * size, size, words);
        border(view, &x, axes == 2 ? &y : NULL, 1, 1, view->border.u[c], words);
        store(request, c, words);
    }
    store_zero(request, channels);
}

/* The weights of 2 x 2 texels, as weights_2d() in sample_general.c computes them. */
struct weights {
    uint32_t of[4][LANES];
};

ALWAYS_INLINE void weights_init(const struct axis *x, const struct axis *y, unsigned axes,
                                struct weights *restrict weights)
{
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t right = x->weight[i], low = axes == 2 ? y->weight[i] : 0;
        uint32_t both = (right * low + 128) >> 8;
        weights->of[0][i] = 256 - right - low + both;
        weights->of[1][i] = right - both;
        weights->of[2][i] = low - both;
        weights->of[3][i] = both;
    }
}

/* Loads the four texels of each lane; in one dimension, the two of a row. */
ALWAYS_INLINE void fetch_quad(const struct cup_view *view, const struct axis *x,
                              const struct axis *y, unsigned axes, unsigned bytes, unsigned skip,
                              unsigned size, uint32_t outside, uint32_t words[4][LANES])
{
    const struct cup_view_level *level = &view->levels[0];
    const int32_t *upper = axes == 2 ? y->first : NULL, *lower = axes == 2 ? y->second : NULL;

    fetch(level, x->first, upper, bytes, skip, size, words[0]);
    fetch(level, x->second, upper, bytes, skip, size, words[1]);
    border(view, x, axes == 2 ? y : NULL, 1, 1, outside, words[0]);
    border(view, x, axes == 2 ? y : NULL, 2, 1, outside, words[1]);
    if (axes < 2)
        return;
    fetch(level, x->first, lower, bytes, skip, size, words[2]);
    fetch(level, x->second, lower, bytes, skip, size, words[3]);
    border(view, x, y, 1, 2, outside, words[2]);
    border(view, x, y, 2, 2, outside, words[3]);
}

/* Linear filtering of 8-bit normalised values. The halves of a word hold two channels: a weighted
 * sum of bytes has at most 16 bits, and so has the sum times 257 / 256, rounded. */
ALWAYS_INLINE void linear_bytes(const struct cup_view *view,
                                const struct cup_texture_request *request, unsigned axes,
                                unsigned channels)
{
    struct axis x, y;
    struct weights weights;
    uint32_t words[4][LANES], sums[2][LANES];
    unsigned texels = axes == 2 ? 4 : 2;

    axis_init(view, request, 0, true, &x);
    if (axes == 2)
        axis_init(view, request, 1, true, &y);
    weights_init(&x, &y, axes, &weights);
    fetch_quad(view, &x, &y, axes, channels, 0, channels, border_bytes(view), words);
    for (unsigned odd = 0; odd < (channels > 1 ? 2u : 1u); odd++)
        for (unsigned i = 0; i < LANES; i++) {
            uint32_t sum = 0;
            for (unsigned t = 0; t < texels; t++)
                sum += (words[t][i] >> 8 * odd & 0xff00ff) * weights.of[t][i];
            /* Add the upper byte to each half, rounded. */
            sums[odd][i] = sum + ((sum >> 8 & 0xff00ff) + (sum >> 7 & 0x10001));
        }
    for (unsigned c = 0; c < channels; c++) {
        float values[LANES];
        for (unsigned i = 0; i < LANES; i++)
            values[i] = unorm(sums[c & 1][i] >> 16 * (c >> 1) & 0xffff);
        store(request, c, values);
    }
    store_zero(request, channels);
}

/* Filters one channel of floats. Returns false if some lane needs the general sampler. filter.c has
 * the rule. */
ALWAYS_INLINE bool float_sums(uint32_t words[4][LANES], const struct weights *weights,
                              unsigned texels, uint32_t mask, float *restrict values)
{
    uint32_t largest[LANES];
    int32_t far[LANES];
    uint32_t any = 0;

    for (unsigned i = 0; i < LANES; i++) {
        uint32_t most = 0;
        for (unsigned t = 0; t < texels; t++) {
            uint32_t exponent = weights->of[t][i] ? words[t][i] & 0x7f800000 : 0;
            most = exponent > most ? exponent : most;
        }
        largest[i] = most;
        far[i] = (most < 64u << 23 && most) || most > 253u << 23;
    }
    for (unsigned i = 0; i < LANES; i++)
        any |= (uint32_t)(far[i] != 0) << i;
    if (any & mask)
        return false;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t most = largest[i] ? largest[i] : 127u << 23, scale_bits, back_bits;
        float scale, back;
        double sum = 0;
        scale_bits = (281u << 23) - most; /* 2^27 for a texel of 1 */
        back_bits = most - (35u << 23);
        memcpy(&scale, &scale_bits, 4);
        memcpy(&back, &back_bits, 4);
        for (unsigned t = 0; t < texels; t++) {
            float texel;
            uint32_t bits = weights->of[t][i] ? words[t][i] : 0;
            memcpy(&texel, &bits, 4);
            sum += (double)(int32_t)(texel * scale) * (double)(int32_t)weights->of[t][i];
        }
        /* A factor slightly above 1 rounds halves away from zero. */
        values[i] = (float)(sum * (1 + 0x1p-52)) * back;
    }
    return true;
}

ALWAYS_INLINE void linear_floats(const struct cup_view *view,
                                 const struct cup_texture_request *request, unsigned axes,
                                 unsigned channels)
{
    struct axis x, y;
    struct weights weights;
    uint32_t words[4][LANES];
    float values[4][LANES];

    axis_init(view, request, 0, true, &x);
    if (axes == 2)
        axis_init(view, request, 1, true, &y);
    weights_init(&x, &y, axes, &weights);
    for (unsigned c = 0; c < channels; c++) {
        fetch_quad(view, &x, &y, axes, channels * 4, c * 4, 4, view->border.u[c], words);
        if (!float_sums(words, &weights, axes == 2 ? 4 : 2, request->mask, values[c])) {
            cup_sample_general(view, request);
            return;
        }
    }
    for (unsigned c = 0; c < channels; c++)
        store(request, c, values[c]);
    store_zero(request, channels);
}

/* One function per case, so that everything except the address modes is a compile-time constant. */
#define SAMPLERS(axes, channels)                                                                   \
    static void point_bytes_##axes##_##channels(const struct cup_view *view,                       \
                                                const struct cup_texture_request *request)         \
    {                                                                                              \
        point(view, request, axes, channels, 1, false);                                            \
    }                                                                                              \
    static void point_raw_##axes##_##channels(const struct cup_view *view,                         \
                                              const struct cup_texture_request *request)           \
    {                                                                                              \
        point(view, request, axes, channels, 1, true);                                             \
    }                                                                                              \
    static void point_words_##axes##_##channels(const struct cup_view *view,                       \
                                                const struct cup_texture_request *request)         \
    {                                                                                              \
        point(view, request, axes, channels, 4, true);                                             \
    }                                                                                              \
    static void linear_bytes_##axes##_##channels(const struct cup_view *view,                      \
                                                 const struct cup_texture_request *request)        \
    {                                                                                              \
        linear_bytes(view, request, axes, channels);                                               \
    }                                                                                              \
    static void linear_floats_##axes##_##channels(const struct cup_view *view,                     \
                                                  const struct cup_texture_request *request)       \
    {                                                                                              \
        linear_floats(view, request, axes, channels);                                              \
    }
SAMPLERS(1, 1)
SAMPLERS(1, 2)
SAMPLERS(1, 4)
SAMPLERS(2, 1)
SAMPLERS(2, 2)
SAMPLERS(2, 4)

enum { POINT_BYTES, POINT_RAW, POINT_WORDS, LINEAR_BYTES, LINEAR_FLOATS, VARIANTS };

#define ROW(axes, channels)                                                                        \
    {                                                                                              \
        point_bytes_##axes##_##channels, point_raw_##axes##_##channels,                            \
            point_words_##axes##_##channels, linear_bytes_##axes##_##channels,                     \
            linear_floats_##axes##_##channels                                                      \
    }
static const cup_view_sampler samplers[2][3][VARIANTS] = {{ROW(1, 1), ROW(1, 2), ROW(1, 4)},
                                                          {ROW(2, 1), ROW(2, 2), ROW(2, 4)}};

static int variant_of(const struct cup_view *view)
{
    const struct cup_texel_format *format = &view->format;
    unsigned size = format->channels ? format->bytes / format->channels : 0;

    if (format->block != 1 || format->opaque || format->channels == 3)
        return -1;
    if (format->kind == CUP_TEXEL_UNORM && size == 1 && format->channel_bits == 8)
        return view->linear ? LINEAR_BYTES : POINT_BYTES;
    if (format->kind == CUP_TEXEL_RAW && size == 1 && !format->is_signed && !view->linear)
        return POINT_RAW;
    if (format->kind == CUP_TEXEL_FLOAT)
        return view->linear ? LINEAR_FLOATS : POINT_WORDS;
    if (format->kind == CUP_TEXEL_RAW && size == 4 && !view->linear)
        return POINT_WORDS;
    return -1;
}

cup_view_sampler cup_sample_fast(const struct cup_view *view)
{
    unsigned axes = view->geometry == CUP_GEOMETRY_1D ? 1 : 2, columns = view->format.channels / 2u;
    int variant = variant_of(view);

    if (view->geometry > CUP_GEOMETRY_2D || view->is_buffer || view->level_count > 1 || variant < 0)
        return NULL;
    for (unsigned i = 0; i < axes; i++) {
        if (view->address[i] == CU_TR_ADDRESS_MODE_MIRROR || view->levels[0].width > 1 << 20)
            return NULL;
    }
    /* In one dimension the border also contributes along y. */
    if (axes == 1 && view->linear && view->address[1] == CU_TR_ADDRESS_MODE_BORDER)
        return NULL;
    return samplers[axes - 1][columns][variant];
}
