/* SPDX-License-Identifier: MIT */
/* Unformatted loads and stores of surfaces in vectors of lanes: what surface.c tells the functions,
 * of which each kind of processor has one (surfaces.inc). */
#ifndef CUP_IMAGE_SAMPLER_SURFACE_LANES_H
#define CUP_IMAGE_SAMPLER_SURFACE_LANES_H

#include "core/compiler.h"
#include "image/texture.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_surface_lanes {
    uint8_t *base;
    int32_t row, slice;   /* in bytes */
    int32_t last[3];      /* of the first byte, the row, the slice; none is negative */
    const void *at[3];    /* coordinates of the lanes; NULL: none along that axis */
    bool layered, stores; /* layered: the third coordinate has no sign */
    uint8_t boundary;     /* enum cup_surface_boundary */
    uint8_t element_bits, components;
    unsigned bytes; /* of a lane's access, a power of two */
    uint64_t *const *values;
};

/* Accesses the lanes of a mask. A fault of MISALIGNED goes before one of OUTSIDE. */
typedef enum cup_surface_fault (*cup_surface_function)(const struct cup_surface_lanes *lanes,
                                                       uint32_t mask);

enum cup_surface_fault cup_surfaces_plain(const struct cup_surface_lanes *lanes, uint32_t mask);
enum cup_surface_fault cup_surfaces_avx2(const struct cup_surface_lanes *lanes, uint32_t mask);
enum cup_surface_fault cup_surfaces_avx512(const struct cup_surface_lanes *lanes, uint32_t mask);

#endif
