/* SPDX-License-Identifier: MIT */
/* Cooperative launches on several devices: one kernel, one shape, each device once, and how the
 * streams wait for each other. */
#include "hold.h"
#include "kernels.h"

enum { DEVICES = 2, THREADS = 96 };

struct site {
    CUcontext context;
    CUmodule module;
    CUdeviceptr counter;
    void *parameters[2];
};

static struct site sites[DEVICES];
static CUDA_LAUNCH_PARAMS list[DEVICES];

static CUstream stream_on(unsigned device)
{
    check_success(cuCtxSetCurrent(sites[device].context));
    return new_stream(CU_STREAM_NON_BLOCKING);
}

/* A launch on each of two devices that is as it should be. */
static void with_list(void)
{
    int count;

    setenv("CUPIPE_DEVICES", "2", 1);
    check_success(cuInit(0));
    check_success(cuDeviceGetCount(&count));
    if (count < DEVICES)
        skip("needs two devices");
    for (int i = 0; i < DEVICES; i++) {
        struct site *site = &sites[i];
        check_success(cuDevicePrimaryCtxRetain(&site->context, i));
        check_success(cuCtxSetCurrent(site->context));
        site->module = module_from("peer.ptx");
        site->counter = device_zeros(4);
        site->parameters[0] = site->parameters[1] = &site->counter;
        list[i] = (CUDA_LAUNCH_PARAMS){.function = kernel_of(site->module, "count"),
                                       .gridDimX = 2,
                                       .gridDimY = 1,
                                       .gridDimZ = 1,
                                       .blockDimX = THREADS,
                                       .blockDimY = 1,
                                       .blockDimZ = 1,
                                       .hStream = stream_on((unsigned)i),
                                       .kernelParams = site->parameters};
    }
}

static CUresult launch_list(unsigned flags)
{
    return cuLaunchCooperativeKernelMultiDevice(list, DEVICES, flags);
}

static uint32_t counted(unsigned device)
{
    uint32_t word;

    check_success(cuCtxSetCurrent(sites[device].context));
    check_success(cuStreamSynchronize(list[device].hStream));
    check_success(cuMemcpyDtoH(&word, sites[device].counter, 4));
    return word;
}

static void check_counted(uint32_t expected)
{
    for (unsigned i = 0; i < DEVICES; i++)
        check(counted(i) == expected);
}

TEST(each_device_runs_the_kernel)
{
    with_list();
    check_success(launch_list(0));
    check_counted(2 * THREADS);
    check_success(launch_list(CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
                              CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC));
    check_counted(4 * THREADS);
}

/* Nothing is launched if one launch is not like the others. */
TEST(launches_must_be_alike)
{
    with_list();
    CUDA_LAUNCH_PARAMS good = list[1];
    unsigned *const fields[] = {&list[1].gridDimX,      &list[1].gridDimY,  &list[1].gridDimZ,
                                &list[1].blockDimX,     &list[1].blockDimY, &list[1].blockDimZ,
                                &list[1].sharedMemBytes};

    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        *fields[i] += 1;
        check_result(launch_list(0), CUDA_ERROR_INVALID_VALUE);
        list[1] = good;
    }
    list[1].function = kernel_of(sites[1].module, "add_one_place");
    check_result(launch_list(0), CUDA_ERROR_INVALID_VALUE);
    list[1] = good;
    check_counted(0);
    check_success(launch_list(0));
    check_counted(2 * THREADS);
}

TEST(each_device_has_one_launch)
{
    with_list();
    CUstream of_second = list[1].hStream;

    list[1] = list[0];
    check_result(launch_list(0), CUDA_ERROR_INVALID_VALUE);
    list[1].hStream = stream_on(0);
    check_result(launch_list(0), CUDA_ERROR_INVALID_VALUE);
    list[1].hStream = of_second;
    check_counted(0);
}

/* The stream's work must not end, however long it is given. */
static void check_held(CUstream stream)
{
    for (unsigned i = 0; i < 100; i++, nap())
        check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
}

TEST(launches_wait_for_the_earlier_work_of_all_streams)
{
    with_list();
    atomic_uint *word = pinned_words(1);

    hold_until(list[0].hStream, word);
    check_success(launch_list(CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC));
    check_held(list[1].hStream);
    atomic_store(word, 1);
    check_counted(2 * THREADS);
}

TEST(later_work_waits_for_all_launches)
{
    with_list();
    atomic_uint *words = pinned_words(2);

    hold_until(list[0].hStream, words);
    check_success(launch_list(CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC));
    write_word(list[1].hStream, words + 1, 1);
    check_held(list[1].hStream);
    check(atomic_load(words + 1) == 0);
    atomic_store(words, 1);
    check_counted(2 * THREADS);
    check(atomic_load(words + 1) == 1);
}

TEST(without_both_waits_the_streams_are_independent)
{
    with_list();
    atomic_uint *word = pinned_words(1);

    hold_until(list[0].hStream, word);
    check_success(launch_list(CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
                              CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC));
    check(counted(1) == 2 * THREADS);
    atomic_store(word, 1);
    check(counted(0) == 2 * THREADS);
}
