/* SPDX-License-Identifier: MIT */
/* One launch and one block while they run. src/exec fills these structures; compiled code reads
 * them by their offsets. */
#ifndef CUP_ABI_LAUNCH_H
#define CUP_ABI_LAUNCH_H

#include <stdint.h>

struct cup_abi_race_warp;
struct cup_abi_run;
struct cup_abi_services;

enum {
    CUP_ABI_WARP_LANES = 32,
    /* The rank of a block in its cluster stands in an address of the shared space from this bit on.
     */
    CUP_ABI_CLUSTER_SHIFT = 24,
};

/* One launch: the same for all its blocks. */
struct cup_abi_launch {
    const struct cup_abi_services *services;
    const void *params;        /* the kernel's parameters, in the layout of its declaration */
    void *const *symbols;      /* addresses of the program's variables in the global and const
                                  spaces, by their index in ptx_program.variables; NULL for others */
    const uint64_t *functions; /* the addresses of device functions, by their index in
                                  ptx_program.functions: opaque numbers that are the same in every
                                  process (the function's index + 1), and never 0 */
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t block_threads;
    uint32_t block_warps;
    uint32_t shared_static_bytes;
    uint32_t shared_dynamic_bytes;
    uint32_t cluster[3];
    uint32_t device_sm_count;
    uint64_t grid_id;
    uint64_t envreg[32];
    void *grid_workspace; /* of cooperative launches: %envreg1 and %envreg2 point to it */
    void *owner;          /* struct cup_grid of src/exec */
    /* Read by code that was compiled to be `limited` (jit/jit.h): the class of every 2 MiB of the
     * address space, modulo 2^48, and what this launch may do with memory of each class. */
    const uint8_t *access_classes;
    const uint8_t *access_rights; /* 256 entries: CUP_MAY_READ, CUP_MAY_WRITE */
    struct cup_abi_count *counts; /* of kernels that count: profile.h */
    /* Of kernels that are checked (check.h): by parts of the address space, modulo 2^48, the
     * distance of the shadow from a quarter of an address; 0: there is none. */
    const uint64_t *written_slots;
    /* Of kernels whose races are checked: the lines of every 2 MiB of the address space, modulo
     * 2^48; NULL: there are none. */
    const void *const *race_chunks;
    uint64_t graph_exec; /* %current_graph_exec: 0 outside of graphs */
};

enum {
    CUP_ACCESS_SHIFT = 21,
    CUP_ACCESS_PAGES = 1 << (48 - CUP_ACCESS_SHIFT),
    CUP_WRITTEN_SLOT_SHIFT = 28,
    CUP_WRITTEN_SLOTS = 1 << (48 - CUP_WRITTEN_SLOT_SHIFT),
    CUP_MAY_READ = 1,
    CUP_MAY_WRITE = 2,
};

/* One block while it runs; aligned to 64. */
struct cup_abi_block {
    const struct cup_abi_launch *launch;
    uint8_t *shared;   /* static shared memory, then dynamic; aligned to 1024 */
    uint8_t *window;   /* address 0 of the shared space: `shared` of the cluster's first block; that
                          of   block r lies r << CUP_ABI_CLUSTER_SHIFT bytes behind it */
    uint8_t *local;    /* local memory; of lane l of warp w at
                          local + (w * 32 + l) * kernel_info.local_bytes */
    uint8_t *frames;   /* of warp w at frames + w * kernel_info.frame_bytes; aligned to 512 */
    uint32_t index[3]; /* ctaid */
    uint32_t sm;       /* %smid: the worker's number */
    uint64_t linear;   /* index in the grid, in order */
    uint32_t warp;     /* that runs; a looped kernel sets it */
    void *state;       /* of src/exec: barriers, fibers */
    void *sync;        /* of src/exec: lanes that wait for other lanes of their warp */
    void *stacks;      /* of src/exec: the stacks of alloca */
    /* The threads of each block that a free kernel runs, the first a multiple of 32. */
    uint32_t thread_first, thread_end;
    /* Of checked blocks: a byte for each word of shared memory, of which four bits are set where it
     * was written, and how much memory that is. */
    uint8_t *shared_written;
    uint64_t shared_written_bytes, shared_written_capacity;
    struct cup_abi_run *runs; /* of blocks whose touched memory is noted: CUP_ABI_RUNS (check.h) */
    struct cup_abi_race_warp *race_warps; /* check.h */
    const uint8_t *race_lines;            /* of shared memory, and how much memory that is */
    uint64_t race_lines_bytes;
    void *checked; /* of src/exec: what CUPIPE_CHECK knows of the block */
    /* Grows when a kernel with wgmma writes to shared memory, if its code counts that (matrix.h);
     * no other block ever has the same number. */
    uint64_t shared_version;
};

#endif
