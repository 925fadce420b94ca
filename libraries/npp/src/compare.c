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
                         size_t i)
{
    return row->function->channels > 1 ? array[i % row->channels] : scalar[0];
}

/* The limits of a channel, of which there are one or two. */
static unsigned limits_of(const struct npp_row *row, size_t i, struct limit limits[2])
{
    const struct npp_call *call = row->call;
    const char *suffix = row->function->suffix;
    double threshold = channel_of(call->threshold_v, call->thresholds_v, row, i);
    double value = channel_of(call->value_v, call->values_v, row, i);

    if (strncmp(suffix, "LTValGTVal", 10) == 0) {
        limits[0] =
            (struct limit){channel_of(call->threshold_lt_v, call->thresholds_lt_v, row, i),
                           channel_of(call->value_lt_v, call->values_lt_v, row, i), NPP_CMP_LESS};
        limits[1] = (struct limit){channel_of(call->threshold_gt_v, call->thresholds_gt_v, row, i),
                                   channel_of(call->value_gt_v, call->values_gt_v, row, i),
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
        limits[0] = (struct limit){threshold, value, (NppCmpOp)call->comparison_operation};
    else
        limits[0] = (struct limit){threshold, threshold, (NppCmpOp)call->comparison_operation};
    return 1;
}

static void threshold_row(const struct npp_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        struct limit limits[2];
        unsigned count = limits_of(row, i, limits);
        double value = row->a[i];

        for (unsigned k = 0; k < count; k++) {
            if (holds(value, limits[k].threshold, limits[k].operation)) {
                row->a[i] = limits[k].value;
                break;
            }
        }
    }
}

NppStatus npp_threshold(const struct npp_function *function, const struct npp_call *call,
                        bool checks)
{
    if (call->comparison_operation != NPP_CMP_LESS && call->comparison_operation != NPP_CMP_GREATER)
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    return npp_rows(function, call, checks, false, threshold_row);
}
