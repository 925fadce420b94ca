/* SPDX-License-Identifier: MIT */
#include "stream/spin.h"

#include "core/compiler.h"
#include "os/clock.h"

#include <stdatomic.h>

/* A turn of the loop takes well under a microsecond. An interrupt takes some microseconds; another
 * thread that wants the processor keeps it longer. */
enum { LOST_NS = 200000, CROWDED_NS = 10000000 };

static _Atomic(uint64_t) crowded_until_ns;

bool cup_spin_until(int (*is_over)(const void *what), const void *what, uint64_t time_ns)
{
    uint64_t now = cup_clock_ns(), end = now + time_ns;

    if (now < atomic_load_explicit(&crowded_until_ns, memory_order_relaxed))
        return is_over(what);
    while (!is_over(what)) {
        uint64_t before = now;

        cup_relax();
        now = cup_clock_ns();
        if (now - before > LOST_NS) {
            atomic_store_explicit(&crowded_until_ns, now + CROWDED_NS, memory_order_relaxed);
            return is_over(what);
        }
        if (now >= end)
            return is_over(what);
    }
    return true;
}
