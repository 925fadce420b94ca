/* SPDX-License-Identifier: MIT */
/* Device resources and green contexts: splitting, contexts of a part of the device, whose streams
 * are their own and whose memory, modules and events are the primary context's. */
#include "hold.h"

/* Marks out[%smid] and counts the blocks in out[255]. */
static const char ptx_sms[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                              ".visible .entry sms(.param .u64 out)\n"
                              "{\n"
                              "    .reg .b32 %r<3>;\n"
                              "    .reg .b64 %rd<4>;\n"
                              "    ld.param.u64 %rd1, [out];\n"
                              "    cvta.to.global.u64 %rd1, %rd1;\n"
                              "    mov.u32 %r1, %smid;\n"
                              "    mul.wide.u32 %rd2, %r1, 4;\n"
                              "    add.s64 %rd3, %rd1, %rd2;\n"
                              "    atom.global.add.u32 %r2, [%rd3], 1;\n"
                              "    atom.global.add.u32 %r2, [%rd1+1020], 1;\n"
                              "    ret;\n"
                              "}\n";

static CUdevResource device_resource(void)
{
    CUdevResource resource;

    check_success(cuDeviceGetDevResource(0, &resource, CU_DEV_RESOURCE_TYPE_SM));
    return resource;
}

static CUgreenCtx green_of(CUdevResource *resource)
{
    CUdevResourceDesc descriptor;
    CUgreenCtx green;

    check_success(cuDevResourceGenerateDesc(&descriptor, resource, 1));
    check_success(cuGreenCtxCreate(&green, descriptor, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    return green;
}

/* Two green contexts of equal, disjoint parts. */
static void two_greens(CUgreenCtx greens[2], unsigned *sm_count)
{
    CUdevResource whole = device_resource(), parts[2];
    unsigned count = 2;

    check_success(cuDevSmResourceSplitByCount(parts, &count, &whole, NULL, 0, 32));
    check(count == 2 && parts[0].sm.smCount == parts[1].sm.smCount);
    *sm_count = parts[0].sm.smCount;
    greens[0] = green_of(&parts[0]);
    greens[1] = green_of(&parts[1]);
}

static CUcontext context_of(CUgreenCtx green)
{
    CUcontext context;

    check_success(cuCtxFromGreenCtx(&context, green));
    return context;
}

static CUstream stream_of(CUgreenCtx green)
{
    CUstream stream;

    check_success(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    return stream;
}

TEST(parts_and_rest_add_up)
{
    with_context();
    CUdevResource whole = device_resource(), parts[256], rest;
    unsigned all = whole.sm.smCount;

    for (unsigned flags = 0; flags < 3; flags++) {
        for (unsigned least = 0; least <= all; least++) {
            unsigned count = 256, asked = 0;
            check_success(cuDevSmResourceSplitByCount(NULL, &asked, &whole, NULL, flags, least));
            check_success(cuDevSmResourceSplitByCount(parts, &count, &whole, &rest, flags, least));
            check(count == asked && count > 0);
            unsigned sum = rest.type == CU_DEV_RESOURCE_TYPE_SM ? rest.sm.smCount : 0;
            for (unsigned i = 0; i < count; i++) {
                check(parts[i].sm.smCount >= least);
                sum += parts[i].sm.smCount;
            }
            check(sum == all);
        }
        unsigned count = 1;
        check_result(cuDevSmResourceSplitByCount(parts, &count, &whole, &rest, flags, all + 1),
                     CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    }
}

TEST(altered_resources_are_refused)
{
    with_context();
    CUdevResource whole = device_resource(), parts[2];
    CUdevResourceDesc descriptor;
    unsigned count = 2;

    check_success(cuDevSmResourceSplitByCount(parts, &count, &whole, NULL, 0, 16));
    parts[0].sm.smCount++;
    check_result(cuDevResourceGenerateDesc(&descriptor, parts, 1),
                 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    whole.sm.smCount = 64;
    check_result(cuDevSmResourceSplitByCount(parts, &count, &whole, NULL, 0, 8),
                 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    memset(&whole, 0, sizeof(whole));
    check_result(cuDevSmResourceSplitByCount(parts, &count, &whole, NULL, 0, 8),
                 CUDA_ERROR_INVALID_RESOURCE_TYPE);
    /* A part cannot be split, but the resource of a context made of it can. */
    check_result(cuDevSmResourceSplitByCount(NULL, &count, &parts[1], NULL, 0, 8),
                 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    CUgreenCtx green = green_of(&parts[1]);
    check_success(cuGreenCtxGetDevResource(green, &whole, CU_DEV_RESOURCE_TYPE_SM));
    check(whole.sm.smCount == parts[1].sm.smCount);
    check_success(cuDevSmResourceSplitByCount(NULL, &count, &whole, NULL, 0, 8));
    check(count == whole.sm.smCount / 8);
}

TEST(what_is_made_in_a_green_context_outlives_it)
{
    CUcontext primary = with_context(), owner = NULL, current;
    CUgreenCtx greens[2];
    unsigned sm_count, value = 0;
    CUdeviceptr memory;
    CUevent event;

    two_greens(greens, &sm_count);
    CUcontext context = context_of(greens[0]);
    check_success(cuCtxSetCurrent(context));
    check_success(cuCtxGetCurrent(&current));
    check(current == context);
    check_success(cuMemAlloc(&memory, 64));
    check_success(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
    check(owner == primary);
    check_success(cuMemsetD32(memory, 77, 16));
    event = new_event(0);
    CUstream stream = stream_of(greens[0]), made = new_stream(0);
    unsigned flags = 0;
    check_success(cuStreamGetFlags(made, &flags));
    check(flags == CU_STREAM_NON_BLOCKING);
    check_success(cuEventRecord(event, stream));
    check_result(cuCtxDestroy(context), CUDA_ERROR_INVALID_CONTEXT);

    check_success(cuGreenCtxDestroy(greens[0]));
    check_result(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result(cuGreenCtxGetId(greens[0], &(unsigned long long){0}),
                 CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CUresult detached =
        has_driver(13010) ? CUDA_ERROR_STREAM_DETACHED : CUDA_ERROR_CONTEXT_IS_DESTROYED;
    check_result(cuStreamQuery(stream), detached);
    check_result(cuStreamQuery(made), detached);
    check_success(cuCtxSetCurrent(primary));
    check_success(cuEventQuery(event));
    check_success(cuMemcpyDtoH(&value, memory, 4));
    check(value == 77);
    check_success(cuMemFree(memory));
    check_success(cuGreenCtxDestroy(greens[1]));
}

/* From CUDA 13.1 on a stream outlives its green context, but can only be destroyed. Its handle is
 * not given to another stream before. */
TEST(detached_streams_can_be_destroyed)
{
    CUcontext primary = with_context();
    CUgreenCtx greens[2];
    unsigned sm_count;
    CUevent event = new_event(0);
    CUstream others[64];

    if (!has_driver(13010))
        return;
    two_greens(greens, &sm_count);
    CUstream stream = stream_of(greens[0]), captured = stream_of(greens[0]);
    check_success(cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_success(cuGreenCtxDestroy(greens[0]));
    check_success(cuCtxSetCurrent(primary));
    for (int i = 0; i < 64; i++) {
        others[i] = new_stream(CU_STREAM_NON_BLOCKING);
        check(others[i] != stream && others[i] != captured);
    }
    check_result(cuStreamQuery(stream), CUDA_ERROR_STREAM_DETACHED);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_DETACHED);
    check_result(cuEventRecord(event, stream), CUDA_ERROR_STREAM_DETACHED);
    check_result(cuStreamEndCapture(captured, &(CUgraph){NULL}), CUDA_ERROR_STREAM_DETACHED);
    check_success(cuStreamDestroy(stream));
    check_success(cuStreamDestroy(captured));
    check_result(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
    for (int i = 0; i < 64; i++)
        check_success(cuStreamDestroy(others[i]));
    check_success(cuGreenCtxDestroy(greens[1]));
}

TEST(launches_stay_in_their_part)
{
    with_context();
    CUgreenCtx greens[2];
    unsigned sm_count, words[256], all = device_resource().sm.smCount;
    unsigned char users[256] = {0};
    CUdeviceptr memory;
    CUmodule module;
    CUfunction function;
    void *parameters[] = {&memory};

    two_greens(greens, &sm_count);
    check_success(cuModuleLoadData(&module, ptx_sms));
    check_success(cuModuleGetFunction(&function, module, "sms"));
    check_success(cuMemAlloc(&memory, sizeof(words)));
    for (int i = 0; i < 2; i++) {
        CUstream stream = stream_of(greens[i]);
        unsigned used = 0;
        check_success(cuMemsetD8(memory, 0, sizeof(words)));
        check_success(cuLaunchKernel(function, 4096, 1, 1, 32, 1, 1, 0, stream, parameters, NULL));
        check_success(cuStreamSynchronize(stream));
        check_success(cuMemcpyDtoH(words, memory, sizeof(words)));
        check(words[255] == 4096 * 32);
        for (unsigned sm = 0; sm < all; sm++) {
            used += words[sm] != 0;
            users[sm] |= (unsigned char)(words[sm] ? 1 << i : 0);
            check(users[sm] != 3);
        }
        check(used > 0 && used <= sm_count);
    }
}

TEST(cooperative_launches_fit_into_the_part)
{
    with_context();
    CUgreenCtx greens[2];
    unsigned sm_count;
    int blocks = 0, grid = 0, block = 0;
    CUdeviceptr memory;
    CUmodule module;
    CUfunction function;
    void *parameters[] = {&memory};

    two_greens(greens, &sm_count);
    CUstream stream = stream_of(greens[0]);
    check_success(cuModuleLoadData(&module, ptx_sms));
    check_success(cuModuleGetFunction(&function, module, "sms"));
    check_success(cuMemAlloc(&memory, 1024));
    check_success(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 1024, 0));
    unsigned most = (unsigned)blocks * sm_count;
    check_success(
        cuLaunchCooperativeKernel(function, most, 1, 1, 1024, 1, 1, 0, stream, parameters));
    check_result(
        cuLaunchCooperativeKernel(function, most + 1, 1, 1, 1024, 1, 1, 0, stream, parameters),
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    check_success(cuStreamSynchronize(stream));
    check_success(cuCtxSetCurrent(context_of(greens[0])));
    check_success(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 0));
    check(grid % (int)sm_count == 0 && grid / (int)sm_count <= 32);
}

/* An event of a green context waits for its streams only; the primary context has all of them. */
TEST(events_of_a_green_context)
{
    CUcontext primary = with_context();
    CUgreenCtx greens[2];
    unsigned sm_count;
    atomic_uint *words = pinned_words(3);
    CUevent of_green = new_event(0), of_other = new_event(0), of_primary = new_event(0);

    two_greens(greens, &sm_count);
    CUstream busy = stream_of(greens[0]), held = stream_of(greens[1]), free_stream = new_stream(1);
    hold_until(busy, &words[0]);
    check_success(cuGreenCtxRecordEvent(greens[0], of_green));
    check_success(cuGreenCtxRecordEvent(greens[1], of_other));
    check_success(cuCtxRecordEvent(primary, of_primary));
    check_success(cuEventSynchronize(of_other));
    check_result(cuEventQuery(of_green), CUDA_ERROR_NOT_READY);
    check_result(cuEventQuery(of_primary), CUDA_ERROR_NOT_READY);

    check_success(cuGreenCtxWaitEvent(greens[1], of_green));
    CUstream later = stream_of(greens[1]);
    write_word(held, &words[1], 1);
    write_word(later, &words[2], 1);
    check_success(cuStreamSynchronize(free_stream));
    check_result(cuStreamQuery(held), CUDA_ERROR_NOT_READY);
    check_result(cuStreamQuery(later), CUDA_ERROR_NOT_READY);
    check(words[1] == 0 && words[2] == 0);
    atomic_store(&words[0], 1);
    check_success(cuCtxSetCurrent(context_of(greens[1])));
    check_success(cuCtxSynchronize());
    check(words[1] == 1 && words[2] == 1);
    check_success(cuEventSynchronize(of_primary));
}

/* Its default stream is ordered with no other stream. */
TEST(default_stream_of_a_green_context)
{
    CUcontext primary = with_context();
    CUgreenCtx greens[2], found = NULL;
    unsigned sm_count;
    CUcontext owner = NULL;
    atomic_uint *words = pinned_words(1);

    two_greens(greens, &sm_count);
    check_success(cuCtxSetCurrent(context_of(greens[0])));
    CUstream stream = new_stream(CU_STREAM_DEFAULT);
    hold_until(NULL, &words[0]);
    check_result(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    check_success(cuStreamSynchronize(stream));
    check_success(cuStreamGetCtx_v2(NULL, &owner, &found));
    check(owner == primary && found == greens[0]);
    check_result(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_INVALID_HANDLE);
    check_success(cuCtxSetCurrent(primary));
    check_success(cuStreamSynchronize(NULL));
    check_success(cuStreamGetGreenCtx(NULL, &found));
    check(found == NULL);
    atomic_store(&words[0], 1);
    check_success(cuCtxSynchronize()); /* of the primary context: for its green contexts too */
    check_success(cuCtxSetCurrent(context_of(greens[0])));
    check_success(cuStreamQuery(NULL));
}

TEST(a_green_context_keeps_the_primary_context)
{
    CUgreenCtx greens[2];
    unsigned sm_count, flags;
    CUdeviceptr memory;
    int active = 0;

    check_success(cuInit(0));
    two_greens(greens, &sm_count);
    check_success(cuDevicePrimaryCtxGetState(0, &flags, &active));
    check(active);
    check_result(cuDevicePrimaryCtxReset(0), CUDA_ERROR_NOT_PERMITTED);
    check_result(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_NOT_PERMITTED);
    check_success(cuCtxSetCurrent(context_of(greens[0])));
    check_success(cuMemAlloc(&memory, 64));
    check_success(cuGreenCtxDestroy(greens[1]));
    check_success(cuMemFree(memory));
    check_success(cuGreenCtxDestroy(greens[0]));
    check_success(cuDevicePrimaryCtxGetState(0, &flags, &active));
    check(!active);
}
