/* SPDX-License-Identifier: MIT */
/*
 * The forms of functions that libcudart.so.12 exports under names that mean something else, or
 * nothing, in 13.0. A suffix _v12 tells them apart here; the wrappers export them without it.
 */
#ifndef RT_LEGACY_API_H
#define RT_LEGACY_API_H

#include "cuda_runtime_api.h"

#endif
