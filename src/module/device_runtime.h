/* SPDX-License-Identifier: MIT */
/* The part of CUDA's device runtime that exists as PTX: synchronising the blocks of a cooperative
 * launch, for compilers that call it instead of writing it out (numba). */
#ifndef CUP_MODULE_DEVICE_RUNTIME_H
#define CUP_MODULE_DEVICE_RUNTIME_H

extern const char cup_device_runtime_ptx[];

#endif
