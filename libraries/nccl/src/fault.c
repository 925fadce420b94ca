/* SPDX-License-Identifier: MIT */
#include "fault.h"

#include "driver.h"
#include "team.h"

#include <stdio.h>
#include <string.h>

bool nccl_fault_guard(void (*action)(void *data), void *data, struct nccl_fault *fault)
{
    fault->error = lib_driver()->cupipe->run_guarded(action, data, &fault->address);
    return fault->error == CUDA_SUCCESS;
}

struct copy {
    void *to;
    const void *from;
    size_t bytes;
};

static void copy_bytes(void *data)
{
    const struct copy *copy = data;

    memmove(copy->to, copy->from, copy->bytes);
}

bool nccl_fault_copy(void *to, const void *from, size_t bytes, struct nccl_fault *fault)
{
    return nccl_fault_guard(copy_bytes, &(struct copy){to, from, bytes}, fault);
}

static bool lies_in(uint64_t address, uint64_t start, size_t bytes)
{
    return start && address - start < bytes;
}

bool nccl_fault_blame(const struct nccl_fault *fault, struct nccl_operation *operation)
{
    const struct nccl_request *request = &operation->request;
    uint64_t at = fault->address;

    if (at && !lies_in(at, request->send, operation->send_bytes) &&
        !lies_in(at, request->recv, operation->recv_bytes) &&
        !lies_in(at, (uintptr_t)operation->send_copy, operation->send_bytes) &&
        !lies_in(at, (uintptr_t)operation->recv_copy, operation->recv_bytes) &&
        !lies_in(at, (uintptr_t)operation->scalar_at, sizeof(request->scalar)))
        return false;
    operation->status = fault->error;
    return true;
}

void nccl_fault_end(const struct nccl_fault *fault, struct nccl_operation *operation)
{
    char problem[NCCL_PROBLEM_BYTES];

    operation->status = fault->error;
    nccl_fault_explain(fault, operation->rank->rank, problem, sizeof(problem));
    nccl_rank_fail(operation->rank, ncclUnhandledCudaError, problem);
}

void nccl_fault_explain(const struct nccl_fault *fault, int rank, char *text, size_t bytes)
{
    snprintf(text, bytes, "memory of rank %d is not there, at 0x%llx", rank,
             (unsigned long long)fault->address);
}
