/* SPDX-License-Identifier: MIT */
/* Virtual memory: the mappings at reserved addresses and their access rights. A mapping is one
 * whole physical memory object (physical.h) at one address, with rights for each device and for the
 * host.
 *
 * Page protection has one setting per mapping: the union of all rights. With several devices,
 * copies and fills are checked against the rights of the device that executes them
 * (copy_endpoint.h), kernels against those of their device (device/access.h). */
#ifndef CUP_MEMORY_VIRTUAL_H
#define CUP_MEMORY_VIRTUAL_H

#include "memory/map.h"

#include <cuda.h>
#include <stdint.h>

struct cup_physical;

/* As cup_space_reserve_locked. */
CUresult cup_virtual_reserve(uint64_t size_bytes, uint64_t alignment, uint64_t hint,
                             uint64_t *address);

/* Returns CUDA_ERROR_INVALID_VALUE if this is not one whole reservation or something is mapped
 * there. */
CUresult cup_virtual_free(uint64_t address, uint64_t size_bytes);

/* Maps the whole memory at addresses that are reserved and free, without any access rights. Takes a
 * reference. */
CUresult cup_virtual_map(uint64_t address, struct cup_physical *physical);

/* Removes all mappings in the range. Returns CUDA_ERROR_INVALID_VALUE if it is not reserved or
 * splits a mapping. A range without a mapping is no error. */
CUresult cup_virtual_unmap(uint64_t address, uint64_t size_bytes);

/* Sets the rights of whole mappings that fill the range. Locations and flags have been checked.
 * Returns CUDA_ERROR_NOT_SUPPORTED for host access to a device's memory. */
CUresult cup_virtual_set_access(uint64_t address, uint64_t size_bytes,
                                const CUmemAccessDesc *wanted, size_t count);

/* The memory mapped at the address, with a reference for the application. Returns
 * CUDA_ERROR_INVALID_VALUE if there is none. */
CUresult cup_virtual_retain(uint64_t address, struct cup_physical **physical);

/* The memory, or the multicast object, mapped at the address, with a reference, and the offset of
 * the address in it; NULL: there is none. */
struct cup_physical *cup_virtual_find_memory(uint64_t address, uint64_t *offset);
struct cup_physical *cup_virtual_find_multicast(uint64_t address, uint64_t *offset);

/* Exports mapped memory as a descriptor owned by the caller: a dma-buf of that many bytes from the
 * address on. Without dma-buf support it is the memory's own file; memory without a file that is
 * mapped only at that address moves to one. Returns CUDA_ERROR_NOT_SUPPORTED if the memory is
 * mapped at several addresses, or the address is not its beginning. */
CUresult cup_virtual_share(uint64_t address, uint64_t size_bytes, int *fd);

/* The file that holds the memory mapped at the address, with a descriptor that stays the memory's,
 * and how much of it follows in one piece. */
CUresult cup_virtual_place(uint64_t address, int *fd, uint64_t *offset, uint64_t *size_bytes);

/* Finds the reservation that contains the address. Writes nothing if there is none. */
void cup_virtual_reservation_at(uint64_t address, uint64_t *base, uint64_t *size_bytes);

/* The size of the reservation that begins at the address; 0 if none does. */
uint64_t cup_virtual_reserved_bytes(uint64_t address);

#endif
