/* SPDX-License-Identifier: MIT */
/* How long the creation of a communicator waits for other ranks: until it is cancelled, or for the
 * seconds of CUPIPE_NCCL_TIMEOUT. */
#ifndef NCCL_PATIENCE_H
#define NCCL_PATIENCE_H

#include <nccl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct nccl_patience {
    _Atomic(bool) is_cancelled;
    uint64_t deadline_ns; /* of CLOCK_MONOTONIC; 0: none */
};

/* Begins to wait. */
void nccl_patience_begin(struct nccl_patience *patience);

/* ncclSuccess: wait on; ncclInternalError: it is cancelled; ncclRemoteError: the time is over. */
ncclResult_t nccl_patience_check(const struct nccl_patience *patience);

/* The seconds of CUPIPE_NCCL_TIMEOUT, for messages. 0: no limit. */
unsigned nccl_patience_seconds(void);

#endif
