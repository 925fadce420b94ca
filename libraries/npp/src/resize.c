/* SPDX-License-Identifier: MIT */
/* Resize. Both directions are independent: the columns of a row of the source are sampled once, and
 * rows of the destination are sums of such rows. Supersampling averages what a pixel covers.
 * ResizeSqrPixel is given factors and shifts, and leaves pixels alone whose place is outside. */
#include "vector.h"

#include "handlers.h"
#include "sampling.h"

#include "bands.h"
#include "strided.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* How places of the destination become places of the source, in one direction: a place at which the
 * source is sampled is at * scale + begin. */
struct line {
    int from, from_size; /* of the source's region */
    double scale, begin;
    double cover; /* where the first pixel of the destination begins, for supersampling */
};

struct pass {
    const struct npp_function *function;
    struct npp_source source;
    struct npp_view target;
    NppiRect from, to;
    struct line across, down;
    bool by_factor; /* it knows cubics of two parameters, too */
    long long interpolation;
    struct span *columns; /* one for each column of the destination */
    int *places;          /* of taps in a row of the source: all numbers of a tap, tap by tap */
    float *weights;       /* of the same */
    atomic_bool failed;   /* there was no memory */
};

/* Pixels of the source in one direction that make a pixel of the destination. */
struct span {
    int first, count;
    double weights[NPP_TAPS_MOST]; /* of taps; a supersampled pixel covers all but its ends whole */
    double first_weight, last_weight, scale;
};

/* Places are floats. Those up to half a pixel before a region that begins at 0 are at its edge. */
static double place_of(const struct line *line, int at)
{
    return (double)((float)at * (float)line->scale + (float)line->begin);
}

static struct span span_at(const struct pass *pass, const struct line *line, int at)
{
    struct npp_taps taps;
    struct span span = {.scale = 1};

    if (pass->interpolation == NPPI_INTER_SUPER) {
        double begin = fmax(line->cover + at * line->scale, 0);
        double end = fmin(line->cover + (at + 1) * line->scale, line->from_size);
        int last = (int)ceil(end) - 1;

        span.first = (int)floor(begin);
        span.count = last - span.first + 1;
        span.first_weight = span.first + 1 - begin;
        span.last_weight = end - last;
        span.scale = 1 / (end - begin);
        span.first += line->from;
        return span;
    }
    npp_taps_at(pass->interpolation, place_of(line, at), &taps);
    span.first = line->from + taps.first;
    span.count = taps.count;
    memcpy(span.weights, taps.weights, sizeof(span.weights));
    return span;
}

static double weight_of(const struct pass *pass, const struct span *span, int i)
{
    if (pass->interpolation != NPPI_INTER_SUPER)
        return span->weights[i];
    if (span->count == 1)
        return 1;
    return span->scale * (i == 0                 ? span->first_weight
                          : i == span->count - 1 ? span->last_weight
                                                 : 1);
}

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

/* Rows of the source with the columns of the destination, the latest of them. */
struct rows {
    float *source; /* a row as it is, all channels or planes one after the other */
    float *kept;
    int *which; /* row of the source that stands in each slot; -1: none */
    int slots;
};

/* Adds what one tap takes of each place. */
NPP_VECTOR static void add_tap(float *restrict out, const float *restrict source,
                               const int *restrict places, const float *restrict weights,
                               size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] += weights[i] * source[places[i]];
}

/* Averages what each pixel of the destination covers. */
static void cover_columns(const struct pass *pass, const float *source, float *out)
{
    unsigned channels = pass->function->channels;
    int least = pass->source.least_x, width = pass->source.most_x - least + 1;
    bool planar = pass->source.view.planar;

    for (int x = 0; x < pass->to.width; x++) {
        const struct span *span = &pass->columns[x];
        double sums[4] = {0};

        for (int i = 0; i < span->count; i++) {
            double weight = weight_of(pass, span, i);
            size_t column = (size_t)(clamp(span->first + i, least, pass->source.most_x) - least);

            for (unsigned c = 0; c < channels; c++)
                sums[c] +=
                    weight *
                    (double)source[planar ? c * (size_t)width + column : column * channels + c];
        }
        for (unsigned c = 0; c < channels; c++)
            out[(size_t)x * channels + c] = (float)sums[c];
    }
}

/* Samples the columns of a row of the source. */
static void sample_columns(const struct pass *pass, int y, float *source, float *out)
{
    unsigned channels = pass->function->channels;
    int least = pass->source.least_x, width = pass->source.most_x - least + 1;
    bool planar = pass->source.view.planar;
    size_t count = (size_t)pass->to.width * channels;

    for (unsigned p = 0; p < (planar ? channels : 1); p++)
        npp_load_single(pass->source.type, npp_view_at(&pass->source.view, least, y, p),
                        source + p * (size_t)width, (size_t)width * (planar ? 1 : channels));
    if (pass->interpolation == NPPI_INTER_SUPER) {
        cover_columns(pass, source, out);
        return;
    }
    memset(out, 0, count * sizeof(float));
    for (int i = 0; i < pass->columns[0].count; i++)
        add_tap(out, source, pass->places + (size_t)i * count, pass->weights + (size_t)i * count,
                count);
}

static const float *row_at(const struct pass *pass, struct rows *rows, int y)
{
    int slot = y % rows->slots;
    float *row = rows->kept + (size_t)slot * (size_t)pass->to.width * pass->function->channels;

    if (rows->which[slot] != y)
        sample_columns(pass, y, rows->source, row);
    rows->which[slot] = y;
    return row;
}

NPP_VECTOR static void add_row(float *restrict sum, const float *restrict row, float weight,
                               size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += weight * row[i];
}

/* Stores a row: whole pixels of one image without alpha at once. */
static void store_row(const struct pass *pass, int y, const float *sum)
{
    const struct npp_function *function = pass->function;
    unsigned channels = function->channels;

    if (!function->alpha && !pass->target.planar) {
        npp_store_rounded_single(function->type, sum,
                                 (void *)npp_view_at(&pass->target, pass->to.x, y, 0),
                                 (size_t)pass->to.width * channels, NPP_RND_FINANCIAL);
        return;
    }
    for (int x = 0; x < pass->to.width; x++) {
        double pixel[4];

        for (unsigned c = 0; c < channels; c++)
            pixel[c] = (double)sum[(size_t)x * channels + c];
        npp_put_pixel(function, &pass->target, pass->to.x + x, y, pixel);
    }
}

static void run_rows(struct pass *pass, int first, int last, struct rows *rows, float *sum)
{
    size_t count = (size_t)pass->to.width * pass->function->channels;

    for (int y = first; y < last; y++) {
        struct span span = span_at(pass, &pass->down, y);

        memset(sum, 0, count * sizeof(float));
        for (int j = 0; j < span.count; j++)
            add_row(sum,
                    row_at(pass, rows,
                           clamp(span.first + j, pass->source.least_y, pass->source.most_y)),
                    (float)weight_of(pass, &span, j), count);
        store_row(pass, pass->to.y + y, sum);
    }
}

/* The nearest pixels are copied. */
static void run_nearest(void *arguments, int first, int last)
{
    const struct pass *pass = arguments;
    const struct npp_view *source = &pass->source.view, *target = &pass->target;
    unsigned planes = source->planar ? pass->function->channels : 1;
    size_t kept = target->pixel_bytes - pass->function->alpha * target->channel_bytes;

    for (int y = first; y < last; y++) {
        struct span span = span_at(pass, &pass->down, y);
        int row = clamp(span.first, pass->source.least_y, pass->source.most_y);

        for (unsigned p = 0; p < planes; p++)
            npp_copy_places((void *)npp_view_at(target, pass->to.x, pass->to.y + y, p),
                            npp_view_at(source, 0, row, p), pass->places, kept, target->pixel_bytes,
                            (size_t)pass->to.width);
    }
}

static void run_band(void *arguments, int first, int last)
{
    struct pass *pass = arguments;
    size_t count = (size_t)pass->to.width * pass->function->channels;
    size_t width = (size_t)(pass->source.most_x - pass->source.least_x + 1);
    int which[NPP_TAPS_MOST + 1];
    struct rows rows = {.which = which, .slots = NPP_TAPS_MOST + 1};
    float *sum = malloc(count * sizeof(float));

    rows.source = malloc(width * pass->function->channels * sizeof(float));
    rows.kept = malloc(count * (size_t)rows.slots * sizeof(float));
    memset(which, -1, sizeof(which));
    if (sum && rows.source && rows.kept)
        run_rows(pass, first, last, &rows, sum);
    else
        atomic_store(&pass->failed, true);
    free(rows.kept);
    free(rows.source);
    free(sum);
}

/* Lists where each tap of each number of a row stands, and its weight. */
static void list_taps(struct pass *pass)
{
    unsigned channels = pass->function->channels;
    int least = pass->source.least_x, width = pass->source.most_x - least + 1;
    size_t count = (size_t)pass->to.width * channels;

    for (size_t k = 0; k < count; k++) {
        const struct span *span = &pass->columns[k / channels];
        int c = (int)(k % channels);

        for (int i = 0; i < span->count; i++) {
            int column = clamp(span->first + i, least, pass->source.most_x) - least;

            pass->places[(size_t)i * count + k] =
                pass->source.view.planar ? c * width + column : column * (int)channels + c;
            pass->weights[(size_t)i * count + k] = (float)span->weights[i];
        }
    }
}

static bool prepare_columns(struct pass *pass)
{
    size_t numbers = (size_t)pass->to.width * pass->function->channels * NPP_TAPS_MOST;

    pass->columns = malloc((size_t)pass->to.width * sizeof(*pass->columns));
    pass->places = malloc(numbers * sizeof(*pass->places));
    pass->weights = malloc(numbers * sizeof(*pass->weights));
    if (!pass->columns || !pass->places || !pass->weights)
        return false;
    for (int x = 0; x < pass->to.width; x++)
        pass->columns[x] = span_at(pass, &pass->across, x);
    for (int x = 0; x < pass->to.width && pass->interpolation == NPPI_INTER_NN; x++)
        pass->places[x] = clamp(pass->columns[x].first, pass->source.least_x, pass->source.most_x);
    if (pass->interpolation != NPPI_INTER_SUPER && pass->interpolation != NPPI_INTER_NN)
        list_taps(pass);
    return true;
}

static NppStatus check(const struct pass *pass, NppiSize size)
{
    NppiRect from = pass->from, to = pass->to;
    NppStatus status =
        npp_view_check(&pass->source.view, &pass->target, (NppiSize){to.width, to.height});
    bool shrinks = to.width < from.width && to.height < from.height;

    if (status != NPP_SUCCESS)
        return status;
    if (from.width <= 0 || from.height <= 0 || from.x < 0 || from.y < 0 || from.x >= size.width ||
        from.y >= size.height)
        return NPP_RECTANGLE_ERROR;
    if (pass->interpolation == NPPI_INTER_SUPER)
        return shrinks ? NPP_SUCCESS : NPP_RESIZE_FACTOR_ERROR;
    if ((npp_taps_fall_back(pass->interpolation) && !pass->by_factor) ||
        !npp_taps_known(pass->interpolation) ||
        (pass->interpolation == NPPI_INTER_LANCZOS && pass->function->type == NPP_T_16F))
        return NPP_INTERPOLATION_ERROR;
    return NPP_SUCCESS;
}

static NppStatus run(struct pass *pass, const struct npp_call *call)
{
    const struct npp_function *function = pass->function;

    pass->source.type = function->type;
    pass->source.least_x = pass->from.x;
    pass->source.least_y = pass->from.y;
    pass->source.most_x = call->src_size.width - 1;
    pass->source.most_y = call->src_size.height - 1;
    if (prepare_columns(pass))
        npp_bands(pass->to.height, (size_t)pass->to.width * function->channels * 2,
                  pass->interpolation == NPPI_INTER_NN ? run_nearest : run_band, pass);
    else
        atomic_store(&pass->failed, true);
    free(pass->weights);
    free(pass->places);
    free(pass->columns);
    return atomic_load(&pass->failed) ? NPP_NO_MEMORY_ERROR : NPP_SUCCESS;
}

static NppStatus begin(struct pass *pass, const struct npp_call *call)
{
    npp_view_source(pass->function, call, &pass->source.view);
    npp_view_target(pass->function, call, &pass->target);
    return check(pass, call->src_size);
}

/* Enlarging takes places a quarter of a pixel before, as NVIDIA's library does. */
static struct line line_between(int from, int from_size, int to_size)
{
    double scale = (double)from_size / to_size;

    return (struct line){from, from_size, scale, scale < 1 ? -0.25 : 0, 0};
}

NppStatus npp_resize(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    struct pass pass = {.function = function,
                        .from = call->src_rect,
                        .to = call->dst_rect,
                        .interpolation = call->interpolation};
    NppStatus status = begin(&pass, call);

    if (status != NPP_SUCCESS || checks)
        return status;
    pass.across = line_between(pass.from.x, pass.from.width, pass.to.width);
    pass.down = line_between(pass.from.y, pass.from.height, pass.to.height);
    return run(&pass, call);
}

/* Centers of pixels lie on each other: the place of a pixel is at / factor - shift, with a shift of
 * shift / factor + (1 - 1 / factor) / 2. */
static struct line line_by_factor(int from, int from_size, double factor, double shift)
{
    double scale = 1 / factor;

    return (struct line){from, from_size, scale, -(shift * scale + (1 - scale) * 0.5),
                         -shift * scale};
}

/* Cuts off the pixels in front of a region and behind it whose places are not in the region, which
 * reaches half a pixel before its begin, as that of Remap does. */
static void cut(const struct line *line, int *first, int *size)
{
    int end = *first + *size;

    while (*first < end && !(place_of(line, *first) >= line->from - 0.5))
        ++*first;
    while (end > *first && !(place_of(line, end - 1) < line->from + line->from_size))
        --end;
    *size = end - *first;
}

/* A line whose places are counted from the first pixel of the destination's region, and from the
 * image's begin. */
static struct line moved(struct line line, int first)
{
    line.begin += first * line.scale;
    line.cover += first * line.scale;
    line.from_size += line.from;
    line.from = 0;
    return line;
}

NppStatus npp_resize_by_factor(const struct npp_function *function, const struct npp_call *call,
                               bool checks)
{
    struct pass pass = {.function = function,
                        .from = call->src_rect,
                        .to = call->dst_rect,
                        .by_factor = true,
                        .interpolation = call->interpolation};
    double x_factor = call->x_factor_v[0], y_factor = call->y_factor_v[0];
    NppStatus status = begin(&pass, call);

    if (status != NPP_SUCCESS)
        return status;
    if (!(x_factor > 0) || !(y_factor > 0))
        return NPP_RESIZE_FACTOR_ERROR;
    if (checks)
        return NPP_SUCCESS;
    pass.across = line_by_factor(pass.from.x, pass.from.width, x_factor, call->x_shift_v[0]);
    pass.down = line_by_factor(pass.from.y, pass.from.height, y_factor, call->y_shift_v[0]);
    cut(&pass.across, &pass.to.x, &pass.to.width);
    cut(&pass.down, &pass.to.y, &pass.to.height);
    if (pass.to.width <= 0 || pass.to.height <= 0)
        return NPP_SUCCESS;
    pass.across = moved(pass.across, pass.to.x);
    pass.down = moved(pass.down, pass.to.y);
    return run(&pass, call);
}
