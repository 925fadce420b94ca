/* SPDX-License-Identifier: MIT */
/* Small collective operations of a process with one rank, from begin to end inside their call: no
 * job, no round, and one call of the driver, where all ranks come within some microseconds. Where
 * they do not, the operation goes on as others do. */
#ifndef NCCL_DIRECT_H
#define NCCL_DIRECT_H

#include "operation.h"

#include <nccl.h>
#include <stdbool.h>

/* True if the operation is over, or under way; `result` is that of the call then. Otherwise nothing
 * has happened. */
bool nccl_direct_try(struct nccl_rank *rank, const struct nccl_request *request,
                     cudaStream_t stream, ncclResult_t *result);

#endif
