/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=init in kernels: reads of device or shared memory that nothing has written.
 * check/memory/uninitialised.h has the shadow of device memory; a block has a shadow of its shared
 * memory, which is cleared when the block begins. Compiled code tests consecutive lanes itself
 * (jit/instrument/uninitialised.c). */
#include "check/kernel/uninitialised.h"

#include "abi/launch.h"
#include "check/kernel/dispatch.h"
#include "check/kernel/place.h"
#include "check/memory/uninitialised.h"
#include "check/report/records.h"
#include "check/report/report.h"
#include "exec/sched/cluster.h"
#include "exec/sched/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)CUP_WRITTEN_SLOT_SHIFT == (int)CUP_UNWRITTEN_SLOT_SHIFT &&
                   (int)CUP_WRITTEN_SLOTS == (int)CUP_UNWRITTEN_SLOTS,
               "compiled code reads the table");

enum { WORD = CUP_UNWRITTEN_WORD_BYTES };

const uint64_t *cup_kcheck_init_slots(void)
{
    return (const uint64_t *)cup_unwritten_slots;
}

void cup_kcheck_init_block(struct cup_abi_block *block)
{
    const struct cup_abi_launch *launch = block->launch;
    uint64_t bytes = launch->shared_static_bytes + (uint64_t)launch->shared_dynamic_bytes;
    uint64_t words = (bytes + WORD - 1) / WORD;

    block->shared_written_bytes = 0;
    if (!bytes)
        return;
    if (block->shared_written_capacity < words) {
        free(block->shared_written);
        block->shared_written = malloc(words);
        block->shared_written_capacity = block->shared_written ? words : 0;
    }
    if (!block->shared_written)
        return;
    memset(block->shared_written, 0, words);
    block->shared_written_bytes = bytes;
}

void cup_kcheck_init_block_free(struct cup_abi_block *block)
{
    free(block->shared_written);
    block->shared_written = NULL;
    block->shared_written_bytes = block->shared_written_capacity = 0;
}

/* A shadow, and where an address is in it. */
struct spot {
    uint8_t *shadow; /* NULL: the address has none */
    uint64_t offset;
    bool shared;
};

static struct spot spot_of(const struct cup_kcheck_access *access, uint64_t address)
{
    struct spot spot = {NULL, address % WORD, false};
    struct cup_abi_block *owner;

    if (access->space != PTX_SHARED)
        spot.shadow = cup_unwritten_shadow(address);
    if (spot.shadow || access->space == PTX_GLOBAL)
        return spot;
    owner = cup_cluster_block_at(access->block, address, access->bytes);
    if (owner && owner->shared_written_bytes) {
        spot.shadow = owner->shared_written;
        spot.offset = address - (uint64_t)(uintptr_t)owner->shared;
        spot.shared = true;
    }
    return spot;
}

static void report(const struct cup_kcheck_access *access, uint32_t lane, bool shared,
                   uint64_t written)
{
    uint64_t address = access->addresses[lane] + written;
    struct cup_tracked memory;
    struct cup_report report = {
        .check = CUP_REPORT_INIT,
        .fault = shared ? "unwritten-shared" : "unwritten",
        .address = access->addresses[lane],
        .size_bytes = access->bytes,
        .places = {cup_kcheck_report_place(access->block, access->warp, lane, access->site)},
        .place_count = 1,
    };
    char text[512];

    report.places[0].role = "read";
    if (shared)
        snprintf(text, sizeof(text),
                 "kernel %s read %" PRIu64 " bytes of shared memory at offset %" PRIu64
                 ", which no thread of the block had written",
                 report.places[0].kernel, access->bytes - written,
                 address - (uint64_t)(uintptr_t)access->block->window);
    else if (cup_tracked_memory_at(address, &memory))
        snprintf(text, sizeof(text),
                 "kernel %s read %" PRIu64 " bytes at 0x%" PRIx64 ", %" PRIu64
                 " bytes into the %" PRIu64 " bytes of %s at 0x%" PRIx64
                 ", which nothing had written",
                 report.places[0].kernel, access->bytes - written, address, address - memory.base,
                 memory.size_bytes, memory.what, memory.base);
    else
        snprintf(text, sizeof(text),
                 "kernel %s read %" PRIu64 " bytes at 0x%" PRIx64 ", which nothing had written",
                 report.places[0].kernel, access->bytes - written, address);
    report.text = text;
    report.memory = !shared && cup_tracked_memory_at(address, &memory) ? &memory : NULL;
    cup_report_write(&report);
}

/* Returns whether the lane may read. Of a warp's access only the first lane that may not is
 * reported. */
static bool look_at(const struct cup_kcheck_access *access, uint32_t lane, bool first)
{
    struct spot spot = spot_of(access, access->addresses[lane]);
    uint64_t written;

    if (!spot.shadow)
        return true;
    written = access->access & CUP_ABI_READS
                  ? cup_unwritten_count(spot.shadow, spot.offset, access->bytes)
                  : access->bytes;
    if (access->access & CUP_ABI_WRITES)
        cup_unwritten_set(spot.shadow, spot.offset, access->bytes);
    if (written == access->bytes)
        return true;
    if (first)
        report(access, lane, spot.shared, written);
    return false;
}

/* The shadow of whole words that are in device memory or in the block's own shared memory; NULL: it
 * takes a closer look to tell. */
static uint8_t *shadow_of_words(const struct cup_kcheck_access *access, uint64_t address)
{
    const struct cup_abi_block *block = access->block;
    uint64_t offset = address - (uint64_t)(uintptr_t)block->shared;

    if (address % WORD)
        return NULL;
    if (access->space != PTX_SHARED)
        return cup_unwritten_shadow(address);
    return offset + access->bytes <= block->shared_written_bytes
               ? block->shared_written + offset / WORD
               : NULL;
}

/* One, two or four words, without calls of functions. Other threads run other blocks, which may
 * access the same words. */
static inline bool are_written(const uint8_t *shadow, size_t words)
{
    uint8_t all = CUP_UNWRITTEN_NONE;

    for (size_t i = 0; i < words; i++)
        all &= __atomic_load_n(&shadow[i], __ATOMIC_RELAXED);
    return all == CUP_UNWRITTEN_NONE;
}

static inline void set_written(uint8_t *shadow, size_t words)
{
    for (size_t i = 0; i < words; i++)
        __atomic_store_n(&shadow[i], CUP_UNWRITTEN_NONE, __ATOMIC_RELAXED);
}

/* Looks at lanes that access one, two or four words. Returns the others, and those that read what
 * is not written. */
static uint32_t look_quickly(const struct cup_kcheck_access *access)
{
    bool reads = access->access & CUP_ABI_READS, writes = access->access & CUP_ABI_WRITES;
    size_t words = access->bytes / WORD;
    uint32_t others = 0;

    if (access->bytes % WORD || (words != 1 && words != 2 && words != 4))
        return access->mask;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint8_t *shadow = shadow_of_words(access, access->addresses[lane]);

        if (!shadow ? access->space != PTX_GLOBAL : reads && !are_written(shadow, words))
            others |= 1u << lane;
        else if (shadow && writes)
            set_written(shadow, words);
    }
    return others;
}

void cup_kcheck_init_access(const struct cup_kcheck_access *access)
{
    bool fine = true;

    if (!cup_unwritten_slots)
        return;
    for (uint32_t left = look_quickly(access); left; left &= left - 1)
        fine &= look_at(access, (uint32_t)__builtin_ctz(left), fine);
}
