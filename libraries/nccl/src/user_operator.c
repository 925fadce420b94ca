/* SPDX-License-Identifier: MIT */
/* Operators of ncclRedOpCreatePreMulSum(): numbers from ncclNumOps on, of one communicator. */
#include "comm.h"

#include <stdlib.h>
#include <string.h>

static int free_operator(struct ncclComm *comm)
{
    struct nccl_user_operator *grown;
    int index = 0;

    while (index < comm->operator_count && comm->operators[index].is_used)
        index++;
    if (index < comm->operator_count)
        return index;
    grown = realloc(comm->operators, (size_t)(index + 8) * sizeof(*grown));
    if (!grown)
        return -1;
    memset(grown + index, 0, 8 * sizeof(*grown));
    comm->operators = grown;
    comm->operator_count = index + 8;
    return index;
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t comm)
{
    struct nccl_user_operator made = {.is_used = true, .type = type};
    ncclResult_t result = nccl_comm_check(comm);
    int index;

    if (result != ncclSuccess)
        return result;
    if (!op || !scalar || nccl_type_bytes(type) == 0 ||
        (residence != ncclScalarDevice && residence != ncclScalarHostImmediate))
        return nccl_error(
            ncclInvalidArgument,
            "ncclRedOpCreatePreMulSum: op or scalar is NULL, or type %d or residence %d is wrong",
            (int)type, (int)residence);
    if (residence == ncclScalarDevice)
        made.scalar_at = scalar;
    else
        memcpy(&made.scalar, scalar, nccl_type_bytes(type));
    index = free_operator(comm);
    if (index < 0)
        return nccl_error(ncclSystemError, "no memory for an operator");
    comm->operators[index] = made;
    *op = (ncclRedOp_t)(ncclNumOps + index);
    return ncclSuccess;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
    int index = (int)op - ncclNumOps;
    ncclResult_t result = nccl_comm_check(comm);

    if (result != ncclSuccess)
        return result;
    if (index < 0 || index >= comm->operator_count || !comm->operators[index].is_used)
        return nccl_error(ncclInvalidArgument, "ncclRedOpDestroy: operator %d", (int)op);
    comm->operators[index].is_used = false;
    return ncclSuccess;
}
