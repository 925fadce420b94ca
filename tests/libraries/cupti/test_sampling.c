/* SPDX-License-Identifier: MIT */
/* Sampling of program counters, and the lines that they belong to. */
#include "cupti_test.h"

#include <cupti_pcsampling.h>

#define PARAMS(type, ...) (&(type){.size = type##Size, __VA_ARGS__})

enum { PCS = 64, REASONS_MAX = 64, PERIOD = 5, BLOCKS = 1024 };

/* Each warp executes ten instructions, five of which are of line 7. */
static const char ptx_lines[] = ".version 7.0\n"
                                ".target sm_70\n"
                                ".address_size 64\n"
                                ".visible .entry lines(.param .u64 p)\n"
                                "{\n"
                                ".reg .u64 %rd<4>;\n"
                                ".reg .u32 %r<8>;\n"
                                ".loc 1 5 0\n"
                                "ld.param.u64 %rd1, [p];\n"
                                "cvta.to.global.u64 %rd2, %rd1;\n"
                                ".loc 1 7 0\n"
                                "ld.global.u32 %r1, [%rd2];\n"
                                "add.u32 %r2, %r1, 1;\n"
                                "mul.lo.u32 %r3, %r2, %r1;\n"
                                "xor.b32 %r4, %r3, %r2;\n"
                                "add.u32 %r5, %r4, %r1;\n"
                                ".loc 1 9 0\n"
                                "and.b32 %r6, %r5, 1;\n"
                                "st.global.u32 [%rd2+4], %r6;\n"
                                "ret;\n"
                                "}\n"
                                ".file 1 \"/source/lines.cu\"\n";

static CUcontext context;
static CUpti_PCSamplingData data;
static const void *cubin;
static size_t cubin_bytes;

static CUptiResult set(CUpti_PCSamplingConfigurationInfo info)
{
    CUptiResult result = cuptiPCSamplingSetConfigurationAttribute(
        PARAMS(CUpti_PCSamplingConfigurationInfoParams, .ctx = context, .numAttributes = 1,
               .pPCSamplingConfigurationInfo = &info));

    check(result == info.attributeStatus);
    return result;
}

static CUptiResult set_period(uint32_t period)
{
    CUpti_PCSamplingConfigurationInfo info = {
        .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD};

    info.attributeData.samplingPeriodData.samplingPeriod = period;
    return set(info);
}

static void set_buffer(void)
{
    CUpti_PCSamplingConfigurationInfo buffer = {
        .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER};
    CUpti_PCSamplingConfigurationInfo control = {
        .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL};
    static CUpti_PCSamplingData own;

    for (int side = 0; side < 2; side++) {
        CUpti_PCSamplingData *each = side ? &own : &data;

        each->size = sizeof(*each);
        each->collectNumPcs = PCS;
        each->pPcData = calloc(PCS, sizeof(*each->pPcData));
        for (int i = 0; i < PCS; i++)
            each->pPcData[i].stallReason = calloc(REASONS_MAX, sizeof(CUpti_PCSamplingStallReason));
    }
    buffer.attributeData.samplingDataBufferData.samplingDataBuffer = &own;
    control.attributeData.enableStartStopControlData.enableStartStopControl = 1;
    check_done(set(buffer));
    check_done(set(control));
}

static CUptiResult enable(void)
{
    return cuptiPCSamplingEnable(PARAMS(CUpti_PCSamplingEnableParams, .ctx = context));
}

static CUptiResult disable(void)
{
    return cuptiPCSamplingDisable(PARAMS(CUpti_PCSamplingDisableParams, .ctx = context));
}

static CUptiResult start(void)
{
    return cuptiPCSamplingStart(PARAMS(CUpti_PCSamplingStartParams, .ctx = context));
}

static CUptiResult stop(void)
{
    return cuptiPCSamplingStop(PARAMS(CUpti_PCSamplingStopParams, .ctx = context));
}

static void take(void)
{
    check_done(cuptiPCSamplingGetData(
        PARAMS(CUpti_PCSamplingGetDataParams, .ctx = context, .pcSamplingData = &data)));
}

TEST(sampling_is_configured_and_started)
{
    size_t reasons = 0;
    CUpti_PCSamplingGetNumStallReasonsParams count = {
        .size = CUpti_PCSamplingGetNumStallReasonsParamsSize, .numStallReasons = &reasons};

    context = with_context();
    count.ctx = context;
    check_done(enable());
    check_done(cuptiPCSamplingGetNumStallReasons(&count));
    check(reasons >= 1);
    check(set_period(4) == CUPTI_ERROR_INVALID_PARAMETER);
    check(set_period(32) == CUPTI_ERROR_INVALID_PARAMETER);
    check_done(set_period(31));
    check(start() == CUPTI_ERROR_INVALID_OPERATION); /* not without a buffer */
    set_buffer();
    check_done(start());
    check_done(stop());
    check_done(disable());
}

/* What calls in another order answer is not documented. */
TEST(sampling_tells_of_a_wrong_order)
{
    size_t reasons = 0;
    CUpti_PCSamplingGetNumStallReasonsParams count = {
        .size = CUpti_PCSamplingGetNumStallReasonsParamsSize, .numStallReasons = &reasons};

    context = with_context();
    count.ctx = context;
    only_cupipe();
    check(cuptiPCSamplingGetNumStallReasons(&count) == CUPTI_ERROR_INVALID_OPERATION);
    check_done(enable());
    check_done(enable());
    set_buffer();
    check(stop() == CUPTI_ERROR_INVALID_OPERATION);
    check_done(start());
    check_done(start());
    check_done(stop());
    check(stop() == CUPTI_ERROR_INVALID_OPERATION);
    check_done(disable());
    check(disable() == CUPTI_ERROR_INVALID_OPERATION);
}

static void see_module(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                       const void *told)
{
    const CUpti_ResourceData *resource = told;

    (void)user, (void)domain;
    if (id != CUPTI_CBID_RESOURCE_MODULE_LOADED)
        return;
    const CUpti_ModuleResourceData *module = resource->resourceDescriptor;
    cubin = module->pCubin;
    cubin_bytes = module->cubinSize;
}

static CUfunction load_lines(void)
{
    CUpti_SubscriberHandle subscriber;
    CUmodule module;
    CUfunction function;

    check_done(cuptiSubscribe(&subscriber, see_module, NULL));
    check_done(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE));
    check_success(cuModuleLoadData(&module, ptx_lines));
    check_success(cuModuleGetFunction(&function, module, "lines"));
    check_done(cuptiUnsubscribe(subscriber));
    return function;
}

static void launch_lines(CUfunction function, CUdeviceptr memory)
{
    void *params[] = {&memory};

    check_success(cuLaunchKernel(function, BLOCKS, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
}

static void check_line(const CUpti_PCSamplingPCData *pc, uint64_t *of_line_7)
{
    CUpti_GetSassToSourceCorrelationParams where = {.size =
                                                        CUpti_GetSassToSourceCorrelationParamsSize,
                                                    .cubin = cubin,
                                                    .cubinSize = cubin_bytes,
                                                    .functionName = pc->functionName,
                                                    .pcOffset = pc->pcOffset};

    check(strcmp(pc->functionName, "lines") == 0);
    check_done(cuptiGetSassToSourceCorrelation(&where));
    check(strcmp(where.fileName, "lines.cu") == 0 && strcmp(where.dirName, "/source") == 0);
    check(where.lineNumber == 5 || where.lineNumber == 7 || where.lineNumber == 9);
    if (where.lineNumber == 7)
        *of_line_7 += pc->stallReason[0].samples;
    free(where.fileName);
    free(where.dirName);
    free(pc->functionName);
}

TEST(samples_belong_to_lines)
{
    CUpti_GetCubinCrcParams crc = {.size = CUpti_GetCubinCrcParamsSize};
    uint64_t of_line_7 = 0;
    CUdeviceptr memory;

    context = with_context();
    only_cupipe(); /* counts exactly */
    check_success(cuMemAlloc(&memory, 4096));
    check_success(cuMemsetD32(memory, 3, 1024));
    check_done(enable());
    check_done(set_period(PERIOD));
    set_buffer();
    CUfunction function = load_lines();
    launch_lines(function, memory);
    check_done(start());
    launch_lines(function, memory);
    check_done(stop());
    launch_lines(function, memory);
    take();
    check(data.totalNumPcs == 10 && data.remainingNumPcs == 0);
    check(data.totalSamples == 10 * BLOCKS >> PERIOD && data.droppedSamples == 0);
    crc.cubin = cubin;
    crc.cubinSize = cubin_bytes;
    check_done(cuptiGetCubinCrc(&crc));
    for (size_t i = 0; i < data.totalNumPcs; i++) {
        check(data.pPcData[i].cubinCrc == crc.cubinCrc && data.pPcData[i].correlationId == 0);
        check_line(&data.pPcData[i], &of_line_7);
    }
    check(of_line_7 == 5 * BLOCKS >> PERIOD);
    take();
    check(data.totalNumPcs == 0 && data.totalSamples == 0);
    check_done(disable());
}

TEST(few_program_counters_at_a_time)
{
    size_t taken = 0;
    CUdeviceptr memory;

    context = with_context();
    only_cupipe();
    check_success(cuMemAlloc(&memory, 4096));
    check_done(enable());
    check_done(set_period(PERIOD));
    set_buffer();
    CUfunction function = load_lines();
    check_done(start());
    launch_lines(function, memory);
    check_done(stop());
    data.collectNumPcs = 4;
    do {
        take();
        taken += data.totalNumPcs;
        check(taken + data.remainingNumPcs == 10);
    } while (data.remainingNumPcs > 0);
    check(taken == 10);
}
