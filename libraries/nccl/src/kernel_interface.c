/* SPDX-License-Identifier: MIT */
/* NCCL's interface for kernels, as far as programs of the host call it: what barriers and exchanges
 * inside kernels need of a device communicator. There are no device communicators: their kernels
 * would have to find the memory of the other ranks at fixed distances, so they are refused as NCCL
 * refuses them where ranks have no symmetric memory. NCCL declares all of this with what is for
 * kernels, which has no counterpart here; the sizes follow from what its inline functions read. */
#include "comm.h"

#include <stddef.h>

enum { GIN_CONTEXTS = 4, EXCHANGE_SLOT_BYTES = 16 };

/* ncclTeam_t, as teams_of_ranks.c has it. */
struct team_of_ranks {
    int nRanks, rank, stride;
};

struct requirements {
    struct requirements *next;
    size_t buffer_bytes, buffer_alignment;
    uint32_t *buffer; /* where the creation of a communicator writes the place of the buffer */
    int gin_signal_count, gin_counter_count;
    uint32_t *first_gin_signal, *first_gin_counter;
};

struct lsa_barrier {
    uint32_t buffer;
    int barrier_count;
};

struct gin_barrier {
    uint32_t first_signal, buffer;
};

struct exchange {
    uint32_t buffer, slot_count;
};

ncclResult_t ncclLsaBarrierCreateRequirement(struct team_of_ranks team, int count,
                                             struct lsa_barrier *barrier,
                                             struct requirements *requirements);
ncclResult_t ncclGinBarrierCreateRequirement(ncclComm_t comm, struct team_of_ranks team, int count,
                                             struct gin_barrier *barrier,
                                             struct requirements *requirements);
ncclResult_t ncclLLA2ACreateRequirement(int block_count, int slot_count, struct exchange *exchange,
                                        struct requirements *requirements);
ncclResult_t ncclDevCommCreate(ncclComm_t comm, const void *requirements, void *device_comm);
ncclResult_t ncclDevCommDestroy(ncclComm_t comm, const void *device_comm);

static ncclResult_t check(const char *function, bool is_complete, int count)
{
    if (!is_complete)
        return nccl_error(ncclInvalidArgument, "%s: a pointer is NULL", function);
    if (count < 0)
        return nccl_error(ncclInvalidArgument, "%s: the number is %d", function, count);
    return ncclSuccess;
}

/* Two numbers of rounds for each barrier, for both ways to wait; what arrives by multicast; what
 * arrives from each rank. */
ncclResult_t ncclLsaBarrierCreateRequirement(struct team_of_ranks team, int count,
                                             struct lsa_barrier *barrier,
                                             struct requirements *requirements)
{
    ncclResult_t result = check("ncclLsaBarrierCreateRequirement", barrier && requirements, count);

    if (result != ncclSuccess)
        return result;
    barrier->barrier_count = count;
    *requirements = (struct requirements){
        .buffer_bytes = (size_t)count * (3 + (size_t)team.nRanks) * sizeof(uint32_t),
        .buffer_alignment = sizeof(uint32_t),
        .buffer = &barrier->buffer,
    };
    return ncclSuccess;
}

/* A signal for each barrier, and its number of rounds in each context. */
ncclResult_t ncclGinBarrierCreateRequirement(ncclComm_t comm, struct team_of_ranks team, int count,
                                             struct gin_barrier *barrier,
                                             struct requirements *requirements)
{
    ncclResult_t result = nccl_comm_check(comm);

    (void)team;
    if (result == ncclSuccess)
        result = check("ncclGinBarrierCreateRequirement", barrier && requirements, count);
    if (result != ncclSuccess)
        return result;
    *requirements = (struct requirements){
        .buffer_bytes = (size_t)count * GIN_CONTEXTS * sizeof(uint32_t),
        .buffer_alignment = sizeof(uint32_t),
        .buffer = &barrier->buffer,
        .gin_signal_count = count,
        .first_gin_signal = &barrier->first_signal,
    };
    return ncclSuccess;
}

/* For each block a slot with the number of rounds, and the slots of two rounds. */
ncclResult_t ncclLLA2ACreateRequirement(int block_count, int slot_count, struct exchange *exchange,
                                        struct requirements *requirements)
{
    ncclResult_t result = check("ncclLLA2ACreateRequirement", exchange && requirements,
                                block_count < slot_count ? block_count : slot_count);

    if (result != ncclSuccess)
        return result;
    exchange->slot_count = (uint32_t)slot_count;
    *requirements = (struct requirements){
        .buffer_bytes = (size_t)block_count * (1 + 2 * (size_t)slot_count) * EXCHANGE_SLOT_BYTES,
        .buffer_alignment = EXCHANGE_SLOT_BYTES,
        .buffer = &exchange->buffer,
    };
    return ncclSuccess;
}

static ncclResult_t refuse(ncclComm_t comm, const char *function)
{
    ncclResult_t result = nccl_comm_check(comm);

    if (result != ncclSuccess)
        return result;
    return nccl_error(ncclInvalidUsage,
                      "%s: this NCCL has no interface for kernels: ranks have no symmetric memory",
                      function);
}

ncclResult_t ncclDevCommCreate(ncclComm_t comm, const void *requirements, void *device_comm)
{
    (void)requirements;
    (void)device_comm;
    return refuse(comm, "ncclDevCommCreate");
}

ncclResult_t ncclDevCommDestroy(ncclComm_t comm, const void *device_comm)
{
    (void)device_comm;
    return refuse(comm, "ncclDevCommDestroy");
}

#define SECOND_NAME(name) __attribute__((alias(#name))) extern __typeof__(name) p##name
SECOND_NAME(ncclLsaBarrierCreateRequirement);
SECOND_NAME(ncclGinBarrierCreateRequirement);
SECOND_NAME(ncclLLA2ACreateRequirement);
SECOND_NAME(ncclDevCommCreate);
SECOND_NAME(ncclDevCommDestroy);
