/* SPDX-License-Identifier: MIT */
/* What programs of the host call of NCCL's interface for kernels. NCCL declares it in headers for
 * C++; here stands what its inline functions for kernels tell of it. */
#include "nccl_test.h"

#include <stddef.h>

typedef struct ncclTeam {
    int nRanks, rank, stride;
} ncclTeam_t;

struct requirements {
    struct requirements *next;
    size_t bufferSize, bufferAlign;
    uint32_t *outBufferHandle;
    int ginSignalCount, ginCounterCount;
    uint32_t *outGinSignalStart, *outGinCounterStart;
};

struct handle {
    uint32_t first;
    uint32_t second;
};

ncclResult_t ncclLsaBarrierCreateRequirement(ncclTeam_t team, int count, struct handle *handle,
                                             struct requirements *requirements);
ncclResult_t ncclGinBarrierCreateRequirement(ncclComm_t comm, ncclTeam_t team, int count,
                                             struct handle *handle,
                                             struct requirements *requirements);
ncclResult_t ncclLLA2ACreateRequirement(int block_count, int slot_count, struct handle *handle,
                                        struct requirements *requirements);
int ncclLLA2ACalcSlots(int most_elements, int most_bytes);
ncclResult_t ncclDevCommCreate(ncclComm_t comm, const void *requirements, void *device_comm);
ncclResult_t ncclDevCommDestroy(ncclComm_t comm, const void *device_comm);
void ncclResetDebugInitInternal(void);

/* Kernels look at two rows of numbers of all barriers, a third one for multicast, and a row for
 * each rank. */
TEST(barriers_of_ranks_with_common_memory_say_what_they_need)
{
    struct requirements needed;
    struct handle barrier = {77, 77};

    memset(&needed, 0xff, sizeof(needed));
    check_done(ncclLsaBarrierCreateRequirement((ncclTeam_t){4, 1, 1}, 16, &barrier, &needed));
    check(needed.bufferSize == 16 * (3 + 4) * sizeof(uint32_t));
    check(needed.bufferAlign == sizeof(uint32_t));
    check(needed.outBufferHandle == &barrier.first);
    check(barrier.second == 16);
    check(!needed.next && !needed.ginSignalCount && !needed.ginCounterCount);
    check(!needed.outGinSignalStart && !needed.outGinCounterStart);
}

/* Kernels look at slots of 16 bytes: one with the number of rounds, and those of two rounds. */
TEST(exchanges_of_small_messages_say_what_they_need)
{
    struct requirements needed;
    struct handle exchange = {77, 77};
    int slots = ncclLLA2ACalcSlots(3, 12);

    memset(&needed, 0xff, sizeof(needed));
    check(slots == 6);
    check_done(ncclLLA2ACreateRequirement(5, slots, &exchange, &needed));
    check(needed.bufferSize == (size_t)5 * (1 + 2 * 6) * 16);
    check(needed.bufferAlign == 16);
    check(needed.outBufferHandle == &exchange.first);
    check(exchange.second == 6);
    check(!needed.next && !needed.ginSignalCount && !needed.outGinSignalStart);
}

static void asks(struct rank *self)
{
    struct requirements needed;
    struct handle barrier;
    char device_comm[512], untouched[512];

    memset(&needed, 0xff, sizeof(needed));
    check_done(ncclGinBarrierCreateRequirement(self->comm, (ncclTeam_t){self->count, self->rank, 1},
                                               3, &barrier, &needed));
    check(needed.bufferSize == (size_t)3 * 4 * sizeof(uint32_t));
    check(needed.outBufferHandle == &barrier.second);
    check(needed.ginSignalCount == 3 && needed.outGinSignalStart == &barrier.first);
    check(!needed.next && !needed.ginCounterCount && !needed.outGinCounterStart);

    memset(device_comm, 0x5a, sizeof(device_comm));
    memset(untouched, 0x5a, sizeof(untouched));
    check_nccl(ncclDevCommCreate(self->comm, &needed, device_comm), ncclInvalidUsage);
    check(memcmp(device_comm, untouched, sizeof(untouched)) == 0);
    check(strstr(ncclGetLastError(self->comm), "symmetric"));
    check_nccl(ncclDevCommDestroy(self->comm, device_comm), ncclInvalidUsage);
}

TEST(there_are_no_communicators_for_kernels)
{
    enter_device(0);
    only_cupipe();
    run_threads(2, asks, NULL);
}

TEST(requirements_without_a_place_are_refused)
{
    struct requirements needed;
    struct handle handle;

    enter_device(0);
    only_cupipe();
    check_nccl(ncclLsaBarrierCreateRequirement((ncclTeam_t){2, 0, 1}, 1, NULL, &needed),
               ncclInvalidArgument);
    check_nccl(ncclLsaBarrierCreateRequirement((ncclTeam_t){2, 0, 1}, -1, &handle, &needed),
               ncclInvalidArgument);
    check_nccl(ncclLLA2ACreateRequirement(1, 1, &handle, NULL), ncclInvalidArgument);
    check_nccl(ncclGinBarrierCreateRequirement(NULL, (ncclTeam_t){2, 0, 1}, 1, &handle, &needed),
               ncclInvalidArgument);
    check_nccl(ncclDevCommCreate(NULL, &needed, &handle), ncclInvalidArgument);
}

/* NCCL_DEBUG is read anew. */
TEST(debug_can_be_reset)
{
    ncclResetDebugInitInternal();
    setenv("NCCL_DEBUG", "WARN", 1);
    check_nccl(ncclLLA2ACreateRequirement(1, 1, NULL, NULL), ncclInvalidArgument);
}
