/* SPDX-License-Identifier: MIT */
/* The range profiler: metrics, and their values for kernels and for ranges of the program's. */
#include "cupti_test.h"

#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#define PARAMS(type, ...) (&(type){.structSize = type##_STRUCT_SIZE, __VA_ARGS__})

enum { METRICS = 3, RANGES = 16 };

static const char *names[METRICS] = {"sm__ctas_launched.sum",
                                     "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                     "smsp__threads_launched.sum"};
static CUpti_Profiler_Host_Object *host;
static CUpti_RangeProfiler_Object *profiler;
static uint8_t *config, *data;
static size_t config_bytes, data_bytes;

static const char *chip(void)
{
    CUpti_Device_GetChipName_Params params = {.structSize =
                                                  CUpti_Device_GetChipName_Params_STRUCT_SIZE};

    check_done(cuptiDeviceGetChipName(&params));
    return params.pChipName;
}

static CUptiResult make_host(const char *name)
{
    CUpti_Profiler_Host_Initialize_Params params = {
        .structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
        .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
        .pChipName = name};
    CUptiResult result = cuptiProfilerHostInitialize(&params);

    host = params.pHostObject;
    return result;
}

static CUptiResult add_metrics(const char **list, size_t count)
{
    return cuptiProfilerHostConfigAddMetrics(PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params,
                                                    .pHostObject = host, .ppMetricNames = list,
                                                    .numMetrics = count));
}

static void make_config(void)
{
    CUpti_Profiler_Host_GetConfigImageSize_Params size = {
        .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE,
        .pHostObject = host};

    check_done(add_metrics(names, METRICS));
    check_done(cuptiProfilerHostGetConfigImageSize(&size));
    config_bytes = size.configImageSize;
    config = malloc(config_bytes);
    check_done(cuptiProfilerHostGetConfigImage(PARAMS(CUpti_Profiler_Host_GetConfigImage_Params,
                                                      .pHostObject = host, .pConfigImage = config,
                                                      .configImageSize = config_bytes)));
}

static void make_data(void)
{
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {
        .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = profiler,
        .pMetricNames = names,
        .numMetrics = METRICS,
        .maxNumOfRanges = RANGES,
        .maxNumRangeTreeNodes = RANGES};

    check_done(cuptiRangeProfilerGetCounterDataSize(&size));
    data_bytes = size.counterDataSize;
    data = malloc(data_bytes);
    check_done(cuptiRangeProfilerCounterDataImageInitialize(PARAMS(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params, .pRangeProfilerObject = profiler,
        .counterDataSize = data_bytes, .pCounterData = data)));
}

static CUptiResult configure(CUpti_ProfilerRange range, CUpti_ProfilerReplayMode mode,
                             uint16_t levels)
{
    return cuptiRangeProfilerSetConfig(
        PARAMS(CUpti_RangeProfiler_SetConfig_Params, .pRangeProfilerObject = profiler,
               .configSize = config_bytes, .pConfig = config, .counterDataImageSize = data_bytes,
               .pCounterDataImage = data, .range = range, .replayMode = mode,
               .maxRangesPerPass = RANGES, .numNestingLevels = levels, .minNestingLevel = 1));
}

static void enable(CUcontext context)
{
    CUpti_RangeProfiler_Enable_Params params = {
        .structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE, .ctx = context};

    check_done(cuptiProfilerInitialize(PARAMS(CUpti_Profiler_Initialize_Params, .pPriv = NULL)));
    check_done(make_host(chip()));
    make_config();
    check_done(cuptiRangeProfilerEnable(&params));
    profiler = params.pRangeProfilerObject;
    make_data();
}

static CUptiResult start(void)
{
    return cuptiRangeProfilerStart(
        PARAMS(CUpti_RangeProfiler_Start_Params, .pRangeProfilerObject = profiler));
}

static CUptiResult stop(void)
{
    return cuptiRangeProfilerStop(
        PARAMS(CUpti_RangeProfiler_Stop_Params, .pRangeProfilerObject = profiler));
}

static void push(const char *name)
{
    check_done(
        cuptiRangeProfilerPushRange(PARAMS(CUpti_RangeProfiler_PushRange_Params,
                                           .pRangeProfilerObject = profiler, .pRangeName = name)));
}

static void pop(void)
{
    check_done(cuptiRangeProfilerPopRange(
        PARAMS(CUpti_RangeProfiler_PopRange_Params, .pRangeProfilerObject = profiler)));
}

static size_t decode(void)
{
    CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
        .structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = data,
        .counterDataImageSize = data_bytes};

    check_done(cuptiRangeProfilerDecodeData(
        PARAMS(CUpti_RangeProfiler_DecodeData_Params, .pRangeProfilerObject = profiler)));
    check_done(cuptiRangeProfilerGetCounterDataInfo(&info));
    return info.numTotalRanges;
}

static void check_range(size_t index, const char *name, double blocks)
{
    double values[METRICS] = {-1, -1, -1};
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params info = {
        .structSize = CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = data,
        .counterDataImageSize = data_bytes,
        .rangeIndex = index,
        .rangeDelimiter = "/"};

    check_done(cuptiRangeProfilerCounterDataGetRangeInfo(&info));
    check(strcmp(info.rangeName, name) == 0);
    check_done(cuptiProfilerHostEvaluateToGpuValues(
        PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, .pHostObject = host,
               .pCounterDataImage = data, .counterDataImageSize = data_bytes, .rangeIndex = index,
               .ppMetricNames = names, .numMetrics = METRICS, .pMetricValues = values)));
    check(values[0] == blocks && values[1] == 4 * blocks && values[2] == 32 * blocks);
}

TEST(metrics_are_listed_and_others_refused)
{
    const char *unknown[] = {"sm__ctas_launched.sum", "nonsense__metric.sum"};
    CUpti_Profiler_Host_GetBaseMetrics_Params base = {
        .structSize = CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE,
        .metricType = CUPTI_METRIC_TYPE_COUNTER};
    CUpti_Profiler_Host_GetMetricProperties_Params properties = {
        .structSize = CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE,
        .pMetricName = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"};
    bool found = false;

    with_context();
    check_done(cuptiProfilerInitialize(PARAMS(CUpti_Profiler_Initialize_Params, .pPriv = NULL)));
    check(make_host("nochip") == CUPTI_ERROR_INVALID_CHIP_NAME);
    check(make_host(NULL) == CUPTI_ERROR_INVALID_PARAMETER);
    check_done(make_host(chip()));
    base.pHostObject = properties.pHostObject = host;
    check_done(cuptiProfilerHostGetBaseMetrics(&base));
    for (size_t i = 0; i < base.numMetrics; i++)
        found = found || strcmp(base.ppMetricNames[i], "sm__ctas_launched") == 0;
    check(found);
    check_done(cuptiProfilerHostGetMetricProperties(&properties));
    check(strcmp(properties.pHwUnit, "l1tex") == 0);
    check(strcmp(properties.pDimUnit, "l2_sector") == 0);
    check(properties.metricType == CUPTI_METRIC_TYPE_COUNTER);
    properties.pMetricName = "nonsense__metric";
    check(cuptiProfilerHostGetMetricProperties(&properties) == CUPTI_ERROR_INVALID_METRIC_NAME);
    check(add_metrics(unknown, 2) == CUPTI_ERROR_INVALID_PARAMETER);
    unknown[0] = "sm__ctas_launched";
    check(add_metrics(unknown, 1) == CUPTI_ERROR_INVALID_PARAMETER);
}

/* A fill stores 128 bytes with each block, which are 4 sectors. */
TEST(each_kernel_is_a_range)
{
    CUcontext context = with_context();
    CUfunction function = load_kernel("fill");
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, 4096));
    launch_fill(function, memory, 7, NULL);
    enable(context);
    check_done(configure(CUPTI_AutoRange, CUPTI_KernelReplay, 1));
    check_done(start());
    launch_fill(function, memory, 1, NULL);
    launch_fill(function, memory, 3, NULL);
    check_done(stop());
    launch_fill(function, memory, 5, NULL);
    check(decode() == 2);
    check_range(0, "0", 1);
    check_range(1, "1", 3);
}

TEST(ranges_of_the_program_have_names_and_levels)
{
    CUcontext context = with_context();
    CUfunction function = load_kernel("fill");
    CUdeviceptr memory;

    only_cupipe(); /* NVIDIA's counts one level in a pass */
    check_success(cuMemAlloc(&memory, 4096));
    enable(context);
    check_done(configure(CUPTI_UserRange, CUPTI_UserReplay, 2));
    check_done(start());
    push("outer");
    launch_fill(function, memory, 1, NULL);
    push("inner");
    launch_fill(function, memory, 2, NULL);
    pop();
    pop();
    launch_fill(function, memory, 9, NULL);
    push("other");
    pop();
    check_done(stop());
    check(decode() == 3);
    check_range(0, "outer", 3);
    check_range(1, "outer/inner", 2);
    check_range(2, "other", 0);
}

/* The node of a graph counts when the graph is launched, and runs its plain code again afterwards.
 */
TEST(nodes_of_graphs_count)
{
    CUcontext context = with_context();
    CUfunction function = load_kernel("fill");
    CUdeviceptr memory;
    CUstream stream;
    CUgraph graph;
    CUgraphExec executable;

    only_cupipe(); /* NVIDIA's makes the graph one range */
    check_success(cuMemAlloc(&memory, 4096));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    launch_fill(function, memory, 2, stream);
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiateWithFlags(&executable, graph, 0));
    check_success(cuGraphLaunch(executable, stream));
    enable(context);
    check_done(configure(CUPTI_AutoRange, CUPTI_KernelReplay, 1));
    for (int i = 0; i < 2; i++) {
        check_done(start());
        check_success(cuGraphLaunch(executable, stream));
        check_done(stop());
        check_success(cuGraphLaunch(executable, stream));
        check_success(cuStreamSynchronize(stream));
    }
    check(decode() == 2);
    check_range(0, "0", 2);
    check_range(1, "1", 2);
}

static void *launch_some(void *argument)
{
    CUdeviceptr memory;
    CUstream stream;
    CUfunction function = load_kernel("fill");

    (void)argument;
    check_success(cuMemAlloc(&memory, 4096));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 8; i++)
        launch_fill(function, memory, 2, stream);
    check_success(cuStreamSynchronize(stream));
    return NULL;
}

static void *launch_in(void *context)
{
    check_success(cuCtxSetCurrent(context));
    return launch_some(NULL);
}

TEST(kernels_of_several_threads_count_in_one_range)
{
    CUcontext context = with_context();
    pthread_t threads[3];

    only_cupipe(); /* NVIDIA's wants the range to be in the thread that launches */
    enable(context);
    check_done(configure(CUPTI_UserRange, CUPTI_UserReplay, 1));
    check_done(start());
    push("all");
    for (int i = 0; i < 3; i++)
        check(pthread_create(&threads[i], NULL, launch_in, context) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    pop();
    check_done(stop());
    check(decode() == 1);
    check_range(0, "all", 48);
}

TEST(wrong_images_and_objects_are_refused)
{
    CUcontext context = with_context();
    uint8_t junk[256] = {1};

    only_cupipe(); /* NVIDIA's reads what it is given */
    enable(context);
    check(start() == CUPTI_ERROR_INVALID_OPERATION);
    check(configure((CUpti_ProfilerRange)9, CUPTI_UserReplay, 1) == CUPTI_ERROR_INVALID_PARAMETER);
    check(cuptiProfilerHostGetNumOfPasses(
              PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, .configImageSize = sizeof(junk),
                     .pConfigImage = junk)) == CUPTI_ERROR_INVALID_PARAMETER);
    check(cuptiRangeProfilerGetCounterDataInfo(
              PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, .pCounterDataImage = junk,
                     .counterDataImageSize = sizeof(junk))) == CUPTI_ERROR_INVALID_PARAMETER);
    check_done(configure(CUPTI_AutoRange, CUPTI_KernelReplay, 1));
    check(stop() == CUPTI_ERROR_INVALID_OPERATION);
    check_done(cuptiRangeProfilerDisable(
        PARAMS(CUpti_RangeProfiler_Disable_Params, .pRangeProfilerObject = profiler)));
    check(start() == CUPTI_ERROR_INVALID_PARAMETER);
    check(cuptiRangeProfilerDisable(
              PARAMS(CUpti_RangeProfiler_Disable_Params, .pRangeProfilerObject = profiler)) ==
          CUPTI_ERROR_INVALID_PARAMETER);
}

static CUptiResult begin_session(CUcontext context)
{
    return cuptiProfilerBeginSession(PARAMS(
        CUpti_Profiler_BeginSession_Params, .ctx = context, .counterDataImageSize = data_bytes,
        .pCounterDataImage = data, .range = CUPTI_UserRange, .replayMode = CUPTI_UserReplay,
        .maxRangesPerPass = RANGES, .maxLaunchesPerPass = RANGES));
}

static void make_old_data(void)
{
    CUpti_Profiler_CounterDataImageOptions options = {
        .structSize = CUpti_Profiler_CounterDataImageOptions_STRUCT_SIZE,
        .pCounterDataPrefix = config,
        .counterDataPrefixSize = config_bytes,
        .maxNumRanges = RANGES,
        .maxNumRangeTreeNodes = RANGES,
        .maxRangeNameLength = 64};
    CUpti_Profiler_CounterDataImage_CalculateSize_Params size = {
        .structSize = CUpti_Profiler_CounterDataImage_CalculateSize_Params_STRUCT_SIZE,
        .sizeofCounterDataImageOptions = sizeof(options),
        .pOptions = &options};

    check_done(cuptiProfilerCounterDataImageCalculateSize(&size));
    data_bytes = size.counterDataImageSize;
    data = malloc(data_bytes);
    check_done(cuptiProfilerCounterDataImageInitialize(
        PARAMS(CUpti_Profiler_CounterDataImage_Initialize_Params,
               .sizeofCounterDataImageOptions = sizeof(options), .pOptions = &options,
               .counterDataImageSize = data_bytes, .pCounterDataImage = data)));
}

/* NVIDIA's wants images of libnvperf_host. */
TEST(sessions_of_the_older_profiler_count)
{
    CUcontext context = with_context();
    CUfunction function = load_kernel("fill");
    CUdeviceptr memory;

    only_cupipe();
    check_success(cuMemAlloc(&memory, 4096));
    check_done(make_host(chip()));
    make_config();
    make_old_data();
    check(cuptiProfilerEndSession(PARAMS(CUpti_Profiler_EndSession_Params, .ctx = context)) ==
          CUPTI_ERROR_INVALID_OPERATION);
    check_done(begin_session(context));
    check(begin_session(context) == CUPTI_ERROR_INVALID_OPERATION);
    check_done(cuptiProfilerSetConfig(PARAMS(CUpti_Profiler_SetConfig_Params, .ctx = context,
                                             .pConfig = config, .configSize = config_bytes,
                                             .minNestingLevel = 1, .numNestingLevels = 1)));
    check_done(cuptiProfilerBeginPass(PARAMS(CUpti_Profiler_BeginPass_Params, .ctx = context)));
    check_done(cuptiProfilerEnableProfiling(
        PARAMS(CUpti_Profiler_EnableProfiling_Params, .ctx = context)));
    check_done(cuptiProfilerPushRange(
        PARAMS(CUpti_Profiler_PushRange_Params, .ctx = context, .pRangeName = "range")));
    launch_fill(function, memory, 3, NULL);
    check_done(cuptiProfilerPopRange(PARAMS(CUpti_Profiler_PopRange_Params, .ctx = context)));
    check_done(cuptiProfilerDisableProfiling(
        PARAMS(CUpti_Profiler_DisableProfiling_Params, .ctx = context)));
    CUpti_Profiler_EndPass_Params end = {.structSize = CUpti_Profiler_EndPass_Params_STRUCT_SIZE,
                                         .ctx = context};
    check_done(cuptiProfilerEndPass(&end));
    check(end.allPassesSubmitted == 1);
    check_done(cuptiProfilerFlushCounterData(
        PARAMS(CUpti_Profiler_FlushCounterData_Params, .ctx = context)));
    check_done(cuptiProfilerUnsetConfig(PARAMS(CUpti_Profiler_UnsetConfig_Params, .ctx = context)));
    check_done(cuptiProfilerEndSession(PARAMS(CUpti_Profiler_EndSession_Params, .ctx = context)));
    check_range(0, "range", 3);
}
