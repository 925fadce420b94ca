/* SPDX-License-Identifier: MIT */
/* Comparisons, whose result is 255 or 0 for a pixel, and thresholds. */
#include "handlers.h"
#include "pixels.h"
#include "rows.h"

#include <math.h>
#include <string.h>

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

/* A pixel compares if all its channels do. */
NppStatus npp_compare(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    const struct npp_images images = npp_images_of(function, call);
    NppStatus status = npp_check_images(function, &images, false);
    size_t pixel = npp_bytes(function->type) * function->channels;
    unsigned channels = function->channels - function->alpha;
    bool with_epsilon = strstr(function->name, "EqualEps") != NULL;

    if (status == NPP_SUCCESS &&
        (call->comparison_operation < 0 || call->comparison_operation > NPP_CMP_GREATER))
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    if (status != NPP_SUCCESS || checks)
        return status;
    for (int y = 0; y < images.size.height; y++) {
        for (int x = 0; x < images.size.width; x++) {
            double a[4], b[4];
            bool all = true;

            npp_load(function->type, npp_at(images.a, images.a_step, y, (size_t)x * pixel), a,
                     channels);
            if (images.b)
                npp_load(function->type, npp_at(images.b, images.b_step, y, (size_t)x * pixel), b,
                         channels);
            for (unsigned c = 0; c < channels; c++) {
                double other = images.b                 ? b[c]
                               : function->channels > 1 ? call->constants_v[c]
                                                        : call->constant_v[0];

                all &= with_epsilon ? fabs(a[c] - other) <= call->epsilon_v[0]
                                    : holds(a[c], other, (NppCmpOp)call->comparison_operation);
            }
            *((unsigned char *)images.d + y * images.d_step + x) = all ? 255 : 0;
        }
    }
    return NPP_SUCCESS;
}

/* What a threshold does to a value: replaces it if it compares. */
struct limit {
    double threshold, value;
    NppCmpOp operation;
};

static double channel_of(const double *scalar, const double *array, const struct npp_row *row,
                         unsigned c)
{
    return row->function->channels > 1 ? array[c] : scalar[0];
}

/* The limits of a channel, of which there are one or two. */
static unsigned limits_of(const struct npp_row *row, unsigned c, struct limit limits[2])
{
    const struct npp_call *call = row->call;
    const char *suffix = row->function->suffix;
    bool signal = call->length != 0;
    NppCmpOp operation = (NppCmpOp)(signal ? call->rel_op : call->comparison_operation);
    double threshold =
        signal ? call->level_v[0] : channel_of(call->threshold_v, call->thresholds_v, row, c);
    double value = channel_of(call->value_v, call->values_v, row, c);

    if (strncmp(suffix, "LTValGTVal", 10) == 0) {
        limits[0] =
            (struct limit){channel_of(call->threshold_lt_v, call->thresholds_lt_v, row, c),
                           channel_of(call->value_lt_v, call->values_lt_v, row, c), NPP_CMP_LESS};
        limits[1] = (struct limit){channel_of(call->threshold_gt_v, call->thresholds_gt_v, row, c),
                                   channel_of(call->value_gt_v, call->values_gt_v, row, c),
                                   NPP_CMP_GREATER};
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

/* A value that is below the first limit is not compared with the second. */
static void apply_limits(double *a, size_t count, unsigned stride, const struct limit *limits,
                         unsigned limit_count)
{
    for (size_t i = 0; i < count; i += stride) {
        for (unsigned k = 0; k < limit_count; k++) {
            if (holds(a[i], limits[k].threshold, limits[k].operation)) {
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
        unsigned count = limits_of(row, c, limits);

        apply_limits(row->a + c, row->count - c, row->channels, limits, count);
    }
}

NppStatus npp_threshold(const struct npp_function *function, const struct npp_call *call,
                        bool checks)
{
    long long operation = call->length ? call->rel_op : call->comparison_operation;

    if (operation != NPP_CMP_LESS && operation != NPP_CMP_GREATER)
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    return npp_rows(function, call, checks, NPP_RND_NEAR, threshold_row);
}
