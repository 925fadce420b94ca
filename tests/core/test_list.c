/* SPDX-License-Identifier: MIT */
/* core/list.h: order, removal anywhere, and loops that remove. */
#include "core/list.h"
#include "test.h"

struct element {
    int number;
    struct cup_list link;
};

static struct cup_list list = CUP_LIST_INITIALIZER(list);
static struct element elements[5];

static void fill(void)
{
    for (int i = 0; i < 5; i++) {
        elements[i].number = i;
        cup_list_append(&list, &elements[i].link);
    }
}

/* Compares the list with the digits, forwards and backwards. */
static void check_order(const char *digits)
{
    size_t count = 0;

    cup_list_each (each, &list, const struct element, link)
        check(digits[count] && each->number == digits[count++] - '0');
    check(!digits[count]);
    for (const struct cup_list *link = list.previous; link != &list; link = link->previous)
        check(cup_list_entry(link, struct element, link)->number == digits[--count] - '0');
    check(count == 0 && cup_list_is_empty(&list) == !digits[0]);
}

TEST(an_empty_list_has_no_first_element)
{
    struct cup_list other;

    cup_list_init(&other);
    check(cup_list_is_empty(&other) && !cup_list_first(&other, struct element, link));
    check_order("");
}

TEST(elements_are_added_at_both_ends_and_between)
{
    fill();
    check_order("01234");
    cup_list_remove(&elements[3].link);
    cup_list_insert(&list, &elements[3].link);
    check_order("30124");
    check(cup_list_first(&list, struct element, link) == &elements[3]);
    cup_list_remove(&elements[3].link);
    cup_list_insert(&elements[1].link, &elements[3].link);
    check_order("01324");
}

TEST(elements_are_removed_anywhere)
{
    fill();
    cup_list_remove(&elements[2].link);
    check_order("0134");
    cup_list_remove(&elements[4].link);
    check_order("013");
    cup_list_remove(&elements[0].link);
    check_order("13");
    cup_list_remove(&elements[1].link);
    cup_list_remove(&elements[3].link);
    check_order("");
}

TEST(a_loop_may_remove_its_element)
{
    fill();
    cup_list_each_safe (each, &list, struct element, link) {
        if (each->number % 2 == 0) {
            cup_list_remove(&each->link);
            memset(each, 0xff, sizeof(*each));
        }
    }
    check_order("13");
}
