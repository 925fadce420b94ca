/* SPDX-License-Identifier: MIT */
/* Instructions that the runtime executes for a whole warp. Operands and results are 64-bit words in
 * rows of 32, by lane: first the sources, then the results. */
#ifndef CUP_ABI_WARP_H
#define CUP_ABI_WARP_H

#include <stdint.h>

enum cup_abi_warp_operation {
    CUP_ABI_WARP_LOAD_SMALL,  /* ldmatrix: addresses -> count rows; types[0] .s4: extended to .s8 */
    CUP_ABI_WARP_STORE_SMALL, /* stmatrix: addresses, count rows */
    CUP_ABI_WARP_TRANSPOSE,   /* movmatrix */
    CUP_ABI_WARP_MULTIPLY,    /* mma, wmma.mma: A, B, C -> D */
    CUP_ABI_WARP_LOAD,        /* wmma.load: addresses, stride -> part */
    CUP_ABI_WARP_STORE,       /* wmma.store: addresses, stride, part */
    /* isspacep: addresses -> whether they are in `space` (enum ptx_space); count 1:
     * .shared::cluster
     */
    CUP_ABI_WARP_SPACE,
    /* cp.async.bulk and cp.reduce.async.bulk: to, from, sizes, mbarriers, then ranks (a mask of 16
     * bits), or how many bytes to ignore at the beginning and at the end. CUP_ABI_WARP_ARRIVES,
     * CUP_ABI_WARP_MULTICAST and CUP_ABI_WARP_IGNORES in `flags` say which there are. */
    CUP_ABI_WARP_COPY,
    CUP_ABI_WARP_MULTIMEM_COPY, /* multimem.cp: to, from, sizes */
    /* multimem: addresses, `count` values of types[0] (enum cup_abi_multimem, in `part`), or -> so
     * many. */
    CUP_ABI_WARP_MULTIMEM,
    CUP_ABI_WARP_STORE_ASYNC, /* st.async, red.async: to, mbarriers, `count` values */
    /* cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: addresses in shared memory, tensor
     * maps, mbarriers, ranks, five coordinates, three offsets of im2col. */
    CUP_ABI_WARP_TENSOR_LOAD,
    CUP_ABI_WARP_TENSOR_STORE,
    /* tensormap.replace: addresses, values; the field `part` (enum cup_abi_tensor_field), and
     * `count` is its ordinal. tensormap.cp_fenceproxy: to, from. */
    CUP_ABI_WARP_TENSOR_MAP_REPLACE,
    CUP_ABI_WARP_TENSOR_MAP_COPY,
    CUP_ABI_WARP_STACK_TAKE, /* alloca: sizes -> addresses; count: the logarithm of the alignment */
    CUP_ABI_WARP_STACK_SAVE, /* -> addresses */
    CUP_ABI_WARP_STACK_RESTORE, /* addresses; 0: all of it is free */
    /* mbarrier: addresses, counts or states -> state or whether it is complete. */
    CUP_ABI_WARP_MBARRIER_INIT,
    CUP_ABI_WARP_MBARRIER_ARRIVE,
    CUP_ABI_WARP_MBARRIER_DROP,
    CUP_ABI_WARP_MBARRIER_EXPECT,
    CUP_ABI_WARP_MBARRIER_ARRIVE_EXPECT,
    CUP_ABI_WARP_MBARRIER_DROP_EXPECT,
    CUP_ABI_WARP_MBARRIER_COMPLETE,
    CUP_ABI_WARP_MBARRIER_TEST,
    CUP_ABI_WARP_MBARRIER_TEST_PARITY,
    CUP_ABI_WARP_MBARRIER_PENDING,
    CUP_ABI_WARP_MBARRIER_LAYOUT, /* -> whether it has the layout `part`; so INIT makes it */
};

enum {
    CUP_ABI_WARP_ARRIVES = 1,   /* completes bytes at an mbarrier */
    CUP_ABI_WARP_MULTICAST = 2, /* to several blocks of the cluster */
    CUP_ABI_WARP_IM2COL = 4,
    CUP_ABI_WARP_IGNORES = 16, /* bytes at the ends of a copy */
    CUP_ABI_WARP_WIDE = 8,     /* multimem: halves are summed up as .f32 */
};

enum cup_abi_multimem { CUP_ABI_MULTIMEM_STORE, CUP_ABI_MULTIMEM_REDUCE, CUP_ABI_MULTIMEM_LOAD };

/* Operations of asynchronous reductions; none is 0. */
enum cup_abi_reduction {
    CUP_ABI_REDUCE_NONE,
    CUP_ABI_REDUCE_ADD,
    CUP_ABI_REDUCE_MIN,
    CUP_ABI_REDUCE_MAX,
    CUP_ABI_REDUCE_INC,
    CUP_ABI_REDUCE_DEC,
    CUP_ABI_REDUCE_AND,
    CUP_ABI_REDUCE_OR,
    CUP_ABI_REDUCE_XOR,
    CUP_ABI_REDUCE_ADD_FTZ, /* of .f32 in tensors */
};

/* Fields of a tensor map that tensormap.replace changes. */
enum cup_abi_tensor_field {
    CUP_ABI_TENSOR_ADDRESS,
    CUP_ABI_TENSOR_RANK,
    CUP_ABI_TENSOR_BOX,
    CUP_ABI_TENSOR_DIMENSION,
    CUP_ABI_TENSOR_STRIDE,
    CUP_ABI_TENSOR_ELEMENT_STRIDE,
    CUP_ABI_TENSOR_TYPE,
    CUP_ABI_TENSOR_INTERLEAVE,
    CUP_ABI_TENSOR_SWIZZLE,
    CUP_ABI_TENSOR_SWIZZLE_ATOM,
    CUP_ABI_TENSOR_FILL,
};

struct cup_abi_warp_call {
    uint32_t operation; /* enum cup_abi_warp_operation */
    uint32_t line;
    uint8_t count;            /* of registers: of small matrices */
    uint8_t transposed;       /* of small matrices; of wmma.load and store: columns lie together */
    uint8_t space;            /* of isspacep */
    uint8_t part;             /* of wmma.load and store: enum ptx_matrix_part */
    uint8_t m, n, k;          /* of matrices */
    uint8_t types[4];         /* enum ptx_type of A, B, C, D */
    uint8_t registers[4];     /* of A, B, C, D */
    uint8_t shared_fragments; /* wmma: two mma side by side (ptx/matrix.h) */
    uint8_t flags;            /* of copies: CUP_ABI_WARP_ARRIVES and the like */
    uint8_t reduction;        /* enum cup_abi_reduction; the type of an element is types[0] */
    uint8_t rank;             /* of tensors: dimensions that the instruction names */
    uint32_t site;            /* of the instruction: check.h */
};

#endif
