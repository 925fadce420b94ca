/* SPDX-License-Identifier: MIT */
/* cuMemMapArrayAsync: maps memory to images that were created without. A list of operations is
 * validated as a whole and then executed in stream order. tiles.h describes what a mapping does to
 * the bytes. */
#ifndef CUP_IMAGE_ARRAY_MAP_H
#define CUP_IMAGE_ARRAY_MAP_H

#include <cuda.h>

struct CUstream_st;
struct cup_copy;

/* Returns INVALID_VALUE, and executes nothing, if any entry of the list is invalid. The job holds
 * references on images and memory until it has run; a mapping holds one on its memory until it is
 * unmapped or the image is destroyed. */
CUresult cup_array_map_submit(struct CUstream_st *stream, const CUarrayMapInfo *list,
                              unsigned count);

/* For copies to and from arrays that were created without memory. A deferred array that has none
 * when the stream gets here is an error of the device, as with NVIDIA's driver.
 *
 * Submit the first after a copy to such an array: it zeroes the bytes that the copy wrote to
 * unmapped tiles. Submit the second before a copy from one. */
CUresult cup_array_map_drop(struct CUstream_st *stream, CUarray handle,
                            const struct cup_copy *written, CUresult unbound);
CUresult cup_array_map_require(struct CUstream_st *stream, CUarray handle, CUresult unbound);

#endif
