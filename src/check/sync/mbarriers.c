/* SPDX-License-Identifier: MIT */
/* A kernel has few mbarriers, so a list is searched. */
#include "check/sync/mbarriers.h"

#include "abi/launch.h"
#include "check/sync/sync_report.h"
#include "exec/services/mbarrier.h"

#include <stdlib.h>

static struct cup_mbarset_known *find(const struct cup_mbarset *set, uint64_t address)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->list[i].address == address)
            return &set->list[i];
    return NULL;
}

/* Returns NULL if memory is out. */
static struct cup_mbarset_known *add(struct cup_mbarset *set, uint64_t address)
{
    if (set->count == set->capacity) {
        uint32_t capacity = set->capacity ? 2 * set->capacity : 16;
        void *list = realloc(set->list, capacity * sizeof(*set->list));

        if (!list)
            return NULL;
        set->list = list;
        set->capacity = capacity;
    }
    set->list[set->count] = (struct cup_mbarset_known){.address = address};
    return &set->list[set->count++];
}

void cup_mbarset_finish(struct cup_mbarset *set)
{
    free(set->list);
    *set = (struct cup_mbarset){NULL, 0, 0};
}

/* Memory that was used for something else meanwhile has another value. */
void cup_mbarset_use(struct cup_mbarset *set, const struct cup_mbarrier_use *use)
{
    struct cup_mbarset_known *known = find(set, use->address);

    if (use->inits) {
        if (known && known->is_valid && known->word == use->before && use->was_busy)
            cup_synccheck_report_mbarrier(use, CUP_MBARRIER_BUSY);
        known = known ? known : add(set, use->address);
        if (known)
            known->is_valid = true;
    } else if (!known) {
        cup_synccheck_report_mbarrier(use, CUP_MBARRIER_NEW);
        known = add(set, use->address); /* one report is enough */
        if (known)
            known->is_valid = true;
    } else if (!known->is_valid) {
        cup_synccheck_report_mbarrier(use, CUP_MBARRIER_INVALID);
        known->is_valid = true;
    }
    if (known)
        known->word = use->after;
}

void cup_mbarset_end(struct cup_mbarset *set, uint64_t address)
{
    struct cup_mbarset_known *known = find(set, address);

    if (known)
        known->is_valid = false;
}
