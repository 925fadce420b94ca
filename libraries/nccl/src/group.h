/* SPDX-License-Identifier: MIT */
/* Groups of calls of a thread. */
#ifndef NCCL_GROUP_H
#define NCCL_GROUP_H

#include "comm.h"
#include "init.h"
#include "operation.h"

/* Submits an operation now, or keeps it for the end of the group. The request is complete. */
ncclResult_t nccl_group_add(struct ncclComm *comm, const struct nccl_request *request,
                            const void *scalar_at, cudaStream_t stream);

/* True if the thread has a group open. `init` then runs at its end. */
bool nccl_group_add_init(struct nccl_init *init);

/* Remembers that a call in a group has failed: its end fails. Returns the result. */
ncclResult_t nccl_group_note(ncclResult_t result);

#endif
