/* SPDX-License-Identifier: MIT */
/* nvJPEG: what is encoded is decoded, in all formats, and what is wrong is said. Needs
 * libjpeg-turbo; without it the tests are skipped. */
#include "test.h"

#include <nvjpeg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 61, HEIGHT = 37, PITCH = 256 };

static void check_status(nvjpegStatus_t status, nvjpegStatus_t expected)
{
    check(status == expected);
}

static unsigned char *device_memory(size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes));
    check_success(cuMemsetD8(memory, 0x55, bytes));
    return (unsigned char *)(uintptr_t)memory;
}

/* A smooth picture, so that the file differs little from it. */
static unsigned char color_at(int x, int y, int channel)
{
    return (unsigned char)(channel == 0 ? 4 * x : channel == 1 ? 255 - 6 * y : 2 * x + 3 * y);
}

static nvjpegHandle_t create(void)
{
    nvjpegHandle_t handle;

    with_context();
    check_status(nvjpegCreateSimple(&handle), NVJPEG_STATUS_SUCCESS);
    return handle;
}

static nvjpegEncoderParams_t create_params(nvjpegHandle_t handle,
                                           nvjpegChromaSubsampling_t subsampling)
{
    nvjpegEncoderParams_t params;

    check_status(nvjpegEncoderParamsCreate(handle, &params, NULL), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncoderParamsSetQuality(params, 95, NULL), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncoderParamsSetSamplingFactors(params, subsampling, NULL),
                 NVJPEG_STATUS_SUCCESS);
    return params;
}

/* Takes the file of an encode from the state; the caller frees it. */
static unsigned char *retrieve(nvjpegHandle_t handle, nvjpegEncoderState_t state, size_t *bytes)
{
    unsigned char *file;

    check_status(nvjpegEncodeRetrieveBitstream(handle, state, NULL, bytes, NULL),
                 NVJPEG_STATUS_SUCCESS);
    file = malloc(*bytes);
    check_status(nvjpegEncodeRetrieveBitstream(handle, state, file, bytes, NULL),
                 NVJPEG_STATUS_SUCCESS);
    check(file[0] == 0xff && file[1] == 0xd8);
    return file;
}

/* Encodes the picture; the caller frees the file. */
static unsigned char *encode_with(nvjpegHandle_t handle, nvjpegEncoderParams_t params,
                                  size_t *bytes)
{
    static unsigned char picture[HEIGHT][PITCH];
    nvjpegImage_t image = {{device_memory(sizeof(picture))}, {PITCH}};
    nvjpegEncoderState_t state;
    unsigned char *file;
    nvjpegStatus_t status;

    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < 3 * WIDTH; x++)
            picture[y][x] = color_at(x / 3, y, x % 3);
    }
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)image.channel[0], picture, sizeof(picture)));
    check_status(nvjpegEncoderStateCreate(handle, &state, NULL), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncodeRetrieveBitstream(handle, state, NULL, bytes, NULL),
                 NVJPEG_STATUS_INTERNAL_ERROR);
    status =
        nvjpegEncodeImage(handle, state, params, &image, NVJPEG_INPUT_RGBI, WIDTH, HEIGHT, NULL);
    if (status == NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED)
        skip("libjpeg-turbo is not installed");
    check_status(status, NVJPEG_STATUS_SUCCESS);
    file = retrieve(handle, state, bytes);
    check_status(nvjpegEncoderParamsDestroy(params), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncoderStateDestroy(state), NVJPEG_STATUS_SUCCESS);
    return file;
}

static unsigned char *encode(nvjpegHandle_t handle, nvjpegChromaSubsampling_t subsampling,
                             size_t *bytes)
{
    return encode_with(handle, create_params(handle, subsampling), bytes);
}

/* Fetches rows of bytes from a channel. */
static void fetch(unsigned char *to, const unsigned char *channel, int row_bytes, int rows)
{
    check_success(cuCtxSynchronize());
    for (int y = 0; y < rows; y++)
        check_success(cuMemcpyDtoH(
            to + y * row_bytes, (CUdeviceptr)(uintptr_t)(channel + y * PITCH), (size_t)row_bytes));
}

/* The picture in a file is the one that was encoded, nearly. */
static void check_picture(nvjpegHandle_t handle, const unsigned char *file, size_t bytes, int most)
{
    static unsigned char pixels[HEIGHT * 3 * WIDTH];
    nvjpegImage_t image = {{device_memory(PITCH * HEIGHT)}, {PITCH}};
    nvjpegJpegState_t state;

    check_status(nvjpegJpegStateCreate(handle, &state), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecode(handle, state, file, bytes, NVJPEG_OUTPUT_RGBI, &image, NULL),
                 NVJPEG_STATUS_SUCCESS);
    fetch(pixels, image.channel[0], 3 * WIDTH, HEIGHT);
    for (int i = 0; i < HEIGHT * 3 * WIDTH; i++) {
        int expected = color_at(i / 3 % WIDTH, i / (3 * WIDTH), i % 3);

        check(abs(pixels[i] - expected) <= most);
    }
    check_status(nvjpegJpegStateDestroy(state), NVJPEG_STATUS_SUCCESS);
}

TEST(encoded_pictures_are_decoded)
{
    nvjpegHandle_t handle = create();
    size_t bytes;
    unsigned char *full = encode(handle, NVJPEG_CSS_444, &bytes);

    check_picture(handle, full, bytes, 8);
    free(full);
    full = encode(handle, NVJPEG_CSS_420, &bytes);
    check_picture(handle, full, bytes, 24);
    free(full);
    full = encode(handle, NVJPEG_CSS_410, &bytes);
    check_picture(handle, full, bytes, 40);
    free(full);
    check_status(nvjpegDestroy(handle), NVJPEG_STATUS_SUCCESS);
}

TEST(information_is_of_components)
{
    nvjpegHandle_t handle = create();
    nvjpegChromaSubsampling_t subsampling;
    int components, widths[4], heights[4];
    size_t bytes;
    unsigned char *file = encode(handle, NVJPEG_CSS_420, &bytes);

    check_status(
        nvjpegGetImageInfo(handle, file, bytes, &components, &subsampling, widths, heights),
        NVJPEG_STATUS_SUCCESS);
    check(components == 3 && subsampling == NVJPEG_CSS_420);
    check(widths[0] == WIDTH && heights[0] == HEIGHT && widths[1] == 31 && heights[1] == 19);
    check(widths[3] == 0);
    free(file);
}

TEST(formats_agree)
{
    static unsigned char interleaved[HEIGHT * 3 * WIDTH], plane[HEIGHT * WIDTH];
    nvjpegHandle_t handle = create();
    nvjpegImage_t image = {{0}, {PITCH, PITCH, PITCH, PITCH}};
    nvjpegJpegState_t state;
    size_t bytes;
    unsigned char *file = encode(handle, NVJPEG_CSS_422, &bytes);

    for (int i = 0; i < 3; i++)
        image.channel[i] = device_memory(PITCH * HEIGHT);
    check_status(nvjpegJpegStateCreate(handle, &state), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecode(handle, state, file, bytes, NVJPEG_OUTPUT_BGRI, &image, NULL),
                 NVJPEG_STATUS_SUCCESS);
    fetch(interleaved, image.channel[0], 3 * WIDTH, HEIGHT);
    check_status(nvjpegDecode(handle, state, file, bytes, NVJPEG_OUTPUT_RGB, &image, NULL),
                 NVJPEG_STATUS_SUCCESS);
    for (int c = 0; c < 3; c++) {
        fetch(plane, image.channel[c], WIDTH, HEIGHT);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            check(plane[i] == interleaved[3 * i + 2 - c]);
    }
    free(file);
}

TEST(a_region_is_a_part_of_the_picture)
{
    static unsigned char whole[HEIGHT * 3 * WIDTH], part[20 * 3 * 10];
    nvjpegHandle_t handle = create();
    nvjpegImage_t image = {{device_memory(PITCH * HEIGHT)}, {PITCH}};
    nvjpegJpegDecoder_t decoder;
    nvjpegJpegState_t state;
    nvjpegJpegStream_t stream;
    nvjpegDecodeParams_t params;
    nvjpegBufferPinned_t pinned;
    nvjpegBufferDevice_t device;
    size_t bytes;
    unsigned char *file = encode(handle, NVJPEG_CSS_444, &bytes);

    check_status(nvjpegDecoderCreate(handle, NVJPEG_BACKEND_DEFAULT, &decoder),
                 NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecoderStateCreate(handle, decoder, &state), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegJpegStreamCreate(handle, &stream), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecodeParamsCreate(handle, &params), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecodeParamsSetOutputFormat(params, NVJPEG_OUTPUT_RGBI),
                 NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegJpegStreamParse(handle, file, bytes, 0, 0, stream), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecodeJpegHost(handle, decoder, state, params, stream),
                 NVJPEG_STATUS_SUCCESS);
    /* The device's phases need a buffer. */
    check_status(nvjpegDecodeJpegTransferToDevice(handle, decoder, state, stream, NULL),
                 NVJPEG_STATUS_INVALID_PARAMETER);
    check_status(nvjpegDecodeJpeg(handle, decoder, state, stream, &image, params, NULL),
                 NVJPEG_STATUS_INVALID_PARAMETER);
    check_status(nvjpegBufferPinnedCreate(handle, NULL, &pinned), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegBufferDeviceCreate(handle, NULL, &device), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegStateAttachPinnedBuffer(state, pinned), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegStateAttachDeviceBuffer(state, device), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecodeJpegHost(handle, decoder, state, params, stream),
                 NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecodeJpegTransferToDevice(handle, decoder, state, stream, NULL),
                 NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecodeJpegDevice(handle, decoder, state, &image, NULL),
                 NVJPEG_STATUS_SUCCESS);
    fetch(whole, image.channel[0], 3 * WIDTH, HEIGHT);
    check_status(nvjpegDecodeParamsSetROI(params, 7, 5, 10, 20), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecodeJpeg(handle, decoder, state, stream, &image, params, NULL),
                 NVJPEG_STATUS_SUCCESS);
    fetch(part, image.channel[0], 30, 20);
    for (int y = 0; y < 20; y++)
        check(memcmp(part + 30 * y, whole + (y + 5) * 3 * WIDTH + 3 * 7, 30) == 0);
    check_status(nvjpegDecodeParamsSetROI(params, -1, 0, 5, 5), NVJPEG_STATUS_INVALID_PARAMETER);
    free(file);
}

/* The place of a marker, or -1. */
static int find_marker(const unsigned char *file, size_t bytes, int marker)
{
    for (size_t i = 0; i + 1 < bytes; i++) {
        if (file[i] == 0xff && file[i + 1] == marker)
            return (int)i;
    }
    return -1;
}

TEST(restart_intervals_are_kept)
{
    nvjpegHandle_t handle = create();
    nvjpegEncoderParams_t params = create_params(handle, NVJPEG_CSS_444);
    size_t bytes;
    unsigned char *file;
    int at;

    check_status(nvjpegEncoderParamsSetRestartInterval(params, 5, NULL), NVJPEG_STATUS_SUCCESS);
    file = encode_with(handle, params, &bytes);
    at = find_marker(file, bytes, 0xdd);
    check(at > 0 && file[at + 4] == 0 && file[at + 5] == 5);
    check(find_marker(file, bytes, 0xd0) > at && find_marker(file, bytes, 0xd6) > at);
    check_picture(handle, file, bytes, 8);
    free(file);
}

TEST(optimized_codes_make_a_smaller_file)
{
    nvjpegHandle_t handle = create();
    nvjpegEncoderParams_t params = create_params(handle, NVJPEG_CSS_444);
    size_t plain, optimized;

    free(encode(handle, NVJPEG_CSS_444, &plain));
    check_status(nvjpegEncoderParamsSetOptimizedHuffman(params, 1, NULL), NVJPEG_STATUS_SUCCESS);
    free(encode_with(handle, params, &optimized));
    check(optimized < plain);
}

TEST(tables_of_another_file_are_taken)
{
    nvjpegHandle_t handle = create();
    nvjpegEncoderParams_t params = create_params(handle, NVJPEG_CSS_444);
    nvjpegJpegStream_t stream;
    size_t coarse_bytes, bytes;
    unsigned char *coarse, *file;

    check_status(nvjpegEncoderParamsSetQuality(params, 20, NULL), NVJPEG_STATUS_SUCCESS);
    coarse = encode_with(handle, params, &coarse_bytes);
    check_status(nvjpegJpegStreamCreate(handle, &stream), NVJPEG_STATUS_SUCCESS);
    params = create_params(handle, NVJPEG_CSS_444);
    check_status(nvjpegEncoderParamsCopyQuantizationTables(params, stream, NULL),
                 NVJPEG_STATUS_INVALID_PARAMETER);
    check_status(nvjpegJpegStreamParse(handle, coarse, coarse_bytes, 1, 1, stream),
                 NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncoderParamsCopyQuantizationTables(params, stream, NULL),
                 NVJPEG_STATUS_SUCCESS);
    file = encode_with(handle, params, &bytes);
    check(bytes == coarse_bytes && memcmp(file, coarse, bytes) == 0);
    free(file);
    free(coarse);
}

/* A file without the segments of a marker, or with nothing but them. */
static size_t filter_segments(const unsigned char *file, size_t bytes, bool tables,
                              unsigned char *out)
{
    size_t at = 2, used = 2;

    memcpy(out, file, 2);
    while (file[at + 1] != 0xda) {
        size_t length = 2 + ((size_t)file[at + 2] << 8 | file[at + 3]);
        bool is_table = file[at + 1] == 0xdb || file[at + 1] == 0xc4;

        if (is_table == tables) {
            memcpy(out + used, file + at, length);
            used += length;
        }
        at += length;
    }
    if (tables) {
        out[used++] = 0xff;
        out[used++] = 0xd9;
        return used;
    }
    memcpy(out + used, file + at, bytes - at);
    return used + bytes - at;
}

TEST(tables_may_stand_in_a_file_of_their_own)
{
    static unsigned char pixels[2][HEIGHT * 3 * WIDTH];
    nvjpegHandle_t handle = create();
    nvjpegImage_t image = {{device_memory(PITCH * HEIGHT)}, {PITCH}}, *images = &image;
    nvjpegJpegState_t state;
    size_t bytes, rest_bytes;
    unsigned char *file = encode(handle, NVJPEG_CSS_444, &bytes), *tables, *rest;
    const unsigned char *data[1];

    tables = malloc(bytes);
    rest = malloc(bytes);
    rest_bytes = filter_segments(file, bytes, false, rest);
    check_status(nvjpegJpegStateCreate(handle, &state), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecodeBatchedInitialize(handle, state, 1, 1, NVJPEG_OUTPUT_RGBI),
                 NVJPEG_STATUS_SUCCESS);
    data[0] = file;
    check_status(nvjpegDecodeBatched(handle, state, data, &bytes, images, NULL),
                 NVJPEG_STATUS_SUCCESS);
    fetch(pixels[0], image.channel[0], 3 * WIDTH, HEIGHT);
    data[0] = rest;
    check_status(nvjpegDecodeBatched(handle, state, data, &rest_bytes, images, NULL),
                 NVJPEG_STATUS_BAD_JPEG);
    check_status(nvjpegDecodeBatchedParseJpegTables(handle, state, tables,
                                                    filter_segments(file, bytes, true, tables)),
                 NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecodeBatched(handle, state, data, &rest_bytes, images, NULL),
                 NVJPEG_STATUS_SUCCESS);
    fetch(pixels[1], image.channel[0], 3 * WIDTH, HEIGHT);
    check(memcmp(pixels[0], pixels[1], sizeof(pixels[0])) == 0);
    free(file);
    free(tables);
    free(rest);
}

TEST(nv12_is_encoded_as_its_planes)
{
    enum { ROWS = (HEIGHT + 1) / 2, COLUMNS = (WIDTH + 1) / 2 };
    static unsigned char pairs[ROWS][PITCH], planes[2][ROWS][PITCH], luma[HEIGHT][PITCH];
    nvjpegHandle_t handle = create();
    nvjpegImage_t nv12 = {{0}, {PITCH, PITCH}}, yuv = {{0}, {PITCH, PITCH, PITCH}};
    nvjpegEncoderParams_t params = create_params(handle, NVJPEG_CSS_420);
    nvjpegEncoderState_t state;
    size_t bytes[2];
    unsigned char *files[2];

    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++)
            luma[y][x] = color_at(x, y, 0);
    }
    for (int y = 0; y < ROWS; y++) {
        for (int x = 0; x < 2 * COLUMNS; x++)
            pairs[y][x] = planes[x % 2][y][x / 2] = color_at(x / 2, y, 1 + x % 2);
    }
    nv12.channel[0] = yuv.channel[0] = device_memory(sizeof(luma));
    nv12.channel[1] = device_memory(sizeof(pairs));
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)nv12.channel[0], luma, sizeof(luma)));
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)nv12.channel[1], pairs, sizeof(pairs)));
    for (int c = 0; c < 2; c++) {
        yuv.channel[1 + c] = device_memory(sizeof(pairs));
        check_success(
            cuMemcpyHtoD((CUdeviceptr)(uintptr_t)yuv.channel[1 + c], planes[c], sizeof(planes[c])));
    }
    check_status(nvjpegEncoderStateCreate(handle, &state, NULL), NVJPEG_STATUS_SUCCESS);
    if (nvjpegEncode(handle, state, params, &nv12, NVJPEG_CSS_420, NVJPEG_INPUT_NV12, WIDTH, HEIGHT,
                     NULL) == NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED)
        skip("libjpeg-turbo is not installed");
    files[0] = retrieve(handle, state, &bytes[0]);
    check_status(nvjpegEncode(handle, state, params, &yuv, NVJPEG_CSS_420, NVJPEG_INPUT_YUV, WIDTH,
                              HEIGHT, NULL),
                 NVJPEG_STATUS_SUCCESS);
    files[1] = retrieve(handle, state, &bytes[1]);
    check(bytes[0] == bytes[1] && memcmp(files[0], files[1], bytes[0]) == 0);
    check_status(nvjpegEncode(handle, state, params, &nv12, NVJPEG_CSS_444, NVJPEG_INPUT_NV12,
                              WIDTH, HEIGHT, NULL),
                 NVJPEG_STATUS_INVALID_PARAMETER);
    free(files[0]);
    free(files[1]);
}

/* A header of 65,000 by 65,000 pixels asks for no memory when nothing is behind it. */
TEST(a_header_without_an_image_is_refused)
{
    nvjpegHandle_t handle = create();
    nvjpegImage_t image = {{device_memory(PITCH * HEIGHT)}, {3 * 65000}};
    nvjpegJpegState_t state;
    size_t bytes;
    unsigned char *file = encode(handle, NVJPEG_CSS_444, &bytes);
    int at = find_marker(file, bytes, 0xc0);

    check(at > 0);
    file[at + 5] = file[at + 7] = 0xfd;
    file[at + 6] = file[at + 8] = 0xe8;
    check_status(nvjpegJpegStateCreate(handle, &state), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegDecode(handle, state, file, bytes, NVJPEG_OUTPUT_RGBI, &image, NULL),
                 NVJPEG_STATUS_INCOMPLETE_BITSTREAM);
    free(file);
}

TEST(what_is_wrong_is_said)
{
    static const unsigned char garbage[] = "this is not a JPEG file";
    nvjpegHandle_t handle = create(), none = NULL;
    nvjpegChromaSubsampling_t subsampling;
    nvjpegEncoderParams_t params;
    int components = 7, widths[4], heights[4];

    check_status(nvjpegCreateSimple(NULL), NVJPEG_STATUS_INVALID_PARAMETER);
    check_status(nvjpegGetImageInfo(handle, garbage, sizeof(garbage), &components, &subsampling,
                                    widths, heights),
                 NVJPEG_STATUS_BAD_JPEG);
    check_status(nvjpegGetImageInfo(handle, garbage, 0, &components, &subsampling, widths, heights),
                 NVJPEG_STATUS_INCOMPLETE_BITSTREAM);
    check(components == 7);
    check_status(nvjpegGetImageInfo(none, garbage, sizeof(garbage), &components, &subsampling,
                                    widths, heights),
                 NVJPEG_STATUS_INVALID_PARAMETER);
    check_status(nvjpegEncoderParamsCreate(handle, &params, NULL), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncoderParamsSetQuality(params, 0, NULL), NVJPEG_STATUS_INVALID_PARAMETER);
    check_status(nvjpegEncoderParamsSetQuality(params, 101, NULL), NVJPEG_STATUS_INVALID_PARAMETER);
    check_status(nvjpegDestroy(handle), NVJPEG_STATUS_SUCCESS);
}
