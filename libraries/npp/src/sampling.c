/* SPDX-License-Identifier: MIT */
/* Cubic interpolation is Lagrange's polynomial of four pixels, as in NVIDIA's library. */
#include "vector.h"

#include "sampling.h"

#include <math.h>
#include <stdint.h>

bool npp_taps_known(long long interpolation)
{
    return interpolation == NPPI_INTER_NN || interpolation == NPPI_INTER_LINEAR ||
           interpolation == NPPI_INTER_CUBIC || npp_taps_fall_back(interpolation) ||
           interpolation == NPPI_INTER_LANCZOS;
}

bool npp_taps_fall_back(long long interpolation)
{
    return interpolation == NPPI_INTER_CUBIC2P_BSPLINE ||
           interpolation == NPPI_INTER_CUBIC2P_CATMULLROM ||
           interpolation == NPPI_INTER_CUBIC2P_B05C03;
}

static void weigh_lagrange(double t, double w[4])
{
    w[0] = -t * (t - 1) * (t - 2) / 6;
    w[1] = (t + 1) * (t - 1) * (t - 2) / 2;
    w[2] = -(t + 1) * t * (t - 2) / 2;
    w[3] = (t + 1) * t * (t - 1) / 6;
}

/* The weight of a pixel at a distance, by the two parameters of Mitchell and Netravali. */
static double two_parameters(double x, double b, double c)
{
    x = fabs(x);
    if (x < 1)
        return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b) / 6;
    if (x < 2)
        return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x +
                8 * b + 24 * c) /
               6;
    return 0;
}

static void weigh_two_parameters(long long interpolation, double t, double w[4])
{
    double b = interpolation == NPPI_INTER_CUBIC2P_BSPLINE  ? 1
               : interpolation == NPPI_INTER_CUBIC2P_B05C03 ? 0.5
                                                            : 0;
    double c = interpolation == NPPI_INTER_CUBIC2P_BSPLINE  ? 0
               : interpolation == NPPI_INTER_CUBIC2P_B05C03 ? 0.3
                                                            : 0.5;

    for (int i = 0; i < 4; i++)
        w[i] = two_parameters(t - (i - 1), b, c);
}

static double sinc(double x)
{
    return x == 0 ? 1 : sin(M_PI * x) / (M_PI * x);
}

static void weigh_lanczos(double t, double w[6])
{
    double sum = 0;

    for (int i = 0; i < 6; i++) {
        double distance = t - (i - 2);

        w[i] = fabs(distance) < 3 ? sinc(distance) * sinc(distance / 3) : 0;
        sum += w[i];
    }
    for (int i = 0; i < 6; i++)
        w[i] /= sum;
}

void npp_taps_at(long long interpolation, double place, struct npp_taps *taps)
{
    double low = floor(place), t = place - low;

    *taps = (struct npp_taps){.first = (int)low, .count = 2, .weights = {1 - t, t}};
    switch (interpolation) {
    case NPPI_INTER_NN:
        *taps = (struct npp_taps){.first = (int)floor(place + 0.5), .count = 1, .weights = {1}};
        break;
    case NPPI_INTER_CUBIC:
        taps->first -= 1;
        taps->count = 4;
        weigh_lagrange(t, taps->weights);
        break;
    case NPPI_INTER_CUBIC2P_BSPLINE:
    case NPPI_INTER_CUBIC2P_CATMULLROM:
    case NPPI_INTER_CUBIC2P_B05C03:
        taps->first -= 1;
        taps->count = 4;
        weigh_two_parameters(interpolation, t, taps->weights);
        break;
    case NPPI_INTER_LANCZOS:
        taps->first -= 2;
        taps->count = 6;
        weigh_lanczos(t, taps->weights);
        break;
    default:
        break;
    }
}

NPP_INLINE double element_at(enum npp_type type, const void *at)
{
    double value;

    switch (type) {
    case NPP_T_8U:
        return *(const uint8_t *)at;
    case NPP_T_16U:
        return *(const uint16_t *)at;
    case NPP_T_16S:
        return *(const int16_t *)at;
    case NPP_T_32F:
        return (double)*(const float *)at;
    default:
        npp_load(type, at, &value, 1);
        return value;
    }
}

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

void npp_sample(const struct npp_source *source, const struct npp_taps *columns,
                const struct npp_taps *rows, double *values)
{
    for (unsigned c = 0; c < source->channels; c++)
        values[c] = 0;
    for (int j = 0; j < rows->count; j++) {
        int y = clamp(rows->first + j, source->least_y, source->most_y);

        for (unsigned c = 0; c < source->channels; c++) {
            double sum = 0;

            for (int i = 0; i < columns->count; i++) {
                int x = clamp(columns->first + i, source->least_x, source->most_x);

                sum += columns->weights[i] *
                       element_at(source->type, npp_view_at(&source->view, x, y, c));
            }
            values[c] += rows->weights[j] * sum;
        }
    }
}

void npp_put_pixel(const struct npp_function *function, const struct npp_view *target, int x, int y,
                   const double *values)
{
    unsigned channels = function->channels - (unsigned)function->alpha;

    if (!target->planar) {
        npp_store_rounded(function->type, values, (void *)npp_view_at(target, x, y, 0), channels,
                          NPP_RND_FINANCIAL);
        return;
    }
    for (unsigned c = 0; c < channels; c++)
        npp_store_rounded(function->type, &values[c], (void *)npp_view_at(target, x, y, c), 1,
                          NPP_RND_FINANCIAL);
}
