/* SPDX-License-Identifier: MIT */
/* Decisions made before code is emitted: the functions that the kernel reaches, whether warps wait,
 * the width of a vector, and the layout of shared and local memory. */
#ifndef CUP_JIT_ANALYSIS_PLAN_H
#define CUP_JIT_ANALYSIS_PLAN_H

#include <stdbool.h>

struct jit_unit;

bool jit_unit_plan(struct jit_unit *unit);

#endif
