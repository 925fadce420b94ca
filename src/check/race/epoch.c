/* SPDX-License-Identifier: MIT */
/* The ring of epochs. An entry has two words, and the second one the number's upper bits: an epoch
 * of another round does not fit. */
#include "check/race/epoch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

enum {
    RING_BITS = 24,
    NUMBER_BITS = 64 - CUP_RACE_EPOCH_SHIFT,
    ROUND_BITS = NUMBER_BITS - RING_BITS,
    WARP_BITS = 16,
};

struct ring_entry {
    _Atomic(uint64_t) unit_time;
    _Atomic(uint64_t) tick_warp_round;
};

static struct ring_entry *ring;
static _Atomic(uint64_t) next_number = 1;

static void create_ring(void)
{
    void *memory = mmap(NULL, sizeof(*ring) << RING_BITS, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    ring = memory == MAP_FAILED ? NULL : memory;
    if (ring)
        madvise(ring, sizeof(*ring) << RING_BITS, MADV_HUGEPAGE); /* a hint; may be unsupported */
}

bool cup_race_epochs_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, create_ring);
    return ring != NULL;
}

/* The number 0 means none, so a round of all numbers skips it. */
uint64_t cup_race_epochs_take(uint32_t count)
{
    const uint64_t limit = UINT64_C(1) << NUMBER_BITS;
    uint64_t first;

    do
        first = atomic_fetch_add_explicit(&next_number, count, memory_order_relaxed) % limit;
    while (first == 0 || first + count > limit);
    return first;
}

static struct ring_entry *entry_of(uint64_t number)
{
    return &ring[number & ((UINT64_C(1) << RING_BITS) - 1)];
}

static uint64_t round_of(uint64_t number)
{
    return number >> RING_BITS & ((1u << ROUND_BITS) - 1);
}

void cup_race_epoch_set(uint64_t number, const struct cup_race_epoch *epoch)
{
    struct ring_entry *entry = entry_of(number);

    atomic_store_explicit(&entry->unit_time, (uint64_t)epoch->unit << 32 | epoch->time,
                          memory_order_relaxed);
    atomic_store_explicit(&entry->tick_warp_round,
                          (uint64_t)epoch->tick << 32 | (uint64_t)epoch->warp << WARP_BITS |
                              round_of(number),
                          memory_order_release);
}

bool cup_race_epoch_find(uint64_t number, struct cup_race_epoch *epoch)
{
    struct ring_entry *entry = entry_of(number);
    uint64_t second = atomic_load_explicit(&entry->tick_warp_round, memory_order_acquire);
    uint64_t first = atomic_load_explicit(&entry->unit_time, memory_order_relaxed);

    *epoch = (struct cup_race_epoch){.unit = (uint32_t)(first >> 32),
                                     .time = (uint32_t)first,
                                     .tick = (uint32_t)(second >> 32),
                                     .warp = second >> WARP_BITS & ((1u << WARP_BITS) - 1)};
    return (second & ((1u << ROUND_BITS) - 1)) == round_of(number);
}
