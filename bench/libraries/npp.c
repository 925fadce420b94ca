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

enum { WIDTH = 1920, HEIGHT = 1080, ROUNDS = 7 };

static const NppiSize size = {WIDTH, HEIGHT}, inner = {WIDTH - 8, HEIGHT - 8};
static NppStreamContext context;
static uint8_t *a8, *b8, *d8, *color8;
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
        {"MulC_32f_C1R", multiply_npp, multiply_plain},
        {"FilterBox_8u_C1R 5x5", box_npp, box_plain},
        {"Resize_8u_C1R linear, half", resize_npp, resize_plain},
        {"NV12ToRGB_8u_P2C3R", color_npp, color_plain},
    };
    size_t pixels = (size_t)WIDTH * HEIGHT;

    if (cudaMallocManaged((void **)&a8, pixels, cudaMemAttachGlobal) ||
        cudaMallocManaged((void **)&b8, pixels, cudaMemAttachGlobal) ||
        cudaMallocManaged((void **)&d8, pixels, cudaMemAttachGlobal) ||
        cudaMallocManaged((void **)&color8, 3 * pixels, cudaMemAttachGlobal) ||
        cudaMallocManaged((void **)&a32, 4 * pixels, cudaMemAttachGlobal) ||
        cudaMallocManaged((void **)&d32, 4 * pixels, cudaMemAttachGlobal) ||
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
