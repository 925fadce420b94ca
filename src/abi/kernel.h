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
 * - free: no thread ever waits for another, or only at barriers of its block which compiled code
 *   arranges itself, running the warps in turn (looped). `run_blocks` runs a sequence of whole
 *   blocks.
 * - waiting: barriers, spinning, grid-wide waits. `run_warp` runs one warp on a stack of its own (a
 *   fiber), and the services it calls may switch to another warp of the block, or of other blocks.
 */
#ifndef CUP_ABI_KERNEL_H
#define CUP_ABI_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_ABI_VERSION = 10, CUP_ABI_WARP_LANES = 32 };

struct cup_abi_services;
struct cup_fiber;

/* One launch: the same for all its blocks. */
struct cup_abi_launch {
    const struct cup_abi_services *services;
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
    /* Read by code that was compiled to be `limited` (jit.h): the class of every 2 MiB of the
     * address space, modulo 2^48, and what this launch may do with memory of each class. */
    const uint8_t *access_classes;
    const uint8_t *access_rights; /* 256 entries: CUP_MAY_READ, CUP_MAY_WRITE */
};

enum {
    CUP_ACCESS_SHIFT = 21,
    CUP_ACCESS_PAGES = 1 << (48 - CUP_ACCESS_SHIFT),
    CUP_MAY_READ = 1,
    CUP_MAY_WRITE = 2,
};

/* One block while it runs; aligned to 64. */
struct cup_abi_block {
    const struct cup_abi_launch *launch;
    uint8_t *shared;   /* static shared memory, then dynamic; aligned to 1024 */
    uint8_t *local;    /* local memory: for lane l of warp w at
                          local + ((w * 32 + l) * kernel_info.local_bytes) */
    uint8_t *frames;   /* of warp w at frames + w * kernel_info.frame_bytes; aligned to 512 */
    uint32_t index[3]; /* ctaid */
    uint32_t sm;       /* %smid: the worker's number */
    uint64_t linear;   /* index in the grid, in order */
    uint32_t warp;     /* that runs, of a looped kernel, which sets it */
    void *state;       /* of src/exec: barriers, fibers */
    void *sync;        /* of src/exec: lanes that wait for others of their warp */
    void *stacks;      /* of src/exec: what lanes have taken with alloca */
};

/* What lanes of a warp do together when all that the member mask names have come. */
enum cup_abi_sync_operation {
    CUP_ABI_SYNC_BARRIER,
    CUP_ABI_SYNC_SHUFFLE_UP,
    CUP_ABI_SYNC_SHUFFLE_DOWN,
    CUP_ABI_SYNC_SHUFFLE_XOR,
    CUP_ABI_SYNC_SHUFFLE_INDEX,
    CUP_ABI_SYNC_VOTE_ALL,
    CUP_ABI_SYNC_VOTE_ANY,
    CUP_ABI_SYNC_VOTE_SAME,
    CUP_ABI_SYNC_BALLOT,
    CUP_ABI_SYNC_MATCH_ANY,
    CUP_ABI_SYNC_MATCH_ALL,
    CUP_ABI_SYNC_ELECT,
    CUP_ABI_SYNC_ADD,
    CUP_ABI_SYNC_AND,
    CUP_ABI_SYNC_OR,
    CUP_ABI_SYNC_XOR,
    CUP_ABI_SYNC_MIN,
    CUP_ABI_SYNC_MAX,
    /* How the last two compare, and how wide what is matched is. */
    CUP_ABI_SYNC_SIGNED = 0x100,
    CUP_ABI_SYNC_FLOAT = 0x200,
    CUP_ABI_SYNC_ABSOLUTE = 0x400,
    CUP_ABI_SYNC_NAN = 0x800,
    CUP_ABI_SYNC_WIDE = 0x1000,
};

/* The operands of lanes that wait, and the results of those that wait no longer; by lane. */
struct cup_abi_sync_call {
    uint64_t values[CUP_ABI_WARP_LANES];
    uint64_t results[CUP_ABI_WARP_LANES];
    uint32_t members[CUP_ABI_WARP_LANES];
    uint32_t by[CUP_ABI_WARP_LANES],
        limits[CUP_ABI_WARP_LANES]; /* the last two sources of shuffles */
    uint32_t yes; /* lanes whose predicate is true: of votes as they come, of the others' second
                     result as they go */
    uint32_t unused;
};

/* Lanes that wait at a barrier others of their warp have not reached, by the first of each group
 * that came together. Results by lane. */
struct cup_abi_barrier_call {
    uint64_t tickets[CUP_ABI_WARP_LANES];
    uint32_t ids[CUP_ABI_WARP_LANES], masks[CUP_ABI_WARP_LANES];
    uint32_t results[CUP_ABI_WARP_LANES];
};

/* One texture or surface instruction. Compiled code writes all of it but the workspace once, and
 * fills the arrays before each call. */
enum cup_abi_texture_operation {
    CUP_ABI_TEXTURE_SAMPLE,
    CUP_ABI_TEXTURE_QUERY,
    CUP_ABI_TEXTURE_IS_TYPE, /* query: 0 texture, 1 surface, 2 sampler */
    CUP_ABI_SURFACE_QUERY,
    CUP_ABI_SURFACE_LOAD,
    CUP_ABI_SURFACE_STORE,
    CUP_ABI_SURFACE_REDUCE,
};

/* As enum cup_texture_query of src/image. */
enum cup_abi_texture_query { CUP_ABI_QUERY_WIDTH, CUP_ABI_QUERY_HEIGHT, CUP_ABI_QUERY_DEPTH };

/* The arrays: of 32 bits a lane, but for handles and for what surfaces load and store. */
enum cup_abi_texture_array {
    CUP_ABI_TEXTURE_COORDINATE = 0, /* x, y, z */
    CUP_ABI_TEXTURE_LAYER = 3,
    CUP_ABI_TEXTURE_LEVEL = 4,
    CUP_ABI_TEXTURE_GRADIENT_X = 5,
    CUP_ABI_TEXTURE_GRADIENT_Y = 8,
    CUP_ABI_TEXTURE_OFFSET = 11,
    CUP_ABI_TEXTURE_RESULT = 14, /* or what is stored: up to four */
    CUP_ABI_TEXTURE_HANDLE = 18,
    CUP_ABI_TEXTURE_RESIDENCY = 19,       /* a result: 0 or 1 */
    CUP_ABI_TEXTURE_SAMPLE_OF_PIXEL = 20, /* of multisampled images */
    CUP_ABI_TEXTURE_ARRAYS = 21,
};

/* How an instruction does without the runtime if the image is that simple. Textures: two
 * dimensions, 32 bits a texel, the nearest texel, the edges repeated, coordinates in texels. */
enum cup_abi_texture_place {
    CUP_ABI_PLACE_NONE,
    CUP_ABI_PLACE_WORDS,     /* one channel */
    CUP_ABI_PLACE_BYTES,     /* four channels of unsigned bytes, as they are */
    CUP_ABI_PLACE_FRACTIONS, /* the same as fractions */
    CUP_ABI_PLACE_SURFACE,   /* any surface of two dimensions */
};

/* What is known of such an image. */
struct cup_abi_texture_plain {
    uint64_t handle; /* whose it is; 0: nobody's */
    const uint8_t *base;
    uint64_t row_bytes;
    int32_t last[2]; /* column (of surfaces: byte) and row */
};

struct cup_abi_texture_call {
    uint8_t operation;  /* enum cup_abi_texture_operation */
    uint8_t geometry;   /* as enum cup_geometry of src/image */
    uint8_t components; /* 1, 2 or 4 */
    uint8_t float_coordinates, float_result;
    uint8_t level_mode;   /* 0 none, 1 level, 2 gradients */
    uint8_t gather;       /* 1 to 4: tld4 of r, g, b, a */
    uint8_t element_bits; /* of a result, or of what is loaded or stored */
    uint8_t query, boundary, reduction, is_signed, formatted; /* as in src/image */
    uint8_t prepared;                                         /* the workspace is filled */
    uint8_t place; /* enum cup_abi_texture_place: what `plain` is filled for */
    uint8_t apart; /* a sampler of its own is named */
    uint32_t line, unused_too;
    void *arrays[CUP_ABI_TEXTURE_ARRAYS]; /* NULL: the instruction has no such operand */
    struct cup_abi_texture_plain plain;   /* filled by whoever is called; handle is 0 before */
    uint64_t workspace[32];               /* of whoever is called */
};

/* Instructions that a warp does as one, or that are too rare to be compiled. Operands and results
 * are words: `words` points to rows of 32, by lane, first the sources, then the results. */
enum cup_abi_warp_operation {
    CUP_ABI_WARP_LOAD_SMALL,  /* ldmatrix: addresses -> count rows */
    CUP_ABI_WARP_STORE_SMALL, /* stmatrix: addresses, count rows */
    CUP_ABI_WARP_TRANSPOSE,   /* movmatrix */
    CUP_ABI_WARP_MULTIPLY,    /* mma, wmma.mma: A, B, C -> D */
    CUP_ABI_WARP_LOAD,        /* wmma.load: addresses, stride -> part */
    CUP_ABI_WARP_STORE,       /* wmma.store: addresses, stride, part */
    CUP_ABI_WARP_SPACE,       /* isspacep: addresses -> is it there? space: enum ptx_space */
    CUP_ABI_WARP_COPY,        /* cp.async.bulk: to, from, sizes, and where count is 1 mbarriers */
    CUP_ABI_WARP_STACK_TAKE, /* alloca: sizes -> addresses; count: the logarithm of the alignment */
    CUP_ABI_WARP_STACK_SAVE, /* -> addresses */
    CUP_ABI_WARP_STACK_RESTORE, /* addresses; 0: all of it is free */
    /* mbarrier: addresses, counts or states -> state or whether it is complete. */
    CUP_ABI_WARP_MBARRIER_INIT,
    CUP_ABI_WARP_MBARRIER_ARRIVE,
    CUP_ABI_WARP_MBARRIER_DROP,
    CUP_ABI_WARP_MBARRIER_EXPECT,
    CUP_ABI_WARP_MBARRIER_ARRIVE_EXPECT,
    CUP_ABI_WARP_MBARRIER_DROP_EXPECT,
    CUP_ABI_WARP_MBARRIER_COMPLETE,
    CUP_ABI_WARP_MBARRIER_TEST,
    CUP_ABI_WARP_MBARRIER_TEST_PARITY,
    CUP_ABI_WARP_MBARRIER_PENDING,
};

struct cup_abi_warp_call {
    uint32_t operation; /* enum cup_abi_warp_operation */
    uint32_t line;
    uint8_t count;            /* of registers: of small matrices */
    uint8_t transposed;       /* of small matrices; of wmma.load and store: columns lie together */
    uint8_t space;            /* of isspacep */
    uint8_t part;             /* of wmma.load and store: enum ptx_matrix_part */
    uint8_t m, n, k;          /* of matrices */
    uint8_t types[4];         /* enum ptx_type of A, B, C, D */
    uint8_t registers[4];     /* of A, B, C, D */
    uint8_t saturate;         /* of integers */
    uint8_t shared_fragments; /* wmma: as matrix.c of src/exec lays them out */
    uint8_t unused[7];
};

/* What compiled code calls. `mask` has a bit for each lane that takes part. Pointers named
 * addresses, values and so on point to arrays of 32 on the caller's stack; only entries in the mask
 * count. Services that end the kernel do not return. */
struct cup_abi_services {
    /* bar.sync, bar.arrive, bar.red for `mask`'s lanes of this warp. threads: the count operand, or
     * 0 for all of the block. reduce: 0 none, 1 popc, 2 and, 3 or; predicate_mask: the lanes whose
     * predicate is true. The result is the reduction. A warp whose other lanes are elsewhere must
     * not call sync with part of its live lanes: compiled code parks lanes itself until all that
     * live have arrived somewhere, then calls with all of them (see wait_parked). */
    uint32_t (*barrier)(struct cup_abi_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                        uint32_t mask, uint32_t reduce, uint32_t predicate_mask);
    void (*barrier_arrive)(struct cup_abi_block *block, uint32_t warp, uint32_t id,
                           uint32_t threads, uint32_t mask);
    /* Divergent barriers: lanes arrive without waiting, and are asked for later; the result is
     * those of the parked lanes that may go on. */
    void (*barrier_begin)(struct cup_abi_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                          uint32_t mask, uint32_t reduce, uint32_t predicate_mask,
                          struct cup_abi_barrier_call *call);
    uint32_t (*barrier_done)(struct cup_abi_block *block, uint32_t parked,
                             struct cup_abi_barrier_call *call);

    /* Instructions with .sync whose members are not all here: likewise. `live`: lanes of the warp
     * that may still be in the kernel. operation: enum cup_abi_sync_operation. */
    void (*sync_begin)(struct cup_abi_block *block, uint32_t warp, uint32_t operation,
                       uint32_t mask, struct cup_abi_sync_call *call);
    uint32_t (*sync_done)(struct cup_abi_block *block, uint32_t warp, uint32_t parked,
                          uint32_t live, struct cup_abi_sync_call *call);

    /* A call in which lanes may wait for others of their warp that are elsewhere, or have returned
     * from it: on a stack of its own. The closure is `words` long and copied; `run` returns the
     * lanes that are still in the kernel. The result is those that have returned, and in the upper
     * half those for which the call is over; for the others it stands in `handles`, by lane, and
     * goes on with call_resume. */
    uint64_t (*call_start)(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                           uint32_t (*run)(const uint64_t *closure), const uint64_t *closure,
                           uint32_t words, uint64_t *handles);
    uint64_t (*call_resume)(struct cup_abi_block *block, uint32_t warp, uint32_t parked,
                            const uint64_t *handles);

    /* No lane of this function can go on. spinning: some only gave way; else all wait for what
     * others do at barriers. returned: lanes that have returned from it, since it said so last. */
    void (*park)(struct cup_abi_block *block, uint32_t warp, uint32_t spinning, uint32_t returned);

    /* Let others run: spinning loops, nanosleep, parked lanes. */
    void (*yield)(struct cup_abi_block *block, uint32_t warp);

    /* Lanes have left the kernel: barriers no longer wait for them. Called once more with the rest
     * when the warp ends. Only by waiting kernels. */
    void (*lanes_exit)(struct cup_abi_block *block, uint32_t warp, uint32_t mask);

    /* End the launch with an error. reason: enum cup_abi_trap. */
    void (*trap)(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint32_t reason,
                 uint32_t instruction_line);

    /* System calls of kernels, per lane: results into results[32]. */
    void (*vprintf)(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                    const uint64_t *formats, const uint64_t *arguments, int32_t *results);
    void (*assert_fail)(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                        const uint64_t *messages, const uint64_t *files, const uint32_t *lines,
                        const uint64_t *functions);
    void (*allocate)(struct cup_abi_block *block, uint32_t mask, const uint64_t *sizes,
                     uint64_t *results);
    void (*release)(struct cup_abi_block *block, uint32_t mask, const uint64_t *pointers);

    uint64_t (*clock)(void);        /* %clock64 */
    uint64_t (*global_timer)(void); /* %globaltimer, in ns */

    /* Textures and surfaces. handle: the lanes', where they have one in common; otherwise each
     * lane's is in the call's arrays. */
    void (*texture)(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t handle,
                    struct cup_abi_texture_call *call);

    /* The tables of the launch do not allow lanes of the mask to do so (CUP_MAY_READ,
     * CUP_MAY_WRITE) with the bytes from the address on. Returns if they may do it after all. */
    void (*access)(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t address,
                   uint32_t bytes, uint32_t wanted, uint32_t instruction_line);

    void (*warp_call)(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const struct cup_abi_warp_call *call, uint64_t *words);

    /* Lanes of the mask access so many bytes at addresses that are no multiple of them: one of
     * those is the address. Does not return. */
    void (*misaligned)(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t address,
                       uint32_t bytes, uint32_t instruction_line);

    /* cudaGraphSetConditional, of each lane. */
    void (*set_condition)(uint32_t mask, const uint64_t *handles, const uint32_t *values);

    void *reserved[4];
};

enum cup_abi_trap {
    CUP_ABI_TRAP_INSTRUCTION = 1, /* trap, brkpt */
    CUP_ABI_TRAP_STACK,           /* too deep */
    CUP_ABI_TRAP_BAD_CALL,        /* an indirect call to what is no function */
    CUP_ABI_TRAP_MISALIGNED,      /* an address not a multiple of the access */
    CUP_ABI_TRAP_ADDRESS,         /* shared or local address out of its window */
    CUP_ABI_TRAP_TEXTURE,         /* a handle that is no texture, or no surface */
    CUP_ABI_TRAP_SURFACE,         /* outside of a surface, and the instruction says trap */
    CUP_ABI_TRAP_MEMORY,          /* the host has none for what the instruction needs */
};

/* What the compiler says of a kernel. Also in the object, as the data symbol `cup_abi_kernel_info`.
 */
struct cup_abi_kernel_info {
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
    uint32_t spins;  /* waiting: has loops that may wait for other blocks, or for the host. 0: its
                        warps wait for each other alone, so that its launcher may run it */
    uint32_t looped; /* not waiting, but has barriers */
    uint32_t frame_bytes; /* what a looped kernel keeps of a warp; a multiple of 512 */
};

/* The entry symbols of an object: `cup_abi_run_blocks` or `cup_abi_run_warp`. Both leave the
 * floating-point control word as they found it: round to nearest, nothing flushed.
 *
 * run_blocks: block->launch, shared, local and sm are set; it sets index and linear itself, block
 * after block, and leaves them at the block that faulted. run_warp finds all of them set. */
typedef void cup_abi_run_blocks(struct cup_abi_block *block, uint64_t first, uint64_t count);
typedef void cup_abi_run_warp(struct cup_abi_block *block, uint32_t warp);

#endif
