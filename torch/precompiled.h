/* SPDX-License-Identifier: MIT */
/* The headers of torch that many sources include. They are compiled once, before the sources; each
 * source includes what it needs all the same. */
#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
