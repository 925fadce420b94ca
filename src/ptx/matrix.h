/* SPDX-License-Identifier: MIT */
/* The matrices of mma, wmma and wgmma: their shape, their elements, and how many registers of a
 * thread hold its part of each. */
#ifndef CUP_PTX_MATRIX_H
#define CUP_PTX_MATRIX_H

#include "ptx/program.h"

enum ptx_matrix_part { PTX_MATRIX_A, PTX_MATRIX_B, PTX_MATRIX_C, PTX_MATRIX_D };

struct ptx_matrices {
    uint16_t m, n, k;
    uint8_t types[4]; /* enum ptx_type, by enum ptx_matrix_part */
};

/* The matrices of mma, wmma.mma, wmma.load, wmma.store and wgmma.mma_async; false: of other
 * instructions. The types of matrices that a load or store does not have are PTX_TYPE_NONE. */
bool ptx_matrices_of(const struct ptx_instruction *instruction, struct ptx_matrices *matrices);

/* Whether the instruction is mma, wmma or wgmma, and whether the function has one that is. */
bool ptx_matrix_is_meant(const struct ptx_instruction *instruction);
bool ptx_matrix_is_used(const struct ptx_function *function);

/* mma.m8n8k4 of .f16: four products at once, of eight lanes each. */
bool ptx_matrix_is_fourfold(const struct ptx_matrices *matrices);

/* The number of registers that a thread holds of a matrix: of 32 bits, or of 64 for .f64. */
unsigned ptx_matrix_registers(const struct ptx_instruction *instruction,
                              const struct ptx_matrices *matrices, enum ptx_matrix_part part);

/* The place of an element: the one with number `at` of a lane's register. */
struct ptx_matrix_position {
    unsigned row, column;
};

struct ptx_matrix_position ptx_matrix_position_of(const struct ptx_matrices *matrices, bool wmma,
                                                  enum ptx_matrix_part part, unsigned lane,
                                                  unsigned reg, unsigned at);

/* mma is a product of one tile. wmma.mma is two that lie side by side or one above the other: 16
 * rows of A by 8 columns of B each. Its excess registers hold duplicates, and a product of 8 rows
 * is computed with the matrices transposed. Products of 8 x 8 are one tile. Of .tf32 a tile is two,
 * one after the other, each of half of the k. */
struct ptx_matrix_tile {
    struct ptx_matrices matrices;
    bool continues;     /* its C is the D of the one before */
    uint8_t sources[3]; /* the operands that are its A, B and C */
    uint8_t first[4];   /* the first register of each operand that belongs to the tile */
    uint8_t count[4];
};

unsigned ptx_matrix_tile_count(const struct ptx_instruction *instruction);
struct ptx_matrix_tile ptx_matrix_tile_of(const struct ptx_instruction *instruction, unsigned tile);

/* Whether A is sparse: half of its elements are stored. */
bool ptx_matrix_is_sparse(const struct ptx_instruction *instruction);

/* The matrix that wmma.load or wmma.store accesses. */
enum ptx_matrix_part ptx_matrix_moved(const struct ptx_instruction *instruction);

#endif
