/* SPDX-License-Identifier: MIT */
/* Other processes of this host: how they are woken, how their memory is reached, and when they end.
 * There is one peer for each process, which all communicators share. Files of a peer are opened
 * through /proc, so the system decides who may. */
#ifndef NCCL_PEER_H
#define NCCL_PEER_H

#include "operation.h"
#include "team.h"

#include <nccl.h>
#include <stddef.h>
#include <stdint.h>

struct nccl_peer;

/* Number and start time of a process, unique while the system is up; 0: there is none. */
uint64_t nccl_process_identity(int pid);

/* The descriptor by which peers wake this process; -1: none can be made. */
int nccl_bell_descriptor(void);

/* Finds or makes the peer of a member, with one more reference. */
ncclResult_t nccl_peer_open(const struct nccl_member *member, struct nccl_peer **peer);
void nccl_peer_close(struct nccl_peer *peer);

bool nccl_peer_is_alive(const struct nccl_peer *peer);

/* Wakes the peer's progress thread. */
void nccl_peer_ring(struct nccl_peer *peer);

/* The address here of memory in a file of the peer; NULL: there is no such memory. Mappings stay
 * until the peer is closed. */
void *nccl_peer_map(struct nccl_peer *peer, const struct nccl_place *place, size_t bytes);

/* Maps the beginning of a file of the peer; munmap() ends it. NULL: there is no such file, or it is
 * shorter. */
void *nccl_peer_open_file(struct nccl_peer *peer, const struct nccl_place *place, size_t bytes);

#endif
