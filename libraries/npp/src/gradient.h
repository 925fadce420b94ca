/* SPDX-License-Identifier: MIT */
/* Gradients of an image, by Prewitt, Sobel or Scharr. Pixels outside the image are those at its
 * edge. Of several channels the one with the longest gradient counts. */
#ifndef NPP_GRADIENT_H
#define NPP_GRADIENT_H

#include "call.h"
#include "pixels.h"

enum npp_gradient_operator { NPP_PREWITT, NPP_SOBEL, NPP_SCHARR };

struct npp_gradient {
    const struct npp_function *function;
    const struct npp_call *call;
    struct npp_view source;
    const double *smooth, *derive; /* weights across and along the direction */
    int radius;
    double sign_x;
    long long norm;
};

/* Chooses the masks; false: there is none of this size. */
bool npp_gradient_begin(struct npp_gradient *gradient, const struct npp_function *function,
                        const struct npp_call *call, enum npp_gradient_operator kind);

/* Numbers of memory that a row needs. */
size_t npp_gradient_memory(const struct npp_gradient *gradient);

/* Computes a row of the region: both components and the length, whose fraction is kept. */
void npp_gradient_row(const struct npp_gradient *gradient, int y, double *memory, double *gx,
                      double *gy, double *length);

#endif
