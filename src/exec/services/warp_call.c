/* SPDX-License-Identifier: MIT */
/* Dispatches instructions that the runtime executes for a warp, and executes ldmatrix, stmatrix and
 * movmatrix (8 x 8 matrices of 16-bit elements), alloca, and isspacep. */
#include "exec/services/warp_call.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/warp.h"
#include "core/align.h"
#include "exec/matrix/matrix.h"
#include "exec/sched/block.h"
#include "exec/sched/cluster.h"
#include "exec/sched/divergent_stack.h"
#include "exec/sched/fault.h"
#include "exec/sched/grid.h"
#include "exec/services/bulk_copy.h"
#include "exec/services/lane_stacks.h"
#include "exec/services/mbarrier.h"
#include "exec/services/multimem.h"
#include "exec/services/tensor_map.h"
#include "ptx/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LANES = CUP_ABI_WARP_LANES };

/* Lane 8 i + r has the address of row r of matrix i. */
static void *row_of(const uint64_t *addresses, unsigned matrix, unsigned row)
{
    return (void *)(uintptr_t)addresses[8 * matrix + row];
}

/* Lane 4 r + c gets elements 4 c to 4 c + 3 of row r, each .s4 extended to .s8. A row has 8 bytes;
 * the lower half of a byte comes first. */
static void extend_matrices(const struct cup_abi_warp_call *call, uint64_t *words)
{
    enum { ROWS = 8, ROW_BYTES = 8 };

    for (unsigned matrix = 0; matrix < call->count; matrix++) {
        uint64_t *result = words + (1 + matrix) * LANES;

        for (unsigned row = 0; row < ROWS; row++) {
            uint8_t bytes[ROW_BYTES];

            memcpy(bytes, row_of(words, matrix, row), sizeof(bytes));
            for (unsigned column = 0; column < 4; column++) {
                uint32_t value = 0;

                for (unsigned e = 0; e < 4; e++) {
                    unsigned half = bytes[2 * column + e / 2] >> 4 * (e % 2) & 15;

                    value |= (uint32_t)(uint8_t)((half ^ 8) - 8) << 8 * e;
                }
                result[4 * row + column] = value;
            }
        }
    }
}

static void load_matrices(const struct cup_abi_warp_call *call, uint64_t *words)
{
    if (call->types[0] == PTX_S4) {
        extend_matrices(call, words);
        return;
    }
    for (unsigned matrix = 0; matrix < call->count; matrix++) {
        uint64_t *result = words + (1 + matrix) * LANES;
        uint16_t rows[8][8];

        for (unsigned row = 0; row < 8; row++)
            memcpy(rows[row], row_of(words, matrix, row), sizeof(rows[row]));
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned row = lane / 4, column = lane % 4 * 2;

            result[lane] = call->transposed
                               ? rows[column][row] | (uint32_t)rows[column + 1][row] << 16
                               : rows[row][column] | (uint32_t)rows[row][column + 1] << 16;
        }
    }
}

static void distribute_rows(const uint64_t *words, bool transposed, uint16_t (*rows)[8])
{
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < 2; i++) {
            unsigned row = lane / 4, column = lane % 4 * 2 + i;
            uint16_t half = (uint16_t)(words[lane] >> 16 * i);

            if (transposed)
                rows[column][row] = half;
            else
                rows[row][column] = half;
        }
}

static void store_matrices(const struct cup_abi_warp_call *call, const uint64_t *words)
{
    for (unsigned matrix = 0; matrix < call->count; matrix++) {
        uint16_t rows[8][8];

        distribute_rows(words + (1 + matrix) * LANES, call->transposed, rows);
        for (unsigned row = 0; row < 8; row++)
            memcpy(row_of(words, matrix, row), rows[row], sizeof(rows[row]));
    }
}

static void transpose(uint64_t *words)
{
    uint16_t rows[8][8];

    distribute_rows(words, true, rows);
    for (unsigned lane = 0; lane < LANES; lane++)
        words[LANES + lane] =
            rows[lane / 4][lane % 4 * 2] | (uint32_t)rows[lane / 4][lane % 4 * 2 + 1] << 16;
}

static bool is_in(uint64_t address, const void *base, uint64_t size)
{
    return address - (uint64_t)(uintptr_t)base < size;
}

/* Variables of device functions are on the stack of the lanes or on a stack of a caller. */
static bool is_on_stack(const struct cup_abi_block *block, uint64_t address)
{
    enum { NEAR_BYTES = 8 << 20 };
    const struct cup_resident *resident = block->state;
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);

    if (address - here < NEAR_BYTES && !resident)
        return true;
    return resident && cup_divergent_stack_has(resident, address);
}

static bool is_local(const struct cup_abi_block *block, uint64_t address)
{
    const struct cup_abi_launch *launch = block->launch;
    const struct cup_grid *grid = launch->owner;

    return cup_lanestack_has(block, address) ||
           is_in(address, block->local,
                 (uint64_t)grid->code->info.local_bytes * launch->block_warps * LANES) ||
           is_on_stack(block, address);
}

bool cup_warp_is_in_space(struct cup_abi_block *block, uint64_t address, uint8_t space,
                          bool cluster)
{
    const struct cup_abi_block *owner = cup_cluster_block_at(block, address, 1);
    bool shared = owner != NULL;

    switch (space) {
    case PTX_SHARED:
        return cluster ? shared : owner == block;
    case PTX_LOCAL:
        return !shared && is_local(block, address);
    case PTX_GLOBAL:
        return !shared && !is_local(block, address);
    default:
        return false;
    }
}

void cup_warp_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const struct cup_abi_warp_call *call, uint64_t *words)
{
    switch (call->operation) {
    case CUP_ABI_WARP_LOAD_SMALL:
        load_matrices(call, words);
        break;
    case CUP_ABI_WARP_STORE_SMALL:
        store_matrices(call, words);
        break;
    case CUP_ABI_WARP_TRANSPOSE:
        transpose(words);
        break;
    case CUP_ABI_WARP_MULTIPLY:
        cup_matrix_multiply(call, words);
        break;
    case CUP_ABI_WARP_LOAD:
        cup_matrix_load(block, warp, mask, call, words);
        break;
    case CUP_ABI_WARP_STORE:
        cup_matrix_store(block, warp, mask, call, words);
        break;
    case CUP_ABI_WARP_SPACE:
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);

            words[LANES + lane] =
                cup_warp_is_in_space(block, words[lane], call->space, call->count != 0);
        }
        break;
    case CUP_ABI_WARP_MULTIMEM:
        cup_multimem_execute(block, warp, mask, call, words);
        break;
    case CUP_ABI_WARP_MULTIMEM_COPY:
        cup_multimem_copy(block, warp, mask, call, words);
        break;
    case CUP_ABI_WARP_COPY:
    case CUP_ABI_WARP_STORE_ASYNC:
        cup_bulk_execute(block, warp, mask, call, words);
        break;
    case CUP_ABI_WARP_TENSOR_LOAD:
    case CUP_ABI_WARP_TENSOR_STORE:
        cup_tma_execute(block, warp, mask, call, words);
        break;
    case CUP_ABI_WARP_TENSOR_MAP_REPLACE:
    case CUP_ABI_WARP_TENSOR_MAP_COPY:
        cup_tma_map_execute(block, warp, mask, call, words);
        break;
    case CUP_ABI_WARP_STACK_TAKE:
    case CUP_ABI_WARP_STACK_SAVE:
    case CUP_ABI_WARP_STACK_RESTORE:
        cup_lanestack_execute(block, warp, mask, call, words);
        break;
    default:
        cup_mbarrier_execute(block, warp, mask, call, words);
        break;
    }
}
