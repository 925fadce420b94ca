/* SPDX-License-Identifier: MIT */
/* Warps by matrices that are computed. */
#ifndef NPP_GEOMETRY_H
#define NPP_GEOMETRY_H

#include "call.h"

/* Warps the source's region by a matrix from places of the source to places of the destination.
 * NPP_COEFFICIENT_ERROR: it has no inverse. */
NppStatus npp_warp_by(const struct npp_function *function, const struct npp_call *call, bool checks,
                      const double forward[3][3]);

/* The inverse of a matrix; false: there is none. */
bool npp_invert(const double in[3][3], double out[3][3]);

#endif
