/* SPDX-License-Identifier: MIT */
/* Clusters: blocks that run together, read and write each other's shared memory, and wait for each
 * other at barrier.cluster and at mbarriers. */
#include "kernels.h"

static void launch_clusters(CUfunction function, unsigned blocks, unsigned threads,
                            unsigned cluster, void **parameters)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                   .value.clusterDim = {cluster, 1, 1}};
    CUlaunchConfig config = {.gridDimX = blocks,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = threads,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = &attribute,
                             .numAttrs = cluster ? 1 : 0};

    check_success(cuLaunchKernelEx(&config, function, parameters, NULL));
    check_success(cuCtxSynchronize());
}

static void check_ring(CUfunction function, unsigned blocks, unsigned threads, unsigned cluster)
{
    unsigned size = cluster ? cluster : 1;
    uint32_t *got = calloc((size_t)blocks * threads, 8);
    CUdeviceptr out = device_zeros((size_t)blocks * threads * 8);
    void *parameters[] = {&out};

    launch_clusters(function, blocks, threads, cluster, parameters);
    check_success(cuMemcpyDtoH(got, out, (size_t)blocks * threads * 8));
    for (unsigned b = 0; b < blocks; b++)
        for (unsigned t = 0; t < threads; t++) {
            unsigned rank = b % size, left = (rank + size - 1) % size;
            uint32_t value = (b - rank + left) * 1000 + t;
            uint32_t word = left + 16 * (left == rank ? 3 : 1);
            const uint32_t *mine = &got[2 * (b * threads + t)];

            if (mine[0] != value || mine[1] != word)
                test_fail(__FILE__, __LINE__,
                          "clusters of %u, block %u, thread %u: %u %#x, not %u %#x", cluster, b, t,
                          mine[0], mine[1], value, word);
        }
    check_success(cuMemFree(out));
    free(got);
}

TEST(blocks_read_each_others_memory)
{
    CUfunction function = kernel_from("cluster.ptx", "ring");

    check_ring(function, 16, 64, 8);
    check_ring(function, 6, 33, 2);
    check_ring(function, 12, 7, 4);
    check_ring(function, 3, 32, 1);
    check_ring(function, 5, 64, 0);
}

TEST(clusters_of_sixteen)
{
    CUfunction function = kernel_from("cluster.ptx", "ring");

    check_success(
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    check_ring(function, 32, 40, 16);
}

/* Threads that have left are not waited for. */
TEST(barrier_of_threads_that_leave)
{
    enum { CLUSTER = 4, THREADS = 50, CLUSTERS = 3 };
    CUfunction function = kernel_from("cluster.ptx", "count");
    uint32_t got[CLUSTERS][8], sum = 0;
    CUdeviceptr out = device_zeros(sizeof got);
    void *parameters[] = {&out};

    launch_clusters(function, CLUSTER * CLUSTERS, THREADS, CLUSTER, parameters);
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned k = 0; k < 8; k++) {
        for (unsigned r = 0; r < CLUSTER; r++)
            for (unsigned t = 0; t < THREADS; t++)
                sum += r == 0 || k <= (t + 3 * r) % 7;
        for (unsigned c = 0; c < CLUSTERS; c++)
            if (got[c][k] != sum)
                test_fail(__FILE__, __LINE__, "cluster %u, round %u: %u, not %u", c, k, got[c][k],
                          sum);
    }
}

TEST(arrivals_from_other_blocks)
{
    enum { CLUSTER = 8, CLUSTERS = 4 };
    CUfunction function = kernel_from("cluster.ptx", "remote_arrive");
    uint32_t got[CLUSTERS], sum = 0;
    CUdeviceptr out = device_zeros(sizeof got);
    void *parameters[] = {&out};

    launch_clusters(function, CLUSTER * CLUSTERS, 64, CLUSTER, parameters);
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned r = 0; r < CLUSTER; r++)
        sum += r * r + 7;
    for (unsigned c = 0; c < CLUSTERS; c++)
        check(got[c] == sum);
}

/* As on a device, where blocks begin together and a copy takes longer than their beginning. */
TEST(a_copy_to_blocks_that_have_just_begun)
{
    enum { WORDS = 16, BLOCKS = 4 };
    uint32_t words[WORDS], got[BLOCKS * WORDS];
    CUfunction function = kernel_from("cluster.ptx", "early_multicast");
    CUdeviceptr in, out = device_zeros(sizeof got);
    void *parameters[] = {&in, &out};

    for (unsigned i = 0; i < WORDS; i++)
        words[i] = 3 * i + 1;
    in = device_copy_of(words, sizeof words);
    launch_clusters(function, BLOCKS, WORDS, BLOCKS, parameters);
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned i = 0; i < BLOCKS * WORDS; i++)
        check(got[i] == words[i % WORDS]);
}
