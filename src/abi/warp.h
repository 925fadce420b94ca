/* SPDX-License-Identifier: MIT */
/* Instructions that the runtime executes for a whole warp. Operands and results are 64-bit words in
 * rows of 32, by lane: first the sources, then the results. */
#ifndef CUP_ABI_WARP_H
#define CUP_ABI_WARP_H

#include <stdint.h>

enum cup_abi_warp_operation {
    CUP_ABI_WARP_LOAD_SMALL,  /* ldmatrix: addresses -> count rows */
    CUP_ABI_WARP_STORE_SMALL, /* stmatrix: addresses, count rows */
    CUP_ABI_WARP_TRANSPOSE,   /* movmatrix */
    CUP_ABI_WARP_MULTIPLY,    /* mma, wmma.mma: A, B, C -> D */
    CUP_ABI_WARP_LOAD,        /* wmma.load: addresses, stride -> part */
    CUP_ABI_WARP_STORE,       /* wmma.store: addresses, stride, part */
    /* isspacep: addresses -> whether they are in `space` (enum ptx_space) */
    CUP_ABI_WARP_SPACE,
    CUP_ABI_WARP_COPY,       /* cp.async.bulk: to, from, sizes, and where count is 1 mbarriers */
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
    uint8_t saturate;         /* of integers */
    uint8_t shared_fragments; /* wmma: as matrix.c of src/exec lays them out */
    uint8_t unused[7];
};

#endif
