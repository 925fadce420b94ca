/* SPDX-License-Identifier: MIT */
/* The driver API as the library under test: its results, its functions, and the risky calls. */
#include "recorder.h"

#define MAX_RISKY 1000

static struct risky {
    CUresult (*call)(void);
    enum risky_variant variant;
} risky_calls[MAX_RISKY];
static int risky_count;

void *bad_handle;
CUdeviceptr risky_device;
char risky_host[65536];
CUstream risky_stream;
CUarray risky_array;

const char *result_name(CUresult result)
{
    for (const struct named_value *row = result_names; row->name; row++)
        if (row->value == (int)result)
            return row->name;
    if (result == RESULT_SKIPPED)
        return "SKIPPED";
    if (result == RESULT_MISSING)
        return "MISSING";
    return format("UNKNOWN_RESULT_%d", (int)result);
}

static const char *result_name_of(int result)
{
    return result_name((CUresult)result);
}

static int is_sticky(int result)
{
    return result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_TIMEOUT ||
           result == CUDA_ERROR_ASSERT ||
           (result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED);
}

CUresult missing_function_called(const char *name)
{
    missing_function = name;
    if (!case_is_open())
        setup_note(format("setup-missing=%s", name));
    return RESULT_MISSING;
}

static void forget_missing_function(void)
{
    missing_function = NULL;
}

static const char *skip_reason(int result)
{
    if (result != (int)RESULT_MISSING)
        return NULL;
    return missing_function ? format(" missing=%s", missing_function) : "";
}

static void describe(void)
{
    int version = 0;
    char name[100] = "";
    CUdevice first = 0;

    if (!functions_resolve(1))
        return;
    if (!cuda.cuInit(0)) {
        cuda.cuDriverGetVersion(&version);
        cuda.cuDeviceGet(&first, 0);
        cuda.cuDeviceGetName(name, 99, first);
    }
    line_print("# header=%d driver=%d device=%s", CUDA_VERSION, version, name);
}

static int prepare(void)
{
    return functions_resolve(0);
}

const struct library_under_test library_under_test = {
    .result_name = result_name_of,
    .is_sticky = is_sticky,
    .describe = describe,
    .prepare = prepare,
    .case_started = forget_missing_function,
    .skip_reason = skip_reason,
};

static void risky_run(int index)
{
    static char zeroed_memory[65536];
    CUDA_ARRAY_DESCRIPTOR array = {64, 64, CU_AD_FORMAT_UNSIGNED_INT8, 1};

    use_primary_context();
    risky_device = device_alloc(65536);
    risky_stream = stream_new(0);
    cuda.cuArrayCreate(&risky_array, &array);
    bad_handle = risky_calls[index].variant == RISKY_ZEROED_MEMORY ? (void *)zeroed_memory
                                                                   : (void *)GARBAGE_ADDRESS;
    keep_after_sticky = 1;
    CHECK("call", risky_calls[index].call());
    CHECK("sync-after", cuda.cuCtxSynchronize());
}

void risky_register(int order, const char *name, CUresult (*call)(void), enum risky_variant variant)
{
    static const char *suffixes[] = {"", "-zeromem", "-badaddr"};

    if (risky_count == MAX_RISKY) {
        fprintf(stderr, "more than %d risky calls: raise MAX_RISKY\n", MAX_RISKY);
        exit(1);
    }
    risky_calls[risky_count] = (struct risky){call, variant};
    call_register(order, format("risky/%s%s", name, suffixes[variant]), risky_run, risky_count++);
}
