/* SPDX-License-Identifier: MIT */
/* Images whose pixels are made of the pixels in a window around the same place of the source. */
#ifndef NPP_NEIGHBOURHOOD_H
#define NPP_NEIGHBOURHOOD_H

#include "call.h"

enum { NPP_WINDOW_MOST = 32 * 32 };

/* What becomes of the pixels in a window. */
enum npp_window_operation {
    NPP_WINDOW_SUM, /* of the products with the weights, divided by the divisor */
    NPP_WINDOW_LEAST,
    NPP_WINDOW_MOST_OF, /* of those with a weight other than 0 */
    NPP_WINDOW_MEDIAN,
};

struct npp_window {
    NppiSize size;
    NppiPoint anchor;      /* the place of the pixel in the window */
    const double *weights; /* row by row; NULL: all are 1 */
    double divisor;        /* 0 is 1 */
    enum npp_window_operation operation;
    /* Integers are sums plus half the divisor, divided as integers are; otherwise quotients lose
     * their fractions. */
    bool rounds;
    bool single;     /* computed in floats with fused operations, whatever the type */
    bool backward;   /* from the last weight to the first */
    bool mirrors;    /* knows borders of NPP_BORDER_MIRROR too */
    bool any_border; /* every type of border is NPP_BORDER_REPLICATE */
};

/* Checks the call, and computes it unless it `checks`. */
NppStatus npp_neighbourhood(const struct npp_function *function, const struct npp_call *call,
                            bool checks, const struct npp_window *window);

#endif
