/* SPDX-License-Identifier: MIT */
/* One set of free extents (extents.h) covers the whole address space; parts that were not obtained
 * from the system are never free. The arrays are sized for the whole address space and committed
 * only where they are used. */
#include "memory/space.h"

#include "core/align.h"
#include "core/checks.h"
#include "core/error.h"
#include "core/lock.h"
#include "memory/bitmap.h"
#include "memory/extents.h"
#include "os/reserve.h"

#include <stdlib.h>

/* Minimum taken from the system at once, if available; small reservations share it. */
static const uint64_t growth_bytes = UINT64_C(4) << 30;

enum { PLACES_TRIED_MAX = 16 };

struct cup_lock cup_virtual_lock = CUP_LOCK_INITIALIZER(CUP_RANK_VIRTUAL); /* guards the rest */

static const struct cup_region *region_functions;
static struct cup_extents extents;
static uint64_t *reserved_bits; /* one bit per chunk */
static uint32_t *chunk_counts;  /* at the first chunk of a reservation; else 0, or GUARD */

/* A chunk after a reservation that is never handed out, so that an overrun faults there. Only with
 * CUPIPE_CHECK=memory. */
static const uint32_t GUARD = UINT32_MAX;

bool cup_space_init_locked(const struct cup_region *functions)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint64_t words = CUP_SPACE_CHUNK_COUNT / 64;

    if (region_functions)
        return true;
    struct cup_extent_node *nodes = cup_reserve_array(CUP_SPACE_CHUNK_COUNT, sizeof(*nodes));
    uint64_t *bits = cup_reserve_array(3 * words, sizeof(*bits));
    uint32_t *counts = cup_reserve_array(CUP_SPACE_CHUNK_COUNT, sizeof(*counts));
    if (!nodes || !bits || !counts) {
        if (nodes)
            cup_reserve_release(nodes, CUP_SPACE_CHUNK_COUNT * sizeof(*nodes));
        if (bits)
            cup_reserve_release(bits, 3 * words * sizeof(*bits));
        if (counts)
            cup_reserve_release(counts, CUP_SPACE_CHUNK_COUNT * sizeof(*counts));
        return false;
    }
    cup_extents_init(&extents, nodes, bits, bits + words);
    reserved_bits = bits + 2 * words;
    chunk_counts = counts;
    region_functions = functions;
    return true;
}

static bool is_ours(uint64_t address)
{
    struct cup_region *region = cup_map_region(address);

    return region && region->find == region_functions->find;
}

static bool slots_are_free(uint64_t base, uint64_t size_bytes)
{
    for (uint64_t at = base; at < base + size_bytes; at += CUP_MAP_SLOT_BYTES) {
        if (cup_map_region(at))
            return false;
    }
    return true;
}

/* Adds whole slots of address space, as free space. */
static bool adopt_locked(uint64_t base, uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_virtual_lock);
    struct cup_region *region = malloc(sizeof(*region));
    uint32_t first;

    if (!region)
        return false;
    *region = *region_functions;
    region->base = base;
    region->size_bytes = size_bytes;
    cup_map_add(region);
    cup_extents_give(&extents, cup_space_chunk_of(base), cup_space_chunk_of(size_bytes), 0,
                     CUP_SPACE_CHUNK_COUNT, &first);
    return true;
}

static void give_back(uint64_t base, uint64_t size_bytes)
{
    cup_reserve_release((void *)(uintptr_t)base, size_bytes);
}

/* Maps space in slots that are free. A slot in which the application once registered memory stays
 * taken after that memory is unregistered: such places stay mapped until another one is found. */
static uint64_t find_place(uint64_t size_bytes, uint64_t alignment)
{
    uint64_t places[PLACES_TRIED_MAX], found = 0;
    int tried = 0;

    while (!found && tried < PLACES_TRIED_MAX) {
        uint64_t base = (uint64_t)(uintptr_t)cup_reserve_space(size_bytes, alignment);
        if (!base)
            break;
        if (base + size_bytes <= UINT64_C(1) << CUP_SPACE_ADDRESS_BITS &&
            slots_are_free(base, size_bytes))
            found = base;
        else
            places[tried++] = base;
    }
    while (tried > 0)
        give_back(places[--tried], size_bytes);
    return found;
}

/* Fresh space that begins at a multiple of the alignment; 0 when there is none. */
static uint64_t grow_locked(uint64_t size_bytes, uint64_t alignment)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint64_t least = cup_align_up(size_bytes, CUP_MAP_SLOT_BYTES);
    uint64_t bytes = least > growth_bytes ? least : growth_bytes;
    uint64_t base = 0;

    if (alignment < CUP_MAP_SLOT_BYTES)
        alignment = CUP_MAP_SLOT_BYTES;
    base = find_place(bytes, alignment);
    if (!base && bytes > least) {
        bytes = least;
        base = find_place(bytes, alignment);
    }
    if (base && !adopt_locked(base, bytes)) {
        give_back(base, bytes);
        base = 0;
    }
    return base;
}

/* Takes the slots around a hint from the system, unless taken already. Returns false if something
 * else is there. */
static bool grow_at_locked(uint64_t address, uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint64_t at = cup_align_down(address, CUP_MAP_SLOT_BYTES), end = address + size_bytes;

    while (at < end) {
        uint64_t bytes = 0;
        while (at + bytes < end && !cup_map_region(at + bytes))
            bytes += CUP_MAP_SLOT_BYTES;
        if (bytes && !cup_reserve_space_at((void *)(uintptr_t)at, bytes))
            return false;
        if (bytes && !adopt_locked(at, bytes)) {
            give_back(at, bytes);
            return false;
        }
        at += bytes;
        if (at < end && !is_ours(at))
            return false;
        while (at < end && is_ours(at))
            at += CUP_MAP_SLOT_BYTES;
    }
    return true;
}

static bool take_at_locked(uint64_t address, uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_virtual_lock);
    return cup_extents_take_at(&extents, cup_space_chunk_of(address),
                               cup_space_chunk_of(size_bytes));
}

/* Frees the guard chunk at the address, so that a program can reserve the addresses directly after
 * a reservation. */
static void give_guard_locked(uint64_t address)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint32_t first;

    if (address >> CUP_SPACE_ADDRESS_BITS || chunk_counts[cup_space_chunk_of(address)] != GUARD)
        return;
    chunk_counts[cup_space_chunk_of(address)] = 0;
    cup_extents_give(&extents, cup_space_chunk_of(address), 1, 0, CUP_SPACE_CHUNK_COUNT, &first);
}

static bool take_hint_locked(uint64_t hint, uint64_t size_bytes, uint64_t alignment)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint64_t end;

    if (hint == 0 || hint % alignment || __builtin_add_overflow(hint, size_bytes, &end) ||
        end > UINT64_C(1) << CUP_SPACE_ADDRESS_BITS)
        return false;
    give_guard_locked(hint);
    return cup_bits_are(reserved_bits, cup_space_chunk_of(hint), cup_space_chunk_of(size_bytes),
                        false) &&
           grow_at_locked(hint, size_bytes) && take_at_locked(hint, size_bytes);
}

static uint64_t take_aligned_locked(uint64_t size_bytes, uint64_t alignment)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint32_t start = cup_extents_take_aligned(&extents, cup_space_chunk_of(size_bytes),
                                              cup_space_chunk_of(alignment), CUP_SPACE_CHUNK_COUNT);

    return start == CUP_EXTENT_NONE ? 0 : (uint64_t)start << CUP_SPACE_CHUNK_SHIFT;
}

CUresult cup_space_reserve_locked(uint64_t size_bytes, uint64_t alignment, uint64_t hint,
                                  uint64_t *address)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint64_t most = UINT64_C(1) << (CUP_SPACE_ADDRESS_BITS - 1), found = 0;
    uint64_t guard_bytes = cup_checks.redzones ? CUP_SPACE_CHUNK_BYTES : 0;
    bool hinted = false;

    if (alignment < CUP_SPACE_CHUNK_BYTES)
        alignment = CUP_SPACE_CHUNK_BYTES;
    if (size_bytes <= most && alignment <= most) {
        hinted = take_hint_locked(hint, size_bytes, alignment);
        if (hinted)
            found = hint;
        else
            found = take_aligned_locked(size_bytes + guard_bytes, alignment);
        if (!found) {
            found = grow_locked(size_bytes + guard_bytes, alignment);
            if (found && !take_at_locked(found, size_bytes + guard_bytes))
                found = 0;
        }
    }
    if (!found)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no address space for %llu bytes",
                         (unsigned long long)size_bytes);
    cup_bits_write(reserved_bits, cup_space_chunk_of(found), cup_space_chunk_of(size_bytes), true);
    chunk_counts[cup_space_chunk_of(found)] = cup_space_chunk_of(size_bytes);
    if (guard_bytes && !hinted)
        chunk_counts[cup_space_chunk_of(found + size_bytes)] = GUARD;
    *address = found;
    return CUDA_SUCCESS;
}

static bool is_inside(uint64_t address, uint64_t size_bytes)
{
    uint64_t end;

    return region_functions && size_bytes != 0 && cup_is_aligned(address, CUP_SPACE_CHUNK_BYTES) &&
           cup_is_aligned(size_bytes, CUP_SPACE_CHUNK_BYTES) &&
           !__builtin_add_overflow(address, size_bytes, &end) &&
           end <= UINT64_C(1) << CUP_SPACE_ADDRESS_BITS;
}

uint64_t cup_space_reserved_bytes_locked(uint64_t address)
{
    cup_lock_assert_held(&cup_virtual_lock);
    if (!region_functions || !cup_is_aligned(address, CUP_SPACE_CHUNK_BYTES) ||
        address >> CUP_SPACE_ADDRESS_BITS || chunk_counts[cup_space_chunk_of(address)] == GUARD)
        return 0;
    return (uint64_t)chunk_counts[cup_space_chunk_of(address)] << CUP_SPACE_CHUNK_SHIFT;
}

bool cup_space_is_reservation_locked(uint64_t address, uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_virtual_lock);
    return is_inside(address, size_bytes) &&
           chunk_counts[cup_space_chunk_of(address)] == cup_space_chunk_of(size_bytes);
}

void cup_space_end_locked(uint64_t address, uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_virtual_lock);
    cup_bits_write(reserved_bits, cup_space_chunk_of(address), cup_space_chunk_of(size_bytes),
                   false);
    chunk_counts[cup_space_chunk_of(address)] = 0;
}

void cup_space_give_locked(uint64_t address, uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_virtual_lock);
    uint32_t first, chunk = cup_space_chunk_of(address), count = cup_space_chunk_of(size_bytes);

    give_guard_locked(address + size_bytes);
    cup_extents_give(&extents, chunk, count, 0, CUP_SPACE_CHUNK_COUNT, &first);
}

bool cup_space_is_reserved_locked(uint64_t address, uint64_t size_bytes)
{
    cup_lock_assert_held(&cup_virtual_lock);
    return is_inside(address, size_bytes) &&
           cup_bits_are(reserved_bits, cup_space_chunk_of(address), cup_space_chunk_of(size_bytes),
                        true);
}
