/* SPDX-License-Identifier: MIT */
/* Loops of normalisations over tiles of dense f32, compiled for each instruction set. A tile is
 * some lines of numbers. Statistics and parameters belong to columns, to whole lines, or, as in
 * layer normalisation, statistics to lines and parameters to columns. */
#ifndef DNN_ENGINE_NORM_LOOPS_H
#define DNN_ENGINE_NORM_LOOPS_H

#include <stddef.h>
#include <stdint.h>

struct dnn_lines {
    float *data; /* NULL: absent */
    int64_t pitch;
};

struct dnn_norm_tile {
    size_t rows, count;
    struct dnn_lines x, added;    /* added behind scale and bias */
    struct dnn_lines dy, gate;    /* gradients count by `slope` where gate is not above 0 */
    struct dnn_lines out, masked; /* masked: dy behind the gate */
    const float *shift, *inverse; /* statistics */
    const float *scale, *bias;    /* parameters */
    const float *sum, *weighted;  /* means of the gradients of a statistic's elements, and of their
                                     products with the normalised elements */
    float slope;                  /* of results below 0 */
};

enum dnn_norm_kind { DNN_NORM_COLUMNS, DNN_NORM_PLANES, DNN_NORM_ROWS, DNN_NORM_KINDS };

struct dnn_norm_loops {
    void (*apply[DNN_NORM_KINDS])(const struct dnn_norm_tile *tile);
    /* out and masked from dy. */
    void (*gradient[DNN_NORM_KINDS])(const struct dnn_norm_tile *tile);

    /* The mean of each column, and the sum of squares of differences from it. */
    void (*column_moments)(const struct dnn_norm_tile *tile, float *mean, float *squares);
    /* Merges moments of `count` columns, of `before` and of `fresh` numbers each, into the first.
     */
    void (*merge)(double *mean, double *squares, double before, const float *fresh_mean,
                  const float *fresh_squares, double fresh, size_t count);
    /* The sum of the squares of differences from `shift`. */
    float (*squares)(const float *in, float shift, size_t count);
    /* Adds the gradients, and their products with the normalised numbers: of each column; of a
     * line, [0] of the arrays; and those of a line with scale, with those of columns apart. */
    void (*column_sums)(const struct dnn_norm_tile *tile, float *sums, float *products);
    void (*plane_sums)(const struct dnn_norm_tile *tile, float *sums, float *products);
    void (*row_sums)(const struct dnn_norm_tile *tile, float *sums, float *products,
                     float *column_sums, float *column_products);
};

#endif
