/* SPDX-License-Identifier: MIT */
/* Operations of a communicator: what a call of a rank becomes.
 *
 * A call, or all calls of a group on one stream, is a job of that stream (struct nccl_job). When
 * its turn comes, the job posts its operations and parks the stream; when all of them have ended,
 * the stream goes on. No thread waits. */
#ifndef NCCL_OPERATION_H
#define NCCL_OPERATION_H

#include "reduce.h"

#include <cupipe.h>
#include <nccl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nccl_rank;

enum nccl_kind {
    NCCL_ALL_REDUCE,
    NCCL_BROADCAST,
    NCCL_REDUCE,
    NCCL_ALL_GATHER,
    NCCL_REDUCE_SCATTER,
    NCCL_ALL_TO_ALL,
    NCCL_GATHER,
    NCCL_SCATTER,
    NCCL_SEND,
    NCCL_RECV,
};

static inline bool nccl_kind_reduces(enum nccl_kind kind)
{
    return kind == NCCL_ALL_REDUCE || kind == NCCL_REDUCE || kind == NCCL_REDUCE_SCATTER;
}

/* Where a buffer is in a file of its process; `fd` -1: nowhere. */
struct nccl_place {
    uint64_t inode, offset;
    int32_t fd;
    uint32_t unused;
};

/* What a rank asks for. Ranks of other processes read it in shared memory. */
struct nccl_request {
    uint32_t kind, type, op;    /* enum nccl_kind, ncclDataType_t, enum nccl_operator */
    int32_t root;               /* or the peer of a message */
    uint64_t count;             /* as the call says it: of one block where there are several */
    uint32_t is_scaled, unused; /* by an operator of the program */
    uint64_t scalar;            /* bits of the rank's own factor, for NCCL_OP_SCALED_SUM */
    uint64_t send, recv;        /* addresses in the process of the rank */
    struct nccl_place send_place, recv_place;
};

struct nccl_operation {
    struct nccl_request request;
    struct nccl_rank *rank;
    struct nccl_job *job;
    struct nccl_operation *next; /* in a queue of the rank or of a pair of ranks */
    uint64_t ticket;             /* order of the rank's calls; 0: of a graph, which has none */
    const void *scalar_at;       /* device memory with the factor; NULL: it is in the request */
    void *send_copy, *recv_copy; /* shared copies of private memory (shared_copy.h), or NULL */
    size_t send_bytes, recv_bytes;
    CUresult status; /* with which its stream goes on (fault.h) */
};

/* The operations of a group on one stream. */
struct nccl_job {
    struct cupipe_pending *pending;
    _Atomic(uint32_t) unfinished; /* operations, and one until all are posted */
    _Atomic(CUresult) status;     /* the first one of its operations that is an error */
    bool is_template;             /* of a graph: each launch runs a copy; also set in the copy */
    bool is_copy;
    bool has_begun;
    uint32_t count;
    struct nccl_operation operations[];
};

/* The bytes of an element, a block, and of the whole buffers of a request of a communicator with so
 * many ranks. */
size_t nccl_request_send_bytes(const struct nccl_request *request, int rank, int rank_count);
size_t nccl_request_recv_bytes(const struct nccl_request *request, int rank, int rank_count);

/* Fills in how many bytes the operation sends and gets. */
void nccl_operation_measure(struct nccl_operation *operation);

/* Posts an operation whose turn in its stream has come. It may end before this returns. */
void nccl_operation_post(struct nccl_operation *operation);

/* job.c. The name of the function of a kind, which may come from another process. */
const char *nccl_kind_name(uint32_t kind);

/* job.c. One operation of the job has ended, with this status. With the last one the stream goes
 * on. */
void nccl_job_count_down(struct nccl_job *job, CUresult status);

/* Submits the job to the stream, which owns it from here on, also if this fails. If it is the last
 * one of its call, it may end here. */
ncclResult_t nccl_job_submit(struct nccl_job *job, cudaStream_t stream, bool is_last);
/* Makes the job, which has room for one, that of an operation which has begun; and submits it. */
void nccl_job_begin_as(struct nccl_job *job, const struct nccl_operation *operation);
ncclResult_t nccl_job_submit_begun(struct nccl_job *job, cudaStream_t stream);
/* The caller fills in the operations. */
struct nccl_job *nccl_job_create(uint32_t count);
void nccl_job_destroy(struct nccl_job *job);

#endif
