/* SPDX-License-Identifier: MIT */
/* Colors become planes of luma and chroma, and chroma is averaged to its size. */
#include "encode.h"
#include "libjpeg.h"

#include <stdlib.h>
#include <string.h>

#if !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif

static inline unsigned char round_sample(float value)
{
    float bounded = value > 0 ? value : 0;

    return (unsigned char)(int)((bounded < 255 ? bounded : 255) + 0.5f);
}

/* Rows of red, green and blue become rows of luma and chroma. */
static void convert_row(const unsigned char *restrict r, const unsigned char *restrict g,
                        const unsigned char *restrict b, unsigned char *restrict y,
                        unsigned char *restrict cb, unsigned char *restrict cr, unsigned count)
{
    for (unsigned x = 0; x < count; x++) {
        float red = r[x], green = g[x], blue = b[x];

        y[x] = round_sample(0.299f * red + 0.587f * green + 0.114f * blue);
        cb[x] = round_sample(-0.168735892f * red - 0.331264108f * green + 0.5f * blue + 128.0f);
        cr[x] = round_sample(0.5f * red - 0.418687589f * green - 0.081312411f * blue + 128.0f);
    }
}

/* The planes of a source of colors, at full size; `scratch` has room for three rows. */
static void read_colors(const struct encode *encode, const struct jpeg_plane planes[3],
                        unsigned char *scratch)
{
    const nvjpegImage_t *from = &encode->source;
    bool planar = encode->format == NVJPEG_INPUT_RGB || encode->format == NVJPEG_INPUT_BGR;
    bool reversed = encode->format == NVJPEG_INPUT_BGR || encode->format == NVJPEG_INPUT_BGRI;
    const unsigned char *row[3];

    for (size_t y = 0; y < encode->height; y++) {
        for (unsigned c = 0; c < 3; c++) {
            unsigned char *copy = scratch + (size_t)c * encode->width;

            row[reversed ? 2 - c : c] = planar ? from->channel[c] + y * from->pitch[c] : copy;
            for (size_t x = 0; x < encode->width && !planar; x++)
                copy[x] = from->channel[0][y * from->pitch[0] + 3 * x + c];
        }
        convert_row(row[0], row[1], row[2], planes[0].samples + y * planes[0].pitch,
                    planes[1].samples + y * planes[1].pitch,
                    planes[2].samples + y * planes[2].pitch, encode->width);
    }
}

/* The planes of a source that has them, at full size: chroma is repeated. That of NV12 lies in
 * pairs. */
static void read_planes(const struct encode *encode, struct jpeg_plane planes[3])
{
    bool has_pairs = encode->format == NVJPEG_INPUT_NV12;
    unsigned across = 1, down = 1;

    jpeg_chroma_factors(encode->source_subsampling, &across, &down);
    for (unsigned c = 0; c < 3; c++) {
        unsigned columns = c ? across : 1, rows = c ? down : 1;
        unsigned channel = has_pairs && c ? 1 : c, every = has_pairs && c ? 2 : 1;

        for (unsigned y = 0; y < encode->height; y++) {
            unsigned char *to = planes[c].samples + (size_t)y * planes[c].pitch;
            const unsigned char *from = encode->source.channel[channel] +
                                        (size_t)(y / rows) * encode->source.pitch[channel] +
                                        (has_pairs && c == 2);

            if (c && encode->source_subsampling == NVJPEG_CSS_GRAY)
                memset(to, 128, encode->width);
            else if (columns == 1)
                memcpy(to, from, encode->width);
            else
                for (unsigned x = 0; x < encode->width; x++)
                    to[x] = from[x / columns * every];
        }
    }
}

static unsigned char mean_of(const struct jpeg_plane *plane, unsigned x, unsigned y,
                             unsigned across, unsigned down)
{
    unsigned sum = 0;

    for (unsigned j = 0; j < down; j++) {
        for (unsigned i = 0; i < across; i++) {
            unsigned column = x * across + i, row = y * down + j;

            column = column < plane->width ? column : plane->width - 1;
            row = row < plane->height ? row : plane->height - 1;
            sum += plane->samples[(size_t)row * plane->pitch + column];
        }
    }
    return (unsigned char)((sum + across * down / 2) / (across * down));
}

/* Makes chroma smaller, in place: a sample is never behind those that it is made of. */
static void shrink(struct jpeg_plane *plane, unsigned across, unsigned down)
{
    unsigned width = (plane->width + across - 1) / across;
    unsigned height = (plane->height + down - 1) / down;

    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++)
            plane->samples[(size_t)y * plane->pitch + x] = mean_of(plane, x, y, across, down);
    }
    plane->width = width;
    plane->height = height;
}

/* Repeats the last column and the last row as far as blocks of `rows` rows go. */
static void extend(struct jpeg_plane *plane, unsigned rows)
{
    unsigned whole = (plane->height + rows - 1) / rows * rows;

    for (size_t y = 0; y < plane->height; y++) {
        unsigned char *row = plane->samples + y * plane->pitch;

        memset(row + plane->width, row[plane->width - 1], plane->pitch - plane->width);
    }
    for (size_t y = plane->height; y < whole; y++)
        memcpy(plane->samples + y * plane->pitch,
               plane->samples + (size_t)(plane->height - 1) * plane->pitch, plane->pitch);
}

bool jpeg_make_planes(const struct encode *encode, struct jpeg_plane planes[3])
{
    unsigned across = 1, down = 1;
    unsigned char *scratch = malloc((size_t)3 * encode->width);
    bool done = scratch;

    for (unsigned c = 0; c < 3 && done; c++)
        done = jpeg_plane_create(&planes[c], encode->width, encode->height);
    if (done) {
        if (encode->format == NVJPEG_INPUT_YUV || encode->format == NVJPEG_INPUT_NV12)
            read_planes(encode, planes);
        else
            read_colors(encode, planes, scratch);
        jpeg_chroma_factors(encode->params->subsampling, &across, &down);
        for (unsigned c = 1; c < 3 && across * down > 1; c++)
            shrink(&planes[c], across, down);
        for (unsigned c = 0; c < 3; c++)
            extend(&planes[c], c ? 8 : 8 * down);
    }
    free(scratch);
    return done;
}
