/* SPDX-License-Identifier: MIT */
/* Memory layouts of other drivers: the offset of the memory in a file, and the offsets of levels,
 * layers and rows of an image in the memory. The rules were derived from
 * vkGetImageSubresourceLayout() and from what the drivers write. */
#ifndef CUP_INTEROP_FOREIGN_LAYOUT_H
#define CUP_INTEROP_FOREIGN_LAYOUT_H

#include "image/array.h"
#include "os/memfd.h"

#include <stdbool.h>
#include <stdint.h>

/* The driver whose image layout a file uses. */
enum cup_foreign_layout_maker {
    /* lavapipe, Mesa's OpenGL, and our own memory in the form that they import */
    CUP_LAYOUT_LLVMPIPE,
    CUP_LAYOUT_SWIFTSHADER, /* every file in which the memory starts at offset 0 */
};

struct cup_foreign_file {
    enum cup_foreign_layout_maker maker;
    bool may_have_tail; /* the last bytes may not be memory, see cup_foreign_holds() */
    struct cup_memfd_location location;
};

/* Identifies an opaque descriptor. Returns false if it is not importable memory: not a memfd, not
 * readable and writable, empty or damaged, or a memfd of this library with another purpose. */
bool cup_foreign_read_opaque(int fd, struct cup_foreign_file *file);

/* The same for a dma-buf, or a memfd that substitutes for one. */
bool cup_foreign_read_dma_buf(int fd, struct cup_foreign_file *file);

/* True if the memory extends to offset `end`. */
bool cup_foreign_holds(int fd, const struct cup_foreign_file *file, uint64_t end);

/* Computes the box of each level of an image at `address`. Returns the size of the image in
 * bytes. */
uint64_t cup_foreign_boxes(enum cup_foreign_layout_maker maker, const struct cup_shape *shape,
                           uint64_t address, struct cup_box *boxes);

#endif
