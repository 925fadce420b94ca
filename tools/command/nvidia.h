/* SPDX-License-Identifier: MIT */
/* Which libraries of NVIDIA's the stand-ins for NVRTC and nvJitLink take, and why. */
#ifndef CUP_COMMAND_NVIDIA_H
#define CUP_COMMAND_NVIDIA_H

#include <stdbool.h>

/* Prints the libraries that a program finds which the Python `interpreter` runs, or any other
 * program if that is NULL: the one that is taken first, then the others, each with its version and
 * what led to it. */
void nvidia_print(const char *interpreter);

/* The same as the members of a JSON object; `quote` prints a string. */
void nvidia_print_json(const char *interpreter, void (*quote)(const char *text));

#endif
