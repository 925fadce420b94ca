/* SPDX-License-Identifier: MIT */
/* The counters of a kernel that was compiled to be profiled (jit_request.counted). Compiled code
 * adds to them as it runs; the object says what each counts, as the data symbol
 * `cup_abi_counters`. */
#ifndef CUP_ABI_PROFILE_H
#define CUP_ABI_PROFILE_H

#include <stdint.h>

enum cup_abi_counter_kind {
    CUP_ABI_COUNT_NODE,   /* instructions [first, end) that are executed together */
    CUP_ABI_COUNT_GLOBAL, /* the accesses of instruction `first` to global memory */
    CUP_ABI_COUNT_SHARED,
};

struct cup_abi_counter {
    uint32_t kind;
    uint32_t function;   /* index in ptx_program.functions */
    uint32_t first, end; /* indices of its instructions */
};

/* In the order of the object's table. */
struct cup_abi_count {
    uint64_t executions; /* by warps */
    uint64_t lanes;      /* of all executions together */
    /* Global memory: 32-byte sectors that the lanes of an access touch. Shared memory: times that a
     * bank with words of 32 bits must be read for it. */
    uint64_t transfers;
};

#endif
