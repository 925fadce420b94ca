/* SPDX-License-Identifier: MIT */
/* The loop over rows: load, compute, scale, store. */
#include "rows.h"

#include "handlers.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Functions in place have one image as source and destination. Of two sources, subtraction and
 * division take the second as the first operand. */
struct npp_images npp_images_of(const struct npp_function *function, const struct npp_call *call)
{
    bool subtracts_first =
        call->src2 && (function->handler == npp_subtract || function->handler == npp_divide);
    struct npp_images images = {.size = call->size_roi};

    if (call->src_dst) {
        images.a = call->src_dst;
        images.a_step = images.d_step = call->src_dst_step;
        images.d = (void *)call->src_dst;
        images.b = call->src;
        images.b_step = call->src_step;
    } else if (subtracts_first) {
        images.a = call->src2;
        images.a_step = call->src2_step;
        images.b = call->src1;
        images.b_step = call->src1_step;
        images.d = (void *)call->dst;
        images.d_step = call->dst_step;
    } else {
        images.a = call->src1 ? call->src1 : call->src;
        images.a_step = call->src1 ? call->src1_step : call->src_step;
        images.b = call->src2;
        images.b_step = call->src2_step;
        images.d = (void *)call->dst;
        images.d_step = call->dst_step;
    }
    if (call->length)
        images.size = (NppiSize){call->length > INT_MAX ? INT_MAX : (int)call->length, 1};
    return images;
}

NppStatus npp_check_images(const struct npp_function *function, const struct npp_images *images,
                           bool is_signal)
{
    (void)function;
    if (!images->d)
        return NPP_NULL_POINTER_ERROR;
    if (images->size.width <= 0 || images->size.height <= 0)
        return NPP_SIZE_ERROR;
    if (!is_signal && (images->d_step <= 0 || (images->a && images->a_step <= 0) ||
                       (images->b && images->b_step <= 0)))
        return NPP_STEP_ERROR;
    return NPP_SUCCESS;
}

static bool is_signal(const struct npp_function *function)
{
    return strncmp(function->name, "npps", 4) == 0;
}

static double scale_of(const struct npp_call *call)
{
    return ldexp(1.0, -(int)call->scale_factor);
}

/* The constants of a call, one for each number of a pixel: given by value or in device memory. */
static const double *find_constants(const struct npp_function *function,
                                    const struct npp_call *call, double room[16])
{
    unsigned numbers = npp_numbers(function->type) * function->channels;

    if (strstr(function->name, "DeviceC")) {
        enum npp_type type = function->type == NPP_T_16F ? NPP_T_32F : function->type;

        npp_load(type, call->constants ? call->constants : call->constant, room,
                 function->channels);
        return room;
    }
    for (unsigned i = 0; i < numbers; i++) {
        room[i] = call->constants_v[i];
        if (function->channels == 1)
            room[i] = is_signal(function) ? call->value_v[i] : call->constant_v[i];
    }
    return room;
}

/* Stores a row, but for the fourth channel where it is alpha. */
static void store_row(const struct npp_function *function, const double *row, void *to,
                      size_t pixels)
{
    enum npp_type type = function->target_type;
    size_t bytes = npp_bytes(type);
    unsigned numbers = npp_numbers(type);

    if (!function->alpha) {
        npp_store(type, row, to, pixels * function->target_channels);
        return;
    }
    for (size_t i = 0; i < pixels; i++)
        npp_store(type, row + 4 * numbers * i, (char *)to + 4 * bytes * i, 3);
}

NppStatus npp_rows(const struct npp_function *function, const struct npp_call *call, bool checks,
                   bool reads_target, npp_row_function *compute)
{
    const struct npp_images images = npp_images_of(function, call);
    NppStatus status = npp_check_images(function, &images, is_signal(function));
    size_t elements = (size_t)images.size.width * function->channels;
    size_t count = elements * npp_numbers(function->type);
    double scale = scale_of(call), constants[16], *rows;

    if (status != NPP_SUCCESS || checks)
        return status;
    rows = malloc(3 * count * sizeof(double));
    if (!rows)
        return NPP_NO_MEMORY_ERROR;
    for (int y = 0; y < images.size.height; y++) {
        struct npp_row row = {.function = function,
                              .call = call,
                              .a = rows,
                              .b = images.b ? rows + count : NULL,
                              .d = reads_target ? rows + 2 * count : NULL,
                              .constants = find_constants(function, call, constants),
                              .count = count,
                              .channels = function->channels * npp_numbers(function->type)};
        void *to = (char *)images.d + y * images.d_step;

        if (images.a)
            npp_load(function->type, npp_at(images.a, images.a_step, y, 0), rows, elements);
        if (images.b)
            npp_load(function->type, npp_at(images.b, images.b_step, y, 0), rows + count, elements);
        if (reads_target)
            npp_load(function->target_type, to, rows + 2 * count, elements);
        compute(&row);
        for (size_t i = 0; i < count && scale != 1; i++)
            rows[i] *= scale;
        store_row(function, rows, to, (size_t)images.size.width);
    }
    free(rows);
    return NPP_SUCCESS;
}
