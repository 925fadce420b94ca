/* SPDX-License-Identifier: MIT */
/* The variables under which programs find cupipe. */
#ifndef CUP_COMMAND_ENVIRONMENT_H
#define CUP_COMMAND_ENVIRONMENT_H

#include "command/command.h"

/* Sets the variables in this process. What the user has set is kept: lists get our part in front or
 * behind, single values stay. For a program of Python, whose `interpreter` is given, the libraries
 * are preloaded that packages would otherwise load from NVIDIA's wheels by path, as far as the
 * interpreter's environment allows. NULL: another program. Returns false if memory is
 * out. */
bool environment_apply(const struct places *places, const char *interpreter);

/* Calls `visit` with each variable that environment_apply() sets, in its order. */
void environment_each(void (*visit)(const char *name, void *argument), void *argument);

#endif
