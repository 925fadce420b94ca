/* SPDX-License-Identifier: MIT */
/* What the opaque descriptors of cublasLt.h hold. A descriptor begins with a mark, so that memory
 * that was never initialised is refused. */
#ifndef CUBLASLT_LT_H
#define CUBLASLT_LT_H

#include "product/product.h"

#include <cublasLt.h>
#include <stdbool.h>

enum lt_mark {
    LT_LAYOUT = 0x4c744c61,
    LT_DESC = 0x4c744d64,
    LT_TRANSFORM = 0x4c745472,
    LT_PREFERENCE = 0x4c745072,
    LT_EMULATION = 0x4c74456d,
    LT_ALGO = 0x4c74416c,
};

struct lt_layout {
    uint32_t mark;
    int32_t type, order, batch_count, batch_mode;
    uint64_t rows, cols;
    int64_t ld, stride, plane_offset;
};

struct lt_desc {
    uint32_t mark;
    int32_t compute_type, scale_type, pointer_mode, transa, transb, transc, fill_mode;
    int32_t epilogue, sm_count_target, reserved_16, aux_type, bias_type;
    int32_t a_scale_mode, b_scale_mode, c_scale_mode, d_scale_mode, aux_scale_mode;
    int32_t d_out_scale_mode;
    int8_t fast_accum;
    void *bias, *aux;
    int64_t bias_stride, aux_ld, aux_stride, alpha_stride;
    void *a_scale, *b_scale, *c_scale, *d_scale, *amax, *aux_scale, *aux_amax, *d_out_scale;
    void *emulation;
};

struct lt_transform {
    uint32_t mark;
    int32_t scale_type, pointer_mode, transa, transb;
};

struct lt_preference {
    uint32_t mark;
    int32_t search_mode;
    uint64_t workspace_bytes, impl_mask;
    uint32_t reduction_mask, alignment_a, alignment_b, alignment_c, alignment_d;
    float waves;
};

struct lt_emulation {
    uint32_t mark;
    int32_t strategy, special_values, mantissa_control, max_mantissa_bits, mantissa_offset;
    void *mantissa_bits;
};

struct lt_algo {
    uint32_t mark;
    int32_t id, tile, split_k;
    uint32_t reduction, swizzling, custom_option, stages;
    uint16_t inner_shape, cluster_shape;
    uint8_t compute_type, scale_type, a_type, b_type, c_type, d_type; /* as AlgoInit had them */
};

_Static_assert(sizeof(struct lt_layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "layout");
_Static_assert(sizeof(struct lt_desc) <= sizeof(cublasLtMatmulDescOpaque_t), "description");
_Static_assert(sizeof(struct lt_transform) <= sizeof(cublasLtMatrixTransformDescOpaque_t),
               "transform");
_Static_assert(sizeof(struct lt_preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t),
               "preference");
_Static_assert(sizeof(struct lt_emulation) <= sizeof(cublasLtEmulationDescOpaque_t), "emulation");
_Static_assert(sizeof(struct lt_algo) <= sizeof(cublasLtMatmulAlgo_t), "algorithm");

/* The descriptor behind a handle, or NULL if it is none. */
const struct lt_layout *lt_layout(const void *handle);
const struct lt_desc *lt_desc(const void *handle);

/* True for a live handle of this library, and for one of cuBLAS, which programs may use here. */
bool lt_handle_is_live(cublasLtHandle_t handle);

/* A product as the library's objects describe it. */
struct lt_problem {
    const struct lt_desc *desc;
    const struct lt_layout *a, *b, *c, *d;
};

/* Tells whether the objects fit together and the product is one that the library has, and describes
 * it but for addresses. `searched` becomes true if the answer depends on what algorithms can do,
 * not on the arguments alone. */
cublasStatus_t lt_problem_check(const struct lt_problem *problem, struct product *product,
                                bool *searched);

/* The factors of fp8 matrices (scales.c): whether they fit together, and whether an H200 has them
 * for this product. */
bool lt_scales_fit(const struct lt_problem *problem);
bool lt_scales_exist(const struct lt_problem *problem);
void lt_scales_describe(const struct lt_problem *problem, struct product *product);

/* The status for a result of the driver. */
cublasStatus_t lt_status(CUresult result);

/* True if the algorithm is one that this library made. */
bool lt_algo_is_valid(const cublasLtMatmulAlgo_t *algo);

/* An algorithm for the problem. */
void lt_algo_choose(const struct lt_problem *problem, cublasLtMatmulAlgo_t *algo);

#endif
