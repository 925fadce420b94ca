/* SPDX-License-Identifier: MIT */
/* A decoded image as the planes of its components, and how it is written in an output format. */
#ifndef NVJPEG_IMAGE_H
#define NVJPEG_IMAGE_H

#include "bitstream.h"

#include <cupipe.h>

enum jpeg_colors { JPEG_GRAY, JPEG_YCC, JPEG_CMYK };

struct jpeg_plane {
    unsigned char *samples;
    unsigned width, height, pitch;
    unsigned across, down; /* pixels of the image for a sample */
};

struct jpeg_image {
    enum jpeg_colors colors;
    nvjpegChromaSubsampling_t subsampling;
    unsigned width, height;
    unsigned planes;
    struct jpeg_plane plane[NVJPEG_MAX_COMPONENT];
    bool smooth; /* chroma is interpolated */
};

/* What a decode is asked for. */
struct jpeg_request {
    nvjpegOutputFormat_t format;
    bool allows_cmyk;
    int roi_x, roi_y, roi_width, roi_height; /* roi_width < 0: the whole image */
    nvjpegScaleFactor_t scale;
    nvjpegExifOrientation_t orientation;
};

/* A file, and the tables that it has in another one (as in TIFF); NULL: it has its own. */
struct jpeg_source {
    const unsigned char *data, *tables;
    size_t bytes, table_bytes;
};

/* Decodes a file to planes. */
nvjpegStatus_t jpeg_decode(const struct jpeg_source *source, const struct jpeg_info *info,
                           const struct jpeg_request *request, struct jpeg_image **image);
void jpeg_image_free(struct jpeg_image *image);

/* The writing of an image to device memory, as work of a stream. */
struct jpeg_paint {
    struct jpeg_image *image; /* owned */
    struct jpeg_request request;
    nvjpegImage_t destination;
    unsigned x, y, width, height;   /* the part of the image, before it is turned */
    unsigned out_width, out_height; /* after it */
    unsigned rows, row_bytes[NVJPEG_MAX_COMPONENT], channel_rows[NVJPEG_MAX_COMPONENT];
};

/* Checks that the image has the format and the destination can take it, and says what is written.
 */
nvjpegStatus_t jpeg_paint_plan(struct jpeg_paint *paint, struct cupipe_range *operands,
                               size_t *count);
CUresult jpeg_paint_run(void *paint);

/* The color of a sample of each component, as NVIDIA's library computes it. */
void jpeg_ycc_to_rgb(const unsigned char *y, const unsigned char *cb, const unsigned char *cr,
                     unsigned char *rgb, unsigned count);

/* How many samples of luma one of chroma stands for. False: the library does not know. */
bool jpeg_chroma_factors(nvjpegChromaSubsampling_t subsampling, unsigned *horizontal,
                         unsigned *vertical);

#endif
