/* SPDX-License-Identifier: MIT */
/* Time in a unit. A clock has an entry for each warp. A warp that releases adds what it knows, and
 * its own time, to a clock; one that acquires takes over what the clock knows. Barriers, addresses
 * and fences have such clocks.
 *
 * The functions are called before an instruction is executed, and warps wait in it. So what a
 * warp acquires at a barrier, or lanes of each other, is taken over when they do the next thing. */
#include "check/race/access.h"

#include <string.h>

enum { CLUSTER_BARRIER = 0 };

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t *clock_of(const struct cup_race_unit *unit, uint32_t warp)
{
    return unit->clocks + (size_t)warp * unit->warps;
}

/* The warp has synchronised, by something else than a barrier of all unless that follows. */
static void pass_time(struct cup_race_unit *unit, uint32_t w)
{
    struct cup_race_warp *warp = &unit->all_warps[w];

    warp->time++;
    warp->epoch = 0;
    warp->interval = unit->interval;
    cup_race_unsettle(unit, w);
}

void cup_race_unsettle(struct cup_race_unit *unit, uint32_t w)
{
    unit->all_warps[w].is_settled = false;
    unit->quick[w].shared_tag = unit->quick[w].global_tag = CUP_ABI_RACE_NO_TAG;
    unit->quick[w].own_read = CUP_ABI_RACE_NO_READ;
}

void cup_race_unsettle_all(struct cup_race_unit *unit)
{
    for (uint32_t w = 0; w < unit->warps; w++)
        cup_race_unsettle(unit, w);
}

void cup_race_settled(struct cup_race_unit *unit, uint32_t w)
{
    struct cup_race_warp *warp = &unit->all_warps[w];

    if (warp->at_barrier || warp->at_sync || unit->deferred_count || unit->acquires)
        return;
    warp->is_settled = true;
    if (unit->blocks == 1 && warp->interval != unit->interval)
        unit->quick[w].shared_tag = unit->interval;
    if (unit->blocks == 1 && (warp->lanes & 1) && warp->lanes != 1)
        unit->quick[w].own_read =
            cup_race_stamp_of(cup_race_epoch_of(unit, w),
                              warp->fenced ? CUP_RACE_FENCED : CUP_RACE_WEAK, 0, 0, 0) |
            UINT64_C(1) << CUP_RACE_SEVERAL_SHIFT;
    if (!unit->acquire_tick)
        unit->quick[w].global_tag = unit->launch->tag;
}

/* Takes numbers in groups, because all workers take from one counter. Those of a unit grow. */
static void need_epochs(struct cup_race_unit *unit)
{
    enum { GROUP = 64 };

    if (!unit->spare_count) {
        unit->spare_epochs = cup_race_epochs_take(GROUP);
        unit->spare_count = GROUP;
    }
}

void cup_race_interval_begin(struct cup_race_unit *unit)
{
    need_epochs(unit);
    unit->first_epoch = unit->spare_epochs;
    unit->met = unit->meeting;
    unit->meeting.warps = 0;
    do
        unit->interval++;
    while (unit->interval == 0 || unit->interval == CUP_ABI_RACE_NO_TAG);
}

uint64_t cup_race_epoch_of(struct cup_race_unit *unit, uint32_t w)
{
    struct cup_race_warp *warp = &unit->all_warps[w];

    if (cup_unlikely(!warp->epoch)) {
        need_epochs(unit);
        warp->epoch = unit->spare_epochs++;
        unit->spare_count--;
        cup_race_epoch_set(
            warp->epoch, &(struct cup_race_epoch){unit->number, warp->time, unit->release_tick, w});
    }
    return warp->epoch;
}

static void release_at(struct cup_race_unit *unit, uint32_t warp, uint32_t *clock, uint32_t time)
{
    const uint32_t *mine = clock_of(unit, warp);

    for (uint32_t w = 0; w < unit->warps; w++)
        clock[w] = later(clock[w], mine[w]);
    clock[warp] = time;
}

static void release_to(struct cup_race_unit *unit, uint32_t warp, uint32_t *clock)
{
    release_at(unit, warp, clock, unit->all_warps[warp].time);
}

static void forget_concurrent(struct cup_race_warp *warp)
{
    if (!warp->has_concurrent)
        return;
    warp->has_concurrent = false;
    memset(warp->concurrent, 0, sizeof(warp->concurrent));
}

static void acquire_from(struct cup_race_unit *unit, uint32_t w, uint32_t lanes,
                         const uint32_t *clock)
{
    struct cup_race_warp *warp = &unit->all_warps[w];
    uint32_t *mine = clock_of(unit, w);

    forget_concurrent(warp);
    for (uint32_t i = 0; i < unit->warps; i++)
        mine[i] = later(mine[i], clock[i]);
    if (clock[w] <= warp->full)
        return;
    if (!warp->has_floors)
        memset(warp->floors, 0, sizeof(warp->floors));
    warp->has_floors = true;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        warp->floors[lane] = later(warp->floors[lane], clock[w]);
    }
}

/* The clock of a phase of a barrier; a new phase knows nothing. */
static uint32_t *phase_clock(struct cup_race_unit *unit, uint32_t number, uint64_t phase)
{
    size_t at = (size_t)number * CUP_RACE_PHASES + phase % CUP_RACE_PHASES;
    uint32_t *clock = unit->barrier_clocks + at * unit->warps;

    if (unit->barrier_phases[at] != phase) {
        unit->barrier_phases[at] = phase;
        memset(clock, 0, unit->warps * sizeof(*clock));
    }
    return clock;
}

/* Not all warps come to the meeting: its barrier needs a clock. Its warps have done nothing since
 * they came. */
static void end_meeting(struct cup_race_unit *unit)
{
    struct cup_race_meeting *meeting = &unit->meeting;

    for (uint32_t left = meeting->warps; left; left &= left - 1) {
        uint32_t w = (uint32_t)__builtin_ctz(left);

        release_at(unit, w, phase_clock(unit, meeting->number, meeting->phase),
                   unit->all_warps[w].time - 1);
    }
    meeting->warps = 0;
}

static bool is_meeting(const struct cup_race_meeting *meeting, uint32_t number, uint64_t phase)
{
    return meeting->number == number && meeting->phase == phase;
}

/* All lanes of a warp wait at a barrier. If all warps do, an interval begins, and nobody needs the
 * barrier's clock. */
static void meet(struct cup_race_unit *unit, uint32_t w, uint32_t number, uint64_t phase)
{
    struct cup_race_meeting *meeting = &unit->meeting;
    uint32_t all = unit->warps == 32 ? UINT32_MAX : (1u << unit->warps) - 1;

    if (!is_meeting(meeting, number, phase)) {
        end_meeting(unit);
        *meeting = (struct cup_race_meeting){number, phase, 0};
    }
    meeting->warps |= 1u << w;
    if (meeting->warps == all)
        cup_race_interval_begin(unit);
}

/* The lanes that wait with one of them. */
static uint32_t group_of(const struct cup_race_warp *warp, uint32_t lane)
{
    uint32_t group = 0;

    if (warp->is_together)
        return warp->lanes;
    for (uint32_t left = warp->at_barrier; left; left &= left - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(left);
        if (warp->barriers[other] == warp->barriers[lane] &&
            warp->phases[other] == warp->phases[lane])
            group |= 1u << other;
    }
    return group;
}

static void pass_barrier(struct cup_race_unit *unit, uint32_t w, uint32_t lane)
{
    struct cup_race_warp *warp = &unit->all_warps[w];
    uint32_t first = warp->is_together ? 0 : lane, number = warp->barriers[first];
    uint32_t group = group_of(warp, lane);
    uint64_t phase = warp->phases[first];
    const uint32_t *clock;

    warp->at_barrier &= ~group;
    warp->is_together = false;
    if (unit->barrier_now[number] == phase)
        unit->barrier_now[number] = phase + 1;
    if (unit->blocks == 1 && is_meeting(&unit->met, number, phase)) {
        warp->full = warp->time - 1;
        forget_concurrent(warp);
        return;
    }
    if (is_meeting(&unit->meeting, number, phase))
        end_meeting(unit);
    clock = phase_clock(unit, number, phase);
    if (group == warp->lanes)
        warp->full = later(warp->full, clock[w]);
    acquire_from(unit, w, group, clock);
}

/* What the members of a .sync did before they came, and what they knew, comes before what this lane
 * does now. */
static void pass_sync(struct cup_race_warp *warp, uint32_t lane)
{
    uint32_t *mine = warp->order[lane];

    warp->at_sync &= ~(1u << lane);
    for (uint32_t left = warp->members[lane] & warp->lanes; left; left &= left - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(left);

        for (uint32_t i = 0; i < CUP_RACE_LANES; i++)
            mine[i] = later(mine[i], warp->order[other][i]);
        mine[other] = later(mine[other], warp->arrivals[other]);
        if (warp->has_floors)
            warp->floors[lane] = later(warp->floors[lane], warp->floors[other]);
    }
}

void cup_race_settle(struct cup_race_unit *unit, uint32_t w, uint32_t mask)
{
    struct cup_race_warp *warp = &unit->all_warps[w];

    if (cup_unlikely(unit->deferred_count || unit->is_writing))
        cup_race_write_end(unit);
    if (cup_unlikely(unit->acquires)) {
        unit->acquires = false;
        unit->acquire_tick = atomic_load(&unit->launch->tick);
        for (uint32_t i = 0; i < unit->warps; i++)
            forget_concurrent(&unit->all_warps[i]);
    }
    for (uint32_t left = warp->at_barrier & mask; left; left = warp->at_barrier & mask)
        pass_barrier(unit, w, (uint32_t)__builtin_ctz(left));
    for (uint32_t left = warp->at_sync & mask; left; left &= left - 1)
        pass_sync(warp, (uint32_t)__builtin_ctz(left));
}

static void arrive(struct cup_race_unit *unit, uint32_t w, uint32_t number, uint64_t phase)
{
    release_to(unit, w, phase_clock(unit, number, phase));
    pass_time(unit, w);
}

static void wait_at(struct cup_race_warp *warp, uint32_t mask, uint32_t number, uint64_t phase)
{
    warp->at_barrier |= mask;
    warp->is_together = mask == warp->lanes;
    for (uint32_t left = warp->is_together ? 1 : mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        warp->barriers[lane] = number;
        warp->phases[lane] = phase;
    }
}

void cup_race_barrier(struct cup_race_unit *unit, uint32_t w, uint32_t mask, uint32_t number,
                      uint64_t phase, bool waits)
{
    bool meets = waits && unit->blocks == 1 && mask == unit->all_warps[w].lanes;

    if (phase == CUP_RACE_PHASE_UNKNOWN)
        phase = unit->barrier_now[number];
    if (meets)
        pass_time(unit, w);
    else
        arrive(unit, w, number, phase);
    if (waits)
        wait_at(&unit->all_warps[w], mask, number, phase);
    if (meets)
        meet(unit, w, number, phase);
}

void cup_race_cluster_arrive(struct cup_race_unit *unit, uint32_t w, uint32_t mask)
{
    (void)mask;
    unit->all_warps[w].cluster_phase = unit->barrier_now[CLUSTER_BARRIER];
    arrive(unit, w, CLUSTER_BARRIER, unit->all_warps[w].cluster_phase);
}

void cup_race_cluster_wait(struct cup_race_unit *unit, uint32_t w, uint32_t mask)
{
    struct cup_race_warp *warp = &unit->all_warps[w];

    cup_race_unsettle(unit, w);
    wait_at(warp, mask, CLUSTER_BARRIER, warp->cluster_phase);
}

/* What the warps of a warpgroup did before they committed their products comes before what those
 * do that have waited. One phase has all groups: what is committed later counts as waited for,
 * too. */
void cup_race_products(struct cup_race_unit *unit, uint32_t w, uint32_t mask, bool waits)
{
    uint32_t block_warps = unit->warps / unit->blocks, block = w / block_warps;
    uint32_t number = 1 + block * CUP_RACE_BARRIERS + CUP_RACE_BLOCK_BARRIERS + w % block_warps / 4;

    if (!waits) {
        arrive(unit, w, number, 0);
        return;
    }
    cup_race_unsettle(unit, w);
    wait_at(&unit->all_warps[w], mask, number, 0);
}

static void use_order(struct cup_race_warp *warp)
{
    if (!warp->has_order)
        memset(warp->order, 0, CUP_RACE_LANES * sizeof(*warp->order));
    warp->has_order = true;
}

/* All members are here: each knows what any of them knew, and what all of them did. */
static void sync_group(struct cup_race_warp *warp, uint32_t group)
{
    uint32_t merged[CUP_RACE_LANES] = {0}, floor = 0;

    use_order(warp);
    for (uint32_t left = group; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        for (uint32_t i = 0; i < CUP_RACE_LANES; i++)
            merged[i] = later(merged[i], warp->order[lane][i]);
        if (warp->has_floors)
            floor = later(floor, warp->floors[lane]);
    }
    for (uint32_t left = group; left; left &= left - 1)
        merged[__builtin_ctz(left)] = warp->time;
    for (uint32_t left = group; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        memcpy(warp->order[lane], merged, sizeof(merged));
        if (warp->has_floors)
            warp->floors[lane] = floor;
    }
}

/* Some members come later, or have exited: those that are here wait for them. */
static void sync_later(struct cup_race_warp *warp, uint32_t mask, const uint64_t *members)
{
    use_order(warp);
    warp->at_sync |= mask;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        warp->members[lane] = (uint32_t)members[lane];
        warp->arrivals[lane] = warp->time;
    }
}

void cup_race_sync(struct cup_race_unit *unit, uint32_t w, uint32_t mask, const uint64_t *members)
{
    struct cup_race_warp *warp = &unit->all_warps[w];
    uint32_t left = mask;

    while (left) {
        uint32_t first = (uint32_t)__builtin_ctz(left), group = 0;
        uint32_t wanted = (uint32_t)members[first] & warp->lanes;

        for (uint32_t i = first; i < CUP_RACE_LANES; i++)
            if (left >> i & 1 && members[i] == members[first])
                group |= 1u << i;
        left &= ~group;
        if ((wanted & ~group) != 0)
            sync_later(warp, group, members);
        else if (group == warp->lanes)
            warp->full = warp->time;
        else
            sync_group(warp, group);
    }
    pass_time(unit, w);
}

static uint32_t *fence_clock(const struct cup_race_unit *unit)
{
    return unit->places + (size_t)CUP_RACE_PLACES * unit->warps;
}

/* Announces to other units that what this one did before comes before what they do after an
 * acquire. */
static void release_wide(struct cup_race_unit *unit)
{
    _Atomic(uint32_t) *release = cup_race_launch_release(unit->launch, unit->number);

    unit->release_tick = atomic_fetch_add(&unit->launch->tick, 1) + 1;
    if (release)
        atomic_store_explicit(release, unit->release_tick, memory_order_relaxed);
}

/* What other units released comes before what this one does next. */
static void acquire_wide(struct cup_race_unit *unit)
{
    unit->acquires = true;
    cup_race_unsettle_all(unit);
}

void cup_race_fence(struct cup_race_unit *unit, uint32_t w, uint32_t mask, bool wide)
{
    uint32_t *clock = fence_clock(unit);

    unit->all_warps[w].fenced = true;
    unit->fence_used = true;
    release_to(unit, w, clock);
    acquire_from(unit, w, mask, clock);
    pass_time(unit, w);
    if (wide) {
        release_wide(unit);
        acquire_wide(unit);
    }
}

static uint64_t places_of(uint32_t mask, const uint64_t *addresses)
{
    uint64_t places = 0;

    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t word = addresses[__builtin_ctz(left)] / CUP_RACE_WORD_BYTES;
        places |= UINT64_C(1) << ((word ^ word >> 6 ^ word >> 13) % CUP_RACE_PLACES);
    }
    return places;
}

void cup_race_release(struct cup_race_unit *unit, uint32_t w, uint32_t mask,
                      const uint64_t *addresses, bool wide)
{
    uint64_t places = places_of(mask, addresses);

    unit->places_used |= places;
    for (uint64_t left = places; left; left &= left - 1)
        release_to(unit, w, unit->places + (size_t)__builtin_ctzll(left) * unit->warps);
    pass_time(unit, w);
    if (wide)
        release_wide(unit);
}

void cup_race_acquire(struct cup_race_unit *unit, uint32_t w, uint32_t mask,
                      const uint64_t *addresses, bool wide)
{
    uint64_t places = places_of(mask, addresses) & unit->places_used;

    for (uint64_t left = places; left; left &= left - 1)
        acquire_from(unit, w, mask, unit->places + (size_t)__builtin_ctzll(left) * unit->warps);
    if (unit->fence_used)
        acquire_from(unit, w, mask, fence_clock(unit));
    unit->all_warps[w].interval = unit->interval;
    cup_race_unsettle(unit, w);
    if (wide)
        acquire_wide(unit);
}

/* Whether what `lane` did at a time comes before what `now` does in the same warp. Of several lanes
 * only one is known. */
static bool lanes_ordered(const struct cup_race_warp *warp, uint32_t now, uint32_t lane,
                          bool several, uint32_t time)
{
    if ((lane == now && !several) || (warp->has_floors && time <= warp->floors[now]))
        return true;
    if (!warp->has_order)
        return false;
    return several || time <= warp->order[now][lane];
}

static bool units_ordered(const struct cup_race_unit *unit, const struct cup_race_epoch *epoch)
{
    const struct cup_race_launch *launch = unit->launch;
    uint32_t index = epoch->unit - launch->first_unit;
    _Atomic(uint32_t) *releases;

    if (index >= launch->units)
        return true;
    releases =
        atomic_load_explicit(&((struct cup_race_launch *)launch)->releases, memory_order_acquire);
    return releases && unit->acquire_tick > epoch->tick &&
           atomic_load_explicit(&releases[index], memory_order_relaxed) > epoch->tick;
}

/* Whether an epoch of the unit is older than the interval. */
static bool is_past(const struct cup_race_unit *unit, uint64_t number)
{
    return unit->blocks == 1 && cup_race_epoch_is_older(number, unit->first_epoch);
}

bool cup_race_is_ordered(struct cup_race_unit *unit, uint32_t w, uint32_t lane,
                         cup_race_stamp stamp, bool is_shared)
{
    struct cup_race_warp *warp = &unit->all_warps[w];
    uint64_t number = cup_race_stamp_epoch(stamp);
    struct cup_race_epoch epoch;
    bool ordered;

    if (warp->known[number % CUP_RACE_KNOWN] == number)
        return true;
    if (!cup_race_epoch_find(number, &epoch))
        ordered = true;
    else if (epoch.unit != unit->number)
        ordered = is_shared || units_ordered(unit, &epoch);
    else if (epoch.warp != w)
        ordered = epoch.time <= clock_of(unit, w)[epoch.warp] || is_past(unit, number);
    else if (epoch.time > warp->full)
        return lanes_ordered(warp, lane, cup_race_stamp_lane(stamp), cup_race_stamp_several(stamp),
                             epoch.time);
    else
        ordered = true;
    if (ordered) {
        warp->known[number % CUP_RACE_KNOWN] = number;
    } else {
        warp->concurrent[number % CUP_RACE_KNOWN] = number;
        warp->has_concurrent = true;
    }
    return ordered;
}
