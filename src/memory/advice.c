/* SPDX-License-Identifier: MIT */
/* A sorted array: a look-up is a binary search, and a change moves the entries after it. Programs
 * advise on few ranges, mostly whole allocations. */
#include "memory/advice.h"

#include <stdlib.h>
#include <string.h>

#define NO_LOCATION                                                                                \
    {                                                                                              \
        .type = CU_MEM_LOCATION_TYPE_INVALID, .id = CU_DEVICE_INVALID                              \
    }

static const CUmemLocation no_location = NO_LOCATION;
const struct cup_advice cup_advice_none = {.preferred = NO_LOCATION, .prefetched = NO_LOCATION};

bool cup_advice_list_init(struct cup_advice_list *list, uint64_t page_count)
{
    struct cup_advice_segment *all;

    list->array = (struct cup_dynarray){0};
    all = cup_dynarray_add(&list->array, sizeof(*all));
    if (all)
        *all = (struct cup_advice_segment){page_count, cup_advice_none};
    return all != NULL;
}

void cup_advice_list_finish(struct cup_advice_list *list)
{
    free(list->segments);
}

/* The segment that contains the page. */
static size_t find(const struct cup_advice_list *list, uint64_t page)
{
    size_t low = 0, high = list->count - 1;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->segments[middle].end > page)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Splits segments so that one begins at the page, and returns its index. The caller has reserved
 * room for one more. */
static size_t split(struct cup_advice_list *list, uint64_t page)
{
    size_t index = find(list, page);
    struct cup_advice_segment *at = &list->segments[index];

    if (page == (index ? at[-1].end : 0))
        return index;
    memmove(at + 1, at, (list->count - index) * sizeof(*at));
    list->count++;
    at->end = page;
    return index + 1;
}

static bool same_location(CUmemLocation one, CUmemLocation other)
{
    return one.type == other.type && one.id == other.id;
}

static bool same(const struct cup_advice *one, const struct cup_advice *other)
{
    return same_location(one->preferred, other->preferred) &&
           same_location(one->prefetched, other->prefetched) &&
           one->accessed_by == other->accessed_by &&
           one->accessed_by_host == other->accessed_by_host &&
           one->read_mostly == other->read_mostly;
}

/* Merges equal neighbours in [from, to) and on either side of it. */
static void join_around(struct cup_advice_list *list, size_t from, size_t to)
{
    struct cup_advice_segment *segments = list->segments;
    size_t last = from ? from - 1 : 0, end = to < list->count ? to + 1 : to;

    for (size_t i = last + 1; i < end; i++) {
        if (same(&segments[last].advice, &segments[i].advice))
            segments[last].end = segments[i].end;
        else
            segments[++last] = segments[i];
    }
    memmove(&segments[last + 1], &segments[end], (list->count - end) * sizeof(*segments));
    list->count -= end - (last + 1);
}

static void set_accessed_by(struct cup_advice *advice, CUmemLocation location, bool on)
{
    uint64_t bit = UINT64_C(1) << (location.id & 63);

    if (location.type == CU_MEM_LOCATION_TYPE_HOST)
        advice->accessed_by_host = on;
    else if (on)
        advice->accessed_by |= bit;
    else
        advice->accessed_by &= ~bit;
}

static void apply(struct cup_advice *advice, const struct cup_advice_change *change)
{
    switch (change->subject) {
    case CUP_ADVICE_READ_MOSTLY:
        advice->read_mostly = change->on;
        break;
    case CUP_ADVICE_PREFERRED:
        advice->preferred = change->on ? change->location : no_location;
        break;
    case CUP_ADVICE_ACCESSED_BY:
        set_accessed_by(advice, change->location, change->on);
        break;
    case CUP_ADVICE_PREFETCHED:
        advice->prefetched = change->location;
        break;
    }
}

/* Splits segments at both ends of the page range; the range is then [*from, *to). */
static bool cut_out(struct cup_advice_list *list, uint64_t first, uint64_t end, size_t *from,
                    size_t *to)
{
    if (!cup_dynarray_reserve(&list->array, 2, sizeof(*list->segments)))
        return false;
    *from = split(list, first);
    *to = end < list->segments[list->count - 1].end ? split(list, end) : list->count;
    return true;
}

bool cup_advice_list_change(struct cup_advice_list *list, uint64_t first, uint64_t end,
                            const struct cup_advice_change *change)
{
    size_t from, to;

    if (!cut_out(list, first, end, &from, &to))
        return false;
    for (size_t i = from; i < to; i++)
        apply(&list->segments[i].advice, change);
    join_around(list, from, to);
    return true;
}

bool cup_advice_list_clear(struct cup_advice_list *list, uint64_t first, uint64_t end)
{
    size_t from, to;

    if (!cut_out(list, first, end, &from, &to))
        return false;
    for (size_t i = from; i < to; i++)
        list->segments[i].advice = cup_advice_none;
    join_around(list, from, to);
    return true;
}

bool cup_advice_list_is_clear(const struct cup_advice_list *list)
{
    return list->count == 1 && same(&list->segments[0].advice, &cup_advice_none);
}

struct cup_advice cup_advice_list_common(const struct cup_advice_list *list, uint64_t first,
                                         uint64_t end)
{
    size_t index = find(list, first);
    uint64_t begin = index ? list->segments[index - 1].end : 0;
    struct cup_advice common = list->segments[index].advice;

    end -= first - begin;
    while (list->segments[index].end < end) {
        const struct cup_advice *next = &list->segments[++index].advice;
        if (!same_location(common.preferred, next->preferred))
            common.preferred = no_location;
        if (!same_location(common.prefetched, next->prefetched))
            common.prefetched = no_location;
        common.accessed_by &= next->accessed_by;
        common.accessed_by_host &= next->accessed_by_host;
        common.read_mostly &= next->read_mostly;
    }
    return common;
}
