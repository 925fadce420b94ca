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

/* Encodes the picture; the caller frees the file. */
static unsigned char *encode(nvjpegHandle_t handle, nvjpegChromaSubsampling_t subsampling,
                             size_t *bytes)
{
    static unsigned char picture[HEIGHT][PITCH];
    nvjpegImage_t image = {{device_memory(sizeof(picture))}, {PITCH}};
    nvjpegEncoderState_t state;
    nvjpegEncoderParams_t params;
    unsigned char *file;
    nvjpegStatus_t status;

    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < 3 * WIDTH; x++)
            picture[y][x] = color_at(x / 3, y, x % 3);
    }
    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)image.channel[0], picture, sizeof(picture)));
    check_status(nvjpegEncoderStateCreate(handle, &state, NULL), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncoderParamsCreate(handle, &params, NULL), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncoderParamsSetQuality(params, 95, NULL), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncoderParamsSetSamplingFactors(params, subsampling, NULL),
                 NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncodeRetrieveBitstream(handle, state, NULL, bytes, NULL),
                 NVJPEG_STATUS_INTERNAL_ERROR);
    status =
        nvjpegEncodeImage(handle, state, params, &image, NVJPEG_INPUT_RGBI, WIDTH, HEIGHT, NULL);
    if (status == NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED)
        skip("libjpeg-turbo is not installed");
    check_status(status, NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncodeRetrieveBitstream(handle, state, NULL, bytes, NULL),
                 NVJPEG_STATUS_SUCCESS);
    file = malloc(*bytes);
    check_status(nvjpegEncodeRetrieveBitstream(handle, state, file, bytes, NULL),
                 NVJPEG_STATUS_SUCCESS);
    check(file[0] == 0xff && file[1] == 0xd8);
    check_status(nvjpegEncoderParamsDestroy(params), NVJPEG_STATUS_SUCCESS);
    check_status(nvjpegEncoderStateDestroy(state), NVJPEG_STATUS_SUCCESS);
    return file;
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
