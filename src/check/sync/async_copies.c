/* SPDX-License-Identifier: MIT */
/* The copies of a thread are numbered by groups. A word knows the thread and group of the last copy
 * to it; the thread knows which of its groups are done. */
#include "check/sync/async_copies.h"

#include "check/kernel/dispatch.h"
#include "ptx/program.h"

#include <stdlib.h>
#include <string.h>

struct cup_pending_copy {
    uint32_t thread, group, site;
    bool exists;
};

void cup_copies_begin(struct cup_copies *copies)
{
    if (copies->is_used) {
        memset(copies->copies, 0, copies->words * sizeof(*copies->copies));
        memset(copies->groups, 0, copies->threads * sizeof(*copies->groups));
    }
    copies->is_used = false;
}

void cup_copies_finish(struct cup_copies *copies)
{
    free(copies->copies);
    free(copies->groups);
    *copies = (struct cup_copies){.is_used = false};
}

/* Returns false if memory is out: copies are not looked at then. */
static bool create(struct cup_copies *copies, uint32_t words, uint32_t threads)
{
    if (copies->copies)
        return true;
    copies->words = words;
    copies->threads = threads;
    copies->copies = calloc(words, sizeof(*copies->copies));
    copies->groups = calloc(threads, sizeof(*copies->groups));
    if (copies->copies && copies->groups)
        return true;
    cup_copies_finish(copies);
    return false;
}

void cup_copies_add(struct cup_copies *copies, uint32_t words, uint32_t threads, uint32_t thread,
                    uint32_t site, uint32_t first, uint32_t count)
{
    if (!create(copies, words, threads) || thread >= threads)
        return;
    copies->is_used = true;
    for (uint32_t word = first; word - first < count && word < copies->words; word++)
        copies->copies[word] =
            (struct cup_pending_copy){thread, copies->groups[thread].begun, site, true};
}

void cup_copies_wait(struct cup_copies *copies, uint32_t first_thread,
                     const struct cup_kcheck_sync *sync, const struct ptx_instruction *i)
{
    for (uint32_t left = copies->is_used ? sync->mask : 0; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct cup_copy_groups *groups = &copies->groups[first_thread + lane];
        uint64_t may_be_open = ptx_has(i, PTX_MOD_WAIT_GROUP) ? sync->values[lane] : 0;

        if (!ptx_has(i, PTX_MOD_WAIT_GROUP))
            groups->begun++;
        if (!ptx_has(i, PTX_MOD_COMMIT_GROUP) && groups->begun >= may_be_open &&
            groups->done < groups->begun - may_be_open)
            groups->done = groups->begun - (uint32_t)may_be_open;
    }
}

bool cup_copies_find(const struct cup_copies *copies, uint32_t word, uint32_t *thread,
                     uint32_t *site)
{
    const struct cup_pending_copy *copy = &copies->copies[word];

    if (word >= copies->words || !copy->exists || copy->group < copies->groups[copy->thread].done)
        return false;
    *thread = copy->thread;
    *site = copy->site;
    return true;
}
