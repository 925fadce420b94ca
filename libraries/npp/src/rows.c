/* SPDX-License-Identifier: MIT */
/* The loop over rows: load, compute, scale, store, in pieces that stay in the first cache. */
#include "vector.h"

#include "rows.h"

#include "bands.h"
#include "handlers.h"

#include <limits.h>
#include <math.h>
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

/* The constants of a call, one for each number of a pixel: given by value or in device memory. */
static void find_constants(const struct npp_function *function, const struct npp_call *call,
                           double constants[8])
{
    unsigned numbers = npp_numbers(function->type) * function->channels;

    if (strstr(function->name, "DeviceC")) {
        enum npp_type type = function->type == NPP_T_16F ? NPP_T_32F : function->type;

        npp_load(type, call->constants ? call->constants : call->constant, constants,
                 function->channels);
        return;
    }
    for (unsigned i = 0; i < numbers; i++) {
        constants[i] = call->constants_v[i];
        if (function->channels == 1)
            constants[i] = is_signal(function) ? call->value_v[i] : call->constant_v[i];
    }
}

/* Stores numbers, but for the fourth channel where it is alpha. */
static void store(const struct npp_function *function, const double *numbers, void *to,
                  size_t pixels, NppRoundMode rounding)
{
    enum npp_type type = function->target_type;
    size_t bytes = npp_bytes(type);
    unsigned per_element = npp_numbers(type);

    if (!function->alpha) {
        npp_store_rounded(type, numbers, to, pixels * function->target_channels, rounding);
        return;
    }
    for (size_t i = 0; i < pixels; i++)
        npp_store_rounded(type, numbers + 4 * per_element * i, (char *)to + 4 * bytes * i, 3,
                          rounding);
}

enum { PIECE = 960 }; /* numbers: whole pixels of up to four channels, complex or real */

struct pass {
    const struct npp_function *function;
    const struct npp_call *call;
    struct npp_images images;
    npp_row_function *compute;
    NppRoundMode rounding;
    npp_typed_loop *loop; /* NULL: numbers pass through doubles */
    double constants[PIECE];
    _Alignas(32) char typed_constants[PIECE * sizeof(float)];
};

static void run_piece(const struct pass *pass, int y, size_t first, size_t pixels)
{
    const struct npp_function *function = pass->function;
    const struct npp_images *images = &pass->images;
    size_t offset = first * function->channels * npp_bytes(function->type);
    size_t elements = pixels * function->channels;
    unsigned channels = function->channels * npp_numbers(function->type);
    double a[PIECE], b[PIECE];
    const struct npp_row row = {.function = function,
                                .call = pass->call,
                                .a = a,
                                .b = images->b ? b : pass->constants,
                                .count = pixels * channels,
                                .channels = channels};

    if (images->a)
        npp_load(function->type, npp_at(images->a, images->a_step, y, offset), a, elements);
    if (images->b)
        npp_load(function->type, npp_at(images->b, images->b_step, y, offset), b, elements);
    pass->compute(&row);
    if (pass->call->scale_factor) {
        double scale = ldexp(1.0, -(int)pass->call->scale_factor);

        for (size_t i = 0; i < row.count; i++)
            a[i] *= scale;
    }
    store(function, a,
          (char *)images->d + y * images->d_step +
              (ptrdiff_t)(first * function->target_channels * npp_bytes(function->target_type)),
          pixels, pass->rounding);
}

/* Elements of a row without doubles: all at once, or as many as there are constants. */
static void run_typed(const struct pass *pass, int y, size_t first, size_t pixels)
{
    const struct npp_images *images = &pass->images;
    size_t bytes = npp_bytes(pass->function->type);
    size_t begin = first * pass->function->channels,
           end = begin + pixels * pass->function->channels;
    size_t most = images->b ? end - begin : PIECE;

    for (size_t at = begin; at < end; at += most)
        pass->loop(npp_at(images->a, images->a_step, y, at * bytes),
                   images->b ? npp_at(images->b, images->b_step, y, at * bytes)
                             : pass->typed_constants,
                   (void *)npp_at(images->d, images->d_step, y, at * bytes),
                   end - at < most ? end - at : most, (int)pass->call->scale_factor);
}

/* Bands are rows of images, and pieces of signals. */
static void run_band(void *arguments, int first, int last)
{
    const struct pass *pass = arguments;
    size_t width = (size_t)pass->images.size.width;
    size_t most = PIECE / (pass->function->channels * npp_numbers(pass->function->type));
    bool signal = is_signal(pass->function);

    for (int y = signal ? 0 : first; y < (signal ? 1 : last); y++) {
        size_t end = signal ? (size_t)last * most : width;

        end = end < width ? end : width;
        if (pass->loop) {
            size_t begin = signal ? (size_t)first * most : 0;

            run_typed(pass, y, begin, end - begin);
            continue;
        }
        for (size_t x = signal ? (size_t)first * most : 0; x < end; x += most)
            run_piece(pass, y, x, end - x < most ? end - x : most);
    }
}

/* The loop of the type, if it serves the call. */
static npp_typed_loop *find_loop(const struct npp_function *function, const struct npp_call *call,
                                 const struct npp_typed_loops *loops)
{
    if (!loops || function->alpha || function->type != function->target_type ||
        function->channels != function->target_channels ||
        function->second_type != function->type || call->scale_factor < 0 ||
        call->scale_factor > NPP_TYPED_SCALE_MOST ||
        (npp_is_float(function->type) && call->scale_factor))
        return NULL;
    return npp_typed_loop_of(loops, function->type);
}

static NppStatus run(struct pass *pass, bool checks)
{
    const struct npp_function *function = pass->function;
    NppStatus status = npp_check_images(function, &pass->images, is_signal(function));
    unsigned numbers = function->channels * npp_numbers(function->type);
    int rows = pass->images.size.height;

    if (status != NPP_SUCCESS || checks)
        return status;
    if (!pass->images.b) {
        find_constants(function, pass->call, pass->constants);
        for (unsigned i = numbers; i < PIECE; i++)
            pass->constants[i] = pass->constants[i - numbers];
        if (pass->loop)
            npp_store(function->type, pass->constants, pass->typed_constants, PIECE);
    }
    if (is_signal(function))
        rows = (pass->images.size.width - 1) / (int)(PIECE / numbers) + 1;
    npp_bands(rows, is_signal(function) ? PIECE : (size_t)pass->images.size.width * numbers,
              run_band, pass);
    return NPP_SUCCESS;
}

NppStatus npp_rows(const struct npp_function *function, const struct npp_call *call, bool checks,
                   NppRoundMode rounding, npp_row_function *compute)
{
    struct pass pass = {.function = function,
                        .call = call,
                        .images = npp_images_of(function, call),
                        .compute = compute,
                        .rounding = rounding};

    return run(&pass, checks);
}

NppStatus npp_rows_typed(const struct npp_function *function, const struct npp_call *call,
                         bool checks, npp_row_function *compute,
                         const struct npp_typed_loops *loops)
{
    struct pass pass = {.function = function,
                        .call = call,
                        .images = npp_images_of(function, call),
                        .compute = compute,
                        .rounding = NPP_RND_NEAR,
                        .loop = find_loop(function, call, loops)};

    return run(&pass, checks);
}
