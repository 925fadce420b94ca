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
    bool is_copy; /* its cores are as they lie in shared memory */
};

struct run_operands {
    enum decoded_form form; /* of the present run */
    struct cup_mma_rule rule;
    uint64_t kind; /* of the run that the rule is of; 0: of none */
    struct cup_mma_a a[CUP_ABI_MATRIX_RUN_A];
    struct cup_mma_b b[PLACES];
    uint8_t a_tiles[CUP_ABI_MATRIX_RUN_A][CUP_MMA_AMX_A_BYTES] __attribute__((aligned(64)));
    uint8_t b_tiles[PLACES + 1][CUP_MMA_AMX_B_BYTES] __attribute__((aligned(64)));
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
    const struct cup_mma_source source = {.rows = cores, .cores = 2};

    if (o->form == FORM_AMX)
        return cup_mma_amx_decode_a(&o->rule, &source, o->a_tiles[at]);
    cup_mma_decode_a(&o->rule, cores, &o->a[at]);
    return true;
}

static bool decode_b(struct run_operands *o, unsigned at, const uint8_t *cores)
{
    const struct cup_mma_source source = {.rows = cores, .cores = 1};

    o->places[at].known = false;
    if (o->form == FORM_AMX)
        return cup_mma_amx_decode_b(&o->rule, &source, o->b_tiles[at]);
    cup_mma_decode_b(&o->rule, cores, &o->b[at]);
    return true;
}

static void wake(void)
{
    cup_mma_amx_wake(&cup_thread_self()->has_matrix_shapes);
}

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
static void multiply_single(struct run_operands *o, const uint8_t *a, const uint8_t *b,
                            cup_mma_columns *tile)
{
    cup_mma_columns pair[2] __attribute__((aligned(64))) = {0};

    memcpy(pair, tile, sizeof(*tile));
    cup_mma_amx_load((const cup_mma_columns *)pair, 1);
    cup_mma_amx_multiply(&o->rule, a, b, 1);
    cup_mma_amx_store(pair, 1);
    memcpy(tile, pair, sizeof(*tile));
}

static void multiply_by_amx(struct run_operands *o, const struct cup_abi_matrix_run *run,
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
static bool decode_more_b(struct run_operands *o, const uint8_t *cores, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        if (!decode_b(o, i, cores + i * B_BYTES))
            return false;
    return true;
}

/* Multiplies one or two A with all B. A pair of B is multiplied when the next one is decoded: by
 * then memory has what was decoded, and the unit works while more is decoded. Returns how many of
 * B are done: not all, if an element is infinite. */
static unsigned add_by_amx(struct run_operands *o, unsigned a, unsigned a_count,
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
static unsigned grid_by_amx(struct run_operands *o, const struct cup_abi_matrix_run *run,
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
static void run_by_vectors(struct run_operands *o, const struct cup_abi_matrix_run *run,
                           const uint8_t *a_cores, const uint8_t *b_cores, unsigned done,
                           cup_mma_columns *tiles)
{
    for (unsigned i = 0; i < run->a_count; i++)
        decode_a(o, i, a_cores + i * A_REGISTERS * CORE);
    decode_more_b(o, b_cores, 0, run->b_count);
    for (unsigned i = 0; i < run->count; i++) {
        const struct cup_abi_matrix_product *one = &run->products[i];

        if (one->a >= 2 || one->b >= done)
            cup_mma_multiply_columns(&o->rule, &o->a[one->a], &o->b[one->b], &tiles[one->tile]);
    }
}

static void run_of_warp(struct run_operands *o, const struct cup_abi_matrix_run *run,
                        const uint32_t *words, cup_mma_columns *tiles)
{
    const uint8_t *a = (const uint8_t *)words, *b = a + run->a_count * A_REGISTERS * CORE;
    unsigned done = 0;
    bool by_amx = o->form == FORM_AMX;

    for (unsigned i = 0; by_amx && i < run->a_count; i++)
        by_amx = decode_a(o, i, a + i * A_REGISTERS * CORE);
    if (by_amx && run->is_grid) {
        done = grid_by_amx(o, run, b, tiles);
        if (done == run->b_count)
            return;
    } else if (by_amx && decode_more_b(o, b, 0, run->b_count)) {
        multiply_by_amx(o, run, tiles);
        return;
    }
    o->form = o->rule.is_fast ? FORM_FAST : FORM_EXACT;
    run_by_vectors(o, run, a, b, done, tiles);
}

/* Decodes the 8 columns from `column` on, unless the place holds them. */
static bool need_columns(struct run_operands *o, unsigned at, const struct cup_matrix_shared *b,
                         unsigned column)
{
    struct place *place = &o->places[at];
    uint8_t *cores = o->b_cores[at];

    if (place->known && place->form == o->form && place->type == o->rule.b && !place->is_copy &&
        cup_matrix_core_is(b, column, 0, cores) && cup_matrix_core_is(b, column, 1, cores + CORE))
        return true;
    for (unsigned chunk = 0; chunk < B_REGISTERS; chunk++)
        cup_matrix_core_read(b, column, chunk, cores + chunk * CORE);
    if (!decode_b(o, at, cores))
        return false;
    *place = (struct place){.form = (uint8_t)o->form, .type = (uint8_t)o->rule.b, .known = true};
    return true;
}

/* The same for AMX, of columns that lie at places. */
static bool need_columns_at(struct run_operands *o, unsigned at,
                            const struct cup_mma_source *source)
{
    struct place *place = &o->places[at];

    if (place->known && place->form == FORM_AMX && place->type == o->rule.b && place->is_copy &&
        cup_mma_amx_is_copy(source, o->b_cores[at]))
        return true;
    place->known = false;
    cup_mma_amx_copy(source, o->b_cores[at]);
    if (!cup_mma_amx_decode_b(&o->rule, source, o->b_tiles[at]))
        return false;
    *place = (struct place){
        .form = FORM_AMX, .type = (uint8_t)o->rule.b, .known = true, .is_copy = true};
    return true;
}

/* One product of a warp of a group: what its operands are. */
struct group_step {
    struct cup_matrix_shared a, b;
    const uint8_t *a_cores; /* of registers; NULL: A is in shared memory */
};

static bool decode_group_a(struct run_operands *o, unsigned at, const struct group_step *step,
                           unsigned row)
{
    uint8_t cores[A_REGISTERS][CORE] __attribute__((aligned(64)));
    struct cup_matrix_places places;

    if (step->a_cores)
        return decode_a(o, at, step->a_cores);
    if (o->form == FORM_AMX && cup_matrix_places_of(&step->a, row + CUP_MMA_ROWS, &places)) {
        const struct cup_mma_source source = {.rows = places.rows + row / 8 * step->a.stride,
                                              .places = (const uint16_t(*)[8])places.at,
                                              .stride = step->a.stride};

        return cup_mma_amx_decode_a(&o->rule, &source, o->a_tiles[at]);
    }
    for (unsigned i = 0; i < A_REGISTERS; i++)
        cup_matrix_core_read(&step->a, row + i % 2 * 8, i / 2, cores[i]);
    return decode_a(o, at, cores[0]);
}

/* Where columns of B are: at places, if they can be found so. */
struct group_columns {
    const struct cup_matrix_shared *shared;
    bool has_places;
    struct cup_matrix_places places;
};

/* Decodes the 8 columns from 8 `i` on to a place. */
static bool decode_group_b(struct run_operands *o, unsigned at, const struct group_columns *columns,
                           unsigned i)
{
    if (columns->has_places) {
        const struct cup_mma_source source = {.rows = columns->places.rows +
                                                      (size_t)i * columns->shared->stride,
                                              .places = (const uint16_t(*)[8])columns->places.at};

        return need_columns_at(o, at, &source);
    }
    return need_columns(o, at, columns->shared, 8 * i);
}

/* Reads what the products of the run are. Returns the number of the first that counts: C of a later
 * one may be 0. */
static unsigned read_steps(struct cup_abi_block *block, uint32_t warp,
                           const struct cup_abi_matrix_run *run, const uint32_t *words,
                           struct group_step *steps, bool *adds)
{
    const struct cup_abi_matrix_call *call = &run->call;
    bool in_registers = !(call->flags & CUP_ABI_MATRIX_A_SHARED);
    unsigned first = 0;

    *adds = true;
    for (unsigned s = 0; s < run->count; s++) {
        struct cup_abi_descriptors descriptors;

        memcpy(&descriptors, words, sizeof(descriptors));
        steps[s] = (struct group_step){
            .a = cup_matrix_shared_of(block, warp, call->site, descriptors.a,
                                      call->flags & CUP_ABI_MATRIX_A_TRANSPOSED),
            .b = cup_matrix_shared_of(block, warp, call->site, descriptors.b,
                                      call->flags & CUP_ABI_MATRIX_B_TRANSPOSED),
            .a_cores = in_registers ? (const uint8_t *)(words + LANES) : NULL};
        words += LANES * (in_registers ? 1 + A_REGISTERS : 1);
        if (!descriptors.adds) {
            *adds = false;
            first = s;
        }
    }
    return first;
}

/* The products of a warp of a group, whose operands are decoded to places from `first` on. */
struct group_run {
    struct group_step all[CUP_ABI_MATRIX_GROUP_RUN], *steps; /* those that count */
    struct group_columns columns[CUP_ABI_MATRIX_GROUP_RUN];
    unsigned step_count, count, row, first; /* count: of tiles */
    bool adds;
};

static void group_run_init(struct group_run *g, struct cup_abi_block *block, uint32_t warp,
                           const struct cup_abi_matrix_run *run, const uint32_t *words)
{
    unsigned from = read_steps(block, warp, run, words, g->all, &g->adds), sets, start;

    g->steps = g->all + from;
    g->step_count = run->count - from;
    g->count = run->call.columns / 8u;
    g->row = warp % CUP_MATRIX_GROUP_WARPS * CUP_MMA_ROWS;
    for (unsigned s = 0; s < g->step_count; s++)
        g->columns[s].shared = &g->steps[s].b;
    sets = PLACES / (g->count * g->step_count);
    start = g->steps[0].b.start;
    g->first = (start / 128 + start / 8192) % sets * (g->count * g->step_count);
}

/* Where the A of a step is decoded to: the fewer places, the more stays in the cache. */
static unsigned a_place_of(const struct group_run *g, unsigned s)
{
    return g->count > 2 * CUP_MMA_AMX_PAIRS ? s : s % 2;
}

/* Multiplies up to four pairs of tiles, from tile `i` on. A step is multiplied when the next one is
 * decoded: by then memory has what was decoded, and the unit works while more is decoded. */
static bool multiply_pairs(struct run_operands *o, struct group_run *g, unsigned i, unsigned pairs,
                           cup_mma_columns *tiles)
{
    const uint8_t *b = NULL;

    cup_mma_amx_load((const cup_mma_columns *)tiles + i, pairs);
    for (unsigned s = 0; s < g->step_count; s++) {
        unsigned first = g->first + s * g->count + i;

        if (i == 0 && !decode_group_a(o, a_place_of(g, s), &g->steps[s], g->row))
            return false;
        wake();
        for (unsigned k = 0; k < 2 * pairs; k++)
            if (!decode_group_b(o, first + k, &g->columns[s], i + k))
                return false;
        if (b)
            cup_mma_amx_multiply(&o->rule, o->a_tiles[a_place_of(g, s - 1)], b, pairs);
        else
            wake();
        b = o->b_tiles[first];
    }
    cup_mma_amx_multiply(&o->rule, o->a_tiles[a_place_of(g, g->step_count - 1)], b, pairs);
    cup_mma_amx_store(tiles + i, pairs);
    return true;
}

/* Returns how many tiles are done: not all, if an element is infinite. */
static unsigned group_by_amx(struct run_operands *o, struct group_run *g, cup_mma_columns *tiles)
{
    unsigned i = 0;

    for (unsigned s = 0; s < g->step_count; s++)
        g->columns[s].has_places =
            cup_matrix_places_of(&g->steps[s].b, 8 * g->count, &g->columns[s].places);
    for (unsigned pairs; g->count - i >= 2; i += 2 * pairs) {
        pairs = (g->count - i) / 2;
        pairs = pairs > CUP_MMA_AMX_PAIRS ? CUP_MMA_AMX_PAIRS : pairs;
        if (!multiply_pairs(o, g, i, pairs, tiles))
            return i;
    }
    return i;
}

static void run_of_group(struct run_operands *o, struct group_run *g, cup_mma_columns *tiles)
{
    unsigned done = 0;

    if (!g->adds)
        memset(tiles, 0, g->count * sizeof(*tiles));
    if (o->form == FORM_AMX)
        done = group_by_amx(o, g, tiles);
    if (done == g->count)
        return;
    o->form = o->rule.is_fast ? FORM_FAST : FORM_EXACT;
    for (unsigned s = 0; s < g->step_count; s++) {
        g->columns[s].has_places = false;
        decode_group_a(o, s, &g->steps[s], g->row);
        for (unsigned i = done; i < g->count; i++) {
            unsigned at = g->first + s * g->count + i;

            decode_group_b(o, at, &g->columns[s], i);
            cup_mma_multiply_columns(&o->rule, &o->a[s], &o->b[at], &tiles[i]);
        }
    }
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

    if (cup_unlikely(!o))
        cup_fault_trap(block, warp, UINT32_MAX, CUP_ABI_TRAP_MEMORY, call->line);
    set_rule(o, call);
    o->form = !o->rule.is_fast ? FORM_EXACT : cup_mma_amx_is_there() ? FORM_AMX : FORM_FAST;
    if (o->form == FORM_AMX)
        wake();
    if (call->flags & CUP_ABI_MATRIX_GROUP) {
        struct group_run group;

        group_run_init(&group, block, warp, run, words);
        run_of_group(o, &group, columns);
    } else {
        run_of_warp(o, run, words, columns);
    }
}
