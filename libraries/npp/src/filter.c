/* SPDX-License-Identifier: MIT */
/* Filters: each pixel of the result is made of the pixels around the same place of the source. A
 * function without a border reads pixels outside the region; one with a border repeats the pixels
 * at the edge of the image. */
#include "handlers.h"
#include "neighbourhood.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sum of products with a mask, which lies turned around on the pixels. */
static double correlate(const struct npp_window *window, const double *pixels)
{
    double sum = 0;

    for (int i = 0; i < window->size.width * window->size.height; i++)
        sum += window->weights[i] * pixels[i];
    return sum / window->divisor;
}

static double greatest(const struct npp_window *window, const double *pixels)
{
    double most = -INFINITY;

    for (int i = 0; i < window->size.width * window->size.height; i++) {
        if ((!window->weights || window->weights[i]) && pixels[i] > most)
            most = pixels[i];
    }
    return most;
}

static double smallest(const struct npp_window *window, const double *pixels)
{
    double least = INFINITY;

    for (int i = 0; i < window->size.width * window->size.height; i++) {
        if ((!window->weights || window->weights[i]) && pixels[i] < least)
            least = pixels[i];
    }
    return least;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double middle(const struct npp_window *window, const double *pixels)
{
    int count = window->size.width * window->size.height;
    double sorted[NPP_WINDOW_MOST];

    memcpy(sorted, pixels, (size_t)count * sizeof(double));
    qsort(sorted, (size_t)count, sizeof(double), compare_numbers);
    return sorted[count / 2];
}

static NppStatus run_window(const struct npp_function *function, const struct npp_call *call,
                            bool checks, struct npp_window *window, npp_window_function *compute)
{
    if (window->size.width <= 0 || window->size.height <= 0 ||
        window->size.width * window->size.height > NPP_WINDOW_MOST)
        return NPP_MASK_SIZE_ERROR;
    return npp_neighbourhood(function, call, checks, window, compute);
}

/* The anchor of a mask that lies turned around, or as it is. */
static NppiPoint mirrored(NppiPoint anchor, NppiSize size)
{
    return (NppiPoint){size.width - 1 - anchor.x, size.height - 1 - anchor.y};
}

/* Turns a mask around, since filters convolve. */
static void load_turned(enum npp_type type, const void *kernel, double *weights, int count)
{
    npp_load(type, kernel, weights, (size_t)count);
    for (int i = 0; i < count / 2; i++) {
        double first = weights[i];

        weights[i] = weights[count - 1 - i];
        weights[count - 1 - i] = first;
    }
}

static enum npp_type kernel_type(const struct npp_function *function)
{
    if (strstr(function->name, "32f") || function->type == NPP_T_16F)
        return NPP_T_32F;
    return function->type == NPP_T_64F ? NPP_T_64F : NPP_T_32S;
}

static NppStatus run_kernel(const struct npp_function *function, const struct npp_call *call,
                            bool checks, NppiSize size, NppiPoint anchor)
{
    double weights[NPP_WINDOW_MOST];
    bool divides = kernel_type(function) == NPP_T_32S;
    struct npp_window window = {.size = size,
                                .anchor = mirrored(anchor, size),
                                .weights = weights,
                                .divisor = divides ? call->divisor_v[0] : 1};

    if (!call->kernel)
        return NPP_NULL_POINTER_ERROR;
    if (divides && call->divisor_v[0] == 0)
        return NPP_DIVISOR_ERROR;
    if (size.width <= 0 || size.height <= 0 || size.width * size.height > NPP_WINDOW_MOST)
        return NPP_MASK_SIZE_ERROR;
    if (!checks)
        load_turned(kernel_type(function), call->kernel, weights, size.width * size.height);
    return run_window(function, call, checks, &window, correlate);
}

NppStatus npp_filter(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    return run_kernel(function, call, checks, call->mask_size, call->anchor);
}

NppStatus npp_filter_row(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    return run_kernel(function, call, checks, (NppiSize){(int)call->mask_length, 1},
                      (NppiPoint){(int)call->anchor_at, 0});
}

NppStatus npp_filter_column(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    return run_kernel(function, call, checks, (NppiSize){1, (int)call->mask_length},
                      (NppiPoint){0, (int)call->anchor_at});
}

NppStatus npp_filter_box(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    double weights[NPP_WINDOW_MOST];
    int count = call->mask_size.width * call->mask_size.height;
    struct npp_window window = {
        .size = call->mask_size, .anchor = call->anchor, .weights = weights, .divisor = count};

    for (int i = 0; i < NPP_WINDOW_MOST; i++)
        weights[i] = 1;
    return run_window(function, call, checks, &window, correlate);
}

static NppStatus run_order(const struct npp_function *function, const struct npp_call *call,
                           bool checks, npp_window_function *compute)
{
    struct npp_window window = {.size = call->mask_size, .anchor = call->anchor, .divisor = 1};

    return run_window(function, call, checks, &window, compute);
}

NppStatus npp_filter_max(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    return run_order(function, call, checks, greatest);
}

NppStatus npp_filter_min(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    return run_order(function, call, checks, smallest);
}

NppStatus npp_filter_median(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    return run_order(function, call, checks, middle);
}

/* Sums of windows of one row or column; the anchor counts from their end. */
static NppStatus sum_window(const struct npp_function *function, const struct npp_call *call,
                            bool checks, NppiSize size, NppiPoint anchor)
{
    double weights[NPP_WINDOW_MOST];
    struct npp_window window = {.size = size, .anchor = anchor, .weights = weights, .divisor = 1};

    for (int i = 0; i < NPP_WINDOW_MOST; i++)
        weights[i] = 1;
    return run_window(function, call, checks, &window, correlate);
}

NppStatus npp_sum_row(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    return sum_window(function, call, checks, (NppiSize){(int)call->mask_length, 1},
                      (NppiPoint){(int)call->anchor_at, 0});
}

NppStatus npp_sum_column(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    return sum_window(function, call, checks, (NppiSize){1, (int)call->mask_length},
                      (NppiPoint){0, (int)call->anchor_at});
}

/* Morphology: the greatest or smallest pixel under the mask. */
static NppStatus morph(const struct npp_function *function, const struct npp_call *call,
                       bool checks, bool dilates)
{
    double weights[NPP_WINDOW_MOST];
    bool is_3x3 = !call->mask;
    NppiSize size = is_3x3 ? (NppiSize){3, 3} : call->mask_size;
    struct npp_window window = {.size = size,
                                .anchor = is_3x3 ? (NppiPoint){1, 1} : call->anchor,
                                .weights = is_3x3 ? NULL : weights,
                                .divisor = 1};

    if (size.width <= 0 || size.height <= 0 || size.width * size.height > NPP_WINDOW_MOST)
        return NPP_MASK_SIZE_ERROR;
    if (!checks && call->mask)
        npp_load(NPP_T_8U, call->mask, weights, (size_t)(size.width * size.height));
    return run_window(function, call, checks, &window, dilates ? greatest : smallest);
}

NppStatus npp_dilate(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    return morph(function, call, checks, true);
}

NppStatus npp_erode(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    return morph(function, call, checks, false);
}
