/* SPDX-License-Identifier: MIT */
/* One call of every function during a capture, by mode, thread and stream. */
#include "graphs.h"

static CUdeviceptr first_ptr, second_ptr, managed_ptr, out_ptr, pool_ptr;
static char host_bytes[8192] __attribute__((aligned(4096))),
    host_page[8192] __attribute__((aligned(4096))),
    registered_page[8192] __attribute__((aligned(4096)));
static void *pinned, *out_host;
static CUstream stream, out_stream, other_stream, capturing;
static CUarray array, second_array, out_array;
static CUmipmappedArray mip, out_mip;
static CUevent event, out_event, start_event, end_event;
static CUcontext owner, out_context;
static size_t size_out, second_size_out;
static unsigned flags_out;
static int int_out, second_int_out;
static unsigned char bytes[256];
static void *byte_outputs[2] = {bytes, bytes + 64};
static CUmemoryPool pool, out_pool, own_pool;
static CUmemGenericAllocationHandle allocation, out_allocation;
static CUdeviceptr mapped, reserved;
static CUipcMemHandle memory_handle;
static CUipcEventHandle event_handle;
static CUasyncCallbackHandle notification;
static CUexternalMemory external_memory;
static CUexternalSemaphore external_semaphore;
static CUmemPoolPtrExportData exported;
static CUDA_ARRAY_DESCRIPTOR descriptor2d;
static CUDA_ARRAY3D_DESCRIPTOR descriptor3d;
static CUDA_ARRAY_SPARSE_PROPERTIES sparse;
static CUDA_ARRAY_MEMORY_REQUIREMENTS requirements_out;
static CUpointer_attribute pointer_attributes[2] = {2, 8};
static CUmem_range_attribute range_attributes[2] = {1, 2};
static size_t sizes[2] = {64, 64}, data_sizes[2] = {4, 4}, indices[2] = {0, 0};
static CUdeviceptr dsts[2], srcs[2];
static CUmemLocation device_location = {1, 0};
static CUmemcpyAttributes copy_attributes = {.srcAccessOrder = 1};
static CUmemAllocationProp allocation_properties;
static CUmemAccessDesc access_wanted = {{1, 0}, 3};
static CUmemPoolProps pool_properties = {.allocType = 1, .location = {1, 0}};
static cuuint64_t wide_out, wide_zero;
static CUmemAccess_flags access_out;
static CUDA_MEMCPY2D copy2d;
static CUDA_MEMCPY3D copy3d;
static CUDA_MEMCPY3D_PEER copy3d_peer;
static CUDA_MEMCPY3D_BATCH_OP batch_operation;
static CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory_desc = {
    .type = 1, .handle = {.fd = -1}, .size = 4096};
static CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC semaphore_desc = {.type = 1, .handle = {.fd = -1}};
static CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal_params;
static CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait_params;
static CUgraphicsResource resource;
static CUmodule out_module, unloadable_module;
static CUlibrary out_library, unloadable_library;
static CUfunction out_function, out_functions[2];
static CUkernel out_kernel, out_kernels[2];
static CUmoduleLoadingMode loading_mode;
static const char *name_out;
static CUfunctionLoadingState loading_state;
static CUlaunchConfig launch_config;
static CUlinkState link_state;
static CUstreamAttrValue stream_attribute;
static CUstreamBatchMemOpParams memory_operations[1];
static CUstreamCaptureStatus status_out;
static CUstreamCaptureMode capture_mode;
static float milliseconds;
static CUfunc_cache cache_config;
static CUexecAffinityParam affinity;
static CUdevResource resource_out;
static CUuuid uuid;
static CUtexObject out_texture, texture;
static CUDA_RESOURCE_DESC texture_resource, resource_desc_out;
static CUDA_TEXTURE_DESC texture_desc;
static CUmulticastObjectProp multicast;
static CUgraph graph, out_graph, own_graph;
static CUgraphNode out_node;
static CUDA_MEM_ALLOC_NODE_PARAMS alloc_params;
static CUDA_KERNEL_NODE_PARAMS kernel_node;
static CUgraphExec exec, out_exec, own_exec;
static CUgraphExecUpdateResultInfo update_info;
static CUuserObject user_object;
static unsigned long long id_out;
static void notified(CUasyncNotificationInfo *i, void *u, CUasyncCallbackHandle h)
{
    (void)i;
    (void)u;
    (void)h;
}

static void CUDA_CB do_nothing(void *u)
{
    (void)u;
}

static void CUDA_CB stream_called(CUstream s, CUresult r, void *u)
{
    (void)s;
    (void)r;
    (void)u;
}

#define CALL(function, ...)                                                                        \
    static CUresult call_##function(void)                                                          \
    {                                                                                              \
        return cuda.function(__VA_ARGS__);                                                         \
    }
#define STREAM_CALL CALL
#include "capture_calls.def"
#undef CALL
#undef STREAM_CALL

static const struct call {
    const char *name;
    CUresult (*run)(void);
    int takes_stream;
} calls[] = {
#define CALL(function, ...) {#function, call_##function, 0},
#define STREAM_CALL(function, ...) {#function, call_##function, 1},
#include "capture_calls.def"
#undef CALL
#undef STREAM_CALL
};

static void objects_create(const char *n)
{ /* fresh objects for each case, outside any capture */
    first_ptr = device_alloc(65536);
    second_ptr = device_alloc(65536);
    managed_ptr = managed_alloc(4096);
    cuda.cuMemAllocAsync(&pool_ptr, 4096, 0);
    capturing = stream_new(0);
    other_stream = stream_new(CU_STREAM_NON_BLOCKING);
    cuda.cuEventCreate(&event, 2);
    cuda.cuEventCreate(&start_event, 0);
    cuda.cuEventCreate(&end_event, 0);
    cuda.cuEventRecord(start_event, other_stream);
    cuda.cuEventRecord(end_event, other_stream);
    cuda.cuMemsetD8(first_ptr, 0, 64);
    descriptor3d = (CUDA_ARRAY3D_DESCRIPTOR){64, 64, 0, 1, 1, 0};
    descriptor2d = (CUDA_ARRAY_DESCRIPTOR){64, 64, 1, 1};
    memset(&allocation_properties, 0, sizeof allocation_properties);
    allocation_properties.type = 1;
    allocation_properties.location = device_location;
    array = second_array = 0;
    mip = 0;
    wide_out = wide_zero = 0;
    flags_out = 0;
    int_out = second_int_out = 0;
    cuda.cuArray3DCreate(&array, &descriptor3d);
    cuda.cuArray3DCreate(&second_array, &descriptor3d);
    if (strstr(n, "Mip"))
        cuda.cuMipmappedArrayCreate(&mip, &descriptor3d, 2);
    pinned = pinned_alloc(4096);
    cuda.cuDeviceGetDefaultMemPool(&pool, 0);
    owner = context;
    own_pool = 0;
    if (!strcmp(n, "cuMemPoolDestroy"))
        cuda.cuMemPoolCreate(&own_pool, &pool_properties);
    if (!strcmp(n, "cuMemHostUnregister"))
        cuda.cuMemHostRegister(registered_page, 4096, 0);
    mapped = reserved = 0;
    allocation = 0;
    if (!strncmp(n, "cuMem", 5)) {
        cuda.cuMemCreate(&allocation, 2 * MB, &allocation_properties, 0);
        cuda.cuMemAddressReserve(&mapped, 2 * MB, 0, 0, 0);
        cuda.cuMemAddressReserve(&reserved, 2 * MB, 0, 0, 0);
        if (mapped && allocation) {
            cuda.cuMemMap(mapped, 2 * MB, 0, allocation, 0);
            cuda.cuMemSetAccess(mapped, 2 * MB, &access_wanted, 1);
        }
    }
    unloadable_module = 0;
    unloadable_library = 0;
    if (!strcmp(n, "cuModuleUnload"))
        cuda.cuModuleLoadData(&unloadable_module, other_ptx);
    if (!strcmp(n, "cuLibraryUnload"))
        cuda.cuLibraryLoadData(&unloadable_library, other_ptx, NULL, NULL, 0, NULL, NULL, 0);
    memset(&copy2d, 0, sizeof copy2d);
    copy2d.srcMemoryType = copy2d.dstMemoryType = 2;
    copy2d.srcDevice = first_ptr;
    copy2d.dstDevice = second_ptr;
    copy2d.srcPitch = copy2d.dstPitch = 64;
    copy2d.WidthInBytes = 32;
    copy2d.Height = 4;
    copy3d = copy_device_to_device(second_ptr, first_ptr, 32);
    copy3d.Height = 4;
    copy3d.srcPitch = copy3d.dstPitch = 64;
    copy3d.srcHeight = copy3d.dstHeight = 4;
    memset(&copy3d_peer, 0, sizeof copy3d_peer);
    copy3d_peer.srcMemoryType = copy3d_peer.dstMemoryType = 2;
    copy3d_peer.srcDevice = first_ptr;
    copy3d_peer.dstDevice = second_ptr;
    copy3d_peer.srcContext = copy3d_peer.dstContext = context;
    copy3d_peer.srcPitch = copy3d_peer.dstPitch = 64;
    copy3d_peer.srcHeight = copy3d_peer.dstHeight = 4;
    copy3d_peer.WidthInBytes = 32;
    copy3d_peer.Height = 4;
    copy3d_peer.Depth = 1;
    dsts[0] = strstr(n, "Prefetch") || strstr(n, "Discard") ? managed_ptr : second_ptr;
    sizes[0] = dsts[0] == managed_ptr ? 4096 : 64;
    srcs[0] = first_ptr;
    memset(&batch_operation, 0, sizeof batch_operation);
    batch_operation.src.type = batch_operation.dst.type = 1;
    batch_operation.src.op.ptr.ptr = first_ptr;
    batch_operation.dst.op.ptr.ptr = second_ptr;
    batch_operation.extent = (CUextent3D){16, 1, 1};
    batch_operation.srcAccessOrder = 1;
    memset(&launch_config, 0, sizeof launch_config);
    launch_config.gridDimX = launch_config.gridDimY = launch_config.gridDimZ =
        launch_config.blockDimX = launch_config.blockDimY = launch_config.blockDimZ = 1;
    memset(&stream_attribute, 0, sizeof stream_attribute);
    stream_attribute.syncPolicy = 1;
    memset(memory_operations, 0, sizeof memory_operations);
    memory_operations[0].operation = 2;
    memory_operations[0].writeValue.address = first_ptr;
    capture_mode = 0;
    memset(&update_info, 0, sizeof update_info);
    resource_out.type = 1;
    memset(&texture_resource, 0, sizeof texture_resource);
    texture_resource.resType = CU_RESOURCE_TYPE_LINEAR;
    texture_resource.res.linear.devPtr = first_ptr;
    texture_resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
    texture_resource.res.linear.numChannels = 1;
    texture_resource.res.linear.sizeInBytes = 4096;
    memset(&texture_desc, 0, sizeof texture_desc);
    texture = 0;
    if (strstr(n, "TexObject"))
        cuda.cuTexObjectCreate(&texture, &texture_resource, &texture_desc, NULL);
    memset(&multicast, 0, sizeof multicast);
    multicast.numDevices = 1;
    multicast.size = 2 * MB;
    graph = graph_new();
    if (graph)
        add_kernel(graph, NULL, 0, KERNEL_NOP, 0, 0, 0);
    own_graph = !strcmp(n, "cuGraphDestroy") ? graph_new() : 0;
    exec = instantiate(graph, 0);
    own_exec = !strcmp(n, "cuGraphExecDestroy") ? instantiate(graph, 0) : 0;
    memset(&alloc_params, 0, sizeof alloc_params);
    alloc_params.poolProps.allocType = 1;
    alloc_params.poolProps.location = device_location;
    alloc_params.bytesize = 4096;
    kernel_node = kernel_params(KERNEL_NOP, 0, 0, 0, 0);
    out_stream = 0;
    out_array = 0;
    out_mip = 0;
    out_host = 0;
    out_ptr = 0;
    out_event = 0;
    out_module = 0;
    out_library = 0;
    out_texture = 0;
    out_allocation = 0;
    out_pool = 0;
    link_state = 0;
    cuda.cuCtxSynchronize();
}

static void objects_destroy(const char *n)
{ /* objects a case may have destroyed are freed only when it did not */
    cuda.cuCtxSetCurrent(context);
    cuda.cuCtxSynchronize();
    int d = !strncmp(n, "cuMemFree", 9);
    if (!(d && !strcmp(n, "cuMemFree")))
        cuda.cuMemFree(first_ptr);
    cuda.cuMemFree(second_ptr);
    cuda.cuMemFree(managed_ptr);
    if (strcmp(n, "cuStreamDestroy"))
        cuda.cuStreamDestroy(capturing);
    if (other_stream)
        cuda.cuStreamDestroy(other_stream);
    if (strcmp(n, "cuEventDestroy"))
        cuda.cuEventDestroy(event);
    cuda.cuEventDestroy(start_event);
    cuda.cuEventDestroy(end_event);
    if (strcmp(n, "cuArrayDestroy"))
        cuda.cuArrayDestroy(array);
    cuda.cuArrayDestroy(second_array);
    if (strcmp(n, "cuMemFreeHost"))
        cuda.cuMemFreeHost(pinned);
    if (exec)
        cuda.cuGraphExecDestroy(exec);
    if (graph)
        cuda.cuGraphDestroy(graph);
    if (!strcmp(n, "cuMemHostRegister"))
        cuda.cuMemHostUnregister(host_page);
    if (out_stream)
        cuda.cuStreamDestroy(out_stream);
    cuda.cuCtxSynchronize();
}

static CUresult call_run(void *u)
{
    return ((const struct call *)u)->run();
}

static void check_call(const struct call *c, int mode, int other, int var)
{
    static const char *vn[] = {"", "-legacy", "-blocking", "-nonblocking"};
    if (!case_begin(format("%s%s", c->name, vn[var])))
        return;
    objects_create(c->name);
    CUstream text = var == 2 ? stream_new(0) : 0;
    CUresult b = cuda.cuStreamBeginCapture(capturing, mode);
    stream = var == 0 ? capturing : var == 1 ? NULL : var == 2 ? text : other_stream;
    CUresult r = other ? call_in_thread(call_run, (void *)c) : c->run();
    cuda.cuCtxSetCurrent(context);
    int destroyed = !strcmp(c->name, "cuStreamDestroy") && var == 0;
    int st = destroyed ? -1 : capture_status(capturing);
    int s2 = destroyed || var == 0 || var == 1 ? 0 : capture_status(stream);
    CUgraph g = 0;
    const char *e = destroyed ? "-" : capture_end(capturing, &g);
    if (s2 > 0) {
        CUgraph h = 0;
        cuda.cuStreamEndCapture(stream, &h);
    }
    const char *sh_ = g ? graph_text(g) : "-";
    CUstreamCaptureMode m0 = 0;
    cuda.cuThreadExchangeStreamCaptureMode(&m0);
    case_end(r, " begin=%s status=%s%s end=%s %s", result_name(b), capture_status_name(st),
             s2 ? format(" stream=%s", capture_status_name(s2)) : "", e, sh_);
    if (g)
        cuda.cuGraphDestroy(g);
    if (text && !(var == 2 && !strcmp(c->name, "cuStreamDestroy")))
        cuda.cuStreamDestroy(text);
    if (var == 3 && !strcmp(c->name, "cuStreamDestroy"))
        other_stream = 0;
    objects_destroy(c->name);
}

static void check_calls(int mode, int other)
{
    use_graph_objects();
    cases_independent = 1;
    for (int var = 0; var < 4; var++)
        for (size_t i = 0; i < COUNT_OF(calls); i++) {
            if (var && !calls[i].takes_stream)
                continue;
            if (var == 1 && !strcmp(calls[i].name, "cuStreamDestroy"))
                continue;
            if (var == 0 && !strcmp(calls[i].name, "cuStreamDestroy"))
                continue; /* group cap-streamdestroy */
            check_call(&calls[i], mode, other, var);
        }
}

GROUP(600, mat_global_same, "mat-global-same")
{
    check_calls(0, 0);
}

GROUP(601, mat_global_other, "mat-global-other")
{
    check_calls(0, 1);
}

GROUP(602, mat_threadlocal_same, "mat-threadlocal-same")
{
    check_calls(1, 0);
}

GROUP(603, mat_threadlocal_other, "mat-threadlocal-other")
{
    check_calls(1, 1);
}

GROUP(604, mat_relaxed_same, "mat-relaxed-same")
{
    check_calls(2, 0);
}

GROUP(605, mat_relaxed_other, "mat-relaxed-other")
{
    check_calls(2, 1);
}

/* contexts: each case in the same process, the second context made before the capture */
static CUcontext other_context, created_context;
static CUresult create(void *u)
{
    (void)u;
    CUresult r = cuda.cuCtxCreate(&created_context, NULL, 0, device);
    return r;
}

static CUresult destroy(void *u)
{
    (void)u;
    return cuda.cuCtxDestroy(other_context);
}

static CUresult retain(void *u)
{
    (void)u;
    CUcontext c = 0;
    return cuda.cuDevicePrimaryCtxRetain(&c, device);
}

static CUresult release(void *u)
{
    (void)u;
    return cuda.cuDevicePrimaryCtxRelease(device);
}

static CUresult set_flags(void *u)
{
    (void)u;
    return cuda.cuDevicePrimaryCtxSetFlags(device, 0);
}

static CUresult push_and_pop(void *u)
{
    (void)u;
    CUresult r = cuda.cuCtxPushCurrent(other_context);
    cuda.cuCtxPopCurrent(NULL);
    return r;
}

static CUresult synchronize_other(void *u)
{
    (void)u;
    cuda.cuCtxPushCurrent(other_context);
    CUresult r = cuda.cuCtxSynchronize();
    cuda.cuCtxPopCurrent(NULL);
    return r;
}

static CUresult allocate_in_other(void *u)
{
    (void)u;
    CUdeviceptr d = 0;
    cuda.cuCtxPushCurrent(other_context);
    CUresult r = cuda.cuMemAlloc(&d, 4096);
    cuda.cuCtxPopCurrent(NULL);
    return r;
}

static CUresult legacy_in_other(void *u)
{
    (void)u;
    cuda.cuCtxPushCurrent(other_context);
    CUresult r = cuda.cuStreamQuery(NULL);
    cuda.cuCtxPopCurrent(NULL);
    return r;
}

GROUP(606, mat_contexts, "mat-contexts")
{
    use_graph_objects();
    cases_independent = 1;
    static const struct {
        const char *n;
        thread_call f;
    } t[] = {{"cuCtxCreate", create},
             {"cuCtxDestroy-other", destroy},
             {"cuDevicePrimaryCtxRetain", retain},
             {"cuDevicePrimaryCtxRelease", release},
             {"cuDevicePrimaryCtxSetFlags", set_flags},
             {"cuCtxPushPop-other", push_and_pop},
             {"cuCtxSynchronize-other", synchronize_other},
             {"cuMemAlloc-other", allocate_in_other},
             {"cuStreamQuery-legacy-other", legacy_in_other}};
    for (size_t i = 0; i < COUNT_OF(t); i++)
        for (int m = 0; m < 3; m++)
            for (int o = 0; o < 2; o++)
                if (case_begin(format("%s-mode%d-%s", t[i].n, m, o ? "other" : "same"))) {
                    CUcontext c = 0;
                    cuda.cuDevicePrimaryCtxRetain(&c, device);
                    other_context = context_new();
                    created_context = 0;
                    cuda.cuCtxSetCurrent(context);
                    CUresult b = cuda.cuStreamBeginCapture(streams[0], m);
                    CUresult r = o ? call_in_thread(t[i].f, NULL) : t[i].f(NULL);
                    cuda.cuCtxSetCurrent(context);
                    int st = capture_status(streams[0]);
                    CUgraph g = 0;
                    const char *e = capture_end(streams[0], &g);
                    case_end(r, " begin=%s status=%s end=%s", result_name(b),
                             capture_status_name(st), e);
                    if (created_context)
                        cuda.cuCtxDestroy(created_context);
                    if (t[i].f != destroy || r)
                        cuda.cuCtxDestroy(other_context);
                    cuda.cuCtxSetCurrent(context);
                }
}
