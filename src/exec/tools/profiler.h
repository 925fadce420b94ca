/* SPDX-License-Identifier: MIT */
/* The profile (CUPIPE_PROFILE): what each kernel executed, counted by its own code, written as JSON
 * when the process ends. Counts do not depend on the machine; only times do. */
#ifndef CUP_EXEC_TOOLS_PROFILER_H
#define CUP_EXEC_TOOLS_PROFILER_H

#include "abi/profile.h"
#include "ptx/program.h"

#include <cupipe.h>
#include <stdbool.h>
#include <stddef.h>

struct cup_abi_block;
struct cup_abi_launch;
struct cup_profiler_kernel;

/* Adds a kernel with its counters, or finds it if it has been added before. NULL if memory is
 * out. What it needs of the program is copied. */
struct cup_profiler_kernel *cup_profiler_add(const struct ptx_program *program, uint32_t function,
                                             const struct cup_abi_counter *counters, size_t count);
/* Where the kernel's code counts. */
struct cup_abi_count *cup_profiler_counts(struct cup_profiler_kernel *kernel);
/* A launch has ended. */
void cup_profiler_launch(struct cup_profiler_kernel *kernel, const struct cup_abi_launch *launch,
                         uint64_t duration_ns);

/* The counts of one launch, from a zeroed start. NULL if memory is out. Releasing them adds them to
 * the kernel's own. */
struct cupipe_counts *cup_profiler_run_begin(struct cup_profiler_kernel *kernel);
struct cup_abi_count *cup_profiler_run_counts(struct cupipe_counts *counts);
void cup_profiler_run_release(struct cupipe_counts *counts);
/* For tools (cupipe.h). */
size_t cup_profiler_count_instructions(const struct cupipe_counts *counts);
void cup_profiler_read_instruction(const struct cupipe_counts *counts, size_t index,
                                   struct cupipe_instruction_count *instruction);

/* The service. */
void cup_profiler_count_access(struct cup_abi_block *block, uint32_t mask,
                               const uint64_t *addresses, uint32_t bytes, uint32_t counter,
                               uint32_t shared);

#endif
