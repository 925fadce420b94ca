/* SPDX-License-Identifier: MIT */
/* The stacks of divergent calls (divergent_call.h). A resident block keeps them for later calls. */
#ifndef CUP_EXEC_SCHED_DIVERGENT_STACK_H
#define CUP_EXEC_SCHED_DIVERGENT_STACK_H

#include "exec/sched/fiber.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_resident;

enum { CUP_DIVERGENT_CLOSURE_WORDS = 264 };

struct cup_divergent_call {
    struct cup_fiber fiber;
    struct cup_divergent_call *all;  /* next in the list of all of the resident */
    struct cup_divergent_call *free; /* next in the free list */
    struct cup_divergent_call *parent;
    struct cup_resident *resident;
    uint8_t *mapping;
    size_t mapping_bytes;
    uint32_t (*run)(const uint64_t *closure);
    uint32_t warp;
    uint32_t mask;     /* lanes that have not returned */
    uint32_t returned; /* lanes that returned since the last report to the caller */
    bool done;
    bool yielded; /* it yielded when it last switched back, so it can run at any time */
    bool active;  /* one of its own divergent calls yielded */
    uint64_t closure[CUP_DIVERGENT_CLOSURE_WORDS];
};

/* Returns a stack of the resident that is not in use, or a new one, on which `main` runs with the
 * call as its argument; NULL if memory is out. */
struct cup_divergent_call *cup_divergent_stack_get(struct cup_resident *resident,
                                                   void (*main)(void *call));
/* Reset makes all stacks of a resident reusable; free unmaps them. */
void cup_divergent_stacks_reset(struct cup_resident *resident, void (*main)(void *call));
void cup_divergent_stacks_free(struct cup_resident *resident);

/* Returns the stack that a warp runs on: that of a divergent call, or its own. */
struct cup_fiber *cup_divergent_stack_current(struct cup_resident *resident, uint32_t warp);
/* True if the address is on any stack of the block. */
bool cup_divergent_stack_has(const struct cup_resident *resident, uint64_t address);
/* True if the address is in the guard page of a divergent call's stack. */
bool cup_divergent_stack_overflowed(const struct cup_resident *resident, uint64_t address);

#endif
