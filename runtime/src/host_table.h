/* SPDX-License-Identifier: MIT */
/* A table of registered entities by host address. Look-ups take no lock; they run with every launch
 * of programs that pass the host function. Additions and removals take the table's lock. */
#ifndef RT_HOST_TABLE_H
#define RT_HOST_TABLE_H

#include <stdbool.h>

enum rt_host_kind { RT_HOST_KERNEL, RT_HOST_VARIABLE };

/* The first member of every registered entity. */
struct rt_host {
    const void *address;
    enum rt_host_kind kind;
};

struct rt_host *rt_host_find(const void *address);

/* The first registration of an address stays. False: out of memory. */
bool rt_host_add(struct rt_host *host);
void rt_host_remove(struct rt_host *host);

#endif
