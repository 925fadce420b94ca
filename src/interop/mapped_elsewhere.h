/* SPDX-License-Identifier: MIT */
/* Finds out whether any process, this one included, has mapped a foreign memfd, apart from one
 * known mapping. Files of this library count their users; foreign ones do not. */
#ifndef CUP_INTEROP_MAPPED_ELSEWHERE_H
#define CUP_INTEROP_MAPPED_ELSEWHERE_H

#include <stdbool.h>
#include <stdint.h>

/* `name` is the prefix of the file's name. Reads the memory maps of all accessible processes, which
 * takes milliseconds. */
bool cup_mapped_elsewhere(const char *name, uint64_t inode, const void *known);

#endif
