/* SPDX-License-Identifier: MIT */
/* Program counters by context: samples are kept until the tool takes them. */
#include "profiler/params.h"
#include "profiler/sampling.h"

#include "lock.h"
#include "tool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    PERIOD_MIN = 5,
    PERIOD_MAX = 31,
    /* The one of NVIDIA's reasons that counts tell: the warp issues the instruction. */
    REASON_SELECTED = 28,
};

struct sample {
    struct sampling_place *place;
    uint32_t correlation; /* 0: of all launches together */
    uint64_t samples;
};

/* What the tool configures. Sizes, the time of sleep and the buffer are kept and mean nothing here:
 * samples go to the buffer of the call that takes them. */
struct settings {
    uint32_t period;
    uint32_t mode;
    uint32_t has_start_stop;
    uint32_t sleep_ms;
    size_t scratch_bytes, hardware_bytes;
    void *buffer; /* NULL: none yet */
};

struct sampler {
    struct sampler *next;
    CUcontext context;
    uint32_t context_id;
    struct settings settings;
    bool is_started;
    uint64_t ranges, phase; /* phase: instructions since the last sample */
    struct sample *samples; /* from `taken` on they remain to be taken */
    size_t count, room, taken;
};

#define IS_GIVEN(params, type) (SAMPLING_PARAMS_GIVEN(params, type) && (params)->ctx)

TOOL_LOCK(lock)
static struct sampler *samplers; /* guarded by lock, with all that they have */
static _Atomic unsigned running_count;

static struct sampler **slot_locked(CUcontext context)
{
    struct sampler **slot = &samplers;

    while (*slot && (*slot)->context != context)
        slot = &(*slot)->next;
    return slot;
}

static bool is_running(const struct sampler *sampler)
{
    return sampler->is_started || !sampler->settings.has_start_stop;
}

bool sampling_is_on(void)
{
    return atomic_load(&running_count) != 0;
}

static CUptiResult update_locked(void)
{
    unsigned running = 0;

    for (const struct sampler *each = samplers; each; each = each->next)
        running += is_running(each);
    atomic_store(&running_count, running);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams *pParams)
{
    uint32_t id = 0;

    if (!IS_GIVEN(pParams, CUpti_PCSamplingEnableParams))
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (cuptiGetContextId(pParams->ctx, &id) != CUPTI_SUCCESS || id == 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    (void)tool_wait_for_kernels(pParams->ctx);
    pthread_mutex_lock(&lock);
    struct sampler **slot = slot_locked(pParams->ctx);
    if (!*slot && (*slot = calloc(1, sizeof(**slot))))
        **slot = (struct sampler){.context = pParams->ctx,
                                  .context_id = id,
                                  .settings = {.period = 11,
                                               .mode = CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS,
                                               .scratch_bytes = 1 << 20,
                                               .hardware_bytes = 512 << 20,
                                               .sleep_ms = 100}};
    CUptiResult result = *slot ? update_locked() : CUPTI_ERROR_OUT_OF_MEMORY;
    pthread_mutex_unlock(&lock);
    return result == CUPTI_SUCCESS ? tool_update() : result;
}

CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams *pParams)
{
    struct sampler **slot, *gone;

    if (!IS_GIVEN(pParams, CUpti_PCSamplingDisableParams))
        return CUPTI_ERROR_INVALID_PARAMETER;
    (void)tool_wait_for_kernels(pParams->ctx);
    pthread_mutex_lock(&lock);
    slot = slot_locked(pParams->ctx);
    gone = *slot;
    if (gone)
        *slot = gone->next;
    update_locked();
    pthread_mutex_unlock(&lock);
    if (!gone)
        return CUPTI_ERROR_INVALID_OPERATION;
    free(gone->samples);
    free(gone);
    return tool_update();
}

/* Starting twice is no error; stopping twice is. */
static CUptiResult set_started(CUcontext context, bool start)
{
    CUptiResult result = CUPTI_SUCCESS;

    (void)tool_wait_for_kernels(context);
    pthread_mutex_lock(&lock);
    struct sampler *sampler = *slot_locked(context);
    if (!sampler || !sampler->settings.has_start_stop || (!start && !sampler->is_started)) {
        result = CUPTI_ERROR_INVALID_OPERATION;
    } else {
        sampler->is_started = start;
        sampler->ranges += !start;
        update_locked();
    }
    pthread_mutex_unlock(&lock);
    return result == CUPTI_SUCCESS ? tool_update() : result;
}

CUptiResult cuptiPCSamplingStart(CUpti_PCSamplingStartParams *pParams)
{
    if (!IS_GIVEN(pParams, CUpti_PCSamplingStartParams))
        return CUPTI_ERROR_INVALID_PARAMETER;
    return set_started(pParams->ctx, true);
}

CUptiResult cuptiPCSamplingStop(CUpti_PCSamplingStopParams *pParams)
{
    if (!IS_GIVEN(pParams, CUpti_PCSamplingStopParams))
        return CUPTI_ERROR_INVALID_PARAMETER;
    return set_started(pParams->ctx, false);
}

CUptiResult cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams *pParams)
{
    if (!IS_GIVEN(pParams, CUpti_PCSamplingGetNumStallReasonsParams) || !pParams->numStallReasons)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    bool enabled = *slot_locked(pParams->ctx) != NULL;
    pthread_mutex_unlock(&lock);
    if (!enabled)
        return CUPTI_ERROR_INVALID_OPERATION;
    *pParams->numStallReasons = 1;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *pParams)
{
    if (!IS_GIVEN(pParams, CUpti_PCSamplingGetStallReasonsParams) || pParams->numStallReasons < 1 ||
        !pParams->stallReasonIndex || !pParams->stallReasons || !pParams->stallReasons[0])
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->stallReasonIndex[0] = REASON_SELECTED;
    strcpy(pParams->stallReasons[0], "smsp__pcsamp_warps_issue_stalled_selected");
    return CUPTI_SUCCESS;
}

/* Where an attribute is kept; 0 bytes: nowhere. */
static const struct {
    uint8_t offset, bytes;
} stored[] = {
#define STORED(type, member)                                                                       \
    [CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_##                                                  \
        type] = {offsetof(struct settings, member), sizeof(((struct settings *)0)->member)}
    STORED(SAMPLING_PERIOD, period),
    STORED(SCRATCH_BUFFER_SIZE, scratch_bytes),
    STORED(HARDWARE_BUFFER_SIZE, hardware_bytes),
    STORED(COLLECTION_MODE, mode),
    STORED(ENABLE_START_STOP_CONTROL, has_start_stop),
    STORED(SAMPLING_DATA_BUFFER, buffer),
    STORED(WORKER_THREAD_PERIODIC_SLEEP_SPAN, sleep_ms),
#undef STORED
};

static bool is_stored(CUpti_PCSamplingConfigurationAttributeType type)
{
    return (unsigned)type < sizeof(stored) / sizeof(*stored) && stored[type].bytes > 0;
}

/* There is one stall reason and one format to be chosen. */
static bool is_allowed(const CUpti_PCSamplingConfigurationInfo *info)
{
    uint32_t period = info->attributeData.samplingPeriodData.samplingPeriod;
    const uint32_t *reasons = info->attributeData.stallReasonData.pStallReasonIndex;

    switch (info->attributeType) {
    case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD:
        return period >= PERIOD_MIN && period <= PERIOD_MAX;
    case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON:
        return info->attributeData.stallReasonData.stallReasonCount == 1 && reasons &&
               reasons[0] == REASON_SELECTED;
    case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT:
        return info->attributeData.outputDataFormatData.outputDataFormat ==
               CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED;
    case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER:
        return info->attributeData.samplingDataBufferData.samplingDataBuffer != NULL;
    default:
        return is_stored(info->attributeType);
    }
}

static CUptiResult set_attribute(struct sampler *sampler,
                                 const CUpti_PCSamplingConfigurationInfo *info)
{
    if (!is_allowed(info))
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (is_stored(info->attributeType))
        memcpy((char *)&sampler->settings + stored[info->attributeType].offset,
               &info->attributeData, stored[info->attributeType].bytes);
    return CUPTI_SUCCESS;
}

/* What the tool has not set, and has no default, cannot be asked for. */
static CUptiResult get_attribute(const struct sampler *sampler,
                                 CUpti_PCSamplingConfigurationInfo *info)
{
    CUpti_PCSamplingConfigurationAttributeType type = info->attributeType;

    if (type == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON ||
        type == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT ||
        (type == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER &&
         !sampler->settings.buffer))
        return CUPTI_ERROR_INVALID_OPERATION;
    if (!is_stored(type))
        return CUPTI_ERROR_INVALID_PARAMETER;
    memcpy(&info->attributeData, (const char *)&sampler->settings + stored[type].offset,
           stored[type].bytes);
    return CUPTI_SUCCESS;
}

/* Each attribute gets a result; that of the call is the last error among them. */
static CUptiResult for_attributes(CUpti_PCSamplingConfigurationInfoParams *params, bool sets)
{
    CUptiResult result = CUPTI_SUCCESS;

    if (!IS_GIVEN(params, CUpti_PCSamplingConfigurationInfoParams) ||
        !params->pPCSamplingConfigurationInfo || params->numAttributes == 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    struct sampler *sampler = *slot_locked(params->ctx);
    for (size_t i = 0; sampler && i < params->numAttributes; i++) {
        CUpti_PCSamplingConfigurationInfo *info = &params->pPCSamplingConfigurationInfo[i];

        info->attributeStatus = sets ? set_attribute(sampler, info) : get_attribute(sampler, info);
        if (info->attributeStatus != CUPTI_SUCCESS)
            result = info->attributeStatus;
    }
    update_locked();
    pthread_mutex_unlock(&lock);
    if (!sampler)
        return CUPTI_ERROR_INVALID_OPERATION;
    return result == CUPTI_SUCCESS && sets ? tool_update() : result;
}

CUptiResult
cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams *pParams)
{
    return for_attributes(pParams, true);
}

CUptiResult
cuptiPCSamplingGetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams *pParams)
{
    return for_attributes(pParams, false);
}

static struct sample *sample_locked(struct sampler *sampler, struct sampling_place *place,
                                    uint32_t correlation)
{
    size_t last = place->last_sample;

    if (last >= sampler->taken && last < sampler->count && sampler->samples[last].place == place &&
        sampler->samples[last].correlation == correlation)
        return &sampler->samples[last];
    if (sampler->count == sampler->room) {
        size_t room = sampler->room ? 2 * sampler->room : 64;
        struct sample *samples = realloc(sampler->samples, room * sizeof(*samples));

        if (!samples)
            return NULL;
        sampler->samples = samples;
        sampler->room = room;
    }
    place->last_sample = sampler->count;
    sampler->samples[sampler->count] = (struct sample){place, correlation, 0};
    return &sampler->samples[sampler->count++];
}

static void sample_kernel_locked(struct sampler *sampler, const struct cupipe_activity *work)
{
    const struct cupipe_driver_table *cupipe = lib_driver()->cupipe;
    bool serialized = sampler->settings.mode == CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED;
    struct cupipe_instruction_count row;

    for (size_t i = 0; i < cupipe->count_instructions(work->kernel.counts); i++) {
        cupipe->read_instruction(work->kernel.counts, i, &row);
        sampler->phase += row.executions;
        uint64_t samples = sampler->phase >> sampler->settings.period;
        sampler->phase &= (1ull << sampler->settings.period) - 1;
        struct sampling_place *place = samples ? sampling_place_of(&row) : NULL;
        struct sample *sample =
            place ? sample_locked(sampler, place, serialized ? work->correlation : 0) : NULL;
        if (sample)
            sample->samples += samples;
    }
}

void sampling_count_kernel(const struct cupipe_activity *work)
{
    if (!sampling_is_on() || work->kind != CUPIPE_ACTIVITY_KERNEL || !work->kernel.counts)
        return;
    pthread_mutex_lock(&lock);
    for (struct sampler *each = samplers; each; each = each->next)
        if (is_running(each) && each->context_id == (uint32_t)work->context_id)
            sample_kernel_locked(each, work);
    pthread_mutex_unlock(&lock);
}

static void write_pc(CUpti_PCSamplingPCData *pc, const struct sample *sample)
{
    CUpti_PCSamplingStallReason *reasons = pc->stallReason;

    *pc = (CUpti_PCSamplingPCData){
        .cubinCrc = sampling_cubin_crc(),
        .pcOffset = (uint64_t)sample->place->position * SAMPLING_PC_BYTES,
        .functionIndex = sample->place->function_number,
        .functionName = strdup(sample->place->function), /* the tool frees it */
        .stallReasonCount = 1,
        .stallReason = reasons,
        .correlationId = sample->correlation,
    };
    reasons[0] = (CUpti_PCSamplingStallReason){REASON_SELECTED, (uint32_t)sample->samples};
}

static void take_locked(struct sampler *sampler, CUpti_PCSamplingData *data)
{
    size_t count = sampler->count - sampler->taken;

    if (count > data->collectNumPcs)
        count = data->collectNumPcs;
    data->totalSamples = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sample *sample = &sampler->samples[sampler->taken + i];

        write_pc(&data->pPcData[i], sample);
        data->totalSamples += sample->samples;
    }
    sampler->taken += count;
    if (sampler->taken == sampler->count)
        sampler->taken = sampler->count = 0;
    data->totalNumPcs = count;
    data->remainingNumPcs = sampler->count - sampler->taken;
    data->rangeId = sampler->ranges;
    data->droppedSamples = 0;
    data->nonUsrKernelsTotalSamples = 0;
    if (data->size > offsetof(CUpti_PCSamplingData, hardwareBufferFull))
        data->hardwareBufferFull = 0;
}

CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *pParams)
{
    CUpti_PCSamplingData *data;

    if (!IS_GIVEN(pParams, CUpti_PCSamplingGetDataParams) || !pParams->pcSamplingData)
        return CUPTI_ERROR_INVALID_PARAMETER;
    data = pParams->pcSamplingData;
    if (data->collectNumPcs > 0 && !data->pPcData)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    struct sampler *sampler = *slot_locked(pParams->ctx);
    if (sampler)
        take_locked(sampler, data);
    pthread_mutex_unlock(&lock);
    return sampler ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}
