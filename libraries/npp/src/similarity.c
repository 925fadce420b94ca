/* SPDX-License-Identifier: MIT */
/* How alike two images or signals are: products, errors and quality. */
#include "gather.h"
#include "handlers.h"

#include <math.h>
#include <string.h>

/* The product of an element of each source; a real number times a complex one is complex. */
static void multiply(const double *a, unsigned a_numbers, const double *b, unsigned b_numbers,
                     double product[2])
{
    double a_imaginary = a_numbers == 2 ? a[1] : 0, b_imaginary = b_numbers == 2 ? b[1] : 0;

    product[0] = a[0] * b[0] - a_imaginary * b_imaginary;
    product[1] = a[0] * b_imaginary + a_imaginary * b[0];
}

/* Products of signals with a complex one. */
static void sum_products(const struct npp_function *function, const struct npp_call *call,
                         double sum[2])
{
    size_t a_bytes = npp_bytes(function->type), b_bytes = npp_bytes(function->second_type);

    for (long long i = 0; i < call->length; i++) {
        double a[2], b[2], product[2];

        npp_load(function->type, (const char *)call->src1 + (size_t)i * a_bytes, a, 1);
        npp_load(function->second_type, (const char *)call->src2 + (size_t)i * b_bytes, b, 1);
        multiply(a, npp_numbers(function->type), b, npp_numbers(function->second_type), product);
        sum[0] += product[0];
        sum[1] += product[1];
    }
}

NppStatus npp_dot_product(const struct npp_function *function, const struct npp_call *call,
                          bool checks)
{
    NppStatus status = npp_gather_check(function, call, call->dp);
    bool named = npp_is_signal(function) || function->target_type == NPP_T_64S;
    enum npp_type type = named ? function->target_type : NPP_T_64F;
    unsigned channels = function->channels - (unsigned)function->alpha;

    if (status != NPP_SUCCESS || checks)
        return status;
    for (unsigned c = 0; c < channels; c++) {
        double product[2] = {0};

        if (npp_numbers(function->second_type) == 2)
            sum_products(function, call, product);
        else
            product[0] = npp_gather(function, call, c, 0, NPP_WANTS_OTHER).product;
        for (unsigned n = 0; n < 2; n++)
            product[n] = ldexp(product[n], -(int)call->scale_factor);
        npp_store(type, product, (char *)call->dp + c * npp_bytes(type), 1);
    }
    return NPP_SUCCESS;
}

/* Average and greatest errors, absolute or relative, of all channels together. */
NppStatus npp_error(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    double *result = (double *)(npp_is_signal(function) ? call->dst : call->error);
    NppStatus status = npp_gather_check(function, call, result);
    bool relative = strstr(function->name, "Relative") != NULL;
    struct npp_gathered all;

    if (status != NPP_SUCCESS || checks)
        return status;
    all = npp_gather(function, call, 0, 0, NPP_WANTS_ERRORS);
    if (strstr(function->name, "Average"))
        *result = (relative ? all.relative_error : all.error) / all.count;
    else
        *result = relative ? all.most_relative_error : all.most_error;
    return NPP_SUCCESS;
}

/* The mean of squared differences, and its ratio to the square of the greatest value. */
NppStatus npp_squared_error(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    float *result = (float *)(call->mse ? call->mse : call->psnr);
    NppStatus status = npp_gather_check(function, call, result);

    if (status != NPP_SUCCESS || checks)
        return status;
    for (unsigned c = 0; c < function->channels; c++) {
        struct npp_gathered all =
            npp_gather(function, call, c, 0, NPP_WANTS_SUMS | NPP_WANTS_DIFFERENCE);
        double error = all.squares / all.count;

        result[c] = (float)(call->mse ? error : 10 * log10(255.0 * 255.0 / error));
    }
    return NPP_SUCCESS;
}

/* The universal image quality index of Wang and Bovik, over the whole region. */
NppStatus npp_quality_index(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    struct npp_call region = *call;
    NppStatus status;

    region.size_roi = call->roi_size;
    status = npp_gather_check(function, &region, call->dst);
    if (status != NPP_SUCCESS || checks)
        return status;
    for (unsigned c = 0; c < function->channels - (unsigned)function->alpha; c++) {
        struct npp_gathered all =
            npp_gather(function, &region, c, 0, NPP_WANTS_SUMS | NPP_WANTS_OTHER);
        double n = all.count, a = all.sum / n, b = all.other_sum / n;
        double covariance = (all.product - n * a * b) / (n - 1);
        double variances = (all.squares - n * a * a + all.other_squares - n * b * b) / (n - 1);

        ((float *)call->dst)[c] = (float)(4 * covariance * a * b / (variances * (a * a + b * b)));
    }
    return NPP_SUCCESS;
}
