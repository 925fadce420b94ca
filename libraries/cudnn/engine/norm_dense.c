/* SPDX-License-Identifier: MIT */
/* Normalisations whose tensors lie without gaps in one order, in f32, f16 or bf16. Memory is then
 * [blocks][statistics][run]: with channels last a run is one number, and a tile is some rows of
 * channels; otherwise it is a part of a run. Means and squares of tiles are merged in f64 (Chan,
 * Golub, LeVeque), so that numbers are read from memory once for the statistics. */
#include "norm.h"

#include "kernels.h"
#include "line.h"
#include "loop.h"
#include "norm_dense.h"

enum { PART_NUMBERS = 16384 };

static bool is_small_float(cudnnDataType_t type)
{
    return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16;
}

/* Absent, or of x's dimensions and strides. */
static bool lies_like(const struct dnn_tensor *tensor, const struct dnn_tensor *x)
{
    if (!tensor->address)
        return true;
    if (!is_small_float(tensor->type) || tensor->vector > 1 || tensor->rank != x->rank)
        return false;
    for (int i = 0; i < x->rank; i++)
        if (tensor->dims[i] != x->dims[i] ||
            (x->dims[i] != 1 && tensor->strides[i] != x->strides[i]))
            return false;
    return true;
}

/* Finds blocks and run. The fold's parts are in the order of memory already. */
static bool find_runs(struct dnn_norm_work *work)
{
    const struct dnn_tensor *x = &work->x;
    int64_t stride = 1;
    int kept = work->fold.kept, folded = x->rank;

    work->run = work->blocks = 1;
    for (; folded > kept && (x->dims[folded - 1] == 1 || x->strides[folded - 1] == stride);
         folded--) {
        stride *= x->dims[folded - 1];
        work->run *= x->dims[folded - 1];
    }
    for (int i = kept - 1; i >= 0; i--) {
        if (x->dims[i] != 1 && x->strides[i] != stride)
            return false;
        stride *= x->dims[i];
    }
    for (; folded > kept; folded--) {
        if (x->dims[folded - 1] != 1 && x->strides[folded - 1] != stride)
            return false;
        stride *= x->dims[folded - 1];
        work->blocks *= x->dims[folded - 1];
    }
    return true;
}

enum shape { ABSENT, BY_STATISTIC, BY_ELEMENT, OTHER };

/* Along which of the fold's dimensions a parameter differs. */
static enum shape shape_of(const struct dnn_norm_work *work, const struct dnn_tensor *parameter)
{
    struct dnn_tensor folded = dnn_fold_tensor(&work->fold, parameter);
    bool outer = true, inner = true, alone = true;

    if (!parameter->address)
        return ABSENT;
    for (int i = 0; i < work->fold.rank; i++) {
        bool kept = i < work->fold.kept;

        outer &= folded.dims[i] == (kept ? work->x.dims[i] : 1);
        inner &= folded.dims[i] == (kept ? 1 : work->x.dims[i]);
        alone &= folded.dims[i] == 1;
    }
    if (alone && work->fold.outer > 1 && work->fold.inner > 1)
        return OTHER;
    return outer ? BY_STATISTIC : inner ? BY_ELEMENT : OTHER;
}

static bool find_kind(struct dnn_norm_work *work)
{
    const struct dnn_norm *op = work->op;
    const struct dnn_tensor *parameters[] = {&op->scale, &op->bias, &op->dscale, &op->dbias};
    enum shape found = ABSENT;

    for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++) {
        enum shape shape = shape_of(work, parameters[i]);

        if (shape == OTHER || (found != ABSENT && shape != ABSENT && shape != found))
            return false;
        found = shape == ABSENT ? found : shape;
    }
    work->kind = found == BY_ELEMENT ? DNN_NORM_ROWS
                 : work->run == 1    ? DNN_NORM_COLUMNS
                                     : DNN_NORM_PLANES;
    if (work->kind == DNN_NORM_COLUMNS)
        return !op->rms;
    return work->kind == DNN_NORM_PLANES || work->blocks == 1;
}

bool dnn_norm_dense_fits(struct dnn_norm_work *work)
{
    const struct dnn_tensor *all[] = {&work->x,  &work->y,  &work->z,
                                      &work->dy, &work->dx, &work->dz};
    struct dnn_blend blend = dnn_blend_of(work->op->blend);

    if (work->wide || blend.alpha != 1 || blend.beta != 0)
        return false;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (!lies_like(all[i], &work->x))
            return false;
    return find_runs(work) && find_kind(work);
}

/* Parts of the rows of channels, or of the statistics; each has some PART_NUMBERS numbers, and
 * there are DNN_DENSE_PARTS at most. */
static void find_parts(struct dnn_dense *dense)
{
    const struct dnn_norm_work *work = dense->work;
    bool columns = work->kind == DNN_NORM_COLUMNS;
    int64_t units = columns ? work->blocks : work->fold.outer;
    int64_t unit = columns ? dense->width : work->fold.inner;

    dense->part = PART_NUMBERS / (unit ? unit : 1) + 1;
    if (dense->part < (units + DNN_DENSE_PARTS - 1) / DNN_DENSE_PARTS)
        dense->part = (units + DNN_DENSE_PARTS - 1) / DNN_DENSE_PARTS;
    dense->units = units;
    dense->parts = (units + dense->part - 1) / dense->part;
}

static bool is_in_place(const struct dnn_norm_work *work)
{
    bool backward = work->op->pass == DNN_NORM_BACKWARD;
    const void *inputs[] = {work->x.address, backward ? work->dy.address : work->z.address,
                            backward ? work->y.address : NULL};
    const void *outputs[] = {backward ? work->dx.address : work->y.address,
                             backward ? work->dz.address : NULL};

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            if (inputs[i] && inputs[i] == outputs[j])
                return true;
    return false;
}

bool dnn_dense_init(struct dnn_dense *dense, struct dnn_norm_work *work)
{
    int64_t outer = work->fold.outer;
    int64_t parameters = work->kind == DNN_NORM_ROWS ? work->fold.inner : outer;
    float *numbers;

    *dense = (struct dnn_dense){
        .work = work, .loops = &dnn_kernels()->norm, .in_place = is_in_place(work)};
    dense->width = work->kind == DNN_NORM_COLUMNS ? outer : work->run;
    find_parts(dense);
    if (!dnn_array_new(&dense->memory, 4 * outer + 2 * parameters, false))
        return false;
    numbers = dense->memory.data;
    dense->shift = numbers;
    dense->inverse = numbers + outer;
    dense->sum = numbers + 2 * outer;
    dense->weighted = numbers + 3 * outer;
    dense->scale = numbers + 4 * outer;
    dense->bias = dense->scale + parameters;
    for (int64_t i = 0; i < parameters; i++) {
        dense->scale[i] = work->scale.array.data ? ((float *)work->scale.array.data)[i] : 1;
        dense->bias[i] = work->bias.array.data ? ((float *)work->bias.array.data)[i] : 0;
    }
    return true;
}

struct dnn_lines dnn_tile_read(const struct dnn_tensor *tensor, const struct dnn_tile *tile,
                               float *buffer)
{
    if (!tensor->address)
        return (struct dnn_lines){0};
    if (tensor->type == CUDNN_DATA_FLOAT)
        return (struct dnn_lines){(float *)tensor->address + tile->offset, tile->pitch};
    for (int64_t row = 0; row < tile->rows; row++)
        dnn_line_load(false, buffer + row * tile->count, tensor->type,
                      dnn_at(tensor, tile->offset + row * tile->pitch), 1, (size_t)tile->count);
    return (struct dnn_lines){buffer, tile->count};
}

struct dnn_lines dnn_tile_output(const struct dnn_dense *dense, const struct dnn_tensor *tensor,
                                 const struct dnn_tile *tile, float *buffer)
{
    if (!tensor->address)
        return (struct dnn_lines){0};
    if (tensor->type == CUDNN_DATA_FLOAT && !dense->in_place)
        return (struct dnn_lines){(float *)tensor->address + tile->offset, tile->pitch};
    return (struct dnn_lines){buffer, tile->count};
}

void dnn_tile_store(const struct dnn_tensor *tensor, const struct dnn_tile *tile,
                    struct dnn_lines lines)
{
    if (!tensor->address || lines.data == dnn_at(tensor, tile->offset))
        return;
    for (int64_t row = 0; row < tile->rows; row++)
        dnn_line_store(false, dnn_at(tensor, tile->offset + row * tile->pitch), tensor->type, 1,
                       lines.data + row * lines.pitch, (size_t)tile->count);
}

struct dnn_norm_tile dnn_dense_tile(const struct dnn_dense *dense, const struct dnn_tile *tile)
{
    const struct dnn_norm *op = dense->work->op;
    bool rows = dense->work->kind == DNN_NORM_ROWS;

    return (struct dnn_norm_tile){
        .rows = (size_t)tile->rows,
        .count = (size_t)tile->count,
        .shift = dense->shift + tile->statistic,
        .inverse = dense->inverse + tile->statistic,
        .sum = dense->sum + tile->statistic,
        .weighted = dense->weighted + tile->statistic,
        .scale = dense->scale + (rows ? tile->element : tile->statistic),
        .bias = dense->bias + (rows ? tile->element : tile->statistic),
        .slope = op->relu ? (float)op->relu_slope : 1,
    };
}

void dnn_dense_each_tile(const struct dnn_dense *dense, int64_t part, dnn_tile_step *step,
                         void *arguments)
{
    const struct dnn_norm_work *work = dense->work;
    int64_t begin = part * dense->part, end = begin + dense->part;

    end = end < dense->units ? end : dense->units;
    if (work->kind == DNN_NORM_COLUMNS) {
        for (int64_t c = 0; c < dense->width; c += DNN_TILE_COLUMNS)
            for (int64_t row = begin; row < end; row += DNN_TILE_ROWS) {
                struct dnn_tile tile = {.offset = row * dense->width + c,
                                        .pitch = dense->width,
                                        .statistic = c,
                                        .before = row - begin};

                tile.rows = end - row < DNN_TILE_ROWS ? end - row : DNN_TILE_ROWS;
                tile.count =
                    dense->width - c < DNN_TILE_COLUMNS ? dense->width - c : DNN_TILE_COLUMNS;
                step(dense, &tile, arguments);
            }
        return;
    }
    for (int64_t s = begin; s < end; s++)
        dnn_dense_each_line(dense, s, step, arguments);
}

void dnn_dense_each_line(const struct dnn_dense *dense, int64_t statistic, dnn_tile_step *step,
                         void *arguments)
{
    const struct dnn_norm_work *work = dense->work;

    for (int64_t block = 0; block < work->blocks; block++)
        for (int64_t i = 0; i < work->run; i += DNN_TILE_NUMBERS) {
            struct dnn_tile tile = {
                .offset = (block * work->fold.outer + statistic) * work->run + i,
                .statistic = statistic,
                .element = i,
                .before = block * work->run + i,
                .rows = 1,
                .count = work->run - i < DNN_TILE_NUMBERS ? work->run - i : DNN_TILE_NUMBERS};

            step(dense, &tile, arguments);
        }
}
