/* SPDX-License-Identifier: MIT */
/* Arrays on several devices. An array is split into parts, one for each device of the plan:
 *
 *     natural    by the first dimension, or by transforms if there are several
 *     shuffled   by the second dimension: each part has all of the first; of several transforms,
 *                the same as the natural order; of one dimension, by strings (devices_line.c)
 *
 * The first parts have one row more where the rows cannot be shared equally. Real arrays have the
 * rows of the transform in place, so that everything counts in complex numbers. */
#ifndef CUFFT_DEVICES_H
#define CUFFT_DEVICES_H

#include "plan.h"

/* The array of a plan: `outer` x `split` rows of `row` bytes, of which `split` is shared. */
struct fft_rows {
    size_t outer, split, row;
};

struct fft_rows fft_rows_of(const struct fft_plan *plan, bool shuffled);

/* The answer to a plan's lengths: INVALID_SIZE if so many devices do not take them. */
cufftResult fft_devices_take(const struct fft_request *request, int gpu_count);

/* True for one transform of one dimension, whose elements have orders of their own. */
bool fft_is_line(const struct fft_plan *plan);

/* Where the element at `place` of the parts, counted through all of them, belongs in the array, if
 * the parts have the order `format`. */
size_t fft_line_index(const struct fft_plan *plan, int format, size_t place);

/* The rows of a part: the first one and how many. */
size_t fft_part_rows(const struct fft_rows *rows, int parts, int part, size_t *first);

/* The bytes of a part. */
size_t fft_part_bytes(const struct fft_rows *rows, int parts, int part);

/* The bytes of a part in the order that needs more of them. */
size_t fft_part_room(const struct fft_plan *plan, int part);

/* True if the descriptor has a part for each device of the plan, with room for the array. It may be
 * one of this library or the program's own, as its fields are public. */
bool fft_descriptor_fits(const struct fft_plan *plan, const cudaLibXtDesc *descriptor);

bool fft_is_shuffled(const cudaLibXtDesc *descriptor);

/* Copies the array from the parts to `whole`, or back. */
void fft_gather(const struct fft_plan *plan, const cudaLibXtDesc *descriptor, void *whole);
void fft_scatter(const struct fft_plan *plan, const cudaLibXtDesc *descriptor, const void *whole);

/* The bytes of the whole array. */
size_t fft_whole_bytes(const struct fft_plan *plan);

/* Waits for the work of all devices of the plan, so that the parts can be used. */
CUresult fft_wait_for_devices(const struct fft_plan *plan);

#endif
