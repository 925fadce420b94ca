/* SPDX-License-Identifier: MIT */
/* Writes planes in an output format: cut to the region, turned as asked, chroma raised to the size
 * of luma, colors converted. It runs as work of a stream. */
#include "image.h"

#include <common/work.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_PER_PART = 32 };

static unsigned char clamp(float value)
{
    return value <= 0 ? 0 : value >= 255 ? 255 : (unsigned char)(value + 0.5f);
}

void jpeg_ycc_to_rgb(const unsigned char *y, const unsigned char *cb, const unsigned char *cr,
                     unsigned char *rgb, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        float blue = (float)cb[i] - 128.0f, red = (float)cr[i] - 128.0f, luma = y[i];

        rgb[3 * i] = clamp(luma + 1.402f * red);
        rgb[3 * i + 1] = clamp(luma - 0.344136286f * blue - 0.714136286f * red);
        rgb[3 * i + 2] = clamp(luma + 1.772f * blue);
    }
}

static bool is_turned(nvjpegExifOrientation_t orientation)
{
    return orientation >= NVJPEG_ORIENTATION_TRANSPOSE;
}

static bool is_planar_rgb(nvjpegOutputFormat_t format)
{
    return format == NVJPEG_OUTPUT_RGB || format == NVJPEG_OUTPUT_BGR;
}

static bool is_rgb(nvjpegOutputFormat_t format)
{
    return is_planar_rgb(format) || format == NVJPEG_OUTPUT_RGBI || format == NVJPEG_OUTPUT_BGRI;
}

/* The region of the image that is asked for. */
static nvjpegStatus_t find_region(struct jpeg_paint *paint)
{
    const struct jpeg_request *request = &paint->request;

    paint->x = paint->y = 0;
    paint->width = paint->image->width;
    paint->height = paint->image->height;
    if (request->roi_width > 0) {
        if ((unsigned)request->roi_x + (unsigned)request->roi_width > paint->image->width ||
            (unsigned)request->roi_y + (unsigned)request->roi_height > paint->image->height)
            return NVJPEG_STATUS_BAD_JPEG;
        paint->x = (unsigned)request->roi_x;
        paint->y = (unsigned)request->roi_y;
        paint->width = (unsigned)request->roi_width;
        paint->height = (unsigned)request->roi_height;
    }
    paint->out_width = is_turned(request->orientation) ? paint->height : paint->width;
    paint->out_height = is_turned(request->orientation) ? paint->width : paint->height;
    return NVJPEG_STATUS_SUCCESS;
}

static void plan_channel(struct jpeg_paint *paint, unsigned channel, unsigned row_bytes,
                         unsigned rows)
{
    paint->row_bytes[channel] = row_bytes;
    paint->channel_rows[channel] = rows;
}

static unsigned half(unsigned size)
{
    return (size + 1) / 2;
}

/* Planes that are copied as they are: regions of whole images only, since chroma is smaller. */
static nvjpegStatus_t plan_planes(struct jpeg_paint *paint, unsigned planes)
{
    if (paint->width != paint->image->width || paint->height != paint->image->height ||
        paint->request.orientation > NVJPEG_ORIENTATION_NORMAL)
        return NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED;
    for (unsigned i = 0; i < planes; i++)
        plan_channel(paint, i, paint->image->plane[i].width, paint->image->plane[i].height);
    return NVJPEG_STATUS_SUCCESS;
}

static nvjpegStatus_t plan_format(struct jpeg_paint *paint)
{
    const struct jpeg_image *image = paint->image;
    bool is_ycc = image->colors == JPEG_YCC, is_cmyk = image->colors == JPEG_CMYK;

    if (is_rgb(paint->request.format)) {
        if (is_cmyk && !paint->request.allows_cmyk)
            return NVJPEG_STATUS_INVALID_PARAMETER;
        if (!is_planar_rgb(paint->request.format)) {
            plan_channel(paint, 0, 3 * paint->out_width, paint->out_height);
            return NVJPEG_STATUS_SUCCESS;
        }
        for (unsigned i = 0; i < 3; i++)
            plan_channel(paint, i, paint->out_width, paint->out_height);
        return NVJPEG_STATUS_SUCCESS;
    }
    switch (paint->request.format) {
    case NVJPEG_OUTPUT_UNCHANGED:
        return plan_planes(paint, image->planes);
    case NVJPEG_OUTPUT_YUV:
        return is_ycc || image->colors == JPEG_GRAY ? plan_planes(paint, image->planes)
                                                    : NVJPEG_STATUS_INVALID_PARAMETER;
    case NVJPEG_OUTPUT_Y:
        return is_ycc || image->colors == JPEG_GRAY ? plan_planes(paint, 1)
                                                    : NVJPEG_STATUS_INVALID_PARAMETER;
    case NVJPEG_OUTPUT_NV12:
        if (!is_ycc || image->subsampling != NVJPEG_CSS_420)
            return NVJPEG_STATUS_INVALID_PARAMETER;
        plan_channel(paint, 1, 2 * half(image->width), half(image->height));
        return plan_planes(paint, 1);
    case NVJPEG_OUTPUT_YUY2:
        if (!is_ycc || image->subsampling != NVJPEG_CSS_422)
            return NVJPEG_STATUS_INVALID_PARAMETER;
        plan_channel(paint, 0, 4 * half(image->width), image->height);
        return NVJPEG_STATUS_SUCCESS;
    default:
        return NVJPEG_STATUS_INVALID_PARAMETER;
    }
}

nvjpegStatus_t jpeg_paint_plan(struct jpeg_paint *paint, struct cupipe_range *operands,
                               size_t *count)
{
    nvjpegStatus_t status = find_region(paint);

    memset(paint->row_bytes, 0, sizeof(paint->row_bytes));
    memset(paint->channel_rows, 0, sizeof(paint->channel_rows));
    if (status == NVJPEG_STATUS_SUCCESS)
        status = plan_format(paint);
    if (status != NVJPEG_STATUS_SUCCESS)
        return status;
    *count = 0;
    for (unsigned i = 0; i < NVJPEG_MAX_COMPONENT; i++) {
        if (!paint->channel_rows[i])
            continue;
        if (!paint->destination.channel[i] || paint->destination.pitch[i] < paint->row_bytes[i])
            return NVJPEG_STATUS_INVALID_PARAMETER;
        operands[(*count)++] =
            lib_written_pieces(paint->destination.channel[i], paint->row_bytes[i],
                               paint->channel_rows[i], paint->destination.pitch[i]);
    }
    return NVJPEG_STATUS_SUCCESS;
}

/* A sample of chroma between its neighbours: three parts of the nearer, one of the farther, in each
 * direction that is subsampled by 2; others repeat the nearest. */
static unsigned char smooth_sample(const struct jpeg_plane *plane, unsigned x, unsigned y,
                                   unsigned across, unsigned down)
{
    unsigned column = x / across, row = y / down, sum = 0;
    int other_column = (int)column, other_row = (int)row;

    if (across == 2)
        other_column += x % 2 ? 1 : -1;
    if (down == 2)
        other_row += y % 2 ? 1 : -1;
    if (other_column < 0 || other_column >= (int)plane->width)
        other_column = (int)column;
    if (other_row < 0 || other_row >= (int)plane->height)
        other_row = (int)row;
    sum += 9u * plane->samples[row * plane->pitch + column];
    sum += 3u * plane->samples[row * plane->pitch + (unsigned)other_column];
    sum += 3u * plane->samples[(unsigned)other_row * plane->pitch + column];
    sum += plane->samples[(unsigned)other_row * plane->pitch + (unsigned)other_column];
    return (unsigned char)((sum + 8) / 16);
}

/* A row of a component at the size of the image. */
static void raise_row(const struct jpeg_image *image, unsigned component, unsigned x, unsigned y,
                      unsigned count, unsigned char *out)
{
    const struct jpeg_plane *plane = &image->plane[component];
    unsigned across = plane->across, down = plane->down;
    const unsigned char *row = plane->samples + (size_t)(y / down) * plane->pitch;
    if (across == 1 && (down == 1 || !image->smooth)) {
        memcpy(out, row + x, count);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        out[i] =
            image->smooth ? smooth_sample(plane, x + i, y, across, down) : row[(x + i) / across];
}

/* libjpeg gives CMYK as Adobe's files store it, inverted. */
static void cmyk_to_rgb(unsigned char *const row[4], unsigned char *rgb, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned c = 0; c < 3; c++)
            rgb[3 * i + c] = (unsigned char)((row[c][i] * row[3][i] + 127) / 255);
    }
}

/* A row of the region in RGB; `scratch` has room for four rows. */
static void make_rgb_row(const struct jpeg_paint *paint, unsigned y, unsigned char *rgb,
                         unsigned char *scratch)
{
    const struct jpeg_image *image = paint->image;
    unsigned width = paint->width;
    unsigned char *row[4];

    for (unsigned i = 0; i < 4; i++) {
        row[i] = scratch + (size_t)i * width;
        if (i < image->planes)
            raise_row(image, i, paint->x, paint->y + y, width, row[i]);
    }
    switch (image->colors) {
    case JPEG_YCC:
        jpeg_ycc_to_rgb(row[0], row[1], row[2], rgb, width);
        break;
    case JPEG_CMYK:
        cmyk_to_rgb(row, rgb, width);
        break;
    default:
        for (unsigned i = 0; i < 3 * width; i++)
            rgb[i] = row[0][i / 3];
    }
}

/* Where a pixel of the region is in the output. */
static void place_of(const struct jpeg_paint *paint, unsigned x, unsigned y, unsigned *out_x,
                     unsigned *out_y)
{
    unsigned right = paint->width - 1 - x, low = paint->height - 1 - y;

    switch (paint->request.orientation) {
    case NVJPEG_ORIENTATION_FLIP_HORIZONTAL:
        *out_x = right, *out_y = y;
        break;
    case NVJPEG_ORIENTATION_ROTATE_180:
        *out_x = right, *out_y = low;
        break;
    case NVJPEG_ORIENTATION_FLIP_VERTICAL:
        *out_x = x, *out_y = low;
        break;
    case NVJPEG_ORIENTATION_TRANSPOSE:
        *out_x = y, *out_y = x;
        break;
    case NVJPEG_ORIENTATION_ROTATE_90:
        *out_x = low, *out_y = x;
        break;
    case NVJPEG_ORIENTATION_TRANSVERSE:
        *out_x = low, *out_y = right;
        break;
    case NVJPEG_ORIENTATION_ROTATE_270:
        *out_x = y, *out_y = right;
        break;
    default:
        *out_x = x, *out_y = y;
    }
}

/* A row that stays a row. */
static void store_straight_row(const struct jpeg_paint *paint, unsigned y, const unsigned char *rgb,
                               bool reversed)
{
    const nvjpegImage_t *to = &paint->destination;

    if (is_planar_rgb(paint->request.format)) {
        for (unsigned c = 0; c < 3; c++) {
            unsigned char *out = to->channel[c] + y * to->pitch[c];
            const unsigned char *in = rgb + (reversed ? 2 - c : c);

            for (unsigned x = 0; x < paint->width; x++)
                out[x] = in[3 * x];
        }
        return;
    }
    if (!reversed) {
        memcpy(to->channel[0] + y * to->pitch[0], rgb, (size_t)3 * paint->width);
        return;
    }
    for (unsigned x = 0; x < paint->width; x++) {
        for (unsigned c = 0; c < 3; c++)
            to->channel[0][y * to->pitch[0] + 3 * x + c] = rgb[3 * x + 2 - c];
    }
}

static void store_rgb_row(const struct jpeg_paint *paint, unsigned y, const unsigned char *rgb)
{
    const nvjpegImage_t *to = &paint->destination;
    nvjpegOutputFormat_t format = paint->request.format;
    bool reversed = format == NVJPEG_OUTPUT_BGR || format == NVJPEG_OUTPUT_BGRI;

    if (paint->request.orientation <= NVJPEG_ORIENTATION_NORMAL) {
        store_straight_row(paint, y, rgb, reversed);
        return;
    }

    for (unsigned x = 0; x < paint->width; x++) {
        unsigned out_x, out_y;

        place_of(paint, x, y, &out_x, &out_y);
        for (unsigned c = 0; c < 3; c++) {
            unsigned char value = rgb[3 * x + (reversed ? 2 - c : c)];

            if (is_planar_rgb(format))
                to->channel[c][out_y * to->pitch[c] + out_x] = value;
            else
                to->channel[0][out_y * to->pitch[0] + 3 * out_x + c] = value;
        }
    }
}

static void paint_rgb_part(void *arguments, size_t part)
{
    const struct jpeg_paint *paint = arguments;
    unsigned first = (unsigned)part * ROWS_PER_PART, last = first + ROWS_PER_PART;
    unsigned char *rows = malloc((size_t)7 * paint->width);

    for (unsigned y = first; rows && y < last && y < paint->height; y++) {
        make_rgb_row(paint, y, rows, rows + (size_t)3 * paint->width);
        store_rgb_row(paint, y, rows);
    }
    free(rows);
}

static void copy_plane(const struct jpeg_paint *paint, unsigned channel)
{
    const struct jpeg_plane *plane = &paint->image->plane[channel];

    for (size_t y = 0; y < plane->height; y++)
        memcpy(paint->destination.channel[channel] + y * paint->destination.pitch[channel],
               plane->samples + y * plane->pitch, plane->width);
}

/* Rows of two components after each other: of chroma (NV12), or around luma (YUY2), whose rows have
 * even numbers of samples. */
static void interleave(const struct jpeg_paint *paint)
{
    const struct jpeg_plane *plane = paint->image->plane;
    bool is_yuy2 = paint->request.format == NVJPEG_OUTPUT_YUY2;
    unsigned channel = is_yuy2 ? 0 : 1;

    for (size_t y = 0; y < plane[1].height; y++) {
        unsigned char *to =
            paint->destination.channel[channel] + y * paint->destination.pitch[channel];

        for (size_t x = 0; x < plane[1].width; x++) {
            if (is_yuy2)
                *to++ = plane[0].samples[y * plane[0].pitch + 2 * x];
            *to++ = plane[1].samples[y * plane[1].pitch + x];
            if (is_yuy2)
                *to++ = plane[0].samples[y * plane[0].pitch + 2 * x + 1];
            *to++ = plane[2].samples[y * plane[2].pitch + x];
        }
    }
}

CUresult jpeg_paint_run(void *arguments)
{
    struct jpeg_paint *paint = arguments;

    switch (paint->request.format) {
    case NVJPEG_OUTPUT_UNCHANGED:
    case NVJPEG_OUTPUT_YUV:
    case NVJPEG_OUTPUT_Y:
        for (unsigned i = 0; i < NVJPEG_MAX_COMPONENT; i++) {
            if (paint->channel_rows[i])
                copy_plane(paint, i);
        }
        break;
    case NVJPEG_OUTPUT_NV12:
        copy_plane(paint, 0);
        interleave(paint);
        break;
    case NVJPEG_OUTPUT_YUY2:
        interleave(paint);
        break;
    default:
        lib_parallel((paint->height + ROWS_PER_PART - 1) / ROWS_PER_PART, paint_rgb_part, paint);
    }
    return CUDA_SUCCESS;
}
