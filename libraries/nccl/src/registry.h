/* SPDX-License-Identifier: MIT */
/* All teams of the process (team.c), for what comes from other processes. */
#ifndef NCCL_REGISTRY_H
#define NCCL_REGISTRY_H

struct nccl_peer;
struct nccl_team;

/* A team with operations under way whose threads may look for news, with a reference; NULL: there
 * is none. */
struct nccl_team *nccl_teams_find_busy(void);

/* A peer has rung the bell: each team looks at what has changed. */
void nccl_teams_progress(void);

/* A peer has ended: the teams that have it fail. */
void nccl_teams_peer_ended(struct nccl_peer *peer);

#endif
