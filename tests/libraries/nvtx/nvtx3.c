/* SPDX-License-Identifier: MIT */
/* A program with NVTX 3 in its headers, for check_nvtx3.py: names, resources, registered strings,
 * payloads with a layout, counters, locks of its own. It runs under any tool, or none. */
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSync.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define TEXT_ARRAY NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE

enum solver { SOLVER_JACOBI = 3, SOLVER_MULTIGRID = 7 };

struct point {
    float x, y;
};

struct step {
    uint8_t level;
    int64_t number;
    struct point at;
    enum solver solver;
    double residuals[3];
    char name[12];
    const char *message;
};

static nvtxDomainHandle_t domain;
static uint64_t step_schema;

static void register_step(void)
{
    const nvtxPayloadEnum_t solvers[] = {{"jacobi", SOLVER_JACOBI, 0},
                                         {"multigrid", SOLVER_MULTIGRID, 0}};
    const nvtxPayloadEnumAttr_t enumeration = {
        .fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE,
        .entries = solvers,
        .numEntries = COUNT(solvers),
        .sizeOfEnum = sizeof(enum solver)};
    const nvtxPayloadSchemaEntry_t point_entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "x", NULL, 0, 0, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "y", NULL, 0, 0, NULL, NULL}};
    nvtxPayloadSchemaAttr_t schema = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
                                      .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                      .entries = point_entries,
                                      .numEntries = COUNT(point_entries)};
    uint64_t point = nvtxPayloadSchemaRegister(domain, &schema);
    uint64_t solver = nvtxPayloadEnumRegister(domain, &enumeration);
    const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "level", NULL, 0, 0, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "number", NULL, 0, 0, NULL, NULL},
        {0, point, "at", NULL, 0, 0, NULL, NULL},
        {0, solver, "solver", NULL, 0, 0, NULL, NULL},
        {TEXT_ARRAY, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "residuals", NULL, 3,
         offsetof(struct step, residuals), NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "name", NULL, sizeof(((struct step *)0)->name), 0,
         NULL, NULL},
        {NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE,
         NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "message", NULL, 0, 0, NULL, NULL}};

    schema.entries = entries;
    schema.numEntries = COUNT(entries);
    step_schema = nvtxPayloadSchemaRegister(domain, &schema);
}

static void payloads(void)
{
    struct step step = {.level = 2,
                        .number = -5,
                        .at = {1.5f, -0.25f},
                        .solver = SOLVER_MULTIGRID,
                        .residuals = {1, 0.5, 0.25},
                        .name = "coarse \"grid",
                        .message = "a step"};
    nvtxPayloadData_t data = {step_schema, sizeof(step), &step};

    if (nvtxRangePushPayload(domain, &data, 1) == 0) {
        step.level = 1;
        nvtxRangePopPayload(domain, &data, 1);
    }
    data.size = 4; /* too short for its layout */
    nvtxMarkPayload(domain, &data, 1);
}

static void counters(void)
{
    const nvtxCounterAttr_t attributes = {.structSize = sizeof(attributes),
                                          .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                          .name = "queued"};
    uint64_t counter = nvtxCounterRegister(domain, &attributes);

    nvtxCounterSampleInt64(domain, counter, 42);
    nvtxCounterSampleFloat64(domain, counter, 0.5);
}

static void locks(void)
{
    const nvtxSyncUserAttributes_t attributes = {.version = NVTX_VERSION,
                                                 .size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE,
                                                 .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                                 .message.ascii = "queue"};
    nvtxSyncUser_t lock = nvtxDomainSyncUserCreate(domain, &attributes);

    nvtxDomainSyncUserAcquireStart(lock);
    nvtxDomainSyncUserAcquireSuccess(lock);
    nvtxDomainSyncUserReleasing(lock);
    nvtxDomainSyncUserDestroy(lock);
}

static void registered(void)
{
    nvtxEventAttributes_t attributes = {
        .version = NVTX_VERSION,
        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
        .messageType = NVTX_MESSAGE_TYPE_REGISTERED,
        .message.registered = nvtxDomainRegisterStringA(domain, "registered \xc3\xbc")};

    nvtxDomainMarkEx(domain, &attributes);
}

static void resource(CUevent event)
{
    nvtxResourceAttributes_t attributes = {.version = NVTX_VERSION,
                                           .size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE,
                                           .identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER,
                                           .identifier.pValue = &domain,
                                           .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                           .message.ascii = "a table"};

    nvtxNameCuEventA(event, "copied");
    nvtxDomainResourceDestroy(nvtxDomainResourceCreate(domain, &attributes));
    nvtxDomainResourceCreate(domain, &attributes);
}

static void *worker(void *nothing)
{
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "worker \xce\xb1");
    nvtxRangePushA("in the worker");
    nvtxRangePop();
    return nothing;
}

/* A debugger stops here and lists what is open. */
__attribute__((noinline)) static void stop_here(void)
{
    __asm__ volatile("" ::: "memory");
}

/* The child goes on with the stack of the thread that forked. */
static int child_is_right(void)
{
    int depth = nvtxRangePop();

    return depth == NVTX_NO_PUSH_POP_TRACKING ||
           (depth == 1 && nvtxRangePushA("in the child") == 1);
}

int main(void)
{
    pthread_t thread;
    CUcontext context;
    CUstream stream;
    CUevent event;
    CUdeviceptr memory;

    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "the main one"); /* before the driver */
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) || cuEventCreate(&event, 0) ||
        cuMemAlloc(&memory, 1 << 20))
        return 1;
    domain = nvtxDomainCreateA("physics");
    nvtxNameCuStreamA(stream, "copies");
    nvtxNameCuDeviceA(0, "the first");
    nvtxNameCuContextA(context, "primary");
    nvtxNameCuStreamA((CUstream)(uintptr_t)0x1234, "nothing"); /* is no stream */
    resource(event);
    cuMemsetD8Async(memory, 1, 1 << 20, stream);
    cuStreamSynchronize(stream);
    register_step();
    payloads();
    counters();
    locks();
    registered();
    if (pthread_create(&thread, NULL, worker, NULL) || pthread_join(thread, NULL))
        return 2;
    nvtxRangeId_t open = nvtxRangeStartA("started");
    nvtxRangePushA("outer");
    nvtxRangePushA("inner");
    stop_here();
    pid_t child = fork();
    if (child == 0)
        _exit(child_is_right() ? 0 : 9);
    int status = 0;
    waitpid(child, &status, 0);
    nvtxRangePop();
    nvtxRangePop();
    nvtxRangeEnd(open);
    cuDevicePrimaryCtxRelease(0);
    return WEXITSTATUS(status);
}
