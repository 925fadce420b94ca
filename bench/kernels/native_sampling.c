/* SPDX-License-Identifier: MIT */
/* Compiled with -O3 -march=native -fopenmp -ffp-contract=off; see native_sampling.h. Everything
 * that a texture object says is a constant of the function: what somebody would write for one
 * texture. */
#include "native_sampling.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Two texels of an axis, and the weight of the second in 1/256. */
struct axis {
    int first, second, weight;
};

INLINE int clamped(int at, int n)
{
    return at < 0 ? 0 : at >= n ? n - 1 : at;
}

/* Coordinates in texels, clamped. */
INLINE struct axis axis_clamped(float x, int n, bool linear)
{
    if (!linear)
        return (struct axis){clamped((int)floorf(x), n), 0, 0};
    float fine = x * 256, whole = floorf(fine);
    int at = (int)whole - 128 + (fine - whole >= 0.5f);
    return (struct axis){clamped(at >> 8, n), clamped((at >> 8) + 1, n), at & 255};
}

/* Normalised coordinates, repeated. */
INLINE struct axis axis_wrapped(float x, int n, bool linear)
{
    int64_t cut = (int)floorf(x * 0x1p21f) & 0x1fffff;
    if (!linear)
        return (struct axis){(int)(cut * n >> 21), 0, 0};
    int at = (int)((cut * n + 4096) >> 13) - 128;
    int first = at >> 8, second = first + 1;
    return (struct axis){first < 0 ? n - 1 : first, second == n ? 0 : second, at & 255};
}

INLINE struct axis axis_of(float x, int n, bool linear, bool wraps)
{
    return wraps ? axis_wrapped(x, n, linear) : axis_clamped(x, n, linear);
}

INLINE float unorm(int value)
{
    float whole = (float)value;

    return whole * 0x1p-16f + whole * 0x1.0001p-32f;
}

INLINE float as_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, 4);
    return value;
}

INLINE uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, 4);
    return bits;
}

INLINE float half_float(uint16_t half)
{
    return as_float((uint32_t)(half & 0x8000) << 16 |
                    bits_of(as_float((uint32_t)(half & 0x7fff) << 13) * 0x1p112f));
}

/* Up to eight texels and their weights. */
struct box {
    long at[8];
    int weight[8], count;
};

INLINE void weigh(struct box *box, struct axis x, struct axis y, struct axis z, int dimensions)
{
    box->count = 1 << dimensions;
    for (int slice = 0; slice < 2; slice++) {
        int *w = box->weight + 4 * slice, whole = slice ? z.weight : 256 - z.weight;
        int right = (whole * x.weight + 128) >> 8, left = whole - right;
        w[2] = (left * y.weight + 127) >> 8;
        w[3] = (right * y.weight + 128) >> 8;
        w[0] = left - w[2];
        w[1] = right - w[3];
    }
}

INLINE void find_box(struct box *box, const struct native_image *image, float u, float v, float w,
                     int layer, int dimensions, bool wraps)
{
    struct axis x = axis_of(u, image->width, true, wraps), y = {0, 0, 0}, z = {layer, layer, 0};

    if (dimensions > 1)
        y = axis_of(v, image->height, true, wraps);
    if (dimensions > 2)
        z = axis_of(w, image->depth, true, wraps);
    weigh(box, x, y, z, dimensions);
    for (int i = 0; i < 8; i++) {
        long slice = i & 4 ? z.second : z.first, row = i & 2 ? y.second : y.first;
        box->at[i] = (slice * image->height + row) * image->width + (i & 1 ? x.second : x.first);
    }
}

/* A sum of floats: cut four bits below the last of the largest, rounded away from zero. */
INLINE double quad_of_floats(const float *texels, const struct box *box, int first, int channels,
                             int channel)
{
    uint32_t largest = 0;
    double sum = 0;
    int count = box->count < 4 ? box->count : 4;

    for (int i = first; i < first + count; i++) {
        uint32_t exponent = bits_of(texels[box->at[i] * channels + channel]) & 0x7f800000;
        exponent = box->weight[i] ? exponent : 0;
        largest = exponent > largest ? exponent : largest;
    }
    largest = largest ? largest : 127u << 23;
    float scale = as_float((281u << 23) - largest);
    for (int i = first; i < first + count; i++)
        sum += (double)(int)(texels[box->at[i] * channels + channel] * scale) * box->weight[i];
    return sum * as_float(largest - (27u << 23)); /* of weights */
}

INLINE float sum_of_floats(const float *texels, const struct box *box, int channels, int channel)
{
    double sum = quad_of_floats(texels, box, 0, channels, channel);
    uint64_t bits;

    if (box->count == 8)
        sum += quad_of_floats(texels, box, 4, channels, channel);
    sum *= 0x1p-8;
    memcpy(&bits, &sum, 8);
    bits = (bits + (1 << 28)) & ~((UINT64_C(1) << 29) - 1);
    memcpy(&sum, &bits, 8);
    return (float)sum;
}

INLINE float sum_of_bytes(const uint8_t *texels, const struct box *box, int channels, int channel)
{
    int sum = 0;

    for (int i = 0; i < box->count; i++)
        sum += texels[box->at[i] * channels + channel] * box->weight[i];
    return unorm((sum * 257 + 128) >> 8);
}

INLINE float sum_of_shorts(const uint16_t *texels, const struct box *box, int channels, int channel)
{
    int sum = 0;

    for (int i = 0; i < box->count; i++)
        sum += texels[box->at[i] * channels + channel] * box->weight[i];
    return unorm((sum + 128) >> 8);
}

/* Halves are cut to 15 bits and rounded to 11; in one dimension and two. */
INLINE float sum_of_halves(const uint16_t *texels, const struct box *box, int channels, int channel)
{
    int largest = 113, sum = 0;

    for (int i = 0; i < box->count; i++) {
        float value = half_float(texels[box->at[i] * channels + channel]);
        int exponent = box->weight[i] ? (int)(bits_of(value) >> 23 & 255) : 0;
        largest = exponent > largest ? exponent : largest;
    }
    for (int i = 0; i < box->count; i++) {
        float value = half_float(texels[box->at[i] * channels + channel]);
        sum += (int)(value * as_float((uint32_t)(268 - largest) << 23)) * box->weight[i];
    }
    float value = (float)sum * as_float((uint32_t)(largest - 22) << 23), size = fabsf(value);
    uint32_t normal = (bits_of(size) + (1 << 12)) & ~((1u << 13) - 1);
    float small = floorf(size * 0x1p24f + 0.5f) * 0x1p-24f;
    return copysignf(size < 0x1p-13f ? small : as_float(normal), value);
}

/* The mean of two levels, each half as large as the one before, of bytes. */
INLINE float sum_of_levels(const struct native_image *image, float u, float v, float level,
                           int channels)
{
    struct native_image second = {(const uint8_t *)image->texels +
                                      (long)channels * image->width * image->height,
                                  image->width / 2, image->height / 2, 1};
    int part = (int)(level * 256), far = part & 255;
    struct box near_box, far_box;
    float result = 0;

    find_box(&near_box, image, u, v, 0, 0, 2, true);
    find_box(&far_box, &second, u, v, 0, 0, 2, true);
    struct axis x = axis_of(u, image->width, true, true), y = axis_of(v, image->height, true, true);
    struct axis z = {0, 0, far};
    weigh(&near_box, x, y, z, 2);
    x = axis_of(u, second.width, true, true);
    y = axis_of(v, second.height, true, true);
    weigh(&far_box, x, y, z, 2);
    for (int c = 0; c < channels; c++) {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            sum += ((const uint8_t *)image->texels)[near_box.at[i] * channels + c] *
                   near_box.weight[i];
            sum += ((const uint8_t *)second.texels)[far_box.at[i] * channels + c] *
                   far_box.weight[4 + i];
        }
        result += unorm((sum * 257 + 128) >> 8);
    }
    return result;
}

/* The face that a direction meets, and the place on it. */
INLINE int cube_face(float x, float y, float z, float *u, float *v)
{
    float a = fabsf(x), b = fabsf(y), c = fabsf(z), most = fmaxf(a, fmaxf(b, c));
    bool on_z = c == most, on_y = !on_z && b == most, on_x = !on_z && !on_y;
    bool back = (on_x ? x : on_y ? y : z) < 0;
    float column = on_x ? (back ? z : -z) : on_z && back ? -x : x;
    float row = on_y ? (back ? -z : z) : -y;

    *u = (column / most + 1) * 0.5f;
    *v = (row / most + 1) * 0.5f;
    return (on_y ? 2 : on_z ? 4 : 0) + back;
}

#define TURNED                                                                                     \
    int column = i & (NATIVE_WIDTH - 1), row = i / NATIVE_WIDTH;                                   \
    float x = turn.xx * (float)column + turn.xy * (float)row,                                      \
          y = turn.yx * (float)column + turn.yy * (float)row,                                      \
          z = turn.zx * (float)column + turn.zy * (float)row;                                      \
    (void)x, (void)y, (void)z

#define NATIVE(name, ...)                                                                          \
    static void native_##name(const struct native_image *given, float *out,                        \
                              const struct native_turn *turned)                                    \
    {                                                                                              \
        const struct native_image image = *given;                                                  \
        const struct native_turn turn = *turned;                                                   \
        _Pragma("omp parallel for") for (int i = 0; i < NATIVE_PIXELS; i++)                        \
        {                                                                                          \
            TURNED;                                                                                \
            float result = 0;                                                                      \
            __VA_ARGS__;                                                                           \
            out[i] = result;                                                                       \
        }                                                                                          \
    }

/* Linear filtering of so many channels of a type. */
#define LINEAR(name, dimensions, type, sum, channels, layer, wraps)                                \
    NATIVE(name, {                                                                                 \
        struct box box;                                                                            \
        find_box(&box, &image, x, y, z, layer, dimensions, wraps);                                 \
        for (int c = 0; c < channels; c++)                                                         \
            result += sum((const type *)image.texels, &box, channels, c);                          \
    })
LINEAR(line_float, 1, float, sum_of_floats, 1, 0, false)
LINEAR(line_float4, 1, float, sum_of_floats, 4, 0, true)
LINEAR(lines_float4, 1, float, sum_of_floats, 4, i & 3, true)
LINEAR(float, 2, float, sum_of_floats, 1, 0, false)
LINEAR(float4, 2, float, sum_of_floats, 4, 0, false)
LINEAR(bytes4, 2, uint8_t, sum_of_bytes, 4, 0, true)
LINEAR(shorts, 2, uint16_t, sum_of_shorts, 1, 0, true)
LINEAR(halves4, 2, uint16_t, sum_of_halves, 4, 0, true)
LINEAR(layers_bytes4, 2, uint8_t, sum_of_bytes, 4, i & 3, true)
LINEAR(box_byte, 3, uint8_t, sum_of_bytes, 1, 0, true)
LINEAR(box_float, 3, float, sum_of_floats, 1, 0, true)

#define POINT(name, expression)                                                                    \
    NATIVE(name, {                                                                                 \
        int w = image.width, h = image.height, d = image.depth;                                    \
        (void)d, (void)w, (void)h;                                                                 \
        result = expression;                                                                       \
    })
#define WRAPPED(at, n) axis_wrapped(at, n, false).first
POINT(byte_point,
      unorm(257 * ((const uint8_t *)image.texels)[(long)WRAPPED(y, h) * w + WRAPPED(x, w)]))
POINT(box_byte_point,
      unorm(257 * ((const uint8_t *)image
                       .texels)[((long)WRAPPED(z, d) * h + WRAPPED(y, h)) * w + WRAPPED(x, w)]))
POINT(memory, ((const float *)image.texels)[(int)x < 0 || (int)x >= w ? 0 : (int)x])
POINT(surface_float3d,
      ((const float *)image
           .texels)[((long)clamped((int)z, d) * h + clamped((int)y, h)) * w + clamped((int)x, w)])
NATIVE(memory4, {
    const float *texel = (const float *)image.texels + 4 * clamped((int)x, image.width);
    result = texel[0] + texel[1] + texel[2] + texel[3];
})
NATIVE(surface_bytes4, {
    const uint8_t *texel =
        (const uint8_t *)image.texels +
        4 * ((long)clamped((int)y, image.height) * image.width + clamped((int)x, image.width));
    result = (float)(texel[0] + texel[1] + texel[2] + texel[3]);
})
NATIVE(levels_bytes4, result = sum_of_levels(&image, x, y, z, 4))
NATIVE(gather, {
    struct box box;
    const float *texels = image.texels;
    find_box(&box, &image, x, y, z, 0, 2, false);
    result = texels[box.at[2]] + texels[box.at[3]] + texels[box.at[1]] + texels[box.at[0]];
})
NATIVE(cube_bytes4, {
    struct box box;
    float u = 0, v = 0;
    int face = cube_face(x, y, z, &u, &v);
    find_box(&box, &image, u * (float)image.width, v * (float)image.height, 0, face, 2, false);
    for (int c = 0; c < 4; c++)
        result += sum_of_bytes(image.texels, &box, 4, c);
})
NATIVE(cubes_bytes4, {
    struct box box;
    float u = 0, v = 0;
    int face = cube_face(x, y, z, &u, &v) + 6 * (i & 3);
    find_box(&box, &image, u * (float)image.width, v * (float)image.height, 0, face, 2, false);
    for (int c = 0; c < 4; c++)
        result += sum_of_bytes(image.texels, &box, 4, c);
})

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, native_##name                                                                       \
    }
const struct native_case native_cases[] = {
    CASE(line_float),   CASE(line_float4),    CASE(lines_float4),  CASE(float),
    CASE(float4),       CASE(bytes4),         CASE(shorts),        CASE(halves4),
    CASE(box_byte),     CASE(layers_bytes4),  CASE(box_float),     CASE(byte_point),
    CASE(memory),       CASE(box_byte_point), CASE(memory4),       CASE(surface_float3d),
    CASE(gather),       CASE(surface_bytes4), CASE(levels_bytes4), CASE(cube_bytes4),
    CASE(cubes_bytes4), {NULL, NULL},
};
