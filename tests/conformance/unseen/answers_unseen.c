/* SPDX-License-Identifier: MIT */
/*
 * A kernel has failed, and no call has told of it yet. Each group makes one call then: it answers
 * the error or not. An allocation after it tells whether the call has made the error known. On a
 * GPU the driver needs time to see the failure: it was recorded with UNSEEN_WAIT_US=300000.
 */
#include "../state_objects.h"

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .u32 word;\n"
    ".visible .entry fine(.param .u64 p) { ret; }\n"
    ".visible .entry unused(.param .u64 p) { ret; }\n"
    ".visible .entry fail(.param .u64 p)\n"
    "{ .reg .u64 a; ld.param.u64 a, [p]; st.volatile.global.u32 [a], 1; membar.sys; trap; ret; }\n";

static CUmodule module, second_module;
static CUlibrary library, second_library;
static CUkernel kernel, kernel_out;
static CUfunction fine, function_out;
static CUstream other_stream;
static CUevent event_before, event_unused;
static CUdeviceptr large_ptr, managed_ptr, pool_ptr;
static char large_page[4 << 20] __attribute__((aligned(4096)));
static CUcontext second_context;
static CUgraph graph, second_graph;
static CUgraphExec exec, second_exec;
static CUgraphNode node;
static CUlinkState link_out;
static CUuserObject user_object;
static CUtexObject texture, texture_out;
static CUtensorMap tensor_map;
static CUdevResource dev_resource;
static CUstreamAttrValue attribute;
static CUstreamCaptureStatus capture_status;
static CUfunc_cache cache_config;
static CUuuid uuid;
static const char *name_out;
static float elapsed;
static cuuint64_t tensor_size[1] = {64};
static cuuint32_t tensor_box[1] = {1};
static CUDA_RESOURCE_DESC linear = {.resType = CU_RESOURCE_TYPE_LINEAR};
static CUDA_TEXTURE_DESC texture_desc;
static unsigned long long word;
static void *parameters[] = {&word};
static CUlaunchConfig launch_config = {1, 1, 1, 1, 1, 1, 0, NULL, NULL, 0};
static CUDA_KERNEL_NODE_PARAMS kernel_node = {.gridDimX = 1,
                                              .gridDimY = 1,
                                              .gridDimZ = 1,
                                              .blockDimX = 1,
                                              .blockDimY = 1,
                                              .blockDimZ = 1,
                                              .kernelParams = parameters};

static void CUDA_CB called_back(CUstream of, CUresult status, void *data)
{
    (void)of;
    (void)status;
    (void)data;
}

#define CALL(name, call)                                                                           \
    static CUresult more_##name(void)                                                              \
    {                                                                                              \
        return call;                                                                               \
    }
#include "calls.def"
#undef CALL

static void more_objects_create(void)
{
    cuda.cuModuleLoadData(&module, text);
    cuda.cuModuleGetFunction(&fine, module, "fine");
    cuda.cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0);
    cuda.cuLibraryGetKernel(&kernel, library, "fine");
    cuda.cuKernelGetFunction(&function_out, kernel);
    other_stream = stream_new(CU_STREAM_NON_BLOCKING);
    launch_config.hStream = stream;
    cuda.cuEventCreate(&event_before, 0);
    cuda.cuEventCreate(&event_unused, 0);
    cuda.cuEventRecord(event_before, stream);
    cuda.cuEventRecord(event, stream);
    large_ptr = device_alloc(8 * MB);
    managed_ptr = managed_alloc(4096);
    cuda.cuMemAllocAsync(&pool_ptr, 4096, stream);
    cuda.cuCtxCreate(&second_context, NULL, 0, device);
    cuda.cuCtxSetCurrent(context);
    cuda.cuGraphCreate(&graph, 0);
    kernel_node.func = fine;
    cuda.cuGraphAddKernelNode(&node, graph, NULL, 0, &kernel_node);
    cuda.cuGraphInstantiate(&exec, graph, 0);
    linear.res.linear.devPtr = first_ptr;
    linear.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
    linear.res.linear.numChannels = 1;
    linear.res.linear.sizeInBytes = 4096;
    cuda.cuTexObjectCreate(&texture, &linear, &texture_desc, NULL);
    cuda.cuCtxSynchronize();
}

static void wait_for_failure(void)
{
    usleep(getenv("UNSEEN_WAIT_US") ? atoi(getenv("UNSEEN_WAIT_US")) : 20000);
}

/* Launches the kernel and waits until it has failed, without asking the driver. */
static void fail(void)
{
    volatile unsigned *reached = pinned_alloc(4096);
    CUfunction function = NULL;

    *reached = 0;
    word = as_device((void *)reached);
    cuda.cuModuleGetFunction(&function, module, "fail");
    CHECK("launch", cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
    while (!*reached)
        usleep(1000);
    wait_for_failure();
    word = first_ptr;
}

static void ask(CUresult (*call)(void))
{
    use_primary_context();
    keep_after_sticky = 1;
    objects_create();
    more_objects_create();
    arguments_prepare();
    fail();
    CHECK("call", call());
    CHECK("alloc", cuda.cuMemAlloc(&out_ptr, 64));
    CHECK("sync", cuda.cuCtxSynchronize());
}

#define CALL(function, ...)                                                                        \
    GROUP(1300, unseen_##function, "kfault-unseen-" #function)                                     \
    {                                                                                              \
        ask(call_##function);                                                                      \
    }
#include "../state_calls.def"
#undef CALL

#define CALL(name, call)                                                                           \
    GROUP(1301, unseen_more_##name, "kfault-unseen-" #name)                                        \
    {                                                                                              \
        ask(more_##name);                                                                          \
    }
#include "calls.def"
#undef CALL

/* The ways in which work fails: whether an allocation tells of it, before any call has waited. */
extern const char ptx_faults[], ptx_printing[];

/* Allocates once after a while, or, so that nothing depends on how long a slow machine takes, until
 * the error is told. */
static CUresult alloc_later(void)
{
    double end = seconds_now() + 0.3;
    CUresult result;

    if (getenv("UNSEEN_WAIT_US")) {
        wait_for_failure();
        return cuda.cuMemAlloc(&out_ptr, 64);
    }
    do {
        result = cuda.cuMemAlloc(&out_ptr, 64);
        usleep(1000);
    } while (result == CUDA_SUCCESS && seconds_now() < end);
    return result;
}

static void kind_ask(const char *source, const char *name, unsigned long long argument)
{
    CUfunction function = NULL;

    use_primary_context();
    keep_after_sticky = 1;
    first_ptr = device_alloc(65536);
    stream = stream_new(0);
    cuda.cuModuleLoadData(&module, source);
    cuda.cuModuleGetFunction(&function, module, name);
    word = argument == 1 ? first_ptr + 1 : argument;
    CHECK("launch", cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
    CHECK("alloc", alloc_later());
    CHECK("sync", cuda.cuCtxSynchronize());
}

#define KIND(id, name, source, kernel_name, argument)                                              \
    GROUP(1302, kind_##id, "kfault-unseen-kind-" name)                                             \
    {                                                                                              \
        kind_ask(source, kernel_name, argument);                                                   \
    }
KIND(trap, "trap", ptx_faults, "do_trap", 0)
KIND(brkpt, "brkpt", ptx_faults, "do_brkpt", 0)
KIND(store_wild, "store-wild", ptx_faults, "store_global", 0xdead00000000ull)
KIND(store_null, "store-null", ptx_faults, "store_generic", 0)
KIND(store_noncanonical, "store-noncanonical", ptx_faults, "store_global", 0x8000000000000000ull)
KIND(store_misaligned, "store-misaligned", ptx_faults, "store_global", 1)
KIND(load_wild, "load-wild", ptx_faults, "load_global", 0xdead00000000ull)
KIND(atom_misaligned, "atom-misaligned", ptx_faults, "atom_global", 1)
KIND(shared_wild, "shared-wild", ptx_faults, "store_shared", 0x10000000)
KIND(shared_misaligned, "shared-misaligned", ptx_faults, "store_shared", 5)
KIND(stack, "stack-overflow", ptx_faults, "recurse", 2)
KIND(jump_wild, "jump-wild", ptx_faults, "jump_away", 0xdead0000)
KIND(assertion, "assert", ptx_printing, "claim_fails", 0)
KIND(free_garbage, "free-garbage", ptx_printing, "release", 0xdead0000)
