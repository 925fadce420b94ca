/* SPDX-License-Identifier: MIT */
/* Sets of bytes that are complete: comparing them, and forgetting bytes. Before the first of these
 * rows become ranges or bitmaps, and all is sorted. */
#include "check/stream/touched.h"

#include <stdlib.h>

enum {
    BYTE_WORDS = CUP_TOUCHED_PAGE_BYTES / 64,
    RANGE_BYTES_MIN = 512, /* of a row that becomes ranges: they take less memory than bitmaps */
};

static int by_number(const void *a, const void *b)
{
    const struct cup_touched_page *first = *(struct cup_touched_page *const *)a;
    const struct cup_touched_page *second = *(struct cup_touched_page *const *)b;

    return first->number < second->number ? -1 : first->number > second->number;
}

static int by_begin(const void *a, const void *b)
{
    const struct cup_touched_range *first = a, *second = b;

    return first->begin < second->begin ? -1 : first->begin > second->begin;
}

static int by_touch(const void *a, const void *b)
{
    const struct cup_touched_range *first = a, *second = b;

    return first->touch != second->touch ? (int)first->touch - (int)second->touch : by_begin(a, b);
}

static void sort_ranges(struct cup_touched *touched, int (*order)(const void *a, const void *b))
{
    if (touched->ranges.count > 1)
        qsort(touched->ranges.ranges, touched->ranges.count, sizeof(*touched->ranges.ranges),
              order);
}

/* Ranges that are touched alike and meet become one. */
static void join_ranges(struct cup_touched *touched)
{
    struct cup_touched_range *ranges = touched->ranges.ranges;
    size_t kept = 0;

    sort_ranges(touched, by_touch);
    for (size_t i = 0; i < touched->ranges.count; i++) {
        struct cup_touched_range *last = kept ? &ranges[kept - 1] : NULL;

        if (!last || last->touch != ranges[i].touch || last->end < ranges[i].begin)
            ranges[kept++] = ranges[i];
        else if (last->end < ranges[i].end)
            last->end = ranges[i].end;
    }
    touched->ranges.count = kept;
}

static void add_ranges(struct cup_touched *touched, const struct cup_touched_list_item *item)
{
    for (unsigned touch = 0; touch < CUP_TOUCH_COUNT; touch++) {
        for (uint64_t i = 0; (item->touches >> touch & 1) && i < item->rows.count; i++)
            cup_touched_add_range(touched, item->rows.first + i * item->rows.step, item->rows.bytes,
                                  (enum cup_touch)touch);
    }
}

/* Rows become ranges if they are long, and bitmaps otherwise. */
static void spread_rows(struct cup_touched *touched)
{
    bool can_mark = false;

    for (size_t i = 0; i < touched->rows.count; i++) {
        const struct cup_touched_list_item *item = &touched->rows.list[i];

        if (item->rows.count == 1 || item->rows.bytes >= RANGE_BYTES_MIN)
            add_ranges(touched, item);
        else if (can_mark || (can_mark = cup_touched_begin(touched)))
            cup_touched_mark_rows(touched, &item->rows, item->touches);
    }
    free(touched->rows.list);
    touched->rows.array = (struct cup_dynarray){.count = 0};
    if (can_mark)
        cup_touched_seal(touched);
}

/* Most sets are never compared, so they are prepared when one is. */
static void prepare(struct cup_touched *touched)
{
    if (touched->is_prepared)
        return;
    touched->is_prepared = true;
    spread_rows(touched);
    join_ranges(touched);
    sort_ranges(touched, by_begin);
    if (touched->page_count == 0)
        return;
    touched->pages = malloc(touched->page_count * sizeof(*touched->pages));
    for (struct cup_touched_page *page = atomic_load(&touched->newest); touched->pages && page;
         page = page->older)
        touched->pages[touched->sorted_count++] = page;
    if (touched->pages)
        qsort(touched->pages, touched->sorted_count, sizeof(*touched->pages), by_number);
}

static void clear_run(_Atomic(uint64_t) *words, uint32_t first, uint32_t end)
{
    for (; first < end; first++)
        words[first / 64] &= ~(UINT64_C(1) << first % 64);
}

static void forget_in_page(struct cup_touched_page *page, uint32_t from, uint32_t to)
{
    struct cup_touched_bytes *bytes = atomic_load(&page->bytes);

    for (int touch = 0; touch < CUP_TOUCH_COUNT; touch++) {
        clear_run(page->words[touch], from / 4, (to + 3) / 4);
        if (bytes)
            clear_run(bytes->bytes[touch], from, to);
    }
}

static void forget_in_ranges(struct cup_touched *touched, uint64_t begin, uint64_t end)
{
    size_t count = touched->ranges.count;

    for (size_t i = 0; i < count; i++) {
        struct cup_touched_range range = touched->ranges.ranges[i];

        if (range.end <= begin || range.begin >= end)
            continue;
        touched->ranges.ranges[i].end = range.begin < begin ? begin : range.begin;
        if (range.end > end)
            cup_touched_add_range(touched, end, range.end - end, range.touch);
    }
    sort_ranges(touched, by_begin);
}

/* The index of the first page from this number on. */
static size_t first_page(const struct cup_touched *touched, uint64_t number)
{
    size_t low = 0, high = touched->sorted_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (touched->pages[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void cup_touched_forget(struct cup_touched *touched, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes;

    if (address >= touched->high || end <= touched->low)
        return;
    prepare(touched);
    forget_in_ranges(touched, address, end);
    for (size_t i = first_page(touched, address / CUP_TOUCHED_PAGE_BYTES);
         i < touched->sorted_count && touched->pages[i]->number * CUP_TOUCHED_PAGE_BYTES < end;
         i++) {
        uint64_t base = touched->pages[i]->number * CUP_TOUCHED_PAGE_BYTES;
        uint64_t from = address > base ? address - base : 0, to = end - base;

        forget_in_page(touched->pages[i], (uint32_t)from,
                       to < CUP_TOUCHED_PAGE_BYTES ? (uint32_t)to : CUP_TOUCHED_PAGE_BYTES);
    }
}

/* Conflicts. */

static bool writes(enum cup_touch touch)
{
    return touch == CUP_TOUCH_WRITE || touch == CUP_TOUCH_STRONG_WRITE;
}

static bool is_strong(enum cup_touch touch)
{
    return touch == CUP_TOUCH_STRONG_READ || touch == CUP_TOUCH_STRONG_WRITE;
}

static bool is_conflict(enum cup_touch first, enum cup_touch second)
{
    return (writes(first) || writes(second)) && !(is_strong(first) && is_strong(second));
}

/* Keeps the conflict with the lowest address. */
static void note(struct cup_touched_conflict *best, bool *any, uint64_t begin, uint64_t end,
                 enum cup_touch first, enum cup_touch second)
{
    if (*any && best->address == begin && end - begin > best->bytes)
        best->bytes = end - begin;
    if (*any && best->address <= begin)
        return;
    *any = true;
    *best = (struct cup_touched_conflict){begin, end - begin, first, second};
}

static void compare_ranges(const struct cup_touched *first, const struct cup_touched *second,
                           struct cup_touched_conflict *best, bool *any)
{
    size_t passed = 0; /* of the second: they end before what is left of the first */

    for (size_t i = 0; i < first->ranges.count; i++) {
        const struct cup_touched_range *a = &first->ranges.ranges[i];

        while (passed < second->ranges.count && second->ranges.ranges[passed].end <= a->begin)
            passed++;
        for (size_t j = passed; j < second->ranges.count; j++) {
            const struct cup_touched_range *b = &second->ranges.ranges[j];
            uint64_t begin = a->begin > b->begin ? a->begin : b->begin;
            uint64_t end = a->end < b->end ? a->end : b->end;

            if (b->begin >= a->end)
                break;
            if (begin < end && is_conflict(a->touch, b->touch))
                note(best, any, begin, end, a->touch, b->touch);
        }
    }
}

/* The bytes of a page that are touched in a way, as 64 words of bits. */
static void expand(const struct cup_touched_page *page, enum cup_touch touch,
                   uint64_t bytes[BYTE_WORDS])
{
    const struct cup_touched_bytes *exact = atomic_load(&page->bytes);

    for (int i = 0; i < BYTE_WORDS; i++) {
        uint64_t words = page->words[touch][i / 4] >> i % 4 * 16 & 0xffff, spread = 0;

        for (int bit = 0; words && bit < 16; bit++)
            spread |= (words >> bit & 1) * (UINT64_C(0xf) << bit * 4);
        bytes[i] = spread | (exact ? exact->bytes[touch][i] : 0);
    }
}

/* The first run of set bits. Returns false if there is none. */
static bool first_run(const uint64_t bits[BYTE_WORDS], uint32_t *begin, uint32_t *end)
{
    uint32_t i = 0;

    while (i < CUP_TOUCHED_PAGE_BYTES && !(bits[i / 64] >> i % 64 & 1))
        i = bits[i / 64] >> i % 64 ? i + (uint32_t)__builtin_ctzll(bits[i / 64] >> i % 64)
                                   : (i / 64 + 1) * 64;
    *begin = i;
    while (i < CUP_TOUCHED_PAGE_BYTES && (bits[i / 64] >> i % 64 & 1))
        i++;
    *end = i;
    return *begin < *end;
}

/* Which of the ways to touch occur in a page at all. */
static bool page_has(const struct cup_touched_page *page, enum cup_touch touch)
{
    uint64_t any = 0;

    if (atomic_load(&page->bytes))
        return true;
    for (int i = 0; i < CUP_TOUCHED_PAGE_WORDS; i++)
        any |= page->words[touch][i];
    return any != 0;
}

static void compare_page(const struct cup_touched_page *first,
                         const struct cup_touched_page *second, struct cup_touched_conflict *best,
                         bool *any)
{
    uint64_t a[BYTE_WORDS], b[BYTE_WORDS], base = first->number * CUP_TOUCHED_PAGE_BYTES;
    uint32_t begin, end;

    for (int i = 0; i < CUP_TOUCH_COUNT; i++) {
        for (int j = 0; j < CUP_TOUCH_COUNT; j++) {
            if (!is_conflict((enum cup_touch)i, (enum cup_touch)j) ||
                !page_has(first, (enum cup_touch)i) || !page_has(second, (enum cup_touch)j))
                continue;
            expand(first, (enum cup_touch)i, a);
            expand(second, (enum cup_touch)j, b);
            for (int k = 0; k < BYTE_WORDS; k++)
                a[k] &= b[k];
            if (first_run(a, &begin, &end))
                note(best, any, base + begin, base + end, (enum cup_touch)i, (enum cup_touch)j);
        }
    }
}

static void compare_pages(const struct cup_touched *first, const struct cup_touched *second,
                          struct cup_touched_conflict *best, bool *any)
{
    size_t i = 0, j = 0;

    while (!*any && i < first->sorted_count && j < second->sorted_count) {
        const struct cup_touched_page *a = first->pages[i], *b = second->pages[j];

        if (a->number == b->number)
            compare_page(a, b, best, any);
        i += a->number <= b->number;
        j += b->number <= a->number;
    }
}

/* A page and a part of a range. swapped: the range is of the first. */
static void compare_part(const struct cup_touched_page *page, const struct cup_touched_range *range,
                         bool swapped, struct cup_touched_conflict *best, bool *any)
{
    uint64_t base = page->number * CUP_TOUCHED_PAGE_BYTES, bits[BYTE_WORDS];
    uint32_t begin, end;

    for (int i = 0; i < CUP_TOUCH_COUNT; i++) {
        if (!is_conflict((enum cup_touch)i, range->touch) || !page_has(page, (enum cup_touch)i))
            continue;
        expand(page, (enum cup_touch)i, bits);
        for (uint32_t k = 0; k < CUP_TOUCHED_PAGE_BYTES; k++) {
            if (base + k < range->begin || base + k >= range->end)
                bits[k / 64] &= ~(UINT64_C(1) << k % 64);
        }
        if (first_run(bits, &begin, &end))
            note(best, any, base + begin, base + end, swapped ? range->touch : (enum cup_touch)i,
                 swapped ? (enum cup_touch)i : range->touch);
    }
}

static void compare_pages_and_ranges(const struct cup_touched *with_pages,
                                     const struct cup_touched *with_ranges, bool swapped,
                                     struct cup_touched_conflict *best, bool *any)
{
    for (size_t r = 0; r < with_ranges->ranges.count; r++) {
        const struct cup_touched_range *range = &with_ranges->ranges.ranges[r];
        bool found = false;

        for (size_t i = first_page(with_pages, range->begin / CUP_TOUCHED_PAGE_BYTES);
             !found && i < with_pages->sorted_count &&
             with_pages->pages[i]->number * CUP_TOUCHED_PAGE_BYTES < range->end;
             i++) {
            struct cup_touched_conflict one;

            compare_part(with_pages->pages[i], range, swapped, &one, &found);
            if (found)
                note(best, any, one.address, one.address + one.bytes, one.first, one.second);
        }
    }
}

bool cup_touched_conflicts(struct cup_touched *first, struct cup_touched *second,
                           struct cup_touched_conflict *conflict)
{
    bool any = false, in_pages = false;
    struct cup_touched_conflict pages;

    if (first->low >= second->high || second->low >= first->high)
        return false;
    prepare(first);
    prepare(second);
    compare_ranges(first, second, conflict, &any);
    compare_pages_and_ranges(first, second, false, conflict, &any);
    compare_pages_and_ranges(second, first, true, conflict, &any);
    compare_pages(first, second, &pages, &in_pages);
    if (in_pages)
        note(conflict, &any, pages.address, pages.address + pages.bytes, pages.first, pages.second);
    return any;
}
