/* SPDX-License-Identifier: MIT */
/* Decisions made before code is emitted: the functions that the kernel reaches, whether warps wait,
 * the width of a vector, and the layout of shared and local memory. */
#ifndef CUP_JIT_ANALYSIS_PLAN_H
#define CUP_JIT_ANALYSIS_PLAN_H

#include <stdbool.h>

struct jit_unit;

/* Fills in the unit; false: it failed, and the log says why. */
bool jit_unit_plan(struct jit_unit *unit);

/* Whether vectors of whole warps suit the kernel better than vectors that fit one register of the
 * processor (vector_width.c). The layout of its variables is known. */
bool jit_width_is_warp(struct jit_unit *unit);

#endif
