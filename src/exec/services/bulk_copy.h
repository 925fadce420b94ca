/* SPDX-License-Identifier: MIT */
/* Asynchronous copies: cp.async.bulk, cp.reduce.async.bulk, st.async and red.async. */
#ifndef CUP_EXEC_SERVICES_BULK_COPY_H
#define CUP_EXEC_SERVICES_BULK_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct cup_abi_block;
struct cup_abi_warp_call;

/* Executes CUP_ABI_WARP_COPY and CUP_ABI_WARP_STORE_ASYNC. */
void cup_bulk_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const struct cup_abi_warp_call *call, const uint64_t *words);

/* One lane's copy while it is executed, with what reports its errors. */
struct cup_bulk {
    struct cup_abi_block *block;
    const struct cup_abi_warp_call *call;
    uint32_t warp, lane;
};

/* Ends the launch unless all of the bytes are in the shared memory of a block of the cluster. */
void cup_bulk_check_shared(const struct cup_bulk *bulk, uint64_t address, uint64_t bytes);
/* Ends the launch if the launch may not access global memory so (CUP_MAY_READ, CUP_MAY_WRITE). */
void cup_bulk_check_global(const struct cup_bulk *bulk, uint64_t address, uint64_t bytes,
                           uint32_t wanted);
/* Tells checks of an access to memory (enum cup_abi_access). */
void cup_bulk_tell(const struct cup_bulk *bulk, uint64_t address, uint64_t bytes, uint32_t access);
/* Calls `copy` for each block of `ranks` with the destination and the mbarrier there, which have
 * the same offsets in each. */
void cup_bulk_multicast(const struct cup_bulk *bulk, uint64_t to, uint64_t mbarrier, uint32_t ranks,
                        void (*copy)(const struct cup_bulk *bulk, uint64_t to, uint64_t mbarrier,
                                     void *context),
                        void *context);

#endif
