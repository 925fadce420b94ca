/* SPDX-License-Identifier: MIT */
/* The functions of the device runtime that the library has itself, by the names that nvcc gives
 * them. The bodies that a libcudadevrt has are not used. */
#ifndef CUP_PTX_DEVICE_CALL_H
#define CUP_PTX_DEVICE_CALL_H

enum ptx_device_call {
#define PTX_DEVICE_CALL(call, name) PTX_CALL_##call,
#include "ptx/device_calls.def"
#undef PTX_DEVICE_CALL
    PTX_CALL_NONE,
};

/* PTX_CALL_NONE: the name is another function's. */
enum ptx_device_call ptx_device_call_of(const char *name);

#endif
