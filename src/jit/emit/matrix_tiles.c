/* SPDX-License-Identifier: MIT */
/* Register j of a tile holds rows 0 to 7 (j is 0 or 1) or 8 to 15, and even or odd columns: lane
 * 4 r + c has row r of column 2 c or 2 c + 1. So a register is four pieces of eight floats. */
#include "jit/emit/matrix_tiles.h"

#include "abi/launch.h"
#include "abi/matrix.h"
#include "jit/analysis/accumulator_tiles.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/variants/barrier_regions.h"
#include "ptx/matrix.h"

#include <stddef.h>

enum {
    LANES = 32,
    TILE_REGISTERS = 4,
    PIECES = 4,
    PIECE = LANES / PIECES,
    COLUMN_BYTES = 64,
    MOST_TILES = 64
};

void jit_tiles_init(struct jit_emitter *e)
{
    e->tiles = jit_emitter_zeros(e, 1, sizeof(*e->tiles));
}

/* The place of the operand's first register, if the others follow; 0: they do not. */
static uint32_t place_of(const struct jit_emitter *e, const struct ptx_operand *sums)
{
    const struct ptx_operand *first = &e->function->ptx->elements[sums->index];
    uint32_t place;

    if (sums->kind != PTX_OPERAND_VECTOR || first->kind != PTX_OPERAND_REGISTER)
        return 0;
    place = e->function->tile_places[first->index];
    for (unsigned k = 0; k < sums->count; k++)
        if (first[k].kind != PTX_OPERAND_REGISTER ||
            e->function->tile_places[first[k].index] != place + k)
            return 0;
    return place % TILE_REGISTERS == 1 ? place : 0;
}

/* Whether all writes to shared memory are seen: neither functions that are called nor other blocks
 * of a cluster write. */
static bool can_count_writes(const struct jit_emitter *e)
{
    bool has_group = false;

    for (uint32_t k = 0; k < e->function->ptx->instruction_count; k++) {
        if (e->function->ptx->instructions[k].op == PTX_OP_call)
            return false;
        has_group = has_group || e->function->ptx->instructions[k].op == PTX_OP_wgmma;
    }
    return has_group && e->function->is_kernel && e->function->tile_count && !e->unit->clusters;
}

void jit_tiles_find(struct jit_emitter *e)
{
    if (!e->function->has_matrices || e->unit->outlines || e->unit->debug ||
        e->unit->width != LANES)
        return;
    jit_tiles_assign(e->function, MOST_TILES);
    e->tiles->counts_writes = can_count_writes(e);
}

/* Whether the instruction, which is not pure, writes nothing to shared memory that could be an
 * element of a matrix: the words of mbarriers cannot. */
static bool leaves_shared(const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_st:
    case PTX_OP_atom:
    case PTX_OP_red:
        return i->space == PTX_GLOBAL || i->space == PTX_LOCAL || i->space == PTX_PARAM;
    case PTX_OP_cp: /* commits and waits have no address */
        return i->src[0].kind != PTX_OPERAND_ADDRESS;
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_ldmatrix:
    case PTX_OP_mma:
    case PTX_OP_wgmma:
    case PTX_OP_fence:
    case PTX_OP_membar:
    case PTX_OP_bar:
    case PTX_OP_barrier:
    case PTX_OP_mbarrier:
    case PTX_OP_elect:
    case PTX_OP_nanosleep:
    case PTX_OP_setmaxnreg:
    case PTX_OP_griddepcontrol:
    case PTX_OP_prefetch:
    case PTX_OP_activemask:
    case PTX_OP_match:
    case PTX_OP_redux:
    case PTX_OP_shfl:
    case PTX_OP_vote:
        return true;
    default:
        return false;
    }
}

void jit_tiles_count_write(struct jit_emitter *e, const struct ptx_instruction *i)
{
    LLVMValueRef place, old;

    if (!e->tiles->counts_writes || leaves_shared(i))
        return;
    place = jit_build_offset(e, e->abi.block,
                             jit_i64(e->unit, offsetof(struct cup_abi_block, shared_version)));
    old = LLVMBuildLoad2(e->builder, e->unit->i64, place, "");
    LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, old, jit_i64(e->unit, 1), ""), place);
}

bool jit_tiles_have(const struct jit_emitter *e, uint32_t reg)
{
    return e->function->tile_places && e->function->tile_places[reg];
}

int jit_tiles_of(const struct jit_emitter *e, const struct ptx_instruction *i)
{
    uint32_t place;

    if (!e->function->tile_places || e->divergent || !jit_tiles_suit(i))
        return -1;
    place = place_of(e, &i->dst[0]);
    return place && place == place_of(e, jit_tiles_c_of(i)) ? (int)((place - 1) / TILE_REGISTERS)
                                                            : -1;
}

LLVMValueRef jit_tiles_memory(struct jit_emitter *e)
{
    if (e->regions->frame.tiles)
        return jit_build_offset(e, e->regions->frame.base,
                                jit_i64(e->unit, e->regions->frame.tiles));
    if (!e->tiles->memory) {
        e->tiles->memory = jit_build_alloca(e, e->unit->i32,
                                            e->function->tile_count * CUP_ABI_MATRIX_TILE_BYTES / 4,
                                            "matrix.tiles");
        LLVMSetAlignment(e->tiles->memory, 64);
    }
    return e->tiles->memory;
}

static LLVMValueRef piece_at(struct jit_emitter *e, uint32_t reg, unsigned piece)
{
    uint32_t place = e->function->tile_places[reg] - 1, j = place % TILE_REGISTERS;
    uint64_t offset = (uint64_t)place / TILE_REGISTERS * CUP_ABI_MATRIX_TILE_BYTES +
                      (2 * piece + j % 2) * COLUMN_BYTES + j / 2 * (COLUMN_BYTES / 2);

    return jit_build_offset(e, jit_tiles_memory(e), jit_i64(e->unit, offset));
}

LLVMValueRef jit_tiles_read(struct jit_emitter *e, uint32_t reg, LLVMTypeRef element)
{
    LLVMTypeRef type = LLVMVectorType(element, PIECE);
    LLVMValueRef pieces[PIECES], halves[2], order[LANES];

    for (unsigned p = 0; p < PIECES; p++)
        pieces[p] = jit_build_load(e, type, piece_at(e, reg, p), 32);
    for (unsigned lane = 0; lane < LANES; lane++)
        order[lane] = jit_i32(e->unit, lane);
    for (unsigned h = 0; h < 2; h++)
        halves[h] = LLVMBuildShuffleVector(e->builder, pieces[2 * h], pieces[2 * h + 1],
                                           LLVMConstVector(order, 2 * PIECE), "");
    for (unsigned lane = 0; lane < LANES; lane++)
        order[lane] = jit_i32(e->unit, lane % PIECES * PIECE + lane / PIECES);
    return LLVMBuildShuffleVector(e->builder, halves[0], halves[1], LLVMConstVector(order, LANES),
                                  "");
}

void jit_tiles_write(struct jit_emitter *e, uint32_t reg, LLVMValueRef value)
{
    LLVMValueRef order[PIECE];

    for (unsigned p = 0; p < PIECES; p++) {
        for (unsigned r = 0; r < PIECE; r++)
            order[r] = jit_i32(e->unit, PIECES * r + p);
        jit_build_store(e,
                        LLVMBuildShuffleVector(e->builder, value, LLVMGetPoison(LLVMTypeOf(value)),
                                               LLVMConstVector(order, PIECE), ""),
                        piece_at(e, reg, p), 32);
    }
}

uint64_t jit_tiles_stack_bytes(const struct ptx_function *function)
{
    uint64_t tiles = 0;

    for (uint32_t k = 0; k < function->instruction_count; k++)
        if (jit_tiles_suit(&function->instructions[k]))
            tiles += function->instructions[k].dst[0].count / TILE_REGISTERS;
    return (tiles < MOST_TILES ? tiles : MOST_TILES) * CUP_ABI_MATRIX_TILE_BYTES;
}
