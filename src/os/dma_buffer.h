/* SPDX-License-Identifier: MIT */
/* Exports part of a memory file as a dma-buf, if the kernel has /dev/udmabuf and it is
 * accessible. */
#ifndef CUP_OS_DMA_BUFFER_H
#define CUP_OS_DMA_BUFFER_H

#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* `offset` and `size_bytes` are multiples of the page size. Returns a descriptor, or -1. Seals the
 * file against shrinking, as udmabuf requires. */
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
