/* SPDX-License-Identifier: MIT */
/* printf and assert in kernels. Output is formatted at once and kept in a buffer of the context, of
 * the size CU_LIMIT_PRINTF_FIFO_SIZE; it is written to stdout at synchronisation. If the buffer is
 * full, the oldest output is dropped, as on a device. */
#ifndef CUP_EXEC_OUTPUT_H
#define CUP_EXEC_OUTPUT_H

#include "abi/launch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The print and assert services of abi/services.h. */
void cup_output_print(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const uint64_t *formats, const uint64_t *arguments, int32_t *results);
void cup_output_assert(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                       const uint64_t *messages, const uint64_t *files, const uint32_t *lines,
                       const uint64_t *functions);

/* The output buffer of a context. */
struct cup_output;
struct cup_output *cup_output_create(size_t size_bytes);
void cup_output_destroy(struct cup_output *output);

/* True if the buffer has output, or another thread is writing it. */
bool cup_output_is_pending(struct cup_output *output);
void cup_output_write(struct cup_output *output);

#endif
