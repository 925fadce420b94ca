/* SPDX-License-Identifier: MIT */
/* The memory of a block while it runs: shared memory, local memory, and a stack per warp. Guard
 * pages separate the parts, so a kernel that writes past one of them faults. Frames are pooled,
 * because creating one takes a system call per part. */
#ifndef CUP_EXEC_SCHED_FRAME_H
#define CUP_EXEC_SCHED_FRAME_H

#include "abi/kernel.h"
#include "abi/launch.h"
#include "exec/sched/fiber.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUctx_st;

struct cup_frame_needs {
    uint32_t shared_bytes;
    uint32_t shared_align; /* 0: any; otherwise shared_bytes are whole pages */
    uint64_t local_bytes;  /* of all threads of the block */
    uint32_t kept_bytes;   /* state that warps keep while they wait; of all warps */
    uint32_t stacks;
    uint32_t stack_bytes; /* of each stack */
};

struct cup_frame {
    struct cup_frame *next; /* in the pool */
    struct cup_frame_needs has;
    uint8_t *mapping;
    size_t mapping_bytes;
    size_t window_bytes; /* part of mapping_bytes: the inaccessible window behind shared memory */
    uint8_t *shared_end, *local, *kept;
    struct cup_fiber *fibers; /* array of has.stacks */
    bool prepared;            /* every fiber is at the head of its loop, ready for a block */
    void *user;               /* what the fibers were prepared for; freed with the frame */
    void (*release_user)(void *user); /* frees `user`; NULL: free() */
};

/* Size of the inaccessible window behind a frame's shared memory: larger than a 32-bit offset plus
 * the largest access. There is no window if address space is limited. */
#define CUP_FRAME_WINDOW_BYTES ((UINT64_C(4) << 30) + (1 << 20))

/* Base address of shared memory for kernels that have none. The address is never mapped on the
 * supported processors; its top byte, which some processors ignore, is 0. */
#define CUP_FRAME_NO_SHARED ((uint8_t *)(uintptr_t)UINT64_C(0x00f0000000000000))

/* Returns a frame of at least this size, or NULL if memory is out. */
struct cup_frame *cup_frame_get(const struct cup_frame_needs *needs);
void cup_frame_put(struct cup_frame *frame);

/* For the fault handler: true if the address is in the guard below one of the frame's stacks. */
bool cup_frame_is_stack_end(const struct cup_frame *frame, uint64_t address);

/* Sets what a block of the launch needs of a frame, with this code. */
void cup_frame_needs_set(struct cup_frame_needs *needs, const struct cup_abi_launch *launch,
                         const struct cup_abi_kernel_info *info, struct CUctx_st *context);

#endif
