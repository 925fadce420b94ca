/* SPDX-License-Identifier: MIT */
/* Tensor maps: the 128 bytes that describe a tensor in global memory and the box that a kernel
 * copies from it at once. The layout is that of the emulated device, because kernels may be given
 * maps that another driver made. */
#ifndef CUP_MODULE_TENSOR_MAP_H
#define CUP_MODULE_TENSOR_MAP_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

enum { CUP_TENSOR_RANK_MAX = 5, CUP_TENSOR_SPATIAL_MAX = 3 };

enum cup_tensor_kind { CUP_TENSOR_TILED, CUP_TENSOR_IM2COL };

/* The arguments of an encoding. The arrays have `rank` elements, `strides` one less, the corners
 * two less. */
struct cup_tensor_request {
    enum cup_tensor_kind kind;
    CUtensorMapDataType type;
    cuuint32_t rank;
    const void *address;
    const cuuint64_t *dims, *strides; /* strides in bytes, of all dimensions but the first */
    const cuuint32_t *box;            /* tiled */
    int lower[CUP_TENSOR_SPATIAL_MAX],
        upper[CUP_TENSOR_SPATIAL_MAX]; /* im2col: corners of the box */
    bool has_bad_mode;                 /* im2col: refused before any field is written */
    unsigned corners;            /* im2col: how many of them bound the box; the others are 0 */
    cuuint32_t channels, pixels; /* im2col: per pixel, per column */
    const cuuint32_t *element_strides;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion l2;
    CUtensorMapFloatOOBfill fill;
};

/* Encodes a map. Like NVIDIA's driver, it writes the fields in the order in which it validates
 * them, so that a refused request leaves those before the first error, unless a count is 0. `map`
 * need not be aligned. */
CUresult cup_tensor_map_encode(void *map, const struct cup_tensor_request *request);

/* Changes the address of a map. */
CUresult cup_tensor_map_replace_address(void *map, const void *address);

#endif
