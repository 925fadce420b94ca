/* SPDX-License-Identifier: MIT */
/* The loops of reductions, written once for each instruction set: isa_body.h. */
#ifndef NCCL_REDUCE_ISA_H
#define NCCL_REDUCE_ISA_H

#include "reduce.h"

/* The operators of two elements; the others are made of these. */
#define NCCL_FOLDS 4

/* out[i] = a[i] op b[i]. `out` may be a or b. */
typedef void nccl_fold(void *out, const void *a, const void *b, size_t count);

struct nccl_reduce_isa {
    nccl_fold *fold[ncclNumTypes][NCCL_FOLDS];
    /* out[i] = in[i] * factor, rounded to the type, whose bits the factor has. */
    void (*scale[ncclNumTypes])(void *out, const void *in, uint64_t factor, size_t count);
    /* x[i] /= divisor, towards zero; NULL for floats. */
    void (*divide[ncclNumTypes])(void *x, uint64_t divisor, size_t count);
};

/* The best that this processor has. CUPIPE_CPU=plain, avx2 or avx512 takes a lesser one. */
const struct nccl_reduce_isa *nccl_reduce_isa(void);

extern const struct nccl_reduce_isa nccl_reduce_baseline, nccl_reduce_avx2, nccl_reduce_avx512;

#endif
