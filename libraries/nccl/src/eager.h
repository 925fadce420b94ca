/* SPDX-License-Identifier: MIT */
/* Small collective operations between the processes of a host. What a rank sends stands beside its
 * request in the memory of its process, so each process computes the results of its own ranks, and
 * is done as soon as all have published: nobody waits until the others have read, and no buffer has
 * to be found or mapped. All processes compute the same values in the same order. */
#ifndef NCCL_EAGER_H
#define NCCL_EAGER_H

#include "segment.h"
#include "team.h"

#include <stdbool.h>
#include <stdint.h>

/* Tells whether an operation of the team is done this way; the same in all processes, if they agree
 * on the operation. */
bool nccl_eager_applies(const struct nccl_team *team, const struct nccl_request *request);

/* Writes what a rank of this process sends in a round, before the round is published. The memory
 * that it reads may not be there. */
void nccl_eager_write(struct nccl_team *team, uint64_t round,
                      const struct nccl_operation *operation);

/* What a rank of another process sends. */
static inline const char *nccl_eager_data(const struct nccl_team *team, uint64_t round, int rank)
{
    return nccl_segment_eager(team->segments[team->process_of[rank]], team->rank_count, round,
                              rank);
}

#endif
