/* SPDX-License-Identifier: MIT */
/* Each row of the matrix of columns, or each channel of the image, is a part for a thread. */
#include "columns.h"

#include "array.h"

#include <string.h>

#define REAL float
#define LIMITS limits_f32
#define LINE_SEEN line_seen_f32
#define FROM_IMAGE from_image_f32
#define TO_IMAGE to_image_f32
#include "columns_body.h"
#undef REAL
#undef LIMITS
#undef LINE_SEEN
#undef FROM_IMAGE
#undef TO_IMAGE
#define REAL double
#define LIMITS limits_f64
#define LINE_SEEN line_seen_f64
#define FROM_IMAGE from_image_f64
#define TO_IMAGE to_image_f64
#include "columns_body.h"

struct columns {
    const struct dnn_window *window;
    const void *from;
    void *to;
    int64_t begin, end;
    bool wide;
};

static void from_image(void *argument, size_t index)
{
    struct columns *work = argument;

    if (work->wide)
        from_image_f64(work->window, work->from, work->to, (int64_t)index, work->begin, work->end);
    else
        from_image_f32(work->window, work->from, work->to, (int64_t)index, work->begin, work->end);
}

static void to_image(void *argument, size_t index)
{
    struct columns *work = argument;

    if (work->wide)
        to_image_f64(work->window, work->from, work->to, (int64_t)index, work->begin, work->end);
    else
        to_image_f32(work->window, work->from, work->to, (int64_t)index, work->begin, work->end);
}

void dnn_columns_from_image(bool wide, const struct dnn_window *window, const void *image,
                            void *columns, int64_t begin, int64_t end)
{
    struct columns work = {window, image, columns, begin, end, wide};
    int64_t rows = window->channels * dnn_window_volume(window->size);

    dnn_parallel(rows, rows * (end - begin) * window->out[2], from_image, &work);
}

void dnn_columns_add_to_image(bool wide, const struct dnn_window *window, const void *columns,
                              void *image, int64_t begin, int64_t end)
{
    struct columns work = {window, columns, image, begin, end, wide};
    int64_t rows = window->channels * dnn_window_volume(window->size);

    dnn_parallel(window->channels, rows * (end - begin) * window->out[2], to_image, &work);
}
