/* SPDX-License-Identifier: MIT */
/* The services that compiled code calls. `mask` has a bit for each lane that takes part. Pointers
 * named addresses, values and so on point to arrays of 32 on the caller's stack; only entries in
 * the mask count. Services that end the kernel do not return. */
#ifndef CUP_ABI_SERVICES_H
#define CUP_ABI_SERVICES_H

#include "abi/launch.h"

struct cup_abi_barrier_call;
struct cup_abi_bounds;
struct cup_abi_matrix_call;
struct cup_abi_rows;
struct cup_abi_run_lanes;
struct cup_abi_matrix_run;
struct cup_abi_reads;
struct cup_abi_sync_call;
struct cup_abi_texture_call;
struct cup_abi_warp_call;

enum cup_abi_trap {
    CUP_ABI_TRAP_INSTRUCTION = 1, /* trap, brkpt */
    CUP_ABI_TRAP_STACK,           /* too deep */
    CUP_ABI_TRAP_BAD_CALL,        /* an indirect call whose target is no function */
    CUP_ABI_TRAP_MISALIGNED,      /* an address not a multiple of the access */
    CUP_ABI_TRAP_ADDRESS,         /* shared or local address out of its window */
    CUP_ABI_TRAP_TEXTURE,         /* a handle that is no texture, or no surface */
    CUP_ABI_TRAP_SURFACE,         /* outside of a surface, with .trap */
    CUP_ABI_TRAP_MEMORY,          /* the host is out of memory */
    CUP_ABI_TRAP_TENSOR_MAP,      /* a tensor map that does not fit the instruction */
    CUP_ABI_TRAP_TENSOR_POSITION, /* coordinates that the copy cannot have */
    CUP_ABI_TRAP_MULTICAST,       /* no multicast object is at the address */
    CUP_ABI_TRAP_NO_CLUSTER,      /* the launch has no clusters */
};

/* The numbers of barrier.cluster and of the products of a warpgroup; block barriers have 0 to 15.
 */
enum { CUP_ABI_BARRIER_CLUSTER = 16, CUP_ABI_BARRIER_PRODUCTS = 17 };

enum { CUP_ABI_CALL_AREAS = 6 };

struct cup_abi_services {
    /* bar.sync and bar.red for the lanes of `mask`. threads: the count operand, or 0 for the whole
     * block. reduce: 0 none, 1 popc, 2 and, 3 or. predicate_mask: the lanes whose predicate is
     * true. Returns the reduction. All live lanes of the warp must be in the mask: diverged lanes
     * call barrier_begin instead. CUP_ABI_BARRIER_CLUSTER and CUP_ABI_BARRIER_PRODUCTS only wait:
     * lanes arrive at them by barrier_arrive. Of the products, wgmma.commit_group arrives, and
     * `threads` is how many of the last groups wgmma.wait_group leaves pending. */
    uint32_t (*barrier)(struct cup_abi_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                        uint32_t mask, uint32_t reduce, uint32_t predicate_mask);
    /* bar.arrive. */
    void (*barrier_arrive)(struct cup_abi_block *block, uint32_t warp, uint32_t id,
                           uint32_t threads, uint32_t mask);
    /* Barriers of a diverged warp: barrier_begin makes lanes arrive without waiting; barrier_done
     * returns those of the parked lanes that may continue. */
    void (*barrier_begin)(struct cup_abi_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                          uint32_t mask, uint32_t reduce, uint32_t predicate_mask,
                          struct cup_abi_barrier_call *call);
    uint32_t (*barrier_done)(struct cup_abi_block *block, uint32_t parked,
                             struct cup_abi_barrier_call *call);

    /* Instructions with .sync whose members have not all arrived: likewise. `live`: lanes of the
     * warp that are still in the kernel. operation: enum cup_abi_sync_operation. */
    void (*sync_begin)(struct cup_abi_block *block, uint32_t warp, uint32_t operation,
                       uint32_t mask, struct cup_abi_sync_call *call);
    uint32_t (*sync_done)(struct cup_abi_block *block, uint32_t warp, uint32_t parked,
                          uint32_t live, struct cup_abi_sync_call *call);

    /* A call in which lanes may wait for other lanes of their warp runs on a stack of its own. The
     * closure has `words` words and is copied; `run` returns the lanes that are still in the
     * kernel. The lower half of the result is the lanes that have returned and are still in the
     * kernel, the upper half all lanes for which the call has ended. The other lanes' handles are
     * stored in `handles`, by lane; call_resume continues them. */
    uint64_t (*call_start)(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                           uint32_t (*run)(const uint64_t *closure), const uint64_t *closure,
                           uint32_t words, uint64_t *handles);
    uint64_t (*call_resume)(struct cup_abi_block *block, uint32_t warp, uint32_t parked,
                            const uint64_t *handles);

    /* No lane of this function can continue. spinning: the lanes that only yielded; 0: all wait for
     * others. returned: lanes that have returned from the function since the last call. */
    void (*park)(struct cup_abi_block *block, uint32_t warp, uint32_t spinning, uint32_t returned);

    /* Lets other warps run: loops that wait, nanosleep. */
    void (*yield)(struct cup_abi_block *block, uint32_t warp);

    /* Lanes have exited the kernel: barriers no longer wait for them. Only waiting kernels call it;
     * when the warp ends, with all lanes that are left. */
    void (*lanes_exit)(struct cup_abi_block *block, uint32_t warp, uint32_t mask);

    /* Ends the launch with an error. reason: enum cup_abi_trap. */
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

    /* Textures and surfaces. handle: of all lanes, or 0 if the call's arrays have one per lane. */
    void (*texture)(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t handle,
                    struct cup_abi_texture_call *call);

    /* The tables of the launch do not allow the access (`wanted`: CUP_MAY_READ, CUP_MAY_WRITE) to
     * the bytes from the address on. Returns if the access is allowed after all. */
    void (*access)(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t address,
                   uint32_t bytes, uint32_t wanted, uint32_t instruction_line);

    void (*warp_call)(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const struct cup_abi_warp_call *call, uint64_t *words);
    /* mma and wgmma: abi/matrix.h. */
    void (*matrix_call)(struct cup_abi_block *block, uint32_t warp,
                        const struct cup_abi_matrix_call *call, uint32_t *words);
    void (*matrix_run)(struct cup_abi_block *block, uint32_t warp,
                       const struct cup_abi_matrix_run *run, const uint32_t *words, float *tiles);

    /* Lanes of the mask access `bytes` bytes at addresses that are not multiples of it; `address`
     * is one of them. Does not return. */
    void (*misaligned)(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t address,
                       uint32_t bytes, uint32_t instruction_line);

    /* cudaGraphSetConditional, of each lane. */
    void (*set_condition)(uint32_t mask, const uint64_t *handles, const uint32_t *values);

    /* The functions of the device runtime. call: enum ptx_device_call. areas: the arrays of the
     * parameters, then that of the result. */
    void (*device_call)(struct cup_abi_block *block, uint32_t mask, uint32_t call, void **areas);

    /* Counts an access of `bytes` bytes by the lanes of `mask`, of kernels that count (profile.h).
     */
    void (*count_access)(struct cup_abi_block *block, uint32_t mask, const uint64_t *addresses,
                         uint32_t bytes, uint32_t counter, uint32_t shared);

    /* Of kernels that are checked (check.h): lanes of the mask are about to access `bytes` bytes
     * each; one lane is about to access any number of bytes; lanes are about to synchronise. `how`:
     * cup_abi_how. kind: enum cup_abi_sync_kind. check_block: a block begins. values: what a store
     * writes, elements as rows of lanes; NULL: unknown, or no two lanes have the same address. */
    void (*check_block)(struct cup_abi_block *block);
    /* Lanes of the mask may be about to access memory outside of a variable. */
    void (*check_bounds)(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         const uint64_t *addresses, const struct cup_abi_bounds *bounds);
    void (*check_access)(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         const uint64_t *addresses, uint32_t bytes, uint32_t site, uint32_t how,
                         const uint8_t *values, uint32_t element_bytes);
    void (*check_range)(struct cup_abi_block *block, uint32_t warp, uint32_t lane, uint64_t address,
                        uint64_t bytes, uint32_t site, uint32_t how);
    /* Lanes access memory that is not where the run of the instruction goes on. `address`: of the
     * first lane. */
    void (*check_run)(struct cup_abi_block *block, uint64_t address,
                      const struct cup_abi_run_lanes *lanes);
    /* Lanes have accessed memory in a loop. */
    void (*check_rows)(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                       const struct cup_abi_rows *rows);
    /* As check_access, of lanes whose addresses begin at `address` and are `stride` bytes apart. */
    void (*check_lanes)(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t address,
                        int32_t stride, uint32_t bytes, uint32_t site, uint32_t how);
    /* Such reads of several instructions; `address`: of the first one. */
    void (*check_reads)(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t address,
                        const struct cup_abi_reads *runs);
    void (*check_sync)(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint32_t kind,
                       const uint64_t *values, uint32_t site, uint32_t how);

    void *reserved[2];
};

#endif
