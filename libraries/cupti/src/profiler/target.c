/* SPDX-License-Identifier: MIT */
/* What devices are for profilers: the names of their chips, and what can be profiled on them. */
#include "profiling/counter_data.h"
#include "profiler/params.h"
#include "profiler/session.h"
#include "tool.h"

#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <string.h>

enum { NAME_BYTES = 256 };

/* A capability has several chips where smaller GPUs have their own; those are told by their names.
 */
static const char *chip_of(int capability, const char *gpu)
{
    static const struct {
        int capability;
        const char *gpu, *chip; /* `gpu` is part of the GPU's name */
    } chips[] = {
        {70, "", "GV100"},     {75, "T4", "TU104"},    {75, "", "TU102"},    {80, "", "GA100"},
        {86, "", "GA102"},     {87, "", "GA10B"},      {89, "L40", "AD102"}, {89, "L4", "AD104"},
        {89, "4080", "AD103"}, {89, "", "AD102"},      {90, "", "GH100"},    {100, "", "GB100"},
        {110, "", "GB10B"},    {120, "5080", "GB203"}, {120, "", "GB202"},   {121, "", "GB20B"},
    };

    for (size_t i = 0; i < sizeof(chips) / sizeof(*chips); i++)
        if (chips[i].capability == capability && strstr(gpu, chips[i].gpu))
            return chips[i].chip;
    return NULL;
}

/* NULL: the device does not exist, or is older than all chips that can be profiled. */
static const char *chip_of_device(CUdevice device)
{
    const struct lib_driver *cuda = lib_driver();
    char name[NAME_BYTES] = "";
    int major = 0, minor = 0;
    bool entered = tool_enter();

    if (cuda && cuda->device_get_name(name, sizeof(name), device) == CUDA_SUCCESS) {
        cuda->device_get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
        cuda->device_get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    }
    tool_leave(entered);
    return chip_of(10 * major + minor, name);
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *pParams)
{
    const char *chip;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Device_GetChipName_Params))
        return CUPTI_ERROR_INVALID_PARAMETER;
    chip = chip_of_device((CUdevice)pParams->deviceIndex);
    if (!chip)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->pChipName = chip;
    return CUPTI_SUCCESS;
}

static bool device_exists(CUdevice device)
{
    int supported = 0;

    return cuptiDeviceSupported(device, &supported) == CUPTI_SUCCESS;
}

/* Ranges and program counters are counted; SASS metrics and samples over time are not. */
CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *pParams)
{
    const CUpti_Profiler_Support_Level yes = CUPTI_PROFILER_CONFIGURATION_SUPPORTED,
                                       no = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_DeviceSupported_Params) ||
        !device_exists(pParams->cuDevice))
        return CUPTI_ERROR_INVALID_PARAMETER;
    if ((unsigned)pParams->api >= CUPTI_PROFILER_UNKNOWN) {
        pParams->isSupported = no;
        return CUPTI_ERROR_UNKNOWN;
    }
    bool is_counted = pParams->api == CUPTI_PROFILER_RANGE_PROFILING ||
                      pParams->api == CUPTI_PROFILER_PC_SAMPLING;
    pParams->architecture = is_counted && chip_of_device(pParams->cuDevice) ? yes : no;
    pParams->isSupported = pParams->architecture;
    pParams->sli = pParams->vGpu = pParams->confidentialCompute = yes;
    pParams->cmp = pParams->wsl = yes;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Initialize_Params))
        return CUPTI_ERROR_INVALID_PARAMETER;
    return lib_driver() ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_INITIALIZED;
}

CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *pParams)
{
    return PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_DeInitialize_Params)
               ? CUPTI_SUCCESS
               : CUPTI_ERROR_INVALID_PARAMETER;
}

/* All counters are there for everybody. */
CUptiResult
cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_GetCounterAvailability_Params))
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!session_context(pParams->ctx))
        return CUPTI_ERROR_INVALID_CONTEXT;
    if (pParams->pCounterAvailabilityImage) {
        if (pParams->counterAvailabilityImageSize < AVAILABILITY_BYTES)
            return CUPTI_ERROR_INVALID_PARAMETER;
        availability_make(pParams->pCounterAvailabilityImage);
    }
    pParams->counterAvailabilityImageSize = AVAILABILITY_BYTES;
    return CUPTI_SUCCESS;
}
