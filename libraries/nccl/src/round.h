/* SPDX-License-Identifier: MIT */
/* What direct.c needs of rounds. */
#ifndef NCCL_ROUND_H
#define NCCL_ROUND_H

#include "team.h"

/* Tells whether the next round can be published: its place in shared memory is read no more. */
bool nccl_round_has_room_locked(struct nccl_team *team);

/* Does this process's share of a round. An error, with the reason: it cannot. */
ncclResult_t nccl_round_execute(struct nccl_team *team, const struct nccl_round *round,
                                const char **problem);

/* This process has executed its next round. */
void nccl_round_executed_locked(struct nccl_team *team, bool is_eager, ncclResult_t result,
                                const char *problem, struct nccl_operation **ended);

/* Rings for a round that this process has published as the last one. */
void nccl_round_ring_for(struct nccl_team *team, uint64_t round);

/* Takes in an operation of the only local rank in an eager round that is published already; false:
 * no memory. */
bool nccl_round_insert_locked(struct nccl_team *team, uint64_t number,
                              struct nccl_operation *operation);

#endif
