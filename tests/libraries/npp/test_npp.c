/* SPDX-License-Identifier: MIT */
/* NPP: some functions of each family, with answers that an H200 gave or that follow from the words
 * of the manual. */
#include "test.h"

#include <npp.h>
#include <stdint.h>
#include <string.h>

enum { WIDTH = 6, HEIGHT = 4, PIXELS = WIDTH * HEIGHT };

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

static void fetch(void *to, const void *memory, size_t bytes)
{
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(to, (CUdeviceptr)(uintptr_t)memory, bytes));
}

/* A context that is not filled is refused by functions of signals, and launches nothing. */
static void with_npp(void)
{
    with_context();
    check_status(nppGetStreamContext(&context), NPP_SUCCESS);
}

/* Pixels 0, 10, 20, ... 230. */
static void ramp(Npp8u pixels[PIXELS])
{
    for (int i = 0; i < PIXELS; i++)
        pixels[i] = (Npp8u)(10 * i);
}

static const NppiSize region = {WIDTH, HEIGHT};

TEST(sums_saturate_and_scale)
{
    Npp8u pixels[PIXELS], result[PIXELS];
    Npp8u *source, *target;

    with_npp();
    ramp(pixels);
    source = device_copy(pixels, PIXELS);
    target = device_copy(pixels, PIXELS);
    check_status(nppiAddC_8u_C1RSfs_Ctx(source, WIDTH, 100, target, WIDTH, region, 0, context),
                 NPP_SUCCESS);
    fetch(result, target, PIXELS);
    check(result[0] == 100 && result[15] == 250 && result[16] == 255 && result[23] == 255);
    check_status(
        nppiAdd_8u_C1RSfs_Ctx(source, WIDTH, source, WIDTH, target, WIDTH, region, 2, context),
        NPP_SUCCESS);
    fetch(result, target, PIXELS);
    /* 20 / 4 is 5; 10 * 2 / 4 is 5; halves go to even numbers. */
    check(result[1] == 5 && result[2] == 10 && result[3] == 15 && result[23] == 115);
    check_status(
        nppiSub_8u_C1RSfs_Ctx(source, WIDTH, target, WIDTH, target, WIDTH, region, 0, context),
        NPP_SUCCESS);
    fetch(result, target, PIXELS);
    check(result[1] == 0 && result[23] == 0);
}

TEST(comparisons_and_thresholds)
{
    Npp8u pixels[PIXELS], result[PIXELS];
    Npp8u *source, *target;

    with_npp();
    ramp(pixels);
    source = device_copy(pixels, PIXELS);
    target = device_copy(pixels, PIXELS);
    check_status(nppiCompareC_8u_C1R_Ctx(source, WIDTH, 50, target, WIDTH, region,
                                         NPP_CMP_GREATER_EQ, context),
                 NPP_SUCCESS);
    fetch(result, target, PIXELS);
    check(result[4] == 0 && result[5] == 255);
    check_status(
        nppiThreshold_LTVal_8u_C1R_Ctx(source, WIDTH, target, WIDTH, region, 50, 7, context),
        NPP_SUCCESS);
    fetch(result, target, PIXELS);
    check(result[4] == 7 && result[5] == 50);
}

TEST(filters_see_the_border)
{
    const NppiSize mask = {3, 3};
    const NppiPoint anchor = {1, 1}, origin = {0, 0};
    Npp8u pixels[PIXELS], result[PIXELS];
    Npp8u *source, *target;

    with_npp();
    ramp(pixels);
    source = device_copy(pixels, PIXELS);
    target = device_copy(pixels, PIXELS);
    check_status(nppiFilterBoxBorder_8u_C1R_Ctx(source, WIDTH, region, origin, target, WIDTH,
                                                region, mask, anchor, NPP_BORDER_REPLICATE,
                                                context),
                 NPP_SUCCESS);
    fetch(result, target, PIXELS);
    check(result[WIDTH + 1] == 70); /* the mean around a pixel of a ramp is the pixel */
    check(result[0] == 23);         /* (4*0 + 2*10 + 2*60 + 70) / 9 */
    check_status(nppiFilterBoxBorder_8u_C1R_Ctx(source, WIDTH, region, origin, target, WIDTH,
                                                region, mask, anchor, NPP_BORDER_WRAP, context),
                 NPP_NOT_SUPPORTED_MODE_ERROR);
    check_status(nppiDilate3x3Border_8u_C1R_Ctx(source, WIDTH, region, origin, target, WIDTH,
                                                region, NPP_BORDER_REPLICATE, context),
                 NPP_SUCCESS);
    fetch(result, target, PIXELS);
    check(result[0] == 70 && result[23] == 230);
}

TEST(statistics_of_a_region)
{
    Npp8u pixels[PIXELS];
    Npp64f zero[4] = {0}, *sum, result;
    Npp8u *source, *buffer;
    size_t bytes = 0;

    with_npp();
    ramp(pixels);
    source = device_copy(pixels, PIXELS);
    sum = device_copy(zero, sizeof(zero));
    check_status(nppiSumGetBufferHostSize_8u_C1R_Ctx(region, &bytes, context), NPP_SUCCESS);
    check(bytes > 0);
    buffer = nppsMalloc_8u(bytes);
    check(buffer != NULL);
    check_status(nppiSum_8u_C1R_Ctx(source, WIDTH, region, buffer, sum, context), NPP_SUCCESS);
    fetch(&result, sum, sizeof(result));
    check(result == 2760);
    check_status(nppiNorm_Inf_8u_C1R_Ctx(source, WIDTH, region, sum, buffer, context), NPP_SUCCESS);
    fetch(&result, sum, sizeof(result));
    check(result == 230);
    nppsFree(buffer);
}

TEST(resize_takes_the_nearest)
{
    const NppiSize large = {2 * WIDTH, 2 * HEIGHT};
    Npp8u pixels[PIXELS], result[4 * PIXELS] = {0};
    Npp8u *source, *target;

    with_npp();
    ramp(pixels);
    source = device_copy(pixels, PIXELS);
    target = device_copy(result, sizeof(result));
    check_status(nppiResize_8u_C1R_Ctx(
                     source, WIDTH, region, (NppiRect){0, 0, WIDTH, HEIGHT}, target, 2 * WIDTH,
                     large, (NppiRect){0, 0, 2 * WIDTH, 2 * HEIGHT}, NPPI_INTER_NN, context),
                 NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    for (int i = 0; i < 4 * PIXELS; i++)
        check(result[i] == pixels[i / (2 * WIDTH) / 2 * WIDTH + i % (2 * WIDTH) / 2]);
}

/* A ramp shows where samples are taken: enlarging begins a quarter of a pixel before. */
TEST(interpolation_follows_a_ramp)
{
    static const Npp32f linear[8] = {0, 0.25F, 0.75F, 1.25F, 1.75F, 2.25F, 2.75F, 3};
    Npp32f ramp_of_four[4] = {0, 1, 2, 3}, result[8] = {0};
    const Npp32f *source;
    Npp32f *target;

    with_npp();
    source = device_copy(ramp_of_four, sizeof(ramp_of_four));
    target = device_copy(result, sizeof(result));
    check_status(nppiResize_32f_C1R_Ctx(source, 16, (NppiSize){4, 1}, (NppiRect){0, 0, 4, 1},
                                        target, 32, (NppiSize){8, 1}, (NppiRect){0, 0, 8, 1},
                                        NPPI_INTER_LINEAR, context),
                 NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    for (int i = 0; i < 8; i++)
        check(result[i] == linear[i]);
    check_status(nppiResize_32f_C1R_Ctx(source, 16, (NppiSize){4, 1}, (NppiRect){0, 0, 4, 1},
                                        target, 32, (NppiSize){8, 1}, (NppiRect){0, 0, 8, 1},
                                        NPPI_INTER_CUBIC, context),
                 NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    check(result[0] == -0.0546875F && result[3] == 1.25F && result[4] == 1.75F);
    check_status(nppiResize_32f_C1R_Ctx(source, 16, (NppiSize){4, 1}, (NppiRect){0, 0, 4, 1},
                                        target, 32, (NppiSize){8, 1}, (NppiRect){0, 0, 8, 1},
                                        NPPI_INTER_SUPER, context),
                 NPP_RESIZE_FACTOR_ERROR);
}

/* Places of a map up to half a pixel before the image take its edge; those behind it nothing. */
TEST(maps_leave_what_is_outside)
{
    Npp8u pixels[4] = {10, 20, 30, 40}, result[4] = {7, 7, 7, 7};
    Npp32f places[4] = {-0.25F, 1.5F, 4, -1}, zeros[4] = {0};
    Npp8u *target;

    with_npp();
    target = device_copy(result, sizeof(result));
    check_status(nppiRemap_8u_C1R_Ctx(device_copy(pixels, sizeof(pixels)), (NppiSize){4, 1}, 4,
                                      (NppiRect){0, 0, 4, 1}, device_copy(places, sizeof(places)),
                                      16, device_copy(zeros, sizeof(zeros)), 16, target, 4,
                                      (NppiSize){4, 1}, NPPI_INTER_LINEAR, context),
                 NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    check(result[0] == 10 && result[1] == 25 && result[2] == 7 && result[3] == 7);
}

/* Alphas are parts of 256; halves go down. */
TEST(pictures_are_composed_over_others)
{
    Npp8u first[8] = {85, 86, 129, 102, 119, 37, 59, 181};
    Npp8u second[8] = {83, 135, 239, 119, 186, 187, 43, 61};
    static const Npp8u expected[8] = {57, 72, 118, 174, 97, 39, 45, 199};
    Npp8u result[8];
    Npp8u *target;

    with_npp();
    target = device_copy(first, sizeof(first));
    check_status(nppiAlphaComp_8u_AC4R_Ctx(device_copy(first, sizeof(first)), 8,
                                           device_copy(second, sizeof(second)), 8, target, 8,
                                           (NppiSize){2, 1}, NPPI_OP_ALPHA_OVER, context),
                 NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    check(memcmp(result, expected, sizeof(result)) == 0);
}

/* Gray is gray, and two pixels by two share chroma. */
TEST(luma_and_chroma_become_colors)
{
    Npp8u luma[8] = {50, 100, 150, 200, 50, 100, 150, 200}, chroma[4] = {128, 128, 128, 228};
    Npp8u result[24];
    const Npp8u *planes[2];
    Npp8u *target;

    with_npp();
    planes[0] = device_copy(luma, sizeof(luma));
    planes[1] = device_copy(chroma, sizeof(chroma));
    memset(result, 0, sizeof(result));
    target = device_copy(result, sizeof(result));
    check_status(nppiNV12ToRGB_8u_P2C3R_Ctx(planes, 4, target, 12, (NppiSize){4, 2}, context),
                 NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    check(result[0] == 50 && result[1] == 50 && result[2] == 50);
    check(result[6] == 255 && result[7] == 91 && result[8] == 150);
    check(memcmp(result, result + 12, 12) == 0);
}

/* Quotients of integers: NVIDIA's rounds those of 8 bits and truncates those of 32. */
TEST(divisions_round_by_their_type)
{
    Npp8u bytes[2] = {7, 11}, byte_result[2];
    Npp32s words[2] = {-47, 47}, word_result[2];
    Npp8u *byte_target;
    Npp32s *word_target;

    with_npp();
    byte_target = device_copy(bytes, sizeof(bytes));
    word_target = device_copy(words, sizeof(words));
    check_status(nppiDivC_8u_C1RSfs_Ctx(device_copy(bytes, sizeof(bytes)), 2, 4, byte_target, 2,
                                        (NppiSize){2, 1}, 0, context),
                 NPP_SUCCESS);
    check_status(nppiDivC_32s_C1RSfs_Ctx(device_copy(words, sizeof(words)), 8, 6, word_target, 8,
                                         (NppiSize){2, 1}, 0, context),
                 NPP_SUCCESS);
    fetch(byte_result, byte_target, sizeof(byte_result));
    fetch(word_result, word_target, sizeof(word_result));
    check(byte_result[0] == 2 && byte_result[1] == 3);
    check(word_result[0] == -7 && word_result[1] == 7);
}

TEST(work_is_in_the_order_of_its_stream)
{
    Npp8u pixels[PIXELS], result[PIXELS];
    NppStreamContext mine = {0};
    CUstream stream;
    Npp8u *source;

    with_npp();
    ramp(pixels);
    source = device_copy(pixels, PIXELS);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    mine.hStream = (cudaStream_t)stream;
    check_success(cuMemsetD8Async((CUdeviceptr)(uintptr_t)source, 3, PIXELS, stream));
    check_status(nppiMulC_8u_C1IRSfs_Ctx(5, source, WIDTH, region, 0, mine), NPP_SUCCESS);
    check_status(nppiAddC_8u_C1IRSfs_Ctx(1, source, WIDTH, region, 0, mine), NPP_SUCCESS);
    check_success(cuStreamSynchronize(stream));
    fetch(result, source, PIXELS);
    for (int i = 0; i < PIXELS; i++)
        check(result[i] == 16);
}

TEST(signals_are_computed)
{
    Npp32f signal[5] = {1, -2, 3, -4, 5}, result[5], sum;
    Npp32f *source, *target;
    CUdeviceptr buffer;
    size_t bytes;

    with_npp();
    source = device_copy(signal, sizeof(signal));
    target = device_copy(signal, sizeof(signal));
    check_status(nppsAbs_32f_Ctx(source, target, 5, context), NPP_SUCCESS);
    fetch(result, target, sizeof(result));
    check(result[1] == 2 && result[3] == 4);
    check_status(nppsSumGetBufferSize_32f_Ctx(5, &bytes, context), NPP_SUCCESS);
    check_success(cuMemAlloc(&buffer, bytes));
    check_status(nppsSum_32f_Ctx(source, 5, target, (Npp8u *)(uintptr_t)buffer, context),
                 NPP_SUCCESS);
    fetch(&sum, target, sizeof(sum));
    check(sum == 3);
}

/* An address that the device cannot access is the context's error, not a crash. */
TEST(wrong_addresses_are_the_contexts_error)
{
    Npp8u pixels[PIXELS];
    Npp8u *source;

    with_npp();
    ramp(pixels);
    source = device_copy(pixels, PIXELS);
    nppiAddC_8u_C1RSfs_Ctx(source, WIDTH, 1, (Npp8u *)(uintptr_t)0x1000, WIDTH, region, 0, context);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(wrong_arguments_are_refused)
{
    const NppiSize empty = {0, 4};
    Npp8u pixels[PIXELS];
    Npp8u *source;
    int step = 0;

    with_npp();
    ramp(pixels);
    source = device_copy(pixels, PIXELS);
    check_status(nppiAddC_8u_C1RSfs_Ctx(source, WIDTH, 1, NULL, WIDTH, region, 0, context),
                 NPP_NULL_POINTER_ERROR);
    check_status(nppiAddC_8u_C1RSfs_Ctx(source, WIDTH, 1, source, WIDTH, empty, 0, context),
                 NPP_SIZE_ERROR);
    check_status(nppiAddC_8u_C1RSfs_Ctx(source, WIDTH, 1, source, 0, region, 0, context),
                 NPP_STEP_ERROR);
    check(nppiMalloc_8u_C3(100, 10, &step) != NULL && step >= 300);
    check(nppiMalloc_8u_C3(0, 10, &step) == NULL);
}
