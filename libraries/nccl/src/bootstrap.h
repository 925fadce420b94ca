/* SPDX-License-Identifier: MIT */
/* How the ranks of a new communicator find each other. A unique id names a root: a list in the
 * process that has made the id, and its address. Ranks give records to the root, and each gets
 * those of all. Ranks in the root's process use no socket. */
#ifndef NCCL_BOOTSTRAP_H
#define NCCL_BOOTSTRAP_H

#include "patience.h"
#include "team.h"

#include <nccl.h>
#include <stdbool.h>
#include <stddef.h>

struct nccl_bootstrap;

ncclResult_t nccl_bootstrap_create_id(ncclUniqueId *id);

/* The key of the communicator; false: the bytes are no id. */
bool nccl_bootstrap_key(const ncclUniqueId *id, struct nccl_key *key);

/* Takes part as a rank. Waits end with `patience`, which must outlive the bootstrap. */
ncclResult_t nccl_bootstrap_join(const ncclUniqueId *id, int rank_count, int rank,
                                 const struct nccl_patience *patience,
                                 struct nccl_bootstrap **bootstrap);

/* Gives a record; waits for those of all ranks. Both are called in turn. All ranks give records of
 * the same size. ncclRemoteError: a rank, or the root, is gone. */
ncclResult_t nccl_bootstrap_give(struct nccl_bootstrap *bootstrap, const void *record,
                                 size_t bytes);
ncclResult_t nccl_bootstrap_get(struct nccl_bootstrap *bootstrap, void *records);

void nccl_bootstrap_leave(struct nccl_bootstrap *bootstrap);

#endif
