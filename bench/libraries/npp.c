/* SPDX-License-Identifier: MIT */
/* NPP beside plain loops in C over the same image, compiled with the optimization of this program.
 * Prints milliseconds of wall-clock time and how many times slower NPP is; the loops use one
 * processor, NPP all that the driver has. */
#include "bench.h"

#include <cuda_runtime_api.h>
#include <npp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 1920, HEIGHT = 1080, ROUNDS = 21 };

static const NppiSize size = {WIDTH, HEIGHT}, inner = {WIDTH - 8, HEIGHT - 8};
static NppStreamContext context;
static uint8_t *a8, *b8, *d8, *color8, *other8;
static float *a32, *d32;

static void add_npp(void)
{
    nppiAdd_8u_C1RSfs_Ctx(a8, WIDTH, b8, WIDTH, d8, WIDTH, size, 0, context);
}

static void add_plain(void)
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        int sum = a8[i] + b8[i];

        d8[i] = (uint8_t)(sum > 255 ? 255 : sum);
    }
}

static void constant_npp(void)
{
    static const Npp8u constants[3] = {10, 20, 30};

    nppiSubC_8u_C3RSfs_Ctx(color8, 3 * WIDTH, constants, other8, 3 * WIDTH, size, 0, context);
}

static void constant_plain(void)
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        for (size_t c = 0; c < 3; c++) {
            int difference = color8[3 * i + c] - 10 * ((int)c + 1);

            other8[3 * i + c] = (uint8_t)(difference < 0 ? 0 : difference);
        }
    }
}

static void difference_npp(void)
{
    nppiAbsDiff_8u_C1R_Ctx(a8, WIDTH, b8, WIDTH, d8, WIDTH, size, context);
}

static void difference_plain(void)
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        d8[i] = (uint8_t)(a8[i] > b8[i] ? a8[i] - b8[i] : b8[i] - a8[i]);
}

static void set_npp(void)
{
    static const Npp8u values[3] = {10, 20, 30};

    nppiSet_8u_C3R_Ctx(values, color8, 3 * WIDTH, size, context);
}

static void set_plain(void)
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        for (size_t c = 0; c < 3; c++)
            color8[3 * i + c] = (uint8_t)(10 * (c + 1));
    }
}

static void copy_npp(void)
{
    Npp8u *planes[3] = {a8, b8, d8};

    nppiCopy_8u_C3P3R_Ctx(color8, 3 * WIDTH, planes, WIDTH, size, context);
}

static void copy_plain(void)
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        a8[i] = color8[3 * i];
        b8[i] = color8[3 * i + 1];
        d8[i] = color8[3 * i + 2];
    }
}

static void convert_npp(void)
{
    nppiConvert_8u32f_C1R_Ctx(a8, WIDTH, d32, 4 * WIDTH, size, context);
}

static void convert_plain(void)
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        d32[i] = a8[i];
}

static void threshold_npp(void)
{
    nppiThreshold_LTVal_8u_C1R_Ctx(a8, WIDTH, d8, WIDTH, size, 100, 7, context);
}

static void threshold_plain(void)
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        d8[i] = a8[i] < 100 ? 7 : a8[i];
}

static void compare_npp(void)
{
    nppiCompareC_8u_C1R_Ctx(a8, WIDTH, 100, d8, WIDTH, size, NPP_CMP_GREATER, context);
}

static void compare_plain(void)
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        d8[i] = a8[i] > 100 ? 255 : 0;
}

static void mirror_npp(void)
{
    nppiMirror_8u_C1R_Ctx(a8, WIDTH, d8, WIDTH, size, NPP_VERTICAL_AXIS, context);
}

static void mirror_plain(void)
{
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++)
            d8[y * WIDTH + x] = a8[y * WIDTH + WIDTH - 1 - x];
    }
}

/* Pixels of each size, as functions transpose them and as loops do. */
#define TRANSPOSE(name, type, channels)                                                            \
    static void transpose_##name##_npp(void)                                                       \
    {                                                                                              \
        nppiTranspose_##name##R_Ctx((const void *)a32, WIDTH *(int)sizeof(type) * (channels),      \
                                    (void *)d32, HEIGHT * (int)sizeof(type) * (channels), size,    \
                                    context);                                                      \
    }                                                                                              \
                                                                                                   \
    static void transpose_##name##_plain(void)                                                     \
    {                                                                                              \
        typedef struct {                                                                           \
            type values[channels];                                                                 \
        } pixel;                                                                                   \
        const pixel *from = (const void *)a32;                                                     \
        pixel *to = (void *)d32;                                                                   \
                                                                                                   \
        for (int x = 0; x < WIDTH; x++) {                                                          \
            for (int y = 0; y < HEIGHT; y++)                                                       \
                to[x * HEIGHT + y] = from[y * WIDTH + x];                                          \
        }                                                                                          \
    }

TRANSPOSE(8u_C1, uint8_t, 1)
TRANSPOSE(8u_C3, uint8_t, 3)
TRANSPOSE(8u_C4, uint8_t, 4)
TRANSPOSE(16u_C1, uint16_t, 1)
TRANSPOSE(16u_C3, uint16_t, 3)
TRANSPOSE(32f_C1, float, 1)
TRANSPOSE(32f_C3, float, 3)
TRANSPOSE(32f_C4, float, 4)

static void multiply_npp(void)
{
    nppiMulC_32f_C1R_Ctx(a32, 4 * WIDTH, 1.5F, d32, 4 * WIDTH, size, context);
}

static void multiply_plain(void)
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        d32[i] = a32[i] * 1.5F;
}

static void box_npp(void)
{
    nppiFilterBox_8u_C1R_Ctx(a8 + 4 * WIDTH + 4, WIDTH, d8, WIDTH, inner, (NppiSize){5, 5},
                             (NppiPoint){2, 2}, context);
}

static void box_plain(void)
{
    for (int y = 0; y < inner.height; y++) {
        for (int x = 0; x < inner.width; x++) {
            int sum = 0;

            for (int j = 2; j < 7; j++) {
                for (int i = 2; i < 7; i++)
                    sum += a8[(y + j) * WIDTH + x + i];
            }
            d8[y * WIDTH + x] = (uint8_t)(sum / 25);
        }
    }
}

static void resize_npp(void)
{
    nppiResize_8u_C1R_Ctx(a8, WIDTH, size, (NppiRect){0, 0, WIDTH, HEIGHT}, d8, WIDTH,
                          (NppiSize){WIDTH, HEIGHT}, (NppiRect){0, 0, WIDTH / 2, HEIGHT / 2},
                          NPPI_INTER_LINEAR, context);
}

static void resize_plain(void)
{
    for (int y = 0; y < HEIGHT / 2; y++) {
        for (int x = 0; x < WIDTH / 2; x++) {
            const uint8_t *at = a8 + 2 * y * WIDTH + 2 * x;
            float fx = 0.25F * (float)(x % 4), fy = 0.25F * (float)(y % 4);
            float upper = (float)at[0] * (1 - fx) + (float)at[1] * fx;
            float lower = (float)at[WIDTH] * (1 - fx) + (float)at[WIDTH + 1] * fx;

            d8[y * WIDTH + x] = (uint8_t)(upper * (1 - fy) + lower * fy + 0.5F);
        }
    }
}

static void nearest_npp(void)
{
    nppiResize_8u_C3R_Ctx(color8, 3 * WIDTH, size, (NppiRect){0, 0, WIDTH, HEIGHT}, other8,
                          3 * WIDTH, size, (NppiRect){0, 0, WIDTH / 2, HEIGHT / 2}, NPPI_INTER_NN,
                          context);
}

static void nearest_plain(void)
{
    for (int y = 0; y < HEIGHT / 2; y++) {
        for (int x = 0; x < WIDTH / 2; x++) {
            for (int c = 0; c < 3; c++)
                other8[3 * (y * WIDTH + x) + c] = color8[3 * (2 * y * WIDTH + 2 * x) + c];
        }
    }
}

static void gauss_npp(void)
{
    nppiFilterGauss_32f_C1R_Ctx(a32 + 4 * WIDTH + 4, 4 * WIDTH, d32, 4 * WIDTH, inner,
                                NPP_MASK_SIZE_3_X_3, context);
}

static void gauss_plain(void)
{
    static const float weights[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

    for (int y = 0; y < inner.height; y++) {
        for (int x = 0; x < inner.width; x++) {
            float sum = 0;

            for (int j = 0; j < 3; j++) {
                for (int i = 0; i < 3; i++)
                    sum += weights[3 * j + i] * a32[(y + j + 3) * WIDTH + x + i + 3];
            }
            d32[y * WIDTH + x] = sum / 16;
        }
    }
}

static void color_npp(void)
{
    const Npp8u *const planes[2] = {a8, b8};

    nppiNV12ToRGB_8u_P2C3R_Ctx(planes, WIDTH, color8, 3 * WIDTH, size, context);
}

static uint8_t clip(float value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void color_plain(void)
{
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const uint8_t *chroma = b8 + y / 2 * WIDTH + x / 2 * 2;
            uint8_t *to = color8 + 3 * ((size_t)y * WIDTH + (size_t)x);
            float luma = a8[y * WIDTH + x], u = (float)chroma[0] - 128, v = (float)chroma[1] - 128;

            to[0] = clip(luma + 1.140F * v);
            to[1] = clip(luma - 0.394F * u - 0.581F * v);
            to[2] = clip(luma + 2.032F * u);
        }
    }
}

static double measure(void (*work)(void))
{
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        double begin = bench_now();

        work();
        cudaDeviceSynchronize();
        if (bench_now() - begin < best)
            best = bench_now() - begin;
    }
    return best * 1e3;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*npp)(void), (*plain)(void);
    } cases[] = {
        {"Add_8u_C1RSfs", add_npp, add_plain},
        {"SubC_8u_C3RSfs", constant_npp, constant_plain},
        {"AbsDiff_8u_C1R", difference_npp, difference_plain},
        {"MulC_32f_C1R", multiply_npp, multiply_plain},
        {"Set_8u_C3R", set_npp, set_plain},
        {"Copy_8u_C3P3R", copy_npp, copy_plain},
        {"Convert_8u32f_C1R", convert_npp, convert_plain},
        {"Threshold_LTVal_8u_C1R", threshold_npp, threshold_plain},
        {"CompareC_8u_C1R", compare_npp, compare_plain},
        {"Mirror_8u_C1R", mirror_npp, mirror_plain},
        {"Transpose_8u_C1R", transpose_8u_C1_npp, transpose_8u_C1_plain},
        {"Transpose_8u_C3R", transpose_8u_C3_npp, transpose_8u_C3_plain},
        {"Transpose_8u_C4R", transpose_8u_C4_npp, transpose_8u_C4_plain},
        {"Transpose_16u_C1R", transpose_16u_C1_npp, transpose_16u_C1_plain},
        {"Transpose_16u_C3R", transpose_16u_C3_npp, transpose_16u_C3_plain},
        {"Transpose_32f_C1R", transpose_32f_C1_npp, transpose_32f_C1_plain},
        {"Transpose_32f_C3R", transpose_32f_C3_npp, transpose_32f_C3_plain},
        {"Transpose_32f_C4R", transpose_32f_C4_npp, transpose_32f_C4_plain},
        {"FilterBox_8u_C1R 5x5", box_npp, box_plain},
        {"FilterGauss_32f_C1R 3x3", gauss_npp, gauss_plain},
        {"Resize_8u_C3R nearest, half", nearest_npp, nearest_plain},
        {"Resize_8u_C1R linear, half", resize_npp, resize_plain},
        {"NV12ToRGB_8u_P2C3R", color_npp, color_plain},
    };
    size_t pixels = (size_t)WIDTH * HEIGHT;

    if (cudaMallocManaged((void **)&a8, pixels, cudaMemAttachGlobal) ||
        cudaMallocManaged((void **)&b8, pixels, cudaMemAttachGlobal) ||
        cudaMallocManaged((void **)&d8, pixels, cudaMemAttachGlobal) ||
        cudaMallocManaged((void **)&color8, 3 * pixels, cudaMemAttachGlobal) ||
        cudaMallocManaged((void **)&other8, 3 * pixels, cudaMemAttachGlobal) ||
        cudaMallocManaged((void **)&a32, 16 * pixels, cudaMemAttachGlobal) ||
        cudaMallocManaged((void **)&d32, 16 * pixels, cudaMemAttachGlobal) ||
        nppGetStreamContext(&context) != NPP_SUCCESS)
        return 1;
    for (size_t i = 0; i < pixels; i++) {
        a8[i] = (uint8_t)(i * 2654435761u >> 13);
        b8[i] = (uint8_t)(i * 2246822519u >> 11);
        a32[i] = (float)a8[i];
    }
    printf("%-28s %9s %9s %7s\n", "1920 x 1080", "NPP ms", "plain ms", "ratio");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        double npp = measure(cases[i].npp), plain = measure(cases[i].plain);

        printf("%-28s %9.3f %9.3f %7.2f\n", cases[i].name, npp, plain, npp / plain);
    }
    return 0;
}
