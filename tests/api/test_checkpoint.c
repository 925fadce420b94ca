/* SPDX-License-Identifier: MIT */
/* Locking, checkpointing and restoring a process: this one, and another. */
#include "hold.h"
#include "kernels.h"
#include "peer.h"

enum { BYTES = 8 << 20 };

static CUprocessState state_of(pid_t pid)
{
    CUprocessState state = (CUprocessState)77;

    check_success(cuCheckpointProcessGetState(pid, &state));
    return state;
}

static void checkpoint(pid_t pid)
{
    check_success(cuCheckpointProcessLock(pid, NULL));
    check_success(cuCheckpointProcessCheckpoint(pid, NULL));
    check(state_of(pid) == CU_PROCESS_STATE_CHECKPOINTED);
}

static void restore(pid_t pid)
{
    check_success(cuCheckpointProcessRestore(pid, NULL));
    check(state_of(pid) == CU_PROCESS_STATE_LOCKED);
    check_success(cuCheckpointProcessUnlock(pid, NULL));
    check(state_of(pid) == CU_PROCESS_STATE_RUNNING);
}

static CUdeviceptr filled(size_t bytes, unsigned value)
{
    CUdeviceptr ptr;

    check_success(cuMemAlloc(&ptr, bytes));
    check_success(cuMemsetD32(ptr, value, bytes / 4));
    check_success(cuCtxSynchronize());
    return ptr;
}

static bool holds(CUdeviceptr ptr, size_t bytes, unsigned value)
{
    unsigned *words = malloc(bytes);
    bool same = true;

    check_success(cuMemcpyDtoH(words, ptr, bytes));
    for (size_t i = 0; i < bytes / 4; i++)
        same &= words[i] == value;
    free(words);
    return same;
}

/* Fills memory, and then tells each time it is asked whether it still is as it was. */
static void keep_memory(int socket)
{
    CUdeviceptr ptr;
    char byte;

    with_context();
    ptr = filled(BYTES, 0x12345678);
    peer_signal(socket);
    while (recv(socket, &byte, 1, 0) == 1) {
        byte = holds(ptr, BYTES, 0x12345678);
        peer_send(socket, &byte, 1);
    }
}

static bool memory_is_kept(const struct peer *peer)
{
    char answer;

    peer_signal(peer->socket);
    peer_receive(peer->socket, &answer, 1);
    return answer;
}

TEST(process_is_restored_by_another)
{
    struct peer peer = peer_start(keep_memory);

    peer_await(peer.socket);
    check_success(cuInit(0));
    check(memory_is_kept(&peer));
    check(state_of(peer.pid) == CU_PROCESS_STATE_RUNNING);
    checkpoint(peer.pid);
    restore(peer.pid);
    check(memory_is_kept(&peer));
    peer_kill(&peer);
}

TEST(actions_need_their_state)
{
    struct peer peer = peer_start(keep_memory);

    peer_await(peer.socket);
    check_success(cuInit(0));
    check_result(cuCheckpointProcessCheckpoint(peer.pid, NULL), CUDA_ERROR_ILLEGAL_STATE);
    check_result(cuCheckpointProcessRestore(peer.pid, NULL), CUDA_ERROR_ILLEGAL_STATE);
    check_result(cuCheckpointProcessUnlock(peer.pid, NULL), CUDA_ERROR_ILLEGAL_STATE);
    check_success(cuCheckpointProcessLock(peer.pid, NULL));
    check_result(cuCheckpointProcessLock(peer.pid, NULL), CUDA_ERROR_ILLEGAL_STATE);
    check_result(cuCheckpointProcessRestore(peer.pid, NULL), CUDA_ERROR_ILLEGAL_STATE);
    check_success(cuCheckpointProcessCheckpoint(peer.pid, NULL));
    check_result(cuCheckpointProcessCheckpoint(peer.pid, NULL), CUDA_ERROR_ILLEGAL_STATE);
    check_result(cuCheckpointProcessUnlock(peer.pid, NULL), CUDA_ERROR_ILLEGAL_STATE);
    peer_kill(&peer);
}

static void do_nothing(int socket)
{
    peer_await(socket);
}

TEST(process_without_cuda_is_not_initialized)
{
    struct peer peer = peer_start(do_nothing);
    CUprocessState state;

    check_success(cuInit(0));
    check_result(cuCheckpointProcessGetState(peer.pid, &state), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cuCheckpointProcessLock(peer.pid, NULL), CUDA_ERROR_NOT_INITIALIZED);
    peer_signal(peer.socket);
    peer_finish(&peer);
}

TEST(child_of_a_fork_is_not_initialized)
{
    CUprocessState state;
    int status, pipes[2];

    check_success(cuInit(0));
    check(pipe(pipes) == 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;

        close(pipes[1]);
        check_result(cuCheckpointProcessGetState(getpid(), &state), CUDA_ERROR_NOT_INITIALIZED);
        _exit(read(pipes[0], &byte, 1) != 0);
    }
    check_result(cuCheckpointProcessGetState(child, &state), CUDA_ERROR_NOT_INITIALIZED);
    close(pipes[1]);
    check(waitpid(child, &status, 0) == child && status == 0);
}

TEST(process_that_has_ended_is_no_process)
{
    struct peer peer = peer_start(keep_memory);
    CUprocessState state;

    peer_await(peer.socket);
    check_success(cuInit(0));
    check_success(cuCheckpointProcessLock(peer.pid, NULL));
    peer_kill(&peer);
    check_result(cuCheckpointProcessGetState(peer.pid, &state), CUDA_ERROR_OPERATING_SYSTEM);
    check_result(cuCheckpointProcessUnlock(peer.pid, NULL), CUDA_ERROR_OPERATING_SYSTEM);
    check_result(cuCheckpointProcessUnlock(0, NULL), CUDA_ERROR_OPERATING_SYSTEM);
    check_result(cuCheckpointProcessUnlock(-1, NULL), CUDA_ERROR_OPERATING_SYSTEM);
}

TEST(reserved_arguments_are_zero)
{
    CUcheckpointLockArgs lock = {.reserved0 = 1};
    CUprocessState state;
    int thread;

    check_success(cuInit(0));
    check_result(cuCheckpointProcessLock(getpid(), &lock), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCheckpointProcessGetState(getpid(), NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCheckpointProcessGetRestoreThreadId(getpid(), NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuCheckpointProcessGetState(getpid(), &state));
    check_success(cuCheckpointProcessGetRestoreThreadId(getpid(), &thread));
    check(thread > 0 && thread != getpid());
}

/* From here on this process is locked by itself, which the recording of NVIDIA's driver has not. */

struct allocating {
    struct flag begun, done;
    CUcontext context;
};

static void *allocate(void *argument)
{
    struct allocating *allocating = argument;
    CUdeviceptr ptr;

    flag_raise(&allocating->begun);
    check_success(cuCtxSetCurrent(allocating->context));
    check_success(cuMemAlloc(&ptr, 4096));
    flag_raise(&allocating->done);
    return NULL;
}

TEST(calls_wait_while_the_process_is_locked)
{
    struct allocating allocating = {.context = with_context()};
    pthread_t thread;
    int version;

    only_cupipe();
    check_success(cuCheckpointProcessLock(getpid(), NULL));
    check(pthread_create(&thread, NULL, allocate, &allocating) == 0);
    flag_wait(&allocating.begun);
    for (int i = 0; i < 20; i++) {
        check(!flag_is_raised(&allocating.done));
        nap();
    }
    check_success(cuDriverGetVersion(&version));
    check_success(cuCheckpointProcessUnlock(getpid(), NULL));
    flag_wait(&allocating.done);
    check(pthread_join(thread, NULL) == 0);
}

TEST(lock_waits_for_work_until_the_timeout)
{
    CUcheckpointLockArgs args = {.timeoutMs = 20};
    CUstream stream;
    atomic_uint *word;

    with_context();
    only_cupipe();
    stream = new_stream(CU_STREAM_NON_BLOCKING);
    word = pinned_words(1);
    hold_until(stream, word);
    check_result(cuCheckpointProcessLock(getpid(), &args), CUDA_ERROR_NOT_READY);
    check(state_of(getpid()) == CU_PROCESS_STATE_RUNNING);
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    atomic_store(word, 1);
    check_success(cuCheckpointProcessLock(getpid(), NULL));
    check_success(cuCheckpointProcessUnlock(getpid(), NULL));
    check_success(cuStreamQuery(stream));
}

/* The kilobytes of shared memory that are in use, of which a device's memory consists. They are
 * counted page by page: the sums in /proc/self/status lag behind. */
static long shared_kib(void)
{
    FILE *pages = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long kib = -1;

    check(pages != NULL);
    while (fgets(line, sizeof(line), pages)) {
        if (strncmp(line, "Pss_Shmem:", 10) == 0)
            kib = atol(line + 10);
    }
    fclose(pages);
    check(kib >= 0);
    return kib;
}

TEST(checkpoint_releases_device_memory)
{
    CUdeviceptr ptr;
    long before;

    with_context();
    only_cupipe();
    ptr = filled(BYTES, 7);
    before = shared_kib();
    checkpoint(getpid());
    /* Some pages of other shared memory may come into use meanwhile. */
    check(shared_kib() <= before - BYTES / 2 / 1024);
    restore(getpid());
    check(holds(ptr, BYTES, 7));
}

TEST(every_kind_of_memory_is_kept)
{
    CUDA_ARRAY_DESCRIPTOR shape = {
        .Width = 1024, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    unsigned value = 0, words[1024], *pinned;
    CUdeviceptr pooled, managed, variable;
    size_t bytes;
    CUmodule module;
    CUarray array;

    with_context();
    only_cupipe();
    check_success(cuMemAllocAsync(&pooled, BYTES, NULL));
    check_success(cuMemsetD32(pooled, 1, BYTES / 4));
    check_success(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    check_success(cuMemsetD32(managed, 2, BYTES / 4));
    check_success(cuMemHostAlloc((void **)&pinned, 4, 0));
    *pinned = 3;
    check_success(cuArrayCreate(&array, &shape));
    for (int i = 0; i < 1024; i++)
        words[i] = 4;
    check_success(cuMemcpyHtoA(array, 0, words, sizeof(words)));
    check_success(cuModuleLoadData(&module, ptx_variables));
    checkpoint(getpid());
    restore(getpid());
    check(holds(pooled, BYTES, 1) && holds(managed, BYTES, 2) && *pinned == 3);
    memset(words, 0, sizeof(words));
    check_success(cuMemcpyAtoH(words, array, 0, sizeof(words)));
    check(words[0] == 4 && words[1023] == 4);
    check_success(cuModuleGetGlobal(&variable, &bytes, module, "counter"));
    check_success(cuMemcpyDtoH(&value, variable, sizeof(value)));
    check(value == 41);
}

/* A graph that fills `BYTES` with a value by a kernel. */
static CUgraphExec fill_graph(CUdeviceptr *ptr, unsigned *value)
{
    unsigned count = BYTES / 4;
    void *arguments[] = {ptr, value, &count};
    CUDA_KERNEL_NODE_PARAMS params = {.gridDimX = count / 256,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 256,
                                      .blockDimY = 1,
                                      .blockDimZ = 1,
                                      .kernelParams = arguments};
    CUgraphNode node;
    CUgraphExec exec;
    CUmodule module;
    CUgraph graph;

    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunction(&params.func, module, "fill"));
    check_success(cuGraphCreate(&graph, 0));
    check_success(cuGraphAddKernelNode(&node, graph, NULL, 0, &params));
    check_success(cuGraphInstantiate(&exec, graph, 0));
    return exec;
}

/* Contexts of two devices with graphs, streams, events and managed memory. */
TEST(graphs_streams_and_contexts_are_kept)
{
    enum { DEVICES = 2 };
    struct {
        CUcontext context;
        CUstream stream;
        CUevent event;
        CUdeviceptr ptr, managed;
        CUgraphExec exec;
    } each[DEVICES];

    setenv("CUPIPE_DEVICES", "2", 1);
    setenv("CUPIPE_MEMORY", "256M", 1);
    check_success(cuInit(0));
    only_cupipe();
    for (int i = 0; i < DEVICES; i++) {
        unsigned value = (unsigned)i + 5;
        check_success(cuCtxCreate(&each[i].context, NULL, 0, i));
        each[i].stream = new_stream(CU_STREAM_NON_BLOCKING);
        each[i].event = new_event(0);
        each[i].ptr = filled(BYTES, 1);
        each[i].exec = fill_graph(&each[i].ptr, &value);
        check_success(cuMemAllocManaged(&each[i].managed, BYTES, CU_MEM_ATTACH_GLOBAL));
        check_success(cuMemsetD32(each[i].managed, 9, BYTES / 4));
        for (int k = 0; k < 20; k++)
            check_success(cuGraphLaunch(each[i].exec, each[i].stream));
        check_success(cuEventRecord(each[i].event, each[i].stream));
    }
    checkpoint(getpid());
    restore(getpid());
    for (int i = 0; i < DEVICES; i++) {
        check_success(cuCtxSetCurrent(each[i].context));
        check_success(cuEventQuery(each[i].event));
        check(holds(each[i].ptr, BYTES, (unsigned)i + 5) && holds(each[i].managed, BYTES, 9));
        check_success(cuMemsetD32Async(each[i].ptr, 0, BYTES / 4, each[i].stream));
        check_success(cuGraphLaunch(each[i].exec, each[i].stream));
        check_success(cuStreamSynchronize(each[i].stream));
        check(holds(each[i].ptr, BYTES, (unsigned)i + 5));
    }
}

struct busy {
    struct flag begun, stop;
    CUcontext context;
};

/* Launches work all the time and looks at what comes out of it. */
static void *work_on(void *argument)
{
    struct busy *busy = argument;
    CUdeviceptr ptr, other;

    check_success(cuCtxSetCurrent(busy->context));
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    unsigned value = 0, *answer;
    check_success(cuMemAlloc(&ptr, BYTES));
    check_success(cuMemHostAlloc((void **)&answer, 4, 0));
    CUgraphExec exec = fill_graph(&ptr, &value);
    while (!flag_is_raised(&busy->stop)) {
        check_success(cuMemsetD32Async(ptr, ++value, BYTES / 4, stream));
        check_success(cuMemAllocAsync(&other, BYTES, stream));
        check_success(cuMemcpyDtoDAsync(other, ptr, BYTES, stream));
        check_success(cuGraphLaunch(exec, stream));
        check_success(cuMemcpyDtoHAsync(answer, other + BYTES - 4, 4, stream));
        check_success(cuMemFreeAsync(other, stream));
        check_success(cuStreamSynchronize(stream));
        check(*answer == value);
        flag_raise(&busy->begun);
    }
    return NULL;
}

TEST(a_busy_process_is_restored_again_and_again)
{
    enum { THREADS = 2, ROUNDS = 10 };
    struct busy busy = {.context = with_context()};
    pthread_t threads[THREADS];

    only_cupipe();
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, work_on, &busy) == 0);
    flag_wait(&busy.begun);
    for (int i = 0; i < ROUNDS; i++) {
        checkpoint(getpid());
        restore(getpid());
        nap();
    }
    flag_raise(&busy.stop);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
}

static CUuuid uuid_of(CUdevice device)
{
    CUuuid uuid;

    check_success(cuDeviceGetUuid(&uuid, device));
    return uuid;
}

TEST(process_moves_to_other_devices)
{
    CUcheckpointGpuPair pairs[2];
    CUcheckpointRestoreArgs args = {.gpuPairs = pairs, .gpuPairsCount = 2};
    CUuuid first, second, now;
    CUdeviceptr ptr;

    setenv("CUPIPE_DEVICES", "2", 1);
    setenv("CUPIPE_DEVICE_UUID", "00112233445566778899aabbccddee00", 1);
    with_context();
    only_cupipe();
    ptr = filled(BYTES, 9);
    first = uuid_of(0);
    second = uuid_of(1);
    pairs[0] = (CUcheckpointGpuPair){first, second};
    pairs[1] = (CUcheckpointGpuPair){second, second};
    checkpoint(getpid());
    check_result(cuCheckpointProcessRestore(getpid(), &args), CUDA_ERROR_INVALID_VALUE);
    pairs[1].newUuid = first;
    args.gpuPairsCount = 1;
    check_result(cuCheckpointProcessRestore(getpid(), &args), CUDA_ERROR_INVALID_VALUE);
    args.gpuPairs = NULL;
    check_result(cuCheckpointProcessRestore(getpid(), &args), CUDA_ERROR_INVALID_VALUE);
    args.gpuPairs = pairs;
    args.gpuPairsCount = 2;
    check_success(cuCheckpointProcessRestore(getpid(), &args));
    check_success(cuCheckpointProcessUnlock(getpid(), NULL));
    now = uuid_of(0);
    check(memcmp(&now, &second, sizeof(now)) == 0);
    check(holds(ptr, BYTES, 9));
}
