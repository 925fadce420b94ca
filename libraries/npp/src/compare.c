/* SPDX-License-Identifier: MIT */
/* Comparisons, whose result is 255 or 0 for a pixel. */
#include "handlers.h"

#include "bands.h"
#include "rows.h"
#include "strided.h"

#include <math.h>
#include <string.h>

enum { COMPARED_TOGETHER = 1024 };

static bool holds(double a, double b, NppCmpOp operation)
{
    switch (operation) {
    case NPP_CMP_LESS:
        return a < b;
    case NPP_CMP_LESS_EQ:
        return a <= b;
    case NPP_CMP_EQ:
        return a == b;
    case NPP_CMP_GREATER_EQ:
        return a >= b;
    default:
        return a > b;
    }
}

struct comparison {
    const struct npp_function *function;
    const struct npp_call *call;
    struct npp_images images;
    bool with_epsilon;
    npp_typed_loop *loop; /* of images of one channel; NULL: none */
    _Alignas(32) char constants[COMPARED_TOGETHER * sizeof(float)];
};

/* A pixel compares if all its channels do. */
static bool compares(const struct comparison *comparison, const double *a, const double *b,
                     unsigned channels)
{
    const struct npp_call *call = comparison->call;
    bool all = true;

    for (unsigned c = 0; c < channels; c++) {
        double other = comparison->images.b                 ? b[c]
                       : comparison->function->channels > 1 ? call->constants_v[c]
                                                            : call->constant_v[0];

        all &= comparison->with_epsilon ? fabs(a[c] - other) <= call->epsilon_v[0]
                                        : holds(a[c], other, (NppCmpOp)call->comparison_operation);
    }
    return all;
}

static void compare_row(const struct comparison *comparison, int y)
{
    const struct npp_function *function = comparison->function;
    const struct npp_images *images = &comparison->images;
    size_t pixel = npp_bytes(function->type) * function->channels;
    unsigned channels = function->channels - function->alpha;

    for (int x = 0; x < images->size.width; x++) {
        double a[4], b[4];

        npp_load(function->type, npp_at(images->a, images->a_step, y, (size_t)x * pixel), a,
                 channels);
        if (images->b)
            npp_load(function->type, npp_at(images->b, images->b_step, y, (size_t)x * pixel), b,
                     channels);
        *((unsigned char *)images->d + y * images->d_step + x) =
            compares(comparison, a, b, channels) ? 255 : 0;
    }
}

static void compare_band(void *arguments, int first, int last)
{
    const struct comparison *comparison = arguments;
    const struct npp_images *images = &comparison->images;
    size_t width = (size_t)images->size.width, bytes = npp_bytes(comparison->function->type);
    size_t most = images->b ? width : COMPARED_TOGETHER;

    for (int y = first; y < last; y++) {
        for (size_t x = 0; x < width && comparison->loop; x += most)
            comparison->loop(npp_at(images->a, images->a_step, y, x * bytes),
                             images->b ? npp_at(images->b, images->b_step, y, x * bytes)
                                       : comparison->constants,
                             (char *)images->d + y * images->d_step + (ptrdiff_t)x,
                             width - x < most ? width - x : most, 0);
        if (!comparison->loop)
            compare_row(comparison, y);
    }
}

NppStatus npp_compare(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct comparison comparison = {.function = function,
                                    .call = call,
                                    .images = npp_images_of(function, call),
                                    .with_epsilon = strstr(function->name, "EqualEps") != NULL};
    NppStatus status = npp_check_images(function, &comparison.images, false);
    size_t bytes = npp_bytes(function->type);

    if (status == NPP_SUCCESS &&
        (call->comparison_operation < 0 || call->comparison_operation > NPP_CMP_GREATER))
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    if (status != NPP_SUCCESS || checks)
        return status;
    if (function->channels == 1 && !comparison.with_epsilon)
        comparison.loop =
            npp_typed_loop_of(&npp_typed_compare[call->comparison_operation], function->type);
    if (comparison.loop && !comparison.images.b) {
        npp_store(function->type, call->constant_v, comparison.constants, 1);
        npp_repeat(comparison.constants, bytes, COMPARED_TOGETHER);
    }
    npp_bands(comparison.images.size.height,
              (size_t)comparison.images.size.width * function->channels, compare_band, &comparison);
    return NPP_SUCCESS;
}
