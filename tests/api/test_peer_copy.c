/* SPDX-License-Identifier: MIT */
/* Copies and memsets between devices. Memory of cuMemAlloc needs no permission. Memory of pools and
 * of cuMemMap needs access: for the stream's device, or for peer copies for the device of the
 * context named with it. */
#include "test.h"

#include <sched.h>
#include <stdatomic.h>

#define BAD CUDA_ERROR_INVALID_VALUE
#define UNIT ((size_t)2 << 20)

enum { BYTES = 4096 };

static CUcontext contexts[3];

/* Three devices; the context of device 0 is current. */
static void with_devices(const char *topology)
{
    setenv("CUPIPE_DEVICES", "3", 1);
    setenv("CUPIPE_MEMORY", "128M", 1);
    setenv("CUPIPE_TOPOLOGY", topology, 1);
    check_success(cuInit(0));
    only_cupipe();
    for (int i = 0; i < 3; i++)
        check_success(cuDevicePrimaryCtxRetain(&contexts[i], i));
    check_success(cuCtxSetCurrent(contexts[0]));
}

static CUdeviceptr plain_on(int device)
{
    CUdeviceptr ptr;

    check_success(cuCtxPushCurrent(contexts[device]));
    check_success(cuMemAlloc(&ptr, BYTES));
    check_success(cuMemsetD8(ptr, (unsigned char)(device + 1), BYTES));
    check_success(cuCtxPopCurrent(NULL));
    return ptr;
}

static CUdeviceptr pool_on(int device, CUmemoryPool *pool)
{
    CUdeviceptr ptr;

    check_success(cuCtxPushCurrent(contexts[device]));
    check_success(cuDeviceGetDefaultMemPool(pool, device));
    check_success(cuMemAllocAsync(&ptr, BYTES, NULL));
    check_success(cuMemsetD8Async(ptr, (unsigned char)(device + 1), BYTES, NULL));
    check_success(cuStreamSynchronize(NULL));
    check_success(cuCtxPopCurrent(NULL));
    return ptr;
}

static CUmemAccessDesc access_of(int device, CUmemAccess_flags flags)
{
    CUmemAccessDesc access;

    memset(&access, 0, sizeof(access));
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = device;
    access.flags = flags;
    return access;
}

static CUdeviceptr map_of(CUmemLocationType type, int id)
{
    CUmemAllocationProp properties;
    CUmemGenericAllocationHandle handle;
    CUdeviceptr at;

    memset(&properties, 0, sizeof(properties));
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = type;
    properties.location.id = id;
    check_success(cuMemCreate(&handle, UNIT, &properties, 0));
    check_success(cuMemAddressReserve(&at, UNIT, 0, 0, 0));
    check_success(cuMemMap(at, UNIT, 0, handle, 0));
    return at;
}

static CUresult give(CUdeviceptr at, int device, CUmemAccess_flags flags)
{
    CUmemAccessDesc access = access_of(device, flags);

    return cuMemSetAccess(at, UNIT, &access, 1);
}

static unsigned char first_byte(CUdeviceptr there, int device)
{
    unsigned char byte = 99;

    check_success(cuCtxPushCurrent(contexts[device]));
    check_success(cuMemcpyDtoH(&byte, there, 1));
    check_success(cuCtxPopCurrent(NULL));
    return byte;
}

static CUresult copy_box(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                         CUcontext from_context)
{
    CUDA_MEMCPY3D_PEER copy;

    memset(&copy, 0, sizeof(copy));
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from;
    copy.srcContext = from_context;
    copy.dstDevice = to;
    copy.dstContext = to_context;
    copy.WidthInBytes = 64;
    copy.srcPitch = copy.dstPitch = 128;
    copy.Height = 16;
    copy.Depth = 1;
    return cuMemcpy3DPeer(&copy);
}

/* Without peer access, and even without a link. */
TEST(memory_of_cuMemAlloc_is_copied_without_leave)
{
    with_devices("none");
    CUdeviceptr here = plain_on(0), there = plain_on(1), third = plain_on(2);
    unsigned char byte = 0;

    check_success(cuMemcpyDtoH(&byte, there, 1));
    check(byte == 2);
    check_success(cuMemcpyDtoD(here, there, BYTES));
    check(first_byte(here, 0) == 2);
    check_success(cuMemcpy(there, third, BYTES));
    check(first_byte(there, 1) == 3);
    check_success(cuMemcpyPeer(third, contexts[2], here, contexts[0], BYTES));
    check(first_byte(third, 2) == 2);
    check_success(cuMemsetD8(there, 9, BYTES));
    check(first_byte(there, 1) == 9);
    check_success(copy_box(here, contexts[0], there, contexts[1]));
    check(first_byte(here, 0) == 9);
}

static void CUDA_CB wait_for_leave(void *leave)
{
    while (!atomic_load((atomic_bool *)leave))
        sched_yield();
}

static CUresult query_on(int device)
{
    CUresult result;

    check_success(cuCtxPushCurrent(contexts[device]));
    result = cuStreamQuery(NULL);
    check_success(cuCtxPopCurrent(NULL));
    return result;
}

/* In the default stream a copy between devices follows what was submitted to either of them. */
TEST(a_copy_in_the_default_stream_follows_the_other_device)
{
    atomic_bool leave = false;

    with_devices("all");
    CUdeviceptr here = plain_on(0), there = plain_on(1);

    check_success(cuCtxPushCurrent(contexts[1]));
    check_success(cuLaunchHostFunc(NULL, wait_for_leave, &leave));
    check_success(cuMemsetD8Async(there, 7, BYTES, NULL));
    check_success(cuCtxPopCurrent(NULL));
    check_success(cuMemcpyAsync(here, there, BYTES, NULL));
    check_result(query_on(0), CUDA_ERROR_NOT_READY);
    atomic_store(&leave, true);
    check_success(cuStreamSynchronize(NULL));
    check(first_byte(here, 0) == 7);
}

/* And what is submitted to either of them later follows the copy, in streams that block, too. */
TEST(a_copy_in_the_default_stream_precedes_the_other_device)
{
    atomic_bool leave = false;
    CUstream blocking, free_running;

    with_devices("all");
    CUdeviceptr here = plain_on(0), there = plain_on(1);

    check_success(cuLaunchHostFunc(NULL, wait_for_leave, &leave));
    check_success(cuMemcpyDtoDAsync(here, there, BYTES, NULL));
    check_success(cuCtxPushCurrent(contexts[1]));
    check_success(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    check_success(cuStreamCreate(&free_running, CU_STREAM_NON_BLOCKING));
    check_success(cuMemsetD8Async(there, 9, BYTES, blocking));
    check_result(cuStreamQuery(blocking), CUDA_ERROR_NOT_READY);
    check_success(cuStreamSynchronize(free_running));
    check_success(cuCtxPopCurrent(NULL));
    atomic_store(&leave, true);
    check_success(cuStreamSynchronize(NULL));
    check(first_byte(here, 0) == 2);
    check(first_byte(there, 1) == 9);
}

TEST(memory_of_a_pool_is_copied_by_whoever_has_access)
{
    with_devices("all");
    CUmemoryPool pool;
    CUdeviceptr here = plain_on(0), there = pool_on(1, &pool);
    CUmemAccessDesc access = access_of(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    unsigned char byte = 0;

    check_success(cuCtxEnablePeerAccess(contexts[1], 0)); /* does not count */
    check_result(cuMemcpyDtoH(&byte, there, 1), BAD);
    check_result(cuMemcpyDtoD(here, there, BYTES), BAD);
    check_result(cuMemcpyHtoD(there, &byte, 1), BAD);
    check_result(cuMemcpyAsync(there, here, BYTES, NULL), BAD);
    check_result(cuMemsetD8(there, 0, BYTES), BAD);
    check_result(copy_box(here, contexts[0], there, NULL), BAD);
    check(first_byte(there, 1) == 2 && byte == 0);
    check_success(cuMemPoolSetAccess(pool, &access, 1));
    check_success(cuMemcpyDtoD(here, there, BYTES));
    check(first_byte(here, 0) == 2);
    check_success(cuMemsetD8(there, 7, BYTES));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    check_success(cuMemPoolSetAccess(pool, &access, 1));
    check_result(cuMemcpyDtoD(here, there, BYTES), BAD);
    check(first_byte(there, 1) == 7);
}

/* Each half is done by the device of its context. */
TEST(peer_copies_need_no_access_between_the_two)
{
    with_devices("none");
    CUmemoryPool pool;
    CUdeviceptr one = pool_on(1, &pool), two = pool_on(2, &pool);

    check_success(cuMemcpyPeer(two, contexts[2], one, contexts[1], BYTES));
    check(first_byte(two, 2) == 2);
    check_result(cuMemcpyPeer(two, contexts[1], one, contexts[2], BYTES), BAD);
    check_result(cuMemcpyPeer(two, contexts[2], one, contexts[0], BYTES), BAD);
    check_success(cuCtxSetCurrent(contexts[2]));
    check_result(cuMemcpyDtoD(two, one, BYTES), BAD);
    check_success(cuMemsetD8(two, 8, BYTES));
    check_success(cuMemcpyPeerAsync(one, contexts[1], two, contexts[2], BYTES, NULL));
    check_success(copy_box(one, contexts[1], two, contexts[2]));
    check_result(copy_box(one, contexts[2], two, contexts[2]), BAD);
    check_success(cuCtxSynchronize());
    check(first_byte(one, 1) == 8);
}

/* The stream says who copies, not the current context. */
TEST(a_stream_copies_with_its_device)
{
    with_devices("all");
    CUmemoryPool pool;
    CUdeviceptr there = pool_on(1, &pool);
    unsigned char byte = 0;
    CUstream stream;

    check_success(cuCtxSetCurrent(contexts[1]));
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuCtxSetCurrent(contexts[0]));
    check_success(cuMemcpyDtoHAsync(&byte, there, 1, stream));
    check_success(cuMemsetD8Async(there, 5, 1, stream));
    check_success(cuStreamSynchronize(stream));
    check(byte == 2 && first_byte(there, 1) == 5);
}

TEST(mappings_are_copied_by_whoever_has_access)
{
    with_devices("all");
    CUdeviceptr at = map_of(CU_MEM_LOCATION_TYPE_DEVICE, 0), here = plain_on(0);
    unsigned char byte = 77;

    check_result(cuMemsetD8(at, 1, UNIT), BAD);
    check_success(give(at, 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    check_result(cuMemsetD8(at, 1, UNIT), BAD); /* though the memory is on device 0 */
    check_result(cuMemcpyDtoD(here, at, BYTES), BAD);
    check_success(cuMemcpyPeer(here, contexts[0], at, contexts[1], BYTES));
    check_success(cuCtxSetCurrent(contexts[1]));
    check_success(cuMemsetD8(at, 6, UNIT));
    check_success(give(at, 2, CU_MEM_ACCESS_FLAGS_PROT_READ));
    check_success(cuCtxSetCurrent(contexts[2]));
    check_success(cuMemcpyDtoH(&byte, at + UNIT - 1, 1));
    check(byte == 6);
    check_result(cuMemcpyHtoD(at, &byte, 1), BAD);
    check_result(cuMemsetD2D8(at, 64, 1, 16, 4), BAD);
}

/* What the host may touch, a copy may, too. */
TEST(mappings_of_host_memory)
{
    with_devices("all");
    CUdeviceptr at = map_of(CU_MEM_LOCATION_TYPE_HOST, 0);
    CUmemAccessDesc host;
    unsigned char byte = 4;

    check_success(give(at, 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    check_result(cuMemcpyHtoD(at, &byte, 1), BAD);
    memset(&host, 0, sizeof(host));
    host.location.type = CU_MEM_LOCATION_TYPE_HOST;
    host.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    check_success(cuMemSetAccess(at, UNIT, &host, 1));
    check_success(cuMemcpyHtoD(at, &byte, 1));
    check(*(unsigned char *)(uintptr_t)at == 4);
}

TEST(a_copy_across_two_mappings)
{
    with_devices("all");
    CUmemAllocationProp properties;
    CUmemGenericAllocationHandle handles[2];
    CUmemAccessDesc access = access_of(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUdeviceptr at;

    memset(&properties, 0, sizeof(properties));
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    check_success(cuMemAddressReserve(&at, 2 * UNIT, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        properties.location.id = i;
        check_success(cuMemCreate(&handles[i], UNIT, &properties, 0));
        check_success(cuMemMap(at + i * UNIT, UNIT, 0, handles[i], 0));
        check_success(give(at + i * UNIT, 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    }
    check_success(cuMemSetAccess(at, UNIT, &access, 1));
    check_success(cuMemsetD8(at, 1, UNIT));
    check_result(cuMemsetD8(at + 1, 1, UNIT), BAD);
    check_success(cuMemSetAccess(at + UNIT, UNIT, &access, 1));
    check_success(cuMemsetD8(at, 1, 2 * UNIT));
}

TEST(batches_are_judged_one_by_one)
{
    with_devices("all");
    CUmemoryPool pool;
    CUdeviceptr here = plain_on(0), there = pool_on(1, &pool), to[2], from[2];
    size_t sizes[2] = {16, 16}, first = 0;
    CUmemcpyAttributes attributes;
    CUstream stream;

    memset(&attributes, 0, sizeof(attributes));
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    to[0] = here;
    from[0] = plain_on(2);
    to[1] = here + 16;
    from[1] = there;
    check_success(cuStreamCreate(&stream, 0));
    check_result(cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1, stream), BAD);
    check_success(cuStreamSynchronize(stream));
    check(first_byte(here, 0) == 3 && first_byte(here + 16, 0) == 1);
}

/* No access where there is no link. */
TEST(mappings_are_not_given_to_devices_without_a_link)
{
    with_devices("pairs");
    CUdeviceptr at = map_of(CU_MEM_LOCATION_TYPE_DEVICE, 0);

    check_result(give(at, 2, CU_MEM_ACCESS_FLAGS_PROT_READWRITE), CUDA_ERROR_INVALID_DEVICE);
    check_success(give(at, 2, CU_MEM_ACCESS_FLAGS_PROT_NONE));
    check_success(give(at, 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    check_success(give(at, 0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    at = map_of(CU_MEM_LOCATION_TYPE_HOST, 0);
    check_success(give(at, 2, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
}
