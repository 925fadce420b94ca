/* SPDX-License-Identifier: MIT */
/* Interpolation between pixels: which pixels around a place count how much, in one direction. */
#ifndef NPP_SAMPLING_H
#define NPP_SAMPLING_H

#include "call.h"
#include "pixels.h"

enum { NPP_TAPS_MOST = 6 };

struct npp_taps {
    int first, count; /* pixels */
    double weights[NPP_TAPS_MOST];
};

/* Whether a mode is one of pixels and weights: nearest, linear, cubic, Lanczos. */
bool npp_taps_known(long long interpolation);

/* Whether a mode becomes linear where it needs pixels outside the image. */
bool npp_taps_fall_back(long long interpolation);

void npp_taps_at(long long interpolation, double place, struct npp_taps *taps);

/* The part of the source that may be read; places outside take its edge. */
struct npp_source {
    struct npp_view view;
    enum npp_type type;
    unsigned channels; /* that are sampled */
    int least_x, most_x, least_y, most_y;
};

/* Computes all channels at a place. */
void npp_sample(const struct npp_source *source, const struct npp_taps *columns,
                const struct npp_taps *rows, double *values);

/* Writes a pixel, but for its alpha. */
void npp_put_pixel(const struct npp_function *function, const struct npp_view *target, int x, int y,
                   const double *values);

#endif
