/* SPDX-License-Identifier: MIT */
/* The functions that communicate. They check their arguments in the order in which NCCL complains,
 * and describe the operation. */
#include "debug.h"
#include "group.h"

#include <string.h>

struct call {
    const char *name;
    enum nccl_kind kind;
    const void *send;
    void *recv;
    size_t count;
    ncclDataType_t type;
    int op, root; /* where the kind has one */
};

static bool has_root(enum nccl_kind kind)
{
    return kind == NCCL_BROADCAST || kind == NCCL_REDUCE || kind == NCCL_GATHER ||
           kind == NCCL_SCATTER || kind == NCCL_SEND || kind == NCCL_RECV;
}

/* Fills in the operator; false: there is none like it for the type. */
static bool resolve_operator(const struct ncclComm *comm, const struct call *call,
                             struct nccl_request *request, const void **scalar_at)
{
    int index = call->op - ncclNumOps;
    struct nccl_reduction reduction = {0};

    if (call->op < ncclNumOps) {
        if (call->op < 0 ||
            !nccl_reduction_init(&reduction, call->type, (ncclRedOp_t)call->op, comm->rank_count))
            return false;
        request->op = reduction.op;
        request->scalar = reduction.scalar;
        return true;
    }
    /* As NCCL, which has no products of 8-bit floats with a factor. */
    if (index >= comm->operator_count || !comm->operators[index].is_used ||
        comm->operators[index].type != call->type || call->type >= ncclFloat8e4m3)
        return false;
    request->op = NCCL_OP_SCALED_SUM;
    request->is_scaled = 1;
    request->scalar = comm->operators[index].scalar;
    *scalar_at = comm->operators[index].scalar_at;
    return true;
}

static ncclResult_t submit(ncclComm_t comm, const struct call *call, cudaStream_t stream)
{
    struct nccl_request request = {.kind = call->kind,
                                   .type = call->type,
                                   .root = call->root,
                                   .count = call->count,
                                   .send = (uintptr_t)call->send,
                                   .recv = (uintptr_t)call->recv,
                                   .send_place.fd = -1,
                                   .recv_place.fd = -1};
    const void *scalar_at = NULL;
    ncclResult_t result = nccl_comm_check(comm);

    if (result != ncclSuccess)
        return result;
    if (comm->is_finalized)
        return nccl_error(ncclInvalidUsage, "%s: the communicator is finalized", call->name);
    if (has_root(call->kind) && (call->root < 0 || call->root >= comm->rank_count))
        return nccl_error(ncclInvalidArgument, "%s: rank %d of %d", call->name, call->root,
                          comm->rank_count);
    if (nccl_type_bytes(call->type) == 0)
        return nccl_error(ncclInvalidArgument, "%s: type %d", call->name, (int)call->type);
    if (nccl_kind_reduces(call->kind) && !resolve_operator(comm, call, &request, &scalar_at))
        return nccl_error(ncclInvalidArgument, "%s: operator %d for type %d", call->name, call->op,
                          (int)call->type);
    nccl_info(
        call->kind == NCCL_SEND || call->kind == NCCL_RECV ? NCCL_DEBUG_P2P : NCCL_DEBUG_COLL,
        "%s: opCount %llx sendbuff %p recvbuff %p count %zu datatype %d op %d root %d comm %p "
        "[nranks=%d] stream %p",
        call->name + strlen("nccl"), (unsigned long long)comm->calls++, call->send, call->recv,
        call->count, (int)call->type, call->op, call->root, (void *)comm, comm->rank_count,
        (void *)stream);
    if (call->count == 0)
        return ncclSuccess;
    if (call->count > SIZE_MAX / 8 / (size_t)comm->rank_count)
        return nccl_error(ncclInvalidArgument, "%s: count %zu", call->name, call->count);
    return nccl_group_add(comm, &request, scalar_at, stream);
}

static ncclResult_t communicate(ncclComm_t comm, const struct call *call, cudaStream_t stream)
{
    return nccl_group_note(submit(comm, call, stream));
}

ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    const struct call call = {
        "ncclAllReduce", NCCL_ALL_REDUCE, send, recv, count, type, (int)op, 0};

    return communicate(comm, &call, stream);
}

ncclResult_t ncclBroadcast(const void *send, void *recv, size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream)
{
    const struct call call = {"ncclBroadcast", NCCL_BROADCAST, send, recv, count, type, 0, root};

    return communicate(comm, &call, stream);
}

ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream)
{
    const struct call call = {"ncclBcast", NCCL_BROADCAST, buffer, buffer, count, type, 0, root};

    return communicate(comm, &call, stream);
}

ncclResult_t ncclReduce(const void *send, void *recv, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
    const struct call call = {"ncclReduce", NCCL_REDUCE, send, recv, count, type, (int)op, root};

    return communicate(comm, &call, stream);
}

ncclResult_t ncclAllGather(const void *send, void *recv, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream)
{
    const struct call call = {"ncclAllGather", NCCL_ALL_GATHER, send, recv, count, type, 0, 0};

    return communicate(comm, &call, stream);
}

ncclResult_t ncclReduceScatter(const void *send, void *recv, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    const struct call call = {
        "ncclReduceScatter", NCCL_REDUCE_SCATTER, send, recv, count, type, (int)op, 0};

    return communicate(comm, &call, stream);
}

ncclResult_t ncclAlltoAll(const void *send, void *recv, size_t count, ncclDataType_t type,
                          ncclComm_t comm, cudaStream_t stream)
{
    const struct call call = {"ncclAlltoAll", NCCL_ALL_TO_ALL, send, recv, count, type, 0, 0};

    return communicate(comm, &call, stream);
}

ncclResult_t ncclGather(const void *send, void *recv, size_t count, ncclDataType_t type, int root,
                        ncclComm_t comm, cudaStream_t stream)
{
    const struct call call = {"ncclGather", NCCL_GATHER, send, recv, count, type, 0, root};

    return communicate(comm, &call, stream);
}

ncclResult_t ncclScatter(const void *send, void *recv, size_t count, ncclDataType_t type, int root,
                         ncclComm_t comm, cudaStream_t stream)
{
    const struct call call = {"ncclScatter", NCCL_SCATTER, send, recv, count, type, 0, root};

    return communicate(comm, &call, stream);
}

ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream)
{
    const struct call call = {"ncclSend", NCCL_SEND, send, NULL, count, type, 0, peer};

    return communicate(comm, &call, stream);
}

ncclResult_t ncclRecv(void *recv, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    const struct call call = {"ncclRecv", NCCL_RECV, NULL, recv, count, type, 0, peer};

    return communicate(comm, &call, stream);
}
