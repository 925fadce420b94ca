/* SPDX-License-Identifier: MIT */
/* Checks of kernels while they run: the operations of core/checks.h. Compiled code reports each
 * access to memory and each synchronisation before it happens; so does the runtime for what it
 * executes for a kernel (exec/services/service_access.h).
 *
 * To add a check: a bit in abi/check.h, which checker.c sets if the configuration has the check,
 * and its functions in the tables of dispatch.c. A check sees every access of all threads; it must
 * be thread-safe, since blocks run in several threads. A block is run by one thread at a time. */
#ifndef CUP_CHECK_KERNEL_DISPATCH_H
#define CUP_CHECK_KERNEL_DISPATCH_H

#include "check/kernel/access.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_abi_block;
struct cup_grid;

/* Before a worker runs blocks with the structure. */
void cup_kcheck_block_bind(struct cup_abi_block *block);

/* A launch is about to run, and has ended. */
void cup_kcheck_on_launch(struct cup_grid *grid);
void cup_kcheck_launch_end(struct cup_grid *grid);

/* The memory of a block is put back for other blocks. `abandoned`: it did not come to its end. */
void cup_kcheck_block_put(struct cup_abi_block *block, bool abandoned);
/* Frees what the checks keep of a block. */
void cup_kcheck_block_free(struct cup_abi_block *block);

/* The services. */
void cup_kcheck_on_block(struct cup_abi_block *block);
void cup_kcheck_on_access(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const uint64_t *addresses, uint32_t bytes, uint32_t site, uint32_t how,
                          const uint8_t *values, uint32_t element_bytes);
void cup_kcheck_on_range(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                         uint64_t address, uint64_t bytes, uint32_t site, uint32_t how);
void cup_kcheck_on_rows(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                        const struct cup_abi_rows *rows);
void cup_kcheck_on_lanes(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         uint64_t address, int32_t stride, uint32_t bytes, uint32_t site,
                         uint32_t how);
void cup_kcheck_on_reads(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         uint64_t address, const struct cup_abi_reads *reads);
void cup_kcheck_on_sync(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint32_t kind,
                        const uint64_t *values, uint32_t site, uint32_t how);

#endif
