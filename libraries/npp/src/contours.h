/* SPDX-License-Identifier: MIT */
/* Images of compressed labels, and which of their pixels are on a contour. */
#ifndef NPP_CONTOURS_H
#define NPP_CONTOURS_H

#include <nppdefs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The label is the first member of a pixel, which may have others. */
struct npp_label_image {
    const char *data;
    long long step;
    size_t pixel_bytes;
    int width, height;
};

static inline bool npp_label_inside(const struct npp_label_image *image, int x, int y)
{
    return x >= 0 && x < image->width && y >= 0 && y < image->height;
}

static inline uint32_t npp_label_at(const struct npp_label_image *image, int x, int y)
{
    return *(const uint32_t *)(image->data + y * image->step + (size_t)x * image->pixel_bytes);
}

/* A pixel is on the contour of its region if one of its eight neighbours has another label. */
static inline bool npp_on_contour(const struct npp_label_image *image, int x, int y)
{
    uint32_t label = npp_label_at(image, x, y);

    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (npp_label_inside(image, x + dx, y + dy) &&
                npp_label_at(image, x + dx, y + dy) != label)
                return true;
        }
    }
    return false;
}

#endif
