/* SPDX-License-Identifier: MIT */
/* Texture and surface instructions. Compiled code writes struct cup_abi_texture_call once, except
 * its workspace, and fills the arrays before each call. */
#ifndef CUP_ABI_TEXTURE_H
#define CUP_ABI_TEXTURE_H

#include <stdint.h>

enum cup_abi_texture_operation {
    CUP_ABI_TEXTURE_SAMPLE,
    CUP_ABI_TEXTURE_QUERY,
    CUP_ABI_TEXTURE_IS_TYPE, /* query: 0 texture, 1 surface, 2 sampler */
    CUP_ABI_SURFACE_QUERY,
    CUP_ABI_SURFACE_LOAD,
    CUP_ABI_SURFACE_STORE,
    CUP_ABI_SURFACE_REDUCE,
};

/* The values of enum cup_texture_query of src/image. */
enum cup_abi_texture_query { CUP_ABI_QUERY_WIDTH, CUP_ABI_QUERY_HEIGHT, CUP_ABI_QUERY_DEPTH };

/* The arrays: 32 bits a lane, except handles and what surfaces load and store. */
enum cup_abi_texture_array {
    CUP_ABI_TEXTURE_COORDINATE = 0, /* x, y, z */
    CUP_ABI_TEXTURE_LAYER = 3,
    CUP_ABI_TEXTURE_LEVEL = 4,
    CUP_ABI_TEXTURE_GRADIENT_X = 5,
    CUP_ABI_TEXTURE_GRADIENT_Y = 8,
    CUP_ABI_TEXTURE_OFFSET = 11,
    CUP_ABI_TEXTURE_RESULT = 14, /* up to four; also what is stored */
    CUP_ABI_TEXTURE_HANDLE = 18,
    CUP_ABI_TEXTURE_RESIDENCY = 19,       /* a result: 0 or 1 */
    CUP_ABI_TEXTURE_SAMPLE_OF_PIXEL = 20, /* of multisampled images */
    CUP_ABI_TEXTURE_ARRAYS = 21,
};

/* The kinds of images that compiled code reads and writes in place, without calling the runtime.
 * Textures: two dimensions, 32 bits a texel, point sampling, clamped, coordinates in texels. */
enum cup_abi_texture_inline {
    CUP_ABI_TEXTURE_INLINE_NONE,
    CUP_ABI_TEXTURE_INLINE_WORDS,     /* one channel */
    CUP_ABI_TEXTURE_INLINE_BYTES,     /* four channels of unsigned bytes, read as integers */
    CUP_ABI_TEXTURE_INLINE_FRACTIONS, /* the same, normalised */
    CUP_ABI_TEXTURE_INLINE_SURFACE,   /* any surface of two dimensions */
};

/* The memory of such an image. */
struct cup_abi_texture_plain {
    uint64_t handle; /* of the image; 0: none */
    const uint8_t *base;
    uint64_t row_bytes;
    int32_t last[2]; /* column (of surfaces: byte) and row */
};

struct cup_abi_texture_call {
    uint8_t operation;  /* enum cup_abi_texture_operation */
    uint8_t geometry;   /* enum cup_geometry of src/image */
    uint8_t components; /* 1, 2 or 4 */
    uint8_t float_coordinates, float_result;
    uint8_t level_mode;   /* 0 none, 1 level, 2 gradients */
    uint8_t gather;       /* 1 to 4: tld4 of r, g, b, a */
    uint8_t element_bits; /* of a result, or of what is loaded or stored */
    uint8_t query, boundary, reduction, is_signed, formatted; /* as in src/image */
    uint8_t prepared;                                         /* the workspace is filled */
    uint8_t place; /* enum cup_abi_texture_inline: what `plain` is filled for */
    uint8_t apart; /* the instruction names a sampler */
    uint32_t line, unused_too;
    void *arrays[CUP_ABI_TEXTURE_ARRAYS]; /* NULL: the instruction has no such operand */
    struct cup_abi_texture_plain plain;   /* filled by the service; handle is 0 before */
    uint64_t workspace[32];               /* of the service */
};

#endif
