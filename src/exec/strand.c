/* SPDX-License-Identifier: MIT */
/* A strand that cannot go on switches back to whoever resumed it, and says whether it only gave way
 * or waits for what others do. So what is known of a warp as a whole is put together on its own
 * stack: it sleeps only when nothing in it can go on. */
#include "exec/strand.h"

#include "core/compiler.h"
#include "exec/block.h"
#include "exec/fault.h"
#include "exec/grid.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CLOSURE_WORDS = 264, GUARD_BYTES = 64 << 10, STRANDS_MAX = 16384 };

struct cup_strand {
    struct cup_fiber fiber;
    struct cup_strand *all;  /* the resident's next one */
    struct cup_strand *free; /* the next one that is free */
    struct cup_strand *parent;
    struct cup_resident *resident;
    uint8_t *mapping;
    size_t mapping_bytes;
    uint32_t (*run)(const uint64_t *closure);
    uint32_t warp;
    uint32_t mask;     /* lanes that have not returned */
    uint32_t returned; /* lanes that have, since the caller was told last */
    bool done;
    bool gave_way; /* when it left last: it may go on at any time */
    bool active;   /* one that it called gave way */
    uint64_t closure[CLOSURE_WORDS];
};

struct cup_fiber *cup_strand_fiber(struct cup_resident *resident, uint32_t warp)
{
    struct cup_strand *strand = resident->strands[warp].current;

    return strand ? &strand->fiber : &resident->fibers[warp];
}

static bool *active_of(struct cup_resident *resident, uint32_t warp)
{
    struct cup_strand *strand = resident->strands[warp].current;

    return strand ? &strand->active : &resident->strands[warp].active;
}

/* Back to whoever resumed it. */
CUP_ON_FIBER static void leave(struct cup_strand *strand, bool gave_way)
{
    struct cup_resident *resident = strand->resident;

    strand->gave_way = gave_way;
    resident->strands[strand->warp].current = strand->parent;
    cup_fiber_switch(&strand->fiber, cup_strand_fiber(resident, strand->warp));
}

CUP_ON_FIBER static void strand_main(void *argument)
{
    struct cup_strand *strand = argument;

    for (;;) {
        strand->returned = strand->run(strand->closure);
        strand->done = true;
        leave(strand, false);
    }
}

/* Runs it until it leaves. */
CUP_ON_FIBER static void enter(struct cup_strand *strand, uint32_t warp)
{
    struct cup_resident *resident = strand->resident;
    struct cup_fiber *from = cup_strand_fiber(resident, warp);

    strand->parent = resident->strands[warp].current;
    resident->strands[warp].current = strand;
    cup_fiber_switch(from, &strand->fiber);
    if (!strand->done && strand->gave_way)
        *active_of(resident, warp) = true;
}

static struct cup_strand *strand_make(struct cup_resident *resident)
{
    struct cup_strand *strand = calloc(1, sizeof(*strand));
    size_t bytes = resident->frame->has.stack_bytes + (size_t)GUARD_BYTES;
    void *mapping;

    if (!strand)
        return NULL;
    mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (mapping == MAP_FAILED || mprotect(mapping, GUARD_BYTES, PROT_NONE) != 0) {
        if (mapping != MAP_FAILED)
            munmap(mapping, bytes);
        free(strand);
        return NULL;
    }
    strand->mapping = mapping;
    strand->mapping_bytes = bytes;
    strand->fiber.stack = strand->mapping + GUARD_BYTES;
    strand->fiber.stack_bytes = bytes - GUARD_BYTES;
    strand->resident = resident;
    strand->all = resident->all_strands;
    resident->all_strands = strand;
    resident->strand_count++;
    cup_fiber_prepare(&strand->fiber, strand_main, strand);
    return strand;
}

static struct cup_strand *strand_get(struct cup_resident *resident)
{
    struct cup_strand *strand = resident->free_strands;

    if (!strand)
        return strand_make(resident);
    resident->free_strands = strand->free;
    return strand;
}

/* What the caller is told when the strand has left. */
static uint64_t tell(struct cup_strand *strand)
{
    uint32_t returned = strand->returned;

    if (strand->done) {
        strand->free = strand->resident->free_strands;
        strand->resident->free_strands = strand;
        return (uint64_t)strand->mask << 32 | returned;
    }
    strand->mask &= ~returned;
    strand->returned = 0;
    return (uint64_t)returned << 32 | returned;
}

CUP_ON_FIBER uint64_t cup_strand_start(struct cup_block *block, uint32_t warp, uint32_t mask,
                                       uint32_t (*run)(const uint64_t *closure),
                                       const uint64_t *closure, uint32_t words, uint64_t *handles)
{
    struct cup_resident *resident = block->state;
    bool too_many =
        words > CLOSURE_WORDS || (!resident->free_strands && resident->strand_count >= STRANDS_MAX);
    struct cup_strand *strand = too_many ? NULL : strand_get(resident);

    if (!strand)
        cup_fault_trap(block, warp, mask, too_many ? CUP_TRAP_STACK : CUP_TRAP_MEMORY, 0);
    strand->run = run;
    strand->warp = warp;
    strand->mask = mask;
    strand->returned = 0;
    strand->done = false;
    strand->active = false;
    memcpy(strand->closure, closure, words * sizeof(*closure));
    for (uint32_t left = mask; left; left &= left - 1)
        handles[__builtin_ctz(left)] = (uint64_t)(uintptr_t)strand;
    enter(strand, warp);
    return tell(strand);
}

CUP_ON_FIBER uint64_t cup_strand_resume(struct cup_block *block, uint32_t warp, uint32_t parked,
                                        const uint64_t *handles)
{
    uint64_t result = 0;

    (void)block;
    while (parked) {
        struct cup_strand *strand = (struct cup_strand *)(uintptr_t)handles[__builtin_ctz(parked)];

        parked &= ~strand->mask;
        enter(strand, warp);
        result |= tell(strand);
    }
    return result;
}

CUP_ON_FIBER void cup_strand_yield(struct cup_block *block, uint32_t warp)
{
    struct cup_resident *resident = block->state;
    struct cup_strand *strand = resident->strands[warp].current;

    if (strand)
        leave(strand, true);
    else
        cup_resident_yield(resident, warp);
}

CUP_ON_FIBER void cup_strand_park(struct cup_block *block, uint32_t warp, uint32_t spinning,
                                  uint32_t returned)
{
    struct cup_resident *resident = block->state;
    struct cup_strand *strand;
    bool *active;

    if (!resident) { /* a kernel that waits for nothing outside of its warp */
        cup_sync_force(block, warp);
        return;
    }
    active = active_of(resident, warp);
    spinning |= *active;
    *active = false;
    strand = resident->strands[warp].current;
    if (strand) {
        strand->returned = returned;
        leave(strand, spinning);
    } else if (spinning) {
        cup_resident_yield(resident, warp);
    } else {
        cup_resident_park(resident, warp);
    }
}

void cup_strands_reset(struct cup_resident *resident)
{
    resident->free_strands = NULL;
    for (struct cup_strand *strand = resident->all_strands; strand; strand = strand->all) {
        strand->free = resident->free_strands;
        resident->free_strands = strand;
        cup_fiber_prepare(&strand->fiber, strand_main, strand);
    }
    memset(resident->strands, 0, sizeof(resident->strands));
}

void cup_strands_free(struct cup_resident *resident)
{
    struct cup_strand *strand = resident->all_strands, *next;

    for (; strand; strand = next) {
        next = strand->all;
        cup_fiber_finish(&strand->fiber);
        munmap(strand->mapping, strand->mapping_bytes);
        free(strand);
    }
    resident->all_strands = resident->free_strands = NULL;
    resident->strand_count = 0;
}

bool cup_strand_is_stack_end(const struct cup_resident *resident, uint64_t address)
{
    for (const struct cup_strand *strand = resident->all_strands; strand; strand = strand->all) {
        uint64_t start = (uint64_t)(uintptr_t)strand->mapping;

        if (address >= start && address < start + GUARD_BYTES)
            return true;
    }
    return false;
}

bool cup_strand_is_stack(const struct cup_resident *resident, uint64_t address)
{
    for (uint32_t i = 0; i < resident->frame->has.stacks; i++)
        if (address - (uint64_t)(uintptr_t)resident->fibers[i].stack <
            resident->fibers[i].stack_bytes)
            return true;
    for (const struct cup_strand *strand = resident->all_strands; strand; strand = strand->all)
        if (address - (uint64_t)(uintptr_t)strand->mapping < strand->mapping_bytes)
            return true;
    return false;
}
