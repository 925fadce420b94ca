/* SPDX-License-Identifier: MIT */
/* Reductions of vectors, element by element, for every type and operator of NCCL. Each step rounds
 * to the type, as each hop of a ring does: ((s0 op s1) op s2) op ... Types of 8 and 16 bits are
 * widened to float for one step and rounded back to nearest even. */
#ifndef NCCL_REDUCE_H
#define NCCL_REDUCE_H

#include <nccl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of an element; 0 for a value that is no type. */
size_t nccl_type_bytes(ncclDataType_t type);

enum nccl_operator {
    NCCL_OP_SUM,
    NCCL_OP_PROD,
    NCCL_OP_MAX,
    NCCL_OP_MIN,
    NCCL_OP_SUM_DIVIDED, /* the sum divided by `divisor`, for ncclAvg of integers */
    NCCL_OP_SCALED_SUM,  /* each source times `scalar`, for ncclAvg of floats and PreMulSum */
};

struct nccl_reduction {
    ncclDataType_t type;
    enum nccl_operator op;
    uint64_t divisor;
    /* NCCL_OP_SCALED_SUM: the bits of the factor, a number of the type, for each source. NULL:
     * `scalar` is the factor of all of them. */
    const uint64_t *scalars;
    uint64_t scalar;
};

/* Fills in op, divisor and scalar for a built-in operator over `rank_count` ranks. Returns false
 * for what NCCL does not have: ncclAvg of 8-bit floats, operators out of range. */
bool nccl_reduction_init(struct nccl_reduction *reduction, ncclDataType_t type, ncclRedOp_t op,
                         int rank_count);

/* destination[i] = sources[0][i] op sources[1][i] op ..., for `count` elements, at each of the
 * destinations. A destination may be the same memory as one of the sources; otherwise no
 * destination overlaps another or a source. Pointers are aligned to the element. Runs in the
 * calling thread; callers split large vectors. With `is_last` false a division is left out: the
 * result is a partial one. There is at least one source. */
void nccl_reduce_all(const struct nccl_reduction *reduction, void *const *destinations,
                     size_t destination_count, const void *const *sources, size_t source_count,
                     size_t count, bool is_last);

/* The same with one destination. */
void nccl_reduce(const struct nccl_reduction *reduction, void *destination,
                 const void *const *sources, size_t source_count, size_t count, bool is_last);

#endif
