/* SPDX-License-Identifier: MIT */
/* The creation of communicators, in steps. In a group, all ranks take a step before any takes the
 * next, so that one thread can create several ranks. */
#ifndef NCCL_INIT_H
#define NCCL_INIT_H

#include "comm.h"

struct nccl_init;

struct nccl_init_type {
    /* Takes a step, from 0 on; sets *is_over after the last one. Step 0 does not wait for other
     * ranks. */
    ncclResult_t (*step)(struct nccl_init *init, int number, bool *is_over);
    void (*finish)(struct nccl_init *init); /* frees what it owns */
};

/* Embedded in what a type needs. */
struct nccl_init {
    const struct nccl_init_type *type;
    struct nccl_init *next;
    struct ncclComm *comm;
    ncclComm_t *out;  /* set at once */
    bool has_no_comm; /* the rank takes part, but gets no communicator */
    bool is_over;
};

/* Runs it now, later at the end of the group, or in a thread if the communicator does not block.
 * Owns `init`, which malloc() has made. */
ncclResult_t nccl_init_run(struct nccl_init *init);

/* Runs all of a list, at the end of a group. */
ncclResult_t nccl_init_run_all(struct nccl_init *first);

/* Gives up all of a list that has not run. */
void nccl_init_drop_all(struct nccl_init *first);

/* A rank of a communicator whose members exchange records by bootstrap. */
ncclResult_t nccl_init_rank(ncclComm_t *comm, int rank_count, const ncclUniqueId *id, int rank,
                            int device, const ncclConfig_t *config);

#endif
