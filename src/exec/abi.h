/* SPDX-License-Identifier: MIT */
/* What compiled kernels and the library that runs them agree upon. The compiler (src/jit) makes
 * code that reads these structures by their offsets; src/exec fills them. Compiled code is kept on
 * disk: whoever changes anything here changes CUP_ABI_VERSION.
 *
 * Compiled code names no symbol of ours and no address: whatever it needs it finds through the
 * pointers here. So an object from the cache runs in any process.
 *
 * A warp is 32 threads that follow each other in (z, y, x) order of the block. Compiled code runs a
 * whole warp, or a part of it of `width` lanes when nothing in the kernel tells the difference, as
 * vectors. Two shapes of kernel:
 *
 * - free: no thread ever waits for another. `run_blocks` runs a sequence of whole blocks.
 * - waiting: barriers, spinning, grid-wide waits. `run_warp` runs one warp on a stack of its own (a
 *   fiber), and the services it calls may switch to another warp of the block, or of other blocks.
 */
#ifndef CUP_EXEC_ABI_H
#define CUP_EXEC_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_ABI_VERSION = 5, CUP_WARP_LANES = 32 };

struct cup_services;
struct cup_fiber;

/* One launch: the same for all its blocks. */
struct cup_launch {
    const struct cup_services *services;
    const void *params;   /* the kernel's parameters, laid out as its declaration says */
    void *const *symbols; /* addresses of the program's variables in the global and const spaces,
                             by their index in ptx_program.variables; NULL for others */
    const uint64_t *functions; /* what the address of a device function is, by its index in
                                  ptx_program.functions: opaque numbers, never 0 (the function's
                                  index + 1), so that they are the same everywhere */
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
    void *grid_workspace; /* for cooperative launches: what %envreg1/2 point to */
    void *owner;          /* struct cup_grid of src/exec */
};

/* One block while it runs; aligned to 64. */
struct cup_block {
    const struct cup_launch *launch;
    uint8_t *shared;   /* static shared memory, then dynamic; aligned to 1024 */
    uint8_t *local;    /* local memory: for lane l of warp w at
                          local + ((w * 32 + l) * kernel_info.local_bytes) */
    uint32_t index[3]; /* ctaid */
    uint32_t sm;       /* %smid: the worker's number */
    uint64_t linear;   /* index in the grid, in order */
    void *state;       /* of src/exec: barriers, fibers */
};

/* One texture or surface instruction. Compiled code writes all of it but the workspace once, and
 * fills the arrays before each call. */
enum cup_texture_operation {
    CUP_TEXTURE_SAMPLE,
    CUP_TEXTURE_QUERY,
    CUP_TEXTURE_IS_TYPE, /* query: 0 texture, 1 surface, 2 sampler */
    CUP_SURFACE_QUERY,
    CUP_SURFACE_CALL_LOAD,
    CUP_SURFACE_CALL_STORE,
    CUP_SURFACE_CALL_REDUCE,
};

/* As enum cup_texture_query of src/image. */
enum cup_texture_ask {
    CUP_ASK_WIDTH,
    CUP_ASK_HEIGHT,
    CUP_ASK_DEPTH,
    CUP_ASK_CHANNEL_DATA_TYPE,
    CUP_ASK_CHANNEL_ORDER,
    CUP_ASK_NORMALIZED,
    CUP_ASK_ARRAY_SIZE,
    CUP_ASK_LEVELS,
    CUP_ASK_SAMPLES,
};

/* The arrays: of 32 bits a lane, but for handles and for what surfaces load and store. */
enum cup_texture_array {
    CUP_TEXTURE_COORDINATE = 0, /* x, y, z */
    CUP_TEXTURE_LAYER = 3,
    CUP_TEXTURE_LEVEL = 4,
    CUP_TEXTURE_GRADIENT_X = 5,
    CUP_TEXTURE_GRADIENT_Y = 8,
    CUP_TEXTURE_OFFSET = 11,
    CUP_TEXTURE_RESULT = 14, /* or what is stored: up to four */
    CUP_TEXTURE_HANDLE = 18,
    CUP_TEXTURE_ARRAYS = 19,
};

/* What is known of a texture that is read so simply that compiled code does it itself: words of 32
 * bits in two dimensions, the nearest texel, the edges repeated, coordinates in texels. */
struct cup_texture_plain {
    uint64_t handle; /* whose it is; 0: nobody's */
    const uint8_t *base;
    uint64_t row_bytes;
    int32_t last[2]; /* column and row */
};

struct cup_texture_call {
    uint8_t operation;  /* enum cup_texture_operation */
    uint8_t geometry;   /* as enum cup_geometry of src/image */
    uint8_t components; /* 1, 2 or 4 */
    uint8_t float_coordinates, float_result;
    uint8_t level_mode;   /* 0 none, 1 level, 2 gradients */
    uint8_t gather;       /* 1 to 4: tld4 of r, g, b, a */
    uint8_t element_bits; /* of a result, or of what is loaded or stored */
    uint8_t query, boundary, reduction, is_signed, formatted; /* as in src/image */
    uint8_t prepared;                                         /* the workspace is filled */
    uint8_t unused[2];
    uint32_t line, unused_too;
    void *arrays[CUP_TEXTURE_ARRAYS]; /* NULL: the instruction has no such operand */
    struct cup_texture_plain plain;   /* filled by whoever is called; handle is 0 before */
    uint64_t workspace[32];           /* of whoever is called */
};

/* What compiled code calls. `mask` has a bit for each lane that takes part. Pointers named
 * addresses, values and so on point to arrays of 32 on the caller's stack; only entries in the mask
 * count. Services that end the kernel do not return. */
struct cup_services {
    /* bar.sync, bar.arrive, bar.red for `mask`'s lanes of this warp. threads: the count operand, or
     * 0 for all of the block. reduce: 0 none, 1 popc, 2 and, 3 or; predicate_mask: the lanes whose
     * predicate is true. The result is the reduction. A warp whose other lanes are elsewhere must
     * not call sync with part of its live lanes: compiled code parks lanes itself until all that
     * live have arrived somewhere, then calls with all of them (see wait_parked). */
    uint32_t (*barrier)(struct cup_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                        uint32_t mask, uint32_t reduce, uint32_t predicate_mask);
    void (*barrier_arrive)(struct cup_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                           uint32_t mask);
    /* Divergent barriers: lanes arrive without waiting (returns a ticket), and wait for tickets. */
    uint64_t (*barrier_begin)(struct cup_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                              uint32_t mask, uint32_t reduce, uint32_t predicate_mask);
    bool (*barrier_done)(struct cup_block *block, uint32_t id, uint64_t ticket, uint32_t *result);

    /* Let others run: spinning loops, nanosleep, parked lanes. */
    void (*yield)(struct cup_block *block, uint32_t warp);

    /* Lanes have left the kernel: barriers no longer wait for them. Called once more with the rest
     * when the warp ends. Only by waiting kernels. */
    void (*lanes_exit)(struct cup_block *block, uint32_t warp, uint32_t mask);

    /* End the launch with an error. reason: enum cup_trap. */
    void (*trap)(struct cup_block *block, uint32_t warp, uint32_t mask, uint32_t reason,
                 uint32_t instruction_line);

    /* System calls of kernels, per lane: results into results[32]. */
    void (*vprintf)(struct cup_block *block, uint32_t warp, uint32_t mask, const uint64_t *formats,
                    const uint64_t *arguments, int32_t *results);
    void (*assert_fail)(struct cup_block *block, uint32_t warp, uint32_t mask,
                        const uint64_t *messages, const uint64_t *files, const uint32_t *lines,
                        const uint64_t *functions);
    void (*allocate)(struct cup_block *block, uint32_t mask, const uint64_t *sizes,
                     uint64_t *results);
    void (*release)(struct cup_block *block, uint32_t mask, const uint64_t *pointers);

    uint64_t (*clock)(void);        /* %clock64 */
    uint64_t (*global_timer)(void); /* %globaltimer, in ns */

    /* Textures and surfaces. handle: the lanes', where they have one in common; otherwise each
     * lane's is in the call's arrays. */
    void (*texture)(struct cup_block *block, uint32_t warp, uint32_t mask, uint64_t handle,
                    struct cup_texture_call *call);

    void *reserved[8];
};

enum cup_trap {
    CUP_TRAP_INSTRUCTION = 1, /* trap, brkpt */
    CUP_TRAP_STACK,           /* too deep */
    CUP_TRAP_BAD_CALL,        /* an indirect call to what is no function */
    CUP_TRAP_MISALIGNED,      /* an address not a multiple of the access */
    CUP_TRAP_ADDRESS,         /* shared or local address out of its window */
    CUP_TRAP_TEXTURE,         /* a handle that is no texture, or no surface */
    CUP_TRAP_SURFACE,         /* outside of a surface, and the instruction says trap */
};

/* What the compiler says of a kernel. Also in the object, as the data symbol `cup_kernel_info`. */
struct cup_kernel_info {
    uint32_t abi_version;
    uint32_t size_bytes;   /* of this structure */
    uint32_t waiting;      /* 0: run_blocks; 1: run_warp */
    uint32_t width;        /* lanes run at once, for the curious */
    uint32_t shared_bytes; /* static */
    uint32_t local_bytes;  /* per thread */
    uint32_t stack_bytes;  /* an estimate of what a warp needs of stack, without recursion */
    uint32_t recursive;    /* calls itself, or calls through pointers */
    uint32_t registers;    /* what cuFuncGetAttribute answers */
    uint32_t uses_printf, uses_malloc, uses_grid_sync;
    uint32_t spins; /* waiting: has loops that may wait for other blocks, or for the host. 0: its
                       warps wait for each other alone, so that its launcher may run it */
};

/* The entry symbols of an object: `cup_run_blocks` or `cup_run_warp`. Both leave the floating-point
 * control word as they found it: round to nearest, nothing flushed.
 *
 * run_blocks: block->launch, shared, local and sm are set; it sets index and linear itself, block
 * after block, and leaves them at the block that faulted. run_warp finds all of them set. */
typedef void cup_run_blocks(struct cup_block *block, uint64_t first, uint64_t count);
typedef void cup_run_warp(struct cup_block *block, uint32_t warp);

#endif
