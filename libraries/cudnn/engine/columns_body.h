/* SPDX-License-Identifier: MIT */
/* Both directions between image and columns, for one number type: the file that includes this
 * defines REAL, FROM_IMAGE and TO_IMAGE. */

/* The positions [first, last) of a row for which the window's element lies in the image. */
static void LIMITS(const struct dnn_window *w, int64_t kx, int64_t *first, int64_t *last)
{
    int64_t shift = kx * w->dilation[2] - w->pad[2], stride = w->stride[2];

    *first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    *last = w->in[2] - shift <= 0 ? 0 : (w->in[2] - shift + stride - 1) / stride;
    *last = *last > w->out[2] ? w->out[2] : *last;
    *first = *first > *last ? *last : *first;
}

/* The line of the image that the window's row (kz, ky) sees from row `row` of positions; -1: none.
 */
static int64_t LINE_SEEN(const struct dnn_window *w, int64_t row, int64_t kz, int64_t ky)
{
    int64_t z = row / w->out[1] * w->stride[0] - w->pad[0] + kz * w->dilation[0];
    int64_t y = row % w->out[1] * w->stride[1] - w->pad[1] + ky * w->dilation[1];

    if (z < 0 || z >= w->in[0] || y < 0 || y >= w->in[1])
        return -1;
    return (z * w->in[1] + y) * w->in[2];
}

static void FROM_IMAGE(const struct dnn_window *w, const REAL *image, REAL *columns, int64_t index,
                       int64_t begin, int64_t end)
{
    int64_t size = dnn_window_volume(w->size), k = index % size;
    int64_t kz = k / (w->size[1] * w->size[2]), ky = k / w->size[2] % w->size[1];
    int64_t kx = k % w->size[2], first, last, stride = w->stride[2];
    const REAL *channel = image + index / size * dnn_window_volume(w->in);
    REAL *out = columns + index * (end - begin) * w->out[2];

    LIMITS(w, kx, &first, &last);
    for (int64_t row = begin; row < end; row++, out += w->out[2]) {
        int64_t line = LINE_SEEN(w, row, kz, ky);
        const REAL *seen = channel + line + kx * w->dilation[2] - w->pad[2];

        if (line < 0) {
            memset(out, 0, (size_t)w->out[2] * sizeof(REAL));
            continue;
        }
        memset(out, 0, (size_t)first * sizeof(REAL));
        memset(out + last, 0, (size_t)(w->out[2] - last) * sizeof(REAL));
        if (stride == 1)
            memcpy(out + first, seen + first, (size_t)(last - first) * sizeof(REAL));
        else
            for (int64_t x = first; x < last; x++)
                out[x] = seen[x * stride];
    }
}

/* All of one channel, so that no two threads add to the same number. */
static void TO_IMAGE(const struct dnn_window *w, const REAL *columns, REAL *image, int64_t channel,
                     int64_t begin, int64_t end)
{
    int64_t size = dnn_window_volume(w->size), stride = w->stride[2];
    REAL *own = image + channel * dnn_window_volume(w->in);

    for (int64_t k = 0; k < size; k++) {
        int64_t kz = k / (w->size[1] * w->size[2]), ky = k / w->size[2] % w->size[1];
        int64_t kx = k % w->size[2], first, last;
        const REAL *in = columns + (channel * size + k) * (end - begin) * w->out[2];

        LIMITS(w, kx, &first, &last);
        for (int64_t row = begin; row < end; row++, in += w->out[2]) {
            int64_t line = LINE_SEEN(w, row, kz, ky);
            REAL *seen = own + line + kx * w->dilation[2] - w->pad[2];

            for (int64_t x = first; x < last && line >= 0; x++)
                seen[x * stride] += in[x];
        }
    }
}
