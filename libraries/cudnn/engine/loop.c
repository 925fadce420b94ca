/* SPDX-License-Identifier: MIT */
/* A dimension of vectors becomes several dimensions here: all tensors are cut at the boundaries of
 * every vector size that occurs, after which each has plain strides. */
#include "loop.h"

#include "work.h"

#include <string.h>

enum { PART_ELEMENTS = 16384 }; /* less is not worth another thread */

struct axis {
    int64_t dim, strides[DNN_LOOP_TENSORS];
};

/* The vector sizes that cut dimension `axis`, largest first; ends with 1. */
static int units_of(const struct dnn_tensor *const *tensors, int count, int rank, int axis,
                    int64_t units[])
{
    int found = 0;

    for (int t = 0; t < count; t++) {
        int64_t vector = tensors[t] && tensors[t]->vector > 1 ? tensors[t]->vector : 1;
        int place = 0;

        if (vector == 1 || tensors[t]->vector_dim + rank - tensors[t]->rank != axis ||
            tensors[0]->dims[axis] % vector)
            continue;
        while (place < found && units[place] > vector)
            place++;
        if (place < found && units[place] == vector)
            continue;
        memmove(units + place + 1, units + place, (size_t)(found - place) * sizeof(*units));
        units[place] = vector;
        if (++found == 3)
            break;
    }
    units[found++] = 1;
    return found;
}

/* Elements between neighbours `unit` apart in dimension `axis` of the loop's shape. */
static int64_t stride_of(const struct dnn_tensor *tensor, int rank, int axis, int64_t unit)
{
    int own = tensor ? axis - (rank - tensor->rank) : -1;
    int64_t vector;

    if (own < 0 || tensor->dims[own] == 1)
        return 0;
    vector = tensor->vector > 1 ? tensor->vector : 1;
    if (vector > 1 && own == tensor->vector_dim)
        return unit >= vector ? unit * tensor->strides[own] : unit;
    return unit * tensor->strides[own] * vector;
}

static void add_axis(struct dnn_loop *loop, const struct axis *axis)
{
    int place = loop->rank;

    if (axis->dim == 1)
        return;
    /* Long strides of the first tensor are outside. */
    while (place > 0 && loop->strides[0][place - 1] < axis->strides[0]) {
        loop->dims[place] = loop->dims[place - 1];
        for (int t = 0; t < loop->tensors; t++)
            loop->strides[t][place] = loop->strides[t][place - 1];
        place--;
    }
    loop->dims[place] = axis->dim;
    for (int t = 0; t < loop->tensors; t++)
        loop->strides[t][place] = axis->strides[t];
    loop->rank++;
}

static bool can_merge(const struct dnn_loop *loop, int outer)
{
    for (int t = 0; t < loop->tensors; t++)
        if (loop->strides[t][outer] != loop->strides[t][outer + 1] * loop->dims[outer + 1])
            return false;
    return true;
}

static void merge(struct dnn_loop *loop)
{
    for (int i = loop->rank - 2; i >= 0; i--) {
        if (!can_merge(loop, i))
            continue;
        loop->dims[i] *= loop->dims[i + 1];
        for (int t = 0; t < loop->tensors; t++)
            loop->strides[t][i] = loop->strides[t][i + 1];
        loop->rank--;
        for (int j = i + 1; j < loop->rank; j++) {
            loop->dims[j] = loop->dims[j + 1];
            for (int t = 0; t < loop->tensors; t++)
                loop->strides[t][j] = loop->strides[t][j + 1];
        }
    }
}

void dnn_loop_init(struct dnn_loop *loop, const struct dnn_tensor *const *tensors, int count)
{
    int rank = tensors[0]->rank;

    *loop = (struct dnn_loop){.tensors = count};
    for (int i = 0; i < rank; i++) {
        int64_t units[4], limit = tensors[0]->dims[i];
        int cuts = units_of(tensors, count, rank, i, units);

        for (int u = 0; u < cuts; u++) {
            struct axis axis = {.dim = limit / units[u]};

            for (int t = 0; t < count; t++)
                axis.strides[t] = stride_of(tensors[t], rank, i, units[u]);
            add_axis(loop, &axis);
            limit = units[u];
        }
    }
    merge(loop);
    if (loop->rank == 0) { /* a single element */
        loop->rank = 1;
        loop->dims[0] = 1;
    }
}

struct run {
    const struct dnn_loop *loop;
    dnn_loop_line *line;
    void *arguments;
    int64_t pieces, pieces_of_line, parts;
};

static void run_part(void *argument, size_t part)
{
    struct run *run = argument;
    const struct dnn_loop *loop = run->loop;
    int64_t begin = run->pieces * (int64_t)part / run->parts;
    int64_t end = run->pieces * (int64_t)(part + 1) / run->parts;
    int last = loop->rank - 1;

    for (int64_t piece = begin; piece < end; piece++) {
        int64_t offsets[DNN_LOOP_TENSORS] = {0};
        int64_t index = piece / run->pieces_of_line, first = piece % run->pieces_of_line;
        int64_t count = loop->dims[last] - first * DNN_LINE_MOST;

        for (int i = last - 1; i >= 0; i--) {
            for (int t = 0; t < loop->tensors; t++)
                offsets[t] += index % loop->dims[i] * loop->strides[t][i];
            index /= loop->dims[i];
        }
        for (int t = 0; t < loop->tensors; t++)
            offsets[t] += first * DNN_LINE_MOST * loop->strides[t][last];
        run->line(run->arguments, loop, offsets,
                  (size_t)(count < DNN_LINE_MOST ? count : DNN_LINE_MOST));
    }
}

void dnn_loop_run(const struct dnn_loop *loop, dnn_loop_line *line, void *arguments)
{
    struct run run = {.loop = loop, .line = line, .arguments = arguments};
    int64_t elements = 1, width = lib_parallel_width();

    for (int i = 0; i < loop->rank; i++)
        elements *= loop->dims[i];
    if (elements <= 0)
        return;
    run.pieces_of_line = (loop->dims[loop->rank - 1] + DNN_LINE_MOST - 1) / DNN_LINE_MOST;
    run.pieces = elements / loop->dims[loop->rank - 1] * run.pieces_of_line;
    run.parts = elements / PART_ELEMENTS + 1;
    run.parts = run.parts > 4 * width ? 4 * width : run.parts;
    run.parts = run.parts > run.pieces ? run.pieces : run.parts;
    if (run.parts == 1)
        run_part(&run, 0);
    else
        lib_parallel((size_t)run.parts, run_part, &run);
}
