/* SPDX-License-Identifier: MIT */
/* NPP: arithmetic, resizing by factors and morphology in steps, held against plain loops that the
 * words of the manual give. */
#include "test.h"

#include <math.h>
#include <npp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 37, HEIGHT = 23, PIXELS = WIDTH * HEIGHT, CHANNELS = 3 };

static NppStreamContext context;
static const NppiSize whole = {WIDTH, HEIGHT};

static void check_status(NppStatus status, NppStatus expected)
{
    check(status == expected);
}

static void with_npp(void)
{
    with_context();
    check_status(nppGetStreamContext(&context), NPP_SUCCESS);
}

static void *device_copy(const void *data, size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes));
    check_success(cuMemcpyHtoD(memory, data, bytes));
    return (void *)(uintptr_t)memory;
}

static void fetch(void *to, const void *memory, size_t bytes)
{
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(to, (CUdeviceptr)(uintptr_t)memory, bytes));
}

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static void draw_bytes(Npp8u *bytes, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (Npp8u)draw(&seed);
}

/* A result divided by a power of 2, rounded, in the range of the type. */
static int scaled(double value, int scale, int least, int most)
{
    double rounded = rint(ldexp(value, -scale));

    return rounded < least ? least : rounded > most ? most : (int)rounded;
}

TEST(bytes_are_scaled_and_rounded)
{
    static Npp8u a[PIXELS], b[PIXELS], result[PIXELS];
    Npp8u *first, *second, *target;

    with_npp();
    draw_bytes(a, PIXELS, 1);
    draw_bytes(b, PIXELS, 2);
    first = device_copy(a, PIXELS);
    second = device_copy(b, PIXELS);
    target = device_copy(b, PIXELS);
    for (int scale = -1; scale <= 17; scale++) {
        check_status(nppiMul_8u_C1RSfs_Ctx(first, WIDTH, second, WIDTH, target, WIDTH, whole, scale,
                                           context),
                     NPP_SUCCESS);
        fetch(result, target, PIXELS);
        for (int i = 0; i < PIXELS; i++)
            check(result[i] == scaled(a[i] * b[i], scale, 0, 255));
        check_status(nppiSub_8u_C1RSfs_Ctx(first, WIDTH, second, WIDTH, target, WIDTH, whole, scale,
                                           context),
                     NPP_SUCCESS);
        fetch(result, target, PIXELS);
        for (int i = 0; i < PIXELS; i++)
            check(result[i] == scaled(b[i] - a[i], scale, 0, 255));
    }
}

TEST(words_are_computed_in_place)
{
    static Npp16s a[PIXELS], b[PIXELS], result[PIXELS];
    Npp16s *first, *target;

    with_npp();
    draw_bytes((Npp8u *)a, sizeof(a), 3);
    draw_bytes((Npp8u *)b, sizeof(b), 4);
    first = device_copy(a, sizeof(a));
    for (int scale = 0; scale <= 16; scale++) {
        target = device_copy(b, sizeof(b));
        check_status(
            nppiMul_16s_C1IRSfs_Ctx(first, 2 * WIDTH, target, 2 * WIDTH, whole, scale, context),
            NPP_SUCCESS);
        fetch(result, target, sizeof(result));
        for (int i = 0; i < PIXELS; i++)
            check(result[i] == scaled((double)a[i] * b[i], scale, -32768, 32767));
    }
}

TEST(constants_belong_to_channels)
{
    enum { COUNT = 4 * PIXELS };
    static const Npp16u constants[4] = {100, 20000, 65535, 7};
    static Npp16u a[COUNT], result[COUNT];
    Npp16u *source, *target;

    with_npp();
    draw_bytes((Npp8u *)a, sizeof(a), 5);
    source = device_copy(a, sizeof(a));
    target = device_copy(a, sizeof(a));
    check_status(
        nppiMulC_16u_C4RSfs_Ctx(source, 8 * WIDTH, constants, target, 8 * WIDTH, whole, 3, context),
        NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    for (int i = 0; i < COUNT; i++)
        check(result[i] == scaled((double)a[i] * constants[i % 4], 3, 0, 65535));
    target = device_copy(a, sizeof(a));
    check_status(nppiAddC_16u_AC4RSfs_Ctx(source, 8 * WIDTH, constants, target, 8 * WIDTH, whole, 1,
                                          context),
                 NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    for (int i = 0; i < COUNT; i++)
        check(result[i] ==
              (i % 4 == 3 ? a[i] : scaled((double)a[i] + constants[i % 4], 1, 0, 65535)));
}

/* The place in the source, by the manual. */
static double place(int at, double factor, double shift)
{
    double scale = 1 / factor;

    return scale * at - (shift * scale + (1 - scale) * 0.5);
}

static int clamp(int at, int size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static double linear(const Npp8u *pixels, double x, double y, int c)
{
    int column = (int)floor(x), row = (int)floor(y);
    double sum = 0;

    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < 2; i++)
            sum +=
                (i ? x - column : 1 - x + column) * (j ? y - row : 1 - y + row) *
                pixels[(clamp(row + j, HEIGHT) * WIDTH + clamp(column + i, WIDTH)) * CHANNELS + c];
    }
    return sum;
}

static void check_factors(double x_factor, double y_factor, double shift)
{
    enum { TO_WIDTH = 90, TO_HEIGHT = 60, BYTES = TO_WIDTH * TO_HEIGHT * CHANNELS };
    static Npp8u pixels[PIXELS * CHANNELS], result[BYTES];
    const NppiRect from = {0, 0, WIDTH, HEIGHT}, to = {0, 0, TO_WIDTH, TO_HEIGHT};
    Npp8u *source, *target;

    draw_bytes(pixels, sizeof(pixels), 6);
    memset(result, 77, BYTES);
    source = device_copy(pixels, sizeof(pixels));
    target = device_copy(result, BYTES);
    check_status(nppiResizeSqrPixel_8u_C3R_Ctx(source, whole, CHANNELS * WIDTH, from, target,
                                               CHANNELS * TO_WIDTH, to, x_factor, y_factor, shift,
                                               shift, NPPI_INTER_LINEAR, context),
                 NPP_SUCCESS);
    fetch(result, target, BYTES);
    for (int i = 0; i < BYTES; i++) {
        double x = place(i / CHANNELS % TO_WIDTH, x_factor, shift);
        double y = place(i / CHANNELS / TO_WIDTH, y_factor, shift);

        if (x < -0.5 || y < -0.5 || x >= WIDTH || y >= HEIGHT)
            check(result[i] == 77);
        else
            check(fabs(result[i] - linear(pixels, x, y, i % CHANNELS)) <= 0.51);
    }
}

TEST(factors_and_shifts_choose_places)
{
    with_npp();
    check_factors(0.5, 0.5, 0);
    check_factors(2, 2, 0);
    check_factors(1.75, 0.8, 0);
    check_factors(1, 1, 3);
    check_factors(2, 1.25, -2.5);
}

TEST(supersampling_averages_what_a_pixel_covers)
{
    enum { TO_WIDTH = WIDTH / 2, TO_HEIGHT = HEIGHT / 2 };
    static Npp8u pixels[PIXELS], result[TO_WIDTH * TO_HEIGHT];
    const NppiRect from = {0, 0, WIDTH, HEIGHT}, to = {0, 0, TO_WIDTH, TO_HEIGHT};
    Npp8u *source, *target;

    with_npp();
    draw_bytes(pixels, PIXELS, 7);
    source = device_copy(pixels, PIXELS);
    target = device_copy(result, sizeof(result));
    check_status(nppiResizeSqrPixel_8u_C1R_Ctx(source, whole, WIDTH, from, target, TO_WIDTH, to,
                                               0.5, 0.5, 0, 0, NPPI_INTER_SUPER, context),
                 NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    for (int i = 0; i < TO_WIDTH * TO_HEIGHT; i++) {
        const Npp8u *at = pixels + 2 * (i / TO_WIDTH) * WIDTH + 2 * (i % TO_WIDTH);

        check(result[i] == (at[0] + at[1] + at[WIDTH] + at[WIDTH + 1] + 2) / 4);
    }
    check_status(nppiResizeSqrPixel_8u_C1R_Ctx(source, whole, WIDTH, from, target, TO_WIDTH, to, 0,
                                               0.5, 0, 0, NPPI_INTER_LINEAR, context),
                 NPP_RESIZE_FACTOR_ERROR);
}

/* Of an image of one value, every interpolation makes that value. */
TEST(interpolations_of_an_even_image)
{
    static const int known[] = {NPPI_INTER_NN,
                                NPPI_INTER_LINEAR,
                                NPPI_INTER_CUBIC,
                                NPPI_INTER_CUBIC2P_BSPLINE,
                                NPPI_INTER_CUBIC2P_CATMULLROM,
                                NPPI_INTER_CUBIC2P_B05C03,
                                NPPI_INTER_LANCZOS};
    enum { TO_WIDTH = 50, TO_HEIGHT = 30 };
    static Npp8u pixels[PIXELS], result[TO_WIDTH * TO_HEIGHT];
    const NppiRect from = {0, 0, WIDTH, HEIGHT}, to = {0, 0, TO_WIDTH, TO_HEIGHT};
    Npp8u *source, *target;

    with_npp();
    memset(pixels, 131, PIXELS);
    source = device_copy(pixels, PIXELS);
    for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
        target = device_copy(result, sizeof(result));
        check_status(nppiResizeSqrPixel_8u_C1R_Ctx(
                         source, whole, WIDTH, from, target, TO_WIDTH, to, (double)TO_WIDTH / WIDTH,
                         (double)TO_HEIGHT / HEIGHT, 0, 0, known[k], context),
                     NPP_SUCCESS);
        fetch(result, target, sizeof(result));
        for (int i = 0; i < TO_WIDTH * TO_HEIGHT; i++)
            check(result[i] == 131);
        memset(result, 0, sizeof(result));
    }
}

TEST(what_has_no_address_is_refused)
{
    static Npp8u pixels[PIXELS * CHANNELS];
    Npp8u *memory, *planes[3], *constants = NULL;

    with_npp();
    memory = device_copy(pixels, sizeof(pixels));
    planes[0] = planes[1] = memory;
    planes[2] = NULL;
    check_status(
        nppiAdd_8u_C1RSfs_Ctx(memory, WIDTH, NULL, WIDTH, memory, WIDTH, whole, 0, context),
        NPP_NULL_POINTER_ERROR);
    check_status(nppiAddDeviceC_8u_C3RSfs_Ctx(memory, CHANNELS * WIDTH, constants, memory,
                                              CHANNELS * WIDTH, whole, 0, context),
                 NPP_NULL_POINTER_ERROR);
    check_status(
        nppiYUVToRGB_8u_P3R_Ctx((const Npp8u *const *)planes, WIDTH, planes, WIDTH, whole, context),
        NPP_NULL_POINTER_ERROR);
    check_success(cuCtxSynchronize());
}

/* A step of morphology on a whole image, whose edge is repeated. */
static void step(const Npp8u *from, Npp8u *to, const Npp8u *mask, NppiSize size, NppiPoint anchor,
                 bool dilates)
{
    for (int i = 0; i < PIXELS; i++) {
        int found = dilates ? 0 : 255;

        for (int k = 0; k < size.width * size.height; k++) {
            int x = clamp(i % WIDTH + k % size.width - anchor.x, WIDTH);
            int y = clamp(i / WIDTH + k / size.width - anchor.y, HEIGHT);
            int pixel = from[y * WIDTH + x];

            if (mask[k] && (dilates ? pixel > found : pixel < found))
                found = pixel;
        }
        to[i] = (Npp8u)found;
    }
}

typedef NppStatus morph_function(const Npp8u *src, int src_step, NppiSize src_size,
                                 NppiPoint src_offset, Npp8u *dst, int dst_step, NppiSize size_roi,
                                 const Npp8u *mask, NppiSize mask_size, NppiPoint anchor,
                                 Npp8u *buffer, NppiBorderType border_type,
                                 NppStreamContext stream_context);

/* Runs the function on a part of the image and on all of it. */
static void check_morph(morph_function *function, const Npp8u *pixels, const Npp8u *expected,
                        const Npp8u *mask, NppiSize mask_size, NppiPoint anchor)
{
    static const NppiRect parts[] = {{0, 0, WIDTH, HEIGHT}, {5, 3, 20, 11}, {30, 20, 7, 3}};
    static Npp8u result[PIXELS];
    Npp8u *source = device_copy(pixels, PIXELS);
    Npp8u *device_mask = device_copy(mask, (size_t)(mask_size.width * mask_size.height));

    for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++) {
        const NppiRect *part = &parts[p];
        Npp8u *target = device_copy(pixels, PIXELS);

        check_status(function(source + part->y * WIDTH + part->x, WIDTH, whole,
                              (NppiPoint){part->x, part->y}, target, WIDTH,
                              (NppiSize){part->width, part->height}, device_mask, mask_size, anchor,
                              device_copy(pixels, 64), NPP_BORDER_REPLICATE, context),
                     NPP_SUCCESS);
        fetch(result, target, PIXELS);
        for (int y = 0; y < part->height; y++) {
            for (int x = 0; x < part->width; x++)
                check(result[y * WIDTH + x] == expected[(y + part->y) * WIDTH + x + part->x]);
        }
    }
}

TEST(steps_of_morphology)
{
    static const Npp8u cross[9] = {0, 1, 0, 1, 1, 1, 0, 1, 0}, row[5] = {1, 1, 0, 1, 1};
    static const struct {
        const Npp8u *mask;
        NppiSize size;
        NppiPoint anchor;
    } masks[] = {{cross, {3, 3}, {1, 1}}, {row, {5, 1}, {2, 0}}};
    static Npp8u pixels[PIXELS], dilated[PIXELS], eroded[PIXELS], opened[PIXELS], closed[PIXELS];
    static Npp8u difference[PIXELS];

    with_npp();
    draw_bytes(pixels, PIXELS, 8);
    for (size_t m = 0; m < sizeof(masks) / sizeof(*masks); m++) {
        const Npp8u *mask = masks[m].mask;
        NppiSize size = masks[m].size;
        NppiPoint anchor = masks[m].anchor;

        step(pixels, dilated, mask, size, anchor, true);
        step(pixels, eroded, mask, size, anchor, false);
        step(eroded, opened, mask, size, anchor, true);
        step(dilated, closed, mask, size, anchor, false);
        check_morph(nppiMorphOpenBorder_8u_C1R_Ctx, pixels, opened, mask, size, anchor);
        check_morph(nppiMorphCloseBorder_8u_C1R_Ctx, pixels, closed, mask, size, anchor);
        for (int i = 0; i < PIXELS; i++)
            difference[i] = (Npp8u)(dilated[i] > eroded[i] ? dilated[i] - eroded[i] : 0);
        check_morph(nppiMorphGradientBorder_8u_C1R_Ctx, pixels, difference, mask, size, anchor);
        for (int i = 0; i < PIXELS; i++)
            difference[i] = (Npp8u)(pixels[i] > opened[i] ? pixels[i] - opened[i] : 0);
        check_morph(nppiMorphTopHatBorder_8u_C1R_Ctx, pixels, difference, mask, size, anchor);
        for (int i = 0; i < PIXELS; i++)
            difference[i] = (Npp8u)(closed[i] > pixels[i] ? closed[i] - pixels[i] : 0);
        check_morph(nppiMorphBlackHatBorder_8u_C1R_Ctx, pixels, difference, mask, size, anchor);
    }
}
