/* SPDX-License-Identifier: MIT */
/* At the end of a group its communicators are created first, then its operations are submitted: all
 * those of a stream as one job, so that none of them waits for another. */
#include "group.h"

#include "direct.h"
#include "driver.h"
#include "simulate.h"

#include <stdlib.h>

enum { SIM_INFO_MAGIC = 0x74685283 };

struct entry {
    struct entry *next;
    struct nccl_rank *rank; /* with a reference */
    struct nccl_request request;
    const void *scalar_at;
    CUcontext context;
    cudaStream_t stream;
};

struct group {
    int depth;
    ncclResult_t error; /* of a call in the group */
    struct entry *first, **end;
    struct nccl_init *inits, **inits_end;
};

static _Thread_local struct group group;

ncclResult_t nccl_group_note(ncclResult_t result)
{
    if (group.depth > 0 && result != ncclSuccess && result != ncclInProgress &&
        group.error == ncclSuccess)
        group.error = result;
    return result;
}

bool nccl_group_add_init(struct nccl_init *init)
{
    if (group.depth == 0)
        return false;
    if (!group.inits)
        group.inits_end = &group.inits;
    *group.inits_end = init;
    group.inits_end = &init->next;
    return true;
}

/* A communicator of one rank only copies. */
static bool is_copy(const struct entry *entry)
{
    return entry->rank->team->rank_count == 1 && entry->request.kind < NCCL_SEND &&
           !entry->scalar_at && !entry->request.is_scaled;
}

static ncclResult_t copy(const struct entry *entry)
{
    const struct nccl_request *request = &entry->request;
    size_t bytes = nccl_request_send_bytes(request, 0, 1);

    if (request->send == request->recv)
        return ncclSuccess;
    if (lib_driver()->memory_copy_async(request->recv, request->send, bytes,
                                        (CUstream)entry->stream) != CUDA_SUCCESS)
        return nccl_error(ncclUnhandledCudaError, "the copy of a communicator of one rank failed");
    return ncclSuccess;
}

static bool goes_with(const struct entry *a, const struct entry *b)
{
    return a->stream == b->stream && a->context == b->context;
}

/* Takes the entries that go with the first one off the list; returns how many there are. */
static uint32_t take_matching(struct entry **list, struct entry **taken)
{
    struct entry *model = *list, **end = taken, **place = list;
    uint32_t count = 0;

    while (*place) {
        struct entry *entry = *place;

        if (!goes_with(model, entry)) {
            place = &entry->next;
            continue;
        }
        *place = entry->next;
        *end = entry;
        end = &entry->next;
        count++;
    }
    *end = NULL;
    return count;
}

/* Submits entries of one stream, perhaps the last ones of the call. */
static ncclResult_t submit(const struct entry *list, uint32_t count, bool is_last)
{
    struct nccl_job *job = nccl_job_create(count);
    cudaStream_t stream = list->stream;
    ncclResult_t result = job ? ncclSuccess : ncclSystemError;

    if (job)
        job->count = 0;
    for (; list && result == ncclSuccess; list = list->next) {
        if (is_copy(list)) {
            result = copy(list);
        } else {
            job->operations[job->count++] = (struct nccl_operation){.request = list->request,
                                                                    .rank = list->rank,
                                                                    .scalar_at = list->scalar_at,
                                                                    .job = job};
            nccl_rank_ref(list->rank);
        }
    }
    if (result == ncclSuccess && job->count)
        return nccl_job_submit(job, stream, is_last);
    if (job)
        nccl_job_destroy(job);
    return result;
}

static void free_entries(struct entry *list)
{
    for (struct entry *next; list; list = next) {
        next = list->next;
        nccl_rank_unref(list->rank);
        free(list);
    }
}

/* Submits entries in the context of their communicator. */
static ncclResult_t submit_in_context(const struct entry *list, uint32_t count, bool is_last)
{
    const struct lib_driver *driver = lib_driver();
    ncclResult_t result;
    CUcontext before;

    if (count == 1 && is_last && !list->scalar_at &&
        nccl_direct_try(list->rank, &list->request, list->stream, &result))
        return result;
    driver->context_get_current(&before);
    if (list->context == before)
        return submit(list, count, is_last);
    driver->context_set_current(list->context);
    result = submit(list, count, is_last);
    driver->context_set_current(before);
    return result;
}

/* Submits entries, and frees them. */
static ncclResult_t submit_all(struct entry *list)
{
    ncclResult_t result = ncclSuccess;

    while (list) {
        struct entry *taken;
        uint32_t count = take_matching(&list, &taken);
        ncclResult_t submitted = submit_in_context(taken, count, !list);

        if (result == ncclSuccess)
            result = submitted;
        free_entries(taken);
    }
    return result;
}

ncclResult_t nccl_group_add(struct ncclComm *comm, const struct nccl_request *request,
                            const void *scalar_at, cudaStream_t stream)
{
    const struct entry added = {.rank = comm->rank,
                                .request = *request,
                                .scalar_at = scalar_at,
                                .context = comm->context,
                                .stream = stream};
    struct entry *entry;
    ncclResult_t result;

    nccl_rank_ref(added.rank);
    if (group.depth == 0) {
        result = submit_in_context(&added, 1, true);
        nccl_rank_unref(added.rank);
        return result;
    }
    entry = malloc(sizeof(*entry));
    if (!entry) {
        nccl_rank_unref(added.rank);
        return nccl_error(ncclSystemError, "no memory for an operation");
    }
    *entry = added;
    if (!group.first)
        group.end = &group.first;
    *group.end = entry;
    group.end = &entry->next;
    return ncclSuccess;
}

ncclResult_t ncclGroupStart(void)
{
    group.depth++;
    return ncclSuccess;
}

/* Creates the communicators of the group. If one does not block, all are left to a thread each. */
static ncclResult_t run_inits(struct nccl_init *list)
{
    ncclResult_t result = ncclSuccess;
    bool blocks = true;

    for (struct nccl_init *init = list; init; init = init->next)
        blocks &= init->comm->is_blocking;
    if (blocks)
        return nccl_init_run_all(list);
    for (struct nccl_init *next; list; list = next) {
        next = list->next;
        ncclResult_t begun = nccl_init_run(list);
        if (result == ncclSuccess || result == ncclInProgress)
            result = begun == ncclSuccess ? result : begun;
    }
    return result;
}

static void drop(struct group *closed)
{
    free_entries(closed->first);
    nccl_init_drop_all(closed->inits);
}

ncclResult_t ncclGroupEnd(void)
{
    struct group closed;
    ncclResult_t result;

    if (group.depth == 0)
        return nccl_error(ncclInvalidUsage, "ncclGroupEnd: not in a group");
    if (--group.depth > 0)
        return ncclSuccess;
    closed = group;
    group = (struct group){0};
    if (closed.error != ncclSuccess) {
        drop(&closed);
        return closed.error;
    }
    result = run_inits(closed.inits);
    closed.inits = NULL;
    if (result == ncclSuccess || result == ncclInProgress) {
        ncclResult_t submitted = submit_all(closed.first);

        return submitted == ncclSuccess ? result : submitted;
    }
    drop(&closed);
    return result;
}

/* The operations of a group, one after the other. */
static double simulate(const struct entry *list)
{
    double microseconds = 0;

    for (; list; list = list->next)
        microseconds += nccl_simulate(&list->request, list->rank->rank,
                                      list->rank->team->rank_count, list->rank->team->hosts);
    return microseconds;
}

/* The group ends without its operations. */
ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t *info)
{
    struct group closed = group;
    ncclResult_t result;

    if (group.depth == 0)
        return nccl_error(ncclInvalidUsage, "ncclGroupSimulateEnd: not in a group");
    if (--group.depth > 0)
        return ncclSuccess;
    group = (struct group){0};
    result = closed.error;
    if (result == ncclSuccess && (!info || info->magic != SIM_INFO_MAGIC))
        result = nccl_error(ncclInvalidArgument, "ncclGroupSimulateEnd: simInfo was not "
                                                 "initialized");
    if (result == ncclSuccess && closed.inits)
        result =
            nccl_error(ncclInvalidUsage, "ncclGroupSimulateEnd: the group makes a communicator");
    if (result == ncclSuccess)
        info->estimatedTime = (float)simulate(closed.first);
    drop(&closed);
    return result;
}
