/* SPDX-License-Identifier: MIT */
/* The tool of test_injection.c: counts how often it is started and the allocations that it hears of
 * from CUPTI. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>

extern _Atomic int tool_starts, tool_allocations;
_Atomic int tool_starts, tool_allocations;

int InitializeInjection(void);

static void on_event(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                     const void *given)
{
    const CUpti_CallbackData *call = given;

    (void)data, (void)domain, (void)id;
    tool_allocations += call->callbackSite == CUPTI_API_EXIT;
}

/* CUDA can be called, the runtime too: the driver is initialised. */
int InitializeInjection(void)
{
    CUpti_SubscriberHandle subscriber;
    int devices = 0;

    if (cuInit(0) == CUDA_SUCCESS && cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 &&
        cuptiSubscribe(&subscriber, on_event, NULL) == CUPTI_SUCCESS &&
        cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                            CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2) == CUPTI_SUCCESS)
        tool_starts++;
    return 0;
}
