/* SPDX-License-Identifier: MIT */
/* Jobs: pending work of the driver (cupipe.h) that posts operations. The job of a captured stream
 * is a template; each launch of the graph posts a copy of it, because a graph may run twice at
 * once. */
#include "comm.h"
#include "driver.h"
#include "eager.h"
#include "fault.h"
#include "operation.h"
#include "shared_copy.h"
#include "team.h"
#include "waiting.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [NCCL_ALL_REDUCE] = "ncclAllReduce",
    [NCCL_BROADCAST] = "ncclBroadcast",
    [NCCL_REDUCE] = "ncclReduce",
    [NCCL_ALL_GATHER] = "ncclAllGather",
    [NCCL_REDUCE_SCATTER] = "ncclReduceScatter",
    [NCCL_ALL_TO_ALL] = "ncclAlltoAll",
    [NCCL_GATHER] = "ncclGather",
    [NCCL_SCATTER] = "ncclScatter",
    [NCCL_SEND] = "ncclSend",
    [NCCL_RECV] = "ncclRecv",
};

const char *nccl_kind_name(uint32_t kind)
{
    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "an unknown operation";
}

struct nccl_job *nccl_job_create(uint32_t count)
{
    struct nccl_job *job = malloc(sizeof(*job) + count * sizeof(job->operations[0]));

    if (job)
        *job = (struct nccl_job){.count = count};
    return job;
}

void nccl_job_destroy(struct nccl_job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        nccl_shared_copies_free(&job->operations[i]);
        if (job->is_template && !job->is_copy)
            atomic_fetch_sub(&job->operations[i].rank->templates, 1);
        nccl_rank_unref(job->operations[i].rank);
    }
    free(job);
}

static void count_unfinished(struct nccl_job *job, bool begins)
{
    for (uint32_t i = 0; i < job->count; i++) {
        struct nccl_rank *rank = job->operations[i].rank;

        pthread_mutex_lock(&rank->team->lock);
        rank->unfinished += begins ? 1 : (uint64_t)-1;
        if (!job->is_template)
            job->operations[i].ticket = begins ? ++rank->tickets : (rank->tickets--, 0);
        if (!begins)
            pthread_cond_broadcast(&rank->team->changed);
        pthread_mutex_unlock(&rank->team->lock);
    }
}

void nccl_job_count_down(struct nccl_job *job, CUresult status)
{
    CUresult none = CUDA_SUCCESS;
    bool is_copy = job->is_copy;

    if (status != CUDA_SUCCESS)
        atomic_compare_exchange_strong(&job->status, &none, status);
    if (atomic_fetch_sub(&job->unfinished, 1) != 1)
        return;
    /* The driver releases a job that is no copy. */
    if (job->pending)
        lib_driver()->cupipe->finish_work(job->pending, atomic_load(&job->status));
    if (is_copy)
        nccl_job_destroy(job);
}

/* The factor of an operation may have been computed by the stream. */
static bool read_scalar(struct nccl_operation *operation, struct nccl_fault *fault)
{
    struct nccl_request *request = &operation->request;

    return !operation->scalar_at ||
           nccl_fault_copy(&request->scalar, operation->scalar_at,
                           nccl_type_bytes((ncclDataType_t)request->type), fault);
}

/* Makes the buffers known to other processes. Memory may move to another file between launches of a
 * graph, so this is done each time. */
static void share_buffers(struct nccl_operation *operation)
{
    struct nccl_team *team = operation->rank->team;

    if (team->process_count > 1 && !nccl_eager_applies(team, &operation->request))
        nccl_shared_copies_make(operation);
}

/* Takes in what the operation reads before it is posted. */
static void prepare(struct nccl_operation *operation)
{
    struct nccl_fault fault;

    share_buffers(operation);
    if (!nccl_shared_copies_fill(operation, &fault) || !read_scalar(operation, &fault))
        nccl_fault_end(&fault, operation);
}

static void fail_on_purpose(struct nccl_operation *operation)
{
    CUresult result =
        lib_driver()->cupipe->fail_operation(names[operation->request.kind], operation->rank->rank);

    if (result != CUDA_SUCCESS)
        nccl_rank_fail(operation->rank, ncclUnhandledCudaError,
                       "CUPIPE_FAIL lets an operation of a rank fail");
}

static struct nccl_job *copy_of(const struct nccl_job *template)
{
    struct nccl_job *job = nccl_job_create(template->count);

    if (!job)
        return NULL;
    job->is_copy = job->is_template = true;
    for (uint32_t i = 0; i < job->count; i++) {
        job->operations[i] = template->operations[i];
        job->operations[i].job = job;
        nccl_rank_ref(job->operations[i].rank);
    }
    count_unfinished(job, true);
    return job;
}

static void post_all(struct nccl_job *job)
{
    job->has_begun = true;
    atomic_store(&job->unfinished, job->count + 1);
    for (uint32_t i = 0; i < job->count; i++) {
        fail_on_purpose(&job->operations[i]);
        prepare(&job->operations[i]);
        nccl_operation_post(&job->operations[i]);
    }
}

static void begin(void *data, struct cupipe_pending *pending)
{
    struct nccl_job *job = data;

    if (job->is_template && !(job = copy_of(job))) {
        lib_driver()->cupipe->finish_work(pending, CUDA_ERROR_OUT_OF_MEMORY);
        return;
    }
    job->pending = pending;
    if (!job->has_begun)
        post_all(job);
    nccl_job_count_down(job, CUDA_SUCCESS);
}

static int has_ended(const void *job)
{
    return atomic_load(&((const struct nccl_job *)job)->unfinished) == 1;
}

/* Small operations often end before a thread could be woken. */
static CUresult attempt(void *data)
{
    struct nccl_job *job = data;

    post_all(job);
    nccl_waiting_look(job->operations[0].rank->team, has_ended, job);
    return has_ended(job) ? atomic_load(&job->status) : CUDA_ERROR_NOT_READY;
}

/* A job that never began keeps the other ranks waiting, so they are told. */
static void refused(void *data)
{
    struct nccl_job *job = data;

    for (uint32_t i = 0; i < job->count; i++)
        nccl_rank_fail(job->operations[i].rank, ncclUnhandledCudaError,
                       "a CUDA error kept an operation of a rank from running");
}

static void release(void *data)
{
    struct nccl_job *job = data;

    if (!job->has_begun && !job->is_template) {
        count_unfinished(job, false);
        refused(job);
    }
    nccl_job_destroy(job);
}

static size_t list_operands(const struct nccl_job *job, struct cupipe_range *ranges)
{
    size_t count = 0;

    for (uint32_t i = 0; i < job->count; i++) {
        const struct nccl_operation *operation = &job->operations[i];
        const struct nccl_request *request = &operation->request;

        ranges[count++] = lib_read((const void *)request->send, operation->send_bytes);
        ranges[count++] = lib_written((const void *)request->recv, operation->recv_bytes);
        if (operation->scalar_at)
            ranges[count++] =
                lib_read(operation->scalar_at, nccl_type_bytes((ncclDataType_t)request->type));
    }
    return count;
}

static const char *name_of(const struct nccl_job *job)
{
    for (uint32_t i = 1; i < job->count; i++)
        if (job->operations[i].request.kind != job->operations[0].request.kind)
            return "NCCL group";
    return names[job->operations[0].request.kind];
}

static void complete(struct nccl_job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        job->operations[i].job = job;
        nccl_operation_measure(&job->operations[i]);
    }
}

/* The rank that comes last does the work of all in its process. */
static bool is_brief(const struct nccl_job *job)
{
    enum { BRIEF_BYTES = 1 << 18 };
    size_t bytes = 0;

    for (uint32_t i = 0; i < job->count && bytes <= BRIEF_BYTES; i++) {
        const struct nccl_operation *operation = &job->operations[i];
        size_t ranks = (size_t)operation->rank->team->rank_count;

        bytes += (operation->send_bytes + operation->recv_bytes) * ranks;
    }
    return bytes <= BRIEF_BYTES;
}

/* A job that the stream has not taken. Operations that have begun end with their communicator. */
static void give_up(struct nccl_job *job)
{
    if (!job->has_begun) {
        if (!job->is_template)
            count_unfinished(job, false);
        nccl_job_destroy(job);
        return;
    }
    job->is_copy = true;
    for (uint32_t i = 0; i < job->count; i++)
        nccl_rank_fail(job->operations[i].rank, ncclUnhandledCudaError,
                       "there is no memory for an operation that has begun");
    nccl_job_count_down(job, CUDA_SUCCESS);
}

/* Gives a job to the stream, which owns it if that takes it. */
static CUresult launch(struct nccl_job *job, cudaStream_t stream, struct cupipe_range *ranges,
                       bool may_end_here)
{
    struct cupipe_pending_work work = {
        .work = {.name = name_of(job),
                 .release = release,
                 .data = job,
                 .ranges = ranges,
                 .range_count = list_operands(job, ranges),
                 .checks_access = 1},
        .begin = begin,
        .refused = refused,
        .meeting = (uintptr_t)job->operations[0].rank->team,
        .is_brief = is_brief(job),
    };

    work.attempt = work.is_brief && may_end_here ? attempt : NULL;
    return lib_driver()->cupipe->launch_pending_work((CUstream)stream, &work);
}

ncclResult_t nccl_job_submit_begun(struct nccl_job *job, cudaStream_t stream)
{
    struct cupipe_range ranges[3];

    if (launch(job, stream, ranges, false) == CUDA_SUCCESS)
        return ncclSuccess;
    give_up(job);
    return nccl_error(ncclUnhandledCudaError, "the stream does not take an operation");
}

void nccl_job_begin_as(struct nccl_job *job, const struct nccl_operation *operation)
{
    job->has_begun = true;
    atomic_store(&job->unfinished, job->count + 1);
    job->operations[0] = *operation;
    job->operations[0].job = job;
}

ncclResult_t nccl_job_submit(struct nccl_job *job, cudaStream_t stream, bool is_last)
{
    const struct lib_driver *driver = lib_driver();
    struct cupipe_range few[3],
        *ranges = job->count == 1 ? few : malloc(3 * job->count * sizeof(*ranges));
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult submitted = CUDA_ERROR_OUT_OF_MEMORY;

    if (!ranges) {
        nccl_job_destroy(job);
        return nccl_error(ncclSystemError, "no memory for an operation");
    }
    complete(job);
    submitted = driver->stream_is_capturing((CUstream)stream, &status);
    job->is_template = status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    for (uint32_t i = 0; i < job->count && job->is_template; i++)
        atomic_fetch_add(&job->operations[i].rank->templates, 1);
    if (submitted == CUDA_SUCCESS) {
        if (!job->is_template)
            count_unfinished(job, true);
        submitted = launch(job, stream, ranges, is_last && !job->is_template);
        if (submitted != CUDA_SUCCESS)
            give_up(job);
    } else {
        nccl_job_destroy(job);
    }
    if (ranges != few)
        free(ranges);
    if (submitted == CUDA_SUCCESS)
        return ncclSuccess;
    return nccl_error(ncclUnhandledCudaError, "the stream does not take an operation");
}
