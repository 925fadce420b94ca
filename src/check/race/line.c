/* SPDX-License-Identifier: MIT */
/* Accesses of whole warps, without a look at their lanes: rows of lines, which have one stamp for
 * all their words, and reads of one place by all lanes. What is not plain here, and all races, are
 * left to access.c.
 *
 * Most stamps need no clock: those of shared memory whose epoch is older than the interval, and
 * those of global memory whose epoch is older than the launch, come before everything. Numbers of
 * epochs go round after 2^34; an older epoch then has a greater number and is looked up. */
#include "check/race/access.h"

struct warp_run {
    struct cup_race_unit *unit;
    const struct cup_race_run *run;
    struct cup_race_warp *warp;
    cup_race_stamp base; /* lower ones come before what any warp does now */
    cup_race_stamp own;  /* without lane and bytes */
};

static bool is_same_row(cup_race_stamp a, cup_race_stamp b)
{
    return (a ^ b) >> CUP_RACE_SEVERAL_SHIFT == 0 &&
           cup_race_stamp_bytes(a) == cup_race_stamp_bytes(b);
}

static enum cup_race_verdict judge(const struct warp_run *warp, cup_race_stamp stamp,
                                   cup_race_stamp own)
{
    if (cup_likely(stamp < warp->base))
        return CUP_RACE_ORDERED;
    if (is_same_row(stamp, own))
        return CUP_RACE_OWN;
    if (cup_race_stamp_epoch(stamp) == warp->warp->epoch)
        return CUP_RACE_UNKNOWN;
    return cup_race_judge(warp->unit, warp->run->warp, stamp, warp->run->is_shared);
}

/* Whether the epochs are of two warps that no synchronisation orders: those of a block, in one
 * interval, or of two units of the launch. */
static bool are_apart(const struct warp_run *warp, cup_race_stamp a, cup_race_stamp b)
{
    const struct cup_race_unit *unit = warp->unit;
    const struct cup_race_launch *launch = unit->launch;
    struct cup_race_epoch first, second;

    if (!cup_race_epoch_find(cup_race_stamp_epoch(a), &first) ||
        !cup_race_epoch_find(cup_race_stamp_epoch(b), &second))
        return false;
    if (warp->run->is_shared)
        return first.unit == unit->number && second.unit == unit->number &&
               first.warp != second.warp;
    return first.unit != second.unit && first.unit - launch->first_unit < launch->units &&
           second.unit - launch->first_unit < launch->units;
}

/* A read of global memory that another unit makes replaces one of two reads that a unit made: then
 * a write of any unit is not ordered with one of them. */
static bool is_better(const struct warp_run *warp, cup_race_stamp read, cup_race_stamp other)
{
    const struct cup_race_unit *unit = warp->unit;
    struct cup_race_epoch first, second;

    return !warp->run->is_shared && !unit->acquire_tick &&
           cup_race_epoch_find(cup_race_stamp_epoch(read), &first) && first.unit != unit->number &&
           cup_race_epoch_find(cup_race_stamp_epoch(other), &second) && second.unit == first.unit;
}

/* Whether all words of a line have stamps that come before everything. */
CUP_RACE_WITH_VECTORS static bool are_past(_Atomic(cup_race_stamp) *stamps, cup_race_stamp base)
{
    const cup_race_stamp *plain = (const cup_race_stamp *)stamps;
    uint32_t later = 0;

    for (uint32_t i = 0; i < CUP_RACE_LINE_WORDS; i++)
        later |= plain[i] >= base;
    return later == 0;
}

static uint32_t tag_of(const struct warp_run *warp)
{
    const struct cup_abi_race_warp *quick = &warp->unit->quick[warp->run->warp];

    return warp->run->is_shared ? quick->shared_tag : quick->global_tag;
}

/* Whether reads of the line need no report. */
static bool has_tag(const struct warp_run *warp, struct cup_race_line *line)
{
    return atomic_load_explicit(&line->tag, memory_order_relaxed) == tag_of(warp);
}

static bool is_weak(const struct warp_run *warp, cup_race_stamp read)
{
    return read >= warp->base && cup_race_stamp_strength(read) == CUP_RACE_WEAK;
}

/* Whether two units, or warps of a block, that nothing orders have read each word of a line as a
 * whole, weakly. Most words have the epochs of the one before. */
static bool are_read_twice(const struct warp_run *warp, const struct cup_race_cells *cells)
{
    cup_race_stamp first = 0, second = 0; /* of the last word whose epochs were looked up */

    for (uint32_t i = 0; i < CUP_RACE_LINE_WORDS; i++) {
        cup_race_stamp read = cup_race_stamp_get(&cells->read[i]);
        cup_race_stamp other = cup_race_stamp_get(&cells->other_read[i]);

        if (!is_weak(warp, read) || !is_weak(warp, other) ||
            (cup_race_stamp_bytes(read) & cup_race_stamp_bytes(other)) != 15)
            return false;
        if (((read ^ first) | (other ^ second)) >> CUP_RACE_EPOCH_SHIFT == 0)
            continue;
        if (!are_apart(warp, read, other))
            return false;
        first = read;
        second = other;
    }
    return true;
}

static bool is_line_read_twice(const struct warp_run *warp, struct cup_race_line *line)
{
    cup_race_stamp read = cup_race_stamp_get(&line->read);
    cup_race_stamp other = cup_race_stamp_get(&line->other_read);

    return is_weak(warp, read) && is_weak(warp, other) && are_apart(warp, read, other);
}

/* Two warps have read a word, and more do. If that holds for all words of the line, reads of it
 * need not be reported any more. */
static void share_line(const struct warp_run *warp, struct cup_race_cells cells)
{
    uint32_t tag = tag_of(warp);

    if (tag == CUP_ABI_RACE_NO_TAG)
        return;
    cells.write -= cells.in_line;
    cells.read -= cells.in_line;
    cells.other_read -= cells.in_line;
    if (cup_race_line_is_whole(cells.line)
            ? cup_race_stamp_get(&cells.line->write) < warp->base &&
                  is_line_read_twice(warp, cells.line)
            : are_past(cells.write, warp->base) && are_read_twice(warp, &cells))
        atomic_store_explicit(&cells.line->tag, tag, memory_order_relaxed);
}

/* The line has one stamp from now on. */
static void use_line(struct cup_race_line *line, cup_race_stamp write, cup_race_stamp read)
{
    cup_race_stamp_set(&line->read, read);
    cup_race_stamp_set(&line->other_read, 0);
    atomic_store_explicit(&line->write, write, memory_order_release);
}

/* Another warp has read, and is not ordered: the second read is replaced by this one if it may. */
static enum cup_race_verdict judge_other(const struct warp_run *warp, _Atomic(cup_race_stamp) *read,
                                         _Atomic(cup_race_stamp) *other, cup_race_stamp own)
{
    cup_race_stamp stamp = cup_race_stamp_get(other);
    enum cup_race_verdict verdict = judge(warp, stamp, own);

    if (verdict == CUP_RACE_ORDERED ||
        (verdict == CUP_RACE_CONCURRENT && is_better(warp, cup_race_stamp_get(read), stamp)))
        cup_race_stamp_set(other, own);
    return verdict;
}

/* Whether the first read is of all words. */
static bool is_read_whole(struct cup_race_line *line)
{
    return !cup_race_stamp_several(cup_race_stamp_get(&line->read)) ||
           atomic_load_explicit(&line->read_words, memory_order_relaxed) == UINT32_MAX;
}

static bool read_whole(const struct warp_run *warp, const struct cup_race_cells *cells,
                       cup_race_stamp own)
{
    struct cup_race_line *line = cells->line;
    enum cup_race_verdict read, other;

    if (judge(warp, cup_race_stamp_get(&line->write), own) > CUP_RACE_ORDERED)
        return false;
    read = judge(warp, cup_race_stamp_get(&line->read), own);
    if (read == CUP_RACE_ORDERED)
        cup_race_stamp_set(&line->read, own);
    if (read != CUP_RACE_CONCURRENT)
        return read != CUP_RACE_UNKNOWN;
    if (!is_read_whole(line))
        return false;
    other = judge_other(warp, &line->read, &line->other_read, own);
    if (other != CUP_RACE_UNKNOWN)
        share_line(warp, *cells);
    return other != CUP_RACE_UNKNOWN;
}

static bool write_whole(const struct warp_run *warp, const struct cup_race_cells *cells,
                        cup_race_stamp own)
{
    struct cup_race_line *line = cells->line;

    if (judge(warp, cup_race_stamp_get(&line->write), own) > CUP_RACE_ORDERED ||
        judge(warp, cup_race_stamp_get(&line->read), own) > CUP_RACE_ORDERED ||
        judge(warp, cup_race_stamp_get(&line->other_read), own) > CUP_RACE_ORDERED)
        return false;
    cup_race_stamp_set(&line->write, own);
    cup_race_stamp_set(&line->read, 0);
    cup_race_stamp_set(&line->other_read, 0);
    return true;
}

/* The lanes from that of the stamp on access the words of a line. */
static bool access_line(const struct warp_run *warp, const struct cup_race_cells *cells,
                        cup_race_stamp own)
{
    bool writes = warp->run->writes;

    if (writes)
        atomic_store_explicit(&cells->line->tag, 0, memory_order_relaxed);
    if (cup_race_line_is_whole(cells->line))
        return writes ? write_whole(warp, cells, own) : read_whole(warp, cells, own);
    if (!are_past(cells->write, warp->base) || !are_past(cells->read, warp->base) ||
        !are_past(cells->other_read, warp->base))
        return false;
    use_line(cells->line, writes ? own : 0, writes ? 0 : own);
    return true;
}

static bool access_row(const struct warp_run *warp)
{
    const struct cup_race_run *run = warp->run;
    uint64_t address = run->address;
    uint32_t lines = run->bytes / CUP_RACE_WORD_BYTES;
    uint32_t shift = (uint32_t)__builtin_ctz(lines);
    size_t words;

    if (warp->warp->lanes != UINT32_MAX)
        return false;
    for (uint64_t i = 0; i < lines; i++, address += CUP_RACE_LINE_WORDS * CUP_RACE_WORD_BYTES) {
        struct cup_race_cells cells =
            cup_race_cells_at(warp->unit, run->is_shared, run->window, address, &words);
        uint64_t lane = i * (CUP_RACE_LINE_WORDS >> shift);

        if (!run->writes && cells.write && has_tag(warp, cells.line) && cells.in_line == 0)
            continue;
        if (!cells.write || cells.in_line != 0 || words < CUP_RACE_LINE_WORDS ||
            !access_line(warp, &cells,
                         warp->own | lane << CUP_RACE_LANE_SHIFT |
                             (uint64_t)shift << CUP_RACE_BYTES_SHIFT))
            return false;
    }
    return true;
}

/* Whether the word is the first or the last of its line. Units mostly read a line from its first
 * word to the last: then two others have read all of them, one after the other before the first
 * word, or at the same time up to the last. */
static bool is_at_end(size_t word)
{
    return word % CUP_RACE_LINE_WORDS == 0 || word % CUP_RACE_LINE_WORDS == CUP_RACE_LINE_WORDS - 1;
}

/* All lanes read a word. */
static bool read_word(const struct warp_run *warp, const struct cup_race_cells *cells, size_t i)
{
    const uint64_t several = UINT64_C(1) << CUP_RACE_SEVERAL_SHIFT;
    cup_race_stamp own = warp->own | several | UINT64_C(15) << CUP_RACE_BYTES_SHIFT;
    enum cup_race_verdict verdict;

    if (judge(warp, cup_race_stamp_get(&cells->write[i]), own) != CUP_RACE_ORDERED)
        return false;
    verdict = judge(warp, cup_race_stamp_get(&cells->read[i]), own);
    if (verdict == CUP_RACE_ORDERED)
        cup_race_stamp_set(&cells->read[i], own);
    if (verdict != CUP_RACE_CONCURRENT)
        return verdict != CUP_RACE_UNKNOWN;
    verdict = judge_other(warp, &cells->read[i], &cells->other_read[i], own);
    if (verdict == CUP_RACE_CONCURRENT && is_at_end(cells->in_line + i))
        share_line(warp, *cells);
    return verdict != CUP_RACE_UNKNOWN;
}

/* All lanes read words of a line of shared memory that has one stamp. Reads of other words that
 * this would forget must come before everything. */
static bool read_in_line(const struct warp_run *warp, const struct cup_race_cells *cells,
                         uint32_t words)
{
    struct cup_race_line *line = cells->line;
    cup_race_stamp own = warp->own | UINT64_C(1) << CUP_RACE_SEVERAL_SHIFT, read;
    uint32_t before = 0;

    if (!cup_race_line_is_whole(line) || cup_race_stamp_get(&line->write) >= warp->base)
        return false;
    read = cup_race_stamp_get(&line->read);
    if (read == own)
        before = atomic_load_explicit(&line->read_words, memory_order_relaxed);
    else if (read >= warp->base)
        return false;
    else
        cup_race_stamp_set(&line->read, own);
    atomic_store_explicit(&line->read_words, before | words << cells->in_line,
                          memory_order_relaxed);
    return true;
}

static bool read_one(const struct warp_run *warp)
{
    const struct cup_race_run *run = warp->run;
    size_t count = run->bytes / CUP_RACE_WORD_BYTES, words;
    struct cup_race_cells cells =
        cup_race_cells_at(warp->unit, run->is_shared, run->window, run->address, &words);

    if (!cells.write || words < count)
        return false;
    if (has_tag(warp, cells.line) && cells.in_line + count <= CUP_RACE_LINE_WORDS)
        return true;
    if (run->is_shared && cells.in_line + count <= CUP_RACE_LINE_WORDS &&
        read_in_line(warp, &cells, (1u << count) - 1))
        return true;
    cup_race_cells_use_words(&cells, count);
    for (size_t i = 0; i < count; i++)
        if (!read_word(warp, &cells, i))
            return false;
    return true;
}

static struct warp_run warp_run_of(struct cup_race_unit *unit, const struct cup_race_run *run)
{
    uint64_t first = run->is_shared ? unit->first_epoch : unit->launch->first_epoch;

    return (struct warp_run){
        .unit = unit,
        .run = run,
        .warp = &unit->all_warps[run->warp],
        .base = run->is_shared && unit->blocks > 1 ? 1 : first << CUP_RACE_EPOCH_SHIFT,
        .own =
            cup_race_stamp_of(cup_race_epoch_of(unit, run->warp), run->strength, run->site, 0, 0),
    };
}

static bool is_aligned(const struct cup_race_run *run)
{
    return (run->is_shared ? run->address - run->window : run->address) % CUP_RACE_WORD_BYTES == 0;
}

/* Whether all lanes read words, lane 0 and others. */
static bool may_read_one(const struct warp_run *warp)
{
    uint32_t lanes = warp->warp->lanes;

    return !warp->run->writes && (lanes & 1) && lanes != 1 && is_aligned(warp->run);
}

static bool check_run(const struct warp_run *warp)
{
    const struct cup_race_run *run = warp->run;

    if (run->bytes != 4 && run->bytes != 8 && run->bytes != 16)
        return false;
    if (run->is_row)
        return is_aligned(run) && access_row(warp);
    return may_read_one(warp) && read_one(warp);
}

bool cup_race_check_run(struct cup_race_unit *unit, const struct cup_race_run *run)
{
    const struct warp_run warp = warp_run_of(unit, run);

    if (run->writes && !run->is_shared)
        cup_race_write_begin(unit);
    return check_run(&warp);
}

/* Consecutive words that all lanes read, as many as are in the first one's line: they have the site
 * of the first. Returns the number of runs. */
static uint32_t read_together(const struct warp_run *warp, int64_t step, uint32_t count)
{
    const struct cup_race_run *run = warp->run;
    struct cup_race_cells cells;
    size_t left;

    if (run->is_row || !run->is_shared || step != run->bytes || run->bytes != CUP_RACE_WORD_BYTES ||
        !may_read_one(warp))
        return 0;
    cells = cup_race_cells_at(warp->unit, true, run->window, run->address, &left);
    if (!cells.write)
        return 0;
    if (count > CUP_RACE_LINE_WORDS - cells.in_line)
        count = CUP_RACE_LINE_WORDS - cells.in_line;
    return read_in_line(warp, &cells, UINT32_MAX >> (CUP_RACE_LINE_WORDS - count)) ? count : 0;
}

/* Rows of whole lines that have the tag; returns the number of first ones. */
static uint32_t count_tagged(const struct warp_run *warp, int64_t step, uint32_t count)
{
    enum { LINE_BYTES = CUP_RACE_LINE_WORDS * CUP_RACE_WORD_BYTES };
    const struct cup_race_run *run = warp->run;
    uint32_t tag = tag_of(warp), tagged = 0;
    struct cup_race_cells cells;
    size_t words, lines;

    if (!run->is_row || run->bytes != CUP_RACE_WORD_BYTES || step <= 0 || step % LINE_BYTES)
        return 0;
    cells = cup_race_cells_at(warp->unit, run->is_shared, run->window, run->address, &words);
    if (!cells.write || cells.in_line || !is_aligned(run))
        return 0;
    lines = words / CUP_RACE_LINE_WORDS;
    for (size_t at = 0; at < lines && tagged < count; at += (size_t)step / LINE_BYTES, tagged++)
        if (atomic_load_explicit(&cells.line[at].tag, memory_order_relaxed) != tag)
            break;
    return tagged;
}

uint32_t cup_race_check_runs(struct cup_race_unit *unit, const struct cup_race_run *run,
                             int64_t step, uint32_t count, const uint32_t *sites)
{
    struct cup_race_run each = *run;
    struct warp_run warp = warp_run_of(unit, &each);
    uint32_t done = 0, together;

    while (done < count) {
        each.address = run->address + done * (uint64_t)step;
        each.site = sites[done];
        warp.own = cup_race_stamp_of(warp.warp->epoch, each.strength, each.site, 0, 0);
        together = count_tagged(&warp, step, count - done);
        if (!together)
            together = read_together(&warp, step, count - done);
        if (!together && !check_run(&warp))
            break;
        done += together ? together : 1;
    }
    return done;
}
