/* SPDX-License-Identifier: MIT */
/* Lanes that wait for other lanes of their warp (shfl.sync and similar) are in a table of the warp,
 * so they find each other whatever instruction and divergent call they come from. */
#ifndef CUP_EXEC_SERVICES_SYNC_TABLE_H
#define CUP_EXEC_SERVICES_SYNC_TABLE_H

#include "abi/launch.h"
#include "abi/sync.h"

#include <stdbool.h>
#include <stdint.h>

enum cup_sync_state { CUP_SYNC_AWAY, CUP_SYNC_WAITS, CUP_SYNC_GOES };

struct cup_sync_lane {
    uint64_t value, result;
    uint32_t members, by, limits, operation;
    uint8_t state; /* enum cup_sync_state */
    bool yes, result_yes;
};

struct cup_sync_table {
    struct cup_sync_lane lanes[CUP_ABI_WARP_LANES];
};

/* The table of a warp, if the block has tables. */
struct cup_sync_table *cup_sync_table_of(struct cup_abi_block *block, uint32_t warp);
/* Returns the lanes of a warp that wait for other lanes. */
uint32_t cup_sync_waiting(const struct cup_abi_block *block, uint32_t warp);
void cup_sync_reset(struct cup_abi_block *block);
void cup_sync_free(struct cup_abi_block *block);

/* The operations, in warp_sync.c: services of abi/services.h. */
void cup_sync_begin(struct cup_abi_block *block, uint32_t warp, uint32_t operation, uint32_t mask,
                    struct cup_abi_sync_call *call);
uint32_t cup_sync_done(struct cup_abi_block *block, uint32_t warp, uint32_t parked, uint32_t live,
                       struct cup_abi_sync_call *call);
/* If nothing else can run: releases lanes without the members they wait for. Returns false if none
 * waits. */
bool cup_sync_force(struct cup_abi_block *block, uint32_t warp);

#endif
