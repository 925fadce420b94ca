/* SPDX-License-Identifier: MIT */
/* Operands of products as a thread has decoded them. B of a warpgroup is in one of many places,
 * where it stays for the next warp. */
#ifndef CUP_EXEC_MATRIX_OPERANDS_H
#define CUP_EXEC_MATRIX_OPERANDS_H

#include "abi/matrix.h"
#include "exec/matrix/mma.h"
#include "exec/matrix/mma_amx.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CUP_MATRIX_PLACES = 128, /* of columns of B: 8 each */
    CUP_MATRIX_B_BYTES = 2 * CUP_MMA_CORE_BYTES
};

/* How an operand is decoded. */
enum cup_matrix_form {
    CUP_MATRIX_FORM_NONE,
    CUP_MATRIX_FORM_EXACT,
    CUP_MATRIX_FORM_FAST,
    CUP_MATRIX_FORM_AMX
};

/* How it is known what B a place holds: by its cores, by a copy of it as it lies in shared memory,
 * or by the version of shared memory that it is of. */
enum cup_matrix_known {
    CUP_MATRIX_UNKNOWN,
    CUP_MATRIX_BY_CORES,
    CUP_MATRIX_BY_COPY,
    CUP_MATRIX_BY_VERSION
};

struct cup_matrix_place {
    uint8_t form, type, known; /* enum cup_matrix_known */
    bool transposed;
    uint16_t column;
    uint64_t descriptor, version;
};

/* The B of the products of a warp of a warpgroup that were computed last, if the block counts its
 * writes: the next warp has the same. step_count 0: a place was decoded to since. */
struct cup_matrix_batch {
    uint64_t version, descriptors[CUP_ABI_MATRIX_GROUP_RUN];
    uint32_t first, count, step_count;
    uint16_t type, transposed;
};

struct cup_matrix_operands {
    struct cup_matrix_batch last;
    enum cup_matrix_form form; /* of the present run */
    struct cup_mma_rule rule;
    uint64_t kind; /* of the run that the rule is of; 0: of none */
    struct cup_mma_a a[CUP_ABI_MATRIX_RUN_A];
    struct cup_mma_b b[CUP_MATRIX_PLACES];
    uint8_t a_tiles[CUP_ABI_MATRIX_RUN_A][CUP_MMA_AMX_A_BYTES] __attribute__((aligned(64)));
    uint8_t b_tiles[CUP_MATRIX_PLACES + 1][CUP_MMA_AMX_B_BYTES] __attribute__((aligned(64)));
    uint8_t b_cores[CUP_MATRIX_PLACES][CUP_MATRIX_B_BYTES] __attribute__((aligned(64)));
    struct cup_matrix_place places[CUP_MATRIX_PLACES];
};

/* Those of this thread; NULL: memory is out. */
struct cup_matrix_operands *cup_matrix_operands_get(void);

/* Decode cores to a place; false: the operand does not have the present form. */
bool cup_matrix_decode_a(struct cup_matrix_operands *o, unsigned at, const uint8_t *cores);
bool cup_matrix_decode_b(struct cup_matrix_operands *o, unsigned at, const uint8_t *cores);

/* Makes AMX ready, or keeps it so. */
void cup_matrix_wake(void);

#endif
