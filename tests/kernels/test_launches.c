/* SPDX-License-Identifier: MIT */
/* Kernels that launch kernels. NVIDIA's driver needs libcudadevrt to load them. */
#include "kernels.h"

enum { WORDS = 4, DEPTH_MAX = 24, INVALID_CONFIGURATION = 9, MAX_DEPTH_EXCEEDED = 65 };

static CUdeviceptr words;

static CUfunction kernel(const char *name)
{
    with_context();
    only_cupipe();
    words = device_zeros(WORDS * 4);
    return kernel_of(module_from("launches.ptx"), name);
}

static void launch(CUfunction function, unsigned blocks, unsigned threads, unsigned number)
{
    void *parameters[] = {&words, &number};

    check_success(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL));
}

static void run(const char *name, unsigned blocks, unsigned threads, unsigned number)
{
    launch(kernel(name), blocks, threads, number);
    check_success(cuCtxSynchronize());
}

static unsigned word(unsigned index)
{
    unsigned value;

    check_success(cuMemcpyDtoH(&value, words + index * 4, 4));
    return value;
}

TEST(every_thread_launches)
{
    run("all_launch", 3, 50, 2);
    check(word(0) == 3 * 50 * 64 * 2);
}

TEST(children_see_what_the_parent_stores)
{
    run("store_after", 1, 1, 41);
    check(word(1) == 42 && word(2) == 0 && word(3) == INVALID_CONFIGURATION);
}

TEST(children_launch_too)
{
    run("branch", 1, 1, 6);
    check(word(0) == 127);
}

TEST(launches_have_a_greatest_depth)
{
    run("endless", 1, 1, 0);
    check(word(0) == DEPTH_MAX + 1 && word(1) == MAX_DEPTH_EXCEEDED);
}

TEST(tail_launches_have_no_depth)
{
    run("repeat", 1, 1, 1000);
    check(word(0) == 1000 && word(1) == 1000);
}

TEST(later_work_waits_for_children)
{
    CUfunction all = kernel("all_launch"), follow;
    CUmodule module;

    check_success(cuFuncGetModule(&module, all));
    check_success(cuModuleGetFunction(&follow, module, "follow"));
    launch(all, 1, 32, 1);
    launch(follow, 1, 1, 2);
    check(word(2) == 32 * 64 + 1);
}

TEST(fault_of_a_child)
{
    launch(kernel("faulty_child"), 1, 1, 0);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(kernel_nodes_launch_each_time)
{
    CUfunction function = kernel("all_launch");
    unsigned number = 1;
    void *parameters[] = {&words, &number};
    CUDA_KERNEL_NODE_PARAMS node_params = {.func = function,
                                           .gridDimX = 1,
                                           .gridDimY = 1,
                                           .gridDimZ = 1,
                                           .blockDimX = 1,
                                           .blockDimY = 1,
                                           .blockDimZ = 1,
                                           .kernelParams = parameters};
    CUgraphExec executable;
    CUgraphNode node;
    CUgraph graph;

    check_success(cuGraphCreate(&graph, 0));
    check_success(cuGraphAddKernelNode(&node, graph, NULL, 0, &node_params));
    check_success(cuGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 3; i++)
        check_success(cuGraphLaunch(executable, NULL));
    check(word(0) == 3 * 64);
}
