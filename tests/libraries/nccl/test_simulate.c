/* SPDX-License-Identifier: MIT */
/* ncclGroupSimulateEnd(): a group that ends without its operations, and how long they would take.
 */
#include "nccl_test.h"

enum { COUNT = 1 << 20, RANKS = 2 };

struct state {
    ncclComm_t comms[RANKS];
    CUdeviceptr memory[RANKS];
};

static struct state *set_up(void)
{
    static struct state state;

    prepare_devices();
    need_devices(RANKS);
    for (int rank = RANKS - 1; rank >= 0; rank--) {
        enter_device(rank);
        check_success(cuMemAlloc(&state.memory[rank], COUNT * sizeof(float)));
        check_success(cuMemsetD32(state.memory[rank], 7, COUNT));
    }
    check_done(ncclCommInitAll(state.comms, RANKS, NULL));
    return &state;
}

static void reduce_all(struct state *state, size_t count)
{
    for (int rank = 0; rank < RANKS; rank++)
        check_done(ncclAllReduce((void *)state->memory[rank], (void *)state->memory[rank], count,
                                 ncclInt, ncclSum, state->comms[rank], NULL));
}

static float time_of(struct state *state, size_t count)
{
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;

    check_done(ncclGroupStart());
    reduce_all(state, count);
    check_done(ncclGroupSimulateEnd(&info));
    return info.estimatedTime;
}

TEST(an_estimate_grows_with_the_bytes)
{
    struct state *state = set_up();
    float little = time_of(state, 1), much = time_of(state, COUNT);

    check(little > 0);
    check(much > little);
}

TEST(nothing_runs)
{
    struct state *state = set_up();
    unsigned value = 0;

    time_of(state, COUNT);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(&value, state->memory[0], sizeof(value)));
    check(value == 7);
    check_done(ncclGroupStart());
    reduce_all(state, COUNT);
    check_done(ncclGroupEnd());
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(&value, state->memory[0], sizeof(value)));
    check(value == 14);
}

TEST(an_inner_end_estimates_nothing)
{
    struct state *state = set_up();
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;

    check_done(ncclGroupStart());
    check_done(ncclGroupStart());
    reduce_all(state, 1);
    check_done(ncclGroupSimulateEnd(&info));
    check(info.estimatedTime == NCCL_UNDEF_FLOAT);
    check_done(ncclGroupSimulateEnd(&info));
    check(info.estimatedTime > 0);
}

TEST(wrong_uses_are_refused)
{
    struct state *state = set_up();
    ncclSimInfo_t info = {0};

    only_cupipe();
    check_nccl(ncclGroupSimulateEnd(&info), ncclInvalidUsage);
    check_done(ncclGroupStart());
    reduce_all(state, 1);
    check_nccl(ncclGroupSimulateEnd(&info), ncclInvalidArgument);
    check_done(ncclGroupStart());
    reduce_all(state, 1);
    check_nccl(ncclGroupSimulateEnd(NULL), ncclInvalidArgument);
    check(time_of(state, 1) > 0);
}
