/* SPDX-License-Identifier: MIT */
/* A piece of memory as a file that can be handed to another process. The memory is the file from
 * its beginning; one page behind it carries a label, in which the maker says what it is. The file's
 * size is sealed, so nobody can take the memory away under those who have it mapped. It lives for
 * as long as somebody has it open or mapped.
 *
 * Memory that graphics drivers are to import has the form they know. Mesa's software drivers want a
 * header before the memory, so the label stands there, too; others take the file from its
 * beginning. */
#ifndef CUP_OS_MEMFD_H
#define CUP_OS_MEMFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_MEMFD_LABEL_BYTES = 4096 };

/* Zeroed memory of so many bytes, a multiple of a page; -1, with errno as it was set, when the
 * system refuses. A label is at most CUP_MEMFD_LABEL_BYTES long. */
int cup_memfd_create(const char *name, uint64_t size_bytes, const void *label, size_t label_bytes);

/* How Mesa's software drivers (llvmpipe, lavapipe) mark a file as memory of theirs. The header is
 * the file's beginning; `offset` stands once more right before the memory. Behind the memory they
 * keep a few bytes that they do not use. */
struct cup_llvmpipe_header {
    uint64_t file_bytes;
    uint64_t offset; /* of the memory, a multiple of a page */
    uint8_t uuid[16];
};

enum { CUP_LLVMPIPE_TAIL_BYTES = 40 };

/* Where the memory is in a file. */
struct cup_memfd_location {
    uint64_t offset, size_bytes;
};

/* Is it a file of that form? The place is in the file then, whatever its maker wrote into the
 * header. `file_bytes` is what fstat says. */
bool cup_llvmpipe_file_read(int fd, uint64_t file_bytes, struct cup_memfd_location *place);

/* The same as cup_memfd_create, but in that form. */
int cup_llvmpipe_file_create(const char *name, uint64_t size_bytes, const void *label,
                             size_t label_bytes, uint64_t *offset);

/* The label of a file of either form that has all of our seals, and where its memory is. */
bool cup_memfd_open(int fd, struct cup_memfd_location *place, void *label, size_t label_bytes);

/* False when the descriptor is not that of such a file, open for reading and writing. */
bool cup_memfd_read(int fd, uint64_t *size_bytes, void *label, size_t label_bytes);

/* The memory, somewhere in the address space, to read and write; NULL when it cannot be had. Ends
 * with cup_reserve_release. */
void *cup_memfd_map(int fd, uint64_t size_bytes);
void *cup_memfd_map_at(int fd, uint64_t offset, uint64_t size_bytes);

/* Another descriptor of the same file, closed on exec; -1 when there are too many. What the library
 * keeps has a high number if it can: a program that uses a descriptor it has given away then finds
 * nothing, and not one of ours. */
int cup_memfd_share(int fd);
int cup_memfd_keep(int fd);

#endif
