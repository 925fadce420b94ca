/* SPDX-License-Identifier: MIT */
/* Teams have fixed places, so a thread may look at one that is just given up. The state of a place
 * changes by one atomic operation: whether the team is open, a number that differs from team to
 * team, and how many helpers are inside. A helper that has joined keeps the team from being given
 * up. */
#include "stream/engine_team.h"

#include "core/compiler.h"
#include "os/futex.h"
#include "stream/spin.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#define STATE_OPEN (UINT64_C(1) << 63)
#define STATE_OWNER_SLEEPS (UINT64_C(1) << 62)
#define STATE_TURN (UINT64_C(1) << 32)
#define STATE_HELPERS (STATE_TURN - 1)
enum { TEAMS_MAX = 64, SPIN_NS = 50000 };

struct cup_engine_team {
    /* All threads write these two, so each has a cache line of its own. */
    alignas(CUP_CACHE_LINE) _Atomic(uint64_t) state;
    alignas(CUP_CACHE_LINE) _Atomic(size_t) next_part;
    alignas(CUP_CACHE_LINE) void (*action)(void *argument, size_t part);
    void *argument;
    /* Threads that have not joined look at these two. */
    _Atomic(size_t) parts;
    _Atomic(unsigned) helpers_max;
};

static struct cup_engine_team teams[TEAMS_MAX];
static alignas(CUP_CACHE_LINE) _Atomic(uint64_t) used; /* a bit for each place that has an owner */
static alignas(CUP_CACHE_LINE) _Atomic(uint64_t) open; /* a bit for each open team */

static uint64_t bit_of(const struct cup_engine_team *team)
{
    return UINT64_C(1) << (team - teams);
}

static struct cup_engine_team *take_place(void)
{
    uint64_t before = atomic_load_explicit(&used, memory_order_relaxed), bit;

    do {
        if (before == UINT64_MAX)
            return NULL;
        bit = ~before & (before + 1);
    } while (!atomic_compare_exchange_weak_explicit(&used, &before, before | bit,
                                                    memory_order_acquire, memory_order_relaxed));
    return &teams[__builtin_ctzll(bit)];
}

struct cup_engine_team *cup_engine_team_open(void (*action)(void *argument, size_t part),
                                             void *argument, size_t parts, unsigned helpers_max)
{
    struct cup_engine_team *team = take_place();

    if (!team)
        return NULL;
    uint64_t turn = (atomic_load_explicit(&team->state, memory_order_relaxed) + STATE_TURN) &
                    (STATE_OWNER_SLEEPS - STATE_TURN);
    team->action = action;
    team->argument = argument;
    atomic_store_explicit(&team->parts, parts, memory_order_relaxed);
    atomic_store_explicit(&team->helpers_max, helpers_max, memory_order_relaxed);
    atomic_store_explicit(&team->next_part, 1, memory_order_relaxed);
    atomic_store_explicit(&team->state, turn | STATE_OPEN, memory_order_release);
    atomic_fetch_or(&open, bit_of(team));
    return team;
}

bool cup_engine_team_work_once(struct cup_engine_team *team)
{
    size_t part = atomic_fetch_add(&team->next_part, 1);

    if (part >= atomic_load_explicit(&team->parts, memory_order_relaxed))
        return false;
    team->action(team->argument, part);
    return true;
}

static int has_left(const void *state)
{
    return (atomic_load((const _Atomic(uint64_t) *)state) & STATE_HELPERS) == 0;
}

/* The helpers are at their last parts, which are often short: sleeping would take longer. */
static void wait_for_helpers(struct cup_engine_team *team, bool spins)
{
    if (spins && cup_spin_until(has_left, &team->state, SPIN_NS))
        return;
    uint64_t state = atomic_fetch_or(&team->state, STATE_OWNER_SLEEPS);
    while (state & STATE_HELPERS) {
        /* Both kinds of processors are little-endian: the number of helpers is at the address. */
        cup_futex_wait((_Atomic(uint32_t) *)&team->state, (uint32_t)state, -1);
        state = atomic_load(&team->state);
    }
}

void cup_engine_team_close(struct cup_engine_team *team, bool spins)
{
    atomic_fetch_and(&open, ~bit_of(team));
    if (atomic_fetch_and(&team->state, ~STATE_OPEN) & STATE_HELPERS)
        wait_for_helpers(team, spins);
    atomic_fetch_and_explicit(&used, ~bit_of(team), memory_order_release);
}

static size_t parts_left(struct cup_engine_team *team)
{
    size_t next = atomic_load_explicit(&team->next_part, memory_order_relaxed);
    size_t parts = atomic_load_explicit(&team->parts, memory_order_relaxed);

    return next < parts ? parts - next : 0;
}

static unsigned places_left(struct cup_engine_team *team, uint64_t state)
{
    unsigned most = atomic_load_explicit(&team->helpers_max, memory_order_relaxed);
    uint64_t inside = state & STATE_HELPERS;

    return state & STATE_OPEN && inside < most ? most - (unsigned)inside : 0;
}

/* The state's turn tells whether the team that was looked at is still the one that is joined. */
static bool join(struct cup_engine_team *team)
{
    uint64_t state = atomic_load_explicit(&team->state, memory_order_acquire);

    while (places_left(team, state) && parts_left(team)) {
        if (atomic_compare_exchange_weak(&team->state, &state, state + 1))
            return true;
    }
    return false;
}

struct cup_engine_team *cup_engine_team_join(void)
{
    for (uint64_t left = atomic_load(&open); left; left &= left - 1) {
        struct cup_engine_team *team = &teams[__builtin_ctzll(left)];

        if (join(team))
            return team;
    }
    return NULL;
}

/* Once the owner sees that the last helper has left, it may give the place to another team, whose
 * owner is then woken for nothing. */
void cup_engine_team_leave(struct cup_engine_team *team)
{
    uint64_t before = atomic_fetch_sub(&team->state, 1);

    if ((before & STATE_HELPERS) == 1 && before & STATE_OWNER_SLEEPS)
        cup_futex_wake((_Atomic(uint32_t) *)&team->state, 1);
}

unsigned cup_engine_team_wanted(void)
{
    uint64_t wanted = 0;

    for (uint64_t left = atomic_load(&open); left; left &= left - 1) {
        struct cup_engine_team *team = &teams[__builtin_ctzll(left)];
        unsigned places = places_left(team, atomic_load(&team->state));
        size_t parts = parts_left(team);

        wanted += parts < places ? parts : places;
    }
    return wanted < UINT32_MAX ? (unsigned)wanted : UINT32_MAX;
}
