/* SPDX-License-Identifier: MIT */
/* EGL images as graphics resources. */
#ifndef CUP_INTEROP_EGL_IMAGE_H
#define CUP_INTEROP_EGL_IMAGE_H

#include "interop/resource.h"

#include <stdatomic.h>

/* Returns UNKNOWN if `image` is not an image of the display, NOT_SUPPORTED or INVALID_VALUE if CUDA
 * does not support the image. */
CUresult cup_egl_image_register(struct CUctx_st *context, void *image, unsigned flags,
                                struct CUgraphicsResource_st **resource);

/* Number of registered images that CUDA may write. */
extern _Atomic(unsigned) cup_egl_image_count;

void cup_egl_image_sync_all(void);

/* Called where the application waits for CUDA: writes CUDA's changes back to all EGL images. */
static inline void cup_egl_image_sync(void)
{
    if (__builtin_expect(atomic_load_explicit(&cup_egl_image_count, memory_order_relaxed) != 0, 0))
        cup_egl_image_sync_all();
}

#endif
