/* SPDX-License-Identifier: MIT */
/* Images of luma and chroma, or of red, green and blue, whatever their layout. */
#ifndef NPP_YUV_H
#define NPP_YUV_H

#include "call.h"

struct npp_yuv_component {
    void *base;
    long long step;
    size_t stride; /* of elements */
};

struct npp_yuv_image {
    void *planes[3];
    long long steps[3];
    struct npp_yuv_component components[3]; /* Y, Cb, Cr, or R, G, B */
    int sub_x, sub_y;                       /* pixels that share chroma */
};

/* Checks the images of a call and finds their components. */
NppStatus npp_yuv_begin(const struct npp_function *function, const struct npp_call *call,
                        struct npp_yuv_image *source, struct npp_yuv_image *target);

#endif
