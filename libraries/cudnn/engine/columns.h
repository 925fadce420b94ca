/* SPDX-License-Identifier: MIT */
/* The elements that a window sees, as the columns of a matrix: convolutions become products. */
#ifndef DNN_ENGINE_COLUMNS_H
#define DNN_ENGINE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

enum { DNN_SPATIAL = 3 }; /* fewer dimensions are filled up with 1 in front */

/* One image's channels and the window that goes over them. */
struct dnn_window {
    int64_t channels;
    int64_t in[DNN_SPATIAL], out[DNN_SPATIAL], size[DNN_SPATIAL];
    int64_t pad[DNN_SPATIAL], stride[DNN_SPATIAL], dilation[DNN_SPATIAL];
};

static inline int64_t dnn_window_volume(const int64_t dims[DNN_SPATIAL])
{
    return dims[0] * dims[1] * dims[2];
}

/* Rows of output positions: out[0] * out[1] rows of out[2] positions. The functions take the rows
 * from `begin` to `end`; columns has [channels * size][(end - begin) * out[2]] numbers. */

/* columns = what the window sees in `image`; 0 outside. */
void dnn_columns_from_image(bool wide, const struct dnn_window *window, const void *image,
                            void *columns, int64_t begin, int64_t end);

/* image += columns, each number where it was seen. */
void dnn_columns_add_to_image(bool wide, const struct dnn_window *window, const void *columns,
                              void *image, int64_t begin, int64_t end);

#endif
