/* SPDX-License-Identifier: MIT */
/* How other drivers lay out their memory: where in a file it is, and where in the memory the
 * levels, layers and rows of an image are. The rules were found by asking the drivers
 * (vkGetImageSubresourceLayout) and by looking at what they write. */
#ifndef CUP_INTEROP_FOREIGN_LAYOUT_H
#define CUP_INTEROP_FOREIGN_LAYOUT_H

#include "image/array.h"
#include "os/memfd.h"

#include <stdbool.h>
#include <stdint.h>

/* Who lays out the images in a file. */
enum cup_foreign_layout_maker {
    CUP_LAYOUT_LLVMPIPE,    /* lavapipe and Mesa's OpenGL; memory of ours that they can import */
    CUP_LAYOUT_SWIFTSHADER, /* every file that begins with the memory */
};

struct cup_foreign_file {
    enum cup_foreign_layout_maker maker;
    bool may_have_tail; /* the last bytes may not be memory: see cup_foreign_holds */
    struct cup_memfd_location place;
};

/* Looks at an opaque descriptor. False for what is not memory: no memory file, one that cannot be
 * read and written, an empty or damaged one, one of ours with another purpose. */
bool cup_foreign_read_opaque(int fd, struct cup_foreign_file *file);

/* The same for a dma-buf, or a memory file that stands in for one. */
bool cup_foreign_read_dma_buf(int fd, struct cup_foreign_file *file);

/* Does the memory reach that far? */
bool cup_foreign_holds(int fd, const struct cup_foreign_file *file, uint64_t end);

/* A box for each level of an image that begins at the address; answers how many bytes it takes. */
uint64_t cup_foreign_boxes(enum cup_foreign_layout_maker maker, const struct cup_shape *shape,
                           uint64_t address, struct cup_box *boxes);

#endif
