/* SPDX-License-Identifier: MIT */
/* mma and wgmma. A register of a fragment of A or B is a core: 8 rows (of B: columns) with 16 bytes
 * each. Descriptors of wgmma address cores in shared memory. A warp of a warpgroup computes its own
 * 16 of the 64 rows, at once; warps wait for each other at wgmma.wait_group (warpgroup.c). */
#include "exec/matrix/product.h"

#include "core/compiler.h"
#include "core/config.h"
#include "core/thread.h"
#include "exec/matrix/mma.h"
#include "exec/matrix/shared_memory.h"
#include "exec/matrix/sparse.h"
#include "ptx/matrix.h"

#include <stdlib.h>
#include <string.h>

enum {
    LANES = 32,
    CORE = CUP_MMA_CORE_BYTES,
    CHUNKS = 2 /* of 16 bytes: in a row of A, a column of B */
};

/* Bits: each sum is a number of ones. */
static void count_bits(const struct cup_abi_matrix_call *call, const uint8_t *a, const uint8_t *b,
                       struct cup_mma *tensor)
{
    bool exclusive = call->flags & CUP_ABI_MATRIX_XOR;

    for (unsigned chunk = 0; chunk * 128 < call->depth; chunk++)
        for (unsigned column = 0; column < CUP_MMA_COLUMNS; column++)
            for (unsigned row = 0; row < CUP_MMA_ROWS; row++) {
                uint64_t x[2], y[2];
                unsigned ones = 0;

                memcpy(x, a + (chunk * 2 + row / 8) * CORE + row % 8 * 16, 16);
                memcpy(y, b + chunk * CORE + column * 16, 16);
                for (unsigned i = 0; i < 2; i++)
                    ones += (unsigned)__builtin_popcountll(exclusive ? x[i] ^ y[i] : x[i] & y[i]);
                tensor->c_whole[column][row] =
                    (int32_t)((uint32_t)tensor->c_whole[column][row] + ones);
            }
}

static void multiply(const struct cup_abi_matrix_call *call, const uint8_t *a, const uint8_t *b,
                     struct cup_mma *tensor)
{
    if (call->types[PTX_MATRIX_A] == PTX_B1) {
        count_bits(call, a, b, tensor);
        return;
    }
    cup_mma_set_b(tensor, b);
    cup_mma_multiply(tensor);
}

static void fast_product_of_warp(const struct cup_abi_matrix_call *call, uint32_t *words,
                                 struct cup_mma *tensor)
{
    const uint32_t *b = words + call->registers[PTX_MATRIX_A] * LANES,
                   *c = b + call->registers[PTX_MATRIX_B] * LANES;

    cup_mma_set_a(tensor, (const uint8_t *)words);
    cup_mma_set_b(tensor, (const uint8_t *)b);
    cup_mma_multiply_fast(tensor, c, words + (c - words) + call->registers[PTX_MATRIX_C] * LANES);
}

/* Without rows 8 to 15, half of the cores are empty. */
static void product_of_warp(const struct cup_abi_matrix_call *call, uint32_t *words,
                            struct cup_mma *tensor)
{
    const uint32_t *b = words + call->registers[PTX_MATRIX_A] * LANES,
                   *c = b + call->registers[PTX_MATRIX_B] * LANES;
    uint32_t *d = words + (c - words) + call->registers[PTX_MATRIX_C] * LANES;
    uint32_t cores[4][LANES], sums[4][LANES];
    const uint8_t *a = (const uint8_t *)words;

    if (call->rows == 8) {
        memset(cores, 0, sizeof(cores));
        for (unsigned chunk = 0; chunk < call->registers[PTX_MATRIX_A]; chunk++)
            memcpy(cores[2 * chunk], words + chunk * LANES, CORE);
        a = (const uint8_t *)cores;
    }
    if (call->registers[PTX_MATRIX_C] < 4)
        memset(sums, 0, sizeof(sums));
    memcpy(sums, c, call->registers[PTX_MATRIX_C] * sizeof(sums[0]));
    cup_mma_set_c(tensor, sums[0]);
    if (call->types[PTX_MATRIX_A] != PTX_B1)
        cup_mma_set_a(tensor, a);
    multiply(call, a, (const uint8_t *)b, tensor);
    cup_mma_get_d(tensor, sums[0]);
    memcpy(d, sums, call->registers[PTX_MATRIX_D] * sizeof(sums[0]));
}

static void product_of_sparse_warp(const struct cup_abi_matrix_call *call, uint32_t *words,
                                   struct cup_mma *tensor, struct cup_mma_sparse *sparse)
{
    const uint32_t *b = words + call->registers[PTX_MATRIX_A] * LANES,
                   *c = b + call->registers[PTX_MATRIX_B] * LANES,
                   *metadata = c + call->registers[PTX_MATRIX_C] * LANES;

    cup_mma_sparse_set_a(sparse, call, &tensor->rule, (const uint8_t *)words, metadata);
    cup_mma_set_c(tensor, c);
    cup_mma_sparse_multiply(sparse, (const uint8_t *)b, tensor);
    cup_mma_get_d(tensor, words + (metadata - words) + LANES);
}

static void product_of_group(struct cup_abi_block *block, uint32_t warp,
                             const struct cup_abi_matrix_call *call, uint32_t *words,
                             struct cup_mma *tensor, struct cup_mma_sparse *sparse)
{
    struct cup_abi_descriptors descriptors;

    memcpy(&descriptors, words, sizeof(descriptors)); /* rows of words of 32 bits */
    struct cup_matrix_shared a = cup_matrix_shared_of(block, warp, call->site, descriptors.a,
                                                      call->flags & CUP_ABI_MATRIX_A_TRANSPOSED),
                             b = cup_matrix_shared_of(block, warp, call->site, descriptors.b,
                                                      call->flags & CUP_ABI_MATRIX_B_TRANSPOSED);
    unsigned first = warp % CUP_MATRIX_GROUP_WARPS * CUP_MMA_ROWS;
    unsigned step = call->types[PTX_MATRIX_D] == PTX_F16 ? 2 : 4; /* registers of 8 columns */
    const uint32_t *metadata = words + LANES + call->registers[PTX_MATRIX_A] * LANES;
    uint32_t *d = words + (metadata - words) + (sparse ? LANES : 0);
    uint8_t a_cores[2 * CHUNKS][CORE], b_cores[2 * CHUNKS][CORE];

    memcpy(a_cores, words + LANES, call->registers[PTX_MATRIX_A] * (size_t)CORE);
    if (call->flags & CUP_ABI_MATRIX_A_SHARED)
        for (unsigned i = 0; i < 2 * CHUNKS; i++)
            cup_matrix_core_read(&a, first + i % 2 * 8, i / 2, a_cores[i]);
    if (sparse)
        cup_mma_sparse_set_a(sparse, call, &tensor->rule, a_cores[0], metadata);
    else if (call->types[PTX_MATRIX_A] != PTX_B1)
        cup_mma_set_a(tensor, a_cores[0]);
    for (unsigned column = 0; column < call->columns; column += 8, d += step * LANES) {
        for (unsigned chunk = 0; chunk < (sparse ? 2 : 1) * CHUNKS; chunk++)
            cup_matrix_core_read(&b, column, chunk, b_cores[chunk]);
        if (tensor->rule.is_fast) {
            cup_mma_set_b(tensor, b_cores[0]);
            cup_mma_multiply_fast(tensor, descriptors.adds ? d : NULL, d);
            continue;
        }
        if (descriptors.adds)
            cup_mma_set_c(tensor, d);
        else
            cup_mma_clear_c(tensor);
        if (sparse)
            cup_mma_sparse_multiply(sparse, b_cores[0], tensor);
        else
            multiply(call, a_cores[0], b_cores[0], tensor);
        cup_mma_get_d(tensor, d);
    }
}

CUP_THREAD_STATE(matrix_unit, struct cup_mma *); /* NULL: none yet */

static void thread_ends(struct cup_thread *self)
{
    free(*cup_thread_matrix_unit(self));
    *cup_thread_matrix_unit(self) = NULL;
}

/* Returns this thread's unit, which remembers A; without memory for it, `other`. */
static struct cup_mma *unit_of_thread(struct cup_mma *other)
{
    struct cup_mma **own = cup_thread_matrix_unit(cup_thread_self()), *unit = *own;

    if (cup_likely(unit != NULL))
        return unit;
    cup_mma_init(other);
    if (!cup_thread_at_end(CUP_SLOT_matrix_unit, thread_ends))
        return other;
    unit = aligned_alloc(_Alignof(struct cup_mma), sizeof(*unit));
    if (!unit)
        return other;
    cup_mma_init(unit);
    *own = unit;
    return unit;
}

void cup_matrix_product(struct cup_abi_block *block, uint32_t warp,
                        const struct cup_abi_matrix_call *call, uint32_t *words)
{
    bool group = call->flags & CUP_ABI_MATRIX_GROUP, sparse = call->flags & CUP_ABI_MATRIX_SPARSE;
    struct cup_mma_sparse places;
    struct cup_mma other, *tensor = unit_of_thread(&other);

    if (call->rows == 8 && call->types[PTX_MATRIX_A] == PTX_F16) {
        cup_matrix_quads(call, words);
        return;
    }
    tensor->rule = cup_mma_rule_of(call->types, call->depth, group);
    tensor->rule.saturate = call->flags & CUP_ABI_MATRIX_SATURATE;
    tensor->rule.negate = call->flags & CUP_ABI_MATRIX_NEGATE;
    tensor->rule.is_fast = cup_config_get()->fast_math && !sparse && call->rows != 8 &&
                           call->types[PTX_MATRIX_C] == PTX_F32 &&
                           call->types[PTX_MATRIX_D] == PTX_F32;
    if (group)
        product_of_group(block, warp, call, words, tensor, sparse ? &places : NULL);
    else if (sparse)
        product_of_sparse_warp(call, words, tensor, &places);
    else if (tensor->rule.is_fast)
        fast_product_of_warp(call, words, tensor);
    else
        product_of_warp(call, words, tensor);
}
