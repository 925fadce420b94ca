/* SPDX-License-Identifier: MIT */
#include "init.h"

#include "bootstrap.h"
#include "driver.h"
#include "group.h"
#include "hosts.h"
#include "waiting.h"

#include <stdlib.h>
#include <string.h>

/* Gives up a creation, or makes its result visible. */
static void settle(struct nccl_init *init, ncclResult_t result)
{
    struct ncclComm *comm = init->comm;
    ncclComm_t *out = init->out;
    bool has_no_comm = init->has_no_comm;

    init->type->finish(init);
    free(init);
    atomic_store(&comm->state, result);
    if (!has_no_comm && (result == ncclSuccess || !comm->is_blocking))
        return;
    *out = NULL;
    lib_object_destroy(comm, &nccl_comm_type);
}

ncclResult_t nccl_init_run_all(struct nccl_init *first)
{
    ncclResult_t result = ncclSuccess;
    bool goes_on = true;

    for (int step = 0; goes_on && result == ncclSuccess; step++) {
        goes_on = false;
        for (struct nccl_init *init = first; init && result == ncclSuccess; init = init->next) {
            if (!init->is_over)
                result = init->type->step(init, step, &init->is_over);
            goes_on |= !init->is_over;
        }
    }
    for (struct nccl_init *next; first; first = next) {
        next = first->next;
        settle(first, result);
    }
    return result;
}

void nccl_init_drop_all(struct nccl_init *first)
{
    for (struct nccl_init *next; first; first = next) {
        next = first->next;
        settle(first, ncclInvalidUsage);
    }
}

static void *run_in_thread(void *argument)
{
    nccl_init_run_all(argument);
    return NULL;
}

ncclResult_t nccl_init_run(struct nccl_init *init)
{
    struct ncclComm *comm = init->comm;

    init->next = NULL;
    *init->out = comm;
    if (nccl_group_add_init(init))
        return ncclSuccess;
    if (comm->is_blocking)
        return nccl_init_run_all(init);
    comm->has_creator = pthread_create(&comm->creator, NULL, run_in_thread, init) == 0;
    if (comm->has_creator)
        return ncclInProgress;
    settle(init, ncclSystemError);
    return ncclSystemError;
}

struct rank_init {
    struct nccl_init base;
    ncclUniqueId id;
    struct nccl_bootstrap *bootstrap;
    struct nccl_team *team; /* NULL: the rank has its reference */
    struct nccl_member member, *members;
    bool has_hosts; /* and their records are still to be exchanged */
    struct nccl_hosts_record *records;
    char *ready; /* a byte of each rank */
};

/* NCCL refuses two ranks on one device, as their kernels could wait for each other for ever. Here
 * they cannot, so NCCL_MULTI_RANK_GPU_ENABLE=1 allows it, for communicators with more ranks than
 * there are devices. */
static ncclResult_t check_devices(const struct rank_init *init)
{
    const char *allowed = secure_getenv("NCCL_MULTI_RANK_GPU_ENABLE");
    const struct ncclComm *comm = init->base.comm;

    for (int rank = 0; rank < comm->rank_count && !(allowed && atoi(allowed)); rank++)
        if (rank != comm->rank_number && init->members[rank].host == init->member.host &&
            init->members[rank].device_id == init->member.device_id)
            return nccl_error(ncclInvalidUsage, "ranks %d and %d are both on CUDA device %d",
                              comm->rank_number, rank, comm->device);
    return ncclSuccess;
}

static uint64_t device_id(int device)
{
    static const CUdevice_attribute parts[] = {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID,
                                               CU_DEVICE_ATTRIBUTE_PCI_BUS_ID,
                                               CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID};
    uint64_t id = 0;

    for (int i = 0; i < 3; i++) {
        int part = 0;

        lib_driver()->device_get_attribute(&part, parts[i], device);
        id = id << 16 | (uint16_t)part;
    }
    return id;
}

static ncclResult_t introduce(struct rank_init *init)
{
    struct ncclComm *comm = init->base.comm;
    struct nccl_key key;
    ncclResult_t result;

    if (!nccl_bootstrap_key(&init->id, &key))
        return nccl_error(ncclInvalidArgument, "the unique id was not made by ncclGetUniqueId");
    init->members = calloc((size_t)comm->rank_count, sizeof(*init->members));
    init->ready = calloc((size_t)comm->rank_count, 1);
    init->team = nccl_team_join(key, comm->rank_count);
    if (!init->members || !init->ready || !init->team)
        return nccl_error(ncclSystemError, "no memory for a communicator");
    nccl_team_choose_network(init->team, comm->network);
    nccl_team_describe(init->team, comm->device, &init->member);
    init->member.device_id = device_id(comm->device);
    if (init->member.bell_fd < 0)
        return nccl_error(ncclSystemError, "no thread or descriptor for a communicator");
    result = nccl_bootstrap_join(&init->id, comm->rank_count, comm->rank_number, &comm->patience,
                                 &init->bootstrap);
    if (result == ncclSuccess)
        result = nccl_bootstrap_give(init->bootstrap, &init->member, sizeof(init->member));
    return result;
}

/* A rank that has failed says so, and all fail. */
static ncclResult_t give_ready(struct rank_init *init, ncclResult_t result)
{
    char is_ready = result == ncclSuccess;
    ncclResult_t given = nccl_bootstrap_give(init->bootstrap, &is_ready, 1);

    return result == ncclSuccess ? given : result;
}

static bool has_other_hosts(const struct rank_init *init)
{
    for (int rank = 0; rank < init->base.comm->rank_count; rank++)
        if (init->members[rank].host != init->member.host)
            return true;
    return false;
}

/* Gives what ranks on other hosts need; a record without an address says that the rank has failed.
 */
static ncclResult_t give_record(struct rank_init *init, ncclResult_t result)
{
    struct nccl_hosts_record none = {0};
    const struct nccl_hosts_record *record = result == ncclSuccess ? init->team->record : &none;
    ncclResult_t given = nccl_bootstrap_give(init->bootstrap, record, sizeof(*record));

    init->records = calloc((size_t)init->base.comm->rank_count, sizeof(*init->records));
    if (result == ncclSuccess && !init->records)
        result = ncclSystemError;
    return result == ncclSuccess ? given : result;
}

static ncclResult_t create_rank(struct rank_init *init, ncclResult_t result)
{
    struct ncclComm *comm = init->base.comm;

    if (result == ncclSuccess) {
        nccl_waiting_start();
        comm->rank = nccl_rank_create(init->team, comm->rank_number, comm->device);
        if (comm->rank)
            init->team = NULL;
        else
            result = ncclSystemError;
    }
    return give_ready(init, result);
}

static ncclResult_t attach(struct rank_init *init)
{
    ncclResult_t result = nccl_bootstrap_get(init->bootstrap, init->members);

    if (result == ncclSuccess) {
        init->has_hosts = has_other_hosts(init);
        result = check_devices(init);
    }
    if (result == ncclSuccess)
        result = nccl_team_attach(init->team, init->members);
    return init->has_hosts ? give_record(init, result) : create_rank(init, result);
}

static ncclResult_t connect_hosts(struct rank_init *init)
{
    ncclResult_t result = nccl_bootstrap_get(init->bootstrap, init->records);

    init->has_hosts = false;
    if (result == ncclSuccess)
        result = nccl_team_connect(init->team, init->records);
    return create_rank(init, result);
}

static ncclResult_t await_ready(struct rank_init *init)
{
    ncclResult_t result = nccl_bootstrap_get(init->bootstrap, init->ready);

    for (int rank = 0; rank < init->base.comm->rank_count && result == ncclSuccess; rank++)
        if (!init->ready[rank])
            result = nccl_error(ncclRemoteError, "rank %d cannot take part", rank);
    if (result == ncclSuccess)
        nccl_comm_show(init->base.comm);
    return result;
}

static ncclResult_t rank_step(struct nccl_init *base, int step, bool *is_over)
{
    struct rank_init *init = (struct rank_init *)base;

    if (step == 0)
        return introduce(init);
    if (step == 1)
        return attach(init);
    if (init->has_hosts)
        return connect_hosts(init);
    *is_over = true;
    return await_ready(init);
}

static void rank_finish(struct nccl_init *base)
{
    struct rank_init *init = (struct rank_init *)base;

    if (init->bootstrap)
        nccl_bootstrap_leave(init->bootstrap);
    if (init->team)
        nccl_team_unref(init->team);
    free(init->members);
    free(init->records);
    free(init->ready);
}

ncclResult_t nccl_init_rank(ncclComm_t *comm, int rank_count, const ncclUniqueId *id, int rank,
                            int device, const ncclConfig_t *config)
{
    static const struct nccl_init_type type = {rank_step, rank_finish};
    struct rank_init *init = calloc(1, sizeof(*init));
    ncclResult_t result;

    if (!init)
        return ncclSystemError;
    result = nccl_comm_create(rank_count, rank, config, &init->base.comm);
    if (result != ncclSuccess) {
        free(init);
        return result;
    }
    if (device >= 0)
        init->base.comm->device = device;
    init->base.type = &type;
    init->base.out = comm;
    init->id = *id;
    return nccl_init_run(&init->base);
}
