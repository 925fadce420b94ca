/* SPDX-License-Identifier: MIT */
/* Decodes a file with libjpeg-turbo to the planes of its components. Files whose sampling TurboJPEG
 * has no planes for, and files of RGB or CMYK, come as interleaved pixels and are split. The three
 * components of a file are taken for luma and chroma whatever its markers say, as by NVIDIA's. */
#include "image.h"
#include "turbojpeg.h"

#include <stdlib.h>
#include <string.h>

bool jpeg_chroma_factors(nvjpegChromaSubsampling_t subsampling, unsigned *horizontal,
                         unsigned *vertical)
{
    static const unsigned char factors[][2] = {
        [NVJPEG_CSS_444] = {1, 1},  [NVJPEG_CSS_422] = {2, 1}, [NVJPEG_CSS_420] = {2, 2},
        [NVJPEG_CSS_440] = {1, 2},  [NVJPEG_CSS_411] = {4, 1}, [NVJPEG_CSS_410] = {4, 2},
        [NVJPEG_CSS_GRAY] = {1, 1}, [NVJPEG_CSS_410V] = {2, 4}};

    if (subsampling < 0 || (size_t)subsampling >= sizeof(factors) / sizeof(*factors))
        return false;
    *horizontal = factors[subsampling][0];
    *vertical = factors[subsampling][1];
    return true;
}

void jpeg_image_free(struct jpeg_image *image)
{
    if (!image)
        return;
    for (unsigned i = 0; i < NVJPEG_MAX_COMPONENT; i++)
        free(image->plane[i].samples);
    free(image);
}

static bool make_plane(struct jpeg_plane *plane, unsigned width, unsigned height)
{
    plane->width = width;
    plane->height = height;
    plane->pitch = (width + 31) & ~31u;
    plane->samples = malloc((size_t)plane->pitch * ((height + 15) & ~15u));
    return plane->samples != NULL;
}

/* A file that ends early is decoded as far as it goes, with a warning. */
static bool has_failed(turbo_handle handle, int answer)
{
    return answer != 0 && turbo()->error_code(handle) != 0;
}

/* The planes of a JPEG of YCbCr or gray. TurboJPEG pads odd sizes to whole samples of chroma. */
static nvjpegStatus_t decode_planes(turbo_handle handle, const unsigned char *data, size_t bytes,
                                    struct jpeg_image *image)
{
    unsigned horizontal = 1, vertical = 1;
    unsigned char *planes[3] = {NULL};
    int strides[3] = {0};

    image->colors = image->subsampling == NVJPEG_CSS_GRAY ? JPEG_GRAY : JPEG_YCC;
    image->planes = image->colors == JPEG_GRAY ? 1 : 3;
    jpeg_chroma_factors(image->subsampling, &horizontal, &vertical);
    for (unsigned i = 0; i < image->planes; i++) {
        unsigned across = i ? horizontal : 1, down = i ? vertical : 1;

        if (!make_plane(&image->plane[i], (image->width + across - 1) / across,
                        (image->height + down - 1) / down))
            return NVJPEG_STATUS_ALLOCATOR_FAILURE;
        planes[i] = image->plane[i].samples;
        strides[i] = (int)image->plane[i].pitch;
    }
    return has_failed(handle,
                      turbo()->decompress_planes(handle, data, bytes, planes, (int)image->width,
                                                 strides, (int)image->height, TURBO_ACCURATE_DCT))
               ? NVJPEG_STATUS_BAD_JPEG
               : NVJPEG_STATUS_SUCCESS;
}

static nvjpegStatus_t decode_pixels(turbo_handle handle, const unsigned char *data, size_t bytes,
                                    struct jpeg_image *image)
{
    unsigned channels = image->colors == JPEG_CMYK ? 4 : 3;
    size_t pitch = (size_t)channels * image->width;
    unsigned char *pixels = malloc(pitch * image->height);
    nvjpegStatus_t status = NVJPEG_STATUS_ALLOCATOR_FAILURE;

    image->planes = channels;
    for (unsigned i = 0; i < channels && pixels; i++) {
        if (!make_plane(&image->plane[i], image->width, image->height))
            goto free_pixels;
    }
    if (!pixels)
        return status;
    status = NVJPEG_STATUS_BAD_JPEG;
    if (has_failed(handle, turbo()->decompress(handle, data, bytes, pixels, (int)image->width,
                                               (int)pitch, (int)image->height,
                                               channels == 4 ? TURBO_PIXEL_CMYK : TURBO_PIXEL_RGB,
                                               TURBO_ACCURATE_DCT)))
        goto free_pixels;
    for (size_t y = 0; y < image->height; y++) {
        for (size_t x = 0; x < image->width * channels; x++)
            image->plane[x % channels].samples[y * image->plane[0].pitch + x / channels] =
                pixels[y * pitch + x];
    }
    status = NVJPEG_STATUS_SUCCESS;
free_pixels:
    free(pixels);
    return status;
}

static bool has_planes(nvjpegChromaSubsampling_t subsampling)
{
    return subsampling >= NVJPEG_CSS_444 && subsampling <= NVJPEG_CSS_GRAY &&
           subsampling != NVJPEG_CSS_410;
}

nvjpegStatus_t jpeg_decode(const unsigned char *data, size_t bytes, const struct jpeg_info *info,
                           const struct jpeg_request *request, struct jpeg_image **result)
{
    const struct turbo_functions *library = turbo();
    unsigned divisor = 1u << request->scale;
    nvjpegStatus_t status = NVJPEG_STATUS_ALLOCATOR_FAILURE;
    struct jpeg_image *image;
    int width, height, sampling, color;
    turbo_handle handle;

    if (!library)
        return NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED;
    if (info->precision != 8 || info->components == 2 ||
        (info->encoding != NVJPEG_ENCODING_BASELINE_DCT &&
         info->encoding != NVJPEG_ENCODING_EXTENDED_SEQUENTIAL_DCT_HUFFMAN &&
         info->encoding != NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN))
        return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
    image = calloc(1, sizeof(*image));
    handle = library->init_decompress();
    if (!image || !handle)
        goto out;
    image->width = (info->width + divisor - 1) / divisor;
    image->height = (info->height + divisor - 1) / divisor;
    image->subsampling = info->subsampling;
    color = TURBO_COLOR_YCBCR;
    /* The header of a file whose sampling TurboJPEG does not know is an error, not the file. */
    if (library->decompress_header(handle, data, bytes, &width, &height, &sampling, &color) != 0)
        color = info->components == 4 ? TURBO_COLOR_CMYK : TURBO_COLOR_YCBCR;
    image->colors = JPEG_RGB;
    if (color == TURBO_COLOR_CMYK || color == TURBO_COLOR_YCCK)
        image->colors = JPEG_CMYK;
    else if (color == TURBO_COLOR_RGB && info->subsampling == NVJPEG_CSS_444)
        image->colors = JPEG_YCC;
    if ((color == TURBO_COLOR_YCBCR || color == TURBO_COLOR_GRAY) && has_planes(info->subsampling))
        status = decode_planes(handle, data, bytes, image);
    else
        status = decode_pixels(handle, data, bytes, image);
out:
    if (handle)
        library->destroy(handle);
    if (status != NVJPEG_STATUS_SUCCESS) {
        jpeg_image_free(image);
        return status;
    }
    *result = image;
    return status;
}
