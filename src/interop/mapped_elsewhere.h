/* SPDX-License-Identifier: MIT */
/* Has anybody a memory file of another maker's mapped, this process included, but for one mapping
 * that is known? The files of this library count their users; others do not tell. */
#ifndef CUP_INTEROP_MAPPED_ELSEWHERE_H
#define CUP_INTEROP_MAPPED_ELSEWHERE_H

#include <stdbool.h>
#include <stdint.h>

/* `name` is how the file's name begins. Reads the memory maps of all processes that this one may
 * look into, which takes milliseconds. */
bool cup_mapped_elsewhere(const char *name, uint64_t inode, const void *known);

#endif
