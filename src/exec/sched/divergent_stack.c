/* SPDX-License-Identifier: MIT */
#include "exec/sched/divergent_stack.h"

#include "exec/sched/block.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARD_BYTES = 64 << 10 };

struct cup_fiber *cup_divergent_stack_current(struct cup_resident *resident, uint32_t warp)
{
    struct cup_divergent_call *divergent_call = resident->divergent_calls[warp].current;

    return divergent_call ? &divergent_call->fiber : &resident->fibers[warp];
}

static struct cup_divergent_call *create(struct cup_resident *resident, void (*main)(void *call))
{
    struct cup_divergent_call *divergent_call = calloc(1, sizeof(*divergent_call));
    size_t bytes = resident->frame->has.stack_bytes + (size_t)GUARD_BYTES;
    void *mapping;

    if (!divergent_call)
        return NULL;
    mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (mapping == MAP_FAILED || mprotect(mapping, GUARD_BYTES, PROT_NONE) != 0) {
        if (mapping != MAP_FAILED)
            munmap(mapping, bytes);
        free(divergent_call);
        return NULL;
    }
    divergent_call->mapping = mapping;
    divergent_call->mapping_bytes = bytes;
    divergent_call->fiber.stack = divergent_call->mapping + GUARD_BYTES;
    divergent_call->fiber.stack_bytes = bytes - GUARD_BYTES;
    divergent_call->resident = resident;
    divergent_call->all = resident->all_divergent_calls;
    resident->all_divergent_calls = divergent_call;
    resident->divergent_call_count++;
    cup_fiber_prepare(&divergent_call->fiber, main, divergent_call);
    return divergent_call;
}

struct cup_divergent_call *cup_divergent_stack_get(struct cup_resident *resident,
                                                   void (*main)(void *call))
{
    struct cup_divergent_call *divergent_call = resident->free_divergent_calls;

    if (!divergent_call)
        return create(resident, main);
    resident->free_divergent_calls = divergent_call->free;
    return divergent_call;
}

void cup_divergent_stacks_reset(struct cup_resident *resident, void (*main)(void *call))
{
    resident->free_divergent_calls = NULL;
    for (struct cup_divergent_call *divergent_call = resident->all_divergent_calls; divergent_call;
         divergent_call = divergent_call->all) {
        divergent_call->free = resident->free_divergent_calls;
        resident->free_divergent_calls = divergent_call;
        cup_fiber_prepare(&divergent_call->fiber, main, divergent_call);
    }
    memset(resident->divergent_calls, 0, sizeof(resident->divergent_calls));
}

void cup_divergent_stacks_free(struct cup_resident *resident)
{
    struct cup_divergent_call *divergent_call = resident->all_divergent_calls, *next;

    for (; divergent_call; divergent_call = next) {
        next = divergent_call->all;
        cup_fiber_finish(&divergent_call->fiber);
        munmap(divergent_call->mapping, divergent_call->mapping_bytes);
        free(divergent_call);
    }
    resident->all_divergent_calls = resident->free_divergent_calls = NULL;
    resident->divergent_call_count = 0;
}

bool cup_divergent_stack_overflowed(const struct cup_resident *resident, uint64_t address)
{
    for (const struct cup_divergent_call *divergent_call = resident->all_divergent_calls;
         divergent_call; divergent_call = divergent_call->all) {
        uint64_t start = (uint64_t)(uintptr_t)divergent_call->mapping;

        if (address >= start && address < start + GUARD_BYTES)
            return true;
    }
    return false;
}

bool cup_divergent_stack_has(const struct cup_resident *resident, uint64_t address)
{
    for (uint32_t i = 0; i < resident->frame->has.stacks; i++)
        if (address - (uint64_t)(uintptr_t)resident->fibers[i].stack <
            resident->fibers[i].stack_bytes)
            return true;
    for (const struct cup_divergent_call *divergent_call = resident->all_divergent_calls;
         divergent_call; divergent_call = divergent_call->all)
        if (address - (uint64_t)(uintptr_t)divergent_call->mapping < divergent_call->mapping_bytes)
            return true;
    return false;
}
