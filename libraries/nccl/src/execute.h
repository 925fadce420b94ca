/* SPDX-License-Identifier: MIT */
/* The work of a collective operation, once the buffers of all ranks are known. */
#ifndef NCCL_EXECUTE_H
#define NCCL_EXECUTE_H

#include "operation.h"

#include <stddef.h>
#include <stdint.h>

struct nccl_work {
    enum nccl_kind kind;
    ncclDataType_t type;
    struct nccl_reduction reduction; /* of operations that reduce */
    int rank_count, root;
    uint64_t count;
    const char *const *send; /* by rank */
    char *const *recv;
};

/* Does share `share` of `shares` equal ones, with the driver's workers. All shares together are the
 * operation, in any order and at the same time. */
void nccl_execute(const struct nccl_work *work, unsigned share, unsigned shares);

#endif
