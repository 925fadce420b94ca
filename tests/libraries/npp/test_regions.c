/* SPDX-License-Identifier: MIT */
/* NPP: edges, regions, distances, colors of patterns, and statistics of two sources. Watersheds
 * have the answers that an H200 gave; the others follow rules that were found in its answers. */
#include "test.h"

#include <math.h>
#include <npp.h>
#include <stdint.h>
#include <string.h>

static NppStreamContext context;

static void check_status(NppStatus status, NppStatus expected)
{
    check(status == expected);
}

static void *device_copy(const void *data, size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes));
    check_success(cuMemcpyHtoD(memory, data, bytes));
    return (void *)(uintptr_t)memory;
}

static void *device_memory(size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes));
    check_success(cuMemsetD8(memory, 0, bytes));
    return (void *)(uintptr_t)memory;
}

static void fetch(void *to, const void *memory, size_t bytes)
{
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(to, (CUdeviceptr)(uintptr_t)memory, bytes));
}

static void with_npp(void)
{
    with_context();
    check_status(nppGetStreamContext(&context), NPP_SUCCESS);
}

enum { SCRATCH = 8 << 20 };

TEST(regions_have_the_index_of_their_first_pixel)
{
    static const Npp8u pixels[12] = {1, 1, 2, 2, 2, 1, 2, 1, 2, 2, 1, 1};
    static const Npp32u by_corners[12] = {0, 0, 2, 2, 4, 0, 2, 7, 4, 4, 7, 7};
    static const Npp32u ranks[12] = {0, 0, 1, 1, 2, 0, 1, 3, 2, 2, 3, 3};
    NppiSize size = {4, 3};
    Npp8u *source, *scratch;
    Npp32u *labels, result[12];
    int count = -1;

    with_npp();
    source = device_copy(pixels, sizeof(pixels));
    labels = device_memory(sizeof(result));
    scratch = device_memory(SCRATCH);
    check_status(
        nppiLabelMarkersUF_8u32u_C1R_Ctx(source, 4, labels, 16, size, nppiNormL1, scratch, context),
        NPP_SUCCESS);
    fetch(result, labels, sizeof(result));
    check(memcmp(result, by_corners, sizeof(result)) == 0);
    check_status(
        nppiCompressMarkerLabelsUF_32u_C1IR_Ctx(labels, 16, size, 12, &count, scratch, context),
        NPP_SUCCESS);
    fetch(result, labels, sizeof(result));
    check(count == 4);
    check(memcmp(result, ranks, sizeof(result)) == 0);
    check_status(
        nppiLabelMarkersUF_8u32u_C1R_Ctx(source, 4, labels, 16, size, nppiNormL2, scratch, context),
        NPP_BAD_ARGUMENT_ERROR);
}

/* Rows repeat; the basins of 8 on the left meet those of 18 in the sixth column. */
TEST(watersheds_take_the_values_of_their_bottoms)
{
    static const Npp8u rows[2][9] = {{47, 8, 15, 128, 152, 251, 39, 18, 120},
                                     {247, 48, 23, 232, 224, 163, 175, 250, 64}};
    Npp8u pixels[54], result[54], *image, *scratch;
    NppiSize size = {9, 6};

    with_npp();
    for (int y = 0; y < 6; y++)
        memcpy(pixels + 9 * y, rows[y % 2], 9);
    image = device_copy(pixels, sizeof(pixels));
    scratch = device_memory(SCRATCH);
    check_status(nppiSegmentWatershed_8u_C1IR_Ctx(image, 9, NULL, 0, nppiNormInf,
                                                  NPP_WATERSHED_SEGMENT_BOUNDARIES_CONTRAST, size,
                                                  scratch, context),
                 NPP_SUCCESS);
    fetch(result, image, sizeof(result));
    for (int i = 0; i < 54; i++)
        check(result[i] == (i % 9 < 5 ? 8 : i % 9 == 5 ? 255 : 18));
}

/* A step from 0 to 100: the gradient is longest on both sides of it. */
TEST(canny_keeps_the_longest_gradients)
{
    enum { SIDE = 16 };
    Npp8u pixels[SIDE * SIDE], result[SIDE * SIDE], *source, *target, *scratch;
    Npp16s lengths[SIDE * SIDE], *length;
    NppiSize size = {SIDE, SIDE};
    NppiPoint origin = {0, 0};

    with_npp();
    for (int i = 0; i < SIDE * SIDE; i++)
        pixels[i] = i % SIDE < 8 ? 0 : 100;
    source = device_copy(pixels, sizeof(pixels));
    target = device_memory(sizeof(pixels));
    length = device_memory(sizeof(lengths));
    scratch = device_memory(SCRATCH);
    check_status(nppiFilterCannyBorder_8u_C1R_Ctx(source, SIDE, size, origin, target, SIDE, size,
                                                  NPP_FILTER_SOBEL, NPP_MASK_SIZE_3_X_3, 100, 200,
                                                  nppiNormL2, NPP_BORDER_REPLICATE, scratch,
                                                  context),
                 NPP_SUCCESS);
    check_status(nppiGradientVectorSobelBorder_8u16s_C1R_Ctx(
                     source, SIDE, size, origin, NULL, 0, NULL, 0, length, 2 * SIDE, NULL, 0, size,
                     NPP_MASK_SIZE_3_X_3, nppiNormL2, NPP_BORDER_REPLICATE, context),
                 NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    fetch(lengths, length, sizeof(lengths));
    for (int i = 0; i < SIDE * SIDE; i++) {
        bool beside = i % SIDE == 7 || i % SIDE == 8;

        check(result[i] == (beside ? 255 : 0));
        check(lengths[i] == (beside ? 400 : 0));
    }
    check_status(nppiFilterCannyBorder_8u_C1R_Ctx(source, SIDE, size, origin, target, SIDE, size,
                                                  NPP_FILTER_SOBEL, NPP_MASK_SIZE_3_X_3, 200, 100,
                                                  nppiNormL2, NPP_BORDER_REPLICATE, scratch,
                                                  context),
                 NPP_BAD_ARGUMENT_ERROR);
}

TEST(floods_fill_what_is_connected)
{
    static const Npp8u pixels[12] = {1, 1, 5, 1, 1, 2, 5, 1, 5, 5, 5, 1};
    static const Npp8u equal[12] = {9, 9, 5, 1, 9, 2, 5, 1, 5, 5, 5, 1};
    static const Npp8u near_seed[12] = {9, 9, 5, 1, 9, 9, 5, 1, 5, 5, 5, 1};
    NppiConnectedRegion region;
    NppiSize size = {4, 3};
    NppiPoint seed = {0, 0};
    Npp8u result[12], *image, *scratch;

    with_npp();
    scratch = device_memory(SCRATCH);
    image = device_copy(pixels, sizeof(pixels));
    check_status(
        nppiFloodFill_8u_C1IR_Ctx(image, 4, seed, 9, nppiNormInf, size, &region, scratch, context),
        NPP_SUCCESS);
    fetch(result, image, sizeof(result));
    check(memcmp(result, equal, sizeof(result)) == 0);
    check(region.nConnectedPixelCount == 3 && region.aSeedPixelValue[0] == 1);
    image = device_copy(pixels, sizeof(pixels));
    check_status(nppiFloodFillGradient_8u_C1IR_Ctx(image, 4, seed, 1, 1, 9, nppiNormL1, size,
                                                   &region, scratch, context),
                 NPP_SUCCESS);
    fetch(result, image, sizeof(result));
    check(memcmp(result, near_seed, sizeof(result)) == 0);
    check(region.nConnectedPixelCount == 4);
}

TEST(distances_are_exact)
{
    enum { SIDE = 64 };
    static Npp8u pixels[SIDE * SIDE];
    static Npp16u distances[SIDE * SIDE];
    static Npp16s sites[2 * SIDE * SIDE];
    NppiSize size = {SIDE, SIDE};
    Npp8u *source, *scratch;
    Npp16u *distance;
    Npp16s *site;

    with_npp();
    memset(pixels, 255, sizeof(pixels));
    pixels[10 * SIDE + 20] = 0;
    source = device_copy(pixels, sizeof(pixels));
    distance = device_memory(sizeof(distances));
    site = device_memory(sizeof(sites));
    scratch = device_memory(SCRATCH);
    check_status(nppiDistanceTransformPBA_8u16u_C1R_Ctx(source, SIDE, 0, 0, site, 4 * SIDE, NULL, 0,
                                                        NULL, 0, distance, 2 * SIDE, size, scratch,
                                                        context),
                 NPP_SUCCESS);
    fetch(distances, distance, sizeof(distances));
    fetch(sites, site, sizeof(sites));
    check(distances[10 * SIDE + 20] == 0 && distances[14 * SIDE + 23] == 5);
    check(distances[0] == 22); /* the root of 500, without its fraction */
    check(sites[0] == 20 && sites[1] == 10);
    size.width = 63;
    check_status(nppiDistanceTransformPBA_8u16u_C1R_Ctx(source, SIDE, 0, 0, site, 4 * SIDE, NULL, 0,
                                                        NULL, 0, distance, 2 * SIDE, size, scratch,
                                                        context),
                 NPP_SIZE_ERROR);
}

/* Sites are the pixels from 0.25 to 0.5. */
TEST(distances_of_floats_are_those_of_the_nearest_site)
{
    enum { WIDTH = 67, HEIGHT = 64, SITES = 9 };
    static Npp32f pixels[WIDTH * HEIGHT];
    static Npp64f distances[WIDTH * HEIGHT];
    static Npp16u apart[2 * WIDTH * HEIGHT];
    NppiSize size = {WIDTH, HEIGHT};
    int sites[SITES], sum;
    Npp32f *source;
    Npp64f *distance;
    Npp16u *difference;

    with_npp();
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = i % 2 ? 0.125F : 0.75F;
    for (int i = 0; i < SITES; i++) {
        sites[i] = (i * 1237 + 91) % (WIDTH * HEIGHT);
        pixels[sites[i]] = i % 2 ? 0.25F : 0.5F;
    }
    source = device_copy(pixels, sizeof(pixels));
    distance = device_memory(sizeof(distances));
    difference = device_memory(sizeof(apart));
    check_status(nppiDistanceTransformAbsPBA_32f64f_C1R_Ctx(
                     source, 4 * WIDTH, 0.25F, 0.5F, NULL, 0, NULL, 0, difference, 4 * WIDTH,
                     distance, 8 * WIDTH, size, device_memory(SCRATCH), NULL, context),
                 NPP_SUCCESS);
    fetch(distances, distance, sizeof(distances));
    fetch(apart, difference, sizeof(apart));
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        int least = 2 * WIDTH * WIDTH, x = apart[2 * i], y = apart[2 * i + 1];

        for (int j = 0; j < SITES; j++) {
            int dx = i % WIDTH - sites[j] % WIDTH, dy = i / WIDTH - sites[j] / WIDTH;

            sum = dx * dx + dy * dy;
            least = sum < least ? sum : least;
        }
        check(x * x + y * y == least && distances[i] == sqrt(least));
    }
    check_status(nppiDistanceTransformAbsPBA_32f64f_C1R_Ctx(
                     source, 4 * WIDTH, 0.25F, 0.5F, NULL, 0, NULL, 0, difference, 4 * WIDTH,
                     distance, 8 * WIDTH, size, device_memory(SCRATCH), device_memory(SCRATCH),
                     context),
                 NPP_NOT_IMPLEMENTED_ERROR);
}

TEST(colors_follow_their_formulas)
{
    static const Npp8u red_and_gray[6] = {255, 0, 0, 100, 100, 100};
    static const Npp8u pattern[16] = {200, 100, 200, 100, 100, 50, 100, 50,
                                      200, 100, 200, 100, 100, 50, 100, 50};
    NppiSize size = {2, 1}, square = {4, 4};
    NppiRect all = {0, 0, 4, 4};
    Npp8u result[48], *source, *target;

    with_npp();
    source = device_copy(red_and_gray, sizeof(red_and_gray));
    target = device_memory(sizeof(result));
    check_status(nppiRGBToHSV_8u_C3R_Ctx(source, 6, target, 6, size, context), NPP_SUCCESS);
    fetch(result, target, 6);
    check(memcmp(result, (Npp8u[]){0, 255, 255, 0, 0, 100}, 6) == 0);
    check_status(nppiGammaFwd_8u_C3R_Ctx(source, 6, target, 6, size, context), NPP_SUCCESS);
    fetch(result, target, 6);
    check(result[0] == 255 && result[1] == 0 && result[3] == 158);
    source = device_copy(pattern, sizeof(pattern));
    check_status(nppiCFAToRGB_8u_C1C3R_Ctx(source, 4, square, all, target, 12, NPPI_BAYER_RGGB,
                                           NPPI_INTER_UNDEFINED, context),
                 NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    for (int i = 0; i < 48; i++)
        check(result[i] == (i % 3 == 0 ? 200 : i % 3 == 1 ? 100 : 50));
}

TEST(two_sources_are_compared)
{
    static const Npp8u first[4] = {10, 20, 30, 40}, second[4] = {10, 25, 30, 20};
    NppiSize size = {4, 1};
    Npp8u *a, *b, *scratch;
    double *error, result;
    float *mse, mean;

    with_npp();
    a = device_copy(first, sizeof(first));
    b = device_copy(second, sizeof(second));
    scratch = device_memory(SCRATCH);
    error = device_memory(sizeof(*error));
    mse = device_memory(sizeof(*mse));
    check_status(nppiAverageError_8u_C1R_Ctx(a, 4, b, 4, size, error, scratch, context),
                 NPP_SUCCESS);
    fetch(&result, error, sizeof(result));
    check(result == 6.25);
    check_status(nppiMaximumRelativeError_8u_C1R_Ctx(a, 4, b, 4, size, error, scratch, context),
                 NPP_SUCCESS);
    fetch(&result, error, sizeof(result));
    check(result == 0.5);
    check_status(nppiMSE_8u_C1R_Ctx(a, 4, b, 4, size, mse, scratch, context), NPP_SUCCESS);
    fetch(&mean, mse, sizeof(mean));
    check(mean == 106.25F);
}

TEST(integer_signals_have_statistics)
{
    static const Npp16s samples[5] = {3, -7, 12, -7, 4};
    Npp16s *source, *extreme, value;
    Npp8u *scratch;
    int *place, index;
    Npp32s *sum, total;

    with_npp();
    source = device_copy(samples, sizeof(samples));
    scratch = device_memory(SCRATCH);
    extreme = device_memory(sizeof(*extreme));
    place = device_memory(sizeof(*place));
    sum = device_memory(sizeof(*sum));
    check_status(nppsMinIndx_16s_Ctx(source, 5, extreme, place, scratch, context), NPP_SUCCESS);
    fetch(&value, extreme, sizeof(value));
    fetch(&index, place, sizeof(index));
    check(value == -7 && index == 1);
    check_status(nppsMaxAbs_16s_Ctx(source, 5, extreme, scratch, context), NPP_SUCCESS);
    fetch(&value, extreme, sizeof(value));
    check(value == 12);
    check_status(nppsSum_16s32s_Sfs_Ctx(source, 5, sum, 0, scratch, context), NPP_SUCCESS);
    fetch(&total, sum, sizeof(total));
    check(total == 5);
}
