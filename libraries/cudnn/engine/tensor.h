/* SPDX-License-Identifier: MIT */
/* Tensors as the engine sees them: an address, an element type, dimensions and strides. Both
 * interfaces of cuDNN, the older one and the graphs, translate their descriptors into these.
 *
 * The engine computes on host threads and reaches the memory of devices directly. It reads element
 * (i0, i1, ...) at address + (i0 * strides[0] + i1 * strides[1] + ...) * bytes of an element. A
 * stride of 0 repeats elements of an operand that is read. */
#ifndef DNN_ENGINE_TENSOR_H
#define DNN_ENGINE_TENSOR_H

#include <cudnn_graph.h>
#include <cupipe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DNN_RANK_MOST = 8 };

/* `type` is one of the types of single elements: INT8x4, UINT8x4 and INT8x32 are INT8 or UINT8 with
 * a vector. With vector > 1, dimension vector_dim is cut into vectors of so many neighbouring
 * elements: strides count vectors, and element (.., c, ..) lies at
 *     (... + (c / vector) * strides[vector_dim] + ...) * vector + c % vector.
 * A tensor with address NULL is absent. */
struct dnn_tensor {
    void *address;
    cudnnDataType_t type;
    int rank;
    int64_t dims[DNN_RANK_MOST];
    int64_t strides[DNN_RANK_MOST];
    int vector; /* 0 and 1: none */
    int vector_dim;
};

/* Bytes of an element; 0: a type that the engine does not compute with (4-bit types, complex). */
size_t dnn_type_bytes(cudnnDataType_t type);

int64_t dnn_count(const struct dnn_tensor *tensor);

/* Bytes from the first to behind the last element. */
size_t dnn_span_bytes(const struct dnn_tensor *tensor);

/* True if the elements lie one after another in the order of the dimensions. */
bool dnn_is_packed(const struct dnn_tensor *tensor);

/* The tensor with strides of its own, the last dimension fastest. */
struct dnn_tensor dnn_packed(void *address, cudnnDataType_t type, int rank, const int64_t *dims);

/* The memory of a tensor, for lib_submit(). An absent tensor is a range of 0 bytes. */
struct cupipe_range dnn_read(const struct dnn_tensor *tensor);
struct cupipe_range dnn_written(const struct dnn_tensor *tensor);

/* One element as a double, and back. Stores round to nearest even; integers saturate. */
double dnn_get(cudnnDataType_t type, const void *address);
void dnn_set(cudnnDataType_t type, void *address, double value);

#endif
