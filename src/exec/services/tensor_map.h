/* SPDX-License-Identifier: MIT */
/* The tensor maps that kernels read: 128 bytes as module/tensor_map.c encodes them, or another
 * driver did. */
#ifndef CUP_EXEC_SERVICES_TENSOR_MAP_H
#define CUP_EXEC_SERVICES_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct cup_abi_block;
struct cup_abi_warp_call;

enum { CUP_TMA_MAP_BYTES = 128, CUP_TMA_DIMENSIONS = 5 };

/* Interleaved layouts hold channels in slices of 16 or 32 bytes, which the first dimension counts.
 */
enum cup_tma_interleave { CUP_TMA_PLAIN, CUP_TMA_SLICES_16B, CUP_TMA_SLICES_32B };

struct cup_tma_tensor {
    uint64_t address;
    uint32_t rank;
    uint8_t type;          /* enum ptx_type */
    uint8_t element_bytes; /* of the type */
    uint8_t unit_bytes;    /* of what coordinates count: an element, or a slice of channels */
    bool is_float;
    bool rounds_to_tf32; /* loads do */
    bool flushes;        /* sums do */
    bool is_im2col;
    bool fills_nan;
    uint8_t interleave; /* enum cup_tma_interleave */
    uint8_t swizzle;    /* enum cup_swizzle */
    uint64_t dims[CUP_TMA_DIMENSIONS];
    uint64_t strides[CUP_TMA_DIMENSIONS]; /* in bytes */
    uint32_t element_strides[CUP_TMA_DIMENSIONS];
    uint32_t box[CUP_TMA_DIMENSIONS]; /* tiled; im2col: the first is the channels of a pixel */
    int32_t lower[3], upper[3];       /* im2col: corners */
    uint32_t pixels;                  /* im2col: of a column */
};

/* Reads a map. Returns false if it describes no tensor. */
bool cup_tma_read(struct cup_tma_tensor *tensor, const void *map);

/* Executes CUP_ABI_WARP_TENSOR_MAP_REPLACE and CUP_ABI_WARP_TENSOR_MAP_COPY. */
void cup_tma_map_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         const struct cup_abi_warp_call *call, const uint64_t *words);

/* Executes CUP_ABI_WARP_TENSOR_LOAD and CUP_ABI_WARP_TENSOR_STORE. */
void cup_tma_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                     const struct cup_abi_warp_call *call, const uint64_t *words);

#endif
