/* SPDX-License-Identifier: MIT */
/* Runs of products. Each operand is decoded once, into memory of the thread, and then multiplied
 * with all others: by AMX where products may be fast and all elements are finite, otherwise by
 * vectors. warpgroup_product.c has those of warpgroups. */
#include "exec/matrix/matrix.h"

#include "abi/services.h"
#include "core/compiler.h"
#include "core/config.h"
#include "core/thread.h"
#include "exec/matrix/operands.h"
#include "exec/sched/fault.h"
#include "ptx/matrix.h"

#include <string.h>

enum { A_BYTES = 4 * CUP_MMA_CORE_BYTES, B_BYTES = CUP_MATRIX_B_BYTES };

/* How many of the products have the same A, and B and tiles that follow each other. */
static unsigned row_of(const struct cup_abi_matrix_product *products, unsigned count)
{
    unsigned n = 1;

    while (n < count && products[n].a == products[0].a && products[n].b == products[0].b + n &&
           products[n].tile == products[0].tile + n)
        n++;
    return n;
}

/* One tile that has no neighbour: a pair of which the second is not kept. */
static void multiply_single(struct cup_matrix_operands *o, const uint8_t *a, const uint8_t *b,
                            cup_mma_columns *tile)
{
    cup_mma_columns pair[2] __attribute__((aligned(64))) = {0};

    memcpy(pair, tile, sizeof(*tile));
    cup_mma_amx_load((const cup_mma_columns *)pair, 1);
    cup_mma_amx_multiply(&o->rule, a, b, 1);
    cup_mma_amx_store(pair, 1);
    memcpy(tile, pair, sizeof(*tile));
}

static void multiply_by_amx(struct cup_matrix_operands *o, const struct cup_abi_matrix_run *run,
                            cup_mma_columns *tiles)
{
    for (unsigned i = 0, count; i < run->count; i += count) {
        const struct cup_abi_matrix_product *one = &run->products[i];
        const uint8_t *a = o->a_tiles[one->a], *b = o->b_tiles[one->b];
        cup_mma_columns *c = tiles + one->tile;

        count = row_of(one, run->count - i);
        count = count > 2 * CUP_MMA_AMX_PAIRS ? 2 * CUP_MMA_AMX_PAIRS : count;
        if (count >= 2) {
            count -= count % 2;
            cup_mma_amx_load((const cup_mma_columns *)c, count / 2);
            cup_mma_amx_multiply(&o->rule, a, b, count / 2);
            cup_mma_amx_store(c, count / 2);
        } else {
            multiply_single(o, a, b, c);
        }
    }
}

/* Decodes the B of a warp's run to places; false: one does not have the present form. */
static bool decode_more_b(struct cup_matrix_operands *o, const uint8_t *cores, unsigned from,
                          unsigned to)
{
    for (unsigned i = from; i < to; i++)
        if (!cup_matrix_decode_b(o, i, cores + i * B_BYTES))
            return false;
    return true;
}

/* Multiplies one or two A with all B. A pair of B is multiplied when the next one is decoded: by
 * then memory has what was decoded, and the unit works while more is decoded. Returns how many of
 * B are done: not all, if an element is infinite. */
static unsigned add_by_amx(struct cup_matrix_operands *o, unsigned a, unsigned a_count,
                           const uint8_t *cores, unsigned b_count, cup_mma_columns *tiles)
{
    bool two = a + 1 < a_count;
    cup_mma_columns *first = tiles + (size_t)a * b_count, *second = first + b_count;

    cup_mma_amx_hold(&o->rule, o->a_tiles[a], two ? o->a_tiles[a + 1] : NULL);
    for (unsigned b = 0; b <= b_count; b += 2) {
        if (a == 0 && b < b_count && !decode_more_b(o, cores, b, b + 2))
            return b ? b - 2 : 0;
        if (b)
            cup_mma_amx_add(&o->rule, o->b_tiles[b - 2], first + b - 2,
                            two ? second + b - 2 : NULL);
    }
    return b_count;
}

/* Returns how many of B are done, with the first two A if not all. */
static unsigned grid_by_amx(struct cup_matrix_operands *o, const struct cup_abi_matrix_run *run,
                            const uint8_t *cores, cup_mma_columns *tiles)
{
    for (unsigned a = 0; a < run->a_count; a += 2) {
        unsigned done =
            add_by_amx(o, a, run->a_count, cores, run->b_count, tiles + run->products[0].tile);

        if (done < run->b_count)
            return done;
    }
    return run->b_count;
}

/* The same by vectors, but for those that are done. */
static void run_by_vectors(struct cup_matrix_operands *o, const struct cup_abi_matrix_run *run,
                           const uint8_t *a_cores, const uint8_t *b_cores, unsigned done,
                           cup_mma_columns *tiles)
{
    for (unsigned i = 0; i < run->a_count; i++)
        cup_matrix_decode_a(o, i, a_cores + i * A_BYTES);
    decode_more_b(o, b_cores, 0, run->b_count);
    for (unsigned i = 0; i < run->count; i++) {
        const struct cup_abi_matrix_product *one = &run->products[i];

        if (one->a >= 2 || one->b >= done)
            cup_mma_multiply_columns(&o->rule, &o->a[one->a], &o->b[one->b], &tiles[one->tile]);
    }
}

static void run_of_warp(struct cup_matrix_operands *o, const struct cup_abi_matrix_run *run,
                        const uint32_t *words, cup_mma_columns *tiles)
{
    const uint8_t *a = (const uint8_t *)words, *b = a + run->a_count * A_BYTES;
    unsigned done = 0;
    bool by_amx = o->form == CUP_MATRIX_FORM_AMX;

    for (unsigned i = 0; by_amx && i < run->a_count; i++)
        by_amx = cup_matrix_decode_a(o, i, a + i * A_BYTES);
    if (by_amx && run->is_grid) {
        done = grid_by_amx(o, run, b, tiles);
        if (done == run->b_count)
            return;
    } else if (by_amx && decode_more_b(o, b, 0, run->b_count)) {
        multiply_by_amx(o, run, tiles);
        return;
    }
    o->form = o->rule.is_fast ? CUP_MATRIX_FORM_FAST : CUP_MATRIX_FORM_EXACT;
    run_by_vectors(o, run, a, b, done, tiles);
}

/* Sets the rule, unless it is that of the run before. */
static void set_rule(struct cup_matrix_operands *o, const struct cup_abi_matrix_call *call)
{
    uint8_t flags = call->flags & (CUP_ABI_MATRIX_GROUP | CUP_ABI_MATRIX_NEGATE);
    uint64_t kind;

    memcpy(&kind, call->types, 4);
    kind = (kind & UINT32_MAX) << 16 | (uint64_t)flags << 8 | 1;
    if (kind == o->kind)
        return;
    o->kind = kind;
    o->rule = cup_mma_rule_of(call->types, call->depth, flags & CUP_ABI_MATRIX_GROUP);
    o->rule.negate = flags & CUP_ABI_MATRIX_NEGATE;
    o->rule.is_fast = cup_config_get()->fast_math;
}

void cup_matrix_run(struct cup_abi_block *block, uint32_t warp,
                    const struct cup_abi_matrix_run *run, const uint32_t *words, float *tiles)
{
    const struct cup_abi_matrix_call *call = &run->call;
    struct cup_matrix_operands *o = cup_matrix_operands_get();
    cup_mma_columns *columns = (cup_mma_columns *)tiles;

    if (cup_unlikely(!o))
        cup_fault_trap(block, warp, UINT32_MAX, CUP_ABI_TRAP_MEMORY, call->line);
    set_rule(o, call);
    o->form = !o->rule.is_fast         ? CUP_MATRIX_FORM_EXACT
              : cup_mma_amx_is_there() ? CUP_MATRIX_FORM_AMX
                                       : CUP_MATRIX_FORM_FAST;
    if (o->form == CUP_MATRIX_FORM_AMX)
        cup_matrix_wake();
    if (call->flags & CUP_ABI_MATRIX_GROUP)
        cup_matrix_group(o, block, warp, run, words, columns);
    else
        run_of_warp(o, run, words, columns);
}
