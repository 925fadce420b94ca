/* SPDX-License-Identifier: MIT */
/* What the markers of a JPEG file say: its frame, its tables, its orientation. */
#ifndef NVJPEG_BITSTREAM_H
#define NVJPEG_BITSTREAM_H

#include <nvjpeg.h>
#include <stdbool.h>

struct jpeg_component {
    unsigned horizontal, vertical; /* sampling factors */
    unsigned width, height;        /* in samples */
    unsigned table;                /* of quantization */
};

struct jpeg_info {
    nvjpegJpegEncoding_t encoding;
    unsigned precision, width, height, components;
    struct jpeg_component component[NVJPEG_MAX_COMPONENT];
    nvjpegChromaSubsampling_t subsampling;
    nvjpegExifOrientation_t orientation;
    unsigned short tables[4][64]; /* of quantization, in zigzag order; all 0: not defined */
};

/* Reads markers to the first scan. `whole` demands a frame; otherwise tables are enough. */
nvjpegStatus_t jpeg_parse(const unsigned char *data, size_t bytes, bool whole,
                          struct jpeg_info *info);

#endif
