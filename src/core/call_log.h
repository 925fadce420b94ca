/* SPDX-License-Identifier: MIT */
/* The log of failed API calls that cuLogs* reads: the latest hundred lines, and the callbacks that
 * get each line when it is written. A failed call leaves a line with its reason, if it has one, and
 * a line with its result.
 *
 * An iterator is the number of lines that were written before. */
#ifndef CUP_CORE_CALL_LOG_H
#define CUP_CORE_CALL_LOG_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All lines of a dump, with the line that tells of missing ones, have fewer bytes than this. */
enum { CUP_CALL_LOG_BYTES = 25600 };

/* Writes the lines of a failed call. The caller's thread runs the callbacks. */
void cup_call_log_failure(const char *function, CUresult result);

uint32_t cup_call_log_position(void);

/* Copies the lines from *position on, or as many of the newest as fit, with a final zero that is
 * not counted. Moves *position to the end. Returns false if *position has not been reached yet. */
bool cup_call_log_read(uint32_t *position, char *buffer, size_t size_bytes, size_t *length);

/* Returns NULL if out of memory. */
CUlogsCallbackHandle cup_call_log_register(CUlogsCallback function, void *data);
bool cup_call_log_unregister(CUlogsCallbackHandle handle); /* false: no such callback */

#endif
