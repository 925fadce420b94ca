/* SPDX-License-Identifier: MIT */
/* All teams of the process (team.c), for what comes from other processes. */
#ifndef NCCL_REGISTRY_H
#define NCCL_REGISTRY_H

struct nccl_peer;

/* A peer has rung the bell: each team looks at what has changed. */
void nccl_teams_progress(void);

/* A peer has ended: the teams that have it fail. */
void nccl_teams_peer_ended(struct nccl_peer *peer);

#endif
