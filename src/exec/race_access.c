/* SPDX-License-Identifier: MIT */
/* Compares an access with the earlier ones to the same words, and leaves its stamp.
 *
 * A word keeps its last write and two reads. A write replaces the reads before it: whatever comes
 * after the write comes after them, too, or races with the write itself. Of the threads that read a
 * word, two that are not ordered suffice, because one of them is not the thread that writes next.
 *
 * Two writes of the same value do no harm and are not reported. The value is known when the write
 * has happened, so such a race is put off until the unit does the next thing. */
#include "exec/race_unit.h"

#include "core/compiler.h"

#include <string.h>

/* One lane's access to one word. */
struct word_access {
    struct cup_race_unit *unit;
    const struct cup_race_access *access;
    struct cup_race_warp *warp;
    uint32_t lane;
    uint32_t bytes;     /* of the word, a bit each */
    uint64_t address;   /* of the word */
    cup_race_stamp own; /* its stamp */
};

static bool may_meet(enum cup_race_strength a, enum cup_race_strength b)
{
    if (a >= CUP_RACE_STRONG)
        return b >= CUP_RACE_FENCED;
    return a == CUP_RACE_FENCED && b >= CUP_RACE_STRONG;
}

/* Whether an earlier access races with this one. */
static bool races_with(const struct word_access *word, cup_race_stamp earlier)
{
    if (!earlier || !(cup_race_stamp_bytes(earlier) & word->bytes) ||
        may_meet(cup_race_stamp_strength(earlier), word->access->strength))
        return false;
    return !cup_race_is_ordered(word->unit, word->access->warp, word->lane, earlier,
                                word->access->is_shared);
}

/* The lane that is not this one, if the earlier access was made by several. */
static uint32_t other_lane(const struct word_access *word, cup_race_stamp earlier)
{
    uint32_t lane = cup_race_stamp_lane(earlier);

    if (cup_race_stamp_epoch(earlier) != word->warp->epoch || lane != word->lane)
        return lane;
    return lane == 0 ? 1 : 0;
}

static bool describe(const struct word_access *word, cup_race_stamp earlier, bool earlier_writes,
                     struct cup_race *race)
{
    const struct cup_race_access *access = word->access;
    uint32_t first = (uint32_t)__builtin_ctz(word->bytes & cup_race_stamp_bytes(earlier));
    struct cup_race_epoch epoch;

    if (!cup_race_epoch_find(cup_race_stamp_epoch(earlier), &epoch))
        return false;
    *race = (struct cup_race){
        .address = word->address + first,
        .bytes = (uint32_t)__builtin_popcount(word->bytes & cup_race_stamp_bytes(earlier)),
        .is_shared = access->is_shared,
        .first = {.unit = epoch.unit - word->unit->launch->first_unit,
                  .warp = epoch.warp,
                  .lane = other_lane(word, earlier),
                  .site = cup_race_stamp_site(earlier),
                  .writes = earlier_writes,
                  .strength = cup_race_stamp_strength(earlier)},
        .second = {.unit = word->unit->number - word->unit->launch->first_unit,
                   .warp = access->warp,
                   .lane = word->lane,
                   .site = access->site,
                   .writes = access->writes,
                   .strength = access->strength}};
    return true;
}

/* Whether the lane of an earlier stamp writes the word in this very instruction. */
static bool is_same_instruction(const struct word_access *word, cup_race_stamp earlier)
{
    const struct cup_race_access *access = word->access;
    uint32_t lane = cup_race_stamp_lane(earlier);
    uint64_t site = access->site & ((1u << CUP_RACE_SITE_BITS) - 1);

    return access->mask >> lane & 1 && lane < word->lane &&
           cup_race_stamp_epoch(earlier) == word->warp->epoch &&
           cup_race_stamp_site(earlier) == site &&
           word->address + CUP_RACE_WORD_BYTES > access->addresses[lane] &&
           word->address < access->addresses[lane] + access->bytes;
}

/* The byte that a lane of the instruction writes to an address. */
static uint8_t value_at(const struct cup_race_access *access, uint32_t lane, uint64_t address)
{
    uint64_t at = address - access->addresses[lane], size = access->element_bytes;

    return access->values[(at / size * CUP_RACE_LANES + lane) * size + at % size];
}

static bool values_differ(const struct cup_race_access *access, const struct cup_race *race)
{
    for (uint32_t i = 0; access->values && i < race->bytes; i++)
        if (value_at(access, race->first.lane, race->address + i) !=
            value_at(access, race->second.lane, race->address + i))
            return true;
    return false;
}

static void race_of_writes(const struct word_access *word, cup_race_stamp earlier)
{
    struct cup_race_unit *unit = word->unit;
    const struct cup_race_access *access = word->access;
    struct cup_race race;

    if (!describe(word, earlier, true, &race))
        return;
    if (is_same_instruction(word, earlier)) {
        race.in_one_instruction = true;
        if (values_differ(access, &race))
            unit->found(unit->context, &race);
    } else if (unit->deferred_count < CUP_RACE_DEFERRED) {
        struct cup_race_deferred *deferred = &unit->deferred[unit->deferred_count++];

        deferred->race = race;
        memcpy(deferred->before, (const void *)(uintptr_t)race.address, race.bytes);
    }
}

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

static void race_of_read(const struct word_access *word, cup_race_stamp earlier,
                         bool earlier_writes)
{
    struct cup_race race;

    if (describe(word, earlier, earlier_writes, &race))
        word->unit->found(word->unit->context, &race);
}

static void set(_Atomic(cup_race_stamp) *place, cup_race_stamp stamp)
{
    atomic_store_explicit(place, stamp, memory_order_relaxed);
}

static cup_race_stamp get(_Atomic(cup_race_stamp) *place)
{
    return atomic_load_explicit(place, memory_order_relaxed);
}

static void check_read_before(const struct word_access *word, _Atomic(cup_race_stamp) *place)
{
    cup_race_stamp earlier = get(place);

    if (cup_likely(!earlier))
        return;
    if (races_with(word, earlier))
        race_of_read(word, earlier, false);
    if (!(cup_race_stamp_bytes(earlier) & ~word->bytes))
        set(place, 0);
}

static void write_word(const struct word_access *word, const struct cup_race_cells *cells, size_t i)
{
    cup_race_stamp earlier = get(&cells->write[i]);

    check_read_before(word, &cells->read[i]);
    check_read_before(word, &cells->other_read[i]);
    if (earlier && races_with(word, earlier))
        race_of_writes(word, earlier);
    set(&cells->write[i], word->own);
}

/* Whether a read may be replaced by this one. */
static bool may_replace(const struct word_access *word, cup_race_stamp read)
{
    uint64_t epoch = cup_race_stamp_epoch(read);

    if (!read)
        return true;
    if (word->warp->foreign[epoch % CUP_RACE_KNOWN] == epoch)
        return false;
    return cup_race_is_ordered(word->unit, word->access->warp, word->lane, read,
                               word->access->is_shared);
}

static void read_word(const struct word_access *word, const struct cup_race_cells *cells, size_t i)
{
    cup_race_stamp earlier = get(&cells->write[i]), read = get(&cells->read[i]), other;

    if (earlier && races_with(word, earlier))
        race_of_read(word, earlier, true);
    if (cup_race_stamp_epoch(read) == word->warp->epoch) {
        /* The same warp, since its last synchronisation. */
        if (((read ^ word->own) >> CUP_RACE_LANE_SHIFT & 31) != 0)
            read |= UINT64_C(1) << CUP_RACE_SEVERAL_SHIFT;
        set(&cells->read[i], read | (uint64_t)word->bytes << CUP_RACE_BYTES_SHIFT);
        return;
    }
    if (may_replace(word, read)) {
        set(&cells->read[i], word->own);
        return;
    }
    other = get(&cells->other_read[i]);
    if (cup_race_stamp_epoch(other) == word->warp->epoch || may_replace(word, other))
        set(&cells->other_read[i], word->own);
}

static cup_race_stamp stamp_of(const struct cup_race_access *access, uint64_t epoch, uint32_t lane,
                               uint32_t bytes)
{
    return epoch << CUP_RACE_EPOCH_SHIFT | (uint64_t)lane << CUP_RACE_LANE_SHIFT |
           (uint64_t)access->strength << CUP_RACE_STRENGTH_SHIFT |
           (uint64_t)bytes << CUP_RACE_BYTES_SHIFT |
           (access->site & ((1u << CUP_RACE_SITE_BITS) - 1));
}

/* The stamps from a place on: of shared memory by its offset, else by the address. */
static struct cup_race_cells cells_at(const struct cup_race_unit *unit,
                                      const struct cup_race_access *access, uint64_t address,
                                      uint64_t offset, size_t *words)
{
    size_t at = offset / CUP_RACE_WORD_BYTES;

    if (!access->is_shared)
        return cup_race_shadow_at(address, words);
    if (at >= (size_t)unit->blocks * unit->shared_words)
        return (struct cup_race_cells){NULL, NULL, NULL};
    *words = (size_t)unit->blocks * unit->shared_words - at;
    return (struct cup_race_cells){unit->shared.write + at, unit->shared.read + at,
                                   unit->shared.other_read + at};
}

void cup_race_access_lane(struct cup_race_unit *unit, const struct cup_race_access *access,
                          uint32_t lane, uint64_t address, uint64_t bytes, uint64_t offset)
{
    uint64_t epoch = cup_race_epoch_of(unit, access->warp), end = address + bytes;
    uint32_t skipped = address % CUP_RACE_WORD_BYTES;
    struct word_access word = {.unit = unit,
                               .access = access,
                               .warp = &unit->all_warps[access->warp],
                               .lane = lane,
                               .address = address - skipped};

    offset -= skipped;
    while (word.address < end) {
        size_t words;
        struct cup_race_cells cells = cells_at(unit, access, word.address, offset, &words);

        if (!cells.write)
            return;
        for (size_t i = 0; i < words && word.address < end; i++) {
            uint64_t left = end - word.address;

            word.bytes = (left >= CUP_RACE_WORD_BYTES ? 15 : (1u << left) - 1) & 15u << skipped;
            word.own = stamp_of(access, epoch, lane, word.bytes);
            if (access->writes)
                write_word(&word, &cells, i);
            else
                read_word(&word, &cells, i);
            skipped = 0;
            word.address += CUP_RACE_WORD_BYTES;
            offset += CUP_RACE_WORD_BYTES;
        }
    }
}
