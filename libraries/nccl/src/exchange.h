/* SPDX-License-Identifier: MIT */
/* An exchange of small records between ranks of a communicator, by threads that wait: for calls
 * that make communicators out of others. It does not depend on the streams, nor on whether the
 * communicator has failed. */
#ifndef NCCL_EXCHANGE_H
#define NCCL_EXCHANGE_H

#include "patience.h"
#include "segment.h"
#include "team.h"

#include <nccl.h>
#include <stdbool.h>
#include <stdint.h>

/* Gives the rank's record; returns the number of the exchange. */
uint64_t nccl_exchange_give(struct nccl_rank *rank, const void *record, size_t bytes);

/* Waits for the records of the ranks that take part, and writes those, by rank. */
ncclResult_t nccl_exchange_get(struct nccl_rank *rank, uint64_t number, const bool *takes_part,
                               const struct nccl_patience *patience,
                               unsigned char (*records)[NCCL_EXCHANGE_BYTES]);

#endif
