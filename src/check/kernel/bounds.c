/* SPDX-License-Identifier: MIT */
/* Compiled code has found that a lane may leave its variable (jit/instrument/bounds.c). The first
 * lane that does is reported; the access happens anyway, in memory of its block or behind it, where
 * it faults. */
#include "check/kernel/memory.h"

#include "abi/check.h"
#include "abi/launch.h"
#include "check/kernel/dispatch.h"
#include "check/kernel/place.h"
#include "check/report/report.h"
#include "exec/sched/grid.h"

#include <inttypes.h>
#include <stdio.h>

/* "shared variable tile", "dynamic shared memory buffer", "local variable stack" */
static void name_area(const struct cup_abi_block *block, const struct cup_abi_bounds *bounds,
                      char *name, size_t size)
{
    const struct ptx_program *program = cup_grid_of(block)->program;
    const char *space = cup_abi_how_space(bounds->how) == PTX_SHARED ? "shared" : "local";
    uint32_t index = bounds->variable / 2, f = 0, site = bounds->site;
    const struct ptx_variable *variable;

    if (bounds->variable == CUP_ABI_NO_VARIABLE) {
        snprintf(name, size, "shared memory of its block");
        return;
    }
    while (f < program->function_count && site >= program->functions[f].instruction_count)
        site -= program->functions[f++].instruction_count;
    variable =
        bounds->variable % 2 ? &program->functions[f].variables[index] : &program->variables[index];
    if (variable->unsized)
        snprintf(name, size, "dynamic shared memory %s", variable->name);
    else
        snprintf(name, size, "%s variable %s", space, variable->name);
}

static void report(struct cup_abi_block *block, uint32_t warp, uint32_t lane, uint64_t address,
                   const struct cup_abi_bounds *bounds)
{
    int64_t distance = (int64_t)(address - bounds->base - lane * bounds->stride);
    bool shared = cup_abi_how_space(bounds->how) == PTX_SHARED;
    bool writes = cup_abi_how_access(bounds->how) & CUP_ABI_WRITES;
    struct cup_report report = {
        .check = CUP_REPORT_MEMORY,
        .fault = shared ? "out-of-bounds-shared" : "out-of-bounds-local",
        .address = address,
        .size_bytes = bounds->bytes,
        .places = {cup_kcheck_report_place(block, warp, lane, bounds->site)},
        .place_count = 1,
    };
    char name[200], where[64], text[512];

    if (shared) /* addresses of the shared space have 32 bits */
        distance = (int32_t)distance;
    name_area(block, bounds, name, sizeof(name));
    if (distance < 0)
        snprintf(where, sizeof(where), "%" PRIu64 " bytes before", -(uint64_t)distance);
    else
        snprintf(where, sizeof(where), "up to %" PRIu64 " bytes past the end of",
                 (uint64_t)distance + bounds->bytes - bounds->size);
    snprintf(text, sizeof(text), "kernel %s %s %u bytes %s the %" PRIu64 " bytes of %s",
             report.places[0].kernel, writes ? "wrote" : "read", bounds->bytes, where, bounds->size,
             name);
    report.text = text;
    report.places[0].role = writes ? "written" : "read";
    cup_report_write(&report);
}

void cup_kcheck_on_bounds(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const uint64_t *addresses, const struct cup_abi_bounds *bounds)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t distance = addresses[lane] - bounds->base - lane * bounds->stride;

        if (distance <= bounds->size && bounds->size - distance >= bounds->bytes)
            continue;
        report(block, warp, lane, addresses[lane], bounds);
        return;
    }
}
