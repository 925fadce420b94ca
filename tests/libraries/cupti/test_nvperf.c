/* SPDX-License-Identifier: MIT */
/* The older profiler: images of libnvperf_host, sessions of CUPTI, and values from the first again.
 */
#include "cupti_test.h"

#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <math.h>
#include <nvperf_cuda_host.h>
#include <nvperf_host.h>
#include <nvperf_target.h>

#define PARAMS(type, ...) (&(type){.structSize = type##_STRUCT_SIZE, __VA_ARGS__})
#define check_ok(call) check((call) == NVPA_STATUS_SUCCESS)
#define check_bad(call) check((call) == NVPA_STATUS_INVALID_ARGUMENT)

enum { RANGES = 8, IMAGE_BYTES = 4096 };

static NVPW_MetricsEvaluator *evaluator;
static uint8_t scratch[4096], session_scratch[4096];
static uint8_t *data;
static size_t data_bytes;

static const char *chip(void)
{
    CUpti_Device_GetChipName_Params params = {.structSize =
                                                  CUpti_Device_GetChipName_Params_STRUCT_SIZE};

    check_done(cuptiDeviceGetChipName(&params));
    return params.pChipName;
}

static void make_evaluator(void)
{
    NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params size = {
        .structSize = NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params_STRUCT_SIZE,
        .pChipName = chip()};
    NVPW_CUDA_MetricsEvaluator_Initialize_Params params = {
        .structSize = NVPW_CUDA_MetricsEvaluator_Initialize_Params_STRUCT_SIZE,
        .pChipName = chip(),
        .pScratchBuffer = scratch,
        .scratchBufferSize = sizeof(scratch)};

    check_ok(NVPW_InitializeHost(PARAMS(NVPW_InitializeHost_Params, .pPriv = NULL)));
    check_ok(NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize(&size));
    check(size.scratchBufferSize > 0 && size.scratchBufferSize <= sizeof(scratch));
    check_ok(NVPW_CUDA_MetricsEvaluator_Initialize(&params));
    evaluator = params.pMetricsEvaluator;
}

static NVPA_Status convert(const char *name, NVPW_MetricEvalRequest *request)
{
    return NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest(
        PARAMS(NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest_Params,
               .pMetricsEvaluator = evaluator, .pMetricName = name, .pMetricEvalRequest = request,
               .metricEvalRequestStructSize = NVPW_MetricEvalRequest_STRUCT_SIZE));
}

/* The one raw metric that a metric of cupipe's depends on. */
static const char *dependency(const char *name)
{
    NVPW_MetricEvalRequest request;
    const char *raw[16];
    NVPW_MetricsEvaluator_GetMetricRawDependencies_Params params = {
        .structSize = NVPW_MetricsEvaluator_GetMetricRawDependencies_Params_STRUCT_SIZE,
        .pMetricsEvaluator = evaluator,
        .pMetricEvalRequests = &request,
        .numMetricEvalRequests = 1,
        .metricEvalRequestStructSize = NVPW_MetricEvalRequest_STRUCT_SIZE,
        .metricEvalRequestStrideSize = sizeof(request)};

    check_ok(convert(name, &request));
    check_ok(NVPW_MetricsEvaluator_GetMetricRawDependencies(&params));
    check(params.numRawDependencies >= 1 && params.numRawDependencies <= 16);
    params.ppRawDependencies = raw;
    check_ok(NVPW_MetricsEvaluator_GetMetricRawDependencies(&params));
    return raw[0];
}

static size_t make_config(const char *name, uint8_t *image)
{
    NVPA_RawMetricRequest request = {.structSize = NVPA_RAW_METRIC_REQUEST_STRUCT_SIZE,
                                     .pMetricName = dependency(name),
                                     .isolated = 1,
                                     .keepInstances = 1};
    NVPW_CUDA_RawMetricsConfig_Create_V2_Params create = {
        .structSize = NVPW_CUDA_RawMetricsConfig_Create_V2_Params_STRUCT_SIZE,
        .activityKind = NVPA_ACTIVITY_KIND_PROFILER,
        .pChipName = chip()};

    check_ok(NVPW_CUDA_RawMetricsConfig_Create_V2(&create));
    NVPA_RawMetricsConfig *config = create.pRawMetricsConfig;
    check_ok(NVPW_RawMetricsConfig_BeginPassGroup(
        PARAMS(NVPW_RawMetricsConfig_BeginPassGroup_Params, .pRawMetricsConfig = config)));
    check_ok(NVPW_RawMetricsConfig_AddMetrics(
        PARAMS(NVPW_RawMetricsConfig_AddMetrics_Params, .pRawMetricsConfig = config,
               .pRawMetricRequests = &request, .numMetricRequests = 1)));
    check_ok(NVPW_RawMetricsConfig_EndPassGroup(
        PARAMS(NVPW_RawMetricsConfig_EndPassGroup_Params, .pRawMetricsConfig = config)));
    check_ok(NVPW_RawMetricsConfig_GenerateConfigImage(
        PARAMS(NVPW_RawMetricsConfig_GenerateConfigImage_Params, .pRawMetricsConfig = config)));
    NVPW_RawMetricsConfig_GetConfigImage_Params get = {
        .structSize = NVPW_RawMetricsConfig_GetConfigImage_Params_STRUCT_SIZE,
        .pRawMetricsConfig = config};
    check_ok(NVPW_RawMetricsConfig_GetConfigImage(&get));
    check(get.bytesCopied > 0 && get.bytesCopied <= IMAGE_BYTES);
    get.pBuffer = image;
    get.bytesAllocated = get.bytesCopied;
    check_ok(NVPW_RawMetricsConfig_GetConfigImage(&get));
    check_ok(NVPW_RawMetricsConfig_Destroy(
        PARAMS(NVPW_RawMetricsConfig_Destroy_Params, .pRawMetricsConfig = config)));
    return get.bytesCopied;
}

static size_t make_prefix(const char *name, uint8_t *image)
{
    NVPA_RawMetricRequest request = {.structSize = NVPA_RAW_METRIC_REQUEST_STRUCT_SIZE,
                                     .pMetricName = dependency(name),
                                     .isolated = 1,
                                     .keepInstances = 1};
    NVPW_CUDA_CounterDataBuilder_Create_Params create = {
        .structSize = NVPW_CUDA_CounterDataBuilder_Create_Params_STRUCT_SIZE, .pChipName = chip()};

    check_ok(NVPW_CUDA_CounterDataBuilder_Create(&create));
    NVPA_CounterDataBuilder *builder = create.pCounterDataBuilder;
    check_ok(NVPW_CounterDataBuilder_AddMetrics(
        PARAMS(NVPW_CounterDataBuilder_AddMetrics_Params, .pCounterDataBuilder = builder,
               .pRawMetricRequests = &request, .numMetricRequests = 1)));
    NVPW_CounterDataBuilder_GetCounterDataPrefix_Params get = {
        .structSize = NVPW_CounterDataBuilder_GetCounterDataPrefix_Params_STRUCT_SIZE,
        .pCounterDataBuilder = builder};
    check_ok(NVPW_CounterDataBuilder_GetCounterDataPrefix(&get));
    check(get.bytesCopied > 0 && get.bytesCopied <= IMAGE_BYTES);
    get.pBuffer = image;
    get.bytesAllocated = get.bytesCopied;
    check_ok(NVPW_CounterDataBuilder_GetCounterDataPrefix(&get));
    check_ok(NVPW_CounterDataBuilder_Destroy(
        PARAMS(NVPW_CounterDataBuilder_Destroy_Params, .pCounterDataBuilder = builder)));
    return get.bytesCopied;
}

/* The program's image of counts, from its prefix. */
static void make_data(const char *name)
{
    uint8_t prefix[IMAGE_BYTES];
    CUpti_Profiler_CounterDataImageOptions options = {
        .structSize = CUpti_Profiler_CounterDataImageOptions_STRUCT_SIZE,
        .pCounterDataPrefix = prefix,
        .counterDataPrefixSize = make_prefix(name, prefix),
        .maxNumRanges = RANGES,
        .maxNumRangeTreeNodes = RANGES,
        .maxRangeNameLength = 64};
    CUpti_Profiler_CounterDataImage_CalculateSize_Params size = {
        .structSize = CUpti_Profiler_CounterDataImage_CalculateSize_Params_STRUCT_SIZE,
        .sizeofCounterDataImageOptions = CUpti_Profiler_CounterDataImageOptions_STRUCT_SIZE,
        .pOptions = &options};

    check_done(cuptiProfilerCounterDataImageCalculateSize(&size));
    data_bytes = size.counterDataImageSize;
    data = calloc(1, data_bytes);
    check_done(cuptiProfilerCounterDataImageInitialize(PARAMS(
        CUpti_Profiler_CounterDataImage_Initialize_Params,
        .sizeofCounterDataImageOptions = CUpti_Profiler_CounterDataImageOptions_STRUCT_SIZE,
        .pOptions = &options, .counterDataImageSize = data_bytes, .pCounterDataImage = data)));
    CUpti_Profiler_CounterDataImage_CalculateScratchBufferSize_Params scratch_size = {
        .structSize = CUpti_Profiler_CounterDataImage_CalculateScratchBufferSize_Params_STRUCT_SIZE,
        .counterDataImageSize = data_bytes,
        .pCounterDataImage = data};
    check_done(cuptiProfilerCounterDataImageCalculateScratchBufferSize(&scratch_size));
    check(scratch_size.counterDataScratchBufferSize <= sizeof(session_scratch));
    check_done(cuptiProfilerCounterDataImageInitializeScratchBuffer(
        PARAMS(CUpti_Profiler_CounterDataImage_InitializeScratchBuffer_Params,
               .counterDataImageSize = data_bytes, .pCounterDataImage = data,
               .counterDataScratchBufferSize = scratch_size.counterDataScratchBufferSize,
               .pCounterDataScratchBuffer = session_scratch)));
}

/* Without a context the current one is meant. */
static void begin_session(const char *name, CUpti_ProfilerRange range,
                          CUpti_ProfilerReplayMode replay)
{
    uint8_t config[IMAGE_BYTES];
    size_t config_bytes = make_config(name, config);

    make_data(name);
    check_done(cuptiProfilerBeginSession(
        PARAMS(CUpti_Profiler_BeginSession_Params, .counterDataImageSize = data_bytes,
               .pCounterDataImage = data, .pCounterDataScratchBuffer = session_scratch,
               .counterDataScratchBufferSize = sizeof(session_scratch), .range = range,
               .replayMode = replay, .maxRangesPerPass = RANGES, .maxLaunchesPerPass = RANGES)));
    check_done(cuptiProfilerSetConfig(PARAMS(CUpti_Profiler_SetConfig_Params, .pConfig = config,
                                             .configSize = config_bytes, .minNestingLevel = 1,
                                             .numNestingLevels = 2)));
}

static void enable(void)
{
    check_done(
        cuptiProfilerEnableProfiling(PARAMS(CUpti_Profiler_EnableProfiling_Params, .pPriv = NULL)));
}

static void end_session(void)
{
    check_done(cuptiProfilerUnsetConfig(PARAMS(CUpti_Profiler_UnsetConfig_Params, .pPriv = NULL)));
    check_done(cuptiProfilerEndSession(PARAMS(CUpti_Profiler_EndSession_Params, .pPriv = NULL)));
}

static double evaluate(const char *name, size_t range)
{
    NVPW_MetricEvalRequest request;
    double value = NAN;

    check_ok(convert(name, &request));
    check_ok(NVPW_MetricsEvaluator_SetDeviceAttributes(
        PARAMS(NVPW_MetricsEvaluator_SetDeviceAttributes_Params, .pMetricsEvaluator = evaluator,
               .pCounterDataImage = data, .counterDataImageSize = data_bytes)));
    check_ok(NVPW_MetricsEvaluator_EvaluateToGpuValues(
        PARAMS(NVPW_MetricsEvaluator_EvaluateToGpuValues_Params, .pMetricsEvaluator = evaluator,
               .pMetricEvalRequests = &request, .numMetricEvalRequests = 1,
               .metricEvalRequestStructSize = NVPW_MetricEvalRequest_STRUCT_SIZE,
               .metricEvalRequestStrideSize = sizeof(request), .pCounterDataImage = data,
               .counterDataImageSize = data_bytes, .rangeIndex = range, .pMetricValues = &value)));
    return value;
}

static size_t count_ranges(void)
{
    NVPW_CounterData_GetNumRanges_Params params = {
        .structSize = NVPW_CounterData_GetNumRanges_Params_STRUCT_SIZE, .pCounterDataImage = data};

    check_ok(NVPW_CounterData_GetNumRanges(&params));
    return params.numRanges;
}

static void check_names(size_t range, size_t count, const char *first, const char *second)
{
    const char *names[4] = {"", ""};
    NVPW_Profiler_CounterData_GetRangeDescriptions_Params params = {
        .structSize = NVPW_Profiler_CounterData_GetRangeDescriptions_Params_STRUCT_SIZE,
        .pCounterDataImage = data,
        .rangeIndex = range};

    check_ok(NVPW_Profiler_CounterData_GetRangeDescriptions(&params));
    check(params.numDescriptions == count);
    params.ppDescriptions = names;
    check_ok(NVPW_Profiler_CounterData_GetRangeDescriptions(&params));
    check(strcmp(names[0], first) == 0 && strcmp(names[1], second) == 0);
}

/* With replays of kernels, counts need no flush. */
TEST(each_kernel_is_a_range)
{
    CUdeviceptr memory;

    with_context();
    CUfunction function = load_kernel("fill");
    check_success(cuMemAlloc(&memory, 4096));
    make_evaluator();
    begin_session("sm__ctas_launched.sum", CUPTI_AutoRange, CUPTI_KernelReplay);
    enable();
    launch_fill(function, memory, 3, NULL);
    launch_fill(function, memory, 5, NULL);
    check_done(cuptiProfilerDisableProfiling(
        PARAMS(CUpti_Profiler_DisableProfiling_Params, .pPriv = NULL)));
    end_session();
    check(count_ranges() == 2);
    check(evaluate("sm__ctas_launched.sum", 0) == 3 && evaluate("sm__ctas_launched.sum", 1) == 5);
    check_names(1, 1, "1", "");
}

static void push(const char *name)
{
    check_done(cuptiProfilerPushRange(PARAMS(CUpti_Profiler_PushRange_Params, .pRangeName = name)));
}

static void pop(void)
{
    check_done(cuptiProfilerPopRange(PARAMS(CUpti_Profiler_PopRange_Params, .pPriv = NULL)));
}

/* As often as the profiler asks for. */
static void run_passes(CUfunction function, CUdeviceptr memory)
{
    CUpti_Profiler_EndPass_Params end = {.structSize = CUpti_Profiler_EndPass_Params_STRUCT_SIZE};

    do {
        check_done(cuptiProfilerBeginPass(PARAMS(CUpti_Profiler_BeginPass_Params, .pPriv = NULL)));
        enable();
        push("outer");
        launch_fill(function, memory, 3, NULL);
        push("inner");
        launch_fill(function, memory, 4, NULL);
        pop();
        pop();
        check_done(cuptiProfilerDisableProfiling(
            PARAMS(CUpti_Profiler_DisableProfiling_Params, .pPriv = NULL)));
        check_done(cuptiProfilerEndPass(&end));
    } while (!end.allPassesSubmitted);
}

TEST(ranges_of_the_program_are_within_each_other)
{
    CUdeviceptr memory;

    with_context();
    CUfunction function = load_kernel("fill");
    check_success(cuMemAlloc(&memory, 4096));
    make_evaluator();
    begin_session("sm__ctas_launched.sum", CUPTI_UserRange, CUPTI_UserReplay);
    run_passes(function, memory);
    check_done(cuptiProfilerFlushCounterData(
        PARAMS(CUpti_Profiler_FlushCounterData_Params, .pPriv = NULL)));
    end_session();
    check(count_ranges() == 2);
    check_names(0, 1, "outer", "");
    check_names(1, 2, "outer", "inner");
    check(evaluate("sm__ctas_launched.sum", 0) == 7 && evaluate("sm__ctas_launched.sum", 1) == 4);
}

TEST(metrics_have_names_and_units)
{
    NVPW_MetricsEvaluator_GetMetricNames_Params names = {
        .structSize = NVPW_MetricsEvaluator_GetMetricNames_Params_STRUCT_SIZE,
        .metricType = NVPW_METRIC_TYPE_COUNTER};
    NVPW_MetricEvalRequest request;
    NVPW_DimUnitFactor factors[2];

    with_context();
    make_evaluator();
    names.pMetricsEvaluator = evaluator;
    check_ok(NVPW_MetricsEvaluator_GetMetricNames(&names));
    check_ok(convert("sm__ctas_launched.avg", &request));
    check(request.metricType == NVPW_METRIC_TYPE_COUNTER && request.metricIndex < names.numMetrics);
    check(request.rollupOp == NVPW_ROLLUP_OP_AVG && request.submetric == NVPW_SUBMETRIC_NONE);
    check(strcmp(names.pMetricNames + names.pMetricNameBeginIndices[request.metricIndex],
                 "sm__ctas_launched") == 0);
    NVPW_MetricsEvaluator_GetCounterProperties_Params properties = {
        .structSize = NVPW_MetricsEvaluator_GetCounterProperties_Params_STRUCT_SIZE,
        .pMetricsEvaluator = evaluator,
        .counterIndex = request.metricIndex};
    check_ok(NVPW_MetricsEvaluator_GetCounterProperties(&properties));
    check(properties.hwUnit == NVPW_HW_UNIT_SM && *properties.pDescription);
    NVPW_MetricsEvaluator_GetMetricDimUnits_Params dimensions = {
        .structSize = NVPW_MetricsEvaluator_GetMetricDimUnits_Params_STRUCT_SIZE,
        .pMetricsEvaluator = evaluator,
        .pMetricEvalRequest = &request,
        .metricEvalRequestStructSize = NVPW_MetricEvalRequest_STRUCT_SIZE,
        .pDimUnits = factors,
        .numDimUnits = 2,
        .dimUnitFactorStructSize = NVPW_DimUnitFactor_STRUCT_SIZE};
    check_ok(NVPW_MetricsEvaluator_GetMetricDimUnits(&dimensions));
    check(dimensions.numDimUnits == 1 && factors[0].dimUnit == NVPW_DIM_UNIT_CTAS);
    check(convert("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
                  &request) == NVPA_STATUS_SUCCESS);
    check(request.metricType == NVPW_METRIC_TYPE_RATIO);
    check(request.submetric == NVPW_SUBMETRIC_RATIO);
    dimensions.numDimUnits = 2;
    check_ok(NVPW_MetricsEvaluator_GetMetricDimUnits(&dimensions));
    check(dimensions.numDimUnits == 2 && factors[0].exponent == 1 && factors[1].exponent == -1);
    check_bad(convert("no__such_metric.sum", &request));
    check_bad(convert("sm__ctas_launched", &request));
}

TEST(chips_and_functions_have_names)
{
    NVPW_GetSupportedChipNames_Params chips = {.structSize =
                                                   NVPW_GetSupportedChipNames_Params_STRUCT_SIZE};
    bool found = false;

    check_ok(NVPW_InitializeHost(PARAMS(NVPW_InitializeHost_Params, .pPriv = NULL)));
    check_ok(NVPW_GetSupportedChipNames(&chips));
    for (size_t i = 0; i < chips.numChipNames; i++)
        found = found || strcmp(chips.ppChipNames[i], "GH100") == 0;
    check(found);
    check(NVPA_GetProcAddress("NVPW_InitializeHost") != NULL);
    check(NVPA_GetProcAddress("NVPW_NoSuchFunction") == NULL);
    check(NVPA_GetProcAddress("malloc") == NULL);
}

TEST(nothing_is_made_before_the_library_is_initialized)
{
    NVPW_CUDA_CounterDataBuilder_Create_Params create = {
        .structSize = NVPW_CUDA_CounterDataBuilder_Create_Params_STRUCT_SIZE, .pChipName = "GH100"};

    check_success(cuInit(0));
    only_cupipe();
    check(NVPW_CUDA_CounterDataBuilder_Create(&create) == NVPA_STATUS_NOT_INITIALIZED);
}

/* NVIDIA's library follows such handles. */
TEST(wrong_arguments_are_refused)
{
    NVPW_MetricEvalRequest request = {.metricIndex = 1u << 20};
    NVPW_CUDA_RawMetricsConfig_Create_V2_Params create = {
        .structSize = NVPW_CUDA_RawMetricsConfig_Create_V2_Params_STRUCT_SIZE,
        .activityKind = NVPA_ACTIVITY_KIND_PROFILER,
        .pChipName = "GX999"};
    uint8_t garbage[64] = {1, 2, 3};
    double value;

    with_context();
    only_cupipe();
    make_evaluator();
    check_bad(NVPW_InitializeHost(NULL));
    check_bad(NVPW_CUDA_RawMetricsConfig_Create_V2(&create));
    create.pChipName = NULL;
    check_bad(NVPW_CUDA_RawMetricsConfig_Create_V2(&create));
    create.pCounterAvailabilityImage = garbage;
    check_bad(NVPW_CUDA_RawMetricsConfig_Create_V2(&create));
    check_bad(NVPW_RawMetricsConfig_Destroy(
        PARAMS(NVPW_RawMetricsConfig_Destroy_Params,
               .pRawMetricsConfig = (NVPA_RawMetricsConfig *)garbage)));
    check_bad(NVPW_MetricsEvaluator_Destroy(
        PARAMS(NVPW_MetricsEvaluator_Destroy_Params, .pMetricsEvaluator = NULL)));
    check_bad(NVPW_CounterData_GetNumRanges(
        PARAMS(NVPW_CounterData_GetNumRanges_Params, .pCounterDataImage = garbage)));
    check_bad(NVPW_MetricsEvaluator_EvaluateToGpuValues(
        PARAMS(NVPW_MetricsEvaluator_EvaluateToGpuValues_Params, .pMetricsEvaluator = evaluator,
               .pMetricEvalRequests = &request, .numMetricEvalRequests = 1,
               .metricEvalRequestStructSize = NVPW_MetricEvalRequest_STRUCT_SIZE,
               .metricEvalRequestStrideSize = sizeof(request), .pCounterDataImage = garbage,
               .counterDataImageSize = sizeof(garbage), .pMetricValues = &value)));
    make_data("sm__ctas_launched.sum");
    check_bad(NVPW_MetricsEvaluator_EvaluateToGpuValues(
        PARAMS(NVPW_MetricsEvaluator_EvaluateToGpuValues_Params, .pMetricsEvaluator = evaluator,
               .pMetricEvalRequests = &request, .numMetricEvalRequests = 1,
               .metricEvalRequestStructSize = NVPW_MetricEvalRequest_STRUCT_SIZE,
               .metricEvalRequestStrideSize = sizeof(request), .pCounterDataImage = data,
               .counterDataImageSize = data_bytes, .pMetricValues = &value)));
    check_ok(NVPW_MetricsEvaluator_Destroy(
        PARAMS(NVPW_MetricsEvaluator_Destroy_Params, .pMetricsEvaluator = evaluator)));
    check_bad(NVPW_MetricsEvaluator_Destroy(
        PARAMS(NVPW_MetricsEvaluator_Destroy_Params, .pMetricsEvaluator = evaluator)));
}

TEST(a_session_needs_a_context)
{
    CUpti_Profiler_GetCounterAvailability_Params params = {
        .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};

    check_success(cuInit(0));
    only_cupipe(); /* which error is not documented */
    check(cuptiProfilerGetCounterAvailability(&params) == CUPTI_ERROR_INVALID_CONTEXT);
}
