/* SPDX-License-Identifier: MIT */
/* What stands in the way of PyTorch, for cupipe doctor. */
#ifndef CUP_COMMAND_TORCH_H
#define CUP_COMMAND_TORCH_H

#include "command/command.h"

/* Prints what is wrong with the PyTorch of this Python, or that nothing is; nothing at all if it
 * has none. The variables of environment.h are set. Returns false if something is wrong. */
bool torch_examine(const struct places *places, const char *interpreter);

#endif
