/* SPDX-License-Identifier: MIT */
/* The operations of cuDNN, each a structure and a function that runs it. The functions are called
 * in the work of a stream (lib_submit): they use lib_parallel(), allocate host memory for what they
 * need in between, and return CUDA_ERROR_OUT_OF_MEMORY or CUDA_ERROR_NOT_SUPPORTED (OpenBLAS is
 * missing, a type that the operation does not know) without having written anything.
 *
 * Structures are zero-initialised: zero means absent, or the ordinary. Callers have checked shapes;
 * a run function trusts that dimensions fit. Results are computed in f32; in f64 if an operand is
 * f64, s32, s64 or u32, or if `compute` is CUDNN_DATA_DOUBLE. All are written as
 *     y = alpha * result + beta * y
 * where a structure has a blend, and y is not read if beta is 0. A blend of {0, 0} is {1, 0}. */
#ifndef DNN_ENGINE_H
#define DNN_ENGINE_H

#include "tensor.h"

#include <cuda.h>

struct dnn_blend {
    double alpha, beta;
    bool given; /* {0, 0} means what it says */
};

/* Convolutions: x[n][c][spatial], w[k][c / groups][window], y[n][k][spatial]. */
enum dnn_conv_direction {
    DNN_CONV_FORWARD, /* writes y */
    DNN_CONV_DATA,    /* writes x from w and y */
    DNN_CONV_FILTER,  /* writes w from x and y */
};

struct dnn_conv {
    enum dnn_conv_direction direction;
    struct dnn_tensor x, w, y;
    int spatial; /* dimensions behind the second: 1 to 6 */
    int64_t pre[DNN_RANK_MOST], post[DNN_RANK_MOST], stride[DNN_RANK_MOST],
        dilation[DNN_RANK_MOST]; /* post is not needed: y's dimensions say it */
    bool flip;                   /* CUDNN_CONVOLUTION: the window is turned round */
    cudnnDataType_t compute;
    struct dnn_blend blend;
    /* Forward only, after the blend's alpha: y = act(alpha * conv + z_scale * z + bias). z may be
     * y. */
    struct dnn_tensor z, bias;
    double z_scale;
    bool activate;
    cudnnActivationMode_t activation;
    double activation_limit; /* clipped ReLU, ELU */
};
CUresult dnn_conv_run(const struct dnn_conv *op);
uint64_t dnn_conv_estimate_ns(const struct dnn_conv *op);

/* c[batch..][m][n] = a[batch..][m][k] * b[batch..][k][n], all of the same rank of at least 2. A
 * batch dimension of a or b that is 1, or divides c's (groups of heads), repeats. m_override and
 * its like limit the rows, columns and depth for each batch: absent, or s32, one element a batch;
 * what lies behind is written as `padding`. */
struct dnn_matmul {
    struct dnn_tensor a, b, c;
    struct dnn_tensor m_override, n_override, k_override;
    double padding;
    cudnnDataType_t compute;
    struct dnn_blend blend;
};
CUresult dnn_matmul_run(const struct dnn_matmul *op);

/* y = op(x, b, t), element by element. Dimensions of operands are y's or 1; operands of lower rank
 * are aligned at the last dimension. Backward modes: x is the operand of the forward pass, or y of
 * it as cuDNN's rule says, b is dy: dx = y here. */
struct dnn_pointwise {
    cudnnPointwiseMode_t mode;
    struct dnn_tensor x, b, t, y; /* b: second operand or dy; t: the predicate of a selection */
    double alpha1, alpha2;        /* factors of x and b; zero means one unless `has_alphas` */
    bool has_alphas;
    double relu_lower, relu_upper, relu_slope; /* upper: 0 means infinity unless has_relu */
    bool has_relu;
    double elu_alpha, softplus_beta, swish_beta; /* 0 means 1 */
    int axis;                                    /* GEN_INDEX */
    cudnnDataType_t compute;                     /* of the arithmetic */
    struct dnn_blend blend;
};
CUresult dnn_pointwise_run(const struct dnn_pointwise *op);

/* y = reduce(x) over the dimensions where y has 1. */
struct dnn_reduction {
    cudnnReduceTensorOp_t op;
    struct dnn_tensor x, y;
    struct dnn_tensor indices; /* MIN and MAX: receives the flat index in the reduced dimensions;
                                  u32 or s64..., packed, in y's order. May be absent. */
    bool propagate_nan;        /* MIN, MAX, AMAX */
    cudnnDataType_t compute;
    struct dnn_blend blend;
};
CUresult dnn_reduction_run(const struct dnn_reduction *op);

/* Pooling and resampling: x[n][c][spatial], y[n][c][spatial]. `index` is what a max pooling keeps
 * for its backward pass: s8 or s32, the offset in the window. Backward reads dy, and x and y or
 * index, and writes dx; of equal elements, the first takes the gradient. */
struct dnn_resample {
    cudnnResampleMode_t mode;
    bool backward;
    struct dnn_tensor x, y, dy, dx, index;
    int spatial;
    int64_t window[DNN_RANK_MOST], pre[DNN_RANK_MOST], post[DNN_RANK_MOST];
    /* Strides are fractions for bilinear and nearest resampling. */
    int64_t stride[DNN_RANK_MOST], stride_denominator[DNN_RANK_MOST]; /* denominator 0 means 1 */
    enum dnn_padding { DNN_PAD_ZERO, DNN_PAD_NEGATIVE_INFINITY, DNN_PAD_EDGE } padding;
    bool ends_with_padding; /* what lies behind the padding does not count in an average with it */
    bool propagate_nan;
    cudnnDataType_t compute;
    struct dnn_blend blend;
};
CUresult dnn_resample_run(const struct dnn_resample *op);

/* Softmax over dimension `axis`, or over all dimensions but the first (axis -1). */
struct dnn_softmax {
    bool backward, log, fast; /* fast: without subtracting the maximum */
    int axis;
    struct dnn_tensor x, y, dy, dx; /* backward reads y and dy */
    struct dnn_tensor stats;        /* forward: receives max + log(sum); may be absent */
    cudnnDataType_t compute;
    struct dnn_blend blend;
};
CUresult dnn_softmax_run(const struct dnn_softmax *op);

/* Normalisations. Statistics are taken over the dimensions where `mean` (or inv_variance) has 1
 * while x has more: so the shape of the statistics tells batch normalisation (1 c 1 1), instance
 * normalisation (n c 1 1) and layer normalisation (n 1 1 1) apart. Group normalisation has groups >
 * 0: the second dimension is cut into groups, and statistics have shape n, groups, 1, .... scale
 * and bias have dimensions of 1 or x's. `rms`: no mean is taken.
 *
 * Forward in training: y = (x - mean) * inv_variance * scale + bias; the statistics are written
 * where they are present, running ones are blended in by `factor` with the unbiased variance.
 * Forward in inference: mean and variance (or inv_variance) are read.
 * Backward: dx, dscale, dbias from x, dy, scale, mean and inv_variance; without those, they are
 * taken anew from x with epsilon. */
struct dnn_norm {
    enum dnn_norm_pass { DNN_NORM_TRAINING, DNN_NORM_INFERENCE, DNN_NORM_BACKWARD } pass;
    bool rms;
    int64_t groups;
    /* The shape of the statistics where none of their tensors is present. */
    int64_t stats_dims[DNN_RANK_MOST];
    bool has_stats_dims;
    struct dnn_tensor x, y, scale, bias, mean, inv_variance, variance;
    struct dnn_tensor running_mean, running_variance;           /* read */
    struct dnn_tensor next_running_mean, next_running_variance; /* written; may be the same */
    double epsilon, factor;
    struct dnn_tensor z; /* added before the activation */
    bool relu;           /* y = max(.., 0); backward takes dy where y > 0 */
    double relu_slope;
    struct dnn_tensor dy, dx, dscale, dbias, dz; /* dz receives dy behind the activation */
    cudnnDataType_t compute;
    struct dnn_blend blend;       /* of y or dx */
    struct dnn_blend param_blend; /* of dscale and dbias */
};
CUresult dnn_norm_run(const struct dnn_norm *op);

/* Attention: o[b][h][sq][dv] = softmax(scale * q k^T + bias, masked) v, with q[b][h][sq][d],
 * k[b][hk][skv][d], v[b][hv][skv][dv]; hk and hv divide h. stats[b][h][sq][1] has max + log(sum).
 */
struct dnn_attention {
    bool backward;
    struct dnn_tensor q, k, v, o, stats;
    struct dnn_tensor bias;                    /* dimensions of 1 repeat */
    struct dnn_tensor sequence_q, sequence_kv; /* s32, one for each batch: lengths */
    struct dnn_tensor offsets_q, offsets_kv, offsets_v, offsets_o; /* ragged: where each batch
        begins, in elements (s32 or s64, b + 1 of them); strides of dimension 0 are then unused */
    struct dnn_tensor table_k, table_v;                 /* paged k and v: s32[b][1][pages][1] */
    double scale;                                       /* 0 means 1 */
    const float *scale_memory;                          /* not NULL: where the scale lies */
    bool has_left_bound, has_right_bound, bottom_right; /* keys j with i - left < j <= i + right
                                                             (i moved by skv - sq: bottom_right) */
    int64_t left_bound, right_bound;
    bool alibi;
    bool padding_mask; /* lengths of sequences are given; they count wherever they are present */
    double dropout; /* probability of 0; the mask comes from dropout_mask or from seed and offset */
    const void *seed, *offset; /* s64 in device memory */
    uint64_t seed_value, offset_value;
    struct dnn_tensor dropout_mask;
    struct dnn_tensor d_o, dq, dk, dv, dbias; /* backward */
};
CUresult dnn_attention_run(const struct dnn_attention *op);

/* Random numbers of Philox 4x32-10: element i of y is number i of the sequence. */
struct dnn_random {
    cudnnRngDistribution_t distribution;
    struct dnn_tensor y;
    double probability, lower, upper, mean, deviation;
    const void *seed, *offset; /* s64 in device memory, or NULL: the values */
    uint64_t seed_value, offset_value;
};
CUresult dnn_random_run(const struct dnn_random *op);

/* y = blend of x, converted; dimensions of x are y's or 1. */
struct dnn_transform {
    struct dnn_tensor x, y;
    struct dnn_blend blend;
};
CUresult dnn_transform_run(const struct dnn_transform *op);

/* y = x with other dimensions, as another view of the same memory: elements keep their order there.
 * A matrix of which only strides change places is transposed. */
CUresult dnn_reshape_run(const struct dnn_transform *op);

/* y = count tensors one after another along `axis`; `inputs` is an array in host memory. */
struct dnn_concat {
    const struct dnn_tensor *inputs;
    size_t count;
    int axis;
    struct dnn_tensor y;
};
CUresult dnn_concat_run(const struct dnn_concat *op);

/* y = elements start, start + step, ... of x in each dimension; y's dimensions say how many. */
struct dnn_slice {
    struct dnn_tensor x, y;
    int64_t start[DNN_RANK_MOST], step[DNN_RANK_MOST]; /* a step of 0 is 1 */
};
CUresult dnn_slice_run(const struct dnn_slice *op);

/* y[..] = value everywhere. */
CUresult dnn_fill_run(const struct dnn_tensor *y, double value);

/* sum[c] and sqsum[c] of x[n][c][..] (GENSTATS). */
struct dnn_genstats {
    struct dnn_tensor x, sum, sqsum;
};
CUresult dnn_genstats_run(const struct dnn_genstats *op);

#endif
