/* SPDX-License-Identifier: MIT */
/* Filters with a mask of the caller, boxes, order statistics, morphology. A function without a
 * border reads pixels outside the region; one with a border repeats the pixels at the edge of the
 * image. */
#include "handlers.h"
#include "neighbourhood.h"

#include <string.h>

static bool is_window(NppiSize size)
{
    return size.width > 0 && size.height > 0 && size.width <= NPP_WINDOW_MOST &&
           size.height <= NPP_WINDOW_MOST && size.width * size.height <= NPP_WINDOW_MOST;
}

/* The anchor of a mask that lies turned around. */
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

/* Types whose three channels begin at the end of a mask of floats. */
static bool is_backward(enum npp_type type)
{
    return type == NPP_T_8S || npp_bytes(type) == 2;
}

/* Masks of floats are computed in floats. */
static NppStatus run_kernel(const struct npp_function *function, const struct npp_call *call,
                            bool checks, NppiSize size, NppiPoint anchor)
{
    double weights[NPP_WINDOW_MOST] = {0};
    enum npp_type type = kernel_type(function);
    bool divides = type == NPP_T_32S;
    struct npp_window window = {.size = size,
                                .anchor = mirrored(anchor, size),
                                .weights = weights,
                                .divisor = divides ? call->divisor_v[0] : 1,
                                .single = type == NPP_T_32F,
                                .backward = type == NPP_T_32F && size.height > 1 &&
                                            function->channels == 3 && is_backward(function->type)};

    if (!call->kernel)
        return NPP_NULL_POINTER_ERROR;
    if (divides && call->divisor_v[0] == 0)
        return NPP_DIVISOR_ERROR;
    if (!is_window(size))
        return NPP_MASK_SIZE_ERROR;
    if (!checks)
        load_turned(type, call->kernel, weights, size.width * size.height);
    return npp_neighbourhood(function, call, checks, &window);
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
    struct npp_window window = {.size = call->mask_size, .anchor = call->anchor};

    if (!is_window(window.size))
        return NPP_MASK_SIZE_ERROR;
    window.divisor = window.size.width * window.size.height;
    return npp_neighbourhood(function, call, checks, &window);
}

static NppStatus run_order(const struct npp_function *function, const struct npp_call *call,
                           bool checks, enum npp_window_operation operation)
{
    struct npp_window window = {.size = call->mask_size,
                                .anchor = call->anchor,
                                .operation = operation,
                                .mirrors = operation == NPP_WINDOW_MEDIAN};

    if (!is_window(window.size))
        return NPP_MASK_SIZE_ERROR;
    return npp_neighbourhood(function, call, checks, &window);
}

NppStatus npp_filter_max(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    return run_order(function, call, checks, NPP_WINDOW_MOST_OF);
}

NppStatus npp_filter_min(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    return run_order(function, call, checks, NPP_WINDOW_LEAST);
}

NppStatus npp_filter_median(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    return run_order(function, call, checks, NPP_WINDOW_MEDIAN);
}

/* Sums of windows of one row or column; the anchor counts from their end. */
NppStatus npp_sum_row(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct npp_window window = {.size = {(int)call->mask_length, 1},
                                .anchor = {(int)call->anchor_at, 0}};

    return npp_neighbourhood(function, call, checks, &window);
}

NppStatus npp_sum_column(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    struct npp_window window = {.size = {1, (int)call->mask_length},
                                .anchor = {0, (int)call->anchor_at}};

    return npp_neighbourhood(function, call, checks, &window);
}
