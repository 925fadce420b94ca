/* SPDX-License-Identifier: MIT */
/* Virtual memory: what is mapped into reserved addresses, and who may access it. A mapping is one
 * whole piece of physical memory (physical.h) at one place, with rights for each device and for the
 * host.
 *
 * The processor knows one right for a mapping: what anybody may do, the others may. Where there are
 * several devices, copies and fills are held to the rights of the device that does them
 * (copy_endpoint.h), kernels to those of theirs (device/access.h). */
#ifndef CUP_MEMORY_VIRTUAL_H
#define CUP_MEMORY_VIRTUAL_H

#include "memory/map.h"

#include <cuda.h>
#include <stdint.h>

struct cup_physical;

/* As cup_space_reserve_locked. */
CUresult cup_virtual_reserve(uint64_t size_bytes, uint64_t alignment, uint64_t hint,
                             uint64_t *address);

/* INVALID_VALUE when it is not one whole reservation, or something is mapped there. */
CUresult cup_virtual_free(uint64_t address, uint64_t size_bytes);

/* The whole of the memory, at addresses that are reserved and free. Nobody may access it yet. Takes
 * a reference of its own. */
CUresult cup_virtual_map(uint64_t address, struct cup_physical *physical);

/* Ends all mappings in the range. INVALID_VALUE when it is not reserved or cuts a mapping in two;
 * that there is none is no error. */
CUresult cup_virtual_unmap(uint64_t address, uint64_t size_bytes);

/* Sets rights of whole mappings that fill the range. Locations and flags have been checked;
 * NOT_SUPPORTED where the host is to access a device's memory. */
CUresult cup_virtual_set_access(uint64_t address, uint64_t size_bytes,
                                const CUmemAccessDesc *wanted, size_t count);

/* The memory mapped at the address, with a reference for the application; INVALID_VALUE when there
 * is none. */
CUresult cup_virtual_retain(uint64_t address, struct cup_physical **physical);

/* A descriptor, the caller's own, of memory that is mapped at the address: a dma-buf of so many
 * bytes from there on. Where there are none, it is the file that the memory has for itself; what
 * has no such file, and is mapped in that place alone, moves to one. NOT_SUPPORTED when it is
 * mapped in several places, or the address is not where it begins. */
CUresult cup_virtual_share(uint64_t address, uint64_t size_bytes, int *fd);

/* The reservation that the address lies in; nothing is written when it lies in none. */
void cup_virtual_reservation_at(uint64_t address, uint64_t *base, uint64_t *size_bytes);

/* How much was reserved from the address on; 0 when no reservation begins there. */
uint64_t cup_virtual_reserved_bytes(uint64_t address);

#endif
