/* SPDX-License-Identifier: MIT */
/* Reports faults of kernels: selects the error of the launch and writes the log message. */
#ifndef CUP_EXEC_SCHED_FAULT_H
#define CUP_EXEC_SCHED_FAULT_H

#include "exec/sched/grid.h"
#include "os/guard.h"

/* Reports a hardware fault. `warp` is -1 if unknown; `frame` may be NULL. */
void cup_fault_report(struct cup_grid *grid, const struct cup_abi_block *block, int warp,
                      const struct cup_frame *frame, const struct cup_guard_fault *fault);

/* Reports warps that wait at barriers that never complete. */
void cup_fault_report_deadlock(struct cup_grid *grid, struct cup_resident *resident);

/* The service `trap`. */
_Noreturn void cup_fault_trap(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                              uint32_t reason, uint32_t instruction_line);

/* The service `misaligned`. */
_Noreturn void cup_fault_misaligned(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                                    uint64_t address, uint32_t bytes, uint32_t instruction_line);

/* Reports an access to existing memory without the right to access it. */
_Noreturn void cup_fault_forbidden(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                                   uint64_t address, const char *why, uint32_t instruction_line);

/* The service `access`. Returns only if the lanes may access the memory. */
void cup_fault_access(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t address,
                      uint32_t bytes, uint32_t wanted, uint32_t instruction_line);

/* Reports a free() of device heap memory that is not allocated. Does not return. */
void cup_fault_double_free(struct cup_abi_block *block, uint64_t address);

#endif
