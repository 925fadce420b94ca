/* SPDX-License-Identifier: MIT */
/* How long an operation may take, for ncclGroupSimulateEnd(). */
#ifndef NCCL_SIMULATE_H
#define NCCL_SIMULATE_H

#include "operation.h"

#include <stdbool.h>

/* Microseconds of one operation of a communicator with so many ranks. */
double nccl_simulate(const struct nccl_request *request, int rank, int rank_count,
                     bool has_other_hosts);

#endif
