/* SPDX-License-Identifier: MIT */
/* What a program says with NVTX, as activities and callbacks tell it. */
#include "cupti_test.h"

#include <dlfcn.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtSync.h>

enum { CALLS_MAX = 32 };

/* NVTX looks for its injection at its first call. */
static void inject_cupti(void)
{
    Dl_info place;

    check(dladdr((void *)cuptiSubscribe, &place) != 0);
    check(setenv("NVTX_INJECTION64_PATH", place.dli_fname, 1) == 0);
}

static nvtxEventAttributes_t attributes_of(const char *message)
{
    return (nvtxEventAttributes_t){.version = NVTX_VERSION,
                                   .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                   .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                   .message.ascii = message};
}

/* The marker of a name. */
static const CUpti_ActivityMarker2 *find_marker(const char *name)
{
    const CUpti_ActivityMarker2 *marker;

    for (int i = 0; (marker = find_record(CUPTI_ACTIVITY_KIND_MARKER, i)); i++)
        if (marker->name && strcmp(marker->name, name) == 0)
            return marker;
    return NULL;
}

static const CUpti_ActivityMarker2 *find_end(uint32_t id)
{
    const CUpti_ActivityMarker2 *marker;

    for (int i = 0; (marker = find_record(CUPTI_ACTIVITY_KIND_MARKER, i)); i++)
        if (marker->id == id && marker->flags == CUPTI_ACTIVITY_FLAG_MARKER_END)
            return marker;
    return NULL;
}

static const CUpti_ActivityMarkerData2 *find_data(uint32_t id)
{
    const CUpti_ActivityMarkerData2 *data;

    for (int i = 0; (data = find_record(CUPTI_ACTIVITY_KIND_MARKER_DATA, i)); i++)
        if (data->id == id)
            return data;
    return NULL;
}

TEST(records_have_the_sizes_of_cupti_13)
{
    check(sizeof(CUpti_ActivityMarker2) == 56);
    check(sizeof(CUpti_ActivityMarkerData2) == 40);
    check(sizeof(CUpti_ActivityName) == 32);
    check(CUPTI_CBID_NVTX_SIZE == 50);
}

TEST(both_ends_of_a_range_and_marks_are_recorded)
{
    nvtxRangeId_t id;

    inject_cupti();
    with_context();
    RECORD(CUPTI_ACTIVITY_KIND_MARKER);
    nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
    nvtxEventAttributes_t inner = attributes_of("inner");
    nvtxRangePushA("outer");
    nvtxDomainRangePushEx(domain, &inner);
    nvtxMarkA("here");
    id = nvtxRangeStartA("started");
    check(nvtxDomainRangePop(domain) == 0);
    check(nvtxRangePop() == 0);
    nvtxRangeEnd(id);
    check_done(cuptiActivityFlushAll(1));
    check(count_records(CUPTI_ACTIVITY_KIND_MARKER) == 7);
    const CUpti_ActivityMarker2 *mark = find_marker("here"), *begin = find_marker("inner");
    check(mark->flags == CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS && mark->domain == NULL);
    check(mark->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD);
    check(mark->objectId.pt.processId == (uint32_t)getpid());
    check(begin->flags == CUPTI_ACTIVITY_FLAG_MARKER_START);
    check(strcmp(begin->domain, "solver") == 0);
    const CUpti_ActivityMarker2 *end = find_end(begin->id);
    check(end && end->name == NULL && end->timestamp >= mark->timestamp);
    check(mark->timestamp >= begin->timestamp);
    check(find_end(find_marker("outer")->id)->timestamp >= end->timestamp);
    check(find_end(find_marker("started")->id) != NULL);
}

/* A range that never ends has been told. */
TEST(an_open_range_has_its_beginning)
{
    inject_cupti();
    with_context();
    RECORD(CUPTI_ACTIVITY_KIND_MARKER);
    nvtxRangePushA("for ever");
    check_done(cuptiActivityFlushAll(1));
    check(count_records(CUPTI_ACTIVITY_KIND_MARKER) == 1);
    check(find_marker("for ever")->flags == CUPTI_ACTIVITY_FLAG_MARKER_START);
}

/* The toolkit's sample says that a registered string is a text. */
TEST(registered_strings_are_texts)
{
    nvtxEventAttributes_t attributes = attributes_of(NULL);

    inject_cupti();
    with_context();
    RECORD(CUPTI_ACTIVITY_KIND_MARKER);
    nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(domain, "registered");
    nvtxDomainMarkEx(domain, &attributes);
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.registered = nvtxDomainRegisterStringA(domain, "mistaken");
    nvtxDomainMarkEx(domain, &attributes);
    check_done(cuptiActivityFlushAll(1));
    check(find_marker("registered"));
    only_cupipe();
    check(find_marker("mistaken"));
}

static void mark_with_payload(const char *name, int32_t type, nvtxEventAttributes_t attributes)
{
    attributes.message.ascii = name;
    attributes.payloadType = type;
    nvtxMarkEx(&attributes);
}

TEST(attributes_of_marks_are_recorded)
{
    nvtxEventAttributes_t attributes = attributes_of("");

    inject_cupti();
    with_context();
    RECORD(CUPTI_ACTIVITY_KIND_MARKER, CUPTI_ACTIVITY_KIND_MARKER_DATA);
    attributes.payload.dValue = 2.5;
    mark_with_payload("double", NVTX_PAYLOAD_TYPE_DOUBLE, attributes);
    attributes.payload.iValue = -7;
    mark_with_payload("int", NVTX_PAYLOAD_TYPE_INT32, attributes);
    attributes.payload.fValue = 0.5f;
    mark_with_payload("float", NVTX_PAYLOAD_TYPE_FLOAT, attributes);
    attributes.payload.ullValue = 1ull << 60;
    attributes.category = 9;
    attributes.colorType = NVTX_COLOR_ARGB;
    attributes.color = 0x80112233;
    mark_with_payload("unsigned", NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, attributes);
    check_done(cuptiActivityFlushAll(1));
    const CUpti_ActivityMarkerData2 *data = find_data(find_marker("double")->id);
    check(data->payloadKind == CUPTI_METRIC_VALUE_KIND_DOUBLE);
    check(data->payload.metricValueDouble == 2.5 && data->category == 0);
    check(data->flags == CUPTI_ACTIVITY_FLAG_MARKER_COLOR_NONE);
    data = find_data(find_marker("unsigned")->id);
    check(data->payloadKind == CUPTI_METRIC_VALUE_KIND_UINT64 && data->category == 9);
    check(data->payload.metricValueUint64 == 1ull << 60 && data->color == 0x80112233);
    check(data->flags == CUPTI_ACTIVITY_FLAG_MARKER_COLOR_ARGB);
    only_cupipe(); /* how values of 32 bits are widened is not documented */
    data = find_data(find_marker("int")->id);
    check(data->payloadKind == CUPTI_METRIC_VALUE_KIND_INT64);
    check(data->payload.metricValueInt64 == -7);
    data = find_data(find_marker("float")->id);
    check(data->payloadKind == CUPTI_METRIC_VALUE_KIND_DOUBLE);
    check(data->payload.metricValueDouble == 0.5);
}

TEST(there_is_no_data_without_markers)
{
    inject_cupti();
    with_context();
    RECORD(CUPTI_ACTIVITY_KIND_MARKER_DATA);
    nvtxMarkA("alone");
    check_done(cuptiActivityFlushAll(1));
    check(count_records(CUPTI_ACTIVITY_KIND_MARKER_DATA) == 0);
}

static const CUpti_ActivityName *find_name(const char *name)
{
    const CUpti_ActivityName *record;

    for (int i = 0; (record = find_record(CUPTI_ACTIVITY_KIND_NAME, i)); i++)
        if (strcmp(record->name, name) == 0)
            return record;
    return NULL;
}

TEST(names_of_objects_are_recorded)
{
    CUcontext context = with_context();
    uint32_t context_id, stream_id;
    CUstream stream;

    inject_cupti();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_done(cuptiGetContextId(context, &context_id));
    check_done(cuptiGetStreamIdEx(context, stream, 0, &stream_id));
    RECORD(CUPTI_ACTIVITY_KIND_NAME);
    nvtxNameOsThreadA(1234, "loader");
    nvtxNameCuDeviceA(0, "the first");
    nvtxNameCuContextA(context, "work");
    nvtxNameCuStreamA(stream, "copies");
    check_done(cuptiActivityFlushAll(1));
    const CUpti_ActivityName *name = find_name("loader");
    check(name->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD && name->objectId.pt.threadId == 1234);
    check(find_name("the first")->objectKind == CUPTI_ACTIVITY_OBJECT_DEVICE);
    name = find_name("work");
    check(name->objectKind == CUPTI_ACTIVITY_OBJECT_CONTEXT);
    check(name->objectId.dcs.contextId == context_id);
    name = find_name("copies");
    check(name->objectKind == CUPTI_ACTIVITY_OBJECT_STREAM);
    check(name->objectId.dcs.contextId == context_id && name->objectId.dcs.streamId == stream_id);
}

TEST(locks_of_the_program_are_recorded)
{
    static const CUpti_ActivityFlag expected[] = {
        CUPTI_ACTIVITY_FLAG_MARKER_SYNC_ACQUIRE, CUPTI_ACTIVITY_FLAG_MARKER_SYNC_ACQUIRE_FAILED,
        CUPTI_ACTIVITY_FLAG_MARKER_SYNC_ACQUIRE, CUPTI_ACTIVITY_FLAG_MARKER_SYNC_ACQUIRE_SUCCESS,
        CUPTI_ACTIVITY_FLAG_MARKER_SYNC_RELEASE};
    nvtxSyncUserAttributes_t attributes = {.version = NVTX_VERSION,
                                           .size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE,
                                           .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                           .message.ascii = "queue"};

    inject_cupti();
    with_context();
    RECORD(CUPTI_ACTIVITY_KIND_MARKER);
    nvtxDomainHandle_t domain = nvtxDomainCreateA("locks");
    nvtxSyncUser_t lock = nvtxDomainSyncUserCreate(domain, &attributes);
    nvtxDomainSyncUserAcquireStart(lock);
    nvtxDomainSyncUserAcquireFailed(lock);
    nvtxDomainSyncUserAcquireStart(lock);
    nvtxDomainSyncUserAcquireSuccess(lock);
    nvtxDomainSyncUserReleasing(lock);
    check_done(cuptiActivityFlushAll(1));
    only_cupipe(); /* documented are the flags alone */
    check(count_records(CUPTI_ACTIVITY_KIND_MARKER) == 5);
    for (int i = 0; i < 5; i++) {
        const CUpti_ActivityMarker2 *marker = find_record(CUPTI_ACTIVITY_KIND_MARKER, i);

        check(marker->flags == expected[i]);
        check(strcmp(marker->name, "queue") == 0 && strcmp(marker->domain, "locks") == 0);
    }
}

struct nvtx_call {
    uint32_t id;
    char name[40], text[16];
    uint64_t result;
};
static struct nvtx_call calls[CALLS_MAX];
static int call_count;

static void on_nvtx(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *given)
{
    const CUpti_NvtxData *call = given;
    struct nvtx_call *kept = &calls[call_count++];

    (void)data;
    check(domain == CUPTI_CB_DOMAIN_NVTX && call_count < CALLS_MAX);
    kept->id = id;
    strncat(kept->name, call->functionName, sizeof(kept->name) - 1);
    if (id == CUPTI_CBID_NVTX_nvtxRangePushA || id == CUPTI_CBID_NVTX_nvtxRangeStartA)
        strncat(kept->text, *(const char *const *)call->functionParams, sizeof(kept->text) - 1);
    if (id == CUPTI_CBID_NVTX_nvtxRangeStartA)
        kept->result = *(const uint64_t *)call->functionReturnValue;
    else if (call->functionReturnValue)
        kept->result = (uint64_t)(int64_t) * (const int *)call->functionReturnValue;
    nvtxMarkA("by the tool"); /* is not told */
}

TEST(calls_of_nvtx_are_told)
{
    CUpti_SubscriberHandle subscriber;
    nvtxRangeId_t id;

    inject_cupti();
    with_context();
    check_done(cuptiSubscribe(&subscriber, on_nvtx, NULL));
    check_done(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_NVTX));
    nvtxRangePushA("outer");
    nvtxRangePushA("inner");
    id = nvtxRangeStartA("started");
    nvtxRangeEnd(id);
    check_done(
        cuptiEnableCallback(0, subscriber, CUPTI_CB_DOMAIN_NVTX, CUPTI_CBID_NVTX_nvtxRangePop));
    nvtxRangePop();
    check(call_count == 4);
    check(calls[0].id == CUPTI_CBID_NVTX_nvtxRangePushA && strcmp(calls[0].text, "outer") == 0);
    check(strcmp(calls[0].name, "nvtxRangePushA") == 0 && calls[0].result == 0);
    check(strcmp(calls[1].text, "inner") == 0 && calls[1].result == 1);
    check(strcmp(calls[2].text, "started") == 0 && calls[2].result == id);
    check(calls[3].id == CUPTI_CBID_NVTX_nvtxRangeEnd);
    check(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_NVTX, CUPTI_CBID_NVTX_SIZE) ==
          CUPTI_ERROR_INVALID_PARAMETER);
    check_done(cuptiUnsubscribe(subscriber));
    nvtxRangePop();
    check(call_count == 4);
}

/* Parameters of a function of a domain: the domain, then the others. */
static uint64_t words[2];

static void on_domain_call(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                           const void *given)
{
    (void)data, (void)domain;
    if (id == CUPTI_CBID_NVTX_nvtxDomainMarkEx)
        memcpy(words, ((const CUpti_NvtxData *)given)->functionParams, sizeof(words));
}

TEST(calls_with_a_domain_have_it_first)
{
    nvtxEventAttributes_t attributes = attributes_of("mark");
    CUpti_SubscriberHandle subscriber;

    inject_cupti();
    with_context();
    check_done(cuptiSubscribe(&subscriber, on_domain_call, NULL));
    check_done(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_NVTX));
    nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
    nvtxDomainMarkEx(domain, &attributes);
    check(words[0] == (uintptr_t)domain && words[1] == (uintptr_t)&attributes);
}
