/* SPDX-License-Identifier: MIT */
/* Folding copies one strided part of the tensors for each remainder. */
#include "refold.h"

#include "array.h"
#include "columns.h"

#include <string.h>

/* The places of a tensor from `first` on, `step` apart. */
static void narrow(struct dnn_tensor *tensor, int axis, int64_t first, int64_t count, int64_t step)
{
    tensor->address = (char *)tensor->address +
                      first * tensor->strides[axis] * (int64_t)dnn_type_bytes(tensor->type);
    tensor->dims[axis] = count;
    tensor->strides[axis] *= step;
}

/* Restricts the folded tensor (its places o) and the flat one (o * fold + remainder - before) to
 * the places that both have. False: there are none. */
static bool match(struct dnn_tensor *folded, struct dnn_tensor *flat, int axis, int64_t fold,
                  int64_t shift)
{
    int64_t first = shift >= 0 ? 0 : (-shift + fold - 1) / fold;
    int64_t end = (flat->dims[axis] - shift + fold - 1) / fold;

    end = end > folded->dims[axis] ? folded->dims[axis] : end;
    if (first >= end)
        return false;
    narrow(folded, axis, first, end - first, 1);
    narrow(flat, axis, first * fold + shift, end - first, fold);
    return true;
}

static CUresult copy_part(const struct dnn_refold *op, int64_t number, int64_t channels)
{
    struct dnn_transform copy = {.x = op->x, .y = op->y, .blend = op->blend};
    struct dnn_tensor *folded = op->unfolds ? &copy.x : &copy.y;
    struct dnn_tensor *flat = op->unfolds ? &copy.y : &copy.x;
    int64_t part = number;

    for (int i = op->x.rank - 1; i >= 2; i--) {
        int64_t remainder = part % op->fold[i];

        part /= op->fold[i];
        /* Padding belongs to the result. */
        if (!match(folded, flat, i, op->fold[i],
                   op->unfolds ? remainder + op->before[i] : remainder - op->before[i]))
            return CUDA_SUCCESS;
    }
    narrow(folded, 1, number * channels, folded->dims[1] - number * channels, 1);
    for (int i = 0; i < 2; i++) {
        int64_t shift = op->unfolds ? op->before[i] : -op->before[i];

        if (i == 1 && folded->dims[1] > channels - shift)
            folded->dims[1] = channels - shift;
        if (!match(folded, flat, i, 1, shift))
            return CUDA_SUCCESS;
    }
    return dnn_transform_run(&copy);
}

CUresult dnn_refold_run(const struct dnn_refold *op)
{
    int64_t parts = 1, channels;
    CUresult result = CUDA_SUCCESS;

    for (int i = 2; i < op->x.rank; i++)
        parts *= op->fold[i];
    channels = op->unfolds ? op->x.dims[1] / parts : op->x.dims[1];
    if (op->blend.beta == 0)
        result = dnn_fill_run(&op->y, 0);
    for (int64_t i = 0; i < parts && result == CUDA_SUCCESS; i++)
        result = copy_part(op, i, channels);
    return result;
}

CUresult dnn_im2col_run(const struct dnn_im2col *op)
{
    struct dnn_window w = {.channels = op->x.dims[1]};
    int64_t images = op->x.dims[0], size, positions, rows;
    bool wide = DNN_WIDE(CUDNN_DATA_FLOAT, &op->x);
    struct dnn_array x = {0}, columns = {0};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    for (int i = 0; i < DNN_SPATIAL; i++) {
        int own = i - (DNN_SPATIAL - op->spatial);

        w.in[i] = own < 0 ? 1 : op->x.dims[2 + own];
        w.out[i] = own < 0 ? 1 : op->out[own];
        w.size[i] = own < 0 ? 1 : op->window[own];
        w.pad[i] = own < 0 ? 0 : op->pad[own];
        w.stride[i] = own < 0 ? 1 : op->stride[own];
        w.dilation[i] = own < 0 ? 1 : op->dilation[own];
    }
    size = dnn_window_volume(w.size);
    positions = dnn_window_volume(w.out);
    rows = w.channels * size;
    if (!dnn_array_load(&x, &op->x, wide) || !dnn_array_new(&columns, rows * positions, wide))
        goto release;
    for (int64_t n = 0; n < images; n++) {
        size_t bytes = wide ? sizeof(double) : sizeof(float);

        dnn_columns_from_image(
            wide, &w, (char *)x.data + (size_t)(n * w.channels * dnn_window_volume(w.in)) * bytes,
            columns.data, 0, w.out[0] * w.out[1]);
        for (int64_t row = 0; row < rows; row++) {
            int64_t k = op->flip ? row / size * size + size - 1 - row % size : row;
            struct dnn_array line = columns;
            struct dnn_tensor out =
                dnn_packed((char *)op->columns + (size_t)((row * images + n) * positions) *
                                                     dnn_type_bytes(op->x.type),
                           op->x.type, 1, &positions);

            line.data = (char *)columns.data + (size_t)(k * positions) * bytes;
            dnn_array_store(&out, &line, (struct dnn_blend){.alpha = 1});
        }
    }
    result = CUDA_SUCCESS;
release:
    dnn_array_free(&columns);
    dnn_array_free(&x);
    return result;
}

CUresult dnn_reorder_run(const struct dnn_reorder *op)
{
    const char *from = op->filter;
    char *to = op->reordered;
    int64_t units = op->filters * op->channels * op->window / 4;

    for (int64_t i = 0; i < units; i++) {
        int64_t pair = i % 4, four = i / 4 % 8, odd = i / 32 % 2, rest = i / 64;
        int64_t filter = rest % (op->filters / 8) * 8 + odd + 2 * pair;
        int64_t place = rest / (op->filters / 8) % op->window;
        int64_t vector = rest / (op->filters / 8) / op->window;

        memcpy(to + i * 4,
               from + ((filter * (op->channels / 32) + vector) * op->window + place) * 32 +
                   four * 4,
               4);
    }
    for (int64_t i = 0; i < op->filters && op->bias; i++)
        op->reordered_bias[i] = op->bias[i / 32 * 32 + i / 4 % 4 * 8 + i / 16 % 2 * 4 + i % 4];
    return CUDA_SUCCESS;
}
