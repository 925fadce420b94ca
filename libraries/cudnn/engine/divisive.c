/* SPDX-License-Identifier: MIT */
/* Each plane is computed by itself, in f64. Sums over windows are made dimension by dimension. */
#include "array.h"
#include "lrn.h"

#include <math.h>
#include <string.h>

enum { SPATIAL = 3 };

struct divisive {
    const struct dnn_divisive *op;
    struct dnn_array x, means, dy, out, dmeans, scratch;
    int64_t dims[SPATIAL], plane;
};

/* out = the sums of `in` over the elements from -(n - 1) / 2 to n / 2 around each; inside the
 * plane. `other` is memory for a plane. */
static void window_sums(const struct divisive *work, double *out, const double *in, double *other)
{
    int64_t below = (work->op->n - 1) / 2, above = work->op->n / 2, step = 1;

    memcpy(out, in, (size_t)work->plane * sizeof(*out));
    for (int axis = SPATIAL - 1; axis >= 0; step *= work->dims[axis], axis--) {
        int64_t dim = work->dims[axis];

        if (dim == 1)
            continue;
        memcpy(other, out, (size_t)work->plane * sizeof(*out));
        for (int64_t i = 0; i < work->plane; i++) {
            int64_t place = i / step % dim;
            int64_t first = place < below ? -place : -below;
            int64_t last = place + above >= dim ? dim - 1 - place : above;
            double sum = 0;

            for (int64_t k = first; k <= last; k++)
                sum += other[i + k * step];
            out[i] = sum;
        }
    }
}

/* Planes in the scratch memory of a part. */
enum { SUMS, SQUARES, COUNTS, BASES, SLOPES, SUMS_OF_SLOPES, PRODUCTS, OTHER, SCRATCH_PLANES };

/* The base of the power: k + alpha / n^2 * sum of (x - mean)^2, with n^2 of the whole window. */
static void find_bases(const struct divisive *work, double *scratch[], const double *x,
                       const double *means)
{
    const struct dnn_divisive *op = work->op;
    double factor = op->alpha;

    for (int i = 0; i < SPATIAL; i++)
        factor /= i < SPATIAL - op->spatial ? 1 : (double)op->n;
    for (int64_t i = 0; i < work->plane; i++)
        scratch[PRODUCTS][i] = x[i] * x[i];
    window_sums(work, scratch[SQUARES], scratch[PRODUCTS], scratch[OTHER]);
    window_sums(work, scratch[SUMS], x, scratch[OTHER]);
    for (int64_t i = 0; i < work->plane; i++)
        scratch[PRODUCTS][i] = 1;
    window_sums(work, scratch[COUNTS], scratch[PRODUCTS], scratch[OTHER]);
    for (int64_t i = 0; i < work->plane; i++) {
        double mean = means ? means[i] : 0;

        scratch[BASES][i] = op->k + factor * (scratch[SQUARES][i] - 2 * mean * scratch[SUMS][i] +
                                              scratch[COUNTS][i] * mean * mean);
    }
}

static void backward_plane(const struct divisive *work, double *scratch[], int64_t begin)
{
    const struct dnn_divisive *op = work->op;
    const double *x = (double *)work->x.data + begin, *dy = (double *)work->dy.data + begin;
    const double *means = work->means.data ? (double *)work->means.data + begin : NULL;
    double *dx = (double *)work->out.data + begin, factor = -2 * op->beta * op->alpha;
    double *dmeans = work->dmeans.data ? (double *)work->dmeans.data + begin : NULL;

    for (int i = 0; i < op->spatial; i++)
        factor /= (double)op->n;
    for (int64_t i = 0; i < work->plane; i++) {
        double slope = factor * dy[i] * x[i] * pow(scratch[BASES][i], -op->beta - 1);

        scratch[SLOPES][i] = slope;
        scratch[PRODUCTS][i] = means ? slope * means[i] : 0;
        if (dmeans)
            dmeans[i] = -slope * (scratch[SUMS][i] - scratch[COUNTS][i] * (means ? means[i] : 0));
    }
    window_sums(work, scratch[SUMS_OF_SLOPES], scratch[SLOPES], scratch[OTHER]);
    window_sums(work, scratch[SLOPES], scratch[PRODUCTS], scratch[OTHER]);
    for (int64_t i = 0; i < work->plane; i++)
        dx[i] = dy[i] * pow(scratch[BASES][i], -op->beta) + x[i] * scratch[SUMS_OF_SLOPES][i] -
                scratch[SLOPES][i];
}

static void run_plane(void *argument, size_t plane)
{
    const struct divisive *work = argument;
    int64_t begin = (int64_t)plane * work->plane;
    const double *x = (double *)work->x.data + begin;
    const double *means = work->means.data ? (double *)work->means.data + begin : NULL;
    double *scratch[SCRATCH_PLANES];

    for (int i = 0; i < SCRATCH_PLANES; i++)
        scratch[i] =
            (double *)work->scratch.data + ((int64_t)plane * SCRATCH_PLANES + i) * work->plane;
    find_bases(work, scratch, x, means);
    if (work->op->backward) {
        backward_plane(work, scratch, begin);
        return;
    }
    for (int64_t i = 0; i < work->plane; i++)
        ((double *)work->out.data)[begin + i] = x[i] * pow(scratch[BASES][i], -work->op->beta);
}

CUresult dnn_divisive_run(const struct dnn_divisive *op)
{
    struct divisive work = {.op = op, .dims = {1, 1, 1}, .plane = 1};
    const struct dnn_tensor *y = op->backward ? &op->dx : &op->y;
    int64_t planes = op->x.dims[0] * op->x.dims[1];
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    for (int i = 0; i < op->spatial; i++) {
        work.dims[SPATIAL - op->spatial + i] = op->x.dims[2 + i];
        work.plane *= op->x.dims[2 + i];
    }
    if (dnn_array_load(&work.x, &op->x, true) && dnn_array_load(&work.means, &op->means, true) &&
        dnn_array_load(&work.dy, &op->dy, true) &&
        dnn_array_output(&work.out, y, true, op->blend) &&
        dnn_array_output(&work.dmeans, &op->dmeans, true, op->blend) &&
        dnn_array_new(&work.scratch, planes * work.plane * SCRATCH_PLANES, true)) {
        dnn_parallel(planes, planes * work.plane * 40 * op->n, run_plane, &work);
        dnn_array_store(y, &work.out, op->blend);
        dnn_array_store(&op->dmeans, &work.dmeans, op->blend);
        result = CUDA_SUCCESS;
    }
    dnn_array_free(&work.scratch);
    dnn_array_free(&work.dmeans);
    dnn_array_free(&work.out);
    dnn_array_free(&work.dy);
    dnn_array_free(&work.means);
    dnn_array_free(&work.x);
    return result;
}
