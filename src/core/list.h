/* SPDX-License-Identifier: MIT */
/* Intrusive doubly linked lists. The head and the links inside the elements have one type: a list
 * is a ring through its head, and empty when the head links to itself. An element is removed
 * without the list at hand, in constant time. */
#ifndef CUP_CORE_LIST_H
#define CUP_CORE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct cup_list {
    struct cup_list *next, *previous;
};

#define CUP_LIST_INITIALIZER(head)                                                                 \
    {                                                                                              \
        &(head), &(head)                                                                           \
    }

/* The element whose field `member` the link is. */
#define cup_list_entry(link, type, member) ((type *)((char *)(link)-offsetof(type, member)))

/* The element at the front; NULL if the list is empty. */
#define cup_list_first(head, type, member)                                                         \
    (cup_list_is_empty(head) ? NULL : cup_list_entry((head)->next, type, member))

/* The link of an element; also of the head, taken for an element at the end of a loop. */
#define cup_list_link(each, type, member)                                                          \
    ((struct cup_list *)(void *)((char *)(each) + offsetof(type, member)))

/* Loops over the elements. The body must not remove the current one; cup_list_each_safe may. */
#define cup_list_each(each, head, type, member)                                                    \
    for (type *each = cup_list_entry((head)->next, type, member);                                  \
         cup_list_link(each, type, member) != (head);                                              \
         each = cup_list_entry(cup_list_link(each, type, member)->next, type, member))
#define cup_list_each_safe(each, head, type, member)                                               \
    for (type *each = cup_list_entry((head)->next, type, member),                                  \
              *each##_next =                                                                       \
                  cup_list_entry(cup_list_link(each, type, member)->next, type, member);           \
         cup_list_link(each, type, member) != (head); each = each##_next,                          \
              each##_next = cup_list_entry(cup_list_link(each, type, member)->next, type, member))

static inline void cup_list_init(struct cup_list *head)
{
    head->next = head->previous = head;
}

static inline bool cup_list_is_empty(const struct cup_list *head)
{
    return head->next == head;
}

/* Inserts behind `position`, which is an element's link, or the head for the front. */
static inline void cup_list_insert(struct cup_list *position, struct cup_list *link)
{
    link->previous = position;
    link->next = position->next;
    position->next->previous = link;
    position->next = link;
}

static inline void cup_list_append(struct cup_list *head, struct cup_list *link)
{
    cup_list_insert(head->previous, link);
}

static inline void cup_list_remove(struct cup_list *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
}

#endif
