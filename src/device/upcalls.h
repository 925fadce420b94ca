/* SPDX-License-Identifier: MIT */
/* What src/device asks of the parts above it. api/upcalls.c has
 * the table. */
#ifndef CUP_DEVICE_UPCALLS_H
#define CUP_DEVICE_UPCALLS_H

struct CUctx_st;

struct cup_device_upcalls {
    /* A context ends: frees the memory it owns. */
    void (*release_memory)(struct CUctx_st *context);
    /* A context with `kernels` ends: gives up what its kernels printed and allocated. */
    void (*release_devrt)(struct CUctx_st *context);
    /* A context with `kernels` is synchronised: writes out what its kernels printed. */
    void (*write_output)(struct CUctx_st *context);
};

extern const struct cup_device_upcalls cup_device_upcalls;

#endif
