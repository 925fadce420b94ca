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
    uint64_t kind; /* of the run that the rule is of; 0: of none */
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
    operands->kind = 0;
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

/* False: an operand does not have the present form. */
static bool run_of_warp(struct run_operands *o, const struct cup_abi_matrix_run *run,
                        const uint32_t *words, cup_mma_columns *tiles)
{
    const uint8_t *a = (const uint8_t *)words, *b = a + run->a_count * A_REGISTERS * CORE;

    for (unsigned i = 0; i < run->a_count; i++)
        if (!decode_a(o, i, a + i * A_REGISTERS * CORE))
            return false;
    for (unsigned i = 0; i < run->b_count; i++)
        if (!decode_b(o, i, b + i * B_BYTES))
            return false;
    if (o->form == FORM_AMX)
        cup_mma_amx_multiply(&o->rule, o->a_tiles[0], o->b_tiles[0], run->products, run->count,
                             tiles);
    else
        for (unsigned i = 0; i < run->count; i++)
            cup_mma_multiply_columns(&o->rule, &o->a[run->products[i].a], &o->b[run->products[i].b],
                                     &tiles[run->products[i].tile]);
    return true;
}

/* Decodes the 8 columns from `column` on, unless the place holds them. */
static bool need_columns(struct run_operands *o, unsigned at, const struct cup_matrix_shared *b,
                         unsigned column)
{
    struct place *place = &o->places[at];
    uint8_t *cores = o->b_cores[at];

    if (place->known && place->form == o->form && place->type == o->rule.b &&
        cup_matrix_core_is(b, column, 0, cores) && cup_matrix_core_is(b, column, 1, cores + CORE))
        return true;
    for (unsigned chunk = 0; chunk < B_REGISTERS; chunk++)
        cup_matrix_core_read(b, column, chunk, cores + chunk * CORE);
    if (!decode_b(o, at, cores))
        return false;
    *place = (struct place){.form = (uint8_t)o->form, .type = (uint8_t)o->rule.b, .known = true};
    return true;
}

#define IN_A_ROW(n)                                                                                \
    {0, n, n}, {0, n + 1, n + 1}, {0, n + 2, n + 2},                                               \
    {                                                                                              \
        0, n + 3, n + 3                                                                            \
    }
#define MORE_IN_A_ROW(n) IN_A_ROW(n), IN_A_ROW(n + 4), IN_A_ROW(n + 8), IN_A_ROW(n + 12)

/* The products of a warp of a group: all B with one A. */
static const struct cup_abi_matrix_product in_a_row[] = {MORE_IN_A_ROW(0), MORE_IN_A_ROW(16)};

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

    memcpy(cores, words + LANES, sizeof(cores));
    if (call->flags & CUP_ABI_MATRIX_A_SHARED)
        for (unsigned i = 0; i < A_REGISTERS; i++)
            cup_matrix_core_read(&a, row + i % 2 * 8, i / 2, cores[i]);
    if (!decode_a(o, 0, cores[0]))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!need_columns(o, first + i, &b, 8 * i))
            return false;
    if (!descriptors.adds)
        memset(tiles, 0, count * sizeof(*tiles));
    if (o->form == FORM_AMX)
        cup_mma_amx_multiply(&o->rule, o->a_tiles[0], o->b_tiles[first], in_a_row, count, tiles);
    else
        for (unsigned i = 0; i < count; i++)
            cup_mma_multiply_columns(&o->rule, &o->a[0], &o->b[first + i], &tiles[i]);
    return true;
}

/* Sets the rule, unless it is that of the run before. */
static void set_rule(struct run_operands *o, const struct cup_abi_matrix_call *call)
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
    struct run_operands *o = operands_of_thread();
    cup_mma_columns *columns = (cup_mma_columns *)tiles;
    bool done;

    if (cup_unlikely(!o))
        cup_fault_trap(block, warp, UINT32_MAX, CUP_ABI_TRAP_MEMORY, call->line);
    set_rule(o, call);
    o->form = !o->rule.is_fast ? FORM_EXACT : cup_mma_amx_is_there() ? FORM_AMX : FORM_FAST;
    if (o->form == FORM_AMX)
        cup_mma_amx_wake(&cup_thread_self()->has_matrix_shapes);
    do {
        done = call->flags & CUP_ABI_MATRIX_GROUP
                   ? run_of_group(o, block, warp, run, words, columns)
                   : run_of_warp(o, run, words, columns);
        o->form = FORM_FAST;
    } while (!done);
}
