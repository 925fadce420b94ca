/* SPDX-License-Identifier: MIT */
/* Reads the text of the program, so all of this is for reports only. */
#include "check/kernel/place.h"

#include "exec/sched/grid.h"
#include "os/mutex.h"
#include "ptx/source.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cup_kcheck_where_set(struct cup_kcheck_where *where, const struct cup_grid *grid,
                          uint32_t site, const uint32_t block[3], uint32_t thread, const char *role)
{
    const uint32_t *shape = grid->launch.block;

    cup_kcheck_place_find(grid, site, &where->place);
    snprintf(where->detail, sizeof(where->detail), ": %s", where->place.text);
    where->report = (struct cup_report_place){
        .role = role,
        .kernel = grid->kernel_name,
        .function = where->place.function,
        .file = where->place.source_line ? where->place.file : NULL,
        .line = where->place.source_line,
        .ptx_line = where->place.line,
        .thread = {thread % shape[0], thread / shape[0] % shape[1], thread / shape[0] / shape[1]},
        .has_block = true,
        .has_thread = true,
        .detail = where->place.text[0] ? where->detail : NULL,
    };
    memcpy(where->report.block, block, sizeof(where->report.block));
}

const struct ptx_instruction *cup_kcheck_instruction(const struct cup_grid *grid, uint32_t site,
                                                     const struct ptx_function **function)
{
    const struct ptx_program *program = grid->program;
    uint32_t f = 0;

    for (; f < program->function_count && site >= program->functions[f].instruction_count; f++)
        site -= program->functions[f].instruction_count;
    if (f == program->function_count)
        return NULL;
    *function = &program->functions[f];
    return &program->functions[f].instructions[site];
}

const char *cup_kcheck_variable_name(const struct cup_grid *grid, uint32_t site)
{
    const struct ptx_function *function;
    const struct ptx_instruction *instruction = cup_kcheck_instruction(grid, site, &function);
    const struct ptx_operand *address = instruction ? &instruction->src[0] : NULL;

    if (!address || !instruction->source_count || address->kind != PTX_OPERAND_ADDRESS ||
        address->base != PTX_BASE_VARIABLE)
        return NULL;
    return address->local ? function->variables[address->index].name
                          : grid->program->variables[address->index].name;
}

struct memory_search {
    uint64_t address;
    struct cup_tracked *record;
    bool found;
};

static void look(const struct cup_tracked *record, void *argument)
{
    struct memory_search *search = argument;

    if (!record->freed.call && search->address - record->base < record->size_bytes) {
        *search->record = *record;
        search->found = true;
    }
}

bool cup_kcheck_find_memory(uint64_t address, struct cup_tracked *record)
{
    struct memory_search search = {address, record, false};

    cup_tracked_search(look, &search);
    return search.found;
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

    cup_mutex_assert_held(&places_lock);
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
