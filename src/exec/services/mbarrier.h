/* SPDX-License-Identifier: MIT */
/* mbarriers: 64-bit words of shared memory that only these instructions access. */
#ifndef CUP_EXEC_SERVICES_MBARRIER_H
#define CUP_EXEC_SERVICES_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

struct cup_abi_block;
struct cup_abi_warp_call;

/* Executes an instruction CUP_ABI_WARP_MBARRIER_*. */
void cup_mbarrier_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const struct cup_abi_warp_call *call, uint64_t *words);

/* complete_tx: an asynchronous operation of a lane has written so many bytes. */
void cup_mbarrier_complete(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                           const struct cup_abi_warp_call *call, uint64_t address, uint64_t bytes);

/* What a thread has done with the mbarrier of an address. */
struct cup_mbarrier_use {
    struct cup_abi_block *block;
    uint32_t warp, lane, site;
    bool inits;
    uint64_t address, before, after; /* the values of its word */
    bool was_busy;                   /* before, some of the phase's arrivals or bytes had come */
};

#endif
