/* SPDX-License-Identifier: MIT */
/* Conversions between RGB and forms of luma and chroma. A name says the forms of both images:
 * YCbCr420ToBGR_709CSC_8u_P3C3R. An image is three components, each with an address, a step, a
 * stride and a subsampling, so that one loop serves interleaved, planar, packed and NV12 images. */
#include "vector.h"

#include "handlers.h"
#include "yuv.h"

#include "bands.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
    const char *model, *standard; /* of the form that is not RGB */
    float luma_offset;            /* of black */
    float to_rgb[3][3], from_rgb[3][3];
};

static const struct matrix matrices[] = {
    {"NV12", "709HDTV", 0, {{1, 0, 1.28033F}, {1, -0.21482F, -0.38059F}, {1, 2.12798F, 0}}, {{0}}},
    {"",
     "709HDTV",
     0,
     {{1, 0, 1.540F}, {1, -0.183F, -0.459F}, {1, 1.816F, 0}},
     {{0.213F, 0.715F, 0.072F}, {-0.117F, -0.394F, 0.511F}, {0.511F, -0.464F, -0.047F}}},
    {"",
     "709CSC",
     16,
     {{1.164F, 0, 1.793F}, {1.164F, -0.213F, -0.534F}, {1.164F, 2.115F, 0}},
     {{0.183F, 0.614F, 0.062F}, {-0.101F, -0.338F, 0.439F}, {0.439F, -0.399F, -0.040F}}},
    {"",
     "JPEG",
     0,
     {{1, 0, 1.402F}, {1, -0.34414F, -0.71414F}, {1, 1.772F, 0}},
     {{0.299F, 0.587F, 0.114F}, {-0.168736F, -0.331264F, 0.5F}, {0.5F, -0.418688F, -0.081312F}}},
    {"YC",
     "",
     16,
     {{1.164F, 0, 1.596F}, {1.164F, -0.392F, -0.813F}, {1.164F, 2.017F, 0}},
     {{0.257F, 0.504F, 0.098F}, {-0.148F, -0.291F, 0.439F}, {0.439F, -0.368F, -0.071F}}},
    {"CbY",
     "",
     16,
     {{1.164F, 0, 1.596F}, {1.164F, -0.392F, -0.813F}, {1.164F, 2.017F, 0}},
     {{0.257F, 0.504F, 0.098F}, {-0.148F, -0.291F, 0.439F}, {0.439F, -0.368F, -0.071F}}},
    {"",
     "",
     0,
     {{1, 0, 1.140F}, {1, -0.394F, -0.581F}, {1, 2.032F, 0}},
     {{0.299F, 0.587F, 0.114F},
      {-0.147108F, -0.288804F, 0.435912F},
      {0.614777F, -0.514799F, -0.099978F}}},
};

static const struct matrix *find_matrix(const struct npp_function *function, const char *model)
{
    size_t count = sizeof(matrices) / sizeof(*matrices);

    for (size_t i = 0; i < count; i++) {
        const struct matrix *matrix = &matrices[i];

        if (strncmp(model, matrix->model, strlen(matrix->model)) == 0 &&
            strncmp(function->suffix, matrix->standard, strlen(matrix->standard)) == 0)
            return matrix;
    }
    return NULL;
}

/* The greatest count of pixels in a row and a column that share chroma. */
static void find_sampling(const char *model, size_t length, struct npp_yuv_image *image)
{
    char digits[4] = "";

    if (length >= 3)
        memcpy(digits, model + length - 3, 3);
    image->sub_x = strcmp(digits, "411") == 0 ? 4 : strcmp(digits, "422") == 0 ? 2 : 1;
    image->sub_y = 1;
    if (strcmp(digits, "420") == 0 || strncmp(model, "NV", 2) == 0)
        image->sub_x = image->sub_y = 2;
}

/* Fills in the components of three planes, two planes, two interleaved, or more interleaved. */
static void place(struct npp_yuv_image *image, const char *model, unsigned channels, bool planar,
                  size_t bytes)
{
    bool swapped = strncmp(model, "YCrCb", 5) == 0, bgr = strncmp(model, "BGR", 3) == 0;
    struct npp_yuv_component *c = image->components;
    unsigned first = swapped ? 2 : 1, second = swapped ? 1 : 2;

    if (planar && channels == 2) {
        c[0] = (struct npp_yuv_component){image->planes[0], image->steps[0], 1};
        c[1] = (struct npp_yuv_component){image->planes[1], image->steps[1], 2};
        c[2] = (struct npp_yuv_component){(char *)image->planes[1] + bytes, image->steps[1], 2};
    } else if (planar) {
        for (unsigned i = 0; i < 3; i++)
            c[i] = (struct npp_yuv_component){image->planes[i], image->steps[i], 1};
        c[first] = (struct npp_yuv_component){image->planes[1], image->steps[1], 1};
        c[second] = (struct npp_yuv_component){image->planes[2], image->steps[2], 1};
    } else if (channels == 2) {
        char *base = image->planes[0];
        size_t luma = strncmp(model, "CbY", 3) == 0 ? bytes : 0;

        c[0] = (struct npp_yuv_component){base + luma, image->steps[0], 2};
        c[first] = (struct npp_yuv_component){base + bytes - luma, image->steps[0], 4};
        c[second] = (struct npp_yuv_component){base + 3 * bytes - luma, image->steps[0], 4};
    } else {
        for (unsigned i = 0; i < 3; i++)
            c[i] = (struct npp_yuv_component){(char *)image->planes[0] + i * bytes, image->steps[0],
                                              channels};
    }
    if (bgr) {
        struct npp_yuv_component red = c[0];

        c[0] = c[2];
        c[2] = red;
    }
}

/* Addresses and steps, under the names that parameters have. */
static void find_source(const struct npp_function *function, const struct npp_call *call,
                        struct npp_yuv_image *image)
{
    for (unsigned i = 0; i < 3; i++) {
        image->planes[i] = (void *)(function->planar ? call->src_planes[i] : call->src);
        image->steps[i] = call->src_steps_i[i] ? call->src_steps_i[i]
                          : call->src_steps    ? call->src_steps
                                               : call->src_step;
    }
    if (call->src_y) {
        image->planes[0] = (void *)call->src_y;
        image->planes[1] = (void *)call->src_cb_cr;
        image->steps[0] = call->src_y_step;
        image->steps[1] = call->src_cb_cr_step;
    }
}

static void find_target(const struct npp_function *function, const struct npp_call *call,
                        struct npp_yuv_image *image)
{
    for (unsigned i = 0; i < 3; i++) {
        image->planes[i] = (void *)(function->target_planar ? call->dst_planes[i] : call->dst);
        image->steps[i] = call->dst_steps_i[i]  ? call->dst_steps_i[i]
                          : call->dst_step_i[i] ? call->dst_step_i[i]
                                                : call->dst_step;
    }
    if (call->dst_y) {
        image->planes[0] = (void *)call->dst_y;
        image->planes[1] = (void *)call->dst_cb_cr;
        image->steps[0] = call->dst_y_step;
        image->steps[1] = call->dst_cb_cr_step;
    }
}

static NppStatus check(const struct npp_yuv_image *image, unsigned planes)
{
    for (unsigned i = 0; i < planes; i++) {
        if (!image->planes[i])
            return NPP_NULL_POINTER_ERROR;
        if (image->steps[i] <= 0)
            return NPP_STEP_ERROR;
    }
    return NPP_SUCCESS;
}

NppStatus npp_yuv_begin(const struct npp_function *function, const struct npp_call *call,
                        struct npp_yuv_image *source, struct npp_yuv_image *target)
{
    const char *name = function->name + strlen("nppi"), *to = strstr(name, "To");
    size_t length = strcspn(name, "_");
    const char *second = to && to < name + length ? to + 2 : name;
    size_t first_length = second == name ? length : (size_t)(to - name);
    NppStatus status;

    find_source(function, call, source);
    find_target(function, call, target);
    status = check(source, function->planar ? (function->channels < 3 ? 2 : 3) : 1);
    if (status == NPP_SUCCESS)
        status =
            check(target, function->target_planar ? (function->target_channels < 3 ? 2 : 3) : 1);
    if (status != NPP_SUCCESS)
        return status;
    if (call->size_roi.width <= 0 || call->size_roi.height <= 0)
        return NPP_SIZE_ERROR;
    find_sampling(name, first_length, source);
    find_sampling(second, length - (size_t)(second - name), target);
    place(source, name, function->channels, function->planar, npp_bytes(function->type));
    place(target, second, function->target_channels, function->target_planar,
          npp_bytes(function->type));
    return NPP_SUCCESS;
}

struct pass {
    const struct npp_function *function;
    const struct npp_call *call;
    struct npp_yuv_image source, target;
    float matrix[3][3], before[3], after[3];
    bool rounds; /* otherwise fractions are dropped */
    int alpha;   /* of the target; -1: it is left alone, or there is none */
    atomic_bool failed;
};

enum { CHUNK = 256 }; /* pixels that are converted together */

NPP_INLINE void put(const struct npp_yuv_component *component, bool wide, int x, int y, int value)
{
    char *row = (char *)component->base + y * component->step;

    if (wide)
        ((uint16_t *)row)[(size_t)x * component->stride] = (uint16_t)value;
    else
        ((uint8_t *)row)[(size_t)x * component->stride] = (uint8_t)value;
}

NPP_INLINE void load_strided(const char *row, bool wide, size_t stride, float *restrict to,
                             int count)
{
    for (int i = 0; i < count; i++)
        to[i] = wide ? ((const uint16_t *)row)[(size_t)i * stride]
                     : ((const uint8_t *)row)[(size_t)i * stride];
}

/* Repeats what pixels share. */
NPP_INLINE void spread(const float *restrict samples, float *restrict values, int count, int sub)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < sub; k++)
            values[i * sub + k] = samples[i];
    }
}

/* Reads a component of pixels of a row, from a whole number of samples on. */
NPP_INLINE void load_component(const struct npp_yuv_component *component, bool wide, int x, int y,
                               int sub_x, float *values, int count)
{
    float shared[CHUNK], *to = sub_x == 1 ? values : shared;
    int shift = sub_x == 1 ? 0 : sub_x == 2 ? 1 : 2, samples = (count - 1) / sub_x + 1;
    const char *row = (const char *)component->base + y * component->step +
                      (ptrdiff_t)(x >> shift) * (ptrdiff_t)component->stride * (wide ? 2 : 1);

    switch (component->stride) {
    case 1:
        load_strided(row, wide, 1, to, samples);
        break;
    case 2:
        load_strided(row, wide, 2, to, samples);
        break;
    case 3:
        load_strided(row, wide, 3, to, samples);
        break;
    default:
        load_strided(row, wide, component->stride, to, samples);
    }
    if (shift == 1)
        spread(shared, values, samples, 2);
    else if (shift)
        spread(shared, values, samples, 4);
}

NPP_INLINE void store_strided(char *row, bool wide, size_t stride, const int *restrict from,
                              int count)
{
    for (int i = 0; i < count; i++) {
        if (wide)
            ((uint16_t *)row)[(size_t)i * stride] = (uint16_t)from[i];
        else
            ((uint8_t *)row)[(size_t)i * stride] = (uint8_t)from[i];
    }
}

NPP_INLINE void store_component(const struct npp_yuv_component *component, bool wide, int x, int y,
                                const int *from, int count)
{
    char *row = (char *)component->base + y * component->step +
                (ptrdiff_t)x * (ptrdiff_t)component->stride * (wide ? 2 : 1);

    if (component->stride == 1)
        store_strided(row, wide, 1, from, count);
    else if (component->stride == 3)
        store_strided(row, wide, 3, from, count);
    else
        store_strided(row, wide, component->stride, from, count);
}

/* Numbers up to the greatest of the type, without fractions or rounded. */
NPP_INLINE void compute(const struct pass *pass, bool rounds, float most, float (*p)[CHUNK],
                        int (*values)[CHUNK], int count)
{
    for (int k = 0; k < 3; k++) {
        const float m0 = pass->matrix[k][0], m1 = pass->matrix[k][1], m2 = pass->matrix[k][2];
        const float after = pass->after[k];
        const float *restrict p0 = p[0], *restrict p1 = p[1], *restrict p2 = p[2];
        int *restrict to = values[k];

        for (int i = 0; i < count; i++) {
            float value = m0 * p0[i] + m1 * p1[i] + m2 * p2[i] + after;

            value = rounds ? rintf(value) : value;
            value = value > 0 ? value : 0;
            to[i] = (int)(value < most ? value : most);
        }
    }
}

NPP_INLINE void add_before(float *values, float before, int count)
{
    for (int i = 0; i < count; i++)
        values[i] += before;
}

/* Converts the pixels of a row; chroma is gathered for the pixels that share it. */
NPP_INLINE void convert_row(const struct pass *pass, int y, bool wide, int *u_sums, int *v_sums)
{
    const struct npp_yuv_component *in = pass->source.components;
    const struct npp_yuv_component *out = pass->target.components;
    int sub_x = pass->source.sub_x, row = pass->source.sub_y == 1 ? y : y >> 1;
    int width = pass->call->size_roi.width, to_x = pass->target.sub_x;
    float most = wide ? 65535 : 255, p[3][CHUNK];
    int values[3][CHUNK];

    for (int x = 0; x < width; x += CHUNK) {
        int count = width - x < CHUNK ? width - x : CHUNK;

        for (int i = 0; i < 3; i++) {
            load_component(&in[i], wide, x, i ? row : y, i ? sub_x : 1, p[i], count);
            add_before(p[i], pass->before[i], count);
        }
        if (pass->rounds)
            compute(pass, true, most, p, values, count);
        else
            compute(pass, false, most, p, values, count);
        store_component(&out[0], wide, x, y, values[0], count);
        for (int i = 0; i < count && u_sums; i++) {
            u_sums[(x + i) / to_x] += values[1][i];
            v_sums[(x + i) / to_x] += values[2][i];
        }
        for (int i = 1; i < 3 && !u_sums; i++)
            store_component(&out[i], wide, x, y, values[i], count);
        for (int i = 0; i < count && pass->alpha >= 0; i++)
            ((uint8_t *)
                 pass->target.planes[0])[y * pass->target.steps[0] + 4 * (ptrdiff_t)(x + i) + 3] =
                (uint8_t)pass->alpha;
    }
}

/* Writes what pixels share: the mean of their chroma without its fraction. */
static void share_chroma(const struct pass *pass, int y, int rows, bool wide, const int *u_sums,
                         const int *v_sums)
{
    int width = pass->call->size_roi.width, sub_x = pass->target.sub_x;

    for (int x = 0; x * sub_x < width; x++) {
        int count = rows * (width - x * sub_x < sub_x ? width - x * sub_x : sub_x);

        put(&pass->target.components[1], wide, x, y, u_sums[x] / count);
        put(&pass->target.components[2], wide, x, y, v_sums[x] / count);
    }
}

NPP_VECTOR static void run_bytes(const struct pass *pass, int y, int *u_sums, int *v_sums)
{
    convert_row(pass, y, false, u_sums, v_sums);
}

NPP_VECTOR static void run_words(const struct pass *pass, int y, int *u_sums, int *v_sums)
{
    convert_row(pass, y, true, u_sums, v_sums);
}

/* Bands are of rows that share their chroma. */
static void run_band(void *arguments, int first, int last)
{
    struct pass *pass = arguments;
    int sub_y = pass->target.sub_y, height = pass->call->size_roi.height;
    bool wide = npp_bytes(pass->function->type) == 2;
    bool shared = pass->target.sub_x > 1 || sub_y > 1;
    size_t count = (size_t)pass->call->size_roi.width;
    int *sums = shared ? malloc(2 * count * sizeof(int)) : NULL;

    if (shared && !sums) {
        atomic_store(&pass->failed, true);
        return;
    }
    for (int group = first; group < last; group++) {
        int begin = group * sub_y, end = begin + sub_y < height ? begin + sub_y : height;

        if (shared)
            memset(sums, 0, 2 * count * sizeof(int));
        for (int y = begin; y < end; y++)
            (wide ? run_words : run_bytes)(pass, y, sums, shared ? sums + count : NULL);
        if (shared)
            share_chroma(pass, group, end - begin, wide, sums, sums + count);
    }
    free(sums);
}

static NppStatus run(struct pass *pass, bool checks)
{
    int groups = (pass->call->size_roi.height - 1) / pass->target.sub_y + 1;

    if (checks)
        return NPP_SUCCESS;
    npp_bands(groups, (size_t)pass->call->size_roi.width * (size_t)pass->target.sub_y * 4, run_band,
              pass);
    return atomic_load(&pass->failed) ? NPP_NO_MEMORY_ERROR : NPP_SUCCESS;
}

/* A matrix of the caller: rows of three factors, and what is added to the components before. */
static void take_twist(struct pass *pass)
{
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < 3; k++)
            pass->matrix[i][k] = (float)pass->call->twist_v[4 * i + k];
        pass->before[i] = (float)pass->call->twist_v[4 * i + 3];
    }
    pass->rounds = true;
}

NppStatus npp_yuv_to_rgb(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    struct pass pass = {.function = function, .call = call, .alpha = -1};
    const struct matrix *matrix = find_matrix(function, function->name + strlen("nppi"));
    NppStatus status = npp_yuv_begin(function, call, &pass.source, &pass.target);

    if (status != NPP_SUCCESS)
        return status;
    if (strstr(function->suffix, "ColorTwist")) {
        take_twist(&pass);
    } else {
        memcpy(pass.matrix, matrix->to_rgb, sizeof(pass.matrix));
        pass.before[0] = -matrix->luma_offset;
        pass.before[1] = pass.before[2] = -128;
    }
    if (function->target_channels == 4 && !function->target_planar && function->channels != 4)
        pass.alpha = (int)call->aval_v[0];
    return run(&pass, checks);
}

NppStatus npp_rgb_to_yuv(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    struct pass pass = {.function = function, .call = call, .alpha = -1};
    const struct matrix *matrix = find_matrix(function, function->name + strlen("nppiRGBTo"));
    NppStatus status = npp_yuv_begin(function, call, &pass.source, &pass.target);

    if (status != NPP_SUCCESS)
        return status;
    memcpy(pass.matrix, matrix->from_rgb, sizeof(pass.matrix));
    pass.after[0] = matrix->luma_offset;
    pass.after[1] = pass.after[2] = 128;
    return run(&pass, checks);
}

/* Between forms of the same model: chroma is repeated or averaged. */
NppStatus npp_yuv_to_yuv(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    struct pass pass = {.function = function,
                        .call = call,
                        .matrix = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                        .alpha = -1};
    NppStatus status = npp_yuv_begin(function, call, &pass.source, &pass.target);

    return status == NPP_SUCCESS ? run(&pass, checks) : status;
}
