/* SPDX-License-Identifier: MIT */
/* Operations of a graph: one table says what each type of operation descriptor checks and how it
 * runs. */
#ifndef DNN_GRAPH_OPERATION_H
#define DNN_GRAPH_OPERATION_H

#include "frame.h"
#include "tensor.h"

struct graph_operation {
    int type; /* of descriptor */
    CUresult (*run)(struct graph_frame *frame, const struct graph_content *operation);
    cudnnStatus_t (*check)(const struct graph_content *operation); /* may be NULL */
};

/* NULL: descriptors of this type are not operations. */
const struct graph_operation *graph_operation_of(int descriptor_type);

/* True if the operation writes the tensors of this attribute of its; else it reads them. */
bool graph_writes(const struct graph_content *operation, const struct graph_attribute *attribute);

/* True if the attribute names tensors. */
static inline bool graph_names_tensors(const struct graph_attribute *attribute)
{
    return attribute->use >= GRAPH_READ && attribute->use <= GRAPH_EITHER;
}

/* check() of the operations, in the files checks*.c. */
cudnnStatus_t graph_check_convolution(const struct graph_content *operation);
cudnnStatus_t graph_check_pointwise(const struct graph_content *operation);
cudnnStatus_t graph_check_matmul(const struct graph_content *operation);
cudnnStatus_t graph_check_reduction(const struct graph_content *operation);
cudnnStatus_t graph_check_resample(const struct graph_content *operation);
cudnnStatus_t graph_check_norm(const struct graph_content *operation);
cudnnStatus_t graph_check_statistics(const struct graph_content *operation);
cudnnStatus_t graph_check_reshape(const struct graph_content *operation);
cudnnStatus_t graph_check_concat(const struct graph_content *operation);
cudnnStatus_t graph_check_paged_load(const struct graph_content *operation);
cudnnStatus_t graph_check_block_scale(const struct graph_content *operation);
cudnnStatus_t graph_check_attention(const struct graph_content *operation);
cudnnStatus_t graph_check_grouped_matmul(const struct graph_content *operation);
cudnnStatus_t graph_check_rng(const struct graph_content *operation);
cudnnStatus_t graph_check_signal(const struct graph_content *operation);

/* run() of the operations, in the files run_*.c. */
CUresult graph_run_convolution(struct graph_frame *, const struct graph_content *);
CUresult graph_run_matmul(struct graph_frame *, const struct graph_content *);
CUresult graph_run_grouped_matmul(struct graph_frame *, const struct graph_content *);
CUresult graph_run_pointwise(struct graph_frame *, const struct graph_content *);
CUresult graph_run_reduction(struct graph_frame *, const struct graph_content *);
CUresult graph_run_resample(struct graph_frame *, const struct graph_content *);
CUresult graph_run_rng(struct graph_frame *, const struct graph_content *);
CUresult graph_run_reshape(struct graph_frame *, const struct graph_content *);
CUresult graph_run_concat(struct graph_frame *, const struct graph_content *);
CUresult graph_run_signal(struct graph_frame *, const struct graph_content *);
CUresult graph_run_paged_load(struct graph_frame *, const struct graph_content *);
CUresult graph_run_norm(struct graph_frame *, const struct graph_content *);
CUresult graph_run_genstats(struct graph_frame *, const struct graph_content *);
CUresult graph_run_bn_finalize(struct graph_frame *, const struct graph_content *);
CUresult graph_run_bn_weights(struct graph_frame *, const struct graph_content *);
CUresult graph_run_quantize(struct graph_frame *, const struct graph_content *);
CUresult graph_run_dequantize(struct graph_frame *, const struct graph_content *);
CUresult graph_run_attention(struct graph_frame *, const struct graph_content *);

#endif
