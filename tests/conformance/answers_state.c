/* SPDX-License-Identifier: MIT */
/*
 * Every function in each state of a process: before cuInit, without a context, with live objects,
 * with a context destroyed or reset; and every function with all arguments zero.
 */
#include "state_objects.h"

static const struct {
    const char *name;
    CUresult (*call)(void);
} calls[] = {
#define CALL(function, ...) {#function, call_##function},
#include "state_calls.def"
#undef CALL
};

static void check_calls(const char *prefix)
{
    arguments_prepare();
    CUstream stream0 = stream;
    CUevent event0 = event;
    CUarray array0 = array, second_array0 = second_array;
    CUdeviceptr out_ptr0 = out_ptr;
    CUcontext owner0 = owner;
    CUmemoryPool pool0 = pool;
    void *pinned0 = pinned;
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        int late = i >= COUNT_OF(calls) - 7;
        if (!late) {
            stream = stream0;
            event = event0;
            array = array0;
            second_array = second_array0;
            owner = owner0;
            pool = pool0;
            if (strncmp(calls[i].name, "cuMemPool", 9) && strcmp(calls[i].name, "cuMemFreeAsync"))
                out_ptr = out_ptr0;
            pinned = pinned0;
        }
        descriptor3d = (CUDA_ARRAY3D_DESCRIPTOR){64, 64, 0, 1, 1, 0};
        descriptor2d = (CUDA_ARRAY_DESCRIPTOR){64, 64, 1, 1};
        allocation_properties = (CUmemAllocationProp){.type = 1, .location = {1, 0}};
        CHECK(format("%s-%s", prefix, calls[i].name), calls[i].call());
    }
}

GROUP(1200, state_noinit, "state-noinit")
{
    owner = (CUcontext)host_bytes;
    check_calls("dummy");
}

GROUP(1201, state_noctx, "state-noctx")
{
    use_device();
    check_calls("dummy");
}

GROUP(1202, state_noctx_live, "state-noctx-live")
{
    use_primary_context();
    objects_create();
    CUcontext saved = owner;
    cuda.cuCtxSetCurrent(NULL);
    owner = saved;
    check_calls("live");
}

GROUP(1203, state_ctx, "state-ctx")
{
    use_primary_context();
    objects_create();
    check_calls("live");
}

static atomic_int phase;
static CUcontext thread_context;

static void *thread_run(void *data)
{
    (void)data;
    cuda.cuCtxSetCurrent(thread_context);
    objects_create();
    __sync_synchronize();
    phase = 1;
    while (phase != 2)
        usleep(1000);
    check_calls("live");
    phase = 3;
    return 0;
}

GROUP(1204, state_destroyedctx, "state-destroyedctx")
{
    use_device();
    keep_after_sticky = 1;
    thread_context = context_new();
    cuda.cuCtxSetCurrent(NULL);
    pthread_t thread;
    pthread_create(&thread, 0, thread_run, 0);
    while (phase != 1)
        usleep(1000);
    CHECK("destroy", cuda.cuCtxDestroy(thread_context));
    __sync_synchronize();
    phase = 2;
    pthread_join(thread, 0);
}

GROUP(1205, state_primaryreset, "state-primaryreset")
{
    use_primary_context();
    objects_create();
    CHECK("reset", cuda.cuDevicePrimaryCtxReset(device));
    check_calls("live");
}

/* The most words that any of the functions takes. */
typedef CUresult (*zero_function)(long, long, long, long, long, long, long, long, long, long, long,
                                  long, long, long, long, long, long, long, long, long);

static void check_zero_call(const char *name, void *address)
{
    zero_function function = (zero_function)address;

    CHECK(name, function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

static void check_zero_arguments(void)
{
#define MEMORY_FUNCTION(name) check_zero_call(#name, (void *)cuda.name);
#define HELPER_FUNCTION(name)
#include "functions.def"
}

GROUP(1206, zeroargs_noinit, "zeroargs-noinit")
{
    check_zero_arguments();
}

GROUP(1207, zeroargs_noctx, "zeroargs-noctx")
{
    use_device();
    check_zero_arguments();
}

GROUP(1208, zeroargs_ctx, "zeroargs-ctx")
{
    use_primary_context();
    check_zero_arguments();
}
