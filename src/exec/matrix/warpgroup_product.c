/* SPDX-License-Identifier: MIT */
/* The four warps of a warpgroup read the same B one after the other, so what was decoded of B is
 * kept. It is used again if nothing was written to shared memory since, or if it is what is there
 * now. */
#include "exec/matrix/matrix.h"

#include "core/checks.h"
#include "exec/matrix/shared_memory.h"

#include <string.h>

enum { LANES = 32, CORE = CUP_MMA_CORE_BYTES, A_REGISTERS = 4, B_REGISTERS = 2 };

/* One product: where its operands are. */
struct group_step {
    uint64_t b;             /* its descriptor */
    const uint8_t *a_cores; /* of registers; NULL: A is in shared memory */
    struct cup_matrix_shared a;
};

/* Where columns of B are: at places, if they can be found so. */
struct group_columns {
    struct cup_matrix_shared shared;
    bool has_places, has_version;
    struct cup_matrix_places places;
    uint64_t descriptor, version; /* of shared memory, if the block counts its writes */
};

/* The products of a warp of a group. Their B are decoded to places from `first` on. */
struct group_run {
    struct cup_abi_block *block;
    const struct cup_abi_matrix_call *call;
    uint32_t warp;
    uint64_t version; /* of shared memory, if the block counts its writes */
    bool has_version;
    bool adds;                                               /* to what is in the tiles */
    struct group_step all[CUP_ABI_MATRIX_GROUP_RUN], *steps; /* those that count */
    unsigned step_count, count, first;                       /* count: of tiles */
    bool has_b;                                              /* all B are decoded */
    struct group_columns columns[CUP_ABI_MATRIX_GROUP_RUN];  /* unless that is so */
};

static struct cup_matrix_shared shared_of(const struct group_run *g, uint64_t descriptor,
                                          enum cup_abi_matrix_flag transposed)
{
    return cup_matrix_shared_of(g->block, g->warp, g->call->site, descriptor,
                                g->call->flags & transposed);
}

static bool decode_group_a(struct cup_matrix_operands *o, unsigned at, const struct group_run *g,
                           unsigned s)
{
    unsigned row = g->warp % CUP_MATRIX_GROUP_WARPS * CUP_MMA_ROWS;
    uint8_t cores[A_REGISTERS][CORE] __attribute__((aligned(64)));
    struct cup_matrix_places places;
    const struct cup_matrix_shared *a = &g->steps[s].a;

    if (g->steps[s].a_cores)
        return cup_matrix_decode_a(o, at, g->steps[s].a_cores);
    if (o->form == CUP_MATRIX_FORM_AMX && cup_matrix_places_of(a, row + CUP_MMA_ROWS, &places)) {
        const struct cup_mma_source source = {.rows = places.rows + row / 8 * a->stride,
                                              .places = (const uint16_t(*)[8])places.at,
                                              .stride = a->stride};

        return cup_mma_amx_decode_a(&o->rule, &source, o->a_tiles[at]);
    }
    for (unsigned i = 0; i < A_REGISTERS; i++)
        cup_matrix_core_read(a, row + i % 2 * 8, i / 2, cores[i]);
    return cup_matrix_decode_a(o, at, cores[0]);
}

/* Whether the cores of a place are those from `column` on. */
static bool has_cores(const struct cup_matrix_shared *b, unsigned column, const uint8_t *cores)
{
    return cup_matrix_core_is(b, column, 0, cores) &&
           cup_matrix_core_is(b, column, 1, cores + CORE);
}

static struct cup_mma_source source_of(const struct group_columns *columns, unsigned i)
{
    return (struct cup_mma_source){.rows =
                                       columns->places.rows + (size_t)i * columns->shared.stride,
                                   .places = (const uint16_t(*)[8])columns->places.at};
}

/* Whether the place holds columns 8 i to 8 i + 7 in the present form. */
static bool has_columns(const struct cup_matrix_operands *o, unsigned at,
                        const struct group_columns *columns, unsigned i)
{
    const struct cup_matrix_place *place = &o->places[at];
    struct cup_mma_source source;

    if (place->form != o->form || place->type != o->rule.b)
        return false;
    if (place->known == CUP_MATRIX_BY_VERSION)
        return columns->has_version && place->version == columns->version &&
               place->descriptor == columns->descriptor && place->column == i &&
               place->transposed == columns->shared.transposed;
    if (place->known == CUP_MATRIX_BY_COPY && columns->has_places) {
        source = source_of(columns, i);
        return cup_mma_amx_is_copy(&source, o->b_cores[at]);
    }
    return place->known == CUP_MATRIX_BY_CORES &&
           has_cores(&columns->shared, 8 * i, o->b_cores[at]);
}

/* Decodes these columns, and keeps how they are known if there are no versions. False: they do not
 * have the present form. */
static bool read_columns(struct cup_matrix_operands *o, unsigned at,
                         const struct group_columns *columns, unsigned i)
{
    uint8_t *cores = o->b_cores[at];

    if (columns->has_places) {
        const struct cup_mma_source source = source_of(columns, i);

        o->places[at].known = CUP_MATRIX_UNKNOWN;
        o->last.step_count = 0;
        if (!columns->has_version)
            cup_mma_amx_copy(&source, cores);
        return cup_mma_amx_decode_b(&o->rule, &source, o->b_tiles[at]);
    }
    for (unsigned chunk = 0; chunk < B_REGISTERS; chunk++)
        cup_matrix_core_read(&columns->shared, 8 * i, chunk, cores + chunk * CORE);
    return cup_matrix_decode_b(o, at, cores);
}

/* Decodes them unless the place holds them. */
static bool need_columns(struct cup_matrix_operands *o, unsigned at,
                         const struct group_columns *columns, unsigned i)
{
    if (has_columns(o, at, columns, i))
        return true;
    if (!read_columns(o, at, columns, i))
        return false;
    o->places[at] = (struct cup_matrix_place){.form = (uint8_t)o->form,
                                              .type = (uint8_t)o->rule.b,
                                              .known = columns->has_version  ? CUP_MATRIX_BY_VERSION
                                                       : columns->has_places ? CUP_MATRIX_BY_COPY
                                                                             : CUP_MATRIX_BY_CORES,
                                              .transposed = columns->shared.transposed,
                                              .column = (uint16_t)i,
                                              .descriptor = columns->descriptor,
                                              .version = columns->version};
    return true;
}

/* Reads what the products of the run are. Those before one whose C is 0 do not count. */
static void read_steps(struct group_run *g, const struct cup_abi_matrix_run *run,
                       const uint32_t *words)
{
    bool in_registers = !(run->call.flags & CUP_ABI_MATRIX_A_SHARED);
    unsigned from = 0;

    g->adds = true;
    for (unsigned s = 0; s < run->count; s++) {
        const struct cup_abi_descriptors *descriptors = (const void *)words;

        g->all[s].b = descriptors->b;
        g->all[s].a_cores = in_registers ? (const uint8_t *)(words + LANES) : NULL;
        if (!in_registers)
            g->all[s].a = shared_of(g, descriptors->a, CUP_ABI_MATRIX_A_TRANSPOSED);
        words += LANES * (in_registers ? 1 + A_REGISTERS : 1);
        if (!descriptors->adds) {
            g->adds = false;
            from = s;
        }
    }
    g->steps = g->all + from;
    g->step_count = run->count - from;
}

static void group_run_init(struct group_run *g, struct cup_abi_block *block, uint32_t warp,
                           const struct cup_abi_matrix_run *run, const uint32_t *words)
{
    unsigned sets, start;

    g->block = block;
    g->call = &run->call;
    g->warp = warp;
    g->version = block->shared_version;
    g->has_version = run->counts_writes && !cup_checks.kernels;
    g->count = run->call.columns / 8u;
    g->has_b = false;
    read_steps(g, run, words);
    sets = CUP_MATRIX_PLACES / (g->count * g->step_count);
    start = (unsigned)g->steps[0].b & 0x3fff; /* units of 16 bytes */
    g->first = (start / (2 * g->step_count) + start / 512) % sets * (g->count * g->step_count);
}

static void find_columns(struct group_run *g, bool at_places)
{
    for (unsigned s = 0; s < g->step_count; s++) {
        struct group_columns *columns = &g->columns[s];

        columns->shared = shared_of(g, g->steps[s].b, CUP_ABI_MATRIX_B_TRANSPOSED);
        columns->has_version = g->has_version;
        columns->version = g->version;
        columns->descriptor = g->steps[s].b;
        columns->has_places =
            at_places && cup_matrix_places_of(&columns->shared, 8 * g->count, &columns->places);
    }
}

/* Where the A of a step is decoded to: the fewer places, the more stays in the cache. */
static unsigned a_place_of(const struct group_run *g, unsigned s)
{
    return g->count > 2 * CUP_MMA_AMX_PAIRS ? s : s % 2;
}

/* Multiplies up to four pairs of tiles, from tile `i` on. A step is multiplied when the next one is
 * decoded: by then memory has what was decoded, and the unit works while more is decoded. */
static bool multiply_pairs(struct cup_matrix_operands *o, struct group_run *g, unsigned i,
                           unsigned pairs, cup_mma_columns *tiles)
{
    const uint8_t *b = NULL;

    cup_mma_amx_load((const cup_mma_columns *)tiles + i, pairs);
    for (unsigned s = 0; s < g->step_count; s++) {
        unsigned first = g->first + s * g->count + i;

        if (i == 0 && !decode_group_a(o, a_place_of(g, s), g, s))
            return false;
        cup_matrix_wake();
        for (unsigned k = 0; !g->has_b && k < 2 * pairs; k++)
            if (!need_columns(o, first + k, &g->columns[s], i + k))
                return false;
        if (b)
            cup_mma_amx_multiply(&o->rule, o->a_tiles[a_place_of(g, s - 1)], b, pairs);
        else if (!g->has_b)
            cup_matrix_wake();
        b = o->b_tiles[first];
    }
    cup_mma_amx_multiply(&o->rule, o->a_tiles[a_place_of(g, g->step_count - 1)], b, pairs);
    cup_mma_amx_store(tiles + i, pairs);
    return true;
}

/* What the B of the run are known by; with a step_count of 0 they are not. */
static struct cup_matrix_batch batch_of(const struct cup_matrix_operands *o,
                                        const struct group_run *g)
{
    struct cup_matrix_batch batch = {.version = g->version,
                                     .first = g->first,
                                     .count = g->count,
                                     .step_count = g->has_version ? g->step_count : 0,
                                     .type = (uint16_t)o->rule.b,
                                     .transposed = g->call->flags & CUP_ABI_MATRIX_B_TRANSPOSED};

    for (unsigned s = 0; s < g->step_count; s++)
        batch.descriptors[s] = g->steps[s].b;
    return batch;
}

/* Returns how many tiles are done: not all, if an element is infinite. */
static unsigned group_by_amx(struct cup_matrix_operands *o, struct group_run *g,
                             cup_mma_columns *tiles)
{
    struct cup_matrix_batch batch = batch_of(o, g);
    unsigned i = 0;

    g->has_b = batch.step_count && !memcmp(&batch, &o->last, sizeof(batch));
    if (!g->has_b)
        find_columns(g, true);
    for (unsigned pairs; g->count - i >= 2; i += 2 * pairs) {
        pairs = (g->count - i) / 2;
        pairs = pairs > CUP_MMA_AMX_PAIRS ? CUP_MMA_AMX_PAIRS : pairs;
        if (!multiply_pairs(o, g, i, pairs, tiles))
            return i;
    }
    if (i == g->count)
        o->last = batch;
    return i;
}

static void multiply(struct cup_matrix_operands *o, struct group_run *g, cup_mma_columns *tiles)
{
    unsigned done = 0;

    if (!g->adds)
        memset(tiles, 0, g->count * sizeof(*tiles));
    if (o->form == CUP_MATRIX_FORM_AMX)
        done = group_by_amx(o, g, tiles);
    if (done == g->count)
        return;
    o->form = o->rule.is_fast ? CUP_MATRIX_FORM_FAST : CUP_MATRIX_FORM_EXACT;
    find_columns(g, false);
    for (unsigned s = 0; s < g->step_count; s++) {
        decode_group_a(o, s, g, s);
        for (unsigned i = done; i < g->count; i++) {
            unsigned at = g->first + s * g->count + i;

            need_columns(o, at, &g->columns[s], i);
            cup_mma_multiply_columns(&o->rule, &o->a[s], &o->b[at], &tiles[i]);
        }
    }
}

void cup_matrix_group(struct cup_matrix_operands *o, struct cup_abi_block *block, uint32_t warp,
                      const struct cup_abi_matrix_run *run, const uint32_t *words,
                      cup_mma_columns *tiles)
{
    struct group_run group;

    group_run_init(&group, block, warp, run, words);
    multiply(o, &group, tiles);
}
