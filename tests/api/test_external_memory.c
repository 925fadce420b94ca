/* SPDX-License-Identifier: MIT */
/* External memory by file descriptor, with files that the test creates. Memory of real graphics
 * drivers is in tests/interop. */
#include "peer.h"

#include "external.h"
#include "images.h"
#include "virtual.h"

#define OPAQUE CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD
#define DMA_BUF CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD

enum { SIZE = 4 << 20, PAGE = 65536 };

static unsigned char *view(int fd, size_t bytes)
{
    unsigned char *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    check(address != MAP_FAILED);
    return address;
}

/* An exported allocation, mapped as virtual memory, too. */
static int exported(size_t bytes, CUdeviceptr *at)
{
    CUmemGenericAllocationHandle handle = create(bytes, FD_TYPE);
    int fd = -1;

    *at = reserve(bytes);
    check_success(cuMemMap(*at, bytes, 0, handle, 0));
    allow(*at, bytes, READWRITE);
    check_success(cuMemExportToShareableHandle(&fd, handle, FD_TYPE, 0));
    check_success(cuMemRelease(handle));
    return fd;
}

TEST(a_plain_file_is_shared_without_a_copy)
{
    with_context();
    only_cupipe();
    int fd = memory_file(SIZE);
    unsigned char *bytes = view(fd, SIZE);
    CUexternalMemory memory = import(another(fd), SIZE);
    CUdeviceptr pointer = map(memory, 0, SIZE);

    make_bytes(bytes, SIZE, 1);
    check_has_pattern(pointer, SIZE, 1);
    put_pattern(pointer, SIZE, 2);
    check_made(bytes, SIZE, 2);
    check_success(cuMemFree(pointer));
    check_success(cuDestroyExternalMemory(memory));
    check_made(bytes, SIZE, 2);
}

TEST(exported_memory_can_be_imported_as_external)
{
    CUdeviceptr at;

    with_context();
    CUexternalMemory memory = import(exported(SIZE, &at), SIZE);
    CUdeviceptr pointer = map(memory, 0, SIZE);

    put_pattern(at, SIZE, 1);
    check_has_pattern(pointer, SIZE, 1);
    put_pattern(pointer + 1000, SIZE - 1000, 2);
    check_has_pattern(at + 1000, SIZE - 1000, 2);
}

TEST(exported_memory_has_exactly_its_size)
{
    CUdeviceptr at, pointer = 7;

    with_context();
    CUexternalMemory memory = import(exported(SIZE, &at), SIZE + 1);

    check_result(try_map(&pointer, memory, 0, SIZE + 1), CUDA_ERROR_INVALID_VALUE);
    check(pointer == 7);
    check_success(try_map(&pointer, memory, SIZE - 1, 1));
    check_result(try_map(&pointer, memory, SIZE, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_range_handle_can_be_imported_as_a_dma_buf)
{
    CUdeviceptr device, pointer;
    CUexternalMemory memory;
    CUmipmappedArray mipmap;
    int fd = -1;

    with_context();
    only_cupipe();
    check_success(cuMemAlloc(&device, SIZE));
    put_pattern(device, SIZE, 1);
    check_success(cuMemGetHandleForAddressRange(&fd, device + PAGE, SIZE - PAGE,
                                                CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
    int mine = another(fd);
    check_success(try_import(&memory, DMA_BUF, fd, SIZE - PAGE, 0));
    check(!is_open(fd));
    pointer = map(memory, 0, SIZE - PAGE);
    put_pattern(pointer, SIZE - PAGE, 2);
    check_has_pattern(device + PAGE, SIZE - PAGE, 2);
    check_result(
        try_map_image(&mipmap, memory, 0, describe(16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0), 1),
        CUDA_ERROR_NOT_SUPPORTED);
    check_result(try_import(&memory, OPAQUE, another(mine), SIZE - PAGE, 0), CUDA_ERROR_UNKNOWN);
    check_success(cuMemFree(device));
    check_has_pattern(pointer, SIZE - PAGE, 2);
    check_success(cuMemFree(pointer));
}

TEST(a_descriptor_is_taken_over)
{
    CUexternalMemory memory;
    CUdeviceptr at;
    int pipes[2];

    with_context();
    int fd = exported(SIZE, &at), wrong = another(fd);
    check_result(try_import(&memory, OPAQUE, wrong, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(try_import(&memory, OPAQUE, wrong, SIZE, 2), CUDA_ERROR_INVALID_VALUE);
    check_result(try_import(&memory, (CUexternalMemoryHandleType)99, wrong, SIZE, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check(is_open(wrong)); /* an argument is wrong: nothing was tried */
    check_success(try_import(&memory, OPAQUE, wrong, SIZE, 0));
    check(!is_open(wrong));
    check(pipe(pipes) == 0);
    check_result(try_import(&memory, OPAQUE, pipes[0], SIZE, 0), CUDA_ERROR_UNKNOWN);
    check(!is_open(pipes[0])); /* it was tried */
    check_result(try_import(&memory, OPAQUE, -1, SIZE, 0), CUDA_ERROR_UNKNOWN);
}

/* A program that goes on using a descriptor it gave away must not meet one of ours. */
TEST(a_stale_descriptor_leads_nowhere)
{
    CUexternalMemory memory;
    CUdeviceptr at;

    with_context();
    only_cupipe();
    int fd = exported(SIZE, &at), first = another(fd), second = another(fd);
    CUexternalMemory one = import(first, SIZE), two = import(second, SIZE);
    close(first);
    close(second);
    check_result(try_import(&memory, OPAQUE, first, SIZE, 0), CUDA_ERROR_UNKNOWN);
    map(one, 0, SIZE);
    map(two, 0, SIZE);
}

TEST(what_is_not_memory_is_refused)
{
    CUexternalMemory memory = NULL;
    int empty, sealed, read_only, file;
    char path[64];

    with_context();
    only_cupipe();
    empty = memory_file(0);
    check_result(try_import(&memory, OPAQUE, empty, SIZE, 0), CUDA_ERROR_UNKNOWN);
    sealed = memory_file(SIZE);
    check(fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE) == 0);
    check_result(try_import(&memory, OPAQUE, sealed, SIZE, 0), CUDA_ERROR_UNKNOWN);
    sealed = memory_file(SIZE);
    check(fcntl(sealed, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0);
    check_result(try_import(&memory, DMA_BUF, sealed, SIZE, 0), CUDA_ERROR_NOT_SUPPORTED);
    read_only = memory_file(SIZE);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", read_only);
    check_result(try_import(&memory, OPAQUE, open(path, O_RDONLY | O_CLOEXEC), SIZE, 0),
                 CUDA_ERROR_UNKNOWN);
    file = fileno(tmpfile());
    check(ftruncate(file, SIZE) == 0);
    if (fcntl(file, F_GET_SEALS) < 0) /* where /tmp is memory, it is memory */
        check_result(try_import(&memory, OPAQUE, another(file), SIZE, 0), CUDA_ERROR_UNKNOWN);
    check_result(try_import(&memory, OPAQUE, open("/dev/zero", O_RDWR), SIZE, 0),
                 CUDA_ERROR_UNKNOWN);
    check(memory == NULL);
}

/* A header as Mesa writes it, with something wrong in it: the file is plain memory then, and never
 * more than there is. */
TEST(forged_headers_reach_nothing_outside_the_file)
{
    const unsigned long long sizes[] = {0,        1,          4096,  SIZE,
                                        SIZE + 1, 1ull << 40, ~0ull, ~0ull - 4095};

    with_context();
    only_cupipe();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
            unsigned long long header[4] = {sizes[i], sizes[j], 0, 0};
            int fd = memory_file(SIZE);
            CUdeviceptr pointer = 0;
            check(pwrite(fd, header, sizeof(header), 0) == (ssize_t)sizeof(header));
            if (sizes[j] >= 8 && sizes[j] <= SIZE)
                check(pwrite(fd, &sizes[j], 8, (off_t)sizes[j] - 8) == 8);
            check(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
            CUexternalMemory memory = import(fd, ~0ull);
            check_result(try_map(&pointer, memory, 0, SIZE + 1), CUDA_ERROR_INVALID_VALUE);
            if (try_map(&pointer, memory, 0, SIZE) == CUDA_SUCCESS)
                check_success(cuMemsetD8(pointer, 1, SIZE));
            check_success(cuDestroyExternalMemory(memory));
        }
    }
}

TEST(bounds_are_what_was_said_and_what_there_is)
{
    CUdeviceptr pointer = 7;

    with_context();
    only_cupipe();
    CUexternalMemory memory = import(memory_file(SIZE), SIZE / 2);
    check_result(try_map(&pointer, memory, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map(&pointer, memory, 0, SIZE / 2 + 1), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map(&pointer, memory, SIZE / 2, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map(&pointer, memory, ~0ull, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map(&pointer, memory, ~0ull - 10, 100), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map(&pointer, memory, 4096, ~0ull), CUDA_ERROR_OUT_OF_MEMORY);
    check(pointer == 7);
    memory = import(memory_file(SIZE), ~0ull);
    check_result(try_map(&pointer, memory, 0, SIZE + 1), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map(&pointer, memory, 0, 1ull << 40), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map(&pointer, memory, 0, 1ull << 62), CUDA_ERROR_OUT_OF_MEMORY);
    check_success(try_map(&pointer, memory, 0, SIZE));
}

TEST(offsets_need_no_alignment)
{
    static const size_t offsets[] = {
        0, 1, 3, 4095, 4096, 4097, PAGE, (2 << 20) - 1, 2 << 20, (2 << 20) + 5, SIZE - 100};

    with_context();
    only_cupipe();
    int fd = memory_file(SIZE);
    unsigned char *bytes = view(fd, SIZE);
    CUexternalMemory memory = import(another(fd), SIZE);
    make_bytes(bytes, SIZE, 3);
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        unsigned char got[100];
        CUdeviceptr pointer = map(memory, offsets[i], sizeof(got)), base;
        size_t size;
        check(pointer % (2 << 20) == offsets[i] % (2 << 20));
        check_success(cuMemGetAddressRange(&base, &size, pointer + 50));
        check(base == pointer && size == sizeof(got));
        check_success(cuMemcpyDtoH(got, pointer, sizeof(got)));
        check(memcmp(got, bytes + offsets[i], sizeof(got)) == 0);
        check_result(cuMemcpyDtoH(got, pointer + 1, sizeof(got)), CUDA_ERROR_INVALID_VALUE);
        check_success(cuMemFree(pointer));
    }
}

TEST(mappings_are_apart_and_show_the_same)
{
    CUdeviceptr at;

    with_context();
    CUexternalMemory memory = import(exported(SIZE, &at), SIZE);
    CUdeviceptr one = map(memory, 0, SIZE), two = map(memory, 4096, SIZE - 4096);

    check(one + 4096 != two && one != two);
    put_pattern(one + 4096, SIZE - 4096, 5);
    check_has_pattern(two, SIZE - 4096, 5);
    check_result(cuMemFree(one + 4096), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemUnmap(one, SIZE), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemFree(one));
    check_result(cuMemFree(one), CUDA_ERROR_INVALID_VALUE);
    check_has_pattern(two, SIZE - 4096, 5);
}

TEST(mappings_outlive_the_memory_object)
{
    CUdeviceptr at, pointer;

    with_context();
    CUexternalMemory memory = import(exported(SIZE, &at), SIZE);
    pointer = map(memory, 0, SIZE);
    check_success(cuDestroyExternalMemory(memory));
    put_pattern(pointer, SIZE, 6);
    check_has_pattern(at, SIZE, 6);
    check_success(cuMemFree(pointer));
}

TEST(stale_handles_are_errors)
{
    static char nothing[4096];
    CUdeviceptr at, pointer;

    with_context();
    only_cupipe(); /* NVIDIA's driver crashes */
    CUexternalMemory memory = import(exported(SIZE, &at), SIZE);
    check_success(cuDestroyExternalMemory(memory));
    check(cuDestroyExternalMemory(memory) != CUDA_SUCCESS);
    check(try_map(&pointer, memory, 0, 1) != CUDA_SUCCESS);
    check_result(try_map(&pointer, (CUexternalMemory)nothing, 0, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDestroyExternalMemory((CUexternalMemory)nothing), CUDA_ERROR_INVALID_VALUE);
    check_result(cuDestroyExternalMemory(NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_context_takes_its_external_memory_along)
{
    char byte;

    with_context();
    only_cupipe();
    CUcontext context = new_context();
    CUexternalMemory memory = import(memory_file(SIZE), SIZE);
    CUdeviceptr pointer = map(memory, 0, SIZE);
    check_success(cuCtxDestroy(context));
    with_context();
    check(cuDestroyExternalMemory(memory) != CUDA_SUCCESS);
    check_result(cuMemcpyDtoH(&byte, pointer, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFree(pointer), CUDA_ERROR_INVALID_VALUE);
}

TEST(external_memory_is_not_cuda_s_to_export)
{
    CUdeviceptr at, pointer;
    CUmemGenericAllocationHandle handle;
    CUipcMemHandle ipc;
    int fd;

    with_context();
    pointer = map(import(exported(SIZE, &at), SIZE), 0, SIZE);
    check_result(cuIpcGetMemHandle(&ipc, pointer), CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemRetainAllocationHandle(&handle, (void *)(uintptr_t)pointer),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(
        cuMemGetHandleForAddressRange(&fd, pointer, SIZE, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
        CUDA_ERROR_INVALID_VALUE);
    check_result(cuMemFreeAsync(pointer, 0), CUDA_ERROR_NOT_SUPPORTED);
}

/* Gives device memory whose file has been cut off below it. */
static CUdeviceptr shrunk(void)
{
    with_context();
    only_cupipe();
    int fd = memory_file(SIZE);
    CUdeviceptr pointer = map(import(another(fd), SIZE), 0, SIZE);

    put_pattern(pointer, SIZE, 1);
    check(ftruncate(fd, 4096) == 0);
    return pointer;
}

TEST(a_file_that_shrinks_is_an_error_of_copies)
{
    CUdeviceptr pointer = shrunk();
    unsigned char *bytes = malloc(SIZE);

    check_result(cuMemcpyDtoH(bytes, pointer, SIZE), CUDA_ERROR_INVALID_VALUE);
    make_bytes(bytes, SIZE, 1);
    check_result(cuMemcpyHtoD(pointer, bytes, SIZE), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMemcpyDtoH(bytes, pointer, 4096));
    check_made(bytes, 4096, 1);
    check_success(cuMemFree(pointer));
    free(bytes);
}

TEST(a_file_that_shrinks_is_an_error_of_memset)
{
    check(cuMemsetD8(shrunk(), 1, SIZE) != CUDA_SUCCESS || cuCtxSynchronize() != CUDA_SUCCESS);
}

TEST(a_file_that_shrinks_is_an_error_of_queued_work)
{
    CUdeviceptr pointer = shrunk(), device;

    if (cuMemAlloc(&device, SIZE) == CUDA_SUCCESS)
        cuMemcpyDtoDAsync(device, pointer, SIZE, 0);
    check(cuStreamSynchronize(0) != CUDA_SUCCESS);
}

TEST(a_file_that_shrinks_is_an_error_of_value_writes)
{
    CUdeviceptr pointer = shrunk();

    cuStreamWriteValue32(0, pointer + SIZE / 2, 1, 0);
    check(cuStreamSynchronize(0) != CUDA_SUCCESS);
}

TEST(a_file_that_shrinks_ends_a_wait_for_a_value)
{
    with_context();
    only_cupipe();
    int fd = memory_file(SIZE);
    CUdeviceptr pointer = map(import(another(fd), SIZE), 0, SIZE);
    check_success(cuStreamWaitValue32(0, pointer + SIZE / 2, 1, CU_STREAM_WAIT_VALUE_EQ));
    check_result(cuStreamQuery(0), CUDA_ERROR_NOT_READY);
    check(ftruncate(fd, 4096) == 0);
    check(cuStreamSynchronize(0) != CUDA_SUCCESS);
}

TEST(a_file_that_shrinks_is_an_error_of_kernels)
{
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry write(.param .u64 place)\n{\n"
                               "    .reg .u64 %place;\n    .reg .u32 %value;\n"
                               "    ld.param.u64 %place, [place];\n"
                               "    mov.u32 %value, 7;\n"
                               "    st.global.u32 [%place], %value;\n    ret;\n}\n";
    CUmodule module;
    CUfunction function;
    unsigned value = 0;

    with_context();
    only_cupipe();
    if (cuModuleLoadData(&module, text) != CUDA_SUCCESS)
        skip("there is no compiler for kernels");
    check_success(cuModuleGetFunction(&function, module, "write"));
    int fd = memory_file(SIZE);
    CUdeviceptr place = map(import(another(fd), SIZE), 0, SIZE) + SIZE / 2;
    void *arguments[] = {&place};
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, NULL));
    check_success(cuCtxSynchronize());
    check(pread(fd, &value, sizeof(value), SIZE / 2) == sizeof(value) && value == 7);
    check(ftruncate(fd, 4096) == 0);
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, NULL);
    check(cuCtxSynchronize() != CUDA_SUCCESS);
}

TEST(a_file_that_shrinks_cannot_be_registered)
{
    check_result(cuMemHostRegister((void *)(uintptr_t)shrunk(), SIZE, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_file_that_shrinks_is_an_error_of_images)
{
    enum { WIDTH = 256, HEIGHT = 256 };
    static unsigned char bytes[WIDTH * HEIGHT * 4];
    CUmipmappedArray mipmap;
    CUarray level;

    with_context();
    only_cupipe();
    int fd = memory_file(SIZE);
    CUexternalMemory memory = import(another(fd), SIZE);
    CUDA_ARRAY3D_DESCRIPTOR array =
        describe(WIDTH, HEIGHT, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_COLOR_ATTACHMENT);
    check_success(try_map_image(&mipmap, memory, 0, array, 9));
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 0));
    check_described(level, array);
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = level,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = bytes,
                          .dstPitch = WIDTH * 4,
                          .WidthInBytes = WIDTH * 4,
                          .Height = HEIGHT};
    check_success(cuMemcpy2D(&copy));
    check(ftruncate(fd, 4096) == 0);
    check_result(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    check_success(cuMipmappedArrayDestroy(mipmap));
}

TEST(images_must_fit)
{
    CUmipmappedArray mipmap = NULL;
    CUDA_ARRAY3D_DESCRIPTOR array = describe(64, 64, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0), wrong;

    with_context();
    only_cupipe();
    CUexternalMemory memory = import(memory_file(24 << 10), 24 << 10);
    check_success(try_map_image(&mipmap, memory, 0, array, 7));
    check_success(cuMipmappedArrayDestroy(mipmap));
    check_result(try_map_image(&mipmap, memory, 0, array, 8), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map_image(&mipmap, memory, 0, array, 0), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map_image(&mipmap, memory, 0, array, ~0u), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map_image(&mipmap, memory, 16 << 10, array, 1), CUDA_ERROR_INVALID_VALUE);
    check_result(try_map_image(&mipmap, memory, ~0ull, array, 1), CUDA_ERROR_INVALID_VALUE);
    wrong = array, wrong.Width = 128;
    check_result(try_map_image(&mipmap, memory, 0, wrong, 1), CUDA_ERROR_INVALID_VALUE);
    wrong = array, wrong.Width = wrong.Height = 32768;
    check_result(try_map_image(&mipmap, memory, 0, wrong, 1), CUDA_ERROR_INVALID_VALUE);
    wrong = array, wrong.Flags = CUDA_ARRAY3D_SPARSE;
    check_result(try_map_image(&mipmap, memory, 0, wrong, 1), CUDA_ERROR_INVALID_VALUE);
    wrong = array, wrong.Flags = CUDA_ARRAY3D_DEFERRED_MAPPING;
    check_result(try_map_image(&mipmap, memory, 0, wrong, 1), CUDA_ERROR_INVALID_VALUE);
    check_success(cuDestroyExternalMemory(memory));
    memory = NULL;
    check_success(
        try_import(&memory, OPAQUE, memory_file(SIZE), SIZE, CUDA_EXTERNAL_MEMORY_DEDICATED));
    check_result(try_map_image(&mipmap, memory, 4096, array, 1), CUDA_ERROR_INVALID_VALUE);
    check_success(try_map_image(&mipmap, memory, 0, array, 1));
}

static void map_and_change(int socket)
{
    with_context();
    CUexternalMemory memory = import(receive_fd(socket), SIZE);
    CUdeviceptr pointer = map(memory, 0, SIZE);

    check_has_pattern(pointer, SIZE, 1);
    put_pattern(pointer, SIZE, 2);
    peer_signal(socket);
    peer_await(socket);
    check_has_pattern(pointer, SIZE, 3); /* its maker has freed it */
}

TEST(another_process_imports_exported_memory)
{
    CUdeviceptr at;
    struct peer peer = peer_start(map_and_change);

    with_context();
    int fd = exported(SIZE, &at);
    put_pattern(at, SIZE, 1);
    send_fd(peer.socket, fd);
    close(fd);
    peer_await(peer.socket);
    check_has_pattern(at, SIZE, 2);
    put_pattern(at, SIZE, 3);
    check_success(cuMemUnmap(at, SIZE));
    peer_signal(peer.socket);
    peer_finish(&peer);
}

static void *map_and_free(void *argument)
{
    CUexternalMemory memory = argument;

    with_context();
    for (unsigned i = 0; i < 300; i++) {
        CUdeviceptr pointer = map(memory, i * 4096, SIZE / 2);
        check_success(cuMemsetD8(pointer, (unsigned char)i, 4096));
        check_success(cuMemFree(pointer));
    }
    return NULL;
}

TEST(threads_map_and_free_at_once)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    CUdeviceptr at;

    with_context();
    CUexternalMemory memory = import(exported(SIZE, &at), SIZE);
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, map_and_free, memory) == 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check_success(cuDestroyExternalMemory(memory));
}

static int count_open(void)
{
    int count = 0;

    for (int fd = 0; fd < 2048; fd++)
        count += is_open(fd);
    return count;
}

TEST(nothing_is_left_behind)
{
    CUmipmappedArray mipmap;
    CUdeviceptr at;

    with_context();
    int fd = exported(SIZE, &at), open_before = 0;
    size_t free_before = 0;
    for (int i = 0; i < 200; i++) {
        CUexternalMemory memory = import(another(fd), SIZE);
        CUdeviceptr pointer = map(memory, 0, SIZE);
        check_success(
            try_map_image(&mipmap, memory, 0, describe(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0), 1));
        check_success(cuDestroyExternalMemory(memory));
        check_success(cuMemFree(pointer));
        check_success(cuMipmappedArrayDestroy(mipmap));
        if (i == 0) {
            open_before = count_open();
            free_before = memory_free();
        }
    }
    check(count_open() == open_before);
    check(memory_free() == free_before);
}

TEST(no_descriptor_left_is_an_error)
{
    CUexternalMemory memory = NULL;
    CUdeviceptr at;

    with_context();
    only_cupipe();
    int fd = exported(SIZE, &at), last = fd;
    for (int made = fd; made >= 0; made = dup(fd))
        last = made;
    check_result(try_import(&memory, OPAQUE, last, SIZE, 0), CUDA_ERROR_OPERATING_SYSTEM);
    check(is_open(last) && memory == NULL);
}
