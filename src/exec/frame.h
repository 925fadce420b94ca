/* SPDX-License-Identifier: MIT */
/* The memory a block needs while it runs: shared memory, local memory, a stack for each warp. Each
 * piece ends at a page that faults, so that a kernel which writes past one harms nobody. Frames are
 * kept and used again: making one takes a system call for each piece. */
#ifndef CUP_EXEC_FRAME_H
#define CUP_EXEC_FRAME_H

#include "exec/fiber.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_frame_needs {
    uint32_t shared_bytes;
    uint64_t local_bytes; /* of all threads of the block */
    uint32_t kept_bytes;  /* what warps keep while they wait, of all */
    uint32_t stacks;
    uint32_t stack_bytes; /* of each */
};

struct cup_frame {
    struct cup_frame *next; /* in the pool */
    struct cup_frame_needs has;
    uint8_t *mapping;
    size_t mapping_bytes;
    size_t window_bytes; /* of those: closed behind shared memory */
    uint8_t *shared_end, *local, *kept;
    struct cup_fiber *fibers; /* has.stacks of them */
    bool prepared;            /* each fiber stands at the head of its loop, ready for a block */
    void *user;               /* what the fibers were prepared for; freed with the frame */
    void (*release_user)(void *user); /* by this, or by free where it is NULL */
};

/* Behind a frame's shared memory so many bytes are closed: an offset of 32 bits, and what is
 * accessed there at once, does not get past them. Without them where the address space is too
 * small. */
#define CUP_FRAME_WINDOW_BYTES ((UINT64_C(4) << 30) + (1 << 20))

/* The shared memory of a kernel that has none: nothing is ever there. The address is beyond what
 * processes have on any of our processors; its top byte, which some ignore, is 0. */
#define CUP_FRAME_NO_SHARED ((uint8_t *)(uintptr_t)UINT64_C(0x00f0000000000000))

/* One that has at least that much; NULL when memory is out. */
struct cup_frame *cup_frame_get(const struct cup_frame_needs *needs);
void cup_frame_put(struct cup_frame *frame);

/* For the handler of faults: is the address in the guard below one of the frame's stacks? */
bool cup_frame_is_stack_end(const struct cup_frame *frame, uint64_t address);

#endif
