/* SPDX-License-Identifier: MIT */
/* One word counts the arrivals (lower half) and the workers that spin (upper half). An arrival sets
 * the number of spinning workers to 0, since all of them leave: the next arrival does not rely on
 * them a second time. */
#include "stream/arrivals.h"

#include "core/compiler.h"
#include "os/futex.h"
#include "stream/spin.h"

#include <stdalign.h>
#include <stdatomic.h>

#define ONE_SPINNER (UINT64_C(1) << 32)
enum { SPIN_NS_LEAST = 10000, SPIN_NS_FIRST = 50000, SPIN_NS_MOST = 200000 };

static alignas(CUP_CACHE_LINE) _Atomic(uint64_t) word;

/* Both kinds of processors are little-endian: the count is at the word's address. */
static _Atomic(uint32_t) *count_address(void)
{
    return (_Atomic(uint32_t) *)&word;
}

static unsigned spinners_of(uint64_t value)
{
    return (unsigned)(value >> 32);
}

uint32_t cup_arrivals_seen(void)
{
    return (uint32_t)atomic_load(&word);
}

unsigned cup_arrivals_add(unsigned wanted)
{
    uint64_t value = atomic_load(&word);

    while (!atomic_compare_exchange_weak(&word, &value, (uint32_t)(value + 1)))
        ;
    unsigned spinners = spinners_of(value);
    return wanted > spinners ? wanted - spinners : 0;
}

void cup_arrivals_wake(unsigned count)
{
    if (count)
        cup_futex_wake(count_address(), (int)count);
}

/* Changes the number of spinning workers unless work has arrived. */
static bool change_spinners(uint32_t seen, int64_t change, unsigned most)
{
    uint64_t value = atomic_load(&word);

    do {
        if ((uint32_t)value != seen || (change > 0 && spinners_of(value) >= most))
            return false;
    } while (!atomic_compare_exchange_weak(&word, &value, value + (uint64_t)change * ONE_SPINNER));
    return true;
}

static int has_arrived(const void *seen)
{
    return (uint32_t)atomic_load_explicit(&word, memory_order_relaxed) != *(const uint32_t *)seen;
}

bool cup_arrivals_spin(uint32_t seen, unsigned spinners_max, uint32_t *spin_ns)
{
    uint32_t time_ns = *spin_ns ? *spin_ns : SPIN_NS_FIRST;

    if (!change_spinners(seen, 1, spinners_max))
        return cup_arrivals_seen() != seen;
    if (cup_spin_until(has_arrived, &seen, time_ns) || !change_spinners(seen, -1, 0)) {
        *spin_ns = time_ns * 2 < SPIN_NS_MOST ? time_ns * 2 : SPIN_NS_MOST;
        return true;
    }
    *spin_ns = time_ns / 2 > SPIN_NS_LEAST ? time_ns / 2 : SPIN_NS_LEAST;
    return false;
}

void cup_arrivals_sleep(uint32_t seen)
{
    cup_futex_wait(count_address(), seen, -1);
}
