/* SPDX-License-Identifier: MIT */
/* The names of the entry points. The command cupipe has them, too. */
#ifndef CUP_API_ENTRYPOINT_NAMES_H
#define CUP_API_ENTRYPOINT_NAMES_H

#include <stdbool.h>

/* True if this is the name of an exported function or, with a trailing *, a prefix of one. */
bool cup_entrypoint_knows(const char *name);

/* All names, each with a zero behind it, and one more. Generated. */
extern const char cup_entrypoint_names[];

#endif
