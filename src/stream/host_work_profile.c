/* SPDX-License-Identifier: MIT */
/* Counts are found by the text of the name: two libraries may have the same one twice. The list is
 * short, and grows at its head without a lock. */
#include "stream/host_work_profile.h"

#include "core/collection.h"
#include "core/config.h"
#include "stream/operand.h"

#include <stdlib.h>
#include <string.h>

static _Atomic(struct cup_host_work_counts *) all;

static struct cup_host_work_counts *find(const char *name)
{
    struct cup_host_work_counts *counts = atomic_load(&all);

    while (counts && counts->name != name && strcmp(counts->name, name) != 0)
        counts = counts->next;
    return counts;
}

/* Two threads may both add a name. The reader of the profile adds them up. */
static struct cup_host_work_counts *find_or_add(const char *name)
{
    struct cup_host_work_counts *counts = find(name);

    if (counts)
        return counts;
    counts = calloc(1, sizeof(*counts));
    if (!counts)
        return NULL;
    counts->name = name;
    counts->next = atomic_load(&all);
    while (!atomic_compare_exchange_weak(&all, &counts->next, counts))
        ;
    return counts;
}

bool cup_host_work_is_profiled(void)
{
    return cup_config_get()->profile_path && cup_collection_is_on();
}

void cup_host_work_profile_add(const struct cupipe_work *work, uint64_t duration_ns)
{
    struct cup_host_work_counts *counts = find_or_add(work->name ? work->name : "host work");

    if (!counts)
        return;
    atomic_fetch_add(&counts->calls, 1);
    atomic_fetch_add(&counts->duration_ns, duration_ns);
    for (size_t i = 0; i < work->range_count; i++) {
        const struct cupipe_range *range = &work->ranges[i];

        atomic_fetch_add(range->written ? &counts->bytes_written : &counts->bytes_read,
                         cup_operand_rows(range) * range->bytes *
                             (range->pointers ? range->pointers : 1));
    }
}

const struct cup_host_work_counts *cup_host_work_profile_first(void)
{
    return atomic_load(&all);
}
