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
    unsigned codes[2];             /* the tables of DC and AC in the first scan */
    unsigned id;
};

struct jpeg_quantization {
    unsigned short values[64]; /* in zigzag order; all 0: not defined */
};

struct jpeg_huffman {
    unsigned char counts[17]; /* of codes of each length */
    unsigned char values[256];
    bool is_defined;
};

struct jpeg_info {
    nvjpegJpegEncoding_t encoding;
    unsigned precision, width, height, components;
    struct jpeg_component component[NVJPEG_MAX_COMPONENT];
    nvjpegChromaSubsampling_t subsampling;
    nvjpegExifOrientation_t orientation;
    struct jpeg_quantization quantization[4];
    struct jpeg_huffman huffman[2][4]; /* of DC and AC */
};

/* Reads markers to the first scan. `whole` demands a frame; otherwise tables are enough. `info` is
 * zeroed, or has the tables of another file, which stay unless this one has its own. */
nvjpegStatus_t jpeg_parse(const unsigned char *data, size_t bytes, bool whole,
                          struct jpeg_info *info);

#endif
