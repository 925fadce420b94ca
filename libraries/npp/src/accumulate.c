/* SPDX-License-Identifier: MIT */
/* Accumulators: images that products, squares or weighted values of others are added to. */
#include "handlers.h"
#include "call.h"

#include <stdint.h>
#include <string.h>

static double combine(const struct npp_function *function, const struct npp_call *call, double a,
                      double b, double sum)
{
    double alpha = call->alpha_v[0];

    if (strstr(function->name, "AddProduct"))
        return sum + a * b;
    if (strstr(function->name, "AddSquare"))
        return sum + a * a;
    return a * alpha + sum * (1 - alpha);
}

NppStatus npp_accumulate(const struct npp_function *function, const struct npp_call *call,
                         bool checks)
{
    const void *first = call->src1 ? call->src1 : call->src;
    long long step = call->src1 ? call->src1_step : call->src_step;
    size_t bytes = npp_bytes(function->type) * function->channels;
    size_t target_bytes = npp_bytes(function->target_type) * function->channels;

    if (!first || !call->src_dst)
        return NPP_NULL_POINTER_ERROR;
    if (call->size_roi.width <= 0 || call->size_roi.height <= 0)
        return NPP_SIZE_ERROR;
    for (int y = 0; y < call->size_roi.height && !checks; y++) {
        for (int x = 0; x < call->size_roi.width; x++) {
            char *to = (char *)call->src_dst + y * call->src_dst_step + (size_t)x * target_bytes;
            double a[4], b[4] = {0}, sum[4];

            if (call->mask && !((const uint8_t *)call->mask)[y * call->mask_step + x])
                continue;
            npp_load(function->type, (const char *)first + y * step + (size_t)x * bytes, a,
                     function->channels);
            if (call->src2)
                npp_load(function->type,
                         (const char *)call->src2 + y * call->src2_step + (size_t)x * bytes, b,
                         function->channels);
            npp_load(function->target_type, to, sum, function->channels);
            for (unsigned c = 0; c < function->channels; c++)
                sum[c] = combine(function, call, a[c], b[c], sum[c]);
            npp_store(function->target_type, sum, to, function->channels);
        }
    }
    return NPP_SUCCESS;
}
