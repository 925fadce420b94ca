/* SPDX-License-Identifier: MIT */
/* Products of matrices that the runtime computes for a warp: mma and wgmma. Registers are rows of
 * 32 words of 32 bits, by lane. mma: A, B, C, the metadata of sparse products, then D, which the
 * runtime writes. wgmma: a row that begins with struct cup_abi_descriptors, A if it is in
 * registers, the metadata of sparse products, and C, which the runtime replaces by D. */
#ifndef CUP_ABI_MATRIX_H
#define CUP_ABI_MATRIX_H

#include <stdint.h>

enum cup_abi_matrix_flag {
    CUP_ABI_MATRIX_SATURATE = 1,
    CUP_ABI_MATRIX_SPARSE = 2,
    CUP_ABI_MATRIX_XOR = 4,       /* of bits: xor instead of and */
    CUP_ABI_MATRIX_GROUP = 8,     /* wgmma: the warp's 16 rows of 64 */
    CUP_ABI_MATRIX_NEGATE = 16,   /* the products */
    CUP_ABI_MATRIX_A_SHARED = 32, /* wgmma: A is in shared memory */
    /* In shared memory, or in the registers of mma.m8n8k4: */
    CUP_ABI_MATRIX_A_TRANSPOSED = 64,  /* columns lie together */
    CUP_ABI_MATRIX_B_TRANSPOSED = 128, /* rows lie together */
};

struct cup_abi_matrix_call {
    uint32_t line;
    uint16_t rows, columns, depth;
    uint8_t types[4];     /* enum ptx_type of A, B, C, D */
    uint8_t registers[4]; /* of A, B, C, D */
    uint8_t flags;        /* enum cup_abi_matrix_flag */
    uint8_t selector;     /* of the lanes that hold the metadata */
    uint32_t site;        /* of the instruction: check.h */
};

struct cup_abi_descriptors {
    uint64_t a, b; /* of matrices in shared memory, as wgmma defines them */
    uint32_t adds; /* whether C is added */
};

/* Several products whose C and D stay in tiles of memory: 8 columns of 16 rows, .f32. Elements of A
 * and B have 16 bits, and 16 of them are multiplied. C is added to, in the order of the products.
 * mma: the words are the four registers of each A, then the two of each B. wgmma: for each of
 * `count` products to the same tiles, a row that begins with struct cup_abi_descriptors, then A if
 * it is in registers; the tiles of its columns are those from the first on. */
enum {
    CUP_ABI_MATRIX_RUN = 64,
    CUP_ABI_MATRIX_RUN_A = 16,
    CUP_ABI_MATRIX_GROUP_RUN = 4, /* products of wgmma */
    CUP_ABI_MATRIX_TILE_BYTES = 512
};

struct cup_abi_matrix_product {
    uint8_t a, b; /* their numbers */
    uint16_t tile;
};

struct cup_abi_matrix_run {
    struct cup_abi_matrix_call call; /* that all have in common */
    uint16_t a_count, b_count, count;
    uint8_t is_grid; /* mma: every A with every B, an even number, to tiles one behind the other */
    uint8_t counts_writes; /* wgmma: the block's shared_version counts all writes */
    struct cup_abi_matrix_product products[CUP_ABI_MATRIX_RUN];
};

#endif
