/* SPDX-License-Identifier: MIT */
/* A loop over pixels and the windows around them. */
#ifndef NPP_NEIGHBOURHOOD_H
#define NPP_NEIGHBOURHOOD_H

#include "call.h"

enum { NPP_WINDOW_MOST = 32 * 32 };

struct npp_window {
    NppiSize size;
    NppiPoint anchor;      /* the place of the pixel in the window */
    const double *weights; /* row by row; may be NULL */
    double divisor;
    bool rounds; /* integers are rounded; otherwise they lose their fractions */
};

/* Makes a number of those of one channel in the window, which stand row by row. */
typedef double npp_window_function(const struct npp_window *window, const double *pixels);

NppStatus npp_neighbourhood(const struct npp_function *function, const struct npp_call *call,
                            bool checks, const struct npp_window *window,
                            npp_window_function *compute);

#endif
