/* SPDX-License-Identifier: MIT */
/* Descriptors of sequences and of attention in the older interface. */
#ifndef DNN_ATTN_DESCRIPTOR_H
#define DNN_ATTN_DESCRIPTOR_H

#include "descriptor.h"
#include "multihead.h"

#include <cudnn_adv.h>

struct cudnnSeqDataStruct {
    struct lib_object base;
    cudnnDataType_t type;
    int dims[CUDNN_SEQDATA_DIM_COUNT];
    cudnnSeqDataAxis_t axes[CUDNN_SEQDATA_DIM_COUNT]; /* the outermost first */
    int *lengths;                                     /* owned; NULL: not set */
    size_t length_count;
};

struct cudnnAttnStruct {
    struct lib_object base;
    unsigned mode;
    bool is_set;
    cudnnDataType_t type, compute;
    cudnnMathType_t math;
    cudnnDropoutDescriptor_t attention_dropout, result_dropout;
    double scale;
    int heads, q_size, k_size, v_size, q_project, k_project, v_project, o_project;
    int q_steps, kv_steps, batch, beams;
};

bool dnn_is_sequences(const void *descriptor);
bool dnn_is_attention(const void *descriptor);

/* The attention without its data. */
struct dnn_multihead dnn_multihead_of(cudnnAttnDescriptor_t descriptor);

#endif
