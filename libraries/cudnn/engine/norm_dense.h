/* SPDX-License-Identifier: MIT */
/* What the passes of dense normalisations share: tiles, and the numbers that go with them. */
#ifndef DNN_ENGINE_NORM_DENSE_H
#define DNN_ENGINE_NORM_DENSE_H

#include "norm.h"

/* A tile stays in the first cache. */
enum { DNN_TILE_ROWS = 32, DNN_TILE_COLUMNS = 128, DNN_TILE_NUMBERS = 4096, DNN_DENSE_PARTS = 64 };

struct dnn_dense {
    struct dnn_norm_work *work;
    const struct dnn_norm_loops *loops;
    int64_t width;              /* numbers of a row of channels, or of a run */
    int64_t units, part, parts; /* rows of channels, or statistics; so many in a part */
    float *shift, *inverse, *sum, *weighted; /* one for each statistic */
    float *scale, *bias;                     /* one for each parameter */
    struct dnn_array memory;                 /* of these */
    double *partial;                         /* sums of parts */
    bool in_place;                           /* an output is an input too */
};

bool dnn_dense_init(struct dnn_dense *dense, struct dnn_norm_work *work);

/* Takes shift and inverse: of one statistic, or of all columns. False: out of memory. */
void dnn_dense_measure(const struct dnn_dense *dense, int64_t statistic);
bool dnn_dense_measure_columns(struct dnn_dense *dense);

struct dnn_tile {
    int64_t offset, pitch;      /* in elements */
    int64_t statistic, element; /* of the first number */
    int64_t before;             /* numbers of the statistic that the part had earlier */
    int64_t rows, count;
};

/* The tile of a tensor as numbers. What is no f32, and an output that may be an input, goes through
 * the buffer of DNN_TILE_NUMBERS: the loops' lines do not overlap. */
struct dnn_lines dnn_tile_read(const struct dnn_tensor *tensor, const struct dnn_tile *tile,
                               float *buffer);
struct dnn_lines dnn_tile_output(const struct dnn_dense *dense, const struct dnn_tensor *tensor,
                                 const struct dnn_tile *tile, float *buffer);
void dnn_tile_store(const struct dnn_tensor *tensor, const struct dnn_tile *tile,
                    struct dnn_lines lines);

/* The loops' view of a tile, without its lines. */
struct dnn_norm_tile dnn_dense_tile(const struct dnn_dense *dense, const struct dnn_tile *tile);

/* Calls step for all tiles of a part, or of one statistic. */
typedef void dnn_tile_step(const struct dnn_dense *dense, const struct dnn_tile *tile,
                           void *arguments);
void dnn_dense_each_tile(const struct dnn_dense *dense, int64_t part, dnn_tile_step *step,
                         void *arguments);
void dnn_dense_each_line(const struct dnn_dense *dense, int64_t statistic, dnn_tile_step *step,
                         void *arguments);

#endif
