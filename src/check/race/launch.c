/* SPDX-License-Identifier: MIT */
/* What the units of a launch share in the race detector: their numbers, and when each has last
 * released to the others. */
#include "check/race/unit.h"

#include <sys/mman.h>

static size_t releases_bytes(const struct cup_race_launch *launch)
{
    return (size_t)launch->release_count * sizeof(_Atomic(uint32_t));
}

/* Numbers of units go round: an epoch is forgotten long before its unit's number is used again. */
void cup_race_launch_init(struct cup_race_launch *launch, uint64_t units)
{
    static _Atomic(uint32_t) next_unit, next_tag;
    uint32_t count = units > INT32_MAX ? 0 : (uint32_t)units;

    launch->first_unit = atomic_fetch_add(&next_unit, count + 1);
    do
        launch->tag = atomic_fetch_add(&next_tag, 1) + 1;
    while (launch->tag == 0 || launch->tag == CUP_ABI_RACE_NO_TAG);
    launch->first_epoch = cup_race_epochs_take(1);
    launch->release_count = count;
    atomic_init(&launch->units, count);
    atomic_init(&launch->tick, 0);
    atomic_init(&launch->long_waits, 0);
    atomic_init(&launch->releases, NULL);
}

void cup_race_launch_finish(struct cup_race_launch *launch)
{
    _Atomic(uint32_t) *releases = atomic_load(&launch->releases);

    if (releases)
        munmap((void *)releases, releases_bytes(launch));
}

_Atomic(uint32_t) *cup_race_launch_release(struct cup_race_launch *launch, uint32_t unit)
{
    _Atomic(uint32_t) *releases = atomic_load_explicit(&launch->releases, memory_order_acquire);
    void *memory;

    if (!launch->release_count)
        return NULL;
    if (!releases) {
        memory = mmap(NULL, releases_bytes(launch), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            atomic_store(&launch->units, 0);
            return NULL;
        }
        if (atomic_compare_exchange_strong(&launch->releases, &releases, memory))
            releases = memory;
        else
            munmap(memory, releases_bytes(launch));
    }
    return &releases[unit - launch->first_unit];
}
