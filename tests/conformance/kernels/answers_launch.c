/* SPDX-License-Identifier: MIT */
/*
 * Launches: limits, which argument is complained of first, parameters in both forms, attributes.
 */
#include "kernels.h"

static CUresult launch_shape(CUfunction f, const unsigned s[7], CUstream stream, void **parameters,
                             void **extra)
{
    return driver.cuLaunchKernel(f, s[0], s[1], s[2], s[3], s[4], s[5], s[6], stream, parameters,
                                 extra);
}

static CUresult launch_shape_ex(CUfunction f, const unsigned s[7], CUstream stream,
                                void **parameters, CUlaunchAttribute *attributes, unsigned count)
{
    CUlaunchConfig config = {s[0], s[1], s[2], s[3], s[4], s[5], s[6], stream, attributes, count};

    return driver.cuLaunchKernelEx(&config, f, parameters, NULL);
}

static const struct {
    const char *name;
    unsigned shape[7];
} shapes[] = {
    {"one", {1, 1, 1, 1, 1, 1, 0}},
    {"grid-x-0", {0, 1, 1, 1, 1, 1, 0}},
    {"grid-y-0", {1, 0, 1, 1, 1, 1, 0}},
    {"grid-z-0", {1, 1, 0, 1, 1, 1, 0}},
    {"block-x-0", {1, 1, 1, 0, 1, 1, 0}},
    {"block-y-0", {1, 1, 1, 1, 0, 1, 0}},
    {"block-z-0", {1, 1, 1, 1, 1, 0, 0}},
    {"grid-all-0", {0, 0, 0, 1, 1, 1, 0}},
    {"block-1024", {1, 1, 1, 1024, 1, 1, 0}},
    {"block-1025", {1, 1, 1, 1025, 1, 1, 0}},
    {"block-y-1024", {1, 1, 1, 1, 1024, 1, 0}},
    {"block-y-1025", {1, 1, 1, 1, 1025, 1, 0}},
    {"block-z-64", {1, 1, 1, 1, 1, 64, 0}},
    {"block-z-65", {1, 1, 1, 1, 1, 65, 0}},
    {"block-32x32x1", {1, 1, 1, 32, 32, 1, 0}},
    {"block-32x33x1", {1, 1, 1, 32, 33, 1, 0}},
    {"block-huge", {1, 1, 1, 0x80000000u, 2, 1, 0}},
    {"block-wraps", {1, 1, 1, 0x10000u, 0x10000u, 1, 0}},
    {"grid-x-2^31-1-block-1025", {0x7fffffffu, 1, 1, 1025, 1, 1, 0}},
    {"grid-x-2^31", {0x80000000u, 1, 1, 1, 1, 1, 0}},
    {"grid-y-65535", {1, 65535, 1, 1, 1, 1, 0}},
    {"grid-y-65536", {1, 65536, 1, 1, 1, 1, 0}},
    {"grid-z-65535", {1, 1, 65535, 1, 1, 1, 0}},
    {"grid-z-65536", {1, 1, 65536, 1, 1, 1, 0}},
    {"shared-48K", {1, 1, 1, 1, 1, 1, 49152}},
    {"shared-48K+1", {1, 1, 1, 1, 1, 1, 49153}},
    {"shared-227K", {1, 1, 1, 1, 1, 1, 232448}},
    {"shared-huge", {1, 1, 1, 1, 1, 1, 0xffffffffu}},
    {"grid-0-and-block-0", {0, 1, 1, 0, 1, 1, 0}},
    {"grid-0-and-shared-huge", {0, 1, 1, 1, 1, 1, 0xffffffffu}},
    {"block-1025-and-shared-huge", {1, 1, 1, 1025, 1, 1, 0xffffffffu}},
};

GROUP(740, launch, "launch")
{
    CUmodule module;

    use_kernels();
    cases_independent = 1;
    module = module_of(ptx_basic);
    CUfunction empty = function_of(module, "empty");
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        CHECK_THEN(shapes[i].name, launch_shape(empty, shapes[i].shape, NULL, NULL, NULL),
                   const char *sync = sync_context(), "sync=%s", sync);
        CHECK_THEN(format("ex-%s", shapes[i].name),
                   launch_shape_ex(empty, shapes[i].shape, NULL, NULL, NULL, 0),
                   const char *sync = sync_context(), "sync=%s", sync);
        CHECK_THEN(format("coop-%s", shapes[i].name),
                   driver.cuLaunchCooperativeKernel(empty, shapes[i].shape[0], shapes[i].shape[1],
                                                    shapes[i].shape[2], shapes[i].shape[3],
                                                    shapes[i].shape[4], shapes[i].shape[5],
                                                    shapes[i].shape[6], NULL, NULL),
                   const char *sync = sync_context(), "sync=%s", sync);
    }
    CUfunction bounded = function_of(module, "bounded"), required = function_of(module, "required");
    CUfunction bounded_only = function_of(module, "bounded_only");
    static const unsigned blocks[][3] = {{128, 2, 1}, {256, 1, 1}, {257, 1, 1}, {129, 1, 1},
                                         {1, 1, 1},   {1, 256, 1}, {64, 2, 1},  {128, 1, 1},
                                         {64, 2, 2},  {2, 64, 1},  {64, 1, 1},  {65, 1, 1}};
    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        unsigned shape[7] = {1, 1, 1, blocks[i][0], blocks[i][1], blocks[i][2], 0};
        CHECK(format("maxntid-128x2x1-block-%ux%ux%u", shape[3], shape[4], shape[5]),
              launch_shape(bounded, shape, NULL, NULL, NULL));
        CHECK(format("reqntid-64x2x1-block-%ux%ux%u", shape[3], shape[4], shape[5]),
              launch_shape(required, shape, NULL, NULL, NULL));
        CHECK(format("maxntid-64-block-%ux%ux%u", shape[3], shape[4], shape[5]),
              launch_shape(bounded_only, shape, NULL, NULL, NULL));
    }
    CHECK("sync", cuda.cuCtxSynchronize());
}

/* Two things wrong at once: which code comes shows what is looked at first. */
GROUP(741, launchorder, "launchorder")
{
    static const unsigned good[7] = {1, 1, 1, 1, 1, 1, 0};
    static const unsigned no_grid[7] = {0, 1, 1, 1, 1, 1, 0};
    static const unsigned big_block[7] = {1, 1, 1, 2000, 1, 1, 0};
    static const unsigned big_shared[7] = {1, 1, 1, 1, 1, 1, 1 << 30};
    CUmodule module;
    void *garbage_extra[] = {(void *)7, (void *)7, CU_LAUNCH_PARAM_END};
    void *end_extra[] = {CU_LAUNCH_PARAM_END};

    use_kernels();
    cases_independent = 1;
    module = module_of(ptx_basic);
    CUfunction store = function_of(module, "store"), empty = function_of(module, "empty");
    CUdeviceptr place = device_alloc(4);
    unsigned value = 5;
    void *parameters[] = {&place, &value};

    CHECK("null-function", launch_shape(NULL, good, NULL, NULL, NULL));
    CHECK("null-function-no-grid", launch_shape(NULL, no_grid, NULL, NULL, NULL));
    CHECK("null-function-big-block", launch_shape(NULL, big_block, NULL, NULL, NULL));
    CHECK("null-function-bad-extra", launch_shape(NULL, good, NULL, NULL, garbage_extra));
    CHECK("null-function-both", launch_shape(NULL, good, NULL, parameters, end_extra));
    CHECK("no-parameters", launch_shape(store, good, NULL, NULL, NULL));
    CHECK("no-parameters-no-grid", launch_shape(store, no_grid, NULL, NULL, NULL));
    CHECK("no-parameters-big-block", launch_shape(store, big_block, NULL, NULL, NULL));
    CHECK("no-parameters-big-shared", launch_shape(store, big_shared, NULL, NULL, NULL));
    CHECK("both-forms", launch_shape(store, good, NULL, parameters, end_extra));
    CHECK("both-forms-no-grid", launch_shape(store, no_grid, NULL, parameters, end_extra));
    CHECK("both-forms-empty-kernel", launch_shape(empty, good, NULL, parameters, end_extra));
    CHECK("parameters-for-empty", launch_shape(empty, good, NULL, parameters, NULL));
    CHECK("bad-extra", launch_shape(store, good, NULL, NULL, garbage_extra));
    CHECK("bad-extra-no-grid", launch_shape(store, no_grid, NULL, NULL, garbage_extra));
    CHECK("bad-extra-big-block", launch_shape(store, big_block, NULL, NULL, garbage_extra));
    CHECK("bad-extra-empty-kernel", launch_shape(empty, good, NULL, NULL, garbage_extra));
    CHECK("end-extra", launch_shape(store, good, NULL, NULL, end_extra));
    CHECK("end-extra-empty-kernel", launch_shape(empty, good, NULL, NULL, end_extra));
    CHECK("ex-null-config", driver.cuLaunchKernelEx(NULL, store, parameters, NULL));
    CHECK("ex-null-config-null-function", driver.cuLaunchKernelEx(NULL, NULL, NULL, NULL));
    CHECK("ex-null-function", launch_shape_ex(NULL, good, NULL, NULL, NULL, 0));
    CHECK("ex-attributes-null", launch_shape_ex(store, good, NULL, parameters, NULL, 1));
    CHECK("coop-null-function",
          driver.cuLaunchCooperativeKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL));
    CHECK("coop-no-parameters",
          driver.cuLaunchCooperativeKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL));
    CHECK("stream-per-thread", launch_shape(store, good, CU_STREAM_PER_THREAD, parameters, NULL));
    CHECK("stream-legacy", launch_shape(store, good, CU_STREAM_LEGACY, parameters, NULL));
    CUcontext other = context_new();
    CUstream foreign = stream_new(0);
    CHECK("wrong-context", launch_shape(store, good, NULL, parameters, NULL));
    CHECK("wrong-context-stream", launch_shape(store, good, foreign, parameters, NULL));
    cuda.cuCtxSetCurrent(context);
    CHECK("foreign-stream", launch_shape(store, good, foreign, parameters, NULL));
    cuda.cuCtxSetCurrent(other);
    CUmodule other_module = module_of(ptx_basic);
    CUfunction other_store = function_of(other_module, "store");
    cuda.cuCtxSetCurrent(context);
    int number;
    CUfunction out;
    CHECK("other-contexts-function", launch_shape(other_store, good, NULL, parameters, NULL));
    CHECK("other-contexts-attribute", driver.cuFuncGetAttribute(&number, 0, other_store),
          "value=%d", number);
    CHECK("other-contexts-set", driver.cuFuncSetAttribute(other_store, 8, 100));
    CHECK("other-contexts-module-function",
          driver.cuModuleGetFunction(&out, other_module, "empty"));
    CUdeviceptr ptr;
    size_t size;
    CHECK("other-contexts-global", driver.cuModuleGetGlobal(&ptr, &size, other_module, "table"));
    CHECK("other-contexts-occupancy",
          driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, other_store, 32, 0));
    CHECK("other-contexts-unload", driver.cuModuleUnload(other_module));
    cuda.cuCtxSetCurrent(NULL);
    CHECK("no-context", launch_shape(store, good, NULL, parameters, NULL));
    CHECK("no-context-null-function", launch_shape(NULL, good, NULL, NULL, NULL));
    CHECK("no-context-attribute", driver.cuFuncGetAttribute(&number, 0, store));
    CHECK("no-context-get", driver.cuModuleGetFunction(&out, module, "empty"));
    CHECK("no-context-unload", driver.cuModuleUnload(module));
}

/* Parameters given as pointers and as a buffer. */
GROUP(742, launchparam, "launchparam")
{
    static const unsigned one[7] = {1, 1, 1, 1, 1, 1, 0};
    CUmodule module;

    use_kernels();
    module = module_of(ptx_basic);
    CUfunction store = function_of(module, "store");
    struct {
        CUdeviceptr address;
        unsigned value, more[5];
    } packed = {device_alloc(4), 1, {0}};
    size_t size = 12;
    /* Fewer bytes than the address has would store at a garbage address. */
    static const size_t sizes[] = {0, 8, 11, 12, 13, 16, 32, 4096, 1 << 20};
    cuda.cuMemsetD32(packed.address, 0, 1);
    char *buffer = calloc(1, 2 << 20);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        packed.value = 100 + i;
        memcpy(buffer, &packed, 12);
        size = sizes[i];
        void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                         CU_LAUNCH_PARAM_END};
        CHECK_THEN(format("buffer-size-%zu", size), launch_shape(store, one, NULL, NULL, extra),
                   unsigned word = word_at(packed.address), "word=%u", word);
    }
    size = 12;
    packed.value = 200;
    memcpy(buffer, &packed, 12);
    void *size_first[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_BUFFER_POINTER,
                          buffer, CU_LAUNCH_PARAM_END};
    CHECK_THEN("size-first", launch_shape(store, one, NULL, NULL, size_first),
               unsigned word = word_at(packed.address), "word=%u", word);
    void *no_size[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_END};
    CHECK("no-size", launch_shape(store, one, NULL, NULL, no_size));
    void *no_pointer[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    CHECK("no-pointer", launch_shape(store, one, NULL, NULL, no_pointer));
    void *null_pointer[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, NULL, CU_LAUNCH_PARAM_BUFFER_SIZE,
                            &size, CU_LAUNCH_PARAM_END};
    CHECK("null-pointer", launch_shape(store, one, NULL, NULL, null_pointer));
    void *null_size[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, NULL,
                         CU_LAUNCH_PARAM_END};
    CHECK("null-size", launch_shape(store, one, NULL, NULL, null_size));
    unsigned value = 300;
    void *null_parameter[] = {&packed.address, NULL};
    CHECK("null-parameter", launch_shape(store, one, NULL, null_parameter, NULL));
    void *parameters[] = {&packed.address, &value};
    CHECK_THEN("pointers", launch_shape(store, one, NULL, parameters, NULL),
               unsigned word = word_at(packed.address), "word=%u", word);
    void *ex_extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                        CU_LAUNCH_PARAM_END};
    CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, NULL, NULL, 0};
    CHECK_THEN("ex-buffer", driver.cuLaunchKernelEx(&config, store, NULL, ex_extra),
               unsigned word = word_at(packed.address), "word=%u", word);

    /* The old way. */
    CHECK("old-shape", driver.cuFuncSetBlockShape(store, 1, 1, 1));
    CHECK("old-shape-0", driver.cuFuncSetBlockShape(store, 0, 1, 1));
    CHECK("old-shape-big", driver.cuFuncSetBlockShape(store, 2000, 1, 1));
    CHECK("old-shape-null", driver.cuFuncSetBlockShape(NULL, 1, 1, 1));
    CHECK("old-shared", driver.cuFuncSetSharedSize(store, 100));
    CHECK("old-shared-big", driver.cuFuncSetSharedSize(store, 1 << 30));
    CHECK("old-size", driver.cuParamSetSize(store, 12));
    CHECK("old-size-big", driver.cuParamSetSize(store, 1 << 20));
    CHECK("old-size-again", driver.cuParamSetSize(store, 12));
    CHECK("old-v", driver.cuParamSetv(store, 0, &packed.address, 8));
    CHECK("old-i", driver.cuParamSeti(store, 8, 4711));
    CHECK("old-i-beyond", driver.cuParamSeti(store, 12, 4711));
    CHECK("old-f-beyond", driver.cuParamSetf(store, 8192, 1.0f));
    CHECK("old-v-null", driver.cuParamSetv(store, 0, NULL, 8));
    CHECK("old-launch", driver.cuLaunch(store), "word=%u", word_at(packed.address));
    CHECK("old-grid", driver.cuLaunchGrid(store, 2, 2), "word=%u", word_at(packed.address));
    CHECK("old-grid-0", driver.cuLaunchGrid(store, 0, 2));
    CHECK("old-grid-async", driver.cuLaunchGridAsync(store, 1, 1, NULL));
    CHECK("old-null", driver.cuLaunch(NULL));
}

/* Attributes of cuLaunchKernelEx, each alone with small values. */
GROUP(743, launchattr, "launchattr")
{
    static const unsigned two[7] = {2, 1, 1, 32, 1, 1, 0};
    CUmodule module, clusters = NULL;

    use_kernels();
    cases_independent = 1;
    module = module_of(ptx_basic);
    CUfunction empty = function_of(module, "empty");
    for (int id = -1; id <= 18; id++) {
        if (id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT ||
            id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
            continue;
        for (int value = -1; value <= 4; value++) {
            CUlaunchAttribute attribute;
            memset(&attribute, 0, sizeof attribute);
            attribute.id = id;
            attribute.value.cooperative = value;
            CHECK_THEN(format("id-%d-value-%d", id, value),
                       launch_shape_ex(empty, two, NULL, NULL, &attribute, 1),
                       const char *sync = sync_context(), "sync=%s", sync);
        }
    }
    if (driver.cuModuleLoadData(&clusters, ptx_clusters))
        return;
    static const char *const kernels[] = {"plain", "pair", "open", "at_most"};
    static const unsigned dims[][3] = {{0, 0, 0}, {1, 1, 1}, {2, 1, 1},  {1, 2, 1}, {2, 2, 1},
                                       {4, 1, 1}, {8, 1, 1}, {16, 1, 1}, {3, 1, 1}, {32, 1, 1}};
    for (size_t k = 0; k < COUNT_OF(kernels); k++) {
        CUfunction function = function_of(clusters, kernels[k]);
        static const unsigned grid[7] = {48, 2, 1, 32, 1, 1, 0};
        static const unsigned odd_grid[7] = {47, 2, 1, 32, 1, 1, 0};
        CHECK_THEN(format("cluster-%s-without", kernels[k]),
                   launch_shape(function, grid, NULL, NULL, NULL),
                   const char *sync = sync_context(), "sync=%s", sync);
        CHECK_THEN(format("cluster-%s-without-odd", kernels[k]),
                   launch_shape(function, odd_grid, NULL, NULL, NULL),
                   const char *sync = sync_context(), "sync=%s", sync);
        for (size_t i = 0; i < COUNT_OF(dims); i++) {
            CUlaunchAttribute attribute;
            memset(&attribute, 0, sizeof attribute);
            attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            attribute.value.clusterDim.x = dims[i][0];
            attribute.value.clusterDim.y = dims[i][1];
            attribute.value.clusterDim.z = dims[i][2];
            CHECK_THEN(
                format("cluster-%s-%ux%ux%u", kernels[k], dims[i][0], dims[i][1], dims[i][2]),
                launch_shape_ex(function, grid, NULL, NULL, &attribute, 1),
                const char *sync = sync_context(), "sync=%s", sync);
        }
    }
}

/* How many blocks a cooperative launch may have. */
GROUP(744, launchcoop, "launchcoop")
{
    static const unsigned blocks[] = {1, 32, 64, 256, 1000, 1024};
    CUmodule module;

    use_kernels();
    cases_independent = 1;
    module = module_of(ptx_basic);
    CUfunction empty = function_of(module, "empty");
    int processors = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        int each = 0;
        driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, empty, blocks[i], 0);
        CHECK(format("block-%u-full", blocks[i]),
              driver.cuLaunchCooperativeKernel(empty, each * processors, 1, 1, blocks[i], 1, 1, 0,
                                               NULL, NULL),
              "each=%d", each);
        CHECK(format("block-%u-one-more", blocks[i]),
              driver.cuLaunchCooperativeKernel(empty, each * processors + 1, 1, 1, blocks[i], 1, 1,
                                               0, NULL, NULL));
        CUlaunchAttribute attribute;
        memset(&attribute, 0, sizeof attribute);
        attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attribute.value.cooperative = 1;
        unsigned shape[7] = {each * processors + 1, 1, 1, blocks[i], 1, 1, 0};
        CHECK(format("block-%u-ex-one-more", blocks[i]),
              launch_shape_ex(empty, shape, NULL, NULL, &attribute, 1));
    }
    CHECK("sync", cuda.cuCtxSynchronize());
    CUDA_LAUNCH_PARAMS multi = {empty, 1, 1, 1, 32, 1, 1, 0, stream_new(0), NULL};
    CHECK("multi", driver.cuLaunchCooperativeKernelMultiDevice(&multi, 1, 0));
    CHECK("multi-0", driver.cuLaunchCooperativeKernelMultiDevice(&multi, 0, 0));
    CHECK("multi-null", driver.cuLaunchCooperativeKernelMultiDevice(NULL, 1, 0));
    CHECK("multi-flags", driver.cuLaunchCooperativeKernelMultiDevice(&multi, 1, 8));
    multi.hStream = NULL;
    CHECK("multi-null-stream", driver.cuLaunchCooperativeKernelMultiDevice(&multi, 1, 0));
    CHECK("sync-multi", cuda.cuCtxSynchronize());
}
