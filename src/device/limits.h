/* SPDX-License-Identifier: MIT */
/* The limits of a context, rounded and clamped as in NVIDIA's driver. */
#ifndef CUP_DEVICE_LIMITS_H
#define CUP_DEVICE_LIMITS_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

struct CUctx_st;

/* Sets the defaults of a new context. The caller holds the context's lock, or no other thread knows
 * the context yet. */
void cup_limits_reset(struct CUctx_st *context);

/* A kernel that depends on the limit was launched: the limit cannot be changed any more. */
void cup_limit_fix(struct CUctx_st *context, CUlimit limit);

/* UNSUPPORTED_LIMIT: the device does not have the limit. INVALID_VALUE: unknown limit. */
CUresult cup_limit_get(struct CUctx_st *context, CUlimit limit, size_t *value);

/* *waits: the caller must wait for the context's work, as NVIDIA's driver does for this limit. */
CUresult cup_limit_set(struct CUctx_st *context, CUlimit limit, size_t value, bool *waits);

#endif
