/* SPDX-License-Identifier: MIT */
/* What CUPIPE_CHECK=sync reports. */
#ifndef CUP_CHECK_SYNC_SYNC_REPORT_H
#define CUP_CHECK_SYNC_SYNC_REPORT_H

#include "check/sync/barriers.h"

#include <stdint.h>

/* A thread went round a barrier to the instruction of a site. */
void cup_synccheck_report_absent(struct cup_abi_block *block,
                                 const struct cup_synccheck_barrier *barrier, uint32_t warp,
                                 uint32_t lane, uint32_t site);
/* Lanes that the member mask of a .sync names did not come to it. */
void cup_synccheck_report_members(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                                  uint32_t site, uint32_t members, uint32_t absent);
/* The member mask does not name the lane itself. */
void cup_synccheck_report_not_member(const struct cup_kcheck_sync *sync, uint32_t lane,
                                     uint32_t members);
/* The count of threads is no number of whole warps. */
void cup_synccheck_report_count(const struct cup_kcheck_sync *sync, uint32_t id, uint32_t count);
/* Another thread came to the barrier with another count. */
void cup_synccheck_report_counts(const struct cup_kcheck_sync *sync,
                                 const struct cup_synccheck_barrier *barrier, uint32_t id,
                                 uint32_t count);

struct cup_mbarrier_use;

/* What is wrong with the use of an mbarrier. */
enum cup_mbarset_fault {
    CUP_MBARRIER_NEW,     /* it was never initialised */
    CUP_MBARRIER_INVALID, /* mbarrier.inval has ended it */
    CUP_MBARRIER_BUSY,    /* it is initialised, and threads have arrived */
};
void cup_synccheck_report_mbarrier(const struct cup_mbarrier_use *use,
                                   enum cup_mbarset_fault fault);

/* A lane accesses shared memory that a cp.async of a thread may not have filled yet. */
void cup_synccheck_report_copy(const struct cup_kcheck_access *access, uint32_t lane,
                               const struct cup_abi_block *block, uint32_t thread, uint32_t site);

/* Where threads wait. */
enum { CUP_SYNC_WAITS = 8 };

struct cup_synccheck_waits {
    uint32_t count, left_out;
    struct cup_synccheck_wait {
        uint32_t site, warp, lanes;
        int barrier; /* -1: an instruction with .sync */
    } list[CUP_SYNC_WAITS];
};

void cup_synccheck_waits_add(struct cup_synccheck_waits *waits, uint32_t warp, uint32_t lane,
                             uint32_t site, int barrier);
void cup_synccheck_report_deadlock(struct cup_abi_block *block,
                                   const struct cup_synccheck_waits *waits);

#endif
