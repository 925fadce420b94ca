/* SPDX-License-Identifier: MIT */
/* core/dynarray.h: items keep their values while an array grows, and an array that cannot grow
 * stays as it was. */
#include "core/dynarray.h"
#include "test.h"

struct item {
    uint64_t number;
    char rest[16];
};

struct items {
    CUP_DYNARRAY(struct item, list);
};

static unsigned calls; /* of realloc() */
static bool fails;

void *__real_realloc(void *block, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);

void *__wrap_realloc(void *block, size_t bytes)
{
    calls++;
    return fails ? NULL : __real_realloc(block, bytes);
}

static void add(struct items *items, uint64_t number)
{
    struct item *added = cup_dynarray_add(&items->array, sizeof(*added));

    check(added == &items->list[items->count - 1]);
    added->number = number;
}

TEST(items_keep_their_values_and_capacities_double)
{
    struct items items = {0};

    for (uint64_t i = 0; i < 1000; i++)
        add(&items, i * i);
    check(items.count == 1000 && items.capacity == 1024);
    check(calls <= 9); /* 4, 8 ... 1024; the first may be malloc() */
    for (uint64_t i = 0; i < 1000; i++)
        check(items.list[i].number == i * i);
    free(items.list);
}

TEST(reserved_room_is_used_without_another_allocation)
{
    struct items items = {0};

    check(cup_dynarray_reserve(&items.array, 100, sizeof(*items.list)));
    check(items.count == 0 && items.capacity == 128);
    calls = 0;
    for (uint64_t i = 0; i < 100; i++)
        add(&items, i);
    check(cup_dynarray_reserve(&items.array, 28, sizeof(*items.list)));
    check(calls == 0);
    check(cup_dynarray_reserve(&items.array, 0, sizeof(*items.list)));
    free(items.list);
}

TEST(out_of_memory_changes_nothing)
{
    struct items items = {0};

    for (uint64_t i = 0; i < 4; i++)
        add(&items, i);
    struct items before = items;
    fails = true;
    check(!cup_dynarray_add(&items.array, sizeof(*items.list)));
    check(!cup_dynarray_reserve(&items.array, 1000, sizeof(*items.list)));
    check(memcmp(&items, &before, sizeof(items)) == 0 && items.list[3].number == 3);
    fails = false;
    add(&items, 4);
    check(items.count == 5);
    free(items.list);
}

/* None of these sizes may wrap to a small one and be allocated. */
TEST(sizes_that_overflow_are_rejected)
{
    struct items items = {0};
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / sizeof(struct item),
                            SIZE_MAX / 2 / sizeof(struct item)};

    add(&items, 7);
    calls = 0;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        check(!cup_dynarray_reserve(&items.array, sizes[i], sizeof(*items.list)));
    check(calls == 0 && items.count == 1 && items.list[0].number == 7);
    check(!cup_dynarray_reserve(&items.array, 4, SIZE_MAX / 4));
    check(!cup_dynarray_reserve(&items.array, 4, SIZE_MAX / 2));
    check(!cup_dynarray_reserve(&items.array, 4, SIZE_MAX));
    check(calls == 0);
    free(items.list);
}
