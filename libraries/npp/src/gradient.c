/* SPDX-License-Identifier: MIT */
/* Masks are products of a smoothing and a derivative, so rows of the source are first combined to
 * one that is smoothed and one that is derived, and those along the row then. NVIDIA's library
 * turns the horizontal component of Prewitt and Sobel around, not that of Scharr. */
#include "vector.h"

#include "gradient.h"

#include "bands.h"
#include "handlers.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    enum npp_gradient_operator kind;
    long long form;
    int radius;
    double smooth[5], derive[5], sign_x;
} masks[] = {
    {NPP_PREWITT, NPP_MASK_SIZE_3_X_3, 1, {1, 1, 1}, {-1, 0, 1}, -1},
    {NPP_SOBEL, NPP_MASK_SIZE_3_X_3, 1, {1, 2, 1}, {-1, 0, 1}, -1},
    {NPP_SOBEL, NPP_MASK_SIZE_5_X_5, 2, {1, 4, 6, 4, 1}, {-1, -2, 0, 2, 1}, -1},
    {NPP_SCHARR, NPP_MASK_SIZE_3_X_3, 1, {3, 10, 3}, {-1, 0, 1}, 1},
};

bool npp_gradient_begin(struct npp_gradient *gradient, const struct npp_function *function,
                        const struct npp_call *call, enum npp_gradient_operator kind)
{
    *gradient = (struct npp_gradient){.function = function, .call = call, .norm = call->norm_form};
    npp_view_source(function, call, &gradient->source);
    for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
        if (masks[i].kind != kind || masks[i].form != call->mask_form)
            continue;
        gradient->smooth = masks[i].smooth;
        gradient->derive = masks[i].derive;
        gradient->radius = masks[i].radius;
        gradient->sign_x = masks[i].sign_x;
        return true;
    }
    return false;
}

static size_t padded_width(const struct npp_gradient *gradient)
{
    return ((size_t)gradient->call->size_roi.width + 2 * (size_t)gradient->radius) *
           gradient->function->channels;
}

size_t npp_gradient_memory(const struct npp_gradient *gradient)
{
    return 3 * padded_width(gradient);
}

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

/* A row of the source with the pixels that the masks reach to the left and right. */
static void load_row(const struct npp_gradient *gradient, int y, double *row)
{
    const struct npp_call *call = gradient->call;
    unsigned channels = gradient->function->channels;
    int least = -call->src_offset.x, most = call->src_size.width - 1 - call->src_offset.x;
    int first = -gradient->radius, last = call->size_roi.width + gradient->radius - 1;
    int from = clamp(first, least, most), to = clamp(last, least, most);

    y = clamp(y, -call->src_offset.y, call->src_size.height - 1 - call->src_offset.y);
    npp_load(gradient->function->type, npp_view_at(&gradient->source, from, y, 0),
             row + (size_t)(from - first) * channels, (size_t)(to - from + 1) * channels);
    for (int x = first; x < from; x++)
        memcpy(row + (size_t)(x - first) * channels, row + (size_t)(from - first) * channels,
               channels * sizeof(*row));
    for (int x = to + 1; x <= last; x++)
        memcpy(row + (size_t)(x - first) * channels, row + (size_t)(to - first) * channels,
               channels * sizeof(*row));
}

NPP_VECTOR static void add_row(double *restrict smooth, double *restrict derive,
                               const double *restrict row, double smooth_weight,
                               double derive_weight, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        smooth[i] += smooth_weight * row[i];
        derive[i] += derive_weight * row[i];
    }
}

/* The components of a channel of a pixel. */
static void combine(const struct npp_gradient *gradient, const double *smooth, const double *derive,
                    double component[2])
{
    unsigned channels = gradient->function->channels;

    component[0] = component[1] = 0;
    for (int i = 0; i <= 2 * gradient->radius; i++) {
        component[0] += gradient->derive[i] * smooth[(unsigned)i * channels];
        component[1] += gradient->smooth[i] * derive[(unsigned)i * channels];
    }
    component[0] *= gradient->sign_x;
}

static double square(const double component[2])
{
    return component[0] * component[0] + component[1] * component[1];
}

void npp_gradient_row(const struct npp_gradient *gradient, int y, double *memory, double *gx,
                      double *gy, double *length)
{
    unsigned channels = gradient->function->channels;
    size_t count = padded_width(gradient);
    double *row = memory, *smooth = memory + count, *derive = memory + 2 * count;

    memset(smooth, 0, 2 * count * sizeof(*smooth));
    for (int j = 0; j <= 2 * gradient->radius; j++) {
        load_row(gradient, y + j - gradient->radius, row);
        add_row(smooth, derive, row, gradient->smooth[j], gradient->derive[j], count);
    }
    for (int x = 0; x < gradient->call->size_roi.width; x++) {
        double best[2], other[2];

        combine(gradient, smooth + (size_t)x * channels, derive + (size_t)x * channels, best);
        for (unsigned c = 1; c < channels; c++) {
            combine(gradient, smooth + (size_t)x * channels + c, derive + (size_t)x * channels + c,
                    other);
            if (square(other) > square(best))
                memcpy(best, other, sizeof(best));
        }
        gx[x] = best[0];
        gy[x] = best[1];
        length[x] =
            gradient->norm == nppiNormL1 ? fabs(best[0]) + fabs(best[1]) : sqrt(square(best));
    }
}

struct pass {
    struct npp_gradient gradient;
    atomic_bool failed;
};

static void put_row(const struct pass *pass, enum npp_type type, const void *image, long long step,
                    int y, const double *numbers)
{
    if (image)
        npp_store_rounded(type, numbers, (char *)image + y * step,
                          (size_t)pass->gradient.call->size_roi.width, NPP_RND_ZERO);
}

static void run_band(void *arguments, int first, int last)
{
    struct pass *pass = arguments;
    const struct npp_call *call = pass->gradient.call;
    enum npp_type type = pass->gradient.function->target_type;
    size_t width = (size_t)call->size_roi.width, memory = npp_gradient_memory(&pass->gradient);
    double *numbers = malloc((memory + 4 * width) * sizeof(double));
    double *gx = numbers + memory, *gy = gx + width, *length = gy + width, *angle = length + width;

    if (!numbers) {
        atomic_store(&pass->failed, true);
        return;
    }
    for (int y = first; y < last; y++) {
        npp_gradient_row(&pass->gradient, y, numbers, gx, gy, length);
        put_row(pass, type, call->dst_x, call->dst_x_step, y, gx);
        put_row(pass, type, call->dst_y, call->dst_y_step, y, gy);
        put_row(pass, type, call->dst_mag, call->dst_mag_step, y, length);
        for (size_t x = 0; call->dst_angle && x < width; x++)
            angle[x] = atan2(gy[x], gx[x]);
        put_row(pass, NPP_T_32F, call->dst_angle, call->dst_angle_step, y, angle);
    }
    free(numbers);
}

static NppStatus run(const struct npp_function *function, const struct npp_call *call, bool checks,
                     enum npp_gradient_operator kind)
{
    struct pass pass = {0};

    if (!call->src)
        return NPP_NULL_POINTER_ERROR;
    if (call->size_roi.width <= 0 || call->size_roi.height <= 0 || call->src_size.width <= 0 ||
        call->src_size.height <= 0)
        return NPP_SIZE_ERROR;
    if (call->src_step <= 0)
        return NPP_STEP_ERROR;
    if (call->border_type != NPP_BORDER_REPLICATE)
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    if (call->norm_form != nppiNormL1 && call->norm_form != nppiNormL2)
        return NPP_BAD_ARGUMENT_ERROR;
    if (!npp_gradient_begin(&pass.gradient, function, call, kind))
        return NPP_MASK_SIZE_ERROR;
    if (checks)
        return NPP_SUCCESS;
    npp_bands(call->size_roi.height, (size_t)call->size_roi.width * function->channels * 8,
              run_band, &pass);
    return atomic_load(&pass.failed) ? NPP_NO_MEMORY_ERROR : NPP_SUCCESS;
}

NppStatus npp_gradient_prewitt(const struct npp_function *function, const struct npp_call *call,
                               bool checks)
{
    return run(function, call, checks, NPP_PREWITT);
}

NppStatus npp_gradient_sobel(const struct npp_function *function, const struct npp_call *call,
                             bool checks)
{
    return run(function, call, checks, NPP_SOBEL);
}

NppStatus npp_gradient_scharr(const struct npp_function *function, const struct npp_call *call,
                              bool checks)
{
    return run(function, call, checks, NPP_SCHARR);
}
