/* SPDX-License-Identifier: MIT */
/* NPP: quadrangles, and batches of geometry. The matrices, quadrangles and boxes are what NVIDIA's
 * library answered; warps between quadrangles and batches do what the functions for one image do
 * with the same matrix. */
#include "test.h"

#include <math.h>
#include <npp.h>
#include <stdint.h>
#include <string.h>

enum { WIDTH = 24, HEIGHT = 16, PIXELS = WIDTH * HEIGHT };

static NppStreamContext context;
static const NppiSize size = {WIDTH, HEIGHT};
static const NppiRect whole = {0, 0, WIDTH, HEIGHT};

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

/* An image of different pixels; that of seed 0 has zeros alone. */
static Npp8u *image(int seed)
{
    Npp8u pixels[PIXELS];

    for (int i = 0; i < PIXELS; i++)
        pixels[i] = (Npp8u)(seed * (i % WIDTH * 9 + i / WIDTH * 5 + i * i % 7));
    return device_copy(pixels, sizeof(pixels));
}

static void check_same(const void *a, const void *b)
{
    Npp8u left[PIXELS], right[PIXELS];
    int different = 0;

    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(left, (CUdeviceptr)(uintptr_t)a, PIXELS));
    check_success(cuMemcpyDtoH(right, (CUdeviceptr)(uintptr_t)b, PIXELS));
    check(memcmp(left, right, PIXELS) == 0);
    for (int i = 1; i < PIXELS; i++)
        different += left[i] != left[0];
    check(different > PIXELS / 8);
}

static void check_numbers(const void *numbers, const double *expected, int count)
{
    for (int i = 0; i < count; i++)
        check(fabs(((const double *)numbers)[i] - expected[i]) <= 1e-12 * (1 + fabs(expected[i])));
}

static const NppiRect rect = {3, 5, 10, 8};

TEST(matrices_map_a_rectangle_to_a_quadrangle)
{
    static const double upright[4][2] = {{0, 0}, {20, 0}, {20, 10}, {0, 10}};
    static const double parallel[4][2] = {{1, 2}, {11, 4}, {14, 15}, {4, 13}};
    static const double other[4][2] = {{1, 2}, {11, 4}, {17, 15}, {4, 13}};
    static const double line[4][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
    static const double of_upright[] = {2, 0, -6, 0, 1.25, -6.25, 0, 0, 1};
    static const double of_parallel[] = {1, 0.375, -3.875, 0.2, 1.375, -6};
    static const double perspective[] = {
        0.91840480560654125,  0.21775404638745202,   -2.9696312364425159,
        0.19088937093275493,  0.84431837143333888,   -3.0455531453362257,
        0.004004672117470384, -0.027532120807608879, 1};
    double affine[2][3], matrix[3][3];

    check_status(nppiGetAffineTransform(rect, upright, affine), NPP_SUCCESS);
    check_numbers(affine, of_upright, 6);
    check_status(nppiGetAffineTransform(rect, parallel, affine), NPP_AFFINE_QUAD_INCORRECT_WARNING);
    check_numbers(affine, of_parallel, 6);
    check_status(nppiGetAffineTransform((NppiRect){0, 0, 2, 2}, parallel, affine), NPP_SUCCESS);
    check_status(nppiGetAffineTransform(rect, line, affine), NPP_COEFFICIENT_ERROR);
    check_status(nppiGetAffineTransform((NppiRect){0, 0, 1, 5}, upright, affine),
                 NPP_RECTANGLE_ERROR);
    check_status(nppiGetPerspectiveTransform(rect, upright, matrix), NPP_SUCCESS);
    check_numbers(matrix, of_upright, 9);
    check_status(nppiGetPerspectiveTransform(rect, other, matrix), NPP_SUCCESS);
    check_numbers(matrix, perspective, 9);
    check_status(nppiGetPerspectiveTransform((NppiRect){0, 0, -1, 4}, upright, matrix),
                 NPP_RECTANGLE_ERROR);
}

TEST(matrices_and_angles_move_the_corners_of_a_rectangle)
{
    static const double coeffs[3][3] = {{2, 0.5, 3}, {-0.25, 1.5, -4}, {0.01, 0.02, 1}};
    static const double affine[] = {11.5, 2.75, 29.5, 0.5, 33, 11, 15, 13.25};
    static const double affine_bound[] = {11.5, 0.5, 33, 13.25};
    static const double perspective[] = {10.176991150442479, 2.4336283185840708, 24.180327868852459,
                                         0.4098360655737705, 24.264705882352942, 8.0882352941176485,
                                         11.811023622047244, 10.433070866141732};
    static const double turned[] = {6.098076211353316,   4.8301270189221936, 13.892304845413264,
                                    0.33012701892219454, 17.392304845413264, 6.3923048454132649,
                                    9.598076211353316,   10.892304845413264};
    static const double turned_bound[] = {6.098076211353316, 0.33012701892219454,
                                          17.392304845413264, 10.892304845413264};
    double quad[4][2], bound[2][2];
    NppiRect resized;

    check_status(nppiGetAffineQuad(rect, quad, coeffs), NPP_SUCCESS);
    check_numbers(quad, affine, 8);
    check_status(nppiGetAffineBound(rect, bound, coeffs), NPP_SUCCESS);
    check_numbers(bound, affine_bound, 4);
    check_status(nppiGetPerspectiveQuad(rect, quad, coeffs), NPP_SUCCESS);
    check_numbers(quad, perspective, 8);
    check_status(nppiGetPerspectiveBound((NppiRect){0, 0, 4, 0}, bound, coeffs), NPP_SIZE_ERROR);
    check_status(nppiGetRotateQuad(rect, quad, 30, 1, 2), NPP_SUCCESS);
    check_numbers(quad, turned, 8);
    check_status(nppiGetRotateBound(rect, bound, 30, 1, 2), NPP_SUCCESS);
    check_numbers(bound, turned_bound, 4);
    check_status(nppiGetResizeRect(rect, &resized, 1.5, 0.3, 1.25, -2.5, NPPI_INTER_LINEAR),
                 NPP_SUCCESS);
    check(resized.x == 6 && resized.y == -1 && resized.width == 15 && resized.height == 2);
    check_status(nppiGetResizeRect((NppiRect){0, 0, 2, 2}, &resized, 0.1, 0.1, 0, 0, NPPI_INTER_NN),
                 NPP_RESIZE_NO_OPERATION_ERROR);
    check_status(nppiGetResizeRect(rect, &resized, 0, 1, 0, 0, 99), NPP_RESIZE_FACTOR_ERROR);
    check_status(nppiGetResizeRect(rect, &resized, 1, 1, 0, 0, 99), NPP_INTERPOLATION_ERROR);
}

static const double edges[4][2] = {{0, 0}, {WIDTH, 0}, {WIDTH, HEIGHT}, {0, HEIGHT}};

TEST(quadrangles_are_warped_by_the_matrix_between_them)
{
    static const double leaning[4][2] = {{2, 1}, {20, 3}, {22, 14}, {1, 12}};
    double matrix[3][3];
    Npp8u *source, *one, *other;

    with_npp();
    source = image(1);
    one = image(0);
    other = image(0);
    check_status(nppiGetPerspectiveTransform(whole, leaning, matrix), NPP_SUCCESS);
    check_status(nppiWarpPerspective_8u_C1R_Ctx(source, size, WIDTH, whole, one, WIDTH, whole,
                                                (const double(*)[3])matrix, NPPI_INTER_LINEAR,
                                                context),
                 NPP_SUCCESS);
    check_status(nppiWarpPerspectiveQuad_8u_C1R_Ctx(source, size, WIDTH, whole, edges, other, WIDTH,
                                                    whole, leaning, NPPI_INTER_LINEAR, context),
                 NPP_SUCCESS);
    check_same(one, other);
}

TEST(three_vertices_settle_an_affine_warp)
{
    static const double shifted[4][2] = {
        {3, 2}, {3 + WIDTH, 2}, {3 + WIDTH, 2 + HEIGHT}, {3, 2 + HEIGHT}};
    static const double shift[2][3] = {{1, 0, 3}, {0, 1, 2}};
    double wrong[4][2];
    Npp8u *source, *one, *other;

    with_npp();
    source = image(1);
    one = image(0);
    other = image(0);
    check_status(nppiWarpAffine_8u_C1R_Ctx(source, size, WIDTH, whole, one, WIDTH, whole, shift,
                                           NPPI_INTER_NN, context),
                 NPP_SUCCESS);
    check_status(nppiWarpAffineQuad_8u_C1R_Ctx(source, size, WIDTH, whole, edges, other, WIDTH,
                                               whole, shifted, NPPI_INTER_NN, context),
                 NPP_SUCCESS);
    check_same(one, other);
    memcpy(wrong, shifted, sizeof(wrong));
    wrong[3][0] += 1;
    check_status(nppiWarpAffineQuad_8u_C1R_Ctx(source, size, WIDTH, whole, edges, image(0), WIDTH,
                                               whole, (const double(*)[2])wrong, NPPI_INTER_NN,
                                               context),
                 NPP_AFFINE_QUAD_INCORRECT_WARNING);
}

TEST(wrong_quadrangles_are_told)
{
    static const double flat[4][2] = {{0, 0}, {4, 4}, {8, 8}, {0, 8}};
    static const double away[4][2] = {{100, 100}, {120, 100}, {120, 120}, {100, 120}};
    Npp8u *source;

    with_npp();
    source = image(1);
    check_status(nppiWarpPerspectiveQuad_8u_C1R_Ctx(source, size, WIDTH, whole, edges, image(0),
                                                    WIDTH, whole, flat, NPPI_INTER_NN, context),
                 NPP_QUADRANGLE_ERROR);
    check_status(nppiWarpAffineQuad_8u_C1R_Ctx(source, size, WIDTH, whole, edges, image(0), WIDTH,
                                               whole, away, NPPI_INTER_NN, context),
                 NPP_WRONG_INTERSECTION_QUAD_WARNING);
}

TEST(batches_mirror_each_image)
{
    static const NppiSize narrow = {WIDTH / 4, HEIGHT};
    const Npp32f *sources[2];
    Npp32f *targets[2], *expected[2];
    NppiMirrorBatchCXR list[2], *device_list;

    with_npp();
    for (int i = 0; i < 2; i++) {
        sources[i] = (const Npp32f *)image(i + 1);
        targets[i] = (Npp32f *)image(0);
        expected[i] = (Npp32f *)image(0);
        list[i] = (NppiMirrorBatchCXR){sources[i], WIDTH, targets[i], WIDTH};
        check_status(nppiMirror_32f_C1R_Ctx(sources[i], WIDTH, expected[i], WIDTH, narrow,
                                            NPP_BOTH_AXIS, context),
                     NPP_SUCCESS);
    }
    device_list = device_copy(list, sizeof(list));
    check_status(nppiMirrorBatch_32f_C1R_Ctx(narrow, NPP_BOTH_AXIS, device_list, 2, context),
                 NPP_SUCCESS);
    for (int i = 0; i < 2; i++)
        check_same(targets[i], expected[i]);
    check_status(nppiMirrorBatch_32f_C1R_Ctx(narrow, NPP_BOTH_AXIS, NULL, 2, context),
                 NPP_NULL_POINTER_ERROR);
    check_status(nppiMirrorBatch_32f_C1R_Ctx(narrow, NPP_BOTH_AXIS, device_list, 0, context),
                 NPP_SIZE_ERROR);
}

TEST(batches_resize_each_image)
{
    static const NppiRect part = {2, 1, 12, 10};
    NppiImageDescriptor from[2], to[2];
    NppiResizeBatchROI_Advanced regions[2];
    NppiResizeBatchCXR list[2];
    Npp8u *targets[2], *advanced[2], *expected[2];

    with_npp();
    for (int i = 0; i < 2; i++) {
        Npp8u *source = image(i + 1);

        targets[i] = image(0);
        advanced[i] = image(0);
        expected[i] = image(0);
        list[i] = (NppiResizeBatchCXR){source, WIDTH, targets[i], WIDTH};
        from[i] = (NppiImageDescriptor){source, WIDTH, size};
        to[i] = (NppiImageDescriptor){advanced[i], WIDTH, size};
        regions[i] = (NppiResizeBatchROI_Advanced){part, whole};
        check_status(nppiResize_8u_C1R_Ctx(source, WIDTH, size, part, expected[i], WIDTH, size,
                                           whole, NPPI_INTER_LINEAR, context),
                     NPP_SUCCESS);
    }
    check_status(nppiResizeBatch_8u_C1R_Ctx(size, part, size, whole, NPPI_INTER_LINEAR,
                                            device_copy(list, sizeof(list)), 2, context),
                 NPP_SUCCESS);
    check_status(nppiResizeBatch_8u_C1R_Advanced_Ctx(
                     WIDTH, HEIGHT, device_copy(from, sizeof(from)), device_copy(to, sizeof(to)),
                     device_copy(regions, sizeof(regions)), 2, NPPI_INTER_LINEAR, context),
                 NPP_SUCCESS);
    for (int i = 0; i < 2; i++) {
        check_same(targets[i], expected[i]);
        check_same(advanced[i], expected[i]);
    }
}

TEST(batches_warp_each_image_by_its_own_matrix)
{
    static const double coeffs[2][2][3] = {{{1, 0.25, 1}, {0.125, 1, -2}},
                                           {{0.5, 0, 3}, {0, 2, 1}}};
    NppiWarpAffineBatchCXR list[2] = {0}, *device_list;
    Npp8u *targets[2], *expected[2];

    with_npp();
    for (int i = 0; i < 2; i++) {
        Npp8u *source = image(i + 1);

        targets[i] = image(0);
        expected[i] = image(0);
        list[i].pSrc = source;
        list[i].nSrcStep = list[i].nDstStep = WIDTH;
        list[i].pDst = targets[i];
        list[i].pCoeffs = device_copy(coeffs[i], sizeof(coeffs[i]));
        check_status(nppiWarpAffine_8u_C1R_Ctx(source, size, WIDTH, whole, expected[i], WIDTH,
                                               whole, coeffs[i], NPPI_INTER_LINEAR, context),
                     NPP_SUCCESS);
    }
    device_list = device_copy(list, sizeof(list));
    check_status(nppiWarpAffineBatchInit_Ctx(device_list, 2, context), NPP_SUCCESS);
    check_status(nppiWarpAffineBatch_8u_C1R_Ctx(size, whole, whole, NPPI_INTER_LINEAR, device_list,
                                                2, context),
                 NPP_SUCCESS);
    for (int i = 0; i < 2; i++)
        check_same(targets[i], expected[i]);
}
