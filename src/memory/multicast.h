/* SPDX-License-Identifier: MIT */
/* Multicast objects: memory of several devices behind one address. What is written there reaches
 * the memory that each device of the object's team has bound.
 *
 * An object is a struct cup_physical without memory, which cuMemMap maps like any other. Its
 * addresses are never accessible: plain loads and stores of kernels fault, as the manual gives them
 * no meaning. Copies, fills and multicast instructions look up the bound memory, which each device
 * has once more in a window as large as the object.
 *
 * Processes that share an object share its team (multicast_team.h). A process opens the memory that
 * another has bound through /proc, as with IPC handles. */
#ifndef CUP_MEMORY_MULTICAST_H
#define CUP_MEMORY_MULTICAST_H

#include "core/config.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_device;
struct cup_physical;

/* Creates an object for a team of so many devices. The application holds one reference. With handle
 * types other processes can have it, too. */
CUresult cup_multicast_create(unsigned team, uint64_t size_bytes,
                              CUmemAllocationHandleType handle_types, struct cup_physical **object);

/* Returns a new descriptor, owned by the caller. Only for objects that were created with handle
 * types. */
CUresult cup_multicast_export(struct cup_physical *object, int *fd);

/* Imports an object that this or another process exported. The caller keeps the descriptor. Returns
 * CUDA_ERROR_UNKNOWN if it is not a descriptor of a multicast object. */
CUresult cup_multicast_import(int fd, struct cup_physical **object);

/* The functions below return CUDA_ERROR_INVALID_VALUE for memory that is no multicast object. */

/* Adds a device to the team. */
CUresult cup_multicast_add(struct cup_physical *object, struct cup_device *device);

/* Waits until the team is complete, as the manual has binding and mapping do. */
CUresult cup_multicast_await_team(struct cup_physical *object);

/* Binds part of the memory for a device of the team: its own memory, or that of its NUMA node of
 * the host. NULL: the memory's device. Offsets and size are multiples of a chunk. */
CUresult cup_multicast_bind(struct cup_physical *object, const struct cup_device *device,
                            uint64_t offset, struct cup_physical *memory, uint64_t memory_offset,
                            uint64_t size_bytes);

/* Ends a binding, named as it was made. */
CUresult cup_multicast_unbind(struct cup_physical *object, const struct cup_device *device,
                              uint64_t offset, uint64_t size_bytes);

/* Where the bytes of a multicast address are. Those that a device has not bound fault. */
struct cup_multicast_places {
    struct cup_physical *object; /* a reference */
    unsigned count;
    uint64_t addresses[CUP_MAX_DEVICES];
};

/* Returns false if no multicast object is mapped at the address. The caller drops the reference. */
bool cup_multicast_find(uint64_t address, struct cup_multicast_places *places);

#endif
