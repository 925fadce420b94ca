/* SPDX-License-Identifier: MIT */
/* Dispatches accesses and synchronisation of kernels to the checks, and finds the names of places
 * for their reports. */
#include "exec/check.h"

#include "core/config.h"
#include "exec/cluster.h"
#include "exec/grid.h"
#include "exec/matrix.h"
#include "ptx/source.h"

#include <stdio.h>
#include <string.h>

uint32_t cup_kcheck_enabled;

void cup_kcheck_init(void)
{
    const struct cup_config *config = cup_config_get();

    cup_kcheck_enabled = config->check_init ? CUP_ABI_CHECK_INIT : 0u;
}

/* The modules, in the order in which they see an access. */
static const struct {
    uint32_t check; /* enum cup_abi_check; several: any of them */
    void (*access)(const struct cup_kcheck_access *access);
} access_checks[] = {
    {0, NULL},
};

static const struct {
    uint32_t check;
    void (*sync)(const struct cup_kcheck_sync *sync);
} sync_checks[] = {
    {0, NULL},
};

static void tell(const struct cup_kcheck_access *access)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(access_checks); i++) {
        if (cup_kcheck_enabled & access_checks[i].check)
            access_checks[i].access(access);
    }
}

void cup_kcheck_on_access(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const uint64_t *addresses, uint32_t bytes, uint32_t site, uint32_t how)
{
    const struct cup_kcheck_access access = {
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

    tell(&access);
}

void cup_kcheck_on_range(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                         uint64_t address, uint64_t bytes, uint32_t site, uint32_t how)
{
    uint64_t addresses[CUP_ABI_WARP_LANES];
    const struct cup_kcheck_access access = {
        .block = block,
        .warp = warp,
        .mask = 1u << lane,
        .addresses = addresses,
        .bytes = bytes,
        .site = site,
        .access = cup_abi_how_access(how),
        .space = (enum ptx_space)cup_abi_how_space(how),
        .order = cup_abi_how_order(how),
        .scope = cup_abi_how_scope(how),
    };

    addresses[lane] = address;
    if (bytes)
        tell(&access);
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
