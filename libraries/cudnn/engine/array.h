/* SPDX-License-Identifier: MIT */
/* Arrays of numbers that operations compute on: the elements of a tensor in the order of its
 * dimensions, as f32 or f64 (`wide`). A tensor that is such an array is not copied. */
#ifndef DNN_ENGINE_ARRAY_H
#define DNN_ENGINE_ARRAY_H

#include "engine.h"

struct dnn_array {
    void *data;  /* NULL: absent */
    void *owned; /* NULL: the tensor's own memory */
    bool large;  /* owned is one of the blocks that a thread keeps */
    bool wide;
};

/* Without memory, false. A zeroed array, or one of a failed call, may be freed. An absent tensor
 * becomes an absent array. */
bool dnn_array_new(struct dnn_array *array, int64_t count, bool wide);
bool dnn_array_load(struct dnn_array *array, const struct dnn_tensor *tensor, bool wide);

/* An array for results that dnn_array_store() will write: the tensor's memory itself if it can be
 * (its type fits, nothing is blended). */
bool dnn_array_output(struct dnn_array *array, const struct dnn_tensor *tensor, bool wide,
                      struct dnn_blend blend);
void dnn_array_store(const struct dnn_tensor *tensor, const struct dnn_array *array,
                     struct dnn_blend blend);
void dnn_array_free(struct dnn_array *array);

static inline double dnn_number(const struct dnn_array *array, int64_t i)
{
    return array->wide ? ((const double *)array->data)[i] : (double)((const float *)array->data)[i];
}

static inline void dnn_put(const struct dnn_array *array, int64_t i, double value)
{
    if (array->wide)
        ((double *)array->data)[i] = value;
    else
        ((float *)array->data)[i] = (float)value;
}

/* True if an operation with these operands computes in f64. Absent tensors do not count. */
bool dnn_wide(cudnnDataType_t compute, const struct dnn_tensor *const *tensors, int count);
#define DNN_WIDE(compute, ...)                                                                     \
    dnn_wide(compute, (const struct dnn_tensor *const[]){__VA_ARGS__},                             \
             sizeof((const struct dnn_tensor *const[]){__VA_ARGS__}) / sizeof(void *))

static inline struct dnn_blend dnn_blend_of(struct dnn_blend blend)
{
    return blend.alpha == 0 && blend.beta == 0 && !blend.given ? (struct dnn_blend){.alpha = 1}
                                                               : blend;
}

/* Calls part(arguments, i) for i below count; on several threads if so many operations are worth
 * it. */
void dnn_parallel(int64_t count, int64_t operations, void (*part)(void *, size_t), void *arguments);

#endif
