/* SPDX-License-Identifier: MIT */
/* Multicast objects: what is written to one address reaches the memory of all devices. */
#include "kernels.h"
#include "test.h"
#include "multicast.h"

TEST(memset_reaches_all_devices)
{
    struct team team;

    with_devices();
    team = new_team();
    check_success(cuMemsetD32(team.ptr, 7, BYTES / 4));
    check_success(cuMemsetD32(team.ptr + 4096, 8, 1));
    for (int i = 0; i < DEVICES; i++) {
        check(word_at(team.own[i]) == 7 && word_at(team.own[i] + BYTES - 4) == 7);
        check(word_at(team.own[i] + 4096) == 8);
    }
}

TEST(copy_reaches_all_devices)
{
    static unsigned words[BYTES / 4];
    struct team team;

    with_devices();
    team = new_team();
    for (unsigned i = 0; i < BYTES / 4; i++)
        words[i] = i;
    check_success(cuMemcpyHtoD(team.ptr, words, BYTES));
    for (int i = 0; i < DEVICES; i++)
        check(word_at(team.own[i] + 40) == 10 && word_at(team.own[i] + BYTES - 4) == BYTES / 4 - 1);
    words[0] = 77;
    check_success(cuMemcpyHtoDAsync(team.ptr + HALF, words, 4, NULL));
    check_success(cuCtxSynchronize());
    for (int i = 0; i < DEVICES; i++)
        check(word_at(team.own[i] + HALF) == 77);
    check(word_at(team.ptr + HALF) == 77);
}

TEST(batch_of_copies_reaches_all_devices)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    CUdeviceptr to[2], from[2], source;
    size_t sizes[2] = {64, 64}, index = 0;
    struct team team;
    CUstream stream;

    with_devices();
    team = new_team();
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuMemAlloc(&source, 128));
    check_success(cuMemsetD32(source, 5, 32));
    check_success(cuCtxSynchronize());
    to[0] = team.ptr;
    to[1] = team.ptr + HALF;
    from[0] = source;
    from[1] = source + 64;
    check_success(cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &index, 1, stream));
    check_success(cuStreamSynchronize(stream));
    for (int i = 0; i < DEVICES; i++)
        check(word_at(team.own[i]) == 5 && word_at(team.own[i] + HALF) == 5);
}

TEST(parts_are_bound_and_unbound)
{
    CUmemGenericAllocationHandle object;
    CUdeviceptr ptr, own[DEVICES];

    with_devices();
    object = new_object();
    for (int i = 0; i < DEVICES; i++) {
        own[i] = map(new_memory(i));
        check_success(cuMulticastBindAddr(object, HALF, own[i], HALF, 0));
    }
    ptr = map(object);
    check_success(cuMemsetD32(ptr + HALF, 3, HALF / 4));
    check(word_at(own[0]) == 3 && word_at(own[1] + HALF - 4) == 3);
    check(word_at(own[0] + HALF) == 0);
    check_result(cuMulticastBindAddr(object, HALF, own[0], HALF, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastUnbind(object, 0, 0, HALF), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMulticastUnbind(object, 0, HALF, HALF));
    check_success(cuMulticastBindAddr(object, HALF, own[0] + HALF, HALF, 0));
    check_success(cuMemsetD32(ptr + HALF, 4, HALF / 4));
    check(word_at(own[0]) == 3 && word_at(own[0] + HALF) == 4 && word_at(own[1]) == 4);
}

TEST(memory_outlives_its_handles)
{
    struct team team;

    with_devices();
    team = new_team();
    check_success(cuMemRelease(team.object));
    for (int i = 0; i < DEVICES; i++)
        check_success(cuMemRelease(team.memory[i]));
    check_success(cuMemsetD32(team.ptr, 9, 4));
    check(word_at(team.own[1]) == 9);
    check_success(cuMemUnmap(team.ptr, BYTES));
    check_success(cuMemAddressFree(team.ptr, BYTES));
    check(word_at(team.own[0]) == 9);
    check_result(cuMulticastAddDevice(team.object, 0), CUDA_ERROR_INVALID_VALUE);
}

/* Work that was submitted before the object goes away is done. */
TEST(unmapping_waits_for_work)
{
    struct team team;
    CUstream stream;

    with_devices();
    team = new_team();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < 100; i++)
        check_success(cuMemsetD32Async(team.ptr, i, BYTES / 4, stream));
    check_success(cuMemUnmap(team.ptr, BYTES));
    check_success(cuMemRelease(team.object));
    check_success(cuStreamSynchronize(stream));
    for (int i = 0; i < DEVICES; i++)
        check(word_at(team.own[i]) == 99 && word_at(team.own[i] + BYTES - 4) == 99);
}

TEST(memory_is_free_after_the_object)
{
    size_t before, after, total;
    struct team team;

    with_devices();
    check_success(cuMemGetInfo(&before, &total));
    team = new_team();
    check_success(cuMulticastUnbind(team.object, 1, 0, BYTES));
    check_success(cuMemUnmap(team.ptr, BYTES));
    for (int i = 0; i < DEVICES; i++) {
        check_success(cuMemUnmap(team.own[i], BYTES));
        check_success(cuMemRelease(team.memory[i]));
    }
    check_success(cuMemGetInfo(&after, &total));
    check(after == before - BYTES); /* what is bound is kept */
    check_success(cuMemRelease(team.object));
    check_success(cuMemGetInfo(&after, &total));
    check(after == before);
}

/* NVIDIA's GPUs before Hopper have none, and the links of devices that the process does not see
 * count. */
static int supports_multicast(void)
{
    int supported = 7;

    check_success(cuInit(0));
    only_cupipe();
    check_success(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0));
    return supported;
}

TEST(support_needs_a_hopper)
{
    setenv("CUPIPE_GPU", "a100,a100", 1);
    check(supports_multicast() == 0);
}

TEST(hidden_devices_count)
{
    CUmulticastObjectProp prop = properties();
    CUmemGenericAllocationHandle object;

    setenv("CUPIPE_DEVICES", "2", 1);
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    check(supports_multicast() == 1);
    check_success(cuMulticastCreate(&object, &prop));
    check_success(cuMulticastAddDevice(object, 0));
    check_success(cuMemRelease(object));
}

TEST(unlinked_devices_have_no_multicast)
{
    setenv("CUPIPE_DEVICES", "2", 1);
    setenv("CUPIPE_TOPOLOGY", "none", 1);
    check(supports_multicast() == 0);
}

static void *add_last(void *argument)
{
    nap();
    check_success(cuMulticastAddDevice(*(CUmemGenericAllocationHandle *)argument, 1));
    return NULL;
}

TEST(binding_waits_for_the_team)
{
    CUmulticastObjectProp prop = properties();
    CUmemGenericAllocationHandle object;
    pthread_t thread;

    with_devices();
    check_success(cuMulticastCreate(&object, &prop));
    check_success(cuMulticastAddDevice(object, 0));
    check(pthread_create(&thread, NULL, add_last, &object) == 0);
    check_success(cuMulticastBindMem(object, 0, new_memory(0), 0, BYTES, 0));
    check_success(cuMulticastBindMem(object, 0, new_memory(1), 0, BYTES, 0));
    check(pthread_join(thread, NULL) == 0);
    check_result(cuMulticastAddDevice(object, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(bad_arguments_are_errors)
{
    CUmulticastObjectProp prop = properties();
    CUmemGenericAllocationHandle object, memory, other;
    size_t granularity = 0;

    with_devices();
    check_success(cuMulticastGetGranularity(&granularity, &prop, CU_MULTICAST_GRANULARITY_MINIMUM));
    check(granularity != 0 && BYTES % granularity == 0);
    check_result(cuMulticastGetGranularity(NULL, &prop, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastCreate(NULL, &prop), CUDA_ERROR_INVALID_VALUE);
    prop.size = 4096;
    check_result(cuMulticastCreate(&other, &prop), CUDA_ERROR_INVALID_VALUE);
    prop = properties();
    prop.numDevices = 3;
    check_result(cuMulticastCreate(&other, &prop), CUDA_ERROR_INVALID_VALUE);
    object = new_object();
    memory = new_memory(0);
    check_result(cuMulticastAddDevice(object, 7), CUDA_ERROR_INVALID_DEVICE);
    check_result(cuMulticastAddDevice(memory, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindMem(memory, 0, memory, 0, BYTES, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindMem(object, 0, object, 0, BYTES, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindMem(object, HALF, memory, 0, BYTES, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindMem(object, 0, memory, HALF, BYTES, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindMem(object, 0, memory, 0, 4096, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindMem(object, 0, memory, 0, BYTES, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindAddr(object, 0, 4096, BYTES, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastUnbind(object, 9, 0, BYTES), CUDA_ERROR_INVALID_DEVICE);
}

TEST(memory_is_bound_for_a_device)
{
    CUmemGenericAllocationHandle object;
    CUdeviceptr ptr, own[DEVICES];

    with_devices();
    object = new_object();
    own[0] = map(new_memory(0));
    own[1] = map(new_memory(1));
    check_result(cuMulticastBindAddr_v2(object, 1, 0, own[0], BYTES, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindAddr_v2(object, 7, 0, own[0], BYTES, 0), CUDA_ERROR_INVALID_DEVICE);
    check_success(cuMulticastBindAddr_v2(object, 0, 0, own[0], BYTES, 0));
    check_success(cuMulticastBindAddr_v2(object, 1, 0, own[1], BYTES, 0));
    ptr = map(object);
    check_success(cuMemsetD32(ptr, 6, BYTES / 4));
    check(word_at(own[0]) == 6 && word_at(own[1] + BYTES - 4) == 6);
}

TEST(handles_are_bound_for_a_device)
{
    CUmemGenericAllocationHandle object, memory;

    with_devices();
    object = new_object();
    memory = new_memory(0);
    check_result(cuMulticastBindMem_v2(object, 1, 0, memory, 0, BYTES, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindMem_v2(object, -1, 0, memory, 0, BYTES, 0),
                 CUDA_ERROR_INVALID_DEVICE);
    check_result(cuMulticastBindMem_v2(object, 0, 0, memory, 256, HALF, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindMem_v2(object, 0, 0, memory, 0, BYTES, 1),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindMem_v2(memory, 0, 0, memory, 0, BYTES, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuMulticastBindMem_v2(object, 0, HALF, memory, 0, HALF, 0));
    check_success(cuMulticastUnbind(object, 0, HALF, HALF));
}

static CUmemGenericAllocationHandle new_host_memory(CUmemLocationType type)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {type, {0}}};
    CUmemGenericAllocationHandle memory;

    check_success(cuMemCreate(&memory, BYTES, &prop, 0));
    return memory;
}

/* Memory of a NUMA node belongs to no device, so only the newer form can bind it. */
TEST(memory_of_the_nearest_node_is_bound)
{
    CUmemGenericAllocationHandle object, memory, other;
    CUdeviceptr ptr, own;

    with_devices();
    object = new_object();
    memory = new_host_memory(CU_MEM_LOCATION_TYPE_HOST_NUMA);
    other = new_memory(1);
    check_result(cuMulticastBindMem(object, 0, memory, 0, BYTES, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMulticastBindMem_v2(object, 0, 0, new_host_memory(CU_MEM_LOCATION_TYPE_HOST), 0,
                                       BYTES, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_success(cuMulticastBindMem_v2(object, 0, 0, memory, 0, BYTES, 0));
    check_success(cuMulticastBindMem_v2(object, 1, 0, other, 0, BYTES, 0));
    own = map(memory);
    ptr = map(object);
    check_success(cuMemsetD32(ptr, 9, BYTES / 4));
    check(word_at(own) == 9 && word_at(own + BYTES - 4) == 9);
}

TEST(unbound_memory_faults)
{
    CUdeviceptr ptr;

    with_devices();
    ptr = map(new_object());
    check_success(cuMemsetD32Async(ptr, 1, 4, NULL));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* The manual gives plain stores to these addresses no meaning. */
TEST(plain_stores_fault)
{
    unsigned value = 1, count = 1;
    CUmodule module;
    CUfunction fill;
    struct team team;

    with_devices();
    team = new_team();
    void *arguments[] = {&team.ptr, &value, &count};
    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunction(&fill, module, "fill"));
    check_success(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* As recorded with one device. */
static const char multimem_kernel[] =
    ".version 8.2\n.target sm_90\n.address_size 64\n"
    ".visible .entry multimem(.param .u64 all, .param .u64 out)\n"
    "{\n"
    "    .reg .b32 %r<10>; .reg .b64 %a, %o, %l<3>; .reg .f32 %f<5>;\n"
    "    ld.param.u64 %a, [all]; ld.param.u64 %o, [out];\n"
    "    multimem.ld_reduce.add.u32 %r0, [%a];\n"
    "    multimem.ld_reduce.global.max.s32 %r1, [%a+4];\n"
    "    multimem.ld_reduce.relaxed.sys.global.and.b32 %r2, [%a+8];\n"
    "    multimem.ld_reduce.add.f32 %f0, [%a+12];\n"
    "    multimem.ld_reduce.add.acc::f32.v2.f16x2 {%r3, %r4}, [%a+16];\n"
    "    st.global.v4.b32 [%o], {%r0, %r1, %r2, %f0}; st.global.v2.b32 [%o+16], {%r3, %r4};\n"
    "    multimem.st.b64 [%a+32], 0x123456789;\n"
    "    mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;\n"
    "    multimem.st.relaxed.gpu.v2.f32 [%a+40], {%f1, %f2};\n"
    "    multimem.red.add.u32 [%a], 1000;\n"
    "    multimem.red.release.sys.global.add.v2.f32 [%a+40], {%f2, %f2};\n"
    "    ret;\n"
    "}\n";

/* Launches the kernel at a multicast address; out has 24 bytes. */
static CUresult run_multimem(CUdeviceptr all, CUdeviceptr out)
{
    CUfunction function;
    CUmodule module;
    void *parameters[] = {&all, &out};

    check_success(cuModuleLoadData(&module, multimem_kernel));
    check_success(cuModuleGetFunction(&function, module, "multimem"));
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    return cuCtxSynchronize();
}

TEST(multimem_reaches_all_devices)
{
    /* 0.5 and 1.5, 3 and -2; their sums are 3.5 and -0.5. */
    static const unsigned words[DEVICES][6] = {{5, 7, 0xff, 0x3f800000, 0x3e003800, 0},
                                               {6, ~0u, 0x0f, 0x40000000, 0xc0004200, 0x3c00}};
    struct team team;
    CUdeviceptr out;
    unsigned got[6];

    with_devices();
    team = new_team();
    check_success(cuMemAlloc(&out, sizeof got));
    for (int i = 0; i < DEVICES; i++)
        check_success(cuMemcpyHtoD(team.own[i], words[i], sizeof words[i]));
    check_success(run_multimem(team.ptr, out));
    check_success(cuMemcpyDtoH(got, out, sizeof got));
    check(got[0] == 11 && got[1] == 7 && got[2] == 0x0f && got[3] == 0x40400000);
    check(got[4] == 0xb8004300 && got[5] == 0x3c00);
    for (int i = 0; i < DEVICES; i++) {
        check(word_at(team.own[i]) == words[i][0] + 1000);
        check(word_at(team.own[i] + 32) == 0x23456789 && word_at(team.own[i] + 36) == 1);
        check(word_at(team.own[i] + 40) == 0x40400000 && word_at(team.own[i] + 44) == 0x40800000);
    }
}

TEST(multimem_at_another_address_faults)
{
    CUdeviceptr memory;

    with_devices();
    check_success(cuMemAlloc(&memory, 256));
    check_result(run_multimem(memory, memory), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* A driver of CUDA 13.0 does not read it. */
static const char multimem_copies[] =
    ".version 9.4\n.target sm_90\n.address_size 64\n"
    ".visible .entry copies(.param .u64 all)\n"
    "{\n"
    "    .shared .align 16 .b32 words[8];\n"
    "    .reg .b32 %r<4>; .reg .b64 %a;\n"
    "    ld.param.u64 %a, [all];\n"
    "    mov.u32 %r0, 1; mov.u32 %r1, 2; mov.u32 %r2, 3; mov.u32 %r3, 0x40000000;\n"
    "    st.shared.v4.u32 [words], {%r0, %r1, %r2, %r3};\n"
    "    st.shared.v4.u32 [words+16], {%r3, %r2, %r1, %r0};\n"
    "    fence.proxy.async.shared::cta;\n"
    "    multimem.cp.async.bulk.global.shared::cta.bulk_group [%a], [words], 32;\n"
    "    multimem.cp.async.bulk.relaxed.sys.global.shared::cta.bulk_group.b128 [%a+32], [words], "
    "16;\n"
    "    multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%a+48], [words], "
    "16;\n"
    "    multimem.cp.reduce.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.max.s32 [%a+64], "
    "[words], 16;\n"
    "    multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32 [%a+80], "
    "[words], 16;\n"
    "    cp.async.bulk.commit_group;\n"
    "    cp.async.bulk.wait_group 0;\n"
    "    ret;\n"
    "}\n";

static CUresult run_copies(CUdeviceptr all)
{
    CUfunction function;
    CUmodule module;
    void *parameters[] = {&all};

    check_success(cuModuleLoadData(&module, multimem_copies));
    check_success(cuModuleGetFunction(&function, module, "copies"));
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    return cuCtxSynchronize();
}

TEST(multimem_copies_reach_all_devices)
{
    static const unsigned words[4] = {1, 2, 3, 0x40000000};
    /* What is there before; the last four are 1.5 in each. */
    unsigned before[24] = {
        [12] = 100,        200,        300,        1,         [16] = 0, ~0u, 7, 1,
        [20] = 0x3fc00000, 0x3fc00000, 0x3fc00000, 0x3fc00000};
    struct team team;

    with_devices();
    only_cupipe();
    team = new_team();
    for (int i = 0; i < DEVICES; i++) {
        before[12] = 100 + (unsigned)i;
        check_success(cuMemcpyHtoD(team.own[i], before, sizeof before));
    }
    check_success(run_copies(team.ptr));
    for (int i = 0; i < DEVICES; i++) {
        for (unsigned k = 0; k < 4; k++) {
            check(word_at(team.own[i] + 4 * k) == words[k]);
            check(word_at(team.own[i] + 16 + 4 * k) == words[3 - k]);
            check(word_at(team.own[i] + 32 + 4 * k) == words[k]);
        }
        check(word_at(team.own[i] + 48) == 101 + (unsigned)i);
        check(word_at(team.own[i] + 56) == 303 && word_at(team.own[i] + 60) == 0x40000001);
        check(word_at(team.own[i] + 64) == 1 && word_at(team.own[i] + 68) == 2);
        check(word_at(team.own[i] + 72) == 7 && word_at(team.own[i] + 76) == 0x40000000);
        check(word_at(team.own[i] + 80) == 0x3fc00000 && word_at(team.own[i] + 92) == 0x40600000);
    }
}

TEST(multimem_copies_to_another_address_fault)
{
    CUdeviceptr memory;

    with_devices();
    only_cupipe();
    check_success(cuMemAlloc(&memory, 256));
    check_result(run_copies(memory), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(one_device_has_no_multicast)
{
    CUmulticastObjectProp prop = properties();
    CUmemGenericAllocationHandle object;
    int supported = 7;

    with_context();
    check_success(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0));
    if (supported)
        skip("this device has links");
    check_result(cuMulticastCreate(&object, &prop), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuMulticastCreate(NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
    only_cupipe();
    check_result(cuMulticastBindMem_v2(0, 77, 0, 0, 0, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuMulticastBindAddr_v2(0, 77, 0, 0, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
}
