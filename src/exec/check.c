/* SPDX-License-Identifier: MIT */
/* Dispatches accesses and synchronisation of kernels to the checks, and finds the names of places
 * for their reports. */
#include "exec/check.h"

#include "core/config.h"
#include "exec/check_init.h"
#include "exec/check_memory.h"
#include "exec/check_races.h"
#include "exec/check_rows.h"
#include "exec/check_streams.h"
#include "exec/sched/cluster.h"
#include "exec/sched/grid.h"
#include "exec/matrix/matrix.h"
#include "ptx/source.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t cup_kcheck_enabled;

void cup_kcheck_init(void)
{
    const struct cup_config *config = cup_config_get();

    cup_kcheck_enabled = (config->check_init ? CUP_ABI_CHECK_INIT : 0u) |
                         (config->check_memory ? CUP_ABI_CHECK_MEMORY : 0u) |
                         (config->check_streams ? CUP_ABI_CHECK_STREAMS : 0u) |
                         (config->check_races ? CUP_ABI_CHECK_RACES : 0u) |
                         (config->check_sync ? CUP_ABI_CHECK_SYNC : 0u);
}

/* The modules, in the order in which they see an access. */
static const struct {
    uint32_t check; /* enum cup_abi_check; several: any of them */
    void (*access)(const struct cup_kcheck_access *access);
    void (*rows)(const struct cup_kcheck_rows *rows); /* NULL: each access by itself */
} access_checks[] = {
    {CUP_ABI_CHECK_MEMORY, cup_kcheck_memory_access, NULL},
    {CUP_ABI_CHECK_INIT, cup_kcheck_init_access, NULL},
    {CUP_ABI_CHECK_STREAMS, cup_kcheck_streams_access, cup_kcheck_streams_rows},
    {CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC, cup_races_access, NULL},
};

/* The only check that looks at runs as such. */
static const uint32_t run_checks = CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC;

static const struct {
    uint32_t check;
    void (*sync)(const struct cup_kcheck_sync *sync);
} sync_checks[] = {
    {CUP_ABI_CHECK_STREAMS, cup_kcheck_streams_sync},
    {CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC, cup_races_sync},
};

static const struct {
    uint32_t check;
    void (*bind)(struct cup_abi_block *block); /* NULL, as the others: there is nothing to do */
    void (*begin)(struct cup_abi_block *block);
    void (*put)(struct cup_abi_block *block, bool abandoned);
    void (*release)(struct cup_abi_block *block); /* frees what the check keeps of the block */
} block_checks[] = {
    {CUP_ABI_CHECK_MEMORY, cup_kcheck_memory_bind, NULL, NULL, NULL},
    {CUP_ABI_CHECK_INIT, NULL, cup_kcheck_init_block, NULL, cup_kcheck_init_block_free},
    {CUP_ABI_CHECK_STREAMS, cup_kcheck_streams_bind, NULL, cup_kcheck_streams_put, NULL},
    {CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC, NULL, cup_races_block_begin, cup_races_block_put,
     NULL},
};

static const struct {
    uint32_t check;
    void (*begin)(struct cup_grid *grid);
    void (*end)(struct cup_grid *grid);
} launch_checks[] = {
    {CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC, cup_races_launch_begin, cup_races_launch_end},
};

void cup_kcheck_on_launch(struct cup_grid *grid)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(launch_checks); i++) {
        if (cup_kcheck_enabled & launch_checks[i].check)
            launch_checks[i].begin(grid);
    }
}

void cup_kcheck_launch_end(struct cup_grid *grid)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(launch_checks); i++) {
        if (cup_kcheck_enabled & launch_checks[i].check)
            launch_checks[i].end(grid);
    }
}

void cup_kcheck_block_bind(struct cup_abi_block *block)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(block_checks); i++) {
        if (cup_kcheck_enabled & block_checks[i].check && block_checks[i].bind)
            block_checks[i].bind(block);
    }
}

void cup_kcheck_on_block(struct cup_abi_block *block)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(block_checks); i++) {
        if (cup_kcheck_enabled & block_checks[i].check && block_checks[i].begin)
            block_checks[i].begin(block);
    }
}

void cup_kcheck_block_put(struct cup_abi_block *block, bool abandoned)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(block_checks); i++) {
        if (cup_kcheck_enabled & block_checks[i].check && block_checks[i].put)
            block_checks[i].put(block, abandoned);
    }
}

void cup_kcheck_block_free(struct cup_abi_block *block)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(block_checks); i++) {
        if (cup_kcheck_enabled & block_checks[i].check && block_checks[i].release)
            block_checks[i].release(block);
    }
}

static void tell(const struct cup_kcheck_access *access)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(access_checks); i++) {
        if (cup_kcheck_enabled & access_checks[i].check)
            access_checks[i].access(access);
    }
}

static struct cup_kcheck_access access_of(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                                          const uint64_t *addresses, uint64_t bytes, uint32_t site,
                                          uint32_t how)
{
    return (struct cup_kcheck_access){
        .block = block,
        .warp = warp,
        .mask = mask,
        .addresses = addresses,
        .bytes = bytes,
        .site = site,
        .access = cup_abi_how_access(how),
        .space = (enum ptx_space)cup_abi_how_space(how),
        .order = cup_abi_how_order(how),
        .scope = cup_abi_how_scope(how),
    };
}

void cup_kcheck_on_access(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const uint64_t *addresses, uint32_t bytes, uint32_t site, uint32_t how,
                          const uint8_t *values, uint32_t element_bytes)
{
    struct cup_kcheck_access access = access_of(block, warp, mask, addresses, bytes, site, how);

    access.values = values;
    access.element_bytes = element_bytes;
    tell(&access);
}

void cup_kcheck_on_range(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                         uint64_t address, uint64_t bytes, uint32_t site, uint32_t how)
{
    uint64_t addresses[CUP_ABI_WARP_LANES];
    struct cup_kcheck_access access;

    addresses[lane] = address;
    access = access_of(block, warp, 1u << lane, addresses, bytes, site, how);
    if (bytes)
        tell(&access);
}

static void tell_rows(const struct cup_kcheck_rows *rows)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(access_checks); i++) {
        if (!(cup_kcheck_enabled & access_checks[i].check))
            continue;
        if (access_checks[i].rows)
            access_checks[i].rows(rows);
        else
            cup_kcheck_rows_expand(rows, access_checks[i].access);
    }
}

void cup_kcheck_on_rows(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                        const struct cup_abi_rows *rows)
{
    const struct cup_kcheck_rows told = {block, warp, mask, rows};

    cup_kcheck_rows_split(&told, tell_rows);
}

/* Addresses of shared memory wrap at 32 bits. */
void cup_kcheck_lanes_expand(const struct cup_kcheck_lanes *run,
                             void (*told)(const struct cup_kcheck_access *access))
{
    uint64_t addresses[CUP_ABI_WARP_LANES], shared = (uint64_t)(uintptr_t)run->block->shared;
    bool wraps = cup_abi_how_space(run->how) == PTX_SHARED;
    struct cup_kcheck_access access;

    for (uint64_t lane = 0; lane < CUP_ABI_WARP_LANES; lane++) {
        uint64_t address = run->address + lane * (uint64_t)run->stride;

        addresses[lane] = wraps ? shared + (uint32_t)(address - shared) : address;
    }
    access =
        access_of(run->block, run->warp, run->mask, addresses, run->bytes, run->site, run->how);
    told(&access);
}

void cup_kcheck_on_lanes(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         uint64_t address, int32_t stride, uint32_t bytes, uint32_t site,
                         uint32_t how)
{
    const struct cup_kcheck_lanes run = {block, warp, mask, address, stride, bytes, site, how};

    if (cup_kcheck_enabled & ~(run_checks | CUP_ABI_CHECK_MEMORY))
        cup_kcheck_lanes_expand(&run, tell);
    else
        cup_races_lanes(&run);
}

/* Code of other checks tells of single accesses. */
void cup_kcheck_on_reads(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         uint64_t address, const struct cup_abi_reads *reads)
{
    cup_races_reads(block, warp, mask, address, reads);
}

void cup_kcheck_on_sync(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint32_t kind,
                        const uint64_t *values, uint32_t site, uint32_t how)
{
    const struct cup_kcheck_sync sync = {
        .block = block,
        .warp = warp,
        .mask = mask,
        .kind = (enum cup_abi_sync_kind)kind,
        .values = values,
        .site = site,
        .order = cup_abi_how_order(how),
        .scope = cup_abi_how_scope(how),
    };

    for (size_t i = 0; i < CUP_ARRAY_COUNT(sync_checks); i++) {
        if (cup_kcheck_enabled & sync_checks[i].check)
            sync_checks[i].sync(&sync);
    }
}

enum ptx_space cup_kcheck_space_of(struct cup_abi_block *block, uint64_t address)
{
    if (cup_warp_is_in_space(block, address, PTX_SHARED, true))
        return PTX_SHARED;
    return cup_warp_is_in_space(block, address, PTX_LOCAL, false) ? PTX_LOCAL : PTX_GLOBAL;
}

static void find_source(const struct ptx_function *function, struct cup_kcheck_place *place)
{
    struct ptx_source *source = function->text ? ptx_source_read(function->text) : NULL;
    uint32_t index = source ? ptx_source_find(source, place->line) : PTX_NO_LOCATION;

    if (index != PTX_NO_LOCATION) {
        const struct ptx_location *location = &source->locations.list[index];
        const struct ptx_source_file *file = &source->files.list[location->file];

        place->source_line = location->line;
        snprintf(place->file, sizeof(place->file), "%.*s", (int)file->length, file->name);
    }
    if (source)
        ptx_source_free(source);
}

void cup_kcheck_place_find(const struct cup_grid *grid, uint32_t site,
                           struct cup_kcheck_place *place)
{
    const struct ptx_program *program = grid->program;
    uint32_t f = 0;

    memset(place, 0, sizeof(*place));
    place->function = grid->kernel_name;
    for (; f < program->function_count && site >= program->functions[f].instruction_count; f++)
        site -= program->functions[f].instruction_count;
    if (f == program->function_count)
        return;
    const struct ptx_function *function = &program->functions[f];
    place->function = function->name;
    place->instruction = &function->instructions[site];
    place->line = place->instruction->line;
    ptx_print_instruction(program, function, place->instruction, place->text, sizeof(place->text));
    find_source(function, place);
}

void cup_kcheck_describe(const struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                         uint32_t site, char *text, size_t size)
{
    const struct cup_grid *grid = cup_grid_of(block);
    const uint32_t *shape = block->launch->block;
    uint32_t thread = warp * CUP_ABI_WARP_LANES + lane;
    struct cup_kcheck_place place;
    char where[600];

    cup_kcheck_place_find(grid, site, &place);
    if (place.source_line)
        snprintf(where, sizeof(where), "%s:%u", place.file, place.source_line);
    else
        snprintf(where, sizeof(where), "line %u of its PTX (%s)", place.line, place.text);
    snprintf(text, size, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u), %s", grid->kernel_name,
             block->index[0], block->index[1], block->index[2], thread % shape[0],
             thread / shape[0] % shape[1], thread / shape[0] / shape[1], where);
}

/* The places of reports, by program and site. They are kept, because reports refer to them. */
struct kept_place {
    struct kept_place *next;
    const struct ptx_program *program;
    uint64_t hash[2]; /* of the program: another one may have its address later */
    uint32_t site;
    struct cup_report_place place;
    struct cup_kcheck_place found;
    char kernel[]; /* its name, then that of the function */
};

/* Leaf mutex: guards the list of places. */
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept_place *places;

static struct kept_place *known_place_locked(const struct cup_grid *grid, uint32_t site)
{
    struct kept_place *kept = places;

    while (kept && (kept->program != grid->program || kept->site != site ||
                    memcmp(kept->hash, grid->program->hash, sizeof(kept->hash)) != 0 ||
                    strcmp(kept->kernel, grid->kernel_name) != 0))
        kept = kept->next;
    return kept;
}

/* Returns NULL if memory is out. */
static struct kept_place *make_place(const struct cup_grid *grid, uint32_t site)
{
    struct cup_kcheck_place found;
    struct kept_place *kept;
    size_t kernel_bytes = strlen(grid->kernel_name) + 1;

    cup_kcheck_place_find(grid, site, &found);
    kept = calloc(1, sizeof(*kept) + kernel_bytes + strlen(found.function) + 1);
    if (!kept)
        return NULL;
    kept->program = grid->program;
    memcpy(kept->hash, grid->program->hash, sizeof(kept->hash));
    kept->site = site;
    kept->found = found;
    strcpy(kept->kernel, grid->kernel_name);
    strcpy(kept->kernel + kernel_bytes, found.function);
    kept->place = (struct cup_report_place){
        .kernel = kept->kernel,
        .function = kept->kernel + kernel_bytes,
        .file = found.source_line ? kept->found.file : NULL,
        .line = found.source_line,
        .ptx_line = found.line,
    };
    return kept;
}

static struct cup_report_place place_of(const struct cup_grid *grid, uint32_t site)
{
    struct cup_report_place place = {.kernel = ""};

    pthread_mutex_lock(&places_lock);
    struct kept_place *kept = known_place_locked(grid, site);
    if (!kept && (kept = make_place(grid, site))) {
        kept->next = places;
        places = kept;
    }
    if (kept)
        place = kept->place;
    pthread_mutex_unlock(&places_lock);
    return place;
}

struct cup_report_place cup_kcheck_report_place(const struct cup_abi_block *block, uint32_t warp,
                                                uint32_t lane, uint32_t site)
{
    struct cup_report_place place = place_of(cup_grid_of(block), site);
    const uint32_t *shape = block->launch->block;
    uint32_t thread = warp * CUP_ABI_WARP_LANES + lane;

    memcpy(place.block, block->index, sizeof(place.block));
    place.thread[0] = thread % shape[0];
    place.thread[1] = thread / shape[0] % shape[1];
    place.thread[2] = thread / shape[0] / shape[1];
    place.has_block = place.has_thread = true;
    return place;
}
