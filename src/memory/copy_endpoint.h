/* SPDX-License-Identifier: MIT */
/* An endpoint: one side of a copy. It has the address of the first byte, the pitches of rows and
 * slices, and the properties of the memory that affect the copy. The copy job is built from two
 * endpoints, whatever the shape of the copy.
 *
 * Addresses are computed with the manual's formulas modulo 2^64, so an offset or pitch near
 * SIZE_MAX goes backwards. For memory that CUDA knows by the base address, the whole box from its
 * lowest to its highest byte must lie in that range. Any other address is accepted unchecked; the
 * fault guard catches a bad one. */
#ifndef CUP_MEMORY_COPY_ENDPOINT_H
#define CUP_MEMORY_COPY_ENDPOINT_H

#include "memory/copy.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cup_copy_endpoint_use {
    CUP_ENDPOINT_READ,
    CUP_ENDPOINT_WRITTEN,
};

struct cup_device;

struct cup_copy_endpoint {
    uint64_t address;       /* of the first byte */
    size_t row, slice;      /* bytes from one row, or slice, to the next */
    bool known;             /* CUDA's own memory */
    CUarray bare;           /* the array if it was created without memory, else NULL */
    unsigned element_bytes; /* of an array, else 0; of a compressed one it is the size of a block */
    bool compressed;        /* an array of compressed blocks */
    bool on_host;           /* host memory: pageable, pinned, registered, of a pool or mapped */
    bool of_pool;           /* memory of a pool */
    bool waits;             /* a synchronous call waits for it: host memory, or by request */
    /* The lowest byte and the extent; set for CUDA's linear memory when there are several
     * devices. */
    uint64_t lowest, peer_bytes;
    enum cup_copy_endpoint_use use;
};

enum cup_copy_endpoint_rule {
    /* Must be CUDA's memory, and not of a pool of the host: given as device memory, not as host or
     * unified memory. */
    CUP_ENDPOINT_KNOWN,
    CUP_ENDPOINT_ANY, /* may be the application's own */
};

struct cup_offset {
    size_t x_bytes, y, z;
};

struct cup_extent {
    size_t width_bytes, height, depth; /* none of them zero */
};

/* A box in linear memory, as the application describes it. */
struct cup_pitched {
    uint64_t base;
    struct cup_offset at;
    size_t row_bytes;  /* 0: the smallest pitch that holds the box */
    size_t slice_rows; /* likewise */
    bool of_layers;    /* the other side is a layered array of one dimension */
    enum cup_copy_endpoint_rule rule;
    enum cup_copy_endpoint_use use;
};

/* Each fills the endpoint, or returns CUDA_ERROR_INVALID_VALUE if the description is invalid. */
CUresult cup_copy_endpoint_linear(struct cup_copy_endpoint *endpoint, uint64_t address,
                                  size_t size_bytes, enum cup_copy_endpoint_rule rule,
                                  enum cup_copy_endpoint_use use);
CUresult cup_copy_endpoint_pitched(struct cup_copy_endpoint *endpoint,
                                   const struct cup_pitched *memory,
                                   const struct cup_extent *extent);

/* Returns CUDA_ERROR_INVALID_VALUE if the device that copies may not access the memory
 * (peer_access.h). */
CUresult cup_copy_endpoint_check_peer_access(const struct cup_copy_endpoint *endpoint,
                                             const struct cup_device *device);

/* Chooses the copy mode. A synchronous call waits if host memory is involved, but not for copies
 * between device memories. An asynchronous call waits for copies to pageable memory, and for copies
 * between host memories that do not come from pools; it reads pageable memory at once. */
enum cup_copy_mode cup_copy_endpoint_mode(bool asynchronous, const struct cup_copy_endpoint *to,
                                          const struct cup_copy_endpoint *from);

/* Builds the copy between two endpoints. */
struct cup_copy cup_copy_endpoint_copy(const struct cup_copy_endpoint *to,
                                       const struct cup_copy_endpoint *from,
                                       const struct cup_extent *extent);

#endif
