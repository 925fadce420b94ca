/* SPDX-License-Identifier: MIT */
/* mma, wmma.mma and wgmma. Registers are stored to rows of 32 words on the stack, the runtime
 * multiplies, and the result is loaded from there. Sums that are kept in tiles (matrix_tiles.h) are
 * not moved, and mma instructions that follow each other and add to such sums are one call: a run.
 * So are wgmma instructions that add to the same sums. wgmma is computed at once, or with those
 * that follow it, so its fences do nothing: what a program may not read before wgmma.wait_group is
 * there earlier. */
#include "jit/emit/matrix.h"

#include "abi/launch.h"
#include "abi/matrix.h"
#include "abi/services.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/matrix_tiles.h"
#include "jit/emit/operands.h"
#include "jit/instrument/site.h"
#include "ptx/matrix.h"

#include <stddef.h>
#include <string.h>

enum {
    ROW_BYTES = CUP_ABI_WARP_LANES * 4,
    RUNTIME_BYTES = 64 << 10, /* of the runtime's own variables */
    A_ROWS = 4,               /* of the products in a run */
    B_ROWS = 2,
    RUN_ROWS = CUP_ABI_MATRIX_RUN_A * A_ROWS + CUP_ABI_MATRIX_RUN * B_ROWS,
    GROUP_ROWS = CUP_ABI_MATRIX_GROUP_RUN * (1 + A_ROWS),
    MOST_TILES = 4, /* of an instruction but wgmma */
};

/* The rows of an instruction: all matrices, descriptors and metadata. */
static unsigned row_count(const struct ptx_instruction *i)
{
    struct ptx_matrices matrices;
    unsigned rows = 2;

    if (!ptx_matrices_of(i, &matrices))
        return 0;
    for (unsigned part = 0; part < 4; part++)
        rows += ptx_matrix_registers(i, &matrices, part);
    return rows;
}

static unsigned most_rows(const struct ptx_function *function)
{
    unsigned most = 0;

    for (uint32_t k = 0; k < function->instruction_count; k++) {
        const struct ptx_instruction *i = &function->instructions[k];
        unsigned rows = ptx_matrix_is_meant(i) ? row_count(i) : 0;

        rows = rows && i->op != PTX_OP_wgmma && rows < RUN_ROWS ? RUN_ROWS : rows;
        rows = i->op == PTX_OP_wgmma && rows && rows < GROUP_ROWS ? GROUP_ROWS : rows;
        most = rows > most ? rows : most;
    }
    return most;
}

uint64_t jit_matrix_stack_bytes(const struct ptx_function *function)
{
    unsigned rows = most_rows(function);

    return rows ? (uint64_t)rows * ROW_BYTES + jit_tiles_stack_bytes(function) + RUNTIME_BYTES : 0;
}

static LLVMValueRef row_at(struct jit_emitter *e, unsigned row)
{
    if (!e->scratch[JIT_SCRATCH_MATRIX_ROWS]) {
        e->scratch[JIT_SCRATCH_MATRIX_ROWS] = jit_build_alloca(
            e, e->unit->i32, most_rows(e->function->ptx) * CUP_ABI_WARP_LANES, "matrix.rows");
        LLVMSetAlignment(e->scratch[JIT_SCRATCH_MATRIX_ROWS],
                         64); /* vectors lie in one cache line */
    }
    return jit_build_offset(e, e->scratch[JIT_SCRATCH_MATRIX_ROWS],
                            jit_i64(e->unit, (uint64_t)row * ROW_BYTES));
}

/* Registers of an operand that follow each other. */
struct fragment {
    const struct ptx_operand *operand;
    unsigned first, count;
};

static struct fragment whole(const struct ptx_operand *operand)
{
    return (struct fragment){operand, 0, jit_operand_part_count(operand)};
}

static const struct ptx_operand *part_of(const struct jit_emitter *e, struct fragment f, unsigned k)
{
    return jit_operand_part(e->function, f.operand, f.first + k);
}

static void put_fragment(struct jit_emitter *e, unsigned *row, struct fragment f)
{
    for (unsigned k = 0; k < f.count; k++) {
        struct jit_value value = jit_operand_read(e, part_of(e, f, k), PTX_B32);

        jit_build_store(e, jit_value_vector(e, value), row_at(e, (*row)++), 4);
    }
}

static void get_fragment(struct jit_emitter *e, unsigned row, struct fragment f)
{
    LLVMTypeRef words = jit_vector_type(e, e->unit->i32);

    for (unsigned k = 0; k < f.count; k++)
        jit_operand_write(e, part_of(e, f, k), PTX_B32,
                          jit_vector(jit_build_load(e, words, row_at(e, row + k), 4)));
}

static bool is_negative(const struct ptx_instruction *i, unsigned source)
{
    return i->src[source].value == UINT32_MAX;
}

/* The flags of wgmma. Elements other than those of 16 bits cannot be transposed; integers have no
 * signs. */
static uint8_t group_flags(const struct ptx_instruction *i)
{
    unsigned first = ptx_matrix_is_sparse(i) ? 5 : 3;
    unsigned numbers = i->source_count - 1u - first, after = i->source_count - 1u;
    bool in_registers = i->src[0].kind == PTX_OPERAND_VECTOR;
    uint8_t flags = CUP_ABI_MATRIX_GROUP;

    if (!in_registers)
        flags |= CUP_ABI_MATRIX_A_SHARED;
    if (numbers >= 2 && is_negative(i, first) != is_negative(i, first + 1))
        flags |= CUP_ABI_MATRIX_NEGATE;
    if (numbers > 2 && i->src[after - 1].value)
        flags |= CUP_ABI_MATRIX_B_TRANSPOSED;
    if (numbers > 3 && i->src[after - 2].value)
        flags |= CUP_ABI_MATRIX_A_TRANSPOSED;
    return flags;
}

static struct cup_abi_matrix_call describe(const struct jit_emitter *e,
                                           const struct ptx_instruction *i)
{
    struct cup_abi_matrix_call about = {.line = i->line, .site = jit_check_site(e, i)};
    struct ptx_matrix_tile tile = ptx_matrix_tile_of(i, 0); /* others have the same shape */

    about.rows = tile.matrices.m;
    about.columns = tile.matrices.n;
    about.depth = tile.matrices.k;
    memcpy(about.types, tile.matrices.types, sizeof(about.types));
    memcpy(about.registers, tile.count, sizeof(about.registers));
    if (i->op == PTX_OP_wgmma) {
        about.flags = group_flags(i);
        if (about.flags & CUP_ABI_MATRIX_A_SHARED)
            about.registers[PTX_MATRIX_A] = 0;
    }
    if (ptx_matrix_is_fourfold(&tile.matrices)) {
        about.flags |= ptx_has(i, PTX_MOD_A_COL) ? CUP_ABI_MATRIX_A_TRANSPOSED : 0;
        about.flags |= ptx_has(i, PTX_MOD_B_COL) ? 0 : CUP_ABI_MATRIX_B_TRANSPOSED;
    }
    if (ptx_has(i, PTX_MOD_SATFINITE))
        about.flags |= CUP_ABI_MATRIX_SATURATE;
    if (ptx_has(i, PTX_MOD_XOR))
        about.flags |= CUP_ABI_MATRIX_XOR;
    if (ptx_matrix_is_sparse(i)) {
        about.flags |= CUP_ABI_MATRIX_SPARSE;
        about.selector = (uint8_t)i->src[i->op == PTX_OP_wgmma ? 3 : 4].value;
    }
    return about;
}

/* Calls the runtime for the product whose first row this is. */
static void call(struct jit_emitter *e, const struct cup_abi_matrix_call *about, unsigned row)
{
    _Static_assert(sizeof(*about) % 8 == 0, "whole words");
    jit_build_constant(e, &e->scratch[JIT_SCRATCH_MATRIX_CALL], about, sizeof(*about),
                       "matrix.call");
    LLVMValueRef arguments[] = {e->abi.block, e->vector.warp, e->scratch[JIT_SCRATCH_MATRIX_CALL],
                                row_at(e, row)};
    jit_build_service(e, offsetof(struct cup_abi_services, matrix_call), e->unit->nothing,
                      arguments, 4);
}

static void put_in_row(struct jit_emitter *e, unsigned row, size_t offset, LLVMValueRef value,
                       unsigned align)
{
    jit_build_store(e, value, jit_build_offset(e, row_at(e, row), jit_i64(e->unit, offset)), align);
}

static void put_descriptor(struct jit_emitter *e, unsigned row, const struct ptx_operand *operand,
                           size_t offset)
{
    put_in_row(e, row, offset, jit_value_first(e, jit_operand_read(e, operand, PTX_B64)), 8);
}

static void call_run(struct jit_emitter *e, const struct cup_abi_matrix_run *run, int tile)
{
    size_t products = run->call.flags & CUP_ABI_MATRIX_GROUP ? 0 : run->count,
           bytes = offsetof(struct cup_abi_matrix_run, products) +
                   (products * sizeof(run->products[0]) + 7) / 8 * 8;
    LLVMValueRef tiles = jit_build_offset(
        e, jit_tiles_memory(e), jit_i64(e->unit, (uint64_t)tile * CUP_ABI_MATRIX_TILE_BYTES));

    _Static_assert(sizeof(*run) % 8 == 0, "whole words");
    if (!e->scratch[JIT_SCRATCH_MATRIX_RUN])
        e->scratch[JIT_SCRATCH_MATRIX_RUN] =
            jit_build_alloca(e, e->unit->i64, sizeof(*run) / 8, "matrix.run");
    jit_build_constant(e, &e->scratch[JIT_SCRATCH_MATRIX_RUN], run, bytes, "matrix.run");
    LLVMValueRef arguments[] = {e->abi.block, e->vector.warp, e->scratch[JIT_SCRATCH_MATRIX_RUN],
                                row_at(e, 0), tiles};
    jit_build_service(e, offsetof(struct cup_abi_services, matrix_run), e->unit->nothing, arguments,
                      5);
}

/* The operands of a run: each A and B once. */
struct mma_run {
    struct cup_abi_matrix_run about;
    struct fragment a[CUP_ABI_MATRIX_RUN_A], b[CUP_ABI_MATRIX_RUN];
};

static bool is_same(const struct jit_emitter *e, struct fragment one, struct fragment other)
{
    for (unsigned k = 0; k < one.count; k++) {
        const struct ptx_operand *x = part_of(e, one, k), *y = part_of(e, other, k);

        if (x->kind != PTX_OPERAND_REGISTER || y->kind != PTX_OPERAND_REGISTER ||
            x->index != y->index)
            return false;
    }
    return true;
}

/* Returns the number of the fragment in the list, to which it is added if it is not there; -1: the
 * list is full. */
static int number_of(const struct jit_emitter *e, struct fragment fragment, struct fragment *list,
                     uint16_t *count, unsigned most)
{
    for (unsigned n = 0; n < *count; n++)
        if (is_same(e, list[n], fragment))
            return (int)n;
    if (*count == most)
        return -1;
    list[*count] = fragment;
    return (*count)++;
}

/* Whether a register of the operand is in a tile: a product of the run may write it. */
static bool is_in_tile(const struct jit_emitter *e, const struct ptx_operand *operand)
{
    for (unsigned k = 0; k < jit_operand_part_count(operand); k++) {
        const struct ptx_operand *part = jit_operand_part(e->function, operand, k);

        if (part->kind == PTX_OPERAND_REGISTER && jit_tiles_have(e, part->index))
            return true;
    }
    return false;
}

/* Whether the instruction only computes from registers that are in no tile, as descriptors are
 * computed: it neither accesses memory nor bails out, as one may that widens a number
 * whose lanes wrap. */
static bool is_plain_arithmetic(const struct jit_emitter *e, const struct ptx_instruction *i)
{
    static const uint16_t ops[] = {PTX_OP_mov, PTX_OP_add, PTX_OP_sub, PTX_OP_and, PTX_OP_or,
                                   PTX_OP_xor, PTX_OP_shl, PTX_OP_shr, PTX_OP_cvt, PTX_OP_setp,
                                   PTX_OP_mul, PTX_OP_mad, PTX_OP_bfe, PTX_OP_bfi, PTX_OP_selp,
                                   PTX_OP_not, PTX_OP_cvta};
    bool is_one = false;

    for (size_t k = 0; k < sizeof(ops) / sizeof(ops[0]); k++)
        is_one = is_one || i->op == ops[k];
    if (!is_one || i->width > 1 || i->guard != PTX_NO_REGISTER ||
        jit_uniformity_widened_source(e->function, e->function->uniformity[0], i) >= 0)
        return false;
    for (unsigned k = 0; k < i->source_count + 1u; k++) {
        const struct ptx_operand *operand = k ? &i->src[k - 1] : &i->dst[0];

        if (k && (operand->kind == PTX_OPERAND_IMMEDIATE || operand->kind == PTX_OPERAND_SYMBOL))
            continue;
        if (operand->kind != PTX_OPERAND_REGISTER || jit_tiles_have(e, operand->index))
            return false;
    }
    return i->dst[1].kind == PTX_OPERAND_NONE;
}

/* Whether a product of the same kind follows, to the same tiles, before anything else happens. */
static bool is_followed(const struct jit_emitter *e, const struct ptx_instruction *i,
                        const struct cup_abi_matrix_call *about)
{
    const struct ptx_instruction *next = i + 1, *end = e->function->ptx->instructions +
                                                       e->function->cfg.nodes[e->node].end;
    struct cup_abi_matrix_call own;

    while (next < end && is_plain_arithmetic(e, next))
        next++;
    if (next >= end || next->op != PTX_OP_wgmma || !ptx_has(next, PTX_MOD_MMA_ASYNC) ||
        jit_tiles_of(e, next) != jit_tiles_of(e, i) || is_in_tile(e, &next->src[0]))
        return false;
    own = describe(e, next);
    own.line = about->line;
    return !memcmp(&own, about, sizeof(own));
}

static void emit_group(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct cup_abi_matrix_call about = describe(e, i);
    bool sparse = about.flags & CUP_ABI_MATRIX_SPARSE;
    int tile = jit_tiles_of(e, i);
    unsigned each = about.flags & CUP_ABI_MATRIX_A_SHARED ? 1 : 1 + A_ROWS,
             row = tile < 0 ? 0 : e->tiles->group_count * each, rows = row + 1, first;
    LLVMValueRef adds;

    if (about.flags & CUP_ABI_MATRIX_A_SHARED)
        put_descriptor(e, row, &i->src[0], offsetof(struct cup_abi_descriptors, a));
    else
        put_fragment(e, &rows, whole(&i->src[0]));
    put_descriptor(e, row, &i->src[1], offsetof(struct cup_abi_descriptors, b));
    if (sparse)
        put_fragment(e, &rows, whole(&i->src[2]));
    adds = jit_value_first(e, jit_operand_read(e, &i->src[sparse ? 4 : 2], PTX_PRED));
    put_in_row(e, row, offsetof(struct cup_abi_descriptors, adds),
               LLVMBuildZExt(e->builder, adds, e->unit->i32, ""), 4);
    if (tile >= 0) {
        struct cup_abi_matrix_run run = {.call = about, .counts_writes = e->tiles->counts_writes};

        run.count = (uint16_t)++e->tiles->group_count;
        if (run.count < CUP_ABI_MATRIX_GROUP_RUN && is_followed(e, i, &about))
            return;
        e->tiles->group_count = 0;
        call_run(e, &run, tile);
        return;
    }
    first = rows;
    put_fragment(e, &rows, whole(&i->src[i->source_count - 1]));
    call(e, &about, 0);
    get_fragment(e, first, whole(&i->dst[0]));
}

static struct fragment source_of(const struct ptx_instruction *i,
                                 const struct ptx_matrix_tile *tile, enum ptx_matrix_part part)
{
    return (struct fragment){&i->src[tile->sources[part]], tile->first[part], tile->count[part]};
}

/* Adds the product of a tile to the run; false: there is no room. */
static bool add_product(const struct jit_emitter *e, const struct ptx_instruction *i,
                        unsigned number, unsigned place, struct mma_run *run)
{
    struct cup_abi_matrix_run *about = &run->about;
    struct ptx_matrix_tile tile = ptx_matrix_tile_of(i, number);
    int a = number_of(e, source_of(i, &tile, PTX_MATRIX_A), run->a, &about->a_count,
                      CUP_ABI_MATRIX_RUN_A),
        b = number_of(e, source_of(i, &tile, PTX_MATRIX_B), run->b, &about->b_count,
                      CUP_ABI_MATRIX_RUN);

    if (a < 0 || b < 0 || about->count == CUP_ABI_MATRIX_RUN)
        return false;
    about->products[about->count].a = (uint8_t)a;
    about->products[about->count].b = (uint8_t)b;
    about->products[about->count++].tile = (uint16_t)place;
    return true;
}

/* Adds the instruction to the run; false: it cannot belong to it. */
static bool add_to_run(const struct jit_emitter *e, const struct ptx_instruction *i,
                       struct mma_run *run)
{
    struct cup_abi_matrix_run *about = &run->about;
    uint16_t a_count = about->a_count, b_count = about->b_count, count = about->count;
    struct cup_abi_matrix_call own;
    int place;

    if (i->op != PTX_OP_mma && i->op != PTX_OP_wmma)
        return false;
    place = jit_tiles_of(e, i);
    if (place < 0 || is_in_tile(e, &i->src[0]) || is_in_tile(e, &i->src[1]))
        return false;
    own = describe(e, i);
    if (about->count && memcmp(own.types, about->call.types, sizeof(own.types)) != 0)
        return false;
    for (unsigned t = 0; t < ptx_matrix_tile_count(i); t++)
        if (!add_product(e, i, t, (unsigned)place + t, run)) {
            about->a_count = a_count;
            about->b_count = b_count;
            about->count = count;
            return false;
        }
    if (!count)
        about->call = own;
    return true;
}

static bool is_grid(const struct cup_abi_matrix_run *run)
{
    for (unsigned n = 0; n < run->count; n++)
        if (run->products[n].a != n / run->b_count || run->products[n].b != n % run->b_count ||
            run->products[n].tile != run->products[0].tile + n)
            return false;
    return run->count == run->a_count * run->b_count && run->b_count % 2 == 0;
}

/* Emits the run that begins with the instruction; false: it cannot begin one. */
static bool emit_run(struct jit_emitter *e, const struct ptx_instruction *i)
{
    const struct ptx_instruction *all = e->function->ptx->instructions;
    uint32_t at = (uint32_t)(i - all), end = at;
    struct mma_run run = {.about = {.count = 0}};
    unsigned rows = 0;

    if (e->tiles->run_serial == e->serial && at < e->tiles->run_end)
        return true; /* of the run before */
    while (end < e->function->cfg.nodes[e->node].end && add_to_run(e, &all[end], &run))
        end++;
    if (end == at)
        return false;
    for (unsigned a = 0; a < run.about.a_count; a++)
        put_fragment(e, &rows, run.a[a]);
    for (unsigned b = 0; b < run.about.b_count; b++)
        put_fragment(e, &rows, run.b[b]);
    run.about.is_grid = is_grid(&run.about);
    call_run(e, &run.about, 0);
    e->tiles->run_end = end;
    e->tiles->run_serial = e->serial;
    return true;
}

static void copy_rows(struct jit_emitter *e, unsigned *row, unsigned from, unsigned count)
{
    LLVMTypeRef words = jit_vector_type(e, e->unit->i32);

    for (unsigned k = 0; k < count; k++)
        jit_build_store(e, jit_build_load(e, words, row_at(e, from + k), 4), row_at(e, (*row)++),
                        4);
}

/* One by one. Results may be operands of other tiles, so they are written at the end. */
static void emit_products(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct cup_abi_matrix_call about = describe(e, i);
    unsigned tiles = ptx_matrix_tile_count(i), rows = 0, call_row, first[MOST_TILES]; /* of D */

    for (unsigned t = 0; t < tiles; t++) {
        struct ptx_matrix_tile tile = ptx_matrix_tile_of(i, t);

        call_row = rows;
        put_fragment(e, &rows, source_of(i, &tile, PTX_MATRIX_A));
        put_fragment(e, &rows, source_of(i, &tile, PTX_MATRIX_B));
        if (tile.continues)
            copy_rows(e, &rows, first[t - 1], tile.count[PTX_MATRIX_C]);
        else
            put_fragment(e, &rows, source_of(i, &tile, PTX_MATRIX_C));
        if (ptx_matrix_is_sparse(i))
            put_fragment(e, &rows, whole(&i->src[3]));
        call(e, &about, call_row);
        first[t] = rows;
        rows += tile.count[PTX_MATRIX_D];
    }
    for (unsigned t = 0; t < tiles; t++) {
        struct ptx_matrix_tile tile = ptx_matrix_tile_of(i, t);

        get_fragment(
            e, first[t],
            (struct fragment){&i->dst[0], tile.first[PTX_MATRIX_D], tile.count[PTX_MATRIX_D]});
    }
}

bool jit_emit_matrix(struct jit_emitter *e, const struct ptx_instruction *i)
{
    bool multiplies = i->op == PTX_OP_mma || (i->op == PTX_OP_wmma && ptx_has(i, PTX_MOD_MMA));

    if (i->op == PTX_OP_wgmma) {
        if (ptx_has(i, PTX_MOD_MMA_ASYNC))
            emit_group(e, i);
        return true;
    }
    if (i->op == PTX_OP_wmma && !multiplies)
        return jit_emit_matrix_move(e, i);
    if (!multiplies || i->types[0] == PTX_F64)
        return false;
    if (!emit_run(e, i))
        emit_products(e, i);
    return true;
}
