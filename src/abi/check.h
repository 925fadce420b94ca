/* SPDX-License-Identifier: MIT */
/* What a kernel that was compiled with checks (jit_request.checks) reports to the runtime: before
 * each access to memory the addresses of its lanes, before each instruction that orders accesses or
 * waits for other threads its operands.
 *
 * An instruction is named by its site: the number of instructions in all functions of the program
 * before its own, plus its index. So the object needs no table, and both variants of a function
 * name an instruction alike. */
#ifndef CUP_ABI_CHECK_H
#define CUP_ABI_CHECK_H

#include <stdint.h>

/* The checks, as bits. */
enum cup_abi_check {
    CUP_ABI_CHECK_INIT = 1 << 0,    /* reads of memory that nothing has written */
    CUP_ABI_CHECK_MEMORY = 1 << 1,  /* accesses outside of variables and allocations */
    CUP_ABI_CHECK_RACES = 1 << 2,   /* races between threads */
    CUP_ABI_CHECK_SYNC = 1 << 3,    /* misuse of barriers and of .sync instructions */
    CUP_ABI_CHECK_STREAMS = 1 << 4, /* races between streams */
};

/* Whether an access reads, writes, or does both at once. */
enum cup_abi_access {
    CUP_ABI_READS = 1,
    CUP_ABI_WRITES = 2,
    CUP_ABI_ATOMIC = 4, /* in addition to both */
    CUP_ABI_ASYNC = 8,  /* in addition: the program must wait before it may rely on it */
    CUP_ABI_INIT = 16,  /* in addition: an mbarrier begins */
};

/* The meaning of the instruction in the memory model of PTX. An mbarrier without a modifier
 * releases when it arrives and acquires when it waits. */
enum cup_abi_order {
    CUP_ABI_ORDER_WEAK,
    CUP_ABI_ORDER_VOLATILE, /* relaxed, of the whole system */
    CUP_ABI_ORDER_RELAXED,
    CUP_ABI_ORDER_ACQUIRE,
    CUP_ABI_ORDER_RELEASE,
    CUP_ABI_ORDER_ACQ_REL,
    CUP_ABI_ORDER_SC,
};

enum cup_abi_scope {
    CUP_ABI_SCOPE_NONE, /* the instruction names none */
    CUP_ABI_SCOPE_CTA,
    CUP_ABI_SCOPE_CLUSTER,
    CUP_ABI_SCOPE_GPU,
    CUP_ABI_SCOPE_SYS,
};

/* One number says how an instruction accesses memory: enum cup_abi_access, the space (enum
 * ptx_space; PTX_SPACE_NONE: generic, each lane's address decides), order and scope. */
static inline uint32_t cup_abi_how(uint32_t access, uint32_t space, uint32_t order, uint32_t scope)
{
    return access | space << 8 | order << 16 | scope << 24;
}

static inline uint32_t cup_abi_how_access(uint32_t how)
{
    return how & 0xff;
}

static inline uint32_t cup_abi_how_space(uint32_t how)
{
    return how >> 8 & 0xff;
}

static inline enum cup_abi_order cup_abi_how_order(uint32_t how)
{
    return (enum cup_abi_order)(how >> 16 & 0xff);
}

static inline enum cup_abi_scope cup_abi_how_scope(uint32_t how)
{
    return (enum cup_abi_scope)(how >> 24);
}

/* Accesses of a loop, reported together behind it. In each of `count` iterations all lanes of the
 * mask accessed `bytes` bytes each. Addresses are those of the last iteration; in each one before,
 * all were `step` bytes lower. */
struct cup_abi_rows {
    uint64_t address;          /* of lane 0 */
    int64_t lane_step;         /* from lane to lane */
    const uint64_t *addresses; /* by lane; NULL: address and lane_step say */
    int64_t step;              /* of one iteration there is none */
    uint64_t count;            /* 0: there is nothing to report */
    /* Addresses that are computed from an index of 32 bits: the index in the last iteration, and by
     * how much it grew in each. Where it wrapped (at 2^31 if it is signed, else at 2^32), the step
     * from one address to the next is another. 0: addresses do not wrap. */
    uint32_t index, index_step, index_signed;
    uint32_t bytes, site, how;
    uint32_t slot; /* of the instruction: of block->runs, or CUP_ABI_NO_RUN */
};

/* Where CUPIPE_CHECK=streams expects the next access of an instruction whose lanes are at one
 * distance from each other. Compiled code that finds it there adds the step to it, and calls
 * check_run otherwise. */
struct cup_abi_run {
    uint64_t next, step;
};

/* What lanes access together: one or all at one address, or 16 or 32, each `step` bytes behind the
 * one before. */
struct cup_abi_run_lanes {
    uint32_t bytes; /* of each */
    uint32_t count;
    int32_t step;
    uint32_t how, slot;
};

/* The instructions of a kernel that have a run; the others call check_access. */
enum { CUP_ABI_RUNS = 128, CUP_ABI_NO_RUN = 0xffffffff };

/* Reads that are reported together: of each one, lanes are `stride` bytes apart and read `bytes`
 * bytes, and the next one is `step` bytes behind it. */
struct cup_abi_reads {
    int32_t stride;
    uint32_t bytes;
    int32_t step;
    uint32_t count;
    uint32_t how;
    uint32_t sites[]; /* of each read */
};

/* Of CUPIPE_CHECK=races,sync: what compiled code knows of a warp. A read needs no service if all
 * lines that it touches have the tag, and the warp has come further than its site. */
struct cup_abi_race_warp {
    uint32_t shared_tag, global_tag;
    uint32_t furthest; /* the furthest site that all lanes have come to, + 1 */
    uint32_t reserved;
    /* With the site: all lanes read words of a line of shared memory of which they have read others
     * there, if its last read is this. The words are added to it. CUP_ABI_RACE_NO_READ: none. */
    uint64_t own_read;
};

#define CUP_ABI_RACE_NO_READ UINT64_MAX

enum {
    CUP_ABI_RACE_NO_TAG = 0xffffffff, /* that no line has */
    CUP_ABI_RACE_LINE_SHIFT = 7,      /* bytes of memory in a line */
    CUP_ABI_RACE_LINE_BYTES = 32,     /* of its shadow (struct cup_race_line) */
    CUP_ABI_RACE_READ_OFFSET = 8,     /* there */
    CUP_ABI_RACE_SITE_BITS = 18,      /* of the site, there */
    CUP_ABI_RACE_TAG_OFFSET = 24,
    CUP_ABI_RACE_WORDS_OFFSET = 28,
    CUP_ABI_RACE_CHUNK_SHIFT = 21, /* of cup_abi_launch.race_chunks */
};

enum { CUP_ABI_NO_VARIABLE = 0xffffffff };

/* The memory in which an access must stay. Of lane l it begins at base + l * stride. */
struct cup_abi_bounds {
    uint64_t base, stride, size;
    uint32_t variable; /* twice the index, plus 1 if it is in the function's variables;
                          CUP_ABI_NO_VARIABLE: the shared memory of the block */
    uint32_t bytes, site, how;
};

/* What check_sync reports. `values` has one per lane. */
enum cup_abi_sync_kind {
    CUP_ABI_SYNC_KIND_BARRIER,  /* bar.sync, bar.red: its number, and the count of threads (0: all)
                                   from bit 32 on; CUP_ABI_BARRIER_CLUSTER: barrier.cluster.wait;
                                   CUP_ABI_BARRIER_PRODUCTS: wgmma.wait_group */
    CUP_ABI_SYNC_KIND_ARRIVE,   /* bar.arrive, barrier.cluster.arrive, wgmma.commit_group: likewise
                                 */
    CUP_ABI_SYNC_KIND_WARP,     /* bar.warp.sync: the member mask */
    CUP_ABI_SYNC_KIND_EXCHANGE, /* other instructions with .sync: likewise */
    CUP_ABI_SYNC_KIND_FENCE,    /* membar, fence: nothing */
    CUP_ABI_SYNC_KIND_MBARRIER, /* the address; the instruction says the operation */
    CUP_ABI_SYNC_KIND_COPIES,   /* cp.async.wait_group, wait_all, commit_group, and of bulk copies:
                                   the operand */
};

#endif
