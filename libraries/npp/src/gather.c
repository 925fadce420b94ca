/* SPDX-License-Identifier: MIT */
/* The region is cut into chunks of rows, or of a signal, which workers gather by themselves. The
 * chunks are the same for any number of workers, and so are the sums. */
#include "vector.h"

#include "gather.h"

#include "bands.h"
#include "pixels.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    PIECE = 256, /* pixels that are loaded together */
    CHUNKS_MOST = 64,
    LANES = 8, /* sums that run beside each other */
};

struct pass {
    const struct npp_function *function;
    const struct npp_call *call;
    struct npp_view first;
    const char *second;
    long long second_step;
    enum npp_type type, second_type;
    bool other_unsigned; /* the greatest of the second source is one without a sign */
    size_t width, height, chunks;
    unsigned channel, number, wants;
    struct npp_gathered results[CHUNKS_MOST];
};

struct piece {
    double a[PIECE], b[PIECE]; /* numbers that the mask leaves */
    int x[PIECE];              /* their places, if there is a mask */
    size_t count;
};

bool npp_is_signal(const struct npp_function *function)
{
    return strncmp(function->name, "npps", 4) == 0;
}

NppStatus npp_gather_check(const struct npp_function *function, const struct npp_call *call,
                           const void *result)
{
    bool two = !call->src && call->src1;

    if (!result || !(call->src || call->src1) || (two && !call->src2))
        return NPP_NULL_POINTER_ERROR;
    if (npp_is_signal(function))
        return call->length > 0 ? NPP_SUCCESS : NPP_SIZE_ERROR;
    if (call->size_roi.width <= 0 || call->size_roi.height <= 0)
        return NPP_SIZE_ERROR;
    if ((call->src ? call->src_step : call->src1_step) <= 0 || (two && call->src2_step <= 0))
        return NPP_STEP_ERROR;
    if (function->masked && call->coi &&
        (call->coi < 1 || call->coi > (long long)function->channels))
        return NPP_COI_ERROR;
    return NPP_SUCCESS;
}

/* NVIDIA's library takes numbers of 16 bits beside an alpha as those without a sign, where it looks
 * for the greatest of one image. */
static enum npp_type type_of(const struct npp_function *function)
{
    bool greatest = strncmp(function->name, "nppiNorm_Inf", 12) == 0 ||
                    strncmp(function->name, "nppiNormRel_Inf", 15) == 0;

    return greatest && function->alpha && function->type == NPP_T_16S ? NPP_T_16U : function->type;
}

static double plus(double a, double b)
{
    return a + b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static double fold(const double lanes[LANES], double (*operation)(double, double))
{
    double result = lanes[0];

    for (int i = 1; i < LANES; i++)
        result = operation(result, lanes[i]);
    return result;
}

NPP_VECTOR static void gather_sums(struct npp_gathered *all, const double *a, size_t count)
{
    double sum[LANES] = {0}, squares[LANES] = {0}, absolute[LANES] = {0}, most[LANES] = {0};

    for (size_t i = 0; i < count; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            double value = a[i + k], magnitude = fabs(value);

            sum[k] += value;
            squares[k] += value * value;
            absolute[k] += magnitude;
            most[k] = magnitude > most[k] ? magnitude : most[k];
        }
    }
    all->sum += fold(sum, plus);
    all->squares += fold(squares, plus);
    all->absolute += fold(absolute, plus);
    all->most_absolute = greater(all->most_absolute, fold(most, greater));
}

NPP_VECTOR static void gather_other(struct npp_gathered *all, const double *a, const double *b,
                                    size_t count)
{
    double product[LANES] = {0}, squares[LANES] = {0}, absolute[LANES] = {0}, most[LANES] = {0};
    double sum[LANES] = {0};

    for (size_t i = 0; i < count; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            double value = b[i + k], magnitude = fabs(value);

            sum[k] += value;
            product[k] += a[i + k] * value;
            squares[k] += value * value;
            absolute[k] += magnitude;
            most[k] = magnitude > most[k] ? magnitude : most[k];
        }
    }
    all->other_sum += fold(sum, plus);
    all->product += fold(product, plus);
    all->other_squares += fold(squares, plus);
    all->other_absolute += fold(absolute, plus);
    all->other_most = greater(all->other_most, fold(most, greater));
}

/* The least and the greatest of a piece; only a piece with a new one is searched for its place. */
NPP_VECTOR static void find_extremes(const double *a, size_t count, double *least, double *most)
{
    double low[LANES], high[LANES];

    for (size_t k = 0; k < LANES; k++)
        low[k] = high[k] = a[0];
    for (size_t i = 0; i < count; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            low[k] = a[i + k] < low[k] ? a[i + k] : low[k];
            high[k] = a[i + k] > high[k] ? a[i + k] : high[k];
        }
    }
    for (size_t k = 0; k < LANES; k++) {
        *least = low[k] < *least ? low[k] : *least;
        *most = high[k] > *most ? high[k] : *most;
    }
}

static size_t place_of(const double *a, size_t count, double value)
{
    size_t i = 0;

    while (i + 1 < count && a[i] != value)
        i++;
    return i;
}

static void gather_extremes(struct npp_gathered *all, const struct piece *piece, long long x,
                            long long y, bool masked, size_t padded)
{
    double least = piece->a[0], most = piece->a[0];

    find_extremes(piece->a, padded, &least, &most);
    if (all->count == 0 || least < all->least) {
        size_t at = place_of(piece->a, piece->count, least);

        all->least = least;
        all->least_x = masked ? piece->x[at] : x + (long long)at;
        all->least_y = y;
    }
    if (all->count == 0 || most > all->most) {
        size_t at = place_of(piece->a, piece->count, most);

        all->most = most;
        all->most_x = masked ? piece->x[at] : x + (long long)at;
        all->most_y = y;
    }
}

static double magnitude_of(const double *number, unsigned numbers)
{
    return numbers == 2 ? hypot(number[0], number[1]) : fabs(number[0]);
}

/* The magnitude of a complex number, or of a difference of two. */
static void take_magnitude(const struct pass *pass, struct piece *piece, const double *a,
                           const double *b)
{
    bool difference = pass->wants & NPP_WANTS_DIFFERENCE;

    piece->a[piece->count] =
        difference ? hypot(a[0] - b[0], a[1] - b[1]) : magnitude_of(a, npp_numbers(pass->type));
    piece->b[piece->count] = 0;
}

/* Loads the numbers of pixels of a row. What follows the last number up to a multiple of the lanes
 * repeats the first one, or is 0, so that loops need no end of their own. */
static size_t load_piece(const struct pass *pass, struct piece *piece, size_t x, size_t y,
                         size_t pixels)
{
    const struct npp_call *call = pass->call;
    unsigned channels = pass->function->channels;
    const uint8_t *mask = call->mask;
    unsigned stride = channels * npp_numbers(pass->type), offset;
    unsigned second_stride = channels * npp_numbers(pass->second_type);
    double raw[PIECE * 8], other[PIECE * 8];
    size_t padded;

    npp_load(pass->type, npp_view_at(&pass->first, (long long)x, (long long)y, 0), raw,
             pixels * channels);
    if (pass->second)
        npp_load(pass->second_type,
                 pass->second + (long long)y * pass->second_step +
                     x * channels * npp_bytes(pass->second_type),
                 other, pixels * channels);
    offset = pass->channel * npp_numbers(pass->type) + pass->number;
    piece->count = 0;
    for (size_t i = 0; i < pixels; i++) {
        if (mask && !mask[(long long)y * call->mask_step + (long long)(x + i)])
            continue;
        piece->x[piece->count] = (int)(x + i);
        piece->a[piece->count] = raw[i * stride + offset];
        if (pass->second)
            piece->b[piece->count] = other[i * second_stride + offset];
        if (pass->wants & NPP_WANTS_MAGNITUDES && npp_numbers(pass->type) == 2)
            take_magnitude(pass, piece, raw + i * stride + offset, other + i * stride + offset);
        piece->count++;
    }
    for (padded = piece->count; padded % LANES; padded++) {
        piece->a[padded] = pass->wants & NPP_WANTS_EXTREMES ? piece->a[0] : 0;
        piece->b[padded] = 0;
    }
    return padded;
}

static void gather_piece(const struct pass *pass, struct npp_gathered *all, size_t x, size_t y,
                         size_t pixels)
{
    struct piece piece;
    size_t padded = load_piece(pass, &piece, x, y, pixels);

    if (!piece.count)
        return;
    if (pass->wants & NPP_WANTS_OTHER)
        gather_other(all, piece.a, piece.b, padded);
    for (size_t i = 0; pass->other_unsigned && i < piece.count; i++)
        all->other_most =
            greater(all->other_most, piece.b[i] < 0 ? piece.b[i] + 65536 : piece.b[i]);
    if (pass->wants & NPP_WANTS_DIFFERENCE)
        for (size_t i = 0; i < padded; i++)
            piece.a[i] -= piece.b[i];
    if (pass->wants & NPP_WANTS_MAGNITUDES)
        for (size_t i = 0; i < padded; i++)
            piece.a[i] = fabs(piece.a[i]);
    if (pass->wants & NPP_WANTS_SUMS)
        gather_sums(all, piece.a, padded);
    if (pass->wants & NPP_WANTS_EXTREMES)
        gather_extremes(all, &piece, (long long)x, (long long)y, pass->call->mask != NULL, padded);
    all->count += (double)piece.count;
}

/* Distances of two sources; relative ones are parts of the greater of the two: of the magnitudes,
 * but for real signals. */
static void gather_errors(const struct pass *pass, struct npp_gathered *all, size_t x, size_t y,
                          size_t pixels)
{
    unsigned channels = pass->function->channels, numbers = npp_numbers(pass->type);
    size_t elements = pixels * channels, bytes = npp_bytes(pass->type);
    bool signal = npp_is_signal(pass->function);
    double a[PIECE * 8], b[PIECE * 8];

    npp_load(pass->type, npp_view_at(&pass->first, (long long)x, (long long)y, 0), a, elements);
    npp_load(pass->type, pass->second + (long long)y * pass->second_step + x * channels * bytes, b,
             elements);
    for (size_t i = 0; i < elements * numbers; i += numbers) {
        double largest = signal && numbers == 1
                             ? greater(a[i], b[i])
                             : greater(magnitude_of(a + i, numbers), magnitude_of(b + i, numbers));
        double difference[2] = {a[i] - b[i], numbers == 2 ? a[i + 1] - b[i + 1] : 0};
        double error = magnitude_of(difference, numbers);
        double relative = largest != 0 ? error / largest : 0;

        all->error += error;
        all->most_error = greater(all->most_error, error);
        all->relative_error += relative;
        all->most_relative_error = greater(all->most_relative_error, relative);
    }
    all->count += (double)elements;
}

static void gather_row(const struct pass *pass, struct npp_gathered *all, size_t y, size_t from,
                       size_t to)
{
    for (size_t x = from; x < to; x += PIECE) {
        size_t pixels = to - x < PIECE ? to - x : PIECE;

        if (pass->wants & NPP_WANTS_ERRORS)
            gather_errors(pass, all, x, y, pixels);
        else
            gather_piece(pass, all, x, y, pixels);
    }
}

static void gather_chunks(void *arguments, int first, int last)
{
    struct pass *pass = arguments;

    for (size_t chunk = (size_t)first; chunk < (size_t)last; chunk++) {
        struct npp_gathered *all = &pass->results[chunk];
        size_t total = pass->height > 1 ? pass->height : pass->width;
        size_t from = total * chunk / pass->chunks, to = total * (chunk + 1) / pass->chunks;

        if (pass->height == 1)
            gather_row(pass, all, 0, from, to);
        else
            for (size_t y = from; y < to; y++)
                gather_row(pass, all, y, 0, pass->width);
    }
}

static void add(struct npp_gathered *all, const struct npp_gathered *part)
{
    if (part->count && (all->count == 0 || part->least < all->least)) {
        all->least = part->least;
        all->least_x = part->least_x;
        all->least_y = part->least_y;
    }
    if (part->count && (all->count == 0 || part->most > all->most)) {
        all->most = part->most;
        all->most_x = part->most_x;
        all->most_y = part->most_y;
    }
    all->count += part->count;
    all->sum += part->sum;
    all->squares += part->squares;
    all->absolute += part->absolute;
    all->most_absolute = greater(all->most_absolute, part->most_absolute);
    all->product += part->product;
    all->other_sum += part->other_sum;
    all->other_squares += part->other_squares;
    all->other_absolute += part->other_absolute;
    all->other_most = greater(all->other_most, part->other_most);
    all->error += part->error;
    all->most_error = greater(all->most_error, part->most_error);
    all->relative_error += part->relative_error;
    all->most_relative_error = greater(all->most_relative_error, part->most_relative_error);
}

struct npp_gathered npp_gather(const struct npp_function *function, const struct npp_call *call,
                               unsigned channel, unsigned number, unsigned wants)
{
    bool signal = npp_is_signal(function);
    struct pass pass = {.function = function,
                        .call = call,
                        .second = call->src2,
                        .second_step = call->src2_step,
                        .type = call->src2 ? function->type : type_of(function),
                        .other_unsigned = call->src2 && type_of(function) != function->type,
                        .second_type = function->second_type,
                        .width = signal ? (size_t)call->length : (size_t)call->size_roi.width,
                        .height = signal ? 1 : (size_t)call->size_roi.height,
                        .channel = channel,
                        .number = number,
                        .wants = wants};
    size_t total = pass.height > 1 ? pass.height : pass.width;
    struct npp_gathered all = {0};

    npp_view_source(function, call, &pass.first);
    pass.chunks = pass.width * pass.height / 8192 + 1;
    pass.chunks = pass.chunks < CHUNKS_MOST ? pass.chunks : CHUNKS_MOST;
    pass.chunks = pass.chunks < total ? pass.chunks : total;
    npp_bands((int)pass.chunks, pass.width * pass.height / pass.chunks * function->channels,
              gather_chunks, &pass);
    for (size_t i = 0; i < pass.chunks; i++)
        add(&all, &pass.results[i]);
    return all;
}
