/* SPDX-License-Identifier: MIT */
/* Teams of NCCL's interface for kernels, as far as programs of the host ask for them: sets of ranks
 * with a stride. What they are asked of something that is no communicator is a team without ranks.
 * NCCL declares them with what is for kernels, which has no counterpart here. */
#include "comm.h"

#include <stddef.h>

typedef struct ncclTeam {
    int nRanks, rank, stride;
} ncclTeam_t;

ncclTeam_t ncclTeamWorld(ncclComm_t comm);
ncclTeam_t ncclTeamLsa(ncclComm_t comm);
ncclTeam_t ncclTeamRail(ncclComm_t comm);
int ncclTeamRankToWorld(ncclComm_t comm, ncclTeam_t team, int rank);
int ncclTeamRankToLsa(ncclComm_t comm, ncclTeam_t team, int rank);
int ncclLLA2ACalcSlots(int most_elements, int most_bytes);

static bool is_ready(ncclComm_t comm)
{
    return lib_object_is(comm, &nccl_comm_type) && atomic_load(&comm->state) == ncclSuccess;
}

static int common_divisor(int a, int b)
{
    while (b) {
        int rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Ranks with memory in common: as many as every run of consecutive ranks of a host can be cut
 * into. */
static int lsa_size(const struct nccl_team *team)
{
    int size = 0, run = 1;

    for (int rank = 1; rank <= team->rank_count; rank++, run++) {
        if (rank < team->rank_count && team->members[rank].host == team->members[rank - 1].host)
            continue;
        size = common_divisor(run, size);
        run = 0;
    }
    return size;
}

ncclTeam_t ncclTeamWorld(ncclComm_t comm)
{
    if (!is_ready(comm))
        return (ncclTeam_t){0};
    return (ncclTeam_t){comm->rank_count, comm->rank_number, 1};
}

ncclTeam_t ncclTeamLsa(ncclComm_t comm)
{
    int size;

    if (!is_ready(comm))
        return (ncclTeam_t){0};
    size = lsa_size(comm->rank->team);
    return (ncclTeam_t){size, comm->rank_number % size, 1};
}

/* The ranks with the same place among those with memory in common. */
ncclTeam_t ncclTeamRail(ncclComm_t comm)
{
    int size;

    if (!is_ready(comm))
        return (ncclTeam_t){0};
    size = lsa_size(comm->rank->team);
    return (ncclTeam_t){comm->rank_count / size, comm->rank_number / size, size};
}

int ncclTeamRankToWorld(ncclComm_t comm, ncclTeam_t team, int rank)
{
    return ncclTeamWorld(comm).rank + (rank - team.rank) * team.stride;
}

int ncclTeamRankToLsa(ncclComm_t comm, ncclTeam_t team, int rank)
{
    return ncclTeamLsa(comm).rank + (rank - team.rank) * team.stride;
}

/* A slot has 8 bytes of data. */
int ncclLLA2ACalcSlots(int most_elements, int most_bytes)
{
    return most_elements * ((most_bytes + 7) / 8);
}

#define SECOND_NAME(name) __attribute__((alias(#name))) extern __typeof__(name) p##name
SECOND_NAME(ncclTeamWorld);
SECOND_NAME(ncclTeamLsa);
SECOND_NAME(ncclTeamRail);
SECOND_NAME(ncclTeamRankToWorld);
SECOND_NAME(ncclTeamRankToLsa);
SECOND_NAME(ncclLLA2ACalcSlots);
