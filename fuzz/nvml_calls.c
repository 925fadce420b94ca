/* SPDX-License-Identifier: MIT */
/* The calls of NVML's fuzzer: those whose arguments can be drawn by their types, and by hand those
 * that wait, and with pointers in structures. */
#include "calls.h"

#define NVML_NO_UNVERSIONED_FUNC_DEFS /* old names are functions of their own */
#include <nvml.h>
#include <string.h>

enum { LIST = 8 };

/* A structure whose version is as a rule right. */
static void *draw_versioned(struct draw *draw, size_t size)
{
    unsigned *structure = draw_buffer(draw);

    if (structure && draw_below(draw, 4))
        *structure = (unsigned)size | (1 + draw_below(draw, 3)) << 24;
    return structure;
}

static CUresult start(struct draw *draw)
{
    nvmlDevice_t device;
    unsigned way = draw_below(draw, 16);

    if (way == 0)
        return (CUresult)nvmlShutdown();
    if (way == 1)
        return (CUresult)nvmlInitWithFlags((unsigned)draw_number(draw));
    if (way == 2)
        return nvmlErrorString((nvmlReturn_t)draw_number(draw)) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
    nvmlReturn_t result = draw_below(draw, 4) ? nvmlInit_v2() : nvmlInit();
    if (result == NVML_SUCCESS &&
        nvmlDeviceGetHandleByIndex_v2(draw_below(draw, 3), &device) == NVML_SUCCESS)
        keep(draw, KIND_nvmlDevice, (uintptr_t)device);
    return (CUresult)result;
}

static CUresult list_processes(struct draw *draw)
{
    nvmlProcessDetail_v1_t details[LIST];
    nvmlProcessDetailList_t list = {.version = nvmlProcessDetailList_v1,
                                    .mode = (unsigned)draw_number(draw),
                                    .numProcArrayEntries = draw_below(draw, LIST + 1),
                                    .procArray = draw_below(draw, 4) ? details : NULL};

    memset(details, 0, sizeof(details));
    if (draw_below(draw, 8) == 0)
        list.version = (unsigned)draw_number(draw);
    return (CUresult)nvmlDeviceGetRunningProcessDetailList(draw_handle(draw, KIND_nvmlDevice),
                                                           &list);
}

static CUresult list_utilization(struct draw *draw)
{
    nvmlProcessUtilizationInfo_v1_t used[LIST];
    nvmlProcessesUtilizationInfo_t list = {.version = nvmlProcessesUtilizationInfo_v1,
                                           .processSamplesCount = draw_below(draw, LIST + 1),
                                           .lastSeenTimeStamp = draw_number(draw),
                                           .procUtilArray = draw_below(draw, 4) ? used : NULL};

    return (CUresult)nvmlDeviceGetProcessesUtilizationInfo(draw_handle(draw, KIND_nvmlDevice),
                                                           &list);
}

static CUresult wait_for_device(struct draw *draw)
{
    nvmlEventSet_t set = (nvmlEventSet_t)draw_handle(draw, KIND_nvmlEventSet);
    nvmlEventSetWait_v3_t parameters = {.timeoutMs = draw_below(draw, 4)};
    nvmlEventData_t data;

    switch (draw_below(draw, 3)) {
    case 0:
        return (CUresult)nvmlEventSetWait(set, &data, draw_below(draw, 4));
    case 1:
        return (CUresult)nvmlEventSetWait_v2(set, &data, draw_below(draw, 4));
    default:
        return (CUresult)nvmlEventSetWait_v3(set, &parameters);
    }
}

static CUresult wait_for_system(struct draw *draw)
{
    nvmlSystemEventData_v1_t data[LIST];
    nvmlSystemEventSetWaitRequest_t request = {.version = nvmlSystemEventSetWaitRequest_v1,
                                               .timeoutms = draw_below(draw, 4),
                                               .data = data,
                                               .dataSize = draw_below(draw, LIST + 1)};

    memcpy(&request.set, draw_struct(draw), sizeof(request.set));
    return (CUresult)nvmlSystemEventSetWait(&request);
}

static CUresult count_errors(struct draw *draw)
{
    nvmlEccSramUniqueUncorrectedErrorEntry_v1_t entries[LIST];
    nvmlEccSramUniqueUncorrectedErrorCounts_t counts = {
        .version = nvmlEccSramUniqueUncorrectedErrorCounts_v1,
        .entryCount = draw_below(draw, LIST + 1),
        .entries = draw_below(draw, 2) ? entries : NULL};

    return (CUresult)nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts(
        draw_handle(draw, KIND_nvmlDevice), &counts);
}

#include "fuzz_nvml_calls.h"

static const struct call own[] = {
    {"start", start},
    {"start", start},
    {"list processes", list_processes},
    {"list utilization", list_utilization},
    {"wait for a device", wait_for_device},
    {"wait for the system", wait_for_system},
    {"count errors", count_errors},
};

enum {
    OWN = sizeof(own) / sizeof(own[0]),
    GENERATED = sizeof(generated_calls) / sizeof(generated_calls[0]),
};

const struct call *call_draw(struct draw *draw)
{
    return draw_below(draw, 12) ? &generated_calls[draw_below(draw, GENERATED)]
                                : &own[draw_below(draw, OWN)];
}

unsigned call_count(void)
{
    return GENERATED + CALLED_BY_HAND;
}

void calls_begin_program(void)
{
    nvmlInit_v2();
}

void calls_begin_thread(bool has_gl)
{
    (void)has_gl;
}
