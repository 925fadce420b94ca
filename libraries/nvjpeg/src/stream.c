/* SPDX-License-Identifier: MIT */
/* Parsed bitstreams, and parameters of a decode. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

static void finish_stream(void *object)
{
    free(((struct nvjpegJpegStream *)object)->copy);
    free(((struct nvjpegJpegStream *)object)->tables);
}

const struct lib_object_type jpeg_stream_type = {sizeof(struct nvjpegJpegStream), finish_stream};
const struct lib_object_type jpeg_params_type = {sizeof(struct nvjpegDecodeParams), NULL};

nvjpegStatus_t nvjpegJpegStreamCreate(nvjpegHandle_t handle, nvjpegJpegStream_t *jpeg_stream)
{
    if (!lib_object_is(handle, &jpeg_handle_type) || !jpeg_stream)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *jpeg_stream = lib_object_create(&jpeg_stream_type);
    return *jpeg_stream ? NVJPEG_STATUS_SUCCESS : NVJPEG_STATUS_ALLOCATOR_FAILURE;
}

nvjpegStatus_t nvjpegJpegStreamDestroy(nvjpegJpegStream_t jpeg_stream)
{
    return lib_object_destroy(jpeg_stream, &jpeg_stream_type) ? NVJPEG_STATUS_SUCCESS
                                                              : NVJPEG_STATUS_INVALID_PARAMETER;
}

static unsigned char *duplicate(const unsigned char *data, size_t bytes)
{
    unsigned char *copy = malloc(bytes);

    if (copy)
        memcpy(copy, data, bytes);
    return copy;
}

static nvjpegStatus_t parse(nvjpegHandle_t handle, const unsigned char *data, size_t bytes,
                            bool copies, struct nvjpegJpegStream *stream)
{
    unsigned char *copy = NULL;
    struct jpeg_info info = {0};
    nvjpegStatus_t status;

    if (!lib_object_is(handle, &jpeg_handle_type) || !lib_object_is(stream, &jpeg_stream_type) ||
        !data || !bytes)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    stream->parsed = false;
    if (stream->tables)
        jpeg_parse(stream->tables, stream->table_bytes, false, &info);
    status = jpeg_parse(data, bytes, true, &info);
    if (status != NVJPEG_STATUS_SUCCESS)
        return status;
    if (copies) {
        copy = duplicate(data, bytes);
        if (!copy)
            return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    }
    free(stream->copy);
    stream->info = info;
    stream->copy = copy;
    stream->data = copy ? copy : data;
    stream->bytes = bytes;
    stream->parsed = true;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegJpegStreamParse(nvjpegHandle_t handle, const unsigned char *data,
                                     size_t length, int save_metadata, int save_stream,
                                     nvjpegJpegStream_t jpeg_stream)
{
    return parse(handle, data, length, save_metadata || save_stream, jpeg_stream);
}

nvjpegStatus_t nvjpegJpegStreamParseHeader(nvjpegHandle_t handle, const unsigned char *data,
                                           size_t length, nvjpegJpegStream_t jpeg_stream)
{
    return parse(handle, data, length, false, jpeg_stream);
}

nvjpegStatus_t jpeg_take_tables(const unsigned char *data, size_t bytes, unsigned char **tables,
                                size_t *table_bytes)
{
    struct jpeg_info info = {0};
    unsigned char *copy = NULL;
    nvjpegStatus_t status = data ? jpeg_parse(data, bytes, false, &info) : NVJPEG_STATUS_SUCCESS;

    if (status != NVJPEG_STATUS_SUCCESS)
        return status;
    if (data) {
        copy = duplicate(data, bytes);
        if (!copy)
            return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    }
    free(*tables);
    *tables = copy;
    *table_bytes = bytes;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegJpegStreamParseTables(nvjpegHandle_t handle, const unsigned char *data,
                                           size_t length, nvjpegJpegStream_t jpeg_stream)
{
    if (!lib_object_is(handle, &jpeg_handle_type) ||
        !lib_object_is(jpeg_stream, &jpeg_stream_type) || (data && !length))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    return jpeg_take_tables(data, length, &jpeg_stream->tables, &jpeg_stream->table_bytes);
}

static bool is_parsed(const struct nvjpegJpegStream *stream)
{
    return lib_object_is(stream, &jpeg_stream_type) && stream->parsed;
}

nvjpegStatus_t nvjpegJpegStreamGetJpegEncoding(nvjpegJpegStream_t jpeg_stream,
                                               nvjpegJpegEncoding_t *jpeg_encoding)
{
    if (!is_parsed(jpeg_stream) || !jpeg_encoding)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *jpeg_encoding = jpeg_stream->info.encoding;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegJpegStreamGetFrameDimensions(nvjpegJpegStream_t jpeg_stream,
                                                  unsigned int *width, unsigned int *height)
{
    if (!is_parsed(jpeg_stream) || !width || !height)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *width = jpeg_stream->info.width;
    *height = jpeg_stream->info.height;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegJpegStreamGetComponentsNum(nvjpegJpegStream_t jpeg_stream,
                                                unsigned int *components_num)
{
    if (!is_parsed(jpeg_stream) || !components_num)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *components_num = jpeg_stream->info.components;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegJpegStreamGetComponentDimensions(nvjpegJpegStream_t jpeg_stream,
                                                      unsigned int component, unsigned int *width,
                                                      unsigned int *height)
{
    if (!is_parsed(jpeg_stream) || component >= jpeg_stream->info.components || !width || !height)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *width = jpeg_stream->info.component[component].width;
    *height = jpeg_stream->info.component[component].height;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegJpegStreamGetExifOrientation(nvjpegJpegStream_t jpeg_stream,
                                                  nvjpegExifOrientation_t *orientation_flag)
{
    if (!is_parsed(jpeg_stream) || !orientation_flag)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *orientation_flag = jpeg_stream->info.orientation;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegJpegStreamGetSamplePrecision(nvjpegJpegStream_t jpeg_stream,
                                                  unsigned int *precision)
{
    if (!is_parsed(jpeg_stream) || !precision)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *precision = jpeg_stream->info.precision;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegJpegStreamGetChromaSubsampling(nvjpegJpegStream_t jpeg_stream,
                                                    nvjpegChromaSubsampling_t *chroma_subsampling)
{
    if (!is_parsed(jpeg_stream) || !chroma_subsampling)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    *chroma_subsampling = jpeg_stream->info.subsampling;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegDecodeParamsCreate(nvjpegHandle_t handle, nvjpegDecodeParams_t *decode_params)
{
    struct nvjpegDecodeParams *params;

    if (!lib_object_is(handle, &jpeg_handle_type) || !decode_params)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    params = lib_object_create(&jpeg_params_type);
    if (!params)
        return NVJPEG_STATUS_ALLOCATOR_FAILURE;
    params->request = (struct jpeg_request){
        .roi_width = -1, .roi_height = -1, .orientation = NVJPEG_ORIENTATION_NORMAL};
    *decode_params = params;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegDecodeParamsDestroy(nvjpegDecodeParams_t decode_params)
{
    return lib_object_destroy(decode_params, &jpeg_params_type) ? NVJPEG_STATUS_SUCCESS
                                                                : NVJPEG_STATUS_INVALID_PARAMETER;
}

nvjpegStatus_t nvjpegDecodeParamsSetOutputFormat(nvjpegDecodeParams_t decode_params,
                                                 nvjpegOutputFormat_t output_format)
{
    if (!lib_object_is(decode_params, &jpeg_params_type) ||
        (unsigned)output_format > NVJPEG_OUTPUT_FORMAT_MAX)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    decode_params->request.format = output_format;
    return NVJPEG_STATUS_SUCCESS;
}

/* A width and a height of -1 ask for the whole image again. */
nvjpegStatus_t nvjpegDecodeParamsSetROI(nvjpegDecodeParams_t decode_params, int offset_x,
                                        int offset_y, int roi_width, int roi_height)
{
    bool whole = roi_width == -1 && roi_height == -1;

    if (!lib_object_is(decode_params, &jpeg_params_type) ||
        (!whole && (offset_x < 0 || offset_y < 0 || roi_width <= 0 || roi_height <= 0)))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    decode_params->request.roi_x = offset_x;
    decode_params->request.roi_y = offset_y;
    decode_params->request.roi_width = roi_width;
    decode_params->request.roi_height = roi_height;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegDecodeParamsSetAllowCMYK(nvjpegDecodeParams_t decode_params, int allow_cmyk)
{
    if (!lib_object_is(decode_params, &jpeg_params_type))
        return NVJPEG_STATUS_INVALID_PARAMETER;
    decode_params->request.allows_cmyk = allow_cmyk != 0;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegDecodeParamsSetScaleFactor(nvjpegDecodeParams_t decode_params,
                                                nvjpegScaleFactor_t scale_factor)
{
    if (!lib_object_is(decode_params, &jpeg_params_type) ||
        (unsigned)scale_factor > NVJPEG_SCALE_1_BY_8)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    decode_params->request.scale = scale_factor;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegDecodeParamsSetExifOrientation(nvjpegDecodeParams_t decode_params,
                                                    nvjpegExifOrientation_t orientation)
{
    if (!lib_object_is(decode_params, &jpeg_params_type) ||
        (unsigned)orientation > NVJPEG_ORIENTATION_ROTATE_270)
        return NVJPEG_STATUS_INVALID_PARAMETER;
    decode_params->request.orientation = orientation;
    return NVJPEG_STATUS_SUCCESS;
}
