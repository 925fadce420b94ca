/* SPDX-License-Identifier: MIT */
/* The limits of a context: kept as NVIDIA's driver keeps them, rounded and clamped as it does. */
#ifndef CUP_DEVICE_LIMITS_H
#define CUP_DEVICE_LIMITS_H

#include <cuda.h>
#include <stddef.h>

struct CUctx_st;

/* A fresh context's. The context's lock is held, or nobody else knows the context yet. */
void cup_limits_reset(struct CUctx_st *context);

/* A kernel was launched for which the limit counts: it cannot be set any more. */
void cup_limit_fix(struct CUctx_st *context, CUlimit limit);

/* UNSUPPORTED_LIMIT: the device has no such limit; INVALID_VALUE: there is none. */
CUresult cup_limit_get(struct CUctx_st *context, CUlimit limit, size_t *value);
CUresult cup_limit_set(struct CUctx_st *context, CUlimit limit, size_t value);

#endif
