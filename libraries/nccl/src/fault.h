/* SPDX-License-Identifier: MIT */
/* Memory that is not there. The driver looks at the memory of an operation when its turn comes, but
 * the operation may wait for other ranks, and its memory may go meanwhile. Then the operation ends
 * as a kernel would: the device of its rank is lost, and the communicator fails. */
#ifndef NCCL_FAULT_H
#define NCCL_FAULT_H

#include "operation.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct nccl_fault {
    CUresult error;   /* CUDA_SUCCESS: there was none */
    uint64_t address; /* 0: not known */
};

/* Calls action(data), which takes no lock. False: it was abandoned where it touched memory that is
 * not there. */
bool nccl_fault_guard(void (*action)(void *data), void *data, struct nccl_fault *fault);

/* Copies memory of the program. */
bool nccl_fault_copy(void *to, const void *from, size_t bytes, struct nccl_fault *fault);

/* The operation ends with the fault, if that was in its memory; true: it was. */
bool nccl_fault_blame(const struct nccl_fault *fault, struct nccl_operation *operation);

/* The same for a fault that can only be the operation's, and its team fails. */
void nccl_fault_end(const struct nccl_fault *fault, struct nccl_operation *operation);

/* Says in `text` what has happened to memory of a rank. */
void nccl_fault_explain(const struct nccl_fault *fault, int rank, char *text, size_t bytes);

#endif
