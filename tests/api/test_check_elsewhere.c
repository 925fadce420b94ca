/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory where memory is not just allocated: pools, virtual memory, textures, memory
 * of others. Each test looks at the stderr of a child that does it wrong. */
#include "test.h"

#include "checks.h"
#include "checked_kernels.h"
#include "hold.h"
#include "peer.h"
#include "textures.h"
#include "virtual.h"

#include "external.h"

/* Pools. */

A_FUNCTION pool_too_far(void)
{
    CUstream stream;
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuStreamCreate(&stream, 0));
    check_success(cuMemAllocAsync(&memory, 1024, stream));
    launch(memory, 1024 / 4, stream);
    check_success(cuStreamSynchronize(stream));
    launch(memory, 1024 / 4 + 1, stream);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_kernel_that_leaves_memory_of_a_pool_is_named)
{
    struct told *told = told_well_by(pool_too_far);

    check_says_next(told, "up to 4 bytes past the end of the 1024 bytes of memory of a pool at 0x",
                    "  made by cuMemAllocAsync", "pool_too_far+0x");
}

/* Work before the free may use the memory, work behind it may not. */
A_FUNCTION free_in_stream(CUdeviceptr memory, CUstream stream)
{
    check_success(cuMemFreeAsync(memory, stream));
}

A_FUNCTION pool_too_late(void)
{
    struct blocker blocker = {0};
    CUdeviceptr memory;

    with_check("memory");
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuMemAllocAsync(&memory, 3 << 20, stream));
    block(stream, &blocker);
    launch(memory, 1000, stream);
    free_in_stream(memory, stream);
    flag_raise(&blocker.released);
    check_success(cuStreamSynchronize(stream));
    launch(memory + 4, 1, stream);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_kernel_behind_the_free_is_named)
{
    struct told *told = told_well_by(pool_too_late);

    check_says_next(told, "4 bytes into the 3145728 bytes of memory of a pool at 0x",
                    "  made by cuMemAllocAsync", "pool_too_late+0x");
    check_says(told, "freed by cuMemFreeAsync");
    check_says(told, "free_in_stream+0x");
}

A_FUNCTION pool_slack(void)
{
    CUmemoryPool pool;
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUdeviceptr memory;

    with_check("memory");
    check_success(cuMemPoolCreate(&pool, &properties));
    check_success(cuMemAllocFromPoolAsync(&memory, 2000004, pool, NULL));
    launch(memory, 2000004 / 4 + 1, NULL);
    check_success(cuStreamSynchronize(NULL));
    check_success(cuMemFreeAsync(memory, NULL));
    check_success(cuMemPoolDestroy(pool));
}

TEST(a_few_bytes_behind_memory_of_a_pool_are_named)
{
    struct told *told = told_well_by(pool_slack);

    check_says(told, "kernel fill wrote 4 bytes at 0x");
    check_says(told, "past the end of the 2000004 bytes of memory of a pool at 0x");
    check(reports_of(told) == 1);
}

A_FUNCTION race_between_streams(void)
{
    struct blocker blocker = {0};
    CUdeviceptr memory, other;

    with_check("memory");
    CUstream first = new_stream(CU_STREAM_NON_BLOCKING);
    CUstream second = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuMemAlloc(&other, 4096));
    check_success(cuMemAllocAsync(&memory, 4096, second));
    block(first, &blocker);
    check_success(cuMemcpyDtoDAsync(other, memory, 4096, first));
    check_success(cuMemFreeAsync(memory, second));
    check_success(cuStreamSynchronize(second));
    flag_raise(&blocker.released);
    check_result(cuStreamSynchronize(first), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_copy_in_another_stream_that_does_not_wait_is_named)
{
    struct told *told = told_well_by(race_between_streams);

    check_says(told, "a copy read 0x");
    check_says(told, "0 bytes into the 4096 bytes of memory of a pool at 0x");
    check_says(told, "freed by cuMemFreeAsync");
}

/* Virtual memory. */

A_FUNCTION virtual_wrongly(void (*do_it)(CUdeviceptr at))
{
    with_check("memory");
    CUdeviceptr at = reserve(4 * UNIT);
    CUmemGenericAllocationHandle memory = create(UNIT, 0);
    check_success(cuMemMap(at, UNIT, 0, memory, 0));
    check_success(cuMemRelease(memory));
    do_it(at);
}

A_FUNCTION use_beyond_mapping(CUdeviceptr at)
{
    allow(at, UNIT, READWRITE);
    launch_and_wait(at, UNIT / 4 + 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

A_FUNCTION beyond_mapping(void)
{
    virtual_wrongly(use_beyond_mapping);
}

A_FUNCTION use_without_access(CUdeviceptr at)
{
    launch_and_wait(at + 64, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

A_FUNCTION without_access(void)
{
    virtual_wrongly(use_without_access);
}

A_FUNCTION use_unmapped(CUdeviceptr at)
{
    allow(at, UNIT, READWRITE);
    check_success(cuMemUnmap(at, UNIT));
    launch_and_wait(at + 64, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

A_FUNCTION unmapped(void)
{
    virtual_wrongly(use_unmapped);
}

A_FUNCTION use_freed_addresses(CUdeviceptr at)
{
    check_success(cuMemUnmap(at, UNIT));
    check_success(cuMemAddressFree(at, 4 * UNIT));
    check(reserve(4 * UNIT) != at);
    launch_and_wait(at + 3 * UNIT, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

A_FUNCTION freed_addresses(void)
{
    virtual_wrongly(use_freed_addresses);
}

A_FUNCTION never_mapped(void)
{
    with_check("memory");
    launch_and_wait(reserve(UNIT) + 4096, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* The one behind is mapped, and is another reservation. */
A_FUNCTION into_the_next_reservation(void)
{
    with_check("memory");
    for (int i = 0; i < 2; i++) {
        CUdeviceptr at = reserve(UNIT);
        check_success(cuMemMap(at, UNIT, 0, create(UNIT, 0), 0));
        allow(at, UNIT, READWRITE);
        if (i)
            launch_and_wait(at + UNIT, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    }
}

TEST(mappings_are_named)
{
    struct told *told = told_well_by(beyond_mapping);

    check_says_next(told, "up to 4 bytes past the end of the 2097152 bytes of mapped memory at 0x",
                    "  made by cuMemMap", "virtual_wrongly+0x");
    told = told_well_by(without_access);
    check_says(told, ", 64 bytes into the 2097152 bytes of mapped memory at 0x");
    check_says(told, ", to which no device has access (cuMemSetAccess)\n");
    told = told_well_by(unmapped);
    check_says(told, ", 64 bytes into the 2097152 bytes of mapped memory at 0x");
    check_says(told, ", which were unmapped\n");
    check_says(told, "unmapped by cuMemUnmap, called from\n");
    told = told_well_by(freed_addresses);
    check_says(told, ", 6291456 bytes into the 8388608 bytes of reserved addresses at 0x");
    check_says(told, "freed by cuMemAddressFree, called from\n");
    told = told_well_by(never_mapped);
    check_says(told, ", 4096 bytes into the 2097152 bytes of reserved addresses at 0x");
    check_says(told, ", where nothing is mapped\n");
    told = told_well_by(into_the_next_reservation);
    check_says(told, "up to 4 bytes past the end of the 2097152 bytes of mapped memory at 0x");
}

A_FUNCTION copy_across_a_hole(void)
{
    char byte = 0;

    with_check("memory");
    CUdeviceptr at = reserve(2 * UNIT);
    check_success(cuMemMap(at, UNIT, 0, create(UNIT, 0), 0));
    allow(at, UNIT, READWRITE);
    check_result(cuMemsetD8(at + UNIT - 10, 0, 20), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemcpyHtoD(at + UNIT + 5, &byte, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(copies_to_what_is_not_mapped_are_named)
{
    struct told *told = told_well_by(copy_across_a_hole);

    check_says(told, "cuMemsetD8_v2 was given 0x");
    check_says(told, "up to 10 bytes past the end of the 2097152 bytes of mapped memory at 0x");
    check_says(told, "cuMemcpyHtoD_v2 was given 0x");
    check_says(told, "up to 6 bytes past the end of the 2097152 bytes of mapped memory at 0x");
}

/* Textures. */

A_FUNCTION destroy_array(CUarray array)
{
    check_success(cuArrayDestroy(array));
}

A_FUNCTION sample_too_late(void)
{
    CUdeviceptr out;
    float zero = 0;

    with_check("memory");
    CUarray array = new_array(describe(WIDE, HIGH, 0, CU_AD_FORMAT_FLOAT, 1, 0));
    CUtexObject first = new_texture(array), second = new_texture(array);
    check_success(cuMemAlloc(&out, WIDE * HIGH * 4));
    run_kernel("sample", (void *[]){&first, &out, &zero, &zero});
    fputs("so far all was well\n", stderr);
    destroy_array(array);
    run_kernel("sample", (void *[]){&first, &out, &zero, &zero});
    check_success(cuTexObjectDestroy(second));
    run_kernel("sample", (void *[]){&second, &out, &zero, &zero});
}

TEST(textures_that_are_no_more_are_named)
{
    struct told *told = told_well_by(sample_too_late);

    check(strncmp(told->text, "so far", 6) == 0);
    check_says_next(told, "kernel sample used the texture object 0x1, whose array was destroyed",
                    "  made by cuArray3DCreate_v2", "sample_too_late+0x");
    check_says(told, "  destroyed by cuArrayDestroy, called from\n");
    check_says(told, "destroy_array+0x");
    check_says_next(told, "kernel sample used the texture object 0x2, which was destroyed",
                    "  made by cuTexObjectCreate", "sample_too_late+0x");
    check(reports_of(told) == 2);
}

/* What a reference is bound to takes the number of an object that is no more. */
A_FUNCTION bind_after_destroying(void)
{
    uint32_t add = 0;
    CUtexref picture;
    CUsurfref canvas;
    CUmodule module;
    CUfunction kernel;

    with_check("memory");
    CUarray array = new_array(
        describe(WIDE, HIGH, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST));
    check_success(cuTexObjectDestroy(new_texture(array)));
    check_success(cuSurfObjectDestroy(new_surface(array)));
    check_success(cuModuleLoadData(&module, ptx_textures));
    check_success(cuModuleGetFunction(&kernel, module, "through_references"));
    check_success(cuModuleGetTexRef(&picture, module, "picture"));
    check_success(cuModuleGetSurfRef(&canvas, module, "canvas"));
    check_success(cuTexRefSetArray(picture, array, CU_TRSA_OVERRIDE_FORMAT));
    check_success(cuTexRefSetFlags(picture, CU_TRSF_READ_AS_INTEGER));
    check_success(cuSurfRefSetArray(canvas, array, 0));
    check_success(
        cuLaunchKernel(kernel, WIDE * HIGH / 32, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&add}, NULL));
    check_success(cuCtxSynchronize());
}

TEST(references_are_not_taken_for_objects_that_are_no_more)
{
    check(reports_of(told_well_by(bind_after_destroying)) == 0);
}

/* Linear memory is the program's own. */
A_FUNCTION sample_freed_memory(void)
{
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampling = clamped();
    CUdeviceptr memory, out;
    CUtexObject texture;
    float zero = 0;

    with_check("memory");
    check_success(cuMemAlloc(&out, WIDE * HIGH * 4));
    check_success(cuMemAlloc(&memory, 512 * HIGH));
    memset(&resource, 0, sizeof(resource));
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    resource.res.pitch2D.numChannels = 1;
    resource.res.pitch2D.width = WIDE;
    resource.res.pitch2D.height = HIGH;
    resource.res.pitch2D.pitchInBytes = 512;
    check_success(cuTexObjectCreate(&texture, &resource, &sampling, NULL));
    check_success(cuMemFree(memory));
    check_success(cuLaunchKernel(texture_kernel("sample"), 1, 1, 1, 32, 1, 1, 0, NULL,
                                 (void *[]){&texture, &out, &zero, &zero}, NULL));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(a_texture_over_freed_memory_is_named)
{
    struct told *told = told_well_by(sample_freed_memory);

    check_says(told, "kernel sample, block (0,0,0), read 0x");
    check_says(told, " bytes into the 4096 bytes of device memory at 0x");
    check_says(told, ", which were freed\n");
}

/* Memory of others. */

A_FUNCTION external_too_late(void)
{
    CUdeviceptr buffer;
    int fd;

    with_check("memory");
    CUmemGenericAllocationHandle physical = create(UNIT, FD_TYPE);
    check_success(cuMemExportToShareableHandle(&fd, physical, FD_TYPE, 0));
    buffer = map(import(fd, UNIT), 0, 8192);
    launch_and_wait(buffer, 8192 / 4, CUDA_SUCCESS);
    check_success(cuMemFree(buffer));
    launch_and_wait(buffer, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(external_memory_that_was_freed_is_named)
{
    struct told *told = told_well_by(external_too_late);

    check_says_next(told, "0 bytes into the 8192 bytes of mapped external memory at 0x",
                    "  made by cuExternalMemoryGetMappedBuffer", "external_too_late+0x");
    check_says(told, "freed by cuMemFree_v2");
}

static CUipcMemHandle given[2];

A_FUNCTION give(int socket)
{
    CUdeviceptr memory;

    with_context();
    for (int i = 0; i < 2; i++) {
        check_success(cuMemAlloc(&memory, 64 << 10));
        check_success(cuIpcGetMemHandle(&given[i], memory));
    }
    peer_send(socket, given, sizeof(given));
    peer_await(socket);
}

__attribute__((noinline)) static CUdeviceptr open_given(int i)
{
    CUdeviceptr memory;

    check_success(cuIpcOpenMemHandle(&memory, given[i], CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    return memory;
}

A_FUNCTION ipc_too_far(void)
{
    with_check("memory");
    CUdeviceptr memory = open_given(0);
    launch_and_wait(memory, (64 << 10) / 4, CUDA_SUCCESS);
    launch_and_wait(memory, (64 << 10) / 4 + 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* The other allocation of its unit stays open. */
A_FUNCTION ipc_too_late(void)
{
    with_check("memory");
    CUdeviceptr first = open_given(0), second = open_given(1);
    check_success(cuIpcCloseMemHandle(first));
    launch_and_wait(second, (64 << 10) / 4, CUDA_SUCCESS);
    launch_and_wait(first, 1, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(memory_of_another_process_is_named)
{
    struct peer peer = peer_start(give);

    peer_receive(peer.socket, given, sizeof(given));
    struct told *far = told_well_by(ipc_too_far), *late = told_well_by(ipc_too_late);
    peer_signal(peer.socket);
    check_says(far, "past the end of the 65536 bytes of memory of another process at 0x");
    check_says_next(late, "0 bytes into the 65536 bytes of memory of another process at 0x",
                    "  made by cuIpcOpenMemHandle_v2", "open_given+0x");
    check_says(late, "closed by cuIpcCloseMemHandle, called from\n");
}
