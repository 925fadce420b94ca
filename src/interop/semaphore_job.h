/* SPDX-License-Identifier: MIT */
/* A job that signals semaphores or waits for them, as the watch sees it. */
#ifndef CUP_INTEROP_SEMAPHORE_JOB_H
#define CUP_INTEROP_SEMAPHORE_JOB_H

#include "interop/external_semaphore.h"
#include "stream/job.h"

struct cup_semaphore_item {
    struct cup_semaphore_use use; /* a reference is held */
    bool done;                    /* signalled, or waited for: taken once only */
    bool entered;                 /* it sleeps on the futex_word */
};

struct cup_semaphore_job {
    struct cup_job base;
    struct CUctx_st *context; /* the stream's, which outlives the job */
    uint64_t asked_ns;        /* when it last asked whether the others live; 0: never yet */
    unsigned count;
    struct cup_semaphore_item items[];
};

#endif
