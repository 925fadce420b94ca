/* SPDX-License-Identifier: MIT */
/* Convolutions of any type and layout: tensors become arrays, windows become columns of a matrix,
 * and OpenBLAS multiplies. Columns are made for so many rows of positions at a time that they stay
 * in the caches. */
#include "array.h"
#include "columns.h"
#include "conv.h"
#include "gemm.h"
#include "onednn.h"
#include "loop.h"
#include "pointwise.h"

#include <math.h>
#include <string.h>

/* Below ONEDNN_NANOSECONDS, planning would take longer than the convolution. */
enum { COLUMNS_BYTES = 4 << 20, ONEDNN_NANOSECONDS = 20000 };

struct conv {
    const struct dnn_conv *op;
    bool wide;
    struct dnn_window window;        /* of one group */
    int64_t images, groups, filters; /* filters of one group */
    struct dnn_array x, w, y, columns;
    int64_t rows, rows_at_once, positions, taps; /* taps: channels * window of one group */
};

static void *at(const struct conv *conv, const struct dnn_array *array, int64_t offset)
{
    return (char *)array->data + offset * (conv->wide ? 8 : 4);
}

/* The window turned round in its spatial dimensions, by negative strides. */
static struct dnn_tensor turned(const struct dnn_conv *op)
{
    struct dnn_tensor w = op->w;
    int64_t offset = 0;

    for (int i = 2; i < w.rank && op->flip; i++) {
        offset += (w.dims[i] - 1) * w.strides[i];
        w.strides[i] = -w.strides[i];
    }
    w.address = dnn_at(&op->w, offset * (w.vector > 1 ? w.vector : 1));
    return w;
}

static void describe(struct conv *conv, const struct dnn_conv *op)
{
    struct dnn_window *window = &conv->window;

    for (int i = 0; i < DNN_SPATIAL; i++) {
        int own = i - (DNN_SPATIAL - op->spatial);

        window->in[i] = own < 0 ? 1 : op->x.dims[2 + own];
        window->out[i] = own < 0 ? 1 : op->y.dims[2 + own];
        window->size[i] = own < 0 ? 1 : op->w.dims[2 + own];
        window->pad[i] = own < 0 ? 0 : op->pre[own];
        window->stride[i] = own < 0 ? 1 : op->stride[own];
        window->dilation[i] = own < 0 ? 1 : op->dilation[own];
    }
    window->channels = op->w.dims[1];
    conv->images = op->x.dims[0];
    conv->groups = op->x.dims[1] / op->w.dims[1];
    conv->filters = op->w.dims[0] / conv->groups;
    conv->positions = dnn_window_volume(window->out);
    conv->rows = window->out[0] * window->out[1];
    conv->taps = window->channels * dnn_window_volume(window->size);
}

/* True if the window sees each element once and in order: the image is its own columns. */
static bool is_pointwise(const struct conv *conv)
{
    const struct dnn_window *window = &conv->window;

    for (int i = 0; i < DNN_SPATIAL; i++)
        if (window->size[i] != 1 || window->pad[i] != 0 || window->stride[i] != 1 ||
            window->in[i] != window->out[i])
            return false;
    return true;
}

static bool columns_init(struct conv *conv)
{
    int64_t row_bytes = conv->taps * conv->window.out[2] * (conv->wide ? 8 : 4);

    conv->rows_at_once = conv->rows;
    if (is_pointwise(conv))
        return true;
    conv->rows_at_once = COLUMNS_BYTES / (row_bytes > 0 ? row_bytes : 1);
    conv->rows_at_once = conv->rows_at_once < 1 ? 1 : conv->rows_at_once;
    if (conv->rows_at_once > conv->rows)
        conv->rows_at_once = conv->rows;
    return dnn_array_new(&conv->columns, conv->taps * conv->rows_at_once * conv->window.out[2],
                         conv->wide);
}

/* One group of one image, rows of positions from `begin` to `end`. */
static CUresult multiply(struct conv *conv, int64_t image, int64_t group, int64_t begin,
                         int64_t end)
{
    int64_t width = (end - begin) * conv->window.out[2], filters = conv->filters;
    int64_t volume = dnn_window_volume(conv->window.in);
    void *x = at(conv, &conv->x, (image * conv->groups + group) * conv->window.channels * volume);
    void *y = at(conv, &conv->y,
                 (image * conv->groups + group) * filters * conv->positions +
                     begin * conv->window.out[2]);
    void *w = at(conv, &conv->w, group * filters * conv->taps);
    bool direct = !conv->columns.data;
    void *columns = direct ? x : conv->columns.data;
    struct dnn_matrix weights = {w, conv->taps, false}, seen = {columns, width, false};
    struct dnn_matrix results = {y, conv->positions, false};
    CUresult result;

    if (!direct && conv->op->direction != DNN_CONV_DATA)
        dnn_columns_from_image(conv->wide, &conv->window, x, columns, begin, end);
    switch (conv->op->direction) {
    case DNN_CONV_FORWARD:
        return dnn_gemm(conv->wide, filters, width, conv->taps, 1, weights, seen, 0, y,
                        conv->positions);
    case DNN_CONV_FILTER:
        seen.transposed = true;
        return dnn_gemm(conv->wide, filters, conv->taps, width, 1, results, seen,
                        image || begin ? 1 : 0, w, conv->taps);
    default:
        weights.transposed = true;
        result = dnn_gemm(conv->wide, conv->taps, width, filters, 1, weights, results, 0, columns,
                          width);
        if (!direct && result == CUDA_SUCCESS)
            dnn_columns_add_to_image(conv->wide, &conv->window, columns, x, begin, end);
        return result;
    }
}

static CUresult multiply_all(struct conv *conv)
{
    CUresult result = CUDA_SUCCESS;

    if (conv->op->direction == DNN_CONV_DATA && conv->columns.data)
        memset(conv->x.data, 0, (size_t)dnn_count(&conv->op->x) * (conv->wide ? 8 : 4));
    for (int64_t image = 0; image < conv->images; image++)
        for (int64_t group = 0; group < conv->groups; group++)
            for (int64_t row = 0; row < conv->rows && result == CUDA_SUCCESS;
                 row += conv->rows_at_once) {
                int64_t end = row + conv->rows_at_once;

                result = multiply(conv, image, group, row, end < conv->rows ? end : conv->rows);
            }
    return result;
}

static bool arrays_init(struct conv *conv, const struct dnn_tensor *w)
{
    const struct dnn_conv *op = conv->op;
    /* What follows a forward convolution needs an array of its own: y may be read as z. */
    struct dnn_blend blend = op->bias.address || op->z.address || op->activate
                                 ? (struct dnn_blend){.alpha = 1, .beta = 1}
                                 : op->blend;

    return (op->direction == DNN_CONV_DATA ? dnn_array_output(&conv->x, &op->x, conv->wide, blend)
                                           : dnn_array_load(&conv->x, &op->x, conv->wide)) &&
           (op->direction == DNN_CONV_FILTER ? dnn_array_output(&conv->w, w, conv->wide, blend)
                                             : dnn_array_load(&conv->w, w, conv->wide)) &&
           (op->direction == DNN_CONV_FORWARD
                ? dnn_array_output(&conv->y, &op->y, conv->wide, blend)
                : dnn_array_load(&conv->y, &op->y, conv->wide)) &&
           columns_init(conv);
}

static CUresult store(const struct conv *conv, const struct dnn_tensor *w)
{
    const struct dnn_conv *op = conv->op;

    if (op->direction == DNN_CONV_DATA)
        dnn_array_store(&op->x, &conv->x, op->blend);
    else if (op->direction == DNN_CONV_FILTER)
        dnn_array_store(w, &conv->w, op->blend);
    else if (op->bias.address || op->z.address || op->activate)
        return dnn_conv_finish(op, conv->y.data, conv->wide);
    else
        dnn_array_store(&op->y, &conv->y, op->blend);
    return CUDA_SUCCESS;
}

static bool knows_types(const struct dnn_conv *op)
{
    return dnn_type_bytes(op->x.type) && dnn_type_bytes(op->w.type) && dnn_type_bytes(op->y.type);
}

static bool is_integer(cudnnDataType_t type)
{
    return type == CUDNN_DATA_INT8 || type == CUDNN_DATA_UINT8;
}

/* oneDNN writes the result itself, or into an array if something follows. */
static CUresult run_by_onednn(const struct dnn_conv *op)
{
    const struct dnn_tensor *tensors[] = {
        [DNN_CONV_FORWARD] = &op->y, [DNN_CONV_DATA] = &op->x, [DNN_CONV_FILTER] = &op->w};
    struct dnn_tensor out = *tensors[op->direction];
    struct dnn_blend blend = dnn_blend_of(op->blend);
    bool follows = op->bias.address || op->z.address || op->activate;
    struct dnn_array array = {0};
    CUresult result;

    if (follows || blend.alpha != 1 || blend.beta != 0) {
        if (!dnn_array_new(&array, dnn_count(&out), false))
            return CUDA_ERROR_OUT_OF_MEMORY;
        out = dnn_packed(array.data, CUDNN_DATA_FLOAT, out.rank, out.dims);
    }
    result = dnn_onednn_conv(op, op->direction == DNN_CONV_DATA ? &out : &op->x,
                             op->direction == DNN_CONV_FILTER ? &out : &op->w,
                             op->direction == DNN_CONV_FORWARD ? &out : &op->y);
    if (result == CUDA_SUCCESS && follows)
        result = dnn_conv_finish(op, array.data, false);
    else if (result == CUDA_SUCCESS && array.data)
        dnn_array_store(tensors[op->direction], &array, op->blend);
    dnn_array_free(&array);
    return result;
}

CUresult dnn_conv_run(const struct dnn_conv *op)
{
    struct conv conv = {.op = op, .wide = DNN_WIDE(op->compute, &op->x, &op->w, &op->y)};
    struct dnn_tensor w = turned(op);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (op->spatial < 1 || op->spatial > DNN_SPATIAL || !knows_types(op))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (dnn_conv_estimate_ns(op) > ONEDNN_NANOSECONDS &&
        (result = run_by_onednn(op)) != CUDA_ERROR_NOT_SUPPORTED)
        return result;
    result = CUDA_ERROR_OUT_OF_MEMORY;
    describe(&conv, op);
    /* Sums of products of bytes are exact in f32 up to 2^24. */
    if (is_integer(op->x.type) && conv.taps > 1 << 9)
        conv.wide = true;
    if (arrays_init(&conv, &w)) {
        result = multiply_all(&conv);
        if (result == CUDA_SUCCESS)
            result = store(&conv, &w);
    }
    dnn_array_free(&conv.columns);
    dnn_array_free(&conv.y);
    dnn_array_free(&conv.w);
    dnn_array_free(&conv.x);
    return result;
}

uint64_t dnn_conv_estimate_ns(const struct dnn_conv *op)
{
    int64_t taps = op->w.dims[1];

    for (int i = 2; i < op->w.rank; i++)
        taps *= op->w.dims[i];
    return (uint64_t)(dnn_count(&op->y) * (taps / 8 + 4) + dnn_count(&op->x));
}
