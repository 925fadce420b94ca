/* SPDX-License-Identifier: MIT */
/* A piece of memory as a file that can be handed to another process. The memory is the file from
 * its beginning; one page behind it carries a label, in which the maker says what it is. The file's
 * size is sealed, so nobody can take the memory away under those who have it mapped. It lives for
 * as long as somebody has it open or mapped. */
#ifndef CUP_OS_MEMORY_FILE_H
#define CUP_OS_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_MEMORY_FILE_LABEL_BYTES = 4096 };

/* Zeroed memory of so many bytes, a multiple of a page; -1, with errno as it was set, when the
 * system refuses. A label is at most CUP_MEMORY_FILE_LABEL_BYTES long. */
int cup_memory_file_create(const char *name, uint64_t size_bytes, const void *label,
                           size_t label_bytes);

/* False when the descriptor is not that of such a file, open for reading and writing. */
bool cup_memory_file_read(int fd, uint64_t *size_bytes, void *label, size_t label_bytes);

/* The memory, somewhere in the address space, to read and write; NULL when it cannot be had. Ends
 * with cup_reserve_release. */
void *cup_memory_file_map(int fd, uint64_t size_bytes);

/* Another descriptor of the same file, closed on exec; -1 when there are too many. */
int cup_memory_file_share(int fd);

#endif
