/* SPDX-License-Identifier: MIT */
/* core/hashmap.h: compared with a plain list while items come and go. */
#include "core/hashmap.h"
#include "test.h"

struct item {
    uint64_t key;
    uint32_t value;
    char rest[12];
};

struct items {
    CUP_HASHMAP(struct item, slots);
};

static unsigned calls; /* of calloc() */
static bool fails;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
    calls++;
    return fails ? NULL : __real_calloc(count, bytes);
}

static struct item *find(const struct items *items, uint64_t key)
{
    return cup_hashmap_find(&items->map, key, sizeof(struct item));
}

static struct item *add(struct items *items, uint64_t key, uint32_t value)
{
    struct item *item = cup_hashmap_add(&items->map, key, sizeof(*item));

    if (item) {
        check(item->key == key && item->value == 0 && item->rest[0] == 0);
        item->value = value;
        memset(item->rest, 0x5a, sizeof(item->rest));
    }
    return item;
}

TEST(an_empty_map_has_no_memory)
{
    struct items items = {0};

    calls = 0;
    check(!find(&items, 7) && !cup_hashmap_each(&items.map, NULL, sizeof(struct item)));
    cup_hashmap_finish(&items.map);
    check(calls == 0);
}

TEST(items_are_found_while_the_map_grows)
{
    struct items items = {0};

    for (uint32_t i = 1; i <= 10000; i++)
        check(add(&items, (uint64_t)i << 21, i));
    check(items.count == 10000 && items.slot_count == 32768);
    for (uint32_t i = 1; i <= 10000; i++)
        check(find(&items, (uint64_t)i << 21)->value == i);
    check(!find(&items, 1) && !find(&items, 0));
    cup_hashmap_finish(&items.map);
    check(items.count == 0 && !find(&items, 1 << 21));
}

TEST(each_visits_every_item_once)
{
    struct items items = {0};
    uint64_t sum = 0;
    unsigned count = 0;

    for (uint32_t i = 1; i <= 500; i++)
        add(&items, i * UINT64_C(0x10001), i);
    for (struct item *item = NULL;
         (item = cup_hashmap_each(&items.map, item, sizeof(struct item)));) {
        sum += item->value;
        count++;
    }
    check(count == 500 && sum == 500 * 501 / 2);
    cup_hashmap_finish(&items.map);
}

TEST(items_of_one_key_are_all_found)
{
    struct items items = {0};
    unsigned seen = 0;

    for (uint32_t i = 0; i < 100; i++) {
        add(&items, 42, i);
        add(&items, 1000 + i, i);
    }
    for (struct item *item = find(&items, 42); item;
         item = cup_hashmap_next(&items.map, item, sizeof(*item)))
        seen += item->value;
    check(seen == 99 * 100 / 2);
    cup_hashmap_finish(&items.map);
}

/* Keys whose search begins in the same few slots, the last one of the table among them. */
static uint64_t crowded_key(const struct cup_hashmap *map, unsigned wanted)
{
    for (uint64_t key = 1 + wanted * UINT64_C(1000003);; key++)
        if (cup_hashmap_home(map, key) >= map->slot_count - 2 || cup_hashmap_home(map, key) < 2)
            return key;
}

TEST(removing_leaves_the_others_in_reach)
{
    enum { KEYS = 30, ROUNDS = 20000 };
    struct items items = {0};
    uint64_t keys[KEYS];
    bool is_there[KEYS] = {0};
    unsigned number = 1, count = 0;

    add(&items, 1, 0);
    cup_hashmap_remove(&items.map, find(&items, 1), sizeof(struct item));
    for (unsigned i = 0; i < KEYS; i++)
        keys[i] = crowded_key(&items.map, i);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned which = (number = number * 1103515245 + 12345) / 65536 % KEYS;

        if (is_there[which])
            cup_hashmap_remove(&items.map, find(&items, keys[which]), sizeof(struct item));
        else
            add(&items, keys[which], which);
        is_there[which] = !is_there[which];
        count += is_there[which] ? 1 : -1u;
        for (unsigned i = 0; i < KEYS; i++) {
            const struct item *item = find(&items, keys[i]);

            check((item != NULL) == is_there[i] && (!item || item->value == i));
        }
        check(items.count == count && items.slot_count == CUP_HASHMAP_FIRST_SLOTS);
    }
    cup_hashmap_finish(&items.map);
}

TEST(out_of_memory_changes_nothing)
{
    struct items items = {0};

    fails = true;
    check(!add(&items, 1, 1) && items.count == 0);
    fails = false;
    for (uint32_t i = 1; i <= CUP_HASHMAP_FIRST_SLOTS / 2; i++)
        check(add(&items, i, i));
    struct items before = items;
    fails = true;
    check(!add(&items, 77, 77));
    check(memcmp(&items, &before, sizeof(items)) == 0 && find(&items, 5)->value == 5);
    fails = false;
    check(add(&items, 77, 77) && find(&items, 77)->value == 77 && find(&items, 5)->value == 5);
    cup_hashmap_finish(&items.map);
}

TEST(a_hash_of_zero_has_a_key)
{
    check(cup_hashmap_key(0) != 0 && cup_hashmap_key(12) == 12);
}
