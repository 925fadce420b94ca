/* SPDX-License-Identifier: MIT */
/* Loops over elements of common types, which give what the loops over doubles give, bit for bit:
 * integers have room for exact results, and a sum, difference or product of floats in doubles
 * becomes the float that floats give. */
#ifndef NPP_TYPED_ROWS_H
#define NPP_TYPED_ROWS_H

#include "call.h"

enum { NPP_TYPED_SCALE_MOST = 15 }; /* the greatest scale factor that loops take; the least is 0 */

/* `first` may be `result`. */
typedef void npp_typed_loop(const void *first, const void *second, void *result, size_t count,
                            int scale);

struct npp_typed_loops {
    npp_typed_loop *of_8u, *of_16u, *of_16s, *of_32f; /* NULL: none */
};

extern const struct npp_typed_loops npp_typed_add, npp_typed_subtract, npp_typed_subtract_reversed,
    npp_typed_multiply, npp_typed_difference, npp_typed_and, npp_typed_or, npp_typed_xor,
    npp_typed_least, npp_typed_most;

/* Whether two elements compare: bytes of 255 or 0. Indexed by NppCmpOp. */
extern const struct npp_typed_loops npp_typed_compare[5];

/* NULL: there is no loop for the type. */
static inline npp_typed_loop *npp_typed_loop_of(const struct npp_typed_loops *loops,
                                                enum npp_type type)
{
    switch (type) {
    case NPP_T_8U:
        return loops->of_8u;
    case NPP_T_16U:
        return loops->of_16u;
    case NPP_T_16S:
        return loops->of_16s;
    case NPP_T_32F:
        return loops->of_32f;
    default:
        return NULL;
    }
}

/* What becomes of elements below and above limits; each has as many as there are elements. */
struct npp_typed_limits {
    const void *low, *low_values, *high, *high_values;
};

/* `source` may be `result`. */
typedef void npp_threshold_loop(const void *source, const struct npp_typed_limits *limits,
                                void *result, size_t count);

/* NULL: there is no loop for the type. */
npp_threshold_loop *npp_threshold_loop_of(enum npp_type type);

#endif
