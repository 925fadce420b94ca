/* SPDX-License-Identifier: MIT */
/*
 * What device code may call of the runtime. Hosts need none of it: device code is compiled with a
 * toolkit, which brings its own.
 */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "builtin_types.h"

#endif
