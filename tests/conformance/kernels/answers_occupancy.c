/* SPDX-License-Identifier: MIT */
/*
 * Occupancy: how many blocks fit, which block size is best. The kernels here need few registers, so
 * that the answers hang on the shape alone.
 */
#include "kernels.h"

static size_t CUDA_CB four_bytes_a_thread(int block)
{
    return (size_t)block * 4;
}

static size_t CUDA_CB a_kilobyte_a_thread(int block)
{
    return (size_t)block * 1024;
}

GROUP(750, occupancy, "occupancy")
{
    static const char *const kernels[] = {"empty",   "shared_static", "shared_full",
                                          "bounded", "required",      "shared_dynamic"};
    static const int blocks[] = {-1,  0,   1,   31,  32,  33,  64,   96,   128,
                                 192, 256, 257, 384, 512, 768, 1000, 1024, 1025};
    static const size_t shared[] = {0, 1, 1024, 16384, 49152, 49153, 65536, 100000, 232448, 232449};
    CUmodule module;
    int value, grid, block;

    use_kernels();
    cases_independent = 1;
    module = module_of(ptx_basic);
    for (size_t k = 0; k < COUNT_OF(kernels); k++) {
        CUfunction function = function_of(module, kernels[k]);
        for (size_t b = 0; b < COUNT_OF(blocks); b++)
            for (size_t s = 0; s < COUNT_OF(shared); s++) {
                value = -77;
                CHECK(format("%s-block-%d-shared-%zu", kernels[k], blocks[b], shared[s]),
                      driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function,
                                                                         blocks[b], shared[s]),
                      "value=%d", value);
            }
        for (size_t s = 0; s < COUNT_OF(shared); s++) {
            grid = block = -77;
            CHECK(format("%s-best-shared-%zu", kernels[k], shared[s]),
                  driver.cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, shared[s],
                                                          0),
                  "grid=%d block=%d", grid, block);
        }
        static const int limits[] = {-1, 1, 32, 33, 100, 512, 1000, 1024, 5000};
        for (size_t i = 0; i < COUNT_OF(limits); i++) {
            grid = block = -77;
            CHECK(format("%s-best-limit-%d", kernels[k], limits[i]),
                  driver.cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0,
                                                          limits[i]),
                  "grid=%d block=%d", grid, block);
        }
        CHECK(format("%s-best-four-bytes", kernels[k]),
              driver.cuOccupancyMaxPotentialBlockSize(&grid, &block, function, four_bytes_a_thread,
                                                      0, 0),
              "grid=%d block=%d", grid, block);
        CHECK(format("%s-best-kilobyte", kernels[k]),
              driver.cuOccupancyMaxPotentialBlockSize(&grid, &block, function, a_kilobyte_a_thread,
                                                      0, 0),
              "grid=%d block=%d", grid, block);
        for (int count = -1; count <= 33; count += count < 4 ? 1 : 4) {
            static const int sizes[] = {0, 1, 32, 128, 1024, 1025};
            for (size_t i = 0; i < COUNT_OF(sizes); i++) {
                size_t size = 7777;
                CHECK(format("%s-available-%d-block-%d", kernels[k], count, sizes[i]),
                      driver.cuOccupancyAvailableDynamicSMemPerBlock(&size, function, count,
                                                                     sizes[i]),
                      "size=%zu", size);
            }
        }
    }
    CUfunction dynamic = function_of(module, "shared_dynamic");
    driver.cuFuncSetAttribute(dynamic, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448);
    for (size_t s = 0; s < COUNT_OF(shared); s++)
        CHECK(format("opted-in-shared-%zu", shared[s]),
              driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, dynamic, 32, shared[s]),
              "value=%d", value);
    static const int carveouts[] = {-1, 0, 25, 50, 100};
    for (size_t i = 0; i < COUNT_OF(carveouts); i++) {
        driver.cuFuncSetAttribute(dynamic, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                  carveouts[i]);
        CHECK(format("carveout-%d", carveouts[i]),
              driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, dynamic, 32, 16384),
              "value=%d", value);
    }
}

GROUP(751, occupancyerror, "occupancyerror")
{
    CUmodule module, clusters = NULL;
    int value, grid, block;
    size_t size;

    use_kernels();
    module = module_of(ptx_basic);
    CUfunction empty = function_of(module, "empty");
    CHECK("active-null-out",
          driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, empty, 32, 0));
    CHECK("active-null-function",
          driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, NULL, 32, 0));
    for (unsigned flags = 0; flags <= 3; flags++)
        CHECK(format("active-flags-%u", flags),
              driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, empty, 32, 0,
                                                                          flags),
              "value=%d", value);
    for (unsigned flags = 0; flags <= 3; flags++)
        CHECK(format("best-flags-%u", flags),
              driver.cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, empty, NULL, 0, 0,
                                                               flags),
              "grid=%d block=%d", grid, block);
    CHECK("best-null-grid",
          driver.cuOccupancyMaxPotentialBlockSize(NULL, &block, empty, NULL, 0, 0));
    CHECK("best-null-block",
          driver.cuOccupancyMaxPotentialBlockSize(&grid, NULL, empty, NULL, 0, 0));
    CHECK("best-null-function",
          driver.cuOccupancyMaxPotentialBlockSize(&grid, &block, NULL, NULL, 0, 0));
    CHECK("available-null-out", driver.cuOccupancyAvailableDynamicSMemPerBlock(NULL, empty, 1, 32));
    CHECK("available-null-function",
          driver.cuOccupancyAvailableDynamicSMemPerBlock(&size, NULL, 1, 32));
    if (driver.cuModuleLoadData(&clusters, ptx_clusters))
        return;
    static const char *const kernels[] = {"plain", "pair", "open", "at_most"};
    for (size_t k = 0; k < COUNT_OF(kernels); k++) {
        CUfunction function = function_of(clusters, kernels[k]);
        CUlaunchAttribute attribute;
        CUlaunchConfig config = {64, 1, 1, 128, 1, 1, 0, NULL, NULL, 0};
        memset(&attribute, 0, sizeof attribute);
        attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        CHECK(format("%s-cluster-size", kernels[k]),
              driver.cuOccupancyMaxPotentialClusterSize(&value, function, &config), "value=%d",
              value);
        value = -77;
        CHECK(format("%s-clusters", kernels[k]),
              driver.cuOccupancyMaxActiveClusters(&value, function, &config), "value=%d", value);
        for (unsigned x = 0; x <= 16; x = x ? x * 2 : 1) {
            attribute.value.clusterDim.x = x;
            attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
            config.attrs = &attribute;
            config.numAttrs = 1;
            value = -77;
            CHECK(format("%s-clusters-of-%u", kernels[k], x),
                  driver.cuOccupancyMaxActiveClusters(&value, function, &config), "value=%d",
                  value);
        }
    }
    CUlaunchConfig config = {64, 1, 1, 128, 1, 1, 0, NULL, NULL, 0};
    CHECK("cluster-size-null", driver.cuOccupancyMaxPotentialClusterSize(NULL, empty, &config));
    CHECK("cluster-size-null-config",
          driver.cuOccupancyMaxPotentialClusterSize(&value, empty, NULL));
    CHECK("clusters-null-function", driver.cuOccupancyMaxActiveClusters(&value, NULL, &config));
}
