/* SPDX-License-Identifier: MIT */
/* Every function of the subject in each state of the driver, once with plausible and once with zero
 * arguments. */
#include "rest.h"

static CUdevResource resource, split_groups[8], split_rest;
static CUdevResourceDesc resource_desc;
static CUgreenCtx green;
static CUcontext owner;
static CUstream stream;
static CUevent event;
static CUdeviceptr device_ptr;
static size_t size_out;
static int int_out;
static unsigned long long wide_out;
static CUmemGenericAllocationHandle allocation, multicast;
static char bytes[4096] __attribute__((aligned(64)));
static const void *export_table;
static CUprocessState process_state;
static CUlogIterator iterator;
static CUlogsCallbackHandle log_handle;
static CUtensorMap tensor_map __attribute__((aligned(64)));
static CUmulticastObjectProp multicast_properties;
static const CUuuid uuid = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
static cuuint64_t tensor_dims[5] = {256, 32, 16, 8, 4},
                  tensor_strides[4] = {512, 16384, 262144, 2097152};
static cuuint32_t tensor_box[5] = {16, 8, 4, 2, 1}, tensor_steps[5] = {1, 1, 1, 1, 1};
static int tensor_low[3], tensor_high[3];

static void CUDA_CB log_called(void *u, CUlogLevel l, char *m, size_t n)
{
    (void)u;
    (void)l;
    (void)m;
    (void)n;
}

#define TENSOR_ADDRESS ((void *)0x7f0000000000ull)
#define CALL(function, ...)                                                                        \
    static CUresult call_##function(void)                                                          \
    {                                                                                              \
        return cuda.function(__VA_ARGS__);                                                         \
    }
#include "state_calls.def"
#undef CALL

static const struct {
    const char *name;
    CUresult (*run)(void);
} calls[] = {
#define CALL(function, ...) {#function, call_##function},
#include "state_calls.def"
#undef CALL
};

static void arguments_prepare(void)
{
    multicast_properties.numDevices = 1;
    multicast_properties.size = 2 * MB;
    multicast_properties.handleTypes = 0;
    multicast_properties.flags = 0;
}

static void objects_create(void)
{
    device_ptr = device_alloc(4 * MB);
    stream = stream_new(1);
    event = event_new(2);
    mapped_alloc(2 * MB, 0, &allocation);
    cuda.cuCtxGetCurrent(&owner);
    if (!cuda.cuDeviceGetDevResource(0, &resource, 1)) {
        unsigned nb = 4;
        if (!cuda.cuDevSmResourceSplitByCount(split_groups, &nb, &resource, &split_rest, 0, 8) &&
            !cuda.cuDevResourceGenerateDesc(&resource_desc, split_groups, 1))
            cuda.cuGreenCtxCreate(&green, resource_desc, 0, 1);
    }
}

static void check_calls(void)
{
    arguments_prepare();
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        CHECK(calls[i].name, calls[i].run());
}

GROUP(400, state_noinit, "state-noinit")
{
    check_calls();
}

GROUP(401, state_noctx, "state-noctx")
{
    use_device();
    check_calls();
}

GROUP(402, state_noctx_live, "state-noctx-live")
{
    use_primary_context();
    objects_create();
    CUcontext k = owner;
    cuda.cuCtxSetCurrent(NULL);
    owner = k;
    check_calls();
}

GROUP(403, state_ctx, "state-ctx")
{
    use_primary_context();
    objects_create();
    check_calls();
}

GROUP(404, state_ctx_created, "state-ctx-created")
{
    use_device();
    context = context_new();
    objects_create();
    check_calls();
}

static atomic_int thread_phase;
static CUcontext thread_context;

static void *thread_run(void *u)
{
    (void)u;
    cuda.cuCtxSetCurrent(thread_context);
    objects_create();
    __sync_synchronize();
    thread_phase = 1;
    while (thread_phase != 2)
        usleep(1000);
    check_calls();
    thread_phase = 3;
    return 0;
}

GROUP(405, state_destroyedctx, "state-destroyedctx")
{
    use_device();
    keep_after_sticky = 1;
    thread_context = context_new();
    cuda.cuCtxSetCurrent(NULL);
    pthread_t t;
    pthread_create(&t, 0, thread_run, 0);
    while (thread_phase != 1)
        usleep(1000);
    CHECK("destroy", cuda.cuCtxDestroy(thread_context));
    __sync_synchronize();
    thread_phase = 2;
    pthread_join(t, 0);
}

GROUP(406, state_primaryreset, "state-primaryreset")
{
    use_primary_context();
    objects_create();
    CHECK("reset", cuda.cuDevicePrimaryCtxReset(device));
    check_calls();
}

GROUP(407, state_primaryreleased, "state-primaryreleased")
{
    use_primary_context();
    objects_create();
    CHECK("release", cuda.cuDevicePrimaryCtxRelease(device));
    check_calls();
}

/* inside a stream's host function, where most calls are not permitted */
static void CUDA_CB host_function(void *u)
{
    check_calls();
    *(atomic_int *)u = 1;
}

GROUP(950, state_hostfunc, "state-hostfunc")
{
    use_primary_context();
    objects_create();
    atomic_int done = 0;
    CUstream s = stream_new(1);
    if (cuda.cuLaunchHostFunc(s, host_function, &done))
        setup_note("setup-hostfunc-unavailable");
    else {
        for (int i = 0; i < 3000 && !done; i++)
            usleep(10000);
    }
}

typedef CUresult (*zero_function)(long, long, long, long, long, long, long, long, long, long, long,
                                  long, long, long, long, long, long, long, long, long);
static void check_zero_call(const char *name, void *address)
{
    zero_function function = (zero_function)address;

    if (strcmp(name, "cuCheckpointProcessLock"))
        CHECK(name, function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

static void check_zero_arguments(void)
{
#define SUBJECT_FUNCTION(name) check_zero_call(#name, (void *)cuda.name);
#define OTHER_FUNCTION(name)
#include "functions.def"
}

GROUP(420, zeroargs_noinit, "zeroargs-noinit")
{
    check_zero_arguments();
}

GROUP(421, zeroargs_noctx, "zeroargs-noctx")
{
    use_device();
    check_zero_arguments();
}

GROUP(422, zeroargs_ctx, "zeroargs-ctx")
{
    use_primary_context();
    check_zero_arguments();
}

/* What cuGetProcAddress says about each function, at several versions. */
static const int versions[] = {0,     2000,  3000,  4000,  10000, 11000, 11010,
                               11030, 11040, 12000, 12010, 12020, 12030, 12040,
                               12050, 12080, 12090, 13000, 13010, 14000};

static void check_proc_address(const char *n)
{
    char b[300] = "";
    void *own = library_symbol(n);
    for (size_t i = 0; i < COUNT_OF(versions); i++) {
        void *p = UNTOUCHED_HANDLE;
        CUdriverProcAddressQueryResult q = 9;
        CUresult r = cuda.cuGetProcAddress(n, &p, versions[i], 0, &q);
        snprintf(b + strlen(b), sizeof b - strlen(b), "%s%d:%s", i ? " " : "", versions[i],
                 r          ? format("e%d", r)
                 : !p       ? format("no%d", q)
                 : p == own ? "own"
                            : "other");
    }
    RECORD(n, "%s", b);
}

GROUP(430, procaddress, "procaddress")
{
    use_device();
#define SUBJECT_FUNCTION(name) check_proc_address(#name);
#define OTHER_FUNCTION(name)
#include "functions.def"
    check_proc_address("cuEGLApiInit");
    check_proc_address("cuMemGetAttribute");
    check_proc_address("cuVDPAUCtxCreate");
    check_proc_address("cudbgGetAPI");
}
