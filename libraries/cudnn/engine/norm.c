/* SPDX-License-Identifier: MIT */
/* Normalisations: x is folded over the dimensions of its statistics, so that batch, instance, layer
 * and group normalisation are all the normalisation of rows. Tensors of any types and strides are
 * copied into rows; norm_dense.c has the common case. */
#include "norm.h"

#include <math.h>

/* Cuts the second dimension into groups and what is in a group. */
static struct dnn_tensor grouped(const struct dnn_tensor *tensor, int64_t groups)
{
    struct dnn_tensor cut = *tensor;
    int64_t channels = tensor->dims[1];

    if (!tensor->rank)
        return cut;
    cut.rank = tensor->rank + 1;
    for (int i = tensor->rank; i > 2; i--) {
        cut.dims[i] = tensor->dims[i - 1];
        cut.strides[i] = tensor->strides[i - 1];
    }
    cut.dims[1] = channels == 1 ? 1 : groups;
    cut.dims[2] = channels == 1 ? 1 : channels / groups;
    cut.strides[1] = tensor->strides[1] * cut.dims[2];
    cut.strides[2] = tensor->strides[1];
    return cut;
}

static struct dnn_norm with_groups(const struct dnn_norm *op)
{
    struct dnn_norm cut = *op;
    struct dnn_tensor *all[] = {&cut.x,
                                &cut.y,
                                &cut.scale,
                                &cut.bias,
                                &cut.mean,
                                &cut.variance,
                                &cut.dy,
                                &cut.dx,
                                &cut.dscale,
                                &cut.dbias,
                                &cut.dz,
                                &cut.z,
                                &cut.running_mean,
                                &cut.running_variance,
                                &cut.inv_variance,
                                &cut.next_running_mean,
                                &cut.next_running_variance};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        *all[i] = grouped(all[i], op->groups);
    cut.groups = 0;
    cut.has_stats_dims = true;
    for (int i = 0; i < cut.x.rank; i++)
        cut.stats_dims[i] = i < 2 ? cut.x.dims[i] : 1;
    return cut;
}

/* The dimensions over which statistics are taken. */
static unsigned folded_dims(const struct dnn_norm *op)
{
    const struct dnn_tensor *stats[] = {&op->mean, &op->inv_variance, &op->variance,
                                        &op->next_running_mean, &op->running_mean};
    const int64_t *dims = op->has_stats_dims ? op->stats_dims : NULL;
    unsigned folded = 0;

    for (size_t i = 0; i < sizeof(stats) / sizeof(*stats) && !dims; i++)
        if (stats[i]->address)
            dims = stats[i]->dims;
    for (int i = 0; i < op->x.rank; i++)
        if (dims && dims[i] == 1)
            folded |= 1u << i;
    return folded;
}

static double factor_at(const struct dnn_norm_work *work, const struct dnn_factor *factor,
                        int64_t outer, int64_t inner, double absent)
{
    if (!factor->array.data)
        return absent;
    return dnn_number(&factor->array, dnn_factor_at(factor, &work->fold, outer, inner));
}

enum { LANES = 8 };

/* The sum of a row less `shift`, or of its squares. */
static double sum_row(const struct dnn_array *in, int64_t begin, int64_t count, double shift,
                      bool squares)
{
    double sums[LANES] = {0};

    for (int64_t i = 0; i < count; i += LANES)
        for (int64_t lane = 0; lane < LANES && i + lane < count; lane++) {
            double distance = dnn_number(in, begin + i + lane) - shift;

            sums[lane] += squares ? distance * distance : distance;
        }
    for (int lane = 1; lane < LANES; lane++)
        sums[0] += sums[lane];
    return sums[0];
}

bool dnn_norm_has_stats(const struct dnn_norm *op)
{
    return op->pass == DNN_NORM_INFERENCE ||
           (op->pass == DNN_NORM_BACKWARD && (op->mean.address || op->inv_variance.address));
}

void dnn_norm_complete_stats(struct dnn_norm_work *work, int64_t row)
{
    double *mean = work->mean.data, *inverse = work->inverse.data;
    const double *variance = work->variance.data;

    if (!work->op->inv_variance.address)
        inverse[row] = 1 / sqrt(variance[row] + work->op->epsilon);
    if (work->op->rms)
        mean[row] = 0;
}

/* Takes the statistics of a row, or those that are given. */
static void measure(struct dnn_norm_work *work, int64_t row)
{
    double *mean = (double *)work->mean.data + row, *inverse = (double *)work->inverse.data + row;
    double *variance = (double *)work->variance.data + row;
    int64_t count = work->fold.inner, begin = row * count;

    if (dnn_norm_has_stats(work->op)) {
        dnn_norm_complete_stats(work, row);
        return;
    }
    *mean = work->op->rms ? 0 : sum_row(&work->in, begin, count, 0, false) / (double)count;
    *variance = sum_row(&work->in, begin, count, *mean, true) / (double)count;
    *inverse = 1 / sqrt(*variance + work->op->epsilon);
}

/* A row of f32 with one scale and one bias, which is the common case. */
static void apply_singles(const struct dnn_norm_work *work, int64_t outer, double mean,
                          double inverse)
{
    int64_t count = work->fold.inner;
    const float *in = (const float *)work->in.data + outer * count;
    const float *added = work->added.data ? (const float *)work->added.data + outer * count : NULL;
    float *out = (float *)work->out.data + outer * count;
    float factor = (float)(inverse * factor_at(work, &work->scale, outer, 0, 1));
    float bias = (float)factor_at(work, &work->bias, outer, 0, 0), shift = (float)mean;
    float slope = work->op->relu ? (float)work->op->relu_slope : 1;

    for (int64_t i = 0; i < count; i++) {
        float value = (in[i] - shift) * factor + bias + (added ? added[i] : 0);

        out[i] = value < 0 ? value * slope : value;
    }
}

static void forward_row(void *argument, size_t row)
{
    struct dnn_norm_work *work = argument;
    int64_t outer = (int64_t)row, count = work->fold.inner;
    double mean, inverse;

    measure(work, outer);
    mean = ((double *)work->mean.data)[row];
    inverse = ((double *)work->inverse.data)[row];
    if (!work->wide && !work->scale.by_inner && !work->bias.by_inner) {
        apply_singles(work, outer, mean, inverse);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t place = outer * count + i;
        double value = (dnn_number(&work->in, place) - mean) * inverse;

        value = value * factor_at(work, &work->scale, outer, i, 1) +
                factor_at(work, &work->bias, outer, i, 0);
        if (work->added.data)
            value += dnn_number(&work->added, place);
        if (work->op->relu && value < 0)
            value *= work->op->relu_slope;
        dnn_put(&work->out, place, value);
    }
}

static void backward_row(void *argument, size_t row)
{
    struct dnn_norm_work *work = argument;
    int64_t outer = (int64_t)row, count = work->fold.inner;
    double mean, inverse, sum = 0, weighted_sum = 0;

    measure(work, outer);
    mean = ((double *)work->mean.data)[row];
    inverse = ((double *)work->inverse.data)[row];
    for (int64_t i = 0; i < count; i++) {
        int64_t place = outer * count + i;
        double normal = (dnn_number(&work->in, place) - mean) * inverse;
        double dy = dnn_number(&work->gradient, place), scale;

        if (work->added.data && dnn_number(&work->added, place) <= 0)
            dy *= work->op->relu_slope;
        scale = factor_at(work, &work->scale, outer, i, 1);
        dnn_put(&work->masked, place, dy);
        dnn_put(&work->weighted, place, dy * normal);
        sum += dy * scale;
        weighted_sum += dy * scale * normal;
    }
    sum = work->op->rms ? 0 : sum / (double)count;
    weighted_sum /= (double)count;
    for (int64_t i = 0; i < count && work->out.data; i++) {
        int64_t place = outer * count + i;
        double normal = (dnn_number(&work->in, place) - mean) * inverse;
        double g = dnn_number(&work->masked, place) * factor_at(work, &work->scale, outer, i, 1);

        dnn_put(&work->out, place, inverse * (g - sum - normal * weighted_sum));
    }
}

/* next = (1 - factor) * running + factor * value */
static CUresult update_running(const struct dnn_norm_work *work, const struct dnn_tensor *running,
                               const struct dnn_tensor *next, const struct dnn_array *values)
{
    struct dnn_tensor from = dnn_fold_tensor(&work->fold, running);
    struct dnn_tensor to = dnn_fold_tensor(&work->fold, next);
    struct dnn_array old;
    double factor = work->op->factor;

    if (!next->address)
        return CUDA_SUCCESS;
    if (!dnn_array_load(&old, &from, true))
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < work->fold.outer; i++) {
        double value = dnn_number(values, i);

        dnn_put(values, i,
                factor == 1 || !old.data ? value
                                         : (1 - factor) * dnn_number(&old, i) + factor * value);
    }
    dnn_array_free(&old);
    dnn_array_store(&to, values, (struct dnn_blend){.alpha = 1});
    return CUDA_SUCCESS;
}

static void store_rows(const struct dnn_norm_work *work, const struct dnn_tensor *to,
                       const struct dnn_array *values)
{
    struct dnn_tensor folded = dnn_fold_tensor(&work->fold, to);

    dnn_array_store(&folded, values, (struct dnn_blend){.alpha = 1});
}

static CUresult finish_training(struct dnn_norm_work *work)
{
    const struct dnn_norm *op = work->op;
    double count = (double)work->fold.inner, unbiased = count > 1 ? count / (count - 1) : 1;
    CUresult result;

    if (!work->dense)
        dnn_array_store(&work->y, &work->out, op->blend);
    store_rows(work, &op->mean, &work->mean);
    store_rows(work, &op->inv_variance, &work->inverse);
    store_rows(work, &op->variance, &work->variance);
    for (int64_t i = 0; i < work->fold.outer; i++)
        ((double *)work->variance.data)[i] *= unbiased;
    result = update_running(work, &op->running_mean, &op->next_running_mean, &work->mean);
    if (result == CUDA_SUCCESS)
        result = update_running(work, &op->running_variance, &op->next_running_variance,
                                &work->variance);
    return result;
}

/* The sum of an array over the dimensions that `to` lacks. */
static CUresult sum_into(const struct dnn_norm_work *work, const struct dnn_tensor *to,
                         const struct dnn_array *values)
{
    struct dnn_reduction sum = {.op = CUDNN_REDUCE_TENSOR_ADD,
                                .y = dnn_fold_tensor(&work->fold, to),
                                .blend = work->op->param_blend};

    if (!to->address)
        return CUDA_SUCCESS;
    sum.x = dnn_packed(values->data, work->wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT,
                       work->fold.rank, work->x.dims);
    return dnn_reduction_run(&sum);
}

static CUresult finish_backward(struct dnn_norm_work *work)
{
    CUresult result = sum_into(work, &work->op->dscale, &work->weighted);

    if (result == CUDA_SUCCESS)
        result = sum_into(work, &work->op->dbias, &work->masked);
    dnn_array_store(&work->dx, &work->out, work->op->blend);
    dnn_array_store(&work->dz, &work->masked, (struct dnn_blend){.alpha = 1});
    return result;
}

static bool load_stats(struct dnn_norm_work *work)
{
    const struct dnn_norm *op = work->op;
    struct dnn_tensor mean = dnn_fold_tensor(&work->fold, &op->mean);
    struct dnn_tensor variance = dnn_fold_tensor(&work->fold, &op->variance);
    struct dnn_tensor inverse = dnn_fold_tensor(&work->fold, &op->inv_variance);
    struct dnn_array given[3] = {{0}};
    struct dnn_array *own[] = {&work->mean, &work->variance, &work->inverse};
    bool done = true, reads = op->pass != DNN_NORM_TRAINING;

    if (reads)
        done = dnn_array_load(&given[0], &mean, true) &&
               dnn_array_load(&given[1], &variance, true) &&
               dnn_array_load(&given[2], &inverse, true);
    for (int i = 0; i < 3 && done; i++) {
        done = dnn_array_new(own[i], work->fold.outer, true);
        for (int64_t row = 0; row < work->fold.outer && done; row++)
            dnn_put(own[i], row, given[i].data ? dnn_number(&given[i], row) : 0);
    }
    for (int i = 0; i < 3; i++)
        dnn_array_free(&given[i]);
    return done;
}

static bool load(struct dnn_norm_work *work)
{
    const struct dnn_norm *op = work->op;
    int64_t count = work->fold.outer * work->fold.inner;
    bool backward = op->pass == DNN_NORM_BACKWARD;
    const struct dnn_tensor *added =
        backward ? (op->relu ? &work->y : &(struct dnn_tensor){0}) : &work->z;

    if (!dnn_factor_load(&work->scale, &work->fold, &op->scale, &op->x, work->wide) ||
        !dnn_factor_load(&work->bias, &work->fold, &op->bias, &op->x, work->wide) ||
        !load_stats(work))
        return false;
    if (work->dense)
        return true;
    return dnn_array_load(&work->in, &work->x, work->wide) &&
           dnn_array_load(&work->added, added, work->wide) &&
           (!backward || (dnn_array_load(&work->gradient, &work->dy, work->wide) &&
                          dnn_array_new(&work->masked, count, work->wide) &&
                          dnn_array_new(&work->weighted, count, work->wide))) &&
           dnn_array_output(&work->out, backward ? &work->dx : &work->y, work->wide, op->blend);
}

static void fold_tensors(struct dnn_norm_work *work)
{
    const struct dnn_norm *op = work->op;

    work->x = dnn_fold_tensor(&work->fold, &op->x);
    work->y = dnn_fold_tensor(&work->fold, &op->y);
    work->z = dnn_fold_tensor(&work->fold, &op->z);
    work->dy = dnn_fold_tensor(&work->fold, &op->dy);
    work->dx = dnn_fold_tensor(&work->fold, &op->dx);
    work->dz = dnn_fold_tensor(&work->fold, &op->dz);
}

static void release(struct dnn_norm_work *work)
{
    struct dnn_array *arrays[] = {&work->in,          &work->out,       &work->added,
                                  &work->gradient,    &work->masked,    &work->weighted,
                                  &work->mean,        &work->inverse,   &work->variance,
                                  &work->scale.array, &work->bias.array};

    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
        dnn_array_free(arrays[i]);
}

static CUresult run_loaded(struct dnn_norm_work *work)
{
    const struct dnn_norm *op = work->op;
    bool backward = op->pass == DNN_NORM_BACKWARD;
    CUresult result = CUDA_SUCCESS;

    if (work->dense)
        result = backward ? dnn_norm_dense_backward(work) : dnn_norm_dense_forward(work);
    else
        dnn_parallel(work->fold.outer, work->fold.outer * work->fold.inner * 4,
                     backward ? backward_row : forward_row, work);
    if (result != CUDA_SUCCESS)
        return result;
    if (op->pass == DNN_NORM_TRAINING)
        return finish_training(work);
    if (work->dense)
        return CUDA_SUCCESS;
    if (backward)
        return finish_backward(work);
    dnn_array_store(&work->y, &work->out, op->blend);
    return CUDA_SUCCESS;
}

CUresult dnn_norm_run(const struct dnn_norm *op)
{
    struct dnn_norm cut = op->groups > 0 ? with_groups(op) : *op;
    struct dnn_norm_work work = {.op = &cut};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (cut.x.rank > DNN_RANK_MOST || !dnn_type_bytes(op->x.type))
        return CUDA_ERROR_NOT_SUPPORTED;
    work.wide = DNN_WIDE(op->compute, &op->x, &op->y, &op->dx);
    dnn_fold_init(&work.fold, &cut.x, folded_dims(&cut));
    dnn_fold_sort(&work.fold, &cut.x);
    fold_tensors(&work);
    work.dense = dnn_norm_dense_fits(&work);
    if (load(&work))
        result = run_loaded(&work);
    release(&work);
    return result;
}
