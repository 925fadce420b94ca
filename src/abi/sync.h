/* SPDX-License-Identifier: MIT */
/* Instructions in which lanes of a warp wait for each other while the warp is diverged: .sync
 * instructions and barriers. */
#ifndef CUP_ABI_SYNC_H
#define CUP_ABI_SYNC_H

#include "abi/launch.h"

/* The operation that the lanes of a member mask execute when all of them have arrived. */
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
    /* Flags: how MIN and MAX compare, and that MATCH compares 64 bits. */
    CUP_ABI_SYNC_SIGNED = 0x100,
    CUP_ABI_SYNC_FLOAT = 0x200,
    CUP_ABI_SYNC_ABSOLUTE = 0x400,
    CUP_ABI_SYNC_NAN = 0x800,
    CUP_ABI_SYNC_WIDE = 0x1000,
};

/* The operands of lanes that wait and the results of those that may continue, by lane. */
struct cup_abi_sync_call {
    uint64_t values[CUP_ABI_WARP_LANES];
    uint64_t results[CUP_ABI_WARP_LANES];
    uint32_t members[CUP_ABI_WARP_LANES];
    uint32_t by[CUP_ABI_WARP_LANES],
        limits[CUP_ABI_WARP_LANES]; /* the last two sources of shuffles */
    uint32_t yes;                   /* lanes whose predicate is true: the operand of votes, the
                                       second result of the others */
    uint32_t unused;
};

/* Lanes that wait at a barrier which other lanes of their warp have not reached. Lanes that arrive
 * together are a group, which is kept at its first lane; results are by lane. */
struct cup_abi_barrier_call {
    uint64_t tickets[CUP_ABI_WARP_LANES];
    uint32_t ids[CUP_ABI_WARP_LANES], masks[CUP_ABI_WARP_LANES];
    uint32_t results[CUP_ABI_WARP_LANES];
};

#endif
