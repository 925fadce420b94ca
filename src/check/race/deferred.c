/* SPDX-License-Identifier: MIT */
/* Writes of two warps without an order are a race only if the second one changes the memory. So
 * they are looked at again when the writes have happened. */
#include "check/race/unit.h"

#include <string.h>

void cup_race_deferred_end(struct cup_race_unit *unit)
{
    uint32_t count = unit->deferred_count;

    unit->deferred_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct cup_race_deferred *deferred = &unit->deferred[i];

        if (memcmp(deferred->before, (const void *)(uintptr_t)deferred->race.address,
                   deferred->race.bytes) != 0)
            unit->found(unit->context, &deferred->race);
    }
}
