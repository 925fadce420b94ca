/* SPDX-License-Identifier: MIT */
/* Morphology: the greatest or smallest pixel under a mask, and what is made of both: opening is
 * erosion, then dilation; closing the reverse; the others are differences. Both steps have the mask
 * as it is given. What lies between two steps is an image of the region and of as much around it as
 * masks reach; where that would leave the image, its edge is repeated, as that of a source is. */
#include "handlers.h"
#include "neighbourhood.h"

#include "bands.h"
#include "pixels.h"
#include "typed_rows.h"

#include <stdlib.h>

static bool is_window(NppiSize size)
{
    return size.width > 0 && size.height > 0 && size.width <= NPP_WINDOW_MOST &&
           size.height <= NPP_WINDOW_MOST && size.width * size.height <= NPP_WINDOW_MOST;
}

static NppStatus morph(const struct npp_function *function, const struct npp_call *call,
                       bool checks, enum npp_window_operation operation)
{
    double weights[NPP_WINDOW_MOST];
    bool is_3x3 = !call->mask;
    struct npp_window window = {.size = is_3x3 ? (NppiSize){3, 3} : call->mask_size,
                                .anchor = is_3x3 ? (NppiPoint){1, 1} : call->anchor,
                                .weights = is_3x3 ? NULL : weights,
                                .operation = operation};

    if (!is_window(window.size))
        return NPP_MASK_SIZE_ERROR;
    if (!checks && call->mask)
        npp_load(NPP_T_8U, call->mask, weights, (size_t)(window.size.width * window.size.height));
    return npp_neighbourhood(function, call, checks, &window);
}

NppStatus npp_dilate(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    return morph(function, call, checks, NPP_WINDOW_MOST_OF);
}

NppStatus npp_erode(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    return morph(function, call, checks, NPP_WINDOW_LEAST);
}

/* An image in memory of our own. */
struct step_image {
    char *memory;
    size_t row_bytes;
    NppiRect rect; /* seen from the region */
};

static int most_of(int a, int b)
{
    return a > b ? a : b;
}

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

/* The region with what masks reach around it, within the image. */
static NppiRect grow(const struct npp_call *call)
{
    int left = most_of(-call->anchor.x, -call->src_offset.x);
    int top = most_of(-call->anchor.y, -call->src_offset.y);
    int right = least_of(call->size_roi.width + call->mask_size.width - 1 - call->anchor.x,
                         call->src_size.width - call->src_offset.x);
    int bottom = least_of(call->size_roi.height + call->mask_size.height - 1 - call->anchor.y,
                          call->src_size.height - call->src_offset.y);

    return (NppiRect){left, top, right - left, bottom - top};
}

static bool create_image(const struct npp_function *function, NppiRect rect,
                         struct step_image *image)
{
    size_t row = (size_t)rect.width * function->channels * npp_bytes(function->type);

    *image = (struct step_image){malloc(row * (size_t)rect.height), row, rect};
    return image->memory;
}

/* Makes a part of the source into an image. */
static NppStatus first_step(const struct npp_function *function, const struct npp_call *call,
                            enum npp_window_operation operation, const struct step_image *image)
{
    size_t pixel = function->channels * npp_bytes(function->type);
    struct npp_call step = *call;

    step.src = (const char *)call->src + image->rect.y * call->src_step +
               (long long)image->rect.x * (long long)pixel;
    step.src_offset.x += image->rect.x;
    step.src_offset.y += image->rect.y;
    step.size_roi = (NppiSize){image->rect.width, image->rect.height};
    step.dst = image->memory;
    step.dst_step = (long long)image->row_bytes;
    return morph(function, &step, false, operation);
}

/* Makes an image into the destination. */
static NppStatus second_step(const struct npp_function *function, const struct npp_call *call,
                             enum npp_window_operation operation, const struct step_image *image)
{
    size_t pixel = function->channels * npp_bytes(function->type);
    struct npp_call step = *call;

    step.src = image->memory - image->rect.y * (ptrdiff_t)image->row_bytes -
               image->rect.x * (ptrdiff_t)pixel;
    step.src_step = (long long)image->row_bytes;
    step.src_offset = (NppiPoint){-image->rect.x, -image->rect.y};
    step.src_size = (NppiSize){image->rect.width, image->rect.height};
    return morph(function, &step, false, operation);
}

static NppStatus check_steps(const struct npp_function *function, const struct npp_call *call)
{
    NppStatus status = morph(function, call, true, NPP_WINDOW_LEAST);
    NppiRect rect = grow(call);

    if (status != NPP_SUCCESS)
        return status;
    if (!call->mask)
        return NPP_NULL_POINTER_ERROR;
    if (call->anchor.x < 0 || call->anchor.y < 0 || call->anchor.x >= call->mask_size.width ||
        call->anchor.y >= call->mask_size.height)
        return NPP_ANCHOR_ERROR;
    return rect.width > 0 && rect.height > 0 ? NPP_SUCCESS : NPP_SIZE_ERROR;
}

static NppStatus run_steps(const struct npp_function *function, const struct npp_call *call,
                           enum npp_window_operation first, enum npp_window_operation second)
{
    struct step_image image;
    NppStatus status;

    if (!create_image(function, grow(call), &image))
        return NPP_NO_MEMORY_ERROR;
    status = first_step(function, call, first, &image);
    if (status == NPP_SUCCESS)
        status = second_step(function, call, second, &image);
    free(image.memory);
    return status;
}

/* A difference of two images with the size of the region. */
struct difference {
    npp_typed_loop *subtract;
    const char *first, *second;
    char *result;
    long long first_step, second_step, result_step;
    size_t count;
};

static void subtract_band(void *arguments, int first, int last)
{
    const struct difference *difference = arguments;

    for (int y = first; y < last; y++)
        difference->subtract(difference->first + y * difference->first_step,
                             difference->second + y * difference->second_step,
                             difference->result + y * difference->result_step, difference->count,
                             0);
}

/* Subtracts from or to the destination; `other` is an image of the region's size. */
static void subtract(const struct npp_function *function, const struct npp_call *call,
                     const void *other, long long other_step, bool other_first)
{
    struct difference difference = {
        .subtract = npp_typed_loop_of(
            other_first ? &npp_typed_subtract_reversed : &npp_typed_subtract, function->type),
        .first = call->dst,
        .second = other,
        .result = (char *)call->dst,
        .first_step = call->dst_step,
        .second_step = other_step,
        .result_step = call->dst_step,
        .count = (size_t)call->size_roi.width * function->channels};

    npp_bands(call->size_roi.height, difference.count, subtract_band, &difference);
}

NppStatus npp_morph_open(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    NppStatus status = check_steps(function, call);

    return status != NPP_SUCCESS || checks
               ? status
               : run_steps(function, call, NPP_WINDOW_LEAST, NPP_WINDOW_MOST_OF);
}

NppStatus npp_morph_close(const struct npp_function *function, const struct npp_call *call,
                          bool checks)
{
    NppStatus status = check_steps(function, call);

    return status != NPP_SUCCESS || checks
               ? status
               : run_steps(function, call, NPP_WINDOW_MOST_OF, NPP_WINDOW_LEAST);
}

/* What opening takes away. */
NppStatus npp_morph_top_hat(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    NppStatus status = npp_morph_open(function, call, checks);

    if (status == NPP_SUCCESS && !checks)
        subtract(function, call, call->src, call->src_step, true);
    return status;
}

/* What closing adds. */
NppStatus npp_morph_black_hat(const struct npp_function *function, const struct npp_call *call,
                              bool checks)
{
    NppStatus status = npp_morph_close(function, call, checks);

    if (status == NPP_SUCCESS && !checks)
        subtract(function, call, call->src, call->src_step, false);
    return status;
}

/* Dilation less erosion. */
NppStatus npp_morph_gradient(const struct npp_function *function, const struct npp_call *call,
                             bool checks)
{
    NppStatus status = check_steps(function, call);
    const NppiRect region = {0, 0, call->size_roi.width, call->size_roi.height};
    struct step_image eroded;

    if (status != NPP_SUCCESS || checks)
        return status;
    if (!create_image(function, region, &eroded))
        return NPP_NO_MEMORY_ERROR;
    status = first_step(function, call, NPP_WINDOW_LEAST, &eroded);
    if (status == NPP_SUCCESS)
        status = morph(function, call, false, NPP_WINDOW_MOST_OF);
    if (status == NPP_SUCCESS)
        subtract(function, call, eroded.memory, (long long)eroded.row_bytes, false);
    free(eroded.memory);
    return status;
}
