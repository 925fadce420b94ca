/* SPDX-License-Identifier: MIT */
/* Libraries of Python packages that do not run on cupipe as they are, for cupipe doctor. */
#ifndef CUP_COMMAND_PACKAGES_H
#define CUP_COMMAND_PACKAGES_H

#include "command/command.h"

/* Prints a line for each package of the interpreter's environment that has NVIDIA's runtime linked
 * in, with what to do, and for each library of NVIDIA's wheels that comes before cupipe's. */
void packages_print(const char *interpreter, const struct places *places);

/* Prints which libcuda.so.1 programs find that are not run by cupipe. Called before the variables
 * of cupipe run are set. */
void packages_print_driver(const struct places *places);

#endif
