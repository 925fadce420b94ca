/* SPDX-License-Identifier: MIT */
/* Runs of products. Each operand is decoded once, into memory of the thread, and then multiplied
 * with all others: by AMX where products may be fast and all elements are finite, otherwise by
 * vectors. The four warps of a warpgroup read the same B one after the other, so what was decoded
 * of B is kept, and compared with what is in shared memory now. */
#include "exec/matrix_run.h"

#include "abi/services.h"
#include "core/compiler.h"
#include "core/config.h"
#include "core/thread.h"
#include "exec/fault.h"
#include "exec/matrix_shared.h"
#include "exec/mma.h"
#include "exec/mma_amx.h"
#include "ptx/matrix.h"

#include <stdlib.h>
#include <string.h>

enum {
    LANES = 32,
    CORE = CUP_MMA_CORE_BYTES,
    A_REGISTERS = 4,
    B_REGISTERS = 2,
    B_BYTES = B_REGISTERS * CORE,
    PLACES = 128 /* of columns of B: 8 each */
};

/* How an operand is decoded. */
enum decoded_form { FORM_NONE, FORM_EXACT, FORM_FAST, FORM_AMX };

/* What B a place holds. */
struct place {
    uint8_t form, type;
    bool known;
};

struct run_operands {
    enum decoded_form form; /* of the present run */
    struct cup_mma_rule rule;
    struct cup_mma_a a[CUP_ABI_MATRIX_RUN_A];
    struct cup_mma_b b[PLACES];
    uint8_t a_tiles[CUP_ABI_MATRIX_RUN_A][CUP_MMA_AMX_A_BYTES] __attribute__((aligned(64)));
    uint8_t b_tiles[PLACES][CUP_MMA_AMX_B_BYTES] __attribute__((aligned(64)));
    uint8_t b_cores[PLACES][B_BYTES] __attribute__((aligned(64)));
    struct place places[PLACES];
};

static void thread_ends(struct cup_thread *self)
{
    free(self->matrix_operands);
    self->matrix_operands = NULL;
}

static struct run_operands *operands_of_thread(void)
{
    struct cup_thread *self = cup_thread_self();
    struct run_operands *operands = self->matrix_operands;

    if (cup_likely(operands != NULL))
        return operands;
    if (!cup_thread_at_end(CUP_END_MATRIX_OPERANDS, thread_ends))
        return NULL;
    operands = aligned_alloc(_Alignof(struct run_operands), sizeof(*operands));
    if (!operands)
        return NULL;
    memset(operands->places, 0, sizeof(operands->places));
    self->matrix_operands = operands;
    return operands;
}

/* False: the operand does not have the present form. */
static bool decode_a(struct run_operands *o, unsigned at, const uint8_t *cores)
{
    if (o->form == FORM_AMX)
        return cup_mma_amx_decode_a(&o->rule, cores, o->a_tiles[at]);
    cup_mma_decode_a(&o->rule, cores, &o->a[at]);
    return true;
}

static bool decode_b(struct run_operands *o, unsigned at, const uint8_t *cores)
{
    o->places[at].known = false;
    if (o->form == FORM_AMX)
        return cup_mma_amx_decode_b(&o->rule, cores, o->b_tiles[at]);
    cup_mma_decode_b(&o->rule, cores, &o->b[at]);
    return true;
}

struct product {
    unsigned a, b, tile;
};

static void multiply(struct run_operands *o, const struct product *products, unsigned count,
                     cup_mma_columns *tiles)
{
    struct cup_mma_amx_product list[CUP_ABI_MATRIX_RUN];

    if (o->form != FORM_AMX) {
        for (unsigned i = 0; i < count; i++)
            cup_mma_multiply_columns(&o->rule, &o->a[products[i].a], &o->b[products[i].b],
                                     &tiles[products[i].tile]);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        list[i] = (struct cup_mma_amx_product){o->a_tiles[products[i].a], o->b_tiles[products[i].b],
                                               &tiles[products[i].tile]};
    cup_mma_amx_multiply(&o->rule, list, count);
}

/* False: an operand does not have the present form. */
static bool run_of_warp(struct run_operands *o, const struct cup_abi_matrix_run *run,
                        const uint32_t *words, cup_mma_columns *tiles)
{
    const uint8_t *a = (const uint8_t *)words, *b = a + run->a_count * A_REGISTERS * CORE;
    struct product products[CUP_ABI_MATRIX_RUN];

    for (unsigned i = 0; i < run->a_count; i++)
        if (!decode_a(o, i, a + i * A_REGISTERS * CORE))
            return false;
    for (unsigned i = 0; i < run->b_count; i++)
        if (!decode_b(o, i, b + i * B_BYTES))
            return false;
    for (unsigned i = 0; i < run->count; i++)
        products[i] =
            (struct product){run->products[i].a, run->products[i].b, run->products[i].tile};
    multiply(o, products, run->count, tiles);
    return true;
}

/* Decodes the 8 columns from `column` on, unless the place holds them. */
static bool need_columns(struct run_operands *o, unsigned at, const struct cup_matrix_shared *b,
                         unsigned column)
{
    struct place *place = &o->places[at];
    uint8_t cores[B_BYTES] __attribute__((aligned(64)));

    for (unsigned chunk = 0; chunk < B_REGISTERS; chunk++)
        cup_matrix_core_read(b, column, chunk, cores + chunk * CORE);
    if (place->known && place->form == o->form && place->type == o->rule.b &&
        !memcmp(o->b_cores[at], cores, sizeof(cores)))
        return true;
    if (!decode_b(o, at, cores))
        return false;
    memcpy(o->b_cores[at], cores, sizeof(cores));
    *place = (struct place){.form = (uint8_t)o->form, .type = (uint8_t)o->rule.b, .known = true};
    return true;
}

static bool run_of_group(struct run_operands *o, struct cup_abi_block *block, uint32_t warp,
                         const struct cup_abi_matrix_run *run, const uint32_t *words,
                         cup_mma_columns *tiles)
{
    const struct cup_abi_matrix_call *call = &run->call;
    struct cup_abi_descriptors descriptors;

    memcpy(&descriptors, words, sizeof(descriptors));
    struct cup_matrix_shared a = cup_matrix_shared_of(block, warp, call->site, descriptors.a,
                                                      call->flags & CUP_ABI_MATRIX_A_TRANSPOSED),
                             b = cup_matrix_shared_of(block, warp, call->site, descriptors.b,
                                                      call->flags & CUP_ABI_MATRIX_B_TRANSPOSED);
    unsigned row = warp % CUP_MATRIX_GROUP_WARPS * CUP_MMA_ROWS, count = call->columns / 8u,
             first = b.start / 32 % (PLACES / count) * count;
    uint8_t cores[A_REGISTERS][CORE] __attribute__((aligned(64)));
    struct product products[CUP_ABI_MATRIX_RUN];

    memcpy(cores, words + LANES, sizeof(cores));
    if (call->flags & CUP_ABI_MATRIX_A_SHARED)
        for (unsigned i = 0; i < A_REGISTERS; i++)
            cup_matrix_core_read(&a, row + i % 2 * 8, i / 2, cores[i]);
    if (!decode_a(o, 0, cores[0]))
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (!need_columns(o, first + i, &b, 8 * i))
            return false;
        products[i] = (struct product){0, first + i, i};
    }
    if (!descriptors.adds)
        memset(tiles, 0, count * sizeof(*tiles));
    multiply(o, products, count, tiles);
    return true;
}

void cup_matrix_run(struct cup_abi_block *block, uint32_t warp,
                    const struct cup_abi_matrix_run *run, const uint32_t *words, float *tiles)
{
    const struct cup_abi_matrix_call *call = &run->call;
    bool group = call->flags & CUP_ABI_MATRIX_GROUP, is_fast = cup_config_get()->fast_math;
    struct run_operands *o = operands_of_thread();
    cup_mma_columns *columns = (cup_mma_columns *)tiles;
    bool done;

    if (cup_unlikely(!o))
        cup_fault_trap(block, warp, UINT32_MAX, CUP_ABI_TRAP_MEMORY, call->line);
    o->rule = cup_mma_rule_of(call->types, call->depth, group);
    o->rule.negate = call->flags & CUP_ABI_MATRIX_NEGATE;
    o->rule.is_fast = is_fast;
    o->form = !is_fast ? FORM_EXACT : cup_mma_amx_is_there() ? FORM_AMX : FORM_FAST;
    if (o->form == FORM_AMX)
        cup_mma_amx_wake();
    do {
        done = group ? run_of_group(o, block, warp, run, words, columns)
                     : run_of_warp(o, run, words, columns);
        o->form = FORM_FAST;
    } while (!done);
}
