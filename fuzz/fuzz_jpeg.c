/* SPDX-License-Identifier: MIT */
/* Fuzzes nvJPEG: whatever the bytes are, they become planes and an image in memory of the size that
 * was asked for, or an error. The first byte chooses format, scale and orientation; the second
 * splits the rest into a file of tables and a file. */
#include "image.h"

#include <stdlib.h>
#include <string.h>

enum { PIXELS_MOST = 1 << 22, ROW_BYTES_MOST = 1 << 16, ROWS_MOST = 1 << 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct jpeg_request choose(unsigned choice)
{
    return (struct jpeg_request){
        .format = (nvjpegOutputFormat_t)(choice % (NVJPEG_OUTPUT_FORMAT_MAX + 1)),
        .allows_cmyk = true,
        .roi_width = -1,
        .roi_height = -1,
        .scale = (nvjpegScaleFactor_t)(choice / 16 % 4),
        .orientation = (nvjpegExifOrientation_t)(choice / 64 * 2),
    };
}

/* Writes the image where each channel ends with its allocation. The image is given away. */
static void paint(struct jpeg_image *image, const struct jpeg_request *request)
{
    struct jpeg_paint paint = {.image = image, .request = *request};
    struct cupipe_range operands[NVJPEG_MAX_COMPONENT];
    static unsigned char somewhere[1];
    size_t count;

    for (unsigned i = 0; i < NVJPEG_MAX_COMPONENT; i++) {
        paint.destination.channel[i] = somewhere;
        paint.destination.pitch[i] = ROW_BYTES_MOST * 4;
    }
    if (jpeg_paint_plan(&paint, operands, &count) == NVJPEG_STATUS_SUCCESS) {
        for (unsigned i = 0; i < NVJPEG_MAX_COMPONENT; i++) {
            paint.destination.pitch[i] = paint.row_bytes[i];
            paint.destination.channel[i] =
                malloc((size_t)paint.row_bytes[i] * paint.channel_rows[i] + !paint.row_bytes[i]);
        }
        jpeg_paint_run(&paint);
        for (unsigned i = 0; i < NVJPEG_MAX_COMPONENT; i++)
            free(paint.destination.channel[i]);
    }
    jpeg_image_free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jpeg_info info = {0};
    struct jpeg_source source = {0};
    struct jpeg_request request;
    struct jpeg_image *image;
    unsigned char *bytes;
    size_t table_bytes;

    if (size < 3)
        return 0;
    request = choose(data[0]);
    table_bytes = data[1] % 4 ? 0 : (size - 2) * data[1] / 256;
    bytes = malloc(size - 2); /* its end is the allocation's: a byte too many is seen */
    if (!bytes)
        return 0;
    memcpy(bytes, data + 2, size - 2);
    source.data = bytes + table_bytes;
    source.bytes = size - 2 - table_bytes;
    if (table_bytes && jpeg_parse(bytes, table_bytes, false, &info) == NVJPEG_STATUS_SUCCESS) {
        source.tables = bytes;
        source.table_bytes = table_bytes;
    }
    if (jpeg_parse(source.data, source.bytes, true, &info) == NVJPEG_STATUS_SUCCESS &&
        (uint64_t)info.width * info.height <= PIXELS_MOST &&
        jpeg_decode(&source, &info, &request, &image) == NVJPEG_STATUS_SUCCESS)
        paint(image, &request);
    free(bytes);
    return 0;
}
