/* SPDX-License-Identifier: MIT */
/* Mapping memory to images that were made without: lists of operations, judged as a whole and then
 * done in stream order. What it means for the bytes is written in tiles.h. */
#ifndef CUP_IMAGE_ARRAY_MAP_H
#define CUP_IMAGE_ARRAY_MAP_H

#include <cuda.h>

struct CUstream_st;
struct cup_copy;

/* INVALID_VALUE when anything in the list is wrong; nothing of it is done then. Images and memory
 * stay until the list is done, memory until it is unmapped or the image ends. */
CUresult cup_array_map_submit(struct CUstream_st *stream, const CUarrayMapInfo *list,
                              unsigned count);

/* To follow a copy that was submitted: drops, in the stream, what it wrote where nothing is mapped.
 * Only for arrays without memory of their own. */
CUresult cup_array_map_drop(struct CUstream_st *stream, CUarray handle,
                            const struct cup_copy *written);

#endif
