/* SPDX-License-Identifier: MIT */
/* cuStreamSetAttribute: valid values, and the defaults of a stream. */
#include "hold.h"

TEST(attributes_have_their_defaults)
{
    CUstreamAttrValue value;

    with_context();
    CUstream stream = new_stream(0);
    memset(&value, 0x5a, sizeof(value));
    check_success(cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    check((int)value.syncPolicy == -1 && value.pad[4] == 0x5a);
    check_success(cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value));
    check(value.memSyncDomainMap.default_ == 0 && value.memSyncDomainMap.remote == 1);
    check_success(cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &value));
    check(value.memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT);
    check_success(cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_PRIORITY, &value));
    check(value.priority == 0);
    check_success(cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    check(value.accessPolicyWindow.base_ptr == NULL && value.accessPolicyWindow.num_bytes == 0);
}

TEST(attributes_take_what_they_can_be)
{
    CUstreamAttrValue value = {{0}};

    with_context();
    CUstream stream = new_stream(0);
    for (int policy = -1; policy <= 6; policy++) {
        value.syncPolicy = (CUsynchronizationPolicy)policy;
        check_result(
            cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value),
            policy >= 1 && policy <= 4 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    }
    check_success(cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    check(value.syncPolicy == CU_SYNC_POLICY_BLOCKING_SYNC);
    for (int priority = -8; priority <= 2; priority++) {
        int got = 99;
        value.priority = priority;
        check_success(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_PRIORITY, &value));
        check_success(cuStreamGetPriority(stream, &got));
        check(got == (priority < -5 ? -5 : priority > 0 ? 0 : priority));
    }
    for (int id = 0; id <= 24; id++) {
        bool known = id == 1 || id == 3 || (id >= 8 && id <= 10);
        if (!known)
            check_result(cuStreamGetAttribute(stream, (CUstreamAttrID)id, &value),
                         CUDA_ERROR_INVALID_VALUE);
    }
}

TEST(windows_and_domains_have_limits)
{
    int most;

    with_context();
    check_success(
        cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, 0));
    const CUaccessPolicyWindow wrong[] = {
        {.hitRatio = 2},
        {.hitRatio = -1},
        {.missProp = CU_ACCESS_PROPERTY_PERSISTING},
        {.num_bytes = (size_t)most + 1},
        {.num_bytes = SIZE_MAX},
    };
    CUstream stream = new_stream(0);
    CUstreamAttrValue value = {{0}};
    for (int i = 0; i < 5; i++) {
        value.accessPolicyWindow = wrong[i];
        check_result(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value),
                     CUDA_ERROR_INVALID_VALUE);
    }
    value.accessPolicyWindow = (CUaccessPolicyWindow){.num_bytes = (size_t)most, .hitRatio = 0.5f};
    check_success(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    memset(&value, 0, sizeof(value));
    value.memSyncDomainMap.remote = 255;
    check_result(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value),
                 CUDA_ERROR_INVALID_VALUE);
    memset(&value, 0, sizeof(value));
    value.memSyncDomain = (CUlaunchMemSyncDomain)2;
    check_result(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &value),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(attributes_without_a_value_are_invalid)
{
    with_context();
    only_cupipe();
    CUstream stream = new_stream(0);
    check_result(cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_PRIORITY, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_PRIORITY, NULL),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(attributes_are_copied)
{
    CUstreamAttrValue value = {{0}};
    CUcontext second;
    int priority;

    with_context();
    CUstream from = new_stream(0), to = new_stream(CU_STREAM_NON_BLOCKING);
    value.priority = -4;
    check_success(cuStreamSetAttribute(from, CU_STREAM_ATTRIBUTE_PRIORITY, &value));
    value.syncPolicy = CU_SYNC_POLICY_YIELD;
    check_success(cuStreamSetAttribute(from, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    check_success(cuStreamCopyAttributes(to, from));
    check_success(cuStreamGetAttribute(to, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    check(value.syncPolicy == CU_SYNC_POLICY_YIELD);
    check_success(cuStreamGetPriority(to, &priority));
    check(priority == -4);
    check_success(cuStreamCopyAttributes(to, to));
    check_success(cuStreamCopyAttributes(NULL, from));
    check_success(cuStreamCopyAttributes(to, CU_STREAM_LEGACY));
    check_success(cuCtxCreate(&second, NULL, 0, 0));
    check_result(cuStreamCopyAttributes(NULL, from), CUDA_ERROR_INVALID_VALUE);
}

static void CUDA_CB do_nothing(void *data)
{
    (void)data;
}

/* The priority of a stream changes while it waits for a worker. */
TEST(priorities_change_under_load)
{
    enum { COUNT = 16 };
    CUstream streams[COUNT];
    CUstreamAttrValue value = {{0}};

    with_context();
    atomic_uint *words = pinned_words(COUNT);
    for (int i = 0; i < COUNT; i++)
        streams[i] = new_stream(CU_STREAM_NON_BLOCKING);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < COUNT; i++) {
            check_success(cuLaunchHostFunc(streams[i], do_nothing, NULL));
            write_word(streams[i], &words[i], (unsigned)round);
            value.priority = -((round + i) % 6);
            check_success(cuStreamSetAttribute(streams[i], CU_STREAM_ATTRIBUTE_PRIORITY, &value));
        }
    }
    check_success(cuCtxSynchronize());
    for (int i = 0; i < COUNT; i++)
        check(atomic_load(&words[i]) == 199);
}
