/* SPDX-License-Identifier: MIT */
/* Asynchronous copies to shared memory (cp.async) that nobody has waited for, of
 * CUPIPE_CHECK=sync. Bulk copies, which complete at an mbarrier, are not looked at. */
#ifndef CUP_CHECK_SYNC_ASYNC_COPIES_H
#define CUP_CHECK_SYNC_ASYNC_COPIES_H

#include <stdbool.h>
#include <stdint.h>

struct cup_kcheck_access;
struct cup_kcheck_sync;
struct ptx_instruction;

/* Of the blocks of a unit. Zeros: there was no copy. */
struct cup_copies {
    bool is_used;
    uint32_t words, threads;         /* of all blocks */
    struct cup_pending_copy *copies; /* of each word: the last one that writes it */
    struct cup_copy_groups {
        uint32_t begun, done; /* groups of a thread: of the next copy, and those before are done */
    } * groups;
};

void cup_copies_begin(struct cup_copies *copies);
void cup_copies_finish(struct cup_copies *copies);

/* A thread copies to words from one on. `words`, `threads`: of all blocks of the unit. */
void cup_copies_add(struct cup_copies *copies, uint32_t words, uint32_t threads, uint32_t thread,
                    uint32_t site, uint32_t first, uint32_t count);
/* Threads of a warp execute cp.async.commit_group, wait_group, wait_all or mbarrier.arrive. */
void cup_copies_wait(struct cup_copies *copies, uint32_t first_thread,
                     const struct cup_kcheck_sync *sync, const struct ptx_instruction *instruction);
/* Whether a copy to the word has not been waited for; which one. */
bool cup_copies_find(const struct cup_copies *copies, uint32_t word, uint32_t *thread,
                     uint32_t *site);

#endif
