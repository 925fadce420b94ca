/* SPDX-License-Identifier: MIT */
/* A job that signals semaphores or waits for them, as semaphore_watch.c sees it. */
#ifndef CUP_INTEROP_SEMAPHORE_JOB_H
#define CUP_INTEROP_SEMAPHORE_JOB_H

#include "interop/external_semaphore.h"
#include "stream/job.h"

struct cup_semaphore_item {
    struct cup_semaphore_use use; /* holds a reference */
    bool done;                    /* signalled or waited for; never done twice */
    bool entered;                 /* type->enter was called */
};

struct cup_semaphore_job {
    struct cup_job base;
    struct CUctx_st *context; /* the stream's context, which outlives the job */
    uint64_t checked_ns;      /* time of the last check for dead peers; 0: never */
    unsigned count;
    struct cup_semaphore_item items[];
};

#endif
