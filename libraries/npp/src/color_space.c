/* SPDX-License-Identifier: MIT */
/* Conversions of RGB to and from HLS, HSV, LUV, Lab and YCC, and gamma: formulas for one pixel, in
 * floats. Numbers of 0 to 255 lose their fractions. */
#include "vector.h"

#include "bands.h"
#include "handlers.h"
#include "pixels.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef void convert_pixel(const float in[3], float out[3]);

static float least_of(const float v[3])
{
    return fminf(fminf(v[0], v[1]), v[2]);
}

static float most_of(const float v[3])
{
    return fmaxf(fmaxf(v[0], v[1]), v[2]);
}

static float clip(float value, float least, float most)
{
    return value < least ? least : value > most ? most : value;
}

/* The hue of RGB, as a part of a turn. */
static float hue_of(const float v[3], float most, float distance)
{
    float r = (most - v[0]) / distance, g = (most - v[1]) / distance, b = (most - v[2]) / distance;
    float hue = v[0] == most ? b - g : v[1] == most ? 2 + r - b : 4 + g - r;

    if (distance == 0)
        return 0;
    hue *= 60.0f;
    return (hue < 0 ? hue + 360.0f : hue) / 360.0f;
}

static void scale_down(const float in[3], float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = in[i] / 255.0f;
}

static void rgb_to_hls(const float in[3], float out[3])
{
    float v[3], most, least, lightness;

    scale_down(in, v);
    most = most_of(v);
    least = least_of(v);
    lightness = (most + least) / 2.0f;
    out[0] = hue_of(v, most, most - least) * 255.0f;
    out[1] = lightness * 255.0f;
    out[2] = most == least       ? 0
             : lightness <= 0.5f ? (most - least) / (most + least) * 255.0f
                                 : (most - least) / (2.0f - most - least) * 255.0f;
}

static float part_of_hls(float hue, float low, float high)
{
    hue = hue > 360.0f ? hue - 360.0f : hue < 0 ? hue + 360.0f : hue;
    if (hue < 60.0f)
        return low + (high - low) * hue / 60.0f;
    if (hue < 180.0f)
        return high;
    return hue < 240.0f ? low + (high - low) * (240.0f - hue) / 60.0f : low;
}

static void hls_to_rgb(const float in[3], float out[3])
{
    float v[3], hue, high, low;

    scale_down(in, v);
    hue = v[0] * 360.0f;
    high = v[1] <= 0.5f ? v[1] * (1.0f + v[2]) : v[1] + v[2] - v[1] * v[2];
    low = 2.0f * v[1] - high;
    out[0] = part_of_hls(hue + 120.0f, low, high) * 255.0f;
    out[1] = part_of_hls(hue, low, high) * 255.0f;
    out[2] = part_of_hls(hue - 120.0f, low, high) * 255.0f;
}

static void rgb_to_hsv(const float in[3], float out[3])
{
    float v[3], most, least;

    scale_down(in, v);
    most = most_of(v);
    least = least_of(v);
    out[0] = hue_of(v, most, most - least) * 255.0f;
    out[1] = most == 0 ? 0 : (most - least) / most * 255.0f;
    out[2] = most_of(in);
}

static void hsv_to_rgb(const float in[3], float out[3])
{
    float v[3], hue, rest, m, n, k;
    int sector;

    scale_down(in, v);
    hue = v[0] == 1.0f ? 0 : v[0] * 6.0f;
    sector = (int)hue;
    rest = hue - (float)sector;
    m = v[2] * (1.0f - v[1]);
    n = v[2] * (1.0f - v[1] * rest);
    k = v[2] * (1.0f - v[1] * (1.0f - rest));
    const float sectors[6][3] = {{v[2], k, m}, {n, v[2], m}, {m, v[2], k},
                                 {m, n, v[2]}, {k, m, v[2]}, {v[2], m, n}};
    for (int i = 0; i < 3; i++)
        out[i] = sectors[sector][i] * 255.0f;
}

static void rgb_to_ycc(const float in[3], float out[3])
{
    float v[3];

    scale_down(in, v);
    out[0] = (0.299f * in[0] + 0.587f * in[1] + 0.114f * in[2]) / 1.402f;
    out[1] = 111.4f * (-0.299f * v[0] - 0.587f * v[1] + 0.886f * v[2]) + 156.0f;
    out[2] = 135.64f * (0.701f * v[0] - 0.587f * v[1] - 0.114f * v[2]) + 137.0f;
}

static void ycc_to_rgb(const float in[3], float out[3])
{
    float y = 1.3584f * in[0], c1 = 2.2179f * (in[1] - 156.0f), c2 = 1.8215f * (in[2] - 137.0f);

    out[0] = y + c2;
    out[1] = y - 0.194f * c1 - 0.509f * c2;
    out[2] = y + c1;
}

static void to_xyz(const float in[3], float out[3])
{
    float v[3];

    scale_down(in, v);
    out[0] = 0.412453f * v[0] + 0.35758f * v[1] + 0.180423f * v[2];
    out[1] = 0.212671f * v[0] + 0.71516f * v[1] + 0.072169f * v[2];
    out[2] = 0.019334f * v[0] + 0.119193f * v[1] + 0.950227f * v[2];
}

static void from_xyz(float x, float y, float z, float out[3])
{
    out[0] = clip(3.240479f * x - 1.53715f * y - 0.498535f * z, 0, 1) * 255.0f;
    out[1] = clip(-0.969256f * x + 1.875991f * y + 0.041556f * z, 0, 1) * 255.0f;
    out[2] = clip(0.055648f * x - 0.204043f * y + 1.057311f * z, 0, 1) * 255.0f;
}

/* The lightness of a luminance, 0 to 100. */
static float lightness_of(float y)
{
    return y > 0.008856f ? 116.0f * cbrtf(y) - 16.0f : 903.3f * y;
}

static const float white_u = 0.197839f, white_v = 0.468342f;

static void rgb_to_luv(const float in[3], float out[3])
{
    float xyz[3], lightness, sum, u, v;

    to_xyz(in, xyz);
    lightness = lightness_of(xyz[1]);
    sum = xyz[0] + 15.0f * xyz[1] + 3.0f * xyz[2];
    out[0] = out[1] = out[2] = 0;
    if (sum == 0)
        return;
    u = 13.0f * lightness * (4.0f * xyz[0] / sum - white_u);
    v = 13.0f * lightness * (9.0f * xyz[1] / sum - white_v);
    out[0] = lightness * 255.0f / 100.0f;
    out[1] = (u + 134.0f) * 255.0f / 354.0f;
    out[2] = (v + 140.0f) * 255.0f / 262.0f;
}

static void luv_to_rgb(const float in[3], float out[3])
{
    float lightness = in[0] * 100.0f / 255.0f;
    float u = in[1] * 354.0f / 255.0f - 134.0f, v = in[2] * 262.0f / 255.0f - 140.0f;
    float x, y, z;

    out[0] = out[1] = out[2] = 0;
    if (lightness == 0)
        return;
    y = (lightness + 16.0f) / 116.0f;
    y = lightness > 7.9996f ? y * y * y : lightness / 903.3f;
    u = u / (13.0f * lightness) + white_u;
    v = v / (13.0f * lightness) + white_v;
    x = -9.0f * y * u / ((u - 4.0f) * v - u * v);
    z = (9.0f * y - 15.0f * v * y - v * x) / (3.0f * v);
    from_xyz(x, y, z, out);
}

static float lab_root(float t)
{
    return t > 0.008856f ? cbrtf(t) : 7.787f * t + 16.0f / 116.0f;
}

static void rgb_to_lab(const float in[3], float out[3])
{
    float xyz[3], x, y, z;

    to_xyz(in, xyz);
    x = lab_root(xyz[0] / 0.950455f);
    y = lab_root(xyz[1]);
    z = lab_root(xyz[2] / 1.088753f);
    out[0] = lightness_of(xyz[1]) * 255.0f / 100.0f;
    out[1] = 500.0f * (x - y) + 128.0f;
    out[2] = 200.0f * (y - z) + 128.0f;
}

static void lab_to_rgb(const float in[3], float out[3])
{
    float y = (in[0] * 100.0f / 255.0f + 16.0f) / 116.0f;
    float x = (in[1] - 128.0f) / 500.0f + y, z = y - (in[2] - 128.0f) / 200.0f;

    from_xyz(0.950455f * x * x * x, y * y * y, 1.088753f * z * z * z, out);
}

static void gamma_forward(const float in[3], float out[3])
{
    for (int i = 0; i < 3; i++) {
        float v = in[i] / 255.0f;

        out[i] = (v < 0.018f ? 4.5f * v : 1.099f * powf(v, 0.45f) - 0.099f) * 255.0f;
    }
}

static void gamma_inverse(const float in[3], float out[3])
{
    for (int i = 0; i < 3; i++) {
        float v = in[i] / 255.0f;

        out[i] =
            (float)((v < 0.0812f ? (double)v * 0.2222 : pow(((double)v + 0.099) / 1.099, 2.22)) *
                    255);
    }
}

/* Operations without "nppi". BGR stands for RGB with the channels turned around. */
static const struct conversion {
    const char *name;
    convert_pixel *convert;
    bool reads_bgr, writes_bgr;
} conversions[] = {
    {"RGBToHLS", rgb_to_hls, false, false},    {"HLSToRGB", hls_to_rgb, false, false},
    {"BGRToHLS", rgb_to_hls, true, false},     {"HLSToBGR", hls_to_rgb, false, true},
    {"RGBToHSV", rgb_to_hsv, false, false},    {"HSVToRGB", hsv_to_rgb, false, false},
    {"RGBToYCC", rgb_to_ycc, false, false},    {"YCCToRGB", ycc_to_rgb, false, false},
    {"RGBToLUV", rgb_to_luv, false, false},    {"LUVToRGB", luv_to_rgb, false, false},
    {"BGRToLab", rgb_to_lab, true, false},     {"LabToBGR", lab_to_rgb, false, true},
    {"GammaFwd", gamma_forward, false, false}, {"GammaInv", gamma_inverse, false, false},
};

struct pass {
    const struct npp_function *function;
    const struct conversion *conversion;
    struct npp_view source, target;
    int width;
};

static void turn(float v[3])
{
    float first = v[0];

    v[0] = v[2];
    v[2] = first;
}

static void convert_rows(void *arguments, int first, int last)
{
    const struct pass *pass = arguments;
    const struct npp_function *function = pass->function;
    bool copies_alpha = function->target_channels == 4 &&
                        (function->planar || function->target_planar || !function->alpha);

    for (int y = first; y < last; y++) {
        for (int x = 0; x < pass->width; x++) {
            float in[3], out[3];

            for (unsigned c = 0; c < 3; c++)
                in[c] = *(const uint8_t *)npp_view_at(&pass->source, x, y, c);
            if (pass->conversion->reads_bgr)
                turn(in);
            pass->conversion->convert(in, out);
            if (pass->conversion->writes_bgr)
                turn(out);
            for (unsigned c = 0; c < 3; c++)
                *(uint8_t *)npp_view_at(&pass->target, x, y, c) = (uint8_t)clip(out[c], 0, 255);
            if (copies_alpha)
                *(uint8_t *)npp_view_at(&pass->target, x, y, 3) =
                    *(const uint8_t *)npp_view_at(&pass->source, x, y, 3);
        }
    }
}

NppStatus npp_color_space(const struct npp_function *function, const struct npp_call *call,
                          bool checks)
{
    struct pass pass = {.function = function, .width = call->size_roi.width};
    NppStatus status;

    for (size_t i = 0; i < sizeof(conversions) / sizeof(*conversions); i++) {
        size_t length = strlen(conversions[i].name);

        if (strncmp(function->name + 4, conversions[i].name, length) == 0 &&
            function->name[4 + length] == '_')
            pass.conversion = &conversions[i];
    }
    npp_view_source(function, call, &pass.source);
    npp_view_target(function, call, &pass.target);
    status = npp_view_check(&pass.source, &pass.target, call->size_roi);
    if (status == NPP_SUCCESS && !pass.conversion)
        status = NPP_NOT_IMPLEMENTED_ERROR;
    if (status == NPP_SUCCESS && !checks)
        npp_bands(call->size_roi.height, (size_t)pass.width * 32, convert_rows, &pass);
    return status;
}
