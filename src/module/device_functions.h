/* SPDX-License-Identifier: MIT */
/* The device functions of a linked image. NVIDIA's linker keeps those that a kernel or the initial
 * value of a variable reaches, and cuModuleGetFunction() finds them by name; libgomp asks for
 * functions that are called on the host that way. They have attributes, but cannot be launched. */
#ifndef CUP_MODULE_DEVICE_FUNCTIONS_H
#define CUP_MODULE_DEVICE_FUNCTIONS_H

#include "ptx/program.h"

/* Writes the indices of the functions, in the order of the program; there is room for all of them.
 * Returns false if memory is out. */
bool cup_program_device_functions(const struct ptx_program *program, uint32_t *indices,
                                  uint32_t *count);

#endif
