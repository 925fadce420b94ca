/* SPDX-License-Identifier: MIT */
/* Spatial transformers in two dimensions: grids of affine maps, and bilinear samples at their
 * points. Coordinates go from -1 to 1 between the centres of the first and the last element. */
#ifndef DNN_ENGINE_SPATIAL_H
#define DNN_ENGINE_SPATIAL_H

#include "engine.h"

/* grid[n][h][w][2] = theta[n][2][3] * (x, y, 1); backward: dtheta from dgrid. */
struct dnn_grid {
    bool backward;
    struct dnn_tensor theta, grid; /* packed; the gradients if backward */
};
CUresult dnn_grid_run(const struct dnn_grid *op);

/* y[n][c][h][w] = x at grid[n][h][w], 0 outside. Backward: dx and dgrid from dy. */
struct dnn_sampler {
    bool backward;
    struct dnn_tensor x, grid, y, dx, dy, dgrid;
    struct dnn_blend blend, grid_blend;
};
CUresult dnn_sampler_run(const struct dnn_sampler *op);

#endif
