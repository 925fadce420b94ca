/* SPDX-License-Identifier: MIT */
/* Addresses set aside for cuMemMap: cuMemAddressReserve and its end. Space is taken from the system
 * in whole slots of the address map, which stay with us: what is freed is handed out again.
 *
 * Space is counted in chunks of 2 MiB from address 0 on, so that neighbours are neighbours wherever
 * they came from. Everything here needs the lock of virtual.c. */
#ifndef CUP_MEMORY_SPACE_H
#define CUP_MEMORY_SPACE_H

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

/* What the regions of the address map are made of; before anything else. False when memory is out.
 */
bool cup_space_init_locked(const struct cup_region *functions);

/* Sizes and addresses are multiples of a chunk, the alignment is a power of 2. A hint is followed
 * if it can be; 0 is none. OUT_OF_MEMORY changes nothing. */
CUresult cup_space_reserve_locked(uint64_t size_bytes, uint64_t alignment, uint64_t hint,
                                  uint64_t *address);

/* Is this one reservation, the whole of it? */
bool cup_space_is_reservation_locked(uint64_t address, uint64_t size_bytes);

/* How much was reserved from the address on; 0 when no reservation begins there. */
uint64_t cup_space_reserved_bytes_locked(uint64_t address);

/* Ends a reservation; its addresses are free when they were given back, too. */
void cup_space_end_locked(uint64_t address, uint64_t size_bytes);
void cup_space_give_locked(uint64_t address, uint64_t size_bytes);

/* Is all of it reserved, be it in one piece or in several? */
bool cup_space_is_reserved_locked(uint64_t address, uint64_t size_bytes);

#endif
