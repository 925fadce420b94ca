/* SPDX-License-Identifier: MIT */
/* Unpacking what nvcc packs by default. libzstd is loaded when it is first needed. */
#ifndef CUP_MODULE_ZSTD_H
#define CUP_MODULE_ZSTD_H

#include <cuda.h>
#include <stddef.h>

/* The whole of it must come to exactly so many bytes. */
CUresult cup_zstd_unpack(const void *packed, size_t packed_bytes, void *room, size_t room_bytes);

#endif
