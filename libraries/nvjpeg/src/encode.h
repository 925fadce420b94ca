/* SPDX-License-Identifier: MIT */
/* An encode: what is read, and the planes that are made of it. */
#ifndef NVJPEG_ENCODE_H
#define NVJPEG_ENCODE_H

#include "objects.h"

struct encode {
    const struct nvjpegEncoderParams *params;
    struct nvjpegEncoderState *state;
    nvjpegImage_t source;
    nvjpegInputFormat_t format;
    nvjpegChromaSubsampling_t source_subsampling; /* of YUV */
    unsigned width, height;
    nvjpegStatus_t status;
};

/* Makes luma and chroma of the source, chroma in the size that the file is to have, and continues
 * rows and columns to whole MCUs. False: there is no memory. */
bool jpeg_make_planes(const struct encode *encode, struct jpeg_plane planes[3]);

#endif
