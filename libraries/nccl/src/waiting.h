/* SPDX-License-Identifier: MIT */
#ifndef NCCL_WAITING_H
#define NCCL_WAITING_H

#include <cupipe.h>
#include <stdbool.h>

struct nccl_team;

/* Tells whether there are at least as many processors for the ranks of this host as ranks, in a
 * team whose processes are numbered. */
bool nccl_waiting_has_processors(const struct nccl_team *team);

/* Called by a thread that has begun a small operation: goes on with it as the other ranks do their
 * part, if they do it at once. */
void nccl_waiting_look(struct nccl_team *team, cupipe_is_over *is_over, const void *what);

/* The same for what only shared memory tells: looks, and does nothing else. True if it has come. */
bool nccl_waiting_look_for(struct nccl_team *team, cupipe_is_over *is_over, const void *what);

/* Has threads that wait for a stream help the communicators from now on. */
void nccl_waiting_start(void);

#endif
