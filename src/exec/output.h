/* SPDX-License-Identifier: MIT */
/* printf and assert in kernels. What is printed is put into words at once and kept for its context,
 * in a buffer as long as CU_LIMIT_PRINTF_FIFO_SIZE says; it goes to stdout when somebody
 * synchronises. What does not fit pushes the oldest out, as with the real device. */
#ifndef CUP_EXEC_OUTPUT_H
#define CUP_EXEC_OUTPUT_H

#include "abi/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The services of kernel.h. */
void cup_output_print(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const uint64_t *formats, const uint64_t *arguments, int32_t *results);
void cup_output_assert(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                       const uint64_t *messages, const uint64_t *files, const uint32_t *lines,
                       const uint64_t *functions);

/* The buffer of a context. */
struct cup_output;
struct cup_output *cup_output_create(size_t size_bytes);
void cup_output_destroy(struct cup_output *output);

/* Pending: something is there, or somebody else is writing it. */
bool cup_output_is_pending(struct cup_output *output);
void cup_output_write(struct cup_output *output);

#endif
