/* SPDX-License-Identifier: MIT */
/* The geometry of a cube of six faces: where a direction meets it, and what is beyond an edge. */
#ifndef CUP_IMAGE_CUBE_H
#define CUP_IMAGE_CUBE_H

#include <stdbool.h>
#include <stdint.h>

/* Maps a texel one beyond an edge of a face to the nearest texel of the adjacent face, as if the
 * cube were unfolded at the edge. Returns false beyond a corner, where no texel exists. */
bool cup_cube_cross_edge(int32_t n, int32_t *x, int32_t *y, int32_t *slice);

/* Converts a direction to a position on a face, in at[0] and at[1]. Returns the face. */
unsigned cup_cube_project(float *at);

enum cup_cube_reach { CUP_CUBE_SAME_FACE, CUP_CUBE_NEXT_FACE, CUP_CUBE_NO_FACE };

/* Finds how many texels the ends of two directions are apart, on the plane of the first one's face.
 * A neighbouring face is unfolded into that plane; the opposite one, or none, is too far. */
enum cup_cube_reach cup_cube_step(const float *from, const float *to, uint32_t width, double *step);

#endif
