/* SPDX-License-Identifier: MIT */
/* Address space reserved for cuMemMap (cuMemAddressReserve, cuMemAddressFree). It is taken from the
 * system in whole slots of the address map and never returned; freed space is reused.
 *
 * Space is counted in chunks of 2 MiB from address 0 on, so that adjacent addresses are adjacent
 * chunks whatever their origin. */
#ifndef CUP_MEMORY_SPACE_H
#define CUP_MEMORY_SPACE_H

#include "core/lock.h"
#include "memory/map.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CUP_SPACE_CHUNK_SHIFT = 21,
    CUP_SPACE_ADDRESS_BITS = 48,
};
#define CUP_SPACE_CHUNK_BYTES (UINT64_C(1) << CUP_SPACE_CHUNK_SHIFT)
#define CUP_SPACE_CHUNK_COUNT (UINT32_C(1) << (CUP_SPACE_ADDRESS_BITS - CUP_SPACE_CHUNK_SHIFT))

static inline uint32_t cup_space_chunk_of(uint64_t address)
{
    return (uint32_t)(address >> CUP_SPACE_CHUNK_SHIFT);
}

/* Guards reserved addresses and their mappings (virtual.c). All functions below need it. */
extern struct cup_lock cup_virtual_lock;

/* Sets the functions of the regions. Must be called before anything else. Returns false if out of
 * memory. */
bool cup_space_init_locked(const struct cup_region *functions);

/* Reserves addresses. Sizes and addresses are multiples of a chunk; the alignment is a power of 2.
 * A hint is followed if possible; 0 means none. CUDA_ERROR_OUT_OF_MEMORY changes nothing. */
CUresult cup_space_reserve_locked(uint64_t size_bytes, uint64_t alignment, uint64_t hint,
                                  uint64_t *address);

/* True if this is exactly one whole reservation. */
bool cup_space_is_reservation_locked(uint64_t address, uint64_t size_bytes);

/* The size of the reservation that begins at the address; 0 if none does. */
uint64_t cup_space_reserved_bytes_locked(uint64_t address);

/* Ends a reservation; its addresses are free when they were given back, too. */
void cup_space_end_locked(uint64_t address, uint64_t size_bytes);
void cup_space_give_locked(uint64_t address, uint64_t size_bytes);

/* True if all of it is reserved, by one or several reservations. */
bool cup_space_is_reserved_locked(uint64_t address, uint64_t size_bytes);

#endif
