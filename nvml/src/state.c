/* SPDX-License-Identifier: MIT */
/* Clocks, modes and errors of a device. Clocks are those of the emulated model; they never
 * change. Sensors, which the host's processor does not have for us, are not supported. */
#include "device.h"
#include "nvml_impl.h"

enum { KHZ_PER_MHZ = 1000 };

nvmlReturn_t nvml_impl_nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type,
                                              unsigned int *clock)
{
    if (!clock || (unsigned)type >= NVML_CLOCK_COUNT)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (type == NVML_CLOCK_VIDEO)
        return NVML_ERROR_NOT_SUPPORTED; /* there is no codec */
    *clock = (unsigned)nvml_attribute(device, type == NVML_CLOCK_MEM
                                                  ? CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE
                                                  : CU_DEVICE_ATTRIBUTE_CLOCK_RATE) /
             KHZ_PER_MHZ;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t type,
                                          nvmlClockId_t id, unsigned int *clockMHz)
{
    if ((unsigned)id >= NVML_CLOCK_ID_COUNT)
        return NVML_ERROR_INVALID_ARGUMENT;
    return nvml_impl_nvmlDeviceGetClockInfo(device, type, clockMHz);
}

static nvmlReturn_t only_clock(nvmlDevice_t device, nvmlClockType_t type, unsigned int *count,
                               unsigned int *clocks)
{
    unsigned room;

    if (!count)
        return NVML_ERROR_INVALID_ARGUMENT;
    room = *count;
    *count = 1;
    if (room < 1 || !clocks)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    return nvml_impl_nvmlDeviceGetClockInfo(device, type, clocks);
}

nvmlReturn_t nvml_impl_nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned int *count,
                                                          unsigned int *clocksMHz)
{
    return only_clock(device, NVML_CLOCK_MEM, count, clocksMHz);
}

nvmlReturn_t nvml_impl_nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t device,
                                                            unsigned int memoryClockMHz,
                                                            unsigned int *count,
                                                            unsigned int *clocksMHz)
{
    unsigned memory = 0;

    nvml_impl_nvmlDeviceGetClockInfo(device, NVML_CLOCK_MEM, &memory);
    if (memory != memoryClockMHz)
        return NVML_ERROR_NOT_FOUND;
    return only_clock(device, NVML_CLOCK_GRAPHICS, count, clocksMHz);
}

/* One state, then as many unknown ones as there is room for. */
nvmlReturn_t nvml_impl_nvmlDeviceGetSupportedPerformanceStates(nvmlDevice_t device,
                                                               nvmlPstates_t *pstates,
                                                               unsigned int size)
{
    (void)device;
    if (!pstates)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (size < sizeof(*pstates))
        return NVML_ERROR_INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < size / sizeof(*pstates); i++)
        pstates[i] = i == 0 ? NVML_PSTATE_0 : NVML_PSTATE_UNKNOWN;
    return NVML_SUCCESS;
}

/* For answers that are a constant of every device. */
#define CONSTANT(function, type, constant)                                                         \
    nvmlReturn_t nvml_impl_##function(nvmlDevice_t device, type *value)                            \
    {                                                                                              \
        (void)device;                                                                              \
        if (!value)                                                                                \
            return NVML_ERROR_INVALID_ARGUMENT;                                                    \
        *value = constant;                                                                         \
        return NVML_SUCCESS;                                                                       \
    }

/* Nothing lowers the clocks, and nothing could. */
CONSTANT(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long, 0)
CONSTANT(nvmlDeviceGetSupportedClocksEventReasons, unsigned long long, 0)
CONSTANT(nvmlDeviceGetPerformanceState, nvmlPstates_t, NVML_PSTATE_0)
CONSTANT(nvmlDeviceGetNumFans, unsigned int, 0)

/* No process of the driver's outlives its users; no display; no records of processes that ended;
 * not in a virtual machine of its own; not divided. */
CONSTANT(nvmlDeviceGetPersistenceMode, nvmlEnableState_t, NVML_FEATURE_DISABLED)
CONSTANT(nvmlDeviceGetDisplayMode, nvmlEnableState_t, NVML_FEATURE_DISABLED)
CONSTANT(nvmlDeviceGetAccountingMode, nvmlEnableState_t, NVML_FEATURE_DISABLED)
CONSTANT(nvmlDeviceGetVirtualizationMode, nvmlGpuVirtualizationMode_t,
         NVML_GPU_VIRTUALIZATION_MODE_NONE)
CONSTANT(nvmlDeviceGetMaxMigDeviceCount, unsigned int, 0)
CONSTANT(nvmlDeviceIsMigDeviceHandle, unsigned int, 0)
CONSTANT(nvmlDeviceGetRetiredPagesPendingStatus, nvmlEnableState_t, NVML_FEATURE_DISABLED)

nvmlReturn_t nvml_impl_nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *currentMode,
                                            unsigned int *pendingMode)
{
    (void)device;
    if (!currentMode || !pendingMode)
        return NVML_ERROR_INVALID_ARGUMENT;
    *currentMode = *pendingMode = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned int index,
                                                           nvmlDevice_t *migDevice)
{
    (void)device;
    (void)index;
    return migDevice ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode)
{
    if (!mode)
        return NVML_ERROR_INVALID_ARGUMENT;
    *mode = (nvmlComputeMode_t)nvml_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetDefaultEccMode(nvmlDevice_t device,
                                                   nvmlEnableState_t *defaultMode)
{
    if (!defaultMode)
        return NVML_ERROR_INVALID_ARGUMENT;
    *defaultMode = nvml_attribute(device, CU_DEVICE_ATTRIBUTE_ECC_ENABLED) ? NVML_FEATURE_ENABLED
                                                                           : NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current,
                                            nvmlEnableState_t *pending)
{
    if (!current || !pending)
        return NVML_ERROR_INVALID_ARGUMENT;
    nvml_impl_nvmlDeviceGetDefaultEccMode(device, current);
    *pending = *current;
    return NVML_SUCCESS;
}

/* Errors of the host's memory are the host's; the driver sees none. */
nvmlReturn_t nvml_impl_nvmlDeviceGetTotalEccErrors(nvmlDevice_t device,
                                                   nvmlMemoryErrorType_t errorType,
                                                   nvmlEccCounterType_t counterType,
                                                   unsigned long long *eccCounts)
{
    if (!eccCounts || (unsigned)errorType >= NVML_MEMORY_ERROR_TYPE_COUNT ||
        (unsigned)counterType >= NVML_ECC_COUNTER_TYPE_COUNT)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (!nvml_attribute(device, CU_DEVICE_ATTRIBUTE_ECC_ENABLED))
        return NVML_ERROR_NOT_SUPPORTED;
    *eccCounts = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts(
    nvmlDevice_t device, nvmlEccSramUniqueUncorrectedErrorCounts_t *errorCounts)
{
    if (!errorCounts)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (errorCounts->version != nvmlEccSramUniqueUncorrectedErrorCounts_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (!nvml_attribute(device, CU_DEVICE_ATTRIBUTE_ECC_ENABLED))
        return NVML_ERROR_NOT_SUPPORTED;
    errorCounts->entryCount = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetRetiredPages_v2(nvmlDevice_t device,
                                                    nvmlPageRetirementCause_t cause,
                                                    unsigned int *pageCount,
                                                    unsigned long long *addresses,
                                                    unsigned long long *timestamps)
{
    (void)device;
    (void)addresses;
    (void)timestamps;
    if (!pageCount || (unsigned)cause >= NVML_PAGE_RETIREMENT_CAUSE_COUNT)
        return NVML_ERROR_INVALID_ARGUMENT;
    *pageCount = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetRetiredPages(nvmlDevice_t device,
                                                 nvmlPageRetirementCause_t cause,
                                                 unsigned int *pageCount,
                                                 unsigned long long *addresses)
{
    return nvml_impl_nvmlDeviceGetRetiredPages_v2(device, cause, pageCount, addresses, NULL);
}

nvmlReturn_t nvml_impl_nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned int *corrRows,
                                                 unsigned int *uncRows, unsigned int *isPending,
                                                 unsigned int *failureOccurred)
{
    (void)device;
    if (!corrRows || !uncRows || !isPending || !failureOccurred)
        return NVML_ERROR_INVALID_ARGUMENT;
    *corrRows = *uncRows = *isPending = *failureOccurred = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetRemappedRows_v2(nvmlDevice_t device,
                                                    nvmlRemappedRowsInfo_v2_t *info)
{
    (void)device;
    if (!info)
        return NVML_ERROR_INVALID_ARGUMENT;
    *info = (nvmlRemappedRowsInfo_v2_t){0};
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_impl_nvmlDeviceGetRepairStatus(nvmlDevice_t device,
                                                 nvmlRepairStatus_t *repairStatus)
{
    (void)device;
    if (!repairStatus)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (repairStatus->version != nvmlRepairStatus_v1)
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    repairStatus->bChannelRepairPending = repairStatus->bTpcRepairPending = 0;
    return NVML_SUCCESS;
}

CONSTANT(nvmlDeviceGetUnrepairableMemoryFlag_v1, nvmlUnrepairableMemoryStatus_v1_t,
         (nvmlUnrepairableMemoryStatus_v1_t){0})

/* Each field has a result of its own. All are counters of hardware that is not emulated. */
nvmlReturn_t nvml_impl_nvmlDeviceGetFieldValues(nvmlDevice_t device, int valuesCount,
                                                nvmlFieldValue_t *values)
{
    (void)device;
    if (!values || valuesCount <= 0)
        return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < valuesCount; i++)
        values[i].nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
    return NVML_SUCCESS;
}
