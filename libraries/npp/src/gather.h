/* SPDX-License-Identifier: MIT */
/* One pass over a region or a signal, which gathers numbers of one channel for statistics. */
#ifndef NPP_GATHER_H
#define NPP_GATHER_H

#include "call.h"

/* What is gathered; the rest stays 0. */
enum npp_wants {
    NPP_WANTS_SUMS = 1,        /* sum, squares, absolute, most_absolute */
    NPP_WANTS_OTHER = 2,       /* what stands under "of the second source" */
    NPP_WANTS_EXTREMES = 4,    /* least, most and where they first are */
    NPP_WANTS_DIFFERENCE = 8,  /* all of this for the difference of two sources */
    NPP_WANTS_MAGNITUDES = 16, /* all of this for magnitudes, which a complex number has one of */
    NPP_WANTS_ERRORS = 32,     /* distances of two sources, relative ones too */
};

struct npp_gathered {
    double count;
    double sum, squares, absolute, most_absolute;
    double product, other_sum, other_squares, other_absolute, other_most; /* of the second source */
    double least, most;
    long long least_x, least_y, most_x, most_y;
    double error, most_error, relative_error, most_relative_error;
};

bool npp_is_signal(const struct npp_function *function);

/* Checks sources, sizes and steps, and that there is a result. */
NppStatus npp_gather_check(const struct npp_function *function, const struct npp_call *call,
                           const void *result);

/* Gathers a number (0 or 1 of a complex one) of a channel of all pixels that the mask leaves. With
 * NPP_WANTS_ERRORS all channels count and complex numbers are taken whole. */
struct npp_gathered npp_gather(const struct npp_function *function, const struct npp_call *call,
                               unsigned channel, unsigned number, unsigned wants);

#endif
