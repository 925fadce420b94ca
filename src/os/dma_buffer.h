/* SPDX-License-Identifier: MIT */
/* Part of a memory file as a dma-buf, where the kernel has /dev/udmabuf and lets us use it. */
#ifndef CUP_OS_DMA_BUFFER_H
#define CUP_OS_DMA_BUFFER_H

#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Whole pages. A descriptor, or -1. The file must not be able to shrink, so that is sealed. */
static inline int cup_dma_buffer_create(int file, uint64_t offset, uint64_t size_bytes)
{
    struct udmabuf_create create = {.memfd = (uint32_t)file,
                                    .flags = UDMABUF_FLAGS_CLOEXEC,
                                    .offset = offset,
                                    .size = size_bytes};
    int saved = errno, made = -1, device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);

    if (device >= 0) {
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK);
        made = ioctl(device, UDMABUF_CREATE, &create);
        close(device);
    }
    errno = saved;
    return made;
}

#endif
