/* SPDX-License-Identifier: MIT */
/* A kernel did what it must not: which error that is, and what the log says of it. */
#ifndef CUP_EXEC_FAULT_H
#define CUP_EXEC_FAULT_H

#include "exec/grid.h"
#include "os/guard.h"

/* The processor stopped it. `warp` is -1 when not known, frame NULL when there is none. */
void cup_fault_report(struct cup_grid *grid, const struct cup_abi_block *block, int warp,
                      const struct cup_frame *frame, const struct cup_guard_fault *fault);

/* Its warps wait at barriers that never complete. */
void cup_fault_report_deadlock(struct cup_grid *grid, const struct cup_resident *resident);

/* The service of the same name: does not return. */
_Noreturn void cup_fault_trap(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                              uint32_t reason, uint32_t instruction_line);

/* The service `misaligned`: does not return. */
_Noreturn void cup_fault_misaligned(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                                    uint64_t address, uint32_t bytes, uint32_t instruction_line);

/* It touched memory that is there, but not for it. Does not return. */
_Noreturn void cup_fault_forbidden(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                                   uint64_t address, const char *why, uint32_t instruction_line);

/* The service `access`: does not return if the lanes may not. */
void cup_fault_access(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t address,
                      uint32_t bytes, uint32_t wanted, uint32_t instruction_line);

/* It freed memory of kernels that is not allocated. Does not return. */
void cup_fault_double_free(struct cup_abi_block *block, uint64_t address);

#endif
