/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=streams: what kernels touch. */
#ifndef CUP_CHECK_STREAM_KERNEL_ACCESSES_H
#define CUP_CHECK_STREAM_KERNEL_ACCESSES_H

#include "check/kernel/dispatch.h"
#include "check/kernel/rows.h"

void cup_kcheck_streams_access(const struct cup_kcheck_access *access);
void cup_kcheck_streams_rows(const struct cup_kcheck_rows *rows);
void cup_kcheck_streams_run(struct cup_abi_block *block, uint64_t address,
                            const struct cup_abi_run_lanes *lanes);
void cup_kcheck_streams_sync(const struct cup_kcheck_sync *sync);
/* Gives the block its runs, and adds what they have to what the launch has touched. */
void cup_kcheck_streams_bind(struct cup_abi_block *block);
void cup_kcheck_streams_put(struct cup_abi_block *block, bool abandoned);

#endif
