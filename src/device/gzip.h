/* SPDX-License-Identifier: MIT */
/* Compression into the gzip format by libdeflate, which is loaded on first use. */
#ifndef CUP_DEVICE_GZIP_H
#define CUP_DEVICE_GZIP_H

#include <stdbool.h>
#include <stddef.h>

/* Whether libdeflate is there; the log names the package if not. */
bool cup_gzip_is_available(void);

/* Returns the compressed bytes, which the caller frees; NULL without libdeflate or memory. */
void *cup_gzip_compress(const void *data, size_t size_bytes, size_t *compressed_bytes);

#endif
