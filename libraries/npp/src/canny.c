/* SPDX-License-Identifier: MIT */
/* Edges by Canny: pixels whose gradient is at least as long as those of the two neighbours in its
 * direction. As in NVIDIA's library, those that reach the lower threshold are edges; the upper one
 * is only checked. */
#include "bands.h"
#include "gradient.h"
#include "handlers.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct edges {
    struct npp_gradient gradient;
    int width, height;
    int *lengths;        /* of the gradients, without their fractions */
    uint8_t *directions; /* which neighbours count */
    atomic_bool failed;
};

/* Neighbours along a gradient: to the right, down left, down, down right. */
static const struct {
    int x, y;
} steps[4] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}};

/* Directions are those within 22.5 degrees of a step. */
static uint8_t direction_of(double gx, double gy)
{
    const double tangent = 0.41421356237309503; /* of 22.5 degrees */
    double x = fabs(gx), y = fabs(gy);

    if (y < tangent * x || (x == 0 && y == 0))
        return 0;
    if (x <= tangent * y)
        return 2;
    return gx * gy > 0 ? 1 : 3;
}

static void measure(void *arguments, int first, int last)
{
    struct edges *edges = arguments;
    size_t width = (size_t)edges->width, memory = npp_gradient_memory(&edges->gradient);
    double *numbers = malloc((memory + 3 * width) * sizeof(double));
    double *gx = numbers + memory, *gy = gx + width, *length = gy + width;

    if (!numbers) {
        atomic_store(&edges->failed, true);
        return;
    }
    for (int y = first; y < last; y++) {
        npp_gradient_row(&edges->gradient, y, numbers, gx, gy, length);
        for (size_t x = 0; x < width; x++) {
            edges->lengths[(size_t)y * width + x] = (int)length[x];
            edges->directions[(size_t)y * width + x] = direction_of(gx[x], gy[x]);
        }
    }
    free(numbers);
}

static int clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

static int length_at(const struct edges *edges, int x, int y)
{
    return edges->lengths[(size_t)clamp(y, edges->height - 1) * (size_t)edges->width +
                          (size_t)clamp(x, edges->width - 1)];
}

static void select_edges(void *arguments, int first, int last)
{
    const struct edges *edges = arguments;
    const struct npp_call *call = edges->gradient.call;

    for (int y = first; y < last; y++) {
        uint8_t *row = (uint8_t *)call->dst + y * call->dst_step;

        for (int x = 0; x < edges->width; x++) {
            size_t at = (size_t)y * (size_t)edges->width + (size_t)x;
            int dx = steps[edges->directions[at]].x, dy = steps[edges->directions[at]].y;
            int length = edges->lengths[at];
            bool stays = length >= length_at(edges, x + dx, y + dy) &&
                         length >= length_at(edges, x - dx, y - dy);

            row[x] = (stays ? length : 0) >= call->low_threshold_v[0] ? 255 : 0;
        }
    }
}

static NppStatus check(const struct npp_function *function, const struct npp_call *call,
                       struct npp_gradient *gradient)
{
    if (!call->src || !call->dst)
        return NPP_NULL_POINTER_ERROR;
    if (call->size_roi.width <= 0 || call->size_roi.height <= 0 || call->src_size.width <= 0 ||
        call->src_size.height <= 0)
        return NPP_SIZE_ERROR;
    if (call->src_step <= 0 || call->dst_step <= 0)
        return NPP_STEP_ERROR;
    if (call->border_type != NPP_BORDER_REPLICATE)
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    if (!npp_gradient_begin(gradient, function, call,
                            call->filter_type == NPP_FILTER_SCHARR ? NPP_SCHARR : NPP_SOBEL))
        return NPP_MASK_SIZE_ERROR;
    if ((call->norm_form != nppiNormL1 && call->norm_form != nppiNormL2) ||
        call->low_threshold_v[0] > call->high_threshold_v[0])
        return NPP_BAD_ARGUMENT_ERROR;
    return NPP_SUCCESS;
}

NppStatus npp_canny(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct edges edges = {.width = call->size_roi.width, .height = call->size_roi.height};
    NppStatus status = check(function, call, &edges.gradient);
    size_t count = (size_t)edges.width * (size_t)edges.height;

    if (status != NPP_SUCCESS || checks)
        return status;
    edges.lengths = malloc(count * sizeof(*edges.lengths));
    edges.directions = malloc(count);
    if (edges.lengths && edges.directions) {
        npp_bands(edges.height, (size_t)edges.width * function->channels * 8, measure, &edges);
        if (!atomic_load(&edges.failed))
            npp_bands(edges.height, (size_t)edges.width * 2, select_edges, &edges);
    }
    if (!edges.lengths || !edges.directions || atomic_load(&edges.failed))
        status = NPP_NO_MEMORY_ERROR;
    free(edges.directions);
    free(edges.lengths);
    return status;
}
