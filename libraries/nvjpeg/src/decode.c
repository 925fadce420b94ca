/* SPDX-License-Identifier: MIT */
/* Decodes a file with libjpeg-turbo to the planes of its components. Three components are taken for
 * luma and chroma whatever the markers say, as by NVIDIA's. */
#include "libjpeg.h"

#include <stdlib.h>

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

/* A block of 64 samples takes a bit at least. What has fewer lacks most of its image, and memory
 * for that is not asked for. */
static bool is_hopelessly_short(const struct jpeg_info *info, size_t bytes)
{
    size_t blocks = 0;

    for (unsigned i = 0; i < info->components; i++)
        blocks += (size_t)(info->component[i].width / 8) * (info->component[i].height / 8);
    return blocks / 8 > bytes;
}

static bool is_supported(const struct jpeg_info *info)
{
    return info->precision == 8 && info->components != 2 &&
           (info->encoding == NVJPEG_ENCODING_BASELINE_DCT ||
            info->encoding == NVJPEG_ENCODING_EXTENDED_SEQUENTIAL_DCT_HUFFMAN ||
            info->encoding == NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN);
}

nvjpegStatus_t jpeg_decode(const struct jpeg_source *source, const struct jpeg_info *info,
                           const struct jpeg_request *request, struct jpeg_image **result)
{
    static const enum jpeg_colors colors[] = {[1] = JPEG_GRAY, [3] = JPEG_YCC, [4] = JPEG_CMYK};
    const struct jpeg_codec *codec = jpeg_codec();
    unsigned divisor = 1u << request->scale;
    struct jpeg_image *image;
    nvjpegStatus_t status;

    if (!codec)
        return NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED;
    if (!is_supported(info))
        return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
    if (is_hopelessly_short(info, source->bytes))
        return NVJPEG_STATUS_INCOMPLETE_BITSTREAM;
    image = calloc(1, sizeof(*image));
    if (!image)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    image->width = (info->width + divisor - 1) / divisor;
    image->height = (info->height + divisor - 1) / divisor;
    image->subsampling = info->subsampling;
    image->colors = colors[info->components];
    status = codec->decode(source, divisor, image);
    if (status != NVJPEG_STATUS_SUCCESS) {
        jpeg_image_free(image);
        return status;
    }
    *result = image;
    return status;
}
