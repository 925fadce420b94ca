/* SPDX-License-Identifier: MIT */
/* Descriptors of recurrent networks and of their sequences. */
#ifndef DNN_RNN_DESCRIPTOR_H
#define DNN_RNN_DESCRIPTOR_H

#include "descriptor.h"
#include "rnn.h"

struct cudnnRNNStruct {
    struct lib_object base;
    bool is_set;
    cudnnRNNAlgo_t algo;
    cudnnRNNMode_t mode;
    cudnnRNNBiasMode_t bias;
    cudnnDirectionMode_t direction;
    cudnnRNNInputMode_t input_mode;
    cudnnDataType_t type, math_precision;
    cudnnMathType_t math;
    int32_t input, hidden, projection, layers;
    cudnnDropoutDescriptor_t dropout;
    uint32_t flags;
    cudnnRNNClipMode_t clip;
    cudnnNanPropagation_t clip_nan;
    double clip_low, clip_high;
};

struct cudnnRNNDataStruct {
    struct lib_object base;
    cudnnDataType_t type;
    cudnnRNNDataLayout_t layout;
    int steps, batch, width;
    int32_t *lengths; /* owned; NULL: not set */
    double fill;
};

extern const struct lib_object_type dnn_rnn_type, dnn_rnn_data_type;

bool dnn_is_rnn(const void *descriptor);
bool dnn_is_rnn_data(const void *descriptor);

/* The network without its data. */
struct dnn_rnn dnn_rnn_of(cudnnRNNDescriptor_t descriptor);

#endif
