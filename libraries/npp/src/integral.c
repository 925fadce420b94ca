/* SPDX-License-Identifier: MIT */
/* Sums of all pixels above and to the left of a place, and the deviations that follow from them. */
#include "bands.h"
#include "gather.h"
#include "handlers.h"
#include "pixels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One image of sums, a row and a column larger than the source. */
struct sums {
    char *image;
    long long step;
    enum npp_type type;
    double first; /* the value of the first row and column */
    bool squares;
};

/* A row of sums is the row above plus what the source adds up to in this row. */
static void add_row(const struct sums *sums, const double *pixels, double *above, int width, int y)
{
    double sum = 0;

    above[0] = sums->first;
    for (int x = 1; y && x <= width; x++) {
        sum += sums->squares ? pixels[x - 1] * pixels[x - 1] : pixels[x - 1];
        above[x] += sum;
    }
    npp_store(sums->type, above, sums->image + y * sums->step, (size_t)width + 1);
    /* What does not fit the type is lost for the rows below, too. */
    npp_load(sums->type, sums->image + y * sums->step, above, (size_t)width + 1);
}

static void sum_up(const struct npp_function *function, const struct npp_view *source,
                   NppiSize size, const struct sums *sums, double *memory)
{
    double *pixels = memory, *above = memory + size.width;

    for (int x = 0; x <= size.width; x++)
        above[x] = sums->first;
    for (int y = 0; y <= size.height; y++) {
        if (y)
            npp_load(function->type, npp_view_at(source, 0, y - 1, 0), pixels, (size_t)size.width);
        add_row(sums, pixels, above, size.width, y);
    }
}

NppStatus npp_integral(const struct npp_function *function, const struct npp_call *call,
                       bool checks)
{
    NppiSize size = call->size_roi;
    NppStatus status = npp_gather_check(function, call, call->dst);
    /* The types of a name with squares are those of the source, of the sums and of the squares. */
    const bool wide = function->target_type == NPP_T_64F && call->sqr;
    const struct sums sums = {(char *)call->dst, call->dst_step,
                              !wide                                ? function->target_type
                              : strstr(function->suffix, "32s64f") ? NPP_T_32S
                                                                   : NPP_T_32F,
                              call->val_v[0], false};
    const struct sums squares = {(char *)call->sqr, call->sqr_step, function->target_type,
                                 call->val_sqr_v[0], true};
    struct npp_view source;
    double *memory;

    if (status != NPP_SUCCESS || checks)
        return status;
    memory = malloc((2 * (size_t)size.width + 1) * sizeof(double));
    if (!memory)
        return NPP_NO_MEMORY_ERROR;
    npp_view_source(function, call, &source);
    sum_up(function, &source, size, &sums, memory);
    if (call->sqr)
        sum_up(function, &source, size, &squares, memory);
    free(memory);
    return NPP_SUCCESS;
}

struct deviation {
    const struct npp_function *function;
    const struct npp_call *call;
    enum npp_type squares_type;
};

/* The sum over a rectangle, from four places of an image of sums. */
static double sum_of(enum npp_type type, const void *image, long long step, NppiRect at)
{
    double corner[2][2];
    size_t bytes = npp_bytes(type);

    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < 2; i++)
            npp_load(type,
                     (const char *)image + (at.y + j * at.height) * step +
                         (at.x + i * at.width) * (long long)bytes,
                     &corner[j][i], 1);
    }
    return corner[1][1] - corner[1][0] - corner[0][1] + corner[0][0];
}

static void deviate_rows(void *arguments, int first, int last)
{
    const struct deviation *pass = arguments;
    const struct npp_call *call = pass->call;
    enum npp_type type = pass->function->type, target = pass->function->target_type;
    NppiRect rect = call->rect;
    double count = (double)rect.width * rect.height;

    for (int y = first; y < last; y++) {
        for (int x = 0; x < call->size_roi.width; x++) {
            NppiRect at = {x + rect.x, y + rect.y, rect.width, rect.height};
            double mean = sum_of(type, call->src, call->src_step, at) / count;
            double square = sum_of(pass->squares_type, call->sqr, call->sqr_step, at) / count;
            double variance = square - mean * mean;
            double result = ldexp(sqrt(variance > 0 ? variance : 0), -(int)call->scale_factor);

            npp_store(target, &result,
                      (char *)call->dst + y * call->dst_step + x * (long long)npp_bytes(target), 1);
        }
    }
}

/* Deviations of rectangles, from an integral and one of squares. */
NppStatus npp_rect_deviation(const struct npp_function *function, const struct npp_call *call,
                             bool checks)
{
    struct deviation pass = {function, call,
                             function->target_type == NPP_T_32S ? NPP_T_32S : NPP_T_64F};
    NppStatus status = npp_gather_check(function, call, call->dst);

    if (status == NPP_SUCCESS && !call->sqr)
        return NPP_NULL_POINTER_ERROR;
    if (status == NPP_SUCCESS && (call->rect.width <= 0 || call->rect.height <= 0))
        return NPP_RECTANGLE_ERROR;
    if (status == NPP_SUCCESS && (call->sqr_step <= 0 || call->dst_step <= 0))
        return NPP_STEP_ERROR;
    if (status != NPP_SUCCESS || checks)
        return status;
    npp_bands(call->size_roi.height, (size_t)call->size_roi.width * 8, deviate_rows, &pass);
    return NPP_SUCCESS;
}
