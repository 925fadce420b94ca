/* SPDX-License-Identifier: MIT */
/* Functions that src/device calls in the parts above it. api/upcalls.c has the table. */
#ifndef CUP_DEVICE_UPCALLS_H
#define CUP_DEVICE_UPCALLS_H

struct CUctx_st;

struct cup_device_upcalls {
    /* Called when a context ends: frees the memory it owns. */
    void (*release_memory)(struct CUctx_st *context);
    /* Called when a context with `devrt` ends: releases it. */
    void (*release_devrt)(struct CUctx_st *context);
    /* Called when a context with `devrt` is synchronised: writes pending kernel output. */
    void (*write_output)(struct CUctx_st *context);
    /* Called when a context is created: makes the pipe by which core dumps are requested, if they
     * are enabled. */
    void (*accept_dump_requests)(void);
};

extern const struct cup_device_upcalls cup_device_upcalls;

#endif
