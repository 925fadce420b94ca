/* SPDX-License-Identifier: MIT */
/* Compares an access with the earlier ones to the same words, and leaves its stamp.
 *
 * A word keeps its last write and two reads. A write replaces the reads before it: whatever comes
 * after the write comes after them, too, or races with the write itself. Of the threads that read a
 * word, two that are not ordered suffice, because one of them is not the thread that writes next.
 *
 * Two writes of the same value do no harm and are not reported. The value is known when the write
 * has happened, so such a race is put off until the unit does the next thing. */
#include "check/race/access.h"

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
        .offset = access->is_shared ? (word->address + first - access->window) &
                                          ((1u << CUP_RACE_BLOCK_SHIFT) - 1)
                                    : 0,
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
    } else if (unit->deferred_count < CUP_RACE_DEFERRED &&
               cup_race_wait_for_write(unit, unit->launch->first_unit + race.first.unit)) {
        struct cup_race_deferred *deferred = &unit->deferred[unit->deferred_count++];

        cup_race_unsettle_all(unit);
        deferred->race = race;
        memcpy(deferred->before, (const void *)(uintptr_t)race.address, race.bytes);
    }
}

static void race_of_read(const struct word_access *word, cup_race_stamp earlier,
                         bool earlier_writes)
{
    struct cup_race race;

    if (describe(word, earlier, earlier_writes, &race))
        word->unit->found(word->unit->context, &race);
}

static void check_read_before(const struct word_access *word, _Atomic(cup_race_stamp) *place)
{
    cup_race_stamp earlier = cup_race_stamp_get(place);

    if (cup_likely(!earlier))
        return;
    if (races_with(word, earlier))
        race_of_read(word, earlier, false);
    if (!(cup_race_stamp_bytes(earlier) & ~word->bytes))
        cup_race_stamp_set(place, 0);
}

static void write_word(const struct word_access *word, const struct cup_race_cells *cells, size_t i)
{
    cup_race_stamp earlier = cup_race_stamp_get(&cells->write[i]);

    check_read_before(word, &cells->read[i]);
    check_read_before(word, &cells->other_read[i]);
    if (earlier && races_with(word, earlier))
        race_of_writes(word, earlier);
    cup_race_stamp_set(&cells->write[i], word->own);
}

/* Whether a read may be replaced by this one. */
static bool may_replace(const struct word_access *word, cup_race_stamp read)
{
    uint64_t epoch = cup_race_stamp_epoch(read);

    if (!read)
        return true;
    if (word->warp->concurrent[epoch % CUP_RACE_KNOWN] == epoch)
        return false;
    return cup_race_is_ordered(word->unit, word->access->warp, word->lane, read,
                               word->access->is_shared);
}

/* Whether the warp has read the word since its last synchronisation: this lane, or another one the
 * same bytes. */
static bool is_repeated(const struct word_access *word, cup_race_stamp read)
{
    return cup_race_stamp_epoch(read) == word->warp->epoch &&
           (cup_race_stamp_bytes(read) == word->bytes ||
            (cup_race_stamp_lane(read) == word->lane && !cup_race_stamp_several(read)));
}

static void read_word(const struct word_access *word, const struct cup_race_cells *cells, size_t i)
{
    cup_race_stamp earlier = cup_race_stamp_get(&cells->write[i]),
                   read = cup_race_stamp_get(&cells->read[i]), other;

    if (earlier && races_with(word, earlier))
        race_of_read(word, earlier, true);
    if (is_repeated(word, read)) {
        if (cup_race_stamp_lane(read) != word->lane)
            read |= UINT64_C(1) << CUP_RACE_SEVERAL_SHIFT;
        cup_race_stamp_set(&cells->read[i], read | (uint64_t)word->bytes << CUP_RACE_BYTES_SHIFT);
        return;
    }
    if (may_replace(word, read)) {
        cup_race_stamp_set(&cells->read[i], word->own);
        return;
    }
    other = cup_race_stamp_get(&cells->other_read[i]);
    if (may_replace(word, other))
        cup_race_stamp_set(&cells->other_read[i], word->own);
}

static cup_race_stamp stamp_of(const struct cup_race_access *access, uint64_t epoch, uint32_t lane,
                               uint32_t bytes)
{
    return cup_race_stamp_of(epoch, access->strength, access->site, lane, bytes);
}

/* The stamps of words that the access needs by themselves. A write ends what holds for reads of
 * their lines. */
static struct cup_race_cells cells_at(const struct cup_race_unit *unit,
                                      const struct cup_race_access *access, uint64_t address,
                                      size_t needed, size_t *words)
{
    struct cup_race_cells cells =
        cup_race_cells_at(unit, access->is_shared, access->window, address, words);
    size_t count;

    if (!cells.write)
        return cells;
    needed = needed < *words ? needed : *words;
    cup_race_cells_use_words(&cells, needed);
    count = (cells.in_line + needed + CUP_RACE_LINE_WORDS - 1) / CUP_RACE_LINE_WORDS;
    for (size_t i = 0; access->writes && i < count; i++)
        atomic_store_explicit(&cells.line[i].tag, 0, memory_order_relaxed);
    return cells;
}

static void access_lane(struct cup_race_unit *unit, const struct cup_race_access *access,
                        uint64_t epoch, uint32_t lane)
{
    uint64_t address = access->addresses[lane], end = address + access->bytes;
    uint32_t skipped = address % CUP_RACE_WORD_BYTES;
    struct word_access word = {.unit = unit,
                               .access = access,
                               .warp = &unit->all_warps[access->warp],
                               .lane = lane,
                               .address = address - skipped};

    while (word.address < end) {
        size_t words, needed = (end - word.address + CUP_RACE_WORD_BYTES - 1) / CUP_RACE_WORD_BYTES;
        struct cup_race_cells cells = cells_at(unit, access, word.address, needed, &words);

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
        }
    }
}

/* Rows: lanes that access neighbouring words, the common case. If all earlier stamps of a kind are
 * of one epoch, it is looked at once. */

struct race_row {
    struct cup_race_unit *unit;
    const struct cup_race_access *access;
    struct cup_race_warp *warp;
    uint32_t words;      /* of all lanes */
    uint32_t lane_shift; /* words of a lane, as a power of two */
    cup_race_stamp own;  /* of lane 0 */
};

/* Whether all stamps have the first one's epoch; a stamp of 0 has epoch 0. */
CUP_RACE_WITH_VECTORS static bool is_one_epoch(_Atomic(cup_race_stamp) *stamps, uint32_t count)
{
    const cup_race_stamp *plain = (const cup_race_stamp *)stamps;
    uint64_t differs = 0;

    if (count == CUP_RACE_LANES) {
        for (uint32_t i = 0; i < CUP_RACE_LANES; i++)
            differs |= plain[i] ^ plain[0];
        return differs >> CUP_RACE_EPOCH_SHIFT == 0;
    }
    for (uint32_t i = 0; i < count; i++)
        differs |= plain[i] ^ plain[0];
    return differs >> CUP_RACE_EPOCH_SHIFT == 0;
}

/* Whether each stamp is of the lane that accesses the word now, and of no other. */
CUP_RACE_WITH_VECTORS static bool are_own(const struct race_row *row,
                                          _Atomic(cup_race_stamp) *stamps)
{
    const cup_race_stamp *plain = (const cup_race_stamp *)stamps;
    uint64_t differs = 0;

    for (uint32_t i = 0; i < row->words; i++)
        differs |=
            plain[i] ^ (row->own + ((uint64_t)(i >> row->lane_shift) << CUP_RACE_LANE_SHIFT));
    return differs >> CUP_RACE_SEVERAL_SHIFT == 0;
}

static enum cup_race_verdict judge(const struct race_row *row, _Atomic(cup_race_stamp) *stamps)
{
    cup_race_stamp first = cup_race_stamp_get(&stamps[0]);
    uint64_t epoch = cup_race_stamp_epoch(first);

    if (!is_one_epoch(stamps, row->words))
        return CUP_RACE_UNKNOWN;
    if (!first)
        return CUP_RACE_NOTHING;
    if (epoch == row->warp->epoch)
        return are_own(row, stamps) ? CUP_RACE_OWN : CUP_RACE_UNKNOWN;
    return cup_race_judge(row->unit, row->access->warp, first, row->access->is_shared);
}

CUP_RACE_WITH_VECTORS static void fill(const struct race_row *row, _Atomic(cup_race_stamp) *stamps)
{
    cup_race_stamp *plain = (cup_race_stamp *)stamps;

    for (uint32_t i = 0; i < row->words; i++)
        plain[i] = row->own + ((uint64_t)(i >> row->lane_shift) << CUP_RACE_LANE_SHIFT);
}

CUP_RACE_WITH_VECTORS static void clear(const struct race_row *row, _Atomic(cup_race_stamp) *stamps)
{
    cup_race_stamp *plain = (cup_race_stamp *)stamps;

    for (uint32_t i = 0; i < row->words; i++)
        plain[i] = 0;
}

static bool read_row(const struct race_row *row, const struct cup_race_cells *cells)
{
    enum cup_race_verdict write = judge(row, cells->write), read = judge(row, cells->read), other;

    if (write == CUP_RACE_UNKNOWN || write == CUP_RACE_CONCURRENT || read == CUP_RACE_UNKNOWN)
        return false;
    if (read == CUP_RACE_OWN)
        return true;
    if (read == CUP_RACE_NOTHING || read == CUP_RACE_ORDERED) {
        fill(row, cells->read);
        return true;
    }
    other = judge(row, cells->other_read);
    if (other == CUP_RACE_NOTHING || other == CUP_RACE_ORDERED)
        fill(row, cells->other_read);
    return other != CUP_RACE_UNKNOWN;
}

static bool write_row(const struct race_row *row, const struct cup_race_cells *cells)
{
    enum cup_race_verdict write = judge(row, cells->write), read = judge(row, cells->read),
                          other = judge(row, cells->other_read);

    if (write > CUP_RACE_ORDERED || read > CUP_RACE_ORDERED || other > CUP_RACE_ORDERED)
        return false;
    fill(row, cells->write);
    if (read != CUP_RACE_NOTHING)
        clear(row, cells->read);
    if (other != CUP_RACE_NOTHING)
        clear(row, cells->other_read);
    return true;
}

/* Whether the addresses of the lanes from 0 on are so many bytes apart. */
static bool are_apart(const uint64_t *addresses, uint32_t lanes, uint64_t bytes)
{
    uint64_t first = addresses[0], differs = 0;

    if (addresses[lanes - 1] != first + (lanes - 1) * bytes)
        return false;
    if (lanes == CUP_RACE_LANES) {
        for (uint32_t i = 0; i < CUP_RACE_LANES; i++) /* of a known count, for vectors */
            differs |= addresses[i] ^ (first + i * bytes);
        return differs == 0;
    }
    for (uint32_t i = 0; i < lanes; i++)
        differs |= addresses[i] ^ (first + i * bytes);
    return differs == 0;
}

/* Whether the lanes that are on are the first ones. */
static bool are_first(uint32_t mask)
{
    return (mask & (mask + 1)) == 0;
}

/* Whether the lanes access one word after the other, from lane 0 on. */
static bool is_row(const struct cup_race_access *access)
{
    return (access->bytes == 4 || access->bytes == 8 || access->bytes == 16) &&
           access->addresses[0] % CUP_RACE_WORD_BYTES == 0 && are_first(access->mask) &&
           are_apart(access->addresses, (uint32_t)__builtin_popcount(access->mask), access->bytes);
}

static bool access_row(struct cup_race_unit *unit, const struct cup_race_access *access,
                       uint64_t epoch)
{
    uint32_t lanes = (uint32_t)__builtin_popcount(access->mask);
    struct race_row row = {.unit = unit,
                           .access = access,
                           .warp = &unit->all_warps[access->warp],
                           .words = lanes * (uint32_t)access->bytes / CUP_RACE_WORD_BYTES,
                           .lane_shift = (uint32_t)__builtin_ctzll(access->bytes) - 2,
                           .own = stamp_of(access, epoch, 0, 15)};
    size_t words;
    struct cup_race_cells cells = cells_at(unit, access, access->addresses[0], row.words, &words);

    if (!cells.write || words < row.words)
        return false;
    return access->writes ? write_row(&row, &cells) : read_row(&row, &cells);
}

/* All lanes read one word: if the write before comes before all of them, it is one read. */
static bool read_one(struct cup_race_unit *unit, const struct cup_race_access *access,
                     uint64_t epoch)
{
    uint64_t first = (uint32_t)__builtin_ctz(access->mask), address = access->addresses[first];
    struct word_access word = {.unit = unit,
                               .access = access,
                               .warp = &unit->all_warps[access->warp],
                               .lane = (uint32_t)first,
                               .bytes = 15,
                               .address = address,
                               .own = stamp_of(access, epoch, (uint32_t)first, 15) |
                                      UINT64_C(1) << CUP_RACE_SEVERAL_SHIFT};
    struct cup_race_cells cells;
    uint64_t number;
    size_t words;

    if (access->writes || access->bytes != CUP_RACE_WORD_BYTES || address % CUP_RACE_WORD_BYTES ||
        !are_first(access->mask) || access->mask == 1 ||
        !are_apart(access->addresses, (uint32_t)__builtin_popcount(access->mask), 0))
        return false;
    cells = cells_at(unit, access, address, 1, &words);
    if (!cells.write)
        return true;
    number = cup_race_stamp_epoch(cup_race_stamp_get(&cells.write[0]));
    if (number && word.warp->known[number % CUP_RACE_KNOWN] != number)
        return false;
    read_word(&word, &cells, 0);
    return true;
}

void cup_race_check(struct cup_race_unit *unit, const struct cup_race_access *access)
{
    uint64_t epoch = cup_race_epoch_of(unit, access->warp);

    if (access->writes && !access->is_shared)
        cup_race_write_begin(unit);
    if (is_row(access) && access_row(unit, access, epoch))
        return;
    if (read_one(unit, access, epoch))
        return;
    for (uint32_t left = access->mask; left; left &= left - 1)
        access_lane(unit, access, epoch, (uint32_t)__builtin_ctz(left));
}
