/* SPDX-License-Identifier: MIT */
/* An endpoint: one side of a copy. It says where the first byte is, how rows and slices follow each
 * other, and what a copy must know of the memory. Whatever the shape of a copy, its two endpoints
 * make the job.
 *
 * Addresses are computed as the manual's formulas do, modulo 2^64: an offset or pitch near SIZE_MAX
 * goes backwards. Memory that CUDA knows by the base address is then held against its range: the
 * box, from its lowest byte to its highest, must lie in it. Any other address is believed, and
 * found out by the fault guard if it lies. */
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
    uint64_t address;  /* of the first byte */
    size_t row, slice; /* bytes from one row, or slice, to the next */
    bool known;        /* CUDA's own memory */
    CUarray bare;      /* the array, where it was made without memory; else NULL */
    bool waits; /* a synchronous function waits for it: host memory, and where it was asked for */
    /* Where its bytes lie, from the lowest on; of CUDA's plain memory, and where there are several
     * devices. */
    uint64_t lowest, peer_bytes;
    enum cup_copy_endpoint_use use;
};

enum cup_copy_endpoint_rule {
    CUP_ENDPOINT_KNOWN, /* must be CUDA's memory */
    CUP_ENDPOINT_ANY,   /* may be the application's own */
};

struct cup_offset {
    size_t x_bytes, y, z;
};

struct cup_extent {
    size_t width_bytes, height, depth; /* none of them zero */
};

/* A box in plain memory, as the application describes it. */
struct cup_pitched {
    uint64_t base;
    struct cup_offset at;
    size_t row_bytes;  /* 0: as few as hold the box */
    size_t slice_rows; /* likewise */
    bool of_layers;    /* the other side is a layered array of one dimension */
    enum cup_copy_endpoint_rule rule;
    enum cup_copy_endpoint_use use;
};

/* Each fills the endpoint, or says why it is none: CUDA_ERROR_INVALID_VALUE. */
CUresult cup_copy_endpoint_linear(struct cup_copy_endpoint *endpoint, uint64_t address,
                                  size_t size_bytes, enum cup_copy_endpoint_rule rule,
                                  enum cup_copy_endpoint_use use);
CUresult cup_copy_endpoint_pitched(struct cup_copy_endpoint *endpoint,
                                   const struct cup_pitched *memory,
                                   const struct cup_extent *extent);

/* May the device that copies touch it (peer_access.h)? INVALID_VALUE if not. */
CUresult cup_copy_endpoint_check_peer_access(const struct cup_copy_endpoint *endpoint,
                                             const struct cup_device *device);

/* A synchronous function returns when host memory is done with; between device memories it does not
 * wait. An asynchronous one waits only for the application's own memory, and reads it at once. */
enum cup_copy_mode cup_copy_endpoint_mode(bool asynchronous, const struct cup_copy_endpoint *to,
                                          const struct cup_copy_endpoint *from);

/* The job between two endpoints. */
struct cup_copy cup_copy_endpoint_copy(const struct cup_copy_endpoint *to,
                                       const struct cup_copy_endpoint *from,
                                       const struct cup_extent *extent);

#endif
