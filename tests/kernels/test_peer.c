/* SPDX-License-Identifier: MIT */
/* Kernels and the memory of other devices: none of it may be touched without leave. Each device is
 * lost by its first error, so that one process can see as many errors as there are devices. */
#include "kernels.h"
#include "peer.h"

#define ILLEGAL CUDA_ERROR_ILLEGAL_ADDRESS
#define UNIT ((size_t)2 << 20)

enum { WORDS = 256, BYTES = WORDS * 4 };

static const char *const kernels[] = {
    "read_row",           "read_generic",    "read_one",     "read_far",  "read_strided",
    "read_strong",        "read_four",       "read_odd",     "write_row", "write_one",
    "read_after_shuffle", "read_at_barrier", "read_by_copy", "write_far", "write_odd",
    "add_one_place",      "add_and_ask",     "add_floats",   "count",     "exchange_if_equal",
    "read_two_rows",
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void with_devices(const char *count, const char *topology)
{
    setenv("CUPIPE_DEVICES", count, 1);
    setenv("CUPIPE_TOPOLOGY", topology, 1);
    setenv("CUPIPE_MEMORY", "128M", 1);
    setenv("CUPIPE_LOG", "none", 1); /* errors are what is wanted */
    check_success(cuInit(0));
    only_cupipe();
}

/* The device's primary context, current. */
static CUcontext enter(CUdevice device)
{
    CUcontext context;

    check_success(cuDevicePrimaryCtxRetain(&context, device));
    check_success(cuCtxSetCurrent(context));
    return context;
}

static CUdeviceptr words_on(CUdevice device)
{
    uint32_t words[WORDS];

    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i * i;
    enter(device);
    return device_copy_of(words, BYTES);
}

static CUfunction kernel_on(CUdevice device, const char *name)
{
    enter(device);
    return kernel_of(module_from("peer.ptx"), name);
}

/* Launches kernel(there, out) in the current context and waits. */
static CUresult touch(CUfunction function, bool two_rows, CUdeviceptr there, CUdeviceptr out)
{
    void *parameters[] = {&there, &out};

    check_success(cuLaunchKernel(function, 1, 1, 1, two_rows ? 16 : 64, two_rows ? 2 : 1, 1, 0,
                                 NULL, parameters, NULL));
    return cuCtxSynchronize();
}

static CUresult read_from(CUdevice device, CUdeviceptr there)
{
    CUfunction function = kernel_on(device, "read_row");

    return touch(function, false, there, device_zeros(BYTES));
}

static CUresult write_from(CUdevice device, CUdeviceptr there)
{
    CUfunction function = kernel_on(device, "write_row");

    return touch(function, false, there, there);
}

static void check_same(CUdeviceptr one, CUdeviceptr other, const char *what)
{
    uint32_t a[WORDS], b[WORDS];

    check_success(cuMemcpyDtoH(a, one, BYTES));
    check_success(cuMemcpyDtoH(b, other, BYTES));
    for (int i = 0; i < WORDS; i++)
        if (a[i] != b[i])
            test_fail(__FILE__, __LINE__, "%s, word %d: %#x, and not %#x", what, i, b[i], a[i]);
}

/* Every way to touch memory: from a device without access it is an error, which sticks, and nothing
 * has been written; from one with access it does what it does to memory of one's own. */
TEST(every_access_is_asked_about)
{
    enum { OWNER = 2 * KERNELS };
    char count[8];

    snprintf(count, sizeof count, "%d", OWNER + 1);
    with_devices(count, "all");
    for (int k = 0; k < KERNELS; k++) {
        bool two_rows = strcmp(kernels[k], "read_two_rows") == 0;
        CUdeviceptr there = words_on(OWNER), untouched = words_on(OWNER), own = words_on(2 * k);
        CUcontext owner = enter(OWNER);
        CUfunction function = kernel_on(2 * k, kernels[k]);
        CUdeviceptr out = device_zeros(BYTES), own_out = device_zeros(BYTES);

        check_success(touch(function, two_rows, own, own_out));
        check_success(cuCtxEnablePeerAccess(owner, 0));
        check_success(touch(function, two_rows, there, out));
        check_same(own, there, kernels[k]);
        check_same(own_out, out, kernels[k]);

        function = kernel_on(2 * k + 1, kernels[k]);
        out = device_zeros(BYTES);
        CUresult result = touch(function, two_rows, untouched, out);
        if (result != ILLEGAL)
            test_fail(__FILE__, __LINE__, "%s of memory of a peer: %s", kernels[k],
                      test_result_name(result));
        check_result(cuCtxSynchronize(), ILLEGAL);
        check_result(cuMemAlloc(&out, 16), ILLEGAL);
        own = words_on(OWNER);
        check_same(own, untouched, kernels[k]);
    }
    check_success(read_from(OWNER, words_on(OWNER)));
}

TEST(access_ends_when_it_is_disabled)
{
    with_devices("2", "all");
    CUdeviceptr there = words_on(1);
    CUcontext peer = enter(1);

    enter(0);
    check_success(cuCtxEnablePeerAccess(peer, 0));
    check_success(read_from(0, there));
    check_success(cuCtxDisablePeerAccess(peer));
    check_success(cuCtxEnablePeerAccess(peer, 0));
    check_success(write_from(0, there));
    check_success(cuCtxDisablePeerAccess(peer));
    check_result(write_from(0, there), ILLEGAL);
}

/* The launch was allowed to. */
TEST(what_is_launched_keeps_its_access)
{
    with_devices("2", "all");
    CUdeviceptr there = words_on(1), out, flag;
    CUcontext peer = enter(1);
    CUfunction function = kernel_on(0, "read_row");
    uint32_t words[64], *go;
    CUstream stream;

    out = device_zeros(BYTES);
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    check_success(cuMemHostAlloc((void **)&go, 4, CU_MEMHOSTALLOC_DEVICEMAP));
    check_success(cuMemHostGetDevicePointer(&flag, go, 0));
    *go = 0;
    check_success(cuCtxEnablePeerAccess(peer, 0));
    check_success(cuStreamWaitValue32(stream, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    void *parameters[] = {&there, &out};
    check_success(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, parameters, NULL));
    check_success(cuCtxDisablePeerAccess(peer));
    __atomic_store_n(go, 1, __ATOMIC_RELEASE);
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemcpyDtoH(words, out, sizeof words));
    check(words[5] == 25);
}

TEST(access_has_one_direction_and_one_context)
{
    with_devices("3", "all");
    CUdeviceptr at_1 = words_on(1), at_0 = words_on(0);
    CUcontext one = enter(1), other;

    enter(0);
    check_success(cuCtxEnablePeerAccess(one, 0));
    check_success(read_from(0, at_1));
    check_success(cuCtxCreate(&other, NULL, 0, 0)); /* a second context of device 0 */
    CUfunction function = kernel_of(module_from("peer.ptx"), "read_row");
    check_result(touch(function, false, at_1, device_zeros(BYTES)), ILLEGAL);
    check_result(read_from(1, at_0), ILLEGAL);
    check_result(read_from(2, at_0), ILLEGAL);
}

TEST(devices_that_are_not_linked)
{
    with_devices("3", "none");
    CUdeviceptr there = words_on(1);
    CUcontext peer = enter(1);

    enter(0);
    check_result(cuCtxEnablePeerAccess(peer, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    check_success(read_from(1, there));
    check_result(read_from(0, there), ILLEGAL);
}

TEST(pairs_of_devices)
{
    with_devices("4", "pairs");
    CUdeviceptr there = words_on(3);
    CUcontext peer = enter(3);

    enter(2);
    check_success(cuCtxEnablePeerAccess(peer, 0));
    check_success(read_from(2, there));
    enter(1);
    check_result(cuCtxEnablePeerAccess(peer, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    check_result(read_from(1, there), ILLEGAL);
}

/* The first one only sees two of the three devices, under other numbers. */
TEST(hidden_devices)
{
    setenv("CUDA_VISIBLE_DEVICES", "2,1", 1);
    with_devices("3", "all");
    CUdeviceptr there = words_on(1);
    CUcontext peer = enter(1);

    enter(0);
    check_success(cuCtxEnablePeerAccess(peer, 0));
    check_success(read_from(0, there));
    check_result(write_from(1, words_on(0)), ILLEGAL);
}

TEST(a_context_made_again_has_no_peers)
{
    with_devices("2", "all");
    CUdeviceptr there = words_on(1);
    CUcontext peer = enter(1);

    enter(0);
    check_success(cuCtxEnablePeerAccess(peer, 0));
    check_success(read_from(0, there));
    check_success(cuDevicePrimaryCtxReset(0));
    check_result(read_from(0, there), ILLEGAL);
}

TEST(sixty_four_devices)
{
    enum { DEVICES = 64 };
    CUdeviceptr there[DEVICES];
    CUcontext contexts[DEVICES];

    not_under_tsan("there are too few addresses");
    with_devices("64", "all");
    for (int i = 0; i < DEVICES; i++) {
        there[i] = words_on(i);
        contexts[i] = enter(i);
    }
    for (int i = 0; i < DEVICES; i++) {
        check_success(cuCtxSetCurrent(contexts[i]));
        check_success(cuCtxEnablePeerAccess(contexts[(i + 1) % DEVICES], 0));
    }
    for (int i = 0; i < DEVICES; i++)
        check_success(read_from(i, there[(i + 1) % DEVICES]));
    for (int i = 0; i < DEVICES; i++)
        check_result(read_from(i, there[(i + 2) % DEVICES]), ILLEGAL);
}

TEST(host_memory_is_everybodys)
{
    with_devices("2", "all");
    uint32_t *pinned, *own = aligned_alloc(4096, 4096);
    CUdeviceptr managed, registered;

    enter(1);
    check_success(cuMemHostAlloc((void **)&pinned, BYTES, CU_MEMHOSTALLOC_PORTABLE));
    check_success(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    check_success(cuMemHostRegister(own, 4096, CU_MEMHOSTREGISTER_PORTABLE));
    check_success(cuMemHostGetDevicePointer(&registered, own, 0));
    for (CUdevice device = 0; device < 2; device++) {
        check_success(write_from(device, (CUdeviceptr)(uintptr_t)pinned));
        check_success(write_from(device, managed));
        check_success(write_from(device, registered));
        check(pinned[7] == 12 && own[7] == 12 && ((uint32_t *)(uintptr_t)managed)[7] == 12);
        pinned[7] = own[7] = 0;
    }
}

/* Memory that was of one device's and is of another's: what a page belongs to goes with it. */
TEST(memory_is_of_whoever_has_it_now)
{
    with_devices("2", "all");
    for (int round = 0; round < 20; round++) {
        CUdeviceptr there = words_on(round % 2);
        check_success(write_from(round % 2, there));
        check_success(cuMemFree(there));
    }
    check_result(write_from(0, words_on(1)), ILLEGAL);
}

TEST(cooperative_launches)
{
    with_devices("2", "all");
    CUdeviceptr own = words_on(0), there = words_on(1);
    CUcontext peer = enter(1);
    CUfunction function = kernel_on(0, "count");
    void *parameters[] = {&own, &own}, *foreign[] = {&there, &there};
    uint32_t word;

    check_success(cuLaunchCooperativeKernel(function, 4, 1, 1, 96, 1, 1, 0, NULL, parameters));
    check_success(cuCtxEnablePeerAccess(peer, 0));
    check_success(cuLaunchCooperativeKernel(function, 4, 1, 1, 96, 1, 1, 0, NULL, foreign));
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(&word, there, 4));
    check(word == 4 * 96);
    check_success(cuCtxDisablePeerAccess(peer));
    check_success(cuLaunchCooperativeKernel(function, 4, 1, 1, 96, 1, 1, 0, NULL, foreign));
    check_result(cuCtxSynchronize(), ILLEGAL);
}

TEST(many_blocks)
{
    enum { COUNT = 1 << 20 };
    with_devices("2", "all");
    enter(1);
    CUdeviceptr there;
    check_success(cuMemAlloc(&there, COUNT * 4));
    check_success(cuMemsetD32(there, 3, COUNT));
    check_success(cuCtxSynchronize());
    CUcontext peer = enter(1);
    CUfunction function = kernel_on(0, "sum");
    CUdeviceptr out = device_zeros(4);
    unsigned count = COUNT;
    void *parameters[] = {&there, &out, &count};
    uint32_t sum;

    check_success(cuCtxEnablePeerAccess(peer, 0));
    launch_line(function, 64, 256, 0, parameters);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(&sum, out, 4));
    check(sum == 3 * COUNT);
    check_success(cuCtxDisablePeerAccess(peer));
    launch_line(function, 64, 256, 0, parameters);
    check_result(cuCtxSynchronize(), ILLEGAL);
}

/* ---- Memory pools ---- */

static void give_pool(CUmemoryPool pool, CUdevice device, CUmemAccess_flags flags)
{
    CUmemAccessDesc access;

    memset(&access, 0, sizeof access);
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = device;
    access.flags = flags;
    check_success(cuMemPoolSetAccess(pool, &access, 1));
}

/* The default pool of device 1, and 64 words out of it. */
static CUdeviceptr words_of_pool(CUmemoryPool *pool)
{
    CUdeviceptr there;

    enter(1);
    check_success(cuDeviceGetDefaultMemPool(pool, 1));
    check_success(cuMemAllocAsync(&there, BYTES, NULL));
    check_success(cuMemsetD32Async(there, 7, WORDS, NULL));
    check_success(cuStreamSynchronize(NULL));
    return there;
}

/* Peer access is about cuMemAlloc's memory alone. */
TEST(a_pool_has_access_of_its_own)
{
    CUmemoryPool pool;

    with_devices("4", "all");
    CUdeviceptr there = words_of_pool(&pool);
    CUcontext peer = enter(1);
    check_success(read_from(1, there));
    enter(0);
    check_success(cuCtxEnablePeerAccess(peer, 0));
    check_success(read_from(0, words_on(1)));
    check_result(read_from(0, there), ILLEGAL);

    give_pool(pool, 2, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    check_success(write_from(2, there));
    check_success(read_from(1, there));
    check_result(write_from(3, there), ILLEGAL);
    give_pool(pool, 2, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    check_success(read_from(1, there));
    check_result(write_from(2, there), ILLEGAL);
}

/* What a pool gets later, and what it has given back. */
TEST(access_goes_with_the_pool)
{
    CUmemPoolProps properties;
    CUdeviceptr small, large, plain[24];
    CUmemoryPool pool;

    with_devices("3", "all");
    enter(1);
    memset(&properties, 0, sizeof properties);
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = 1;
    check_success(cuMemPoolCreate(&pool, &properties));
    give_pool(pool, 0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    enter(1);
    check_success(cuMemAllocFromPoolAsync(&small, BYTES, pool, NULL));
    check_success(cuMemAllocFromPoolAsync(&large, 40 << 20, pool, NULL));
    check_success(write_from(0, small));
    check_success(write_from(0, large + (38 << 20)));
    enter(1);
    check_success(cuMemFreeAsync(small, NULL));
    check_success(cuMemFreeAsync(large, NULL));
    check_success(cuStreamSynchronize(NULL));
    check_success(cuMemPoolDestroy(pool));
    for (int i = 0; i < 24; i++)
        check_success(cuMemAlloc(&plain[i], 4 << 20)); /* where the pool was */
    CUcontext peer = enter(1);
    enter(2);
    check_success(cuCtxEnablePeerAccess(peer, 0));
    for (int i = 0; i < 24; i++)
        check_success(write_from(2, plain[i]));
    check_result(write_from(0, plain[0]), ILLEGAL);
}

/* A pool that is shared, and what was imported of it, which is a second pool. */
TEST(an_imported_pool_has_access_of_its_own)
{
    CUmemPoolProps properties;
    CUmemPoolPtrExportData data;
    CUmemoryPool pool, imported;
    CUdeviceptr there, same;
    int fd;

    with_devices("4", "all");
    enter(1);
    memset(&properties, 0, sizeof properties);
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = 1;
    check_success(cuMemPoolCreate(&pool, &properties));
    check_success(cuMemAllocFromPoolAsync(&there, BYTES, pool, NULL));
    check_success(
        cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    check_success(cuMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
                                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    check_success(cuMemPoolExportPointer(&data, there));
    check_success(cuMemPoolImportPointer(&same, imported, &data));
    check_success(write_from(1, same));
    give_pool(imported, 0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    check_success(write_from(0, same));
    check_success(read_from(1, there));
    check_result(read_from(0, there), ILLEGAL);
    check_result(read_from(2, same), ILLEGAL);
    give_pool(pool, 3, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    check_success(write_from(3, there));
    check_result(write_from(3, same), ILLEGAL);
}

/* ---- Memory of other processes ---- */

static void export_words(int socket)
{
    CUipcMemHandle handle;

    with_devices("3", "all");
    check_success(cuIpcGetMemHandle(&handle, words_on(1)));
    peer_send(socket, &handle, sizeof handle);
    peer_await(socket);
}

/* Opening it in a context of another device is as enabling peer access. */
TEST(memory_of_another_process)
{
    struct peer peer = peer_start(export_words);
    CUipcMemHandle handle;
    CUdeviceptr there;

    with_devices("3", "all");
    enter(0);
    peer_receive(peer.socket, &handle, sizeof handle);
    check_success(cuIpcOpenMemHandle(&there, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    check_success(read_from(0, there));
    check_success(write_from(1, there));
    check_result(read_from(2, there), ILLEGAL);
    peer_signal(peer.socket);
    peer_finish(&peer);
}

/* ---- Virtual memory ---- */

static CUmemGenericAllocationHandle create_on(CUdevice device, size_t bytes)
{
    CUmemAllocationProp properties;
    CUmemGenericAllocationHandle handle;

    memset(&properties, 0, sizeof properties);
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    check_success(cuMemCreate(&handle, bytes, &properties, 0));
    return handle;
}

static CUdeviceptr map_of(CUdevice device, size_t bytes)
{
    CUdeviceptr at;

    check_success(cuMemAddressReserve(&at, bytes, 0, 0, 0));
    check_success(cuMemMap(at, bytes, 0, create_on(device, bytes), 0));
    return at;
}

static void give(CUdeviceptr at, size_t bytes, CUdevice device, CUmemAccess_flags flags)
{
    CUmemAccessDesc access;

    memset(&access, 0, sizeof access);
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = device;
    access.flags = flags;
    check_success(cuMemSetAccess(at, bytes, &access, 1));
}

TEST(a_mapping_is_of_those_who_were_given_access)
{
    with_devices("6", "all");
    enter(0);
    CUdeviceptr at = map_of(0, UNIT);

    give(at, UNIT, 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    give(at, UNIT, 2, CU_MEM_ACCESS_FLAGS_PROT_READ);
    check_success(write_from(1, at));
    check_success(read_from(2, at));
    check_result(write_from(2, at), ILLEGAL);
    check_result(read_from(0, at), ILLEGAL); /* where the memory is does not matter */
    check_result(read_from(3, at), ILLEGAL);
    enter(1);
    give(at, UNIT, 4, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    check_success(write_from(4, at));
    give(at, UNIT, 1, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    check_success(write_from(4, at));
    check_result(read_from(1, at), ILLEGAL);
    CUcontext peer = enter(4);
    enter(5);
    check_success(cuCtxEnablePeerAccess(peer, 0));
    check_result(read_from(5, at), ILLEGAL);
}

/* A row of words of which the last ones lie in the next mapping. */
TEST(an_access_across_two_mappings)
{
    with_devices("3", "all");
    enter(0);
    CUdeviceptr at;

    check_success(cuMemAddressReserve(&at, 2 * UNIT, 0, 0, 0));
    check_success(cuMemMap(at, UNIT, 0, create_on(0, UNIT), 0));
    check_success(cuMemMap(at + UNIT, UNIT, 0, create_on(1, UNIT), 0));
    give(at, 2 * UNIT, 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    give(at, UNIT, 0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    give(at + UNIT, UNIT, 2, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    check_success(write_from(1, at + UNIT - 16));
    check_success(write_from(0, at + UNIT - 256));
    check_result(write_from(0, at + UNIT - 252), ILLEGAL);
    check_success(write_from(2, at + UNIT));
    check_result(write_from(2, at + UNIT - 4), ILLEGAL);
}

/* More sets of devices than there are classes of memory. */
TEST(many_sets_of_devices)
{
    enum { DEVICES = 10, SETS = 600 };
    CUmemAccessDesc access[DEVICES];

    with_devices("10", "all");
    enter(0);
    CUdeviceptr at = map_of(0, UNIT);
    CUfunction functions[DEVICES];
    CUdeviceptr out[DEVICES];

    for (int i = 0; i < DEVICES; i++) {
        functions[i] = kernel_on(i, "read_row");
        out[i] = device_zeros(BYTES);
    }
    for (int set = 1; set < SETS; set++) {
        memset(access, 0, sizeof access);
        for (int i = 0; i < DEVICES; i++) {
            access[i].location.type = CU_MEM_LOCATION_TYPE_DEVICE;
            access[i].location.id = i;
            access[i].flags =
                set >> i & 1 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
        }
        check_success(cuMemSetAccess(at, UNIT, access, DEVICES));
        int device = __builtin_ctz((unsigned)set);
        enter(device);
        check_success(touch(functions[device], false, at, out[device]));
    }
    for (int i = 0; i < DEVICES; i++) {
        enter(i);
        check_result(touch(functions[i], false, at, out[i]),
                     (SETS - 1) >> i & 1 ? CUDA_SUCCESS : ILLEGAL);
    }
}

/* The log says whose memory it is. */
TEST(the_log_names_the_owner)
{
    char path[] = "/tmp/cupipe-peer-XXXXXX", text[4096] = "";
    int fd = mkstemp(path);

    check(fd >= 0);
    snprintf(text, sizeof text, "error:%s", path);
    setenv("CUPIPE_LOG", text, 1);
    setenv("CUPIPE_DEVICES", "3", 1);
    setenv("CUPIPE_MEMORY", "128M", 1);
    check_success(cuInit(0));
    only_cupipe();
    check_result(read_from(0, words_on(2)), ILLEGAL);
    check(read(fd, text, sizeof text - 1) > 0);
    unlink(path);
    check(strstr(text, "kernel read_row, block (0,0,0)") != NULL);
    check(strstr(text, "belongs to device 2, and peer access was not enabled") != NULL);
}
