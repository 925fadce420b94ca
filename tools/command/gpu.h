/* SPDX-License-Identifier: MIT */
/* Which GPUs the devices of a program will be, as far as the environment says. */
#ifndef CUP_COMMAND_GPU_H
#define CUP_COMMAND_GPU_H

/* The lowest and the highest compute capability of the devices: 90 for 9.0. A wrong value counts as
 * unset, as libcuda reports it. */
void gpu_capabilities(unsigned *lowest, unsigned *highest);

/* A GPU of at least this compute capability, or NULL. */
const char *gpu_suggest(unsigned capability);

/* Prints all GPUs and their compute capabilities, one a line. */
void gpu_print_all(void);

#endif
