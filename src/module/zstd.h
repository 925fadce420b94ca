/* SPDX-License-Identifier: MIT */
/* Decompression of fatbins: nvcc compresses with zstd by default. libzstd is loaded on first
 * use. */
#ifndef CUP_MODULE_ZSTD_H
#define CUP_MODULE_ZSTD_H

#include <cuda.h>
#include <stddef.h>

/* Fails unless the output has exactly `capacity` bytes. */
CUresult cup_zstd_unpack(const void *packed, size_t packed_bytes, void *output,
                         size_t output_bytes);

#endif
