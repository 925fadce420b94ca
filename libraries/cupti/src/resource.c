/* SPDX-License-Identifier: MIT */
/* Callbacks of resources that come and go, and of waits that are over. They follow from calls of
 * the driver: what is made is told when the call has ended, what is destroyed when it begins. */
#include "profiler/sampling.h"
#include "tool.h"

#include <stdatomic.h>

static CUcontext current_context(void)
{
    CUcontext context = NULL;

    lib_driver()->context_get_current(&context);
    return context;
}

static void tell(CUpti_CallbackIdResource id, CUcontext context, CUstream stream, void *descriptor)
{
    CUpti_ResourceData data = {
        .context = context, .resourceHandle.stream = stream, .resourceDescriptor = descriptor};

    if (tool_wants_callback(CUPTI_CB_DOMAIN_RESOURCE, id))
        tool_call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

static void tell_wait(CUpti_CallbackIdSync id, CUstream stream)
{
    CUpti_SynchronizeData data = {.context = current_context(), .stream = stream};

    if (tool_wants_callback(CUPTI_CB_DOMAIN_SYNCHRONIZE, id))
        tool_call_back(CUPTI_CB_DOMAIN_SYNCHRONIZE, id, &data);
}

uint32_t tool_module_id(const void *module)
{
    return (uint32_t)((uintptr_t)module >> 4);
}

/* cupipe's modules are PTX: what they show as machine code is an image without any. */
static void tell_module(CUpti_CallbackIdResource id, const void *handle)
{
    CUpti_ModuleResourceData data = {.moduleId = tool_module_id(handle)};

    data.pCubin = sampling_cubin(&data.cubinSize);
    tell(id, current_context(), NULL, &data);
}

static void tell_attribute(const void *params)
{
    const struct {
        CUstream stream;
        CUstreamAttrID attribute;
        const CUstreamAttrValue *value;
    } *given = params;
    CUpti_StreamAttrData data = {given->stream, given->attribute, given->value};

    tell(CUPTI_CBID_RESOURCE_STREAM_ATTRIBUTE_CHANGED, NULL, NULL, &data);
}

/* The primary context exists after the first of these calls that are not undone. A new context is
 * current while tools are told of it: they ask for its device, and configure profilers for it. */
static void tell_context(const struct cupipe_call *call)
{
    static _Atomic uint32_t last_seen;
    CUcontext context = **(CUcontext *const *)call->params, current = current_context();
    uint32_t before;

    if (!tool_is_new_context(context, &last_seen, &before))
        return;
    lib_driver()->context_set_current(context);
    tell(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, context, NULL, NULL);
    lib_driver()->context_set_current(current);
}

static void call_ended(const struct cupipe_call *call, uint32_t id)
{
    void *const *params = call->params;

    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuInit:
        if (tool_wants_callback(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED))
            tool_call_back(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, NULL);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuCtxCreate_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxCreate_v3:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxCreate_v4:
    case CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRetain:
        tell_context(call);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamCreate:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamCreateWithPriority:
        tell(CUPTI_CBID_RESOURCE_STREAM_CREATED, current_context(), *(CUstream *)params[0], NULL);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoad:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary:
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData:
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile:
        tell_module(CUPTI_CBID_RESOURCE_MODULE_LOADED, *(void **)params[0]);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSetAttribute:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSetAttribute_ptsz:
        tell_attribute(params);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz:
        tell_wait(CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED, (CUstream)params[0]);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2:
        tell_wait(CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED, NULL);
        break;
    default:
        break;
    }
}

static void call_begins(const struct cupipe_call *call, uint32_t id)
{
    void *const *params = call->params;

    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2:
        tell(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, (CUcontext)params[0], NULL, NULL);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2:
        tell(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, current_context(), NULL, NULL);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2:
        tell(CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, current_context(), (CUstream)params[0],
             NULL);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuModuleUnload:
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload:
        tell_module(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, params[0]);
        break;
    default:
        break;
    }
}

void tool_resource_call(const struct cupipe_call *call, uint32_t id)
{
    if (!tool_wants_callbacks())
        return;
    tool_graph_call(call, id);
    if (!call->has_ended)
        call_begins(call, id);
    else if (call->result == CUDA_SUCCESS)
        call_ended(call, id);
}
