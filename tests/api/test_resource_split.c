/* SPDX-License-Identifier: MIT */
/* Device resources of CUDA 13.1 and later: splitting multiprocessors into described groups,
 * workqueues, the resources of a stream, and what an older driver does with them. */
#include "hold.h"

#define BACKFILL CU_DEV_SM_RESOURCE_GROUP_BACKFILL
#define LOCALITY CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID

typedef CU_DEV_SM_RESOURCE_GROUP_PARAMS parameters;

static CUdevResource device_resource(CUdevResourceType type)
{
    CUdevResource resource;

    check_success(cuDeviceGetDevResource(0, &resource, type));
    return resource;
}

static CUgreenCtx green_of(CUdevResource *resources, unsigned count)
{
    CUdevResourceDesc descriptor;
    CUgreenCtx green;

    check_success(cuDevResourceGenerateDesc(&descriptor, resources, count));
    check_success(cuGreenCtxCreate(&green, descriptor, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    return green;
}

static void need_clusters(void)
{
    if (device_resource(CU_DEV_RESOURCE_TYPE_SM).sm.smCoscheduledAlignment < 8)
        skip("the device schedules multiprocessors in pairs only");
}

/* The result of splitting off one group; *wanted is updated. */
static CUresult split_one(parameters *wanted, CUdevResource *part, CUdevResource *rest)
{
    CUdevResource whole = device_resource(CU_DEV_RESOURCE_TYPE_SM);

    return cuDevSmResourceSplit(part, 1, &whole, rest, 0, wanted);
}

TEST(groups_have_what_they_ask_for)
{
    with_context();
    need_driver(13010);
    need_clusters();
    CUdevResource whole = device_resource(CU_DEV_RESOURCE_TYPE_SM), parts[3], rest;
    parameters groups[3] = {{.smCount = 16, .coscheduledSmCount = 8},
                            {.smCount = 10, .coscheduledSmCount = 2},
                            {.smCount = 8}};

    check(whole.sm.flags == 0 && whole.sm.localityDomainId == 0 && !whole.nextResource);
    check_success(cuDevSmResourceSplit(parts, 3, &whole, &rest, 0, groups));
    check(parts[0].sm.smCount == 16 && parts[0].sm.smCoscheduledAlignment == 8);
    check(parts[1].sm.smCount == 10 && parts[1].sm.smCoscheduledAlignment == 2);
    check(parts[2].sm.smCount == 8 && parts[2].sm.smCoscheduledAlignment == 8);
    check(rest.sm.smCount == whole.sm.smCount - 34);
    check(rest.type == CU_DEV_RESOURCE_TYPE_SM);
    /* The remainder can be split again, a result cannot. */
    parameters all = {0};
    check_success(cuDevSmResourceSplit(&parts[0], 1, &rest, &rest, 0, &all));
    check(all.smCount == whole.sm.smCount - 34 && rest.type == CU_DEV_RESOURCE_TYPE_INVALID);
    check_result(cuDevSmResourceSplit(NULL, 1, &parts[1], NULL, 0, &(parameters){0}),
                 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
}

TEST(a_count_of_zero_is_discovered)
{
    with_context();
    need_driver(13010);
    CUdevResource whole = device_resource(CU_DEV_RESOURCE_TYPE_SM), parts[2], rest;
    unsigned all = whole.sm.smCount, unit = whole.sm.smCoscheduledAlignment;
    parameters free_group = {0}, units = {.coscheduledSmCount = unit};
    parameters two[2] = {{.smCount = unit, .coscheduledSmCount = unit},
                         {.coscheduledSmCount = 2, .flags = BACKFILL}};

    check_success(split_one(&free_group, NULL, NULL));
    check(free_group.smCount == all / 2 * 2 && free_group.coscheduledSmCount == 0);
    check_success(split_one(&units, parts, &rest));
    check(units.smCount > 0 && units.smCount % unit == 0 && parts[0].sm.smCount == units.smCount);
    check(rest.sm.smCount == all - units.smCount);
    check_success(cuDevSmResourceSplit(parts, 2, &whole, &rest, 0, two));
    check(two[1].smCount == (all - unit) / 2 * 2 && parts[1].sm.flags == BACKFILL);
    /* Nothing is left for the second group: an answer, but no result. */
    parameters none[2] = {{0}, {0}};
    check_success(cuDevSmResourceSplit(NULL, 2, &whole, NULL, 0, none));
    check(none[1].smCount == 0);
    none[0].smCount = 0;
    check_result(cuDevSmResourceSplit(parts, 2, &whole, NULL, 0, none),
                 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    check(none[0].smCount == 0);
}

TEST(backfill_makes_the_unit_a_hint)
{
    with_context();
    need_driver(13010);
    need_clusters();
    CUdevResource part, rest;
    unsigned all = device_resource(CU_DEV_RESOURCE_TYPE_SM).sm.smCount;
    parameters most = {.coscheduledSmCount = 8};

    check_success(split_one(&most, NULL, NULL));
    check_result(split_one(&(parameters){.smCount = 10, .coscheduledSmCount = 8}, &part, &rest),
                 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    check_result(split_one(&(parameters){.smCount = most.smCount + 8, .coscheduledSmCount = 8},
                           &part, &rest),
                 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    check_success(split_one(
        &(parameters){.smCount = all, .coscheduledSmCount = 8, .flags = BACKFILL}, &part, &rest));
    check(part.sm.smCount == all && part.sm.flags == BACKFILL);
    check(part.sm.smCoscheduledAlignment == 8 && rest.type == CU_DEV_RESOURCE_TYPE_INVALID);
}

TEST(devices_without_clusters_schedule_pairs)
{
    setenv("CUPIPE_GPU", "a100", 1);
    with_context();
    only_cupipe();
    need_driver(13010);
    CUdevResource whole = device_resource(CU_DEV_RESOURCE_TYPE_SM), part;

    check(whole.sm.smCoscheduledAlignment == 2 && whole.sm.minSmPartitionSize == 2);
    check_success(split_one(&(parameters){.smCount = 10, .coscheduledSmCount = 2}, &part, NULL));
    check(part.sm.smCount == 10 && part.sm.smCoscheduledAlignment == 2);
    check_result(split_one(&(parameters){.smCount = 8, .coscheduledSmCount = 4}, &part, NULL),
                 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
}

TEST(wrong_groups_are_refused)
{
    with_context();
    need_driver(13040);
    CUdevResource whole = device_resource(CU_DEV_RESOURCE_TYPE_SM), part, broken = whole;
    const CUresult configuration = CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    struct {
        parameters group;
        CUresult answer;
    } wrong[] = {
        {{.smCount = 3}, configuration},
        {{.smCount = whole.sm.smCount + 2}, configuration},
        {{.smCount = 12, .coscheduledSmCount = 8}, configuration},
        {{.coscheduledSmCount = 3}, configuration},
        {{.coscheduledSmCount = 34}, configuration},
        {{.coscheduledSmCount = 8, .preferredCoscheduledSmCount = 4}, configuration},
        {{.smCount = 8, .flags = 4}, CUDA_ERROR_INVALID_VALUE},
        {{.smCount = 8, .localityDomainId = 1}, CUDA_ERROR_INVALID_VALUE},
        {{.smCount = 8, .flags = LOCALITY, .localityDomainId = 1}, configuration},
        {{.smCount = 8, .reserved = {[10] = 1}}, CUDA_ERROR_INVALID_VALUE},
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        check_result(split_one(&wrong[i].group, &part, NULL), wrong[i].answer);
    parameters good = {.smCount = 8};
    check_result(cuDevSmResourceSplit(&part, 0, &whole, NULL, 0, &good), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDevSmResourceSplit(&part, 1, &whole, NULL, 1, &good), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDevSmResourceSplit(&part, 1, NULL, NULL, 0, &good), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDevSmResourceSplit(&part, 1, &whole, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    broken.sm.flags = BACKFILL;
    check_result(cuDevSmResourceSplit(&part, 1, &broken, NULL, 0, &good), configuration);
    CUdevResource queue = device_resource(CU_DEV_RESOURCE_TYPE_WORKQUEUE);
    check_result(cuDevSmResourceSplit(&part, 1, &queue, NULL, 0, &good),
                 CUDA_ERROR_INVALID_RESOURCE_TYPE);
}

TEST(the_locality_domain_stays_with_the_group)
{
    with_context();
    need_driver(13040);
    CUdevResource part, of_green;
    parameters group = {.smCount = 16, .flags = LOCALITY};

    check_success(split_one(&group, &part, NULL));
    check(part.sm.flags == LOCALITY && part.sm.localityDomainId == 0);
    CUgreenCtx green = green_of(&part, 1);
    check_success(cuGreenCtxGetDevResource(green, &of_green, CU_DEV_RESOURCE_TYPE_SM));
    check(of_green.sm.smCount == 16 && of_green.sm.flags == LOCALITY);
    check_success(cuGreenCtxDestroy(green));
}

TEST(a_descriptor_takes_outputs_of_one_split)
{
    with_context();
    need_driver(13010);
    need_clusters();
    CUdevResource whole = device_resource(CU_DEV_RESOURCE_TYPE_SM), parts[3], other, of_green;
    parameters groups[3] = {{.smCount = 8, .coscheduledSmCount = 8},
                            {.smCount = 16, .coscheduledSmCount = 8},
                            {.smCount = 8, .coscheduledSmCount = 4}};
    CUdevResourceDesc descriptor;

    check_success(cuDevSmResourceSplit(parts, 3, &whole, NULL, 0, groups));
    CUgreenCtx green = green_of(parts, 2);
    check_success(cuGreenCtxGetDevResource(green, &of_green, CU_DEV_RESOURCE_TYPE_SM));
    check(of_green.sm.smCount == 24 && of_green.sm.smCoscheduledAlignment == 8);
    check_result(cuDevResourceGenerateDesc(&descriptor, &parts[1], 2),
                 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    check_success(cuDevSmResourceSplit(&other, 1, &whole, NULL, 0, groups));
    parts[1] = other;
    check_result(cuDevResourceGenerateDesc(&descriptor, parts, 2),
                 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    check_success(cuGreenCtxDestroy(green));
}

TEST(workqueue_of_a_device)
{
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "12", 1);
    CUcontext primary = with_context();
    need_driver(13010);
    CUdevResource config = device_resource(CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG), of_context;

    check(config.type == CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG && config.wqConfig.device == 0);
    check(config.wqConfig.wqConcurrencyLimit == 12);
    check(config.wqConfig.sharingScope == CU_WORKQUEUE_SCOPE_DEVICE_CTX);
    check_success(cuCtxGetDevResource(primary, &of_context, CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG));
    check(memcmp(&config, &of_context, sizeof(config)) == 0);
    check_success(cuCtxGetDevResource(primary, &of_context, CU_DEV_RESOURCE_TYPE_WORKQUEUE));
    check(of_context.type == CU_DEV_RESOURCE_TYPE_WORKQUEUE);
}

/* A configuration with the balanced scope makes a workqueue, which another green context can share.
 */
TEST(green_contexts_share_a_workqueue)
{
    with_context();
    need_driver(13010);
    CUdevResource resources[2], queues[3], config;
    parameters group = {.smCount = 16};
    CUgreenCtx greens[3];

    check_success(split_one(&group, &resources[0], NULL));
    resources[1] = device_resource(CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG);
    resources[1].wqConfig.wqConcurrencyLimit = 3;
    resources[1].wqConfig.sharingScope = CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED;
    greens[0] = green_of(resources, 2);
    greens[1] = green_of(resources, 2);
    check_success(cuGreenCtxGetDevResource(greens[0], &queues[0], CU_DEV_RESOURCE_TYPE_WORKQUEUE));
    check_success(cuGreenCtxGetDevResource(greens[1], &queues[1], CU_DEV_RESOURCE_TYPE_WORKQUEUE));
    check(memcmp(&queues[0].wq, &queues[1].wq, sizeof(queues[0].wq)) != 0);
    resources[1] = queues[0];
    greens[2] = green_of(resources, 2);
    check_success(cuGreenCtxGetDevResource(greens[2], &queues[2], CU_DEV_RESOURCE_TYPE_WORKQUEUE));
    check(memcmp(&queues[0].wq, &queues[2].wq, sizeof(queues[0].wq)) == 0);
    check_success(
        cuGreenCtxGetDevResource(greens[2], &config, CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG));
    check(config.wqConfig.wqConcurrencyLimit == 3);
    check(config.wqConfig.sharingScope == CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED);
    for (int i = 0; i < 3; i++)
        check_success(cuGreenCtxDestroy(greens[i]));
}

TEST(a_workqueue_alone_has_all_multiprocessors)
{
    with_context();
    need_driver(13010);
    CUdevResource config = device_resource(CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG), sms;

    CUgreenCtx green = green_of(&config, 1);
    check_success(cuGreenCtxGetDevResource(green, &sms, CU_DEV_RESOURCE_TYPE_SM));
    check(sms.sm.smCount == device_resource(CU_DEV_RESOURCE_TYPE_SM).sm.smCount);
    check_success(cuGreenCtxDestroy(green));
}

TEST(wrong_workqueues_are_refused)
{
    with_context();
    need_driver(13010);
    const CUresult configuration = CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    CUdevResource good = device_resource(CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG), bad = good;
    CUdevResource two[2] = {good, good}, queue = device_resource(CU_DEV_RESOURCE_TYPE_WORKQUEUE);
    CUdevResourceDesc descriptor;

    bad.wqConfig.wqConcurrencyLimit = 0;
    check_result(cuDevResourceGenerateDesc(&descriptor, &bad, 1), configuration);
    bad = good;
    bad.wqConfig.sharingScope = 2;
    check_result(cuDevResourceGenerateDesc(&descriptor, &bad, 1), configuration);
    bad = good;
    bad.wqConfig.device = 4711;
    check_result(cuDevResourceGenerateDesc(&descriptor, &bad, 1), configuration);
    check_result(cuDevResourceGenerateDesc(&descriptor, two, 2), configuration);
    queue.wq.reserved[0] ^= 1;
    check_result(cuDevResourceGenerateDesc(&descriptor, &queue, 1), configuration);
}

TEST(the_resource_of_a_stream)
{
    with_context();
    need_driver(13010);
    CUdevResource part, resource;
    parameters group = {.smCount = 24};

    check_success(split_one(&group, &part, NULL));
    CUgreenCtx green = green_of(&part, 1);
    CUstream stream, plain = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    check_success(cuStreamGetDevResource(stream, &resource, CU_DEV_RESOURCE_TYPE_SM));
    check(resource.sm.smCount == 24);
    check_success(cuStreamGetDevResource(plain, &resource, CU_DEV_RESOURCE_TYPE_SM));
    check(resource.sm.smCount == device_resource(CU_DEV_RESOURCE_TYPE_SM).sm.smCount);
    check_success(cuStreamGetDevResource(NULL, &resource, CU_DEV_RESOURCE_TYPE_SM));
    check_result(cuStreamGetDevResource(plain, &resource, CU_DEV_RESOURCE_TYPE_WORKQUEUE),
                 CUDA_ERROR_INVALID_RESOURCE_TYPE);
    check_result(cuStreamGetDevResource(plain, &resource, CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG),
                 CUDA_ERROR_INVALID_RESOURCE_TYPE);
    check_result(cuStreamGetDevResource(plain, NULL, CU_DEV_RESOURCE_TYPE_SM),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamDestroy(stream));
    check_result(cuStreamGetDevResource(stream, &resource, CU_DEV_RESOURCE_TYPE_SM),
                 CUDA_ERROR_INVALID_HANDLE);
    check_success(cuGreenCtxDestroy(green));
}

TEST(a_green_context_without_flags)
{
    with_context();
    need_driver(13030);
    CUdevResource whole = device_resource(CU_DEV_RESOURCE_TYPE_SM);
    CUdevResourceDesc descriptor;
    CUgreenCtx green;

    check_success(cuDevResourceGenerateDesc(&descriptor, &whole, 1));
    check_success(cuGreenCtxCreate(&green, descriptor, 0, CU_GREEN_CTX_NONE));
    check_success(cuGreenCtxDestroy(green));
    check_result(cuGreenCtxCreate(&green, descriptor, 0, 2), CUDA_ERROR_INVALID_VALUE);
}

/* Driver 13.0 knows none of this, and ignores the bytes in which it came to be. */
TEST(an_older_driver_knows_multiprocessors_only)
{
    setenv("CUPIPE_DRIVER", "13.0", 1);
    with_context();
    only_cupipe();
    CUdevResource whole = device_resource(CU_DEV_RESOURCE_TYPE_SM), resource = whole;
    CUdevResourceDesc descriptor;
    CUgreenCtx green;

    check_result(cuDeviceGetDevResource(0, &resource, CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG),
                 CUDA_ERROR_INVALID_RESOURCE_TYPE);
    check_result(cuDeviceGetDevResource(0, &resource, CU_DEV_RESOURCE_TYPE_WORKQUEUE),
                 CUDA_ERROR_INVALID_RESOURCE_TYPE);
    resource.type = CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG;
    check_result(cuDevResourceGenerateDesc(&descriptor, &resource, 1),
                 CUDA_ERROR_INVALID_RESOURCE_TYPE);
    whole.sm.flags = 7;
    whole.sm.localityDomainId = 7;
    check_success(cuDevResourceGenerateDesc(&descriptor, &whole, 1));
    check_result(cuGreenCtxCreate(&green, descriptor, 0, CU_GREEN_CTX_NONE),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuDevSmResourceSplit(NULL, 1, &whole, NULL, 0, &(parameters){0}),
                 CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER);
}
