/* SPDX-License-Identifier: MIT */
/* The handle of a communicator: a rank with its settings. */
#ifndef NCCL_COMM_H
#define NCCL_COMM_H

#include "network.h"
#include "object.h"
#include "patience.h"
#include "team.h"

#include <cuda.h>
#include <nccl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* An operator of ncclRedOpCreatePreMulSum(). */
struct nccl_user_operator {
    bool is_used;
    ncclDataType_t type;
    uint64_t scalar;       /* its bits */
    const void *scalar_at; /* device memory; NULL: `scalar` is it */
};

struct ncclComm {
    struct lib_object base;
    int rank_number, rank_count, device;
    unsigned forks;    /* of the process and its parents, when it was made */
    CUcontext context; /* in which its streams are */
    bool is_blocking;
    enum nccl_network_kind network; /* that the program asks for */
    struct nccl_rank *rank;         /* NULL until `state` is ncclSuccess */
    _Atomic(ncclResult_t) state;    /* of its creation: ncclInProgress, ncclSuccess or an error */
    struct nccl_patience patience;  /* of its creation */
    bool is_finalized;
    pthread_t creator; /* of a communicator that does not block */
    bool has_creator;
    struct nccl_user_operator *operators;
    int operator_count;
    uint64_t splits;
    uint64_t calls; /* of functions that communicate, for NCCL_DEBUG; by one thread at a time */
};

extern const struct lib_object_type nccl_comm_type;

/* Checks a handle: ncclInvalidArgument if it is none; the state of a communicator that is not
 * ready; the error of one that has failed, if its rank knows. What other ranks do is no error of
 * a call, whenever they do it: the rank is told by an operation that ends without having run, and
 * by ncclCommGetAsyncError(). */
ncclResult_t nccl_comm_check(const struct ncclComm *comm);

/* Makes a handle for a rank that is still to be created, from the caller's configuration. */
ncclResult_t nccl_comm_create(int rank_count, int rank, const ncclConfig_t *config,
                              struct ncclComm **comm);

/* Lines of NCCL_DEBUG=INFO of a communicator that is ready. */
void nccl_comm_show(const struct ncclComm *comm);

/* error.c: keeps a message for ncclGetLastError(), shows it if NCCL_DEBUG asks for it, and returns
 * the result. */
__attribute__((format(printf, 2, 3))) ncclResult_t nccl_error(ncclResult_t result,
                                                              const char *format, ...);

/* The same as nccl_error(), and shows the message in any case: what nobody can see from the result.
 */
__attribute__((format(printf, 2, 3))) ncclResult_t nccl_report(ncclResult_t result,
                                                               const char *format, ...);

#endif
