/* SPDX-License-Identifier: MIT */
/* printf and assert in kernels. Output is formatted at once and kept in a buffer of the context, of
 * the size CU_LIMIT_PRINTF_FIFO_SIZE; it is written to stdout at synchronisation. If the buffer is
 * full, the oldest output is dropped, as on a device. */
#ifndef CUP_EXEC_SERVICES_OUTPUT_H
#define CUP_EXEC_SERVICES_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The output buffer of a context. */
struct cup_output;
struct cup_output *cup_output_create(size_t size_bytes);
void cup_output_destroy(struct cup_output *output);

/* Appends the text of a kernel's vprintf(). Both addresses are in the kernel's memory, so reading
 * them may fault. Returns the number of arguments used, or -1 if there is no format. */
int32_t cup_output_print(struct cup_output *output, uint64_t format, uint64_t arguments);

/* True if the buffer has output, or another thread is writing it. */
bool cup_output_is_pending(struct cup_output *output);
void cup_output_write(struct cup_output *output);

#endif
