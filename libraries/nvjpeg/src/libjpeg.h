/* SPDX-License-Identifier: MIT */
/* libjpeg-turbo by libjpeg's interface, loaded at the first call. Only the planes of components
 * cross it: cupipe converts colours and samples chroma itself, as NVIDIA's library does. */
#ifndef NVJPEG_LIBJPEG_H
#define NVJPEG_LIBJPEG_H

#include "image.h"

/* A file that is to be written. */
struct jpeg_encoding {
    unsigned width, height, components;
    unsigned horizontal, vertical; /* samples of luma for one of chroma */
    int quality;
    bool optimizes, is_progressive;
    unsigned restart_interval; /* in MCUs; 0: none */
    /* Tables of luma and of chroma; NULL: those of the quality, and the standard's. */
    const struct jpeg_quantization *quantization[2];
    const struct jpeg_huffman *huffman[2][2]; /* of DC and AC */
};

struct jpeg_codec {
    /* Decodes to planes at 1/divisor of the size. */
    nvjpegStatus_t (*decode)(const struct jpeg_source *source, unsigned divisor,
                             struct jpeg_image *image);
    /* Encodes planes whose rows go on to whole MCUs; the caller frees the file. */
    nvjpegStatus_t (*encode)(const struct jpeg_encoding *encoding, const struct jpeg_plane *planes,
                             unsigned char **data, size_t *bytes);
};

/* NULL if there is no libjpeg-turbo: a message on standard error said so. Thread-safe. */
const struct jpeg_codec *jpeg_codec(void);

/* Allocates the samples of a plane, with room for whole MCUs of any sampling. */
bool jpeg_plane_create(struct jpeg_plane *plane, unsigned width, unsigned height);

#endif
