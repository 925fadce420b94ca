/* SPDX-License-Identifier: MIT */
/* Thresholds: values beyond a limit are replaced. */
#include "handlers.h"

#include "bands.h"
#include "rows.h"
#include "strided.h"

#include <math.h>
#include <string.h>

/* What a threshold does to a value: replaces it if it compares. */
struct limit {
    double threshold, value;
    NppCmpOp operation;
};

static double channel_of(const double *scalar, const double *array,
                         const struct npp_function *function, unsigned c)
{
    return function->channels > 1 ? array[c] : scalar[0];
}

/* The limits of a channel, of which there are one or two. */
static unsigned limits_of(const struct npp_function *function, const struct npp_call *call,
                          unsigned c, struct limit limits[2])
{
    const char *suffix = function->suffix;
    bool signal = call->length != 0;
    NppCmpOp operation = (NppCmpOp)(signal ? call->rel_op : call->comparison_operation);
    double threshold =
        signal ? call->level_v[0] : channel_of(call->threshold_v, call->thresholds_v, function, c);
    double value = channel_of(call->value_v, call->values_v, function, c);

    if (strncmp(suffix, "LTValGTVal", 10) == 0) {
        limits[0] = (struct limit){
            channel_of(call->threshold_lt_v, call->thresholds_lt_v, function, c),
            channel_of(call->value_lt_v, call->values_lt_v, function, c), NPP_CMP_LESS};
        limits[1] = (struct limit){
            channel_of(call->threshold_gt_v, call->thresholds_gt_v, function, c),
            channel_of(call->value_gt_v, call->values_gt_v, function, c), NPP_CMP_GREATER};
        return 2;
    }
    if (strncmp(suffix, "LTVal", 5) == 0)
        limits[0] = (struct limit){threshold, value, NPP_CMP_LESS};
    else if (strncmp(suffix, "GTVal", 5) == 0)
        limits[0] = (struct limit){threshold, value, NPP_CMP_GREATER};
    else if (strncmp(suffix, "LT", 2) == 0)
        limits[0] = (struct limit){threshold, threshold, NPP_CMP_LESS};
    else if (strncmp(suffix, "GT", 2) == 0)
        limits[0] = (struct limit){threshold, threshold, NPP_CMP_GREATER};
    else if (strncmp(suffix, "Val", 3) == 0)
        limits[0] = (struct limit){threshold, value, operation};
    else
        limits[0] = (struct limit){threshold, threshold, operation};
    return 1;
}

static bool holds(double value, const struct limit *limit)
{
    return limit->operation == NPP_CMP_LESS ? value < limit->threshold : value > limit->threshold;
}

/* A value that is below the first limit is not compared with the second. */
static void apply_limits(double *a, size_t count, unsigned stride, const struct limit *limits,
                         unsigned limit_count)
{
    for (size_t i = 0; i < count; i += stride) {
        for (unsigned k = 0; k < limit_count; k++) {
            if (holds(a[i], &limits[k])) {
                a[i] = limits[k].value;
                break;
            }
        }
    }
}

static void threshold_row(const struct npp_row *row)
{
    for (unsigned c = 0; c < row->channels; c++) {
        struct limit limits[2];
        unsigned count = limits_of(row->function, row->call, c, limits);

        apply_limits(row->a + c, row->count - c, row->channels, limits, count);
    }
}

enum { PIECE = 960, ELEMENT_BYTES_MOST = 4 }; /* elements: whole pixels of up to four channels */

/* Rows of types that have a loop. */
struct typed_pass {
    const struct npp_function *function;
    struct npp_images images;
    npp_threshold_loop *loop;
    struct npp_typed_limits limits;
    _Alignas(32) char arrays[4][PIECE * ELEMENT_BYTES_MOST];
};

/* The limits of all channels. One that is not there is at the end of the type. */
static void spread_limits(const struct npp_call *call, struct typed_pass *pass)
{
    const struct npp_function *function = pass->function;
    size_t bytes = npp_bytes(function->type);

    for (unsigned c = 0; c < function->channels; c++) {
        double numbers[4] = {-HUGE_VAL, 0, HUGE_VAL, 0};
        struct limit limits[2];

        for (unsigned count = limits_of(function, call, c, limits); count; count--) {
            const struct limit *limit = &limits[count - 1];
            unsigned at = limit->operation == NPP_CMP_LESS ? 0 : 2;

            numbers[at] = limit->threshold;
            numbers[at + 1] = limit->value;
        }
        for (unsigned i = 0; i < 4; i++)
            npp_store(function->type, &numbers[i], pass->arrays[i] + c * bytes, 1);
    }
    for (unsigned i = 0; i < 4; i++)
        npp_repeat(pass->arrays[i], bytes * function->channels, PIECE / function->channels);
    pass->limits = (struct npp_typed_limits){pass->arrays[0], pass->arrays[1], pass->arrays[2],
                                             pass->arrays[3]};
}

static void run_typed_band(void *arguments, int first, int last)
{
    const struct typed_pass *pass = arguments;
    const struct npp_images *images = &pass->images;
    size_t count = (size_t)images->size.width * pass->function->channels;
    size_t bytes = npp_bytes(pass->function->type);

    for (int y = first; y < last; y++) {
        for (size_t at = 0; at < count; at += PIECE)
            pass->loop(npp_at(images->a, images->a_step, y, at * bytes), &pass->limits,
                       (void *)npp_at(images->d, images->d_step, y, at * bytes),
                       count - at < PIECE ? count - at : PIECE);
    }
}

static NppStatus run_typed(const struct npp_function *function, const struct npp_call *call,
                           bool checks)
{
    struct typed_pass pass = {.function = function,
                              .images = npp_images_of(function, call),
                              .loop = npp_threshold_loop_of(function->type)};
    NppStatus status = npp_check_images(function, &pass.images, call->length != 0);

    if (status != NPP_SUCCESS || checks)
        return status;
    spread_limits(call, &pass);
    npp_bands(pass.images.size.height, (size_t)pass.images.size.width * function->channels,
              run_typed_band, &pass);
    return NPP_SUCCESS;
}

NppStatus npp_threshold(const struct npp_function *function, const struct npp_call *call,
                        bool checks)
{
    long long operation = call->length ? call->rel_op : call->comparison_operation;

    if (operation != NPP_CMP_LESS && operation != NPP_CMP_GREATER)
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    if (!function->alpha && npp_threshold_loop_of(function->type))
        return run_typed(function, call, checks);
    return npp_rows(function, call, checks, NPP_RND_NEAR, threshold_row);
}
