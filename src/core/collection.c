/* SPDX-License-Identifier: MIT */
#include "core/collection.h"

#include "core/config.h"
#include "core/trace.h"

#include <stdatomic.h>

static atomic_bool is_off;

bool cup_collection_is_ranged(void)
{
    return cup_config_get()->capture_range;
}

bool cup_collection_is_on(void)
{
    return !atomic_load_explicit(&is_off, memory_order_relaxed);
}

void cup_collection_set(bool on)
{
    atomic_store(&is_off, !on);
    cup_trace_pause(!on);
}

void cup_collection_init(void)
{
    if (cup_collection_is_ranged())
        cup_collection_set(false);
}
