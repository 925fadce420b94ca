/* SPDX-License-Identifier: MIT */
/* Where the pixels of an image are: interleaved channels, or planes. */
#ifndef NPP_PIXELS_H
#define NPP_PIXELS_H

#include "call.h"

struct npp_view {
    const void *plane[4]; /* of planar images; otherwise the first */
    long long step[4];
    size_t pixel_bytes, channel_bytes;
    bool planar;
};

/* The images of a call. In place, they are the same. */
void npp_view_source(const struct npp_function *function, const struct npp_call *call,
                     struct npp_view *view);
void npp_view_target(const struct npp_function *function, const struct npp_call *call,
                     struct npp_view *view);

NppStatus npp_view_check(const struct npp_view *source, const struct npp_view *target,
                         NppiSize size);

static inline const void *npp_view_at(const struct npp_view *view, long long x, long long y,
                                      unsigned channel)
{
    unsigned plane = view->planar ? channel : 0;
    const char *row = (const char *)view->plane[plane] + y * view->step[plane];

    return row + x * (long long)view->pixel_bytes +
           (view->planar ? 0 : channel) * view->channel_bytes;
}

#endif
