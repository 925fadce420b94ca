/* SPDX-License-Identifier: MIT */
/* Folding only reorders the dimensions: loading the reordered tensor transposes its elements. */
#include "fold.h"

void dnn_fold_init(struct dnn_fold *fold, const struct dnn_tensor *x, unsigned folded)
{
    int place = 0;

    *fold = (struct dnn_fold){.rank = x->rank, .outer = 1, .inner = 1};
    for (int i = 0; i < x->rank; i++) {
        if (folded & 1u << i)
            continue;
        fold->order[place++] = i;
        fold->outer *= x->dims[i];
    }
    fold->kept = place;
    for (int i = 0; i < x->rank; i++) {
        if (!(folded & 1u << i))
            continue;
        fold->order[place++] = i;
        fold->inner *= x->dims[i];
    }
}

static void sort_by_stride(int *order, int count, const struct dnn_tensor *x)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && x->strides[order[j - 1]] < x->strides[order[j]]; j--) {
            int swapped = order[j];

            order[j] = order[j - 1];
            order[j - 1] = swapped;
        }
}

void dnn_fold_sort(struct dnn_fold *fold, const struct dnn_tensor *x)
{
    sort_by_stride(fold->order, fold->kept, x);
    sort_by_stride(fold->order + fold->kept, fold->rank - fold->kept, x);
}

struct dnn_tensor dnn_fold_tensor(const struct dnn_fold *fold, const struct dnn_tensor *tensor)
{
    struct dnn_tensor folded = *tensor;

    for (int i = 0; i < fold->rank; i++) {
        folded.dims[i] = tensor->dims[fold->order[i]];
        folded.strides[i] = tensor->strides[fold->order[i]];
        if (tensor->vector > 1 && tensor->vector_dim == fold->order[i])
            folded.vector_dim = i;
    }
    return folded;
}

/* Repeats dimensions from `begin` to `end` by strides of 0, or leaves them out. Returns whether the
 * tensor differs along them. */
static bool spread(struct dnn_tensor *folded, const struct dnn_tensor *x, int begin, int end)
{
    bool differs = false;

    for (int i = begin; i < end; i++)
        differs |= folded->dims[i] != 1;
    for (int i = begin; i < end && differs; i++)
        if (folded->dims[i] != x->dims[i]) {
            folded->dims[i] = x->dims[i];
            folded->strides[i] = 0;
        }
    return differs;
}

bool dnn_factor_load(struct dnn_factor *factor, const struct dnn_fold *fold,
                     const struct dnn_tensor *tensor, const struct dnn_tensor *x, bool wide)
{
    struct dnn_tensor folded = dnn_fold_tensor(fold, tensor), shape = dnn_fold_tensor(fold, x);

    *factor = (struct dnn_factor){0};
    if (!tensor->address)
        return true;
    factor->by_outer = spread(&folded, &shape, 0, fold->kept);
    factor->by_inner = spread(&folded, &shape, fold->kept, fold->rank);
    return dnn_array_load(&factor->array, &folded, wide);
}
