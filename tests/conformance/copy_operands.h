/* SPDX-License-Identifier: MIT */
/*
 * Operands of 2D, 3D and batched copies: the same image (PITCH by ROWS by LAYERS bytes) in each
 * kind of memory, named in each way that a copy descriptor can name it; and the copies themselves.
 */
#ifndef COPY_OPERANDS_H
#define COPY_OPERANDS_H

#include "recorder.h"

#define PITCH 256
#define ROWS 16
#define LAYERS 4
#define IMAGE_SIZE (PITCH * ROWS * LAYERS)

/* AS_HOST_PINNED is pinned memory under memory type HOST, and so on. */
enum {
    AS_HOST_PAGEABLE,
    AS_HOST_PINNED,
    AS_HOST_MANAGED,
    AS_HOST_DEVICE,
    AS_DEVICE,
    AS_DEVICE_PINNED,
    AS_DEVICE_PAGEABLE,
    AS_DEVICE_MANAGED,
    AS_DEVICE_POOL,
    AS_ARRAY,
    AS_UNIFIED_DEVICE,
    AS_UNIFIED_PINNED,
    AS_UNIFIED_PAGEABLE,
    AS_UNIFIED_MANAGED,
    OPERAND_COUNT
};

struct operand {
    const char *name;
    CUmemorytype type;
    struct memory memory; /* unless an array */
    CUarray array;
};

/* What is copied: from (sx, sy, sz) to (dx, dy, dz), w bytes by h rows by d slices. */
struct box {
    size_t sx, sy, sz, dx, dy, dz, w, h, d;
};

CUarray array_new(size_t width, size_t height, size_t depth, int format_id, int channels,
                  unsigned flags);
void operands_create(struct operand *operands, int depth);
void operand_fill(struct operand *operand, int depth, unsigned seed);
/* Whether the box of an operand filled with seed 2 now holds what an operand of seed 1 held. */
const char *box_check(struct operand *operand, int depth, struct box box);

void copy3d_set(CUDA_MEMCPY3D *copy, struct operand *src, struct operand *dst, struct box box);
void copy2d_set(CUDA_MEMCPY2D *copy, struct operand *src, struct operand *dst, struct box box);

/* The copies by descriptor: the asynchronous ones on async_stream, the peer ones between these. */
enum {
    COPY_2D,
    COPY_2D_UNALIGNED,
    COPY_2D_ASYNC,
    COPY_3D,
    COPY_3D_ASYNC,
    COPY_3D_PEER,
    COPY_3D_PEER_ASYNC,
    COPY_COUNT
};
struct copy {
    const char *name;
    CUresult (*call)(const void *descriptor);
    int dim;
};
extern const struct copy copies[COPY_COUNT];
extern CUstream async_stream;
extern CUcontext src_context, dst_context;

#endif
