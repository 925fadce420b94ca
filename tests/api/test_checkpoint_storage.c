/* SPDX-License-Identifier: MIT */
/* Checkpoints of another process that the caller stores itself (CUDA 13.4). */
#include "hold.h"
#include "peer.h"

enum { BYTES = 4 << 20, WORD = 0x12345678 };

static CUprocessState state_of(pid_t pid)
{
    CUprocessState state = (CUprocessState)77;

    check_success(cuCheckpointProcessGetState(pid, &state));
    return state;
}

/* Fills memory, and then tells each time it is asked how many words of it are as they were. */
static void keep_memory(int socket)
{
    static unsigned words[BYTES / 4];
    CUdeviceptr ptr;
    char byte;

    with_context();
    check_success(cuMemAlloc(&ptr, BYTES));
    check_success(cuMemsetD32(ptr, WORD, BYTES / 4));
    check_success(cuCtxSynchronize());
    peer_signal(socket);
    while (recv(socket, &byte, 1, 0) == 1) {
        unsigned same = 0;
        check_success(cuMemcpyDtoH(words, ptr, BYTES));
        for (size_t i = 0; i < BYTES / 4; i++)
            same += words[i] == WORD;
        peer_send(socket, &same, sizeof(same));
    }
}

static unsigned words_kept(const struct peer *peer)
{
    unsigned same;

    peer_signal(peer->socket);
    peer_receive(peer->socket, &same, sizeof(same));
    return same;
}

static CUresult store(pid_t pid, CUcheckpointCustomStorageInfo **info)
{
    CUcheckpointCheckpointArgs args = {.customStorageInfo_out = info};

    return cuCheckpointProcessCheckpoint(pid, &args);
}

static CUresult load(pid_t pid, CUcheckpointCustomStorageInfo **info)
{
    CUcheckpointRestoreArgs args = {.customStorageInfo_out = info};

    return cuCheckpointProcessRestore(pid, &args);
}

static struct peer locked_peer(void)
{
    struct peer peer = peer_start(keep_memory);

    peer_await(peer.socket);
    check_success(cuInit(0));
    need_driver(13040);
    check_success(cuCheckpointProcessLock(peer.pid, NULL));
    return peer;
}

/* Stores the memory of the process, and returns it; *bytes is its size. */
static char *store_all(pid_t pid, size_t *bytes)
{
    CUcheckpointCustomStorageInfo *info = NULL;
    CUdevice device = 77;

    check_success(store(pid, &info));
    check(state_of(pid) == CU_PROCESS_STATE_CHECKPOINTING);
    check(info && info->deviceCount == 1 && info->perDeviceData[0].size >= BYTES);
    CUstream stream = info->perDeviceData[0].stream;
    check_success(cuStreamGetDevice(stream, &device));
    check(device == 0);
    *bytes = info->perDeviceData[0].size;
    char *copy = malloc(*bytes);
    check_success(cuMemcpyDtoHAsync(copy, info->perDeviceData[0].devPtr, *bytes, stream));
    check_success(cuCheckpointOperationComplete(info->handle));
    check(state_of(pid) == CU_PROCESS_STATE_CHECKPOINTED);
    return copy;
}

static void load_all(pid_t pid, const char *copy, size_t bytes)
{
    CUcheckpointCustomStorageInfo *info = NULL;

    check_success(load(pid, &info));
    check(state_of(pid) == CU_PROCESS_STATE_RESTORING);
    check(info && info->deviceCount == 1 && info->perDeviceData[0].size == bytes);
    check_success(cuMemcpyHtoDAsync(info->perDeviceData[0].devPtr, copy, bytes,
                                    info->perDeviceData[0].stream));
    check_success(cuCheckpointOperationComplete(info->handle));
    check(state_of(pid) == CU_PROCESS_STATE_LOCKED);
    check_success(cuCheckpointProcessUnlock(pid, NULL));
}

TEST(memory_comes_back_from_the_caller)
{
    struct peer peer = locked_peer();
    size_t bytes;

    with_context();
    char *copy = store_all(peer.pid, &bytes);
    load_all(peer.pid, copy, bytes);
    check(words_kept(&peer) == BYTES / 4);
    /* What the caller changes, the process finds changed. */
    check_success(cuCheckpointProcessLock(peer.pid, NULL));
    free(copy);
    copy = store_all(peer.pid, &bytes);
    unsigned changed = 0;
    for (size_t i = 0; i + 4 <= bytes && changed < 10; i += 4) {
        unsigned word;
        memcpy(&word, copy + i, 4);
        if (word == WORD) {
            copy[i] ^= 1;
            changed++;
        }
    }
    check(changed == 10);
    load_all(peer.pid, copy, bytes);
    check(words_kept(&peer) == BYTES / 4 - 10);
    free(copy);
    peer_kill(&peer);
}

TEST(primary_contexts_are_needed)
{
    struct peer peer = locked_peer();
    CUcheckpointCustomStorageInfo *info = NULL;

    check_result(store(peer.pid, &info), CUDA_ERROR_INVALID_CONTEXT);
    check(!info && state_of(peer.pid) == CU_PROCESS_STATE_LOCKED);
    check_success(cuCheckpointProcessUnlock(peer.pid, NULL));
    check(words_kept(&peer) == BYTES / 4);
    peer_kill(&peer);
}

TEST(a_process_cannot_store_itself)
{
    CUcheckpointCustomStorageInfo *info = NULL;

    with_context();
    need_driver(13040);
    check_success(cuCheckpointProcessLock(getpid(), NULL));
    check_result(store(getpid(), &info), CUDA_ERROR_NOT_SUPPORTED);
    check(state_of(getpid()) == CU_PROCESS_STATE_LOCKED);
    check_success(cuCheckpointProcessUnlock(getpid(), NULL));
}

TEST(storage_of_the_host_and_of_the_caller_do_not_mix)
{
    struct peer peer = locked_peer();
    CUcheckpointCustomStorageInfo *info = NULL;
    size_t bytes;

    with_context();
    check_result(load(peer.pid, &info), CUDA_ERROR_ILLEGAL_STATE);
    check_success(cuCheckpointProcessCheckpoint(peer.pid, NULL));
    check_result(load(peer.pid, &info), CUDA_ERROR_ILLEGAL_STATE);
    check_success(cuCheckpointProcessRestore(peer.pid, NULL));
    char *copy = store_all(peer.pid, &bytes);
    check_result(store(peer.pid, &info), CUDA_ERROR_ILLEGAL_STATE);
    check_result(cuCheckpointProcessRestore(peer.pid, NULL), CUDA_ERROR_ILLEGAL_STATE);
    load_all(peer.pid, copy, bytes);
    check(words_kept(&peer) == BYTES / 4);
    free(copy);
    peer_kill(&peer);
}

TEST(an_operation_is_completed_once)
{
    struct peer peer = locked_peer();
    CUcheckpointCustomStorageInfo *info = NULL;
    CUgraph graph;

    with_context();
    check_result(cuCheckpointOperationComplete(NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(store(peer.pid, &info));
    CUcheckpointOperationHandle handle = info->handle;
    CUstream stream = info->perDeviceData[0].stream;
    CUdeviceptr ptr = info->perDeviceData[0].devPtr;
    check_result(cuCheckpointProcessUnlock(peer.pid, NULL), CUDA_ERROR_ILLEGAL_STATE);
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_result(cuCheckpointOperationComplete(handle), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    check(state_of(peer.pid) == CU_PROCESS_STATE_CHECKPOINTING);
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuCheckpointOperationComplete(handle));
    check_result(cuCheckpointOperationComplete(handle), CUDA_ERROR_INVALID_VALUE);
    check_result(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    check_result(cuMemsetD8(ptr, 0, 16), CUDA_ERROR_INVALID_VALUE);
    check_success(cuGraphDestroy(graph));
    peer_kill(&peer);
}

static CUcheckpointOperationHandle handle_to_complete;

static void *complete(void *unused)
{
    check_success(cuCheckpointOperationComplete(handle_to_complete));
    return unused;
}

TEST(completing_waits_for_the_copies)
{
    struct peer peer = locked_peer();
    CUcheckpointCustomStorageInfo *info = NULL;
    pthread_t thread;

    with_context();
    atomic_uint *words = pinned_words(2);
    check_success(store(peer.pid, &info));
    CUstream stream = info->perDeviceData[0].stream;
    hold_until(stream, &words[0]);
    check_success(cuMemcpyDtoHAsync(&words[1], info->perDeviceData[0].devPtr, 4, stream));
    write_word(stream, &words[1], 7);
    handle_to_complete = info->handle;
    check(pthread_create(&thread, NULL, complete, NULL) == 0);
    for (int i = 0; i < 20; i++)
        nap();
    check(state_of(peer.pid) == CU_PROCESS_STATE_CHECKPOINTING && words[1] == 0);
    atomic_store(&words[0], 1);
    check(pthread_join(thread, NULL) == 0);
    check(state_of(peer.pid) == CU_PROCESS_STATE_CHECKPOINTED && words[1] == 7);
    peer_kill(&peer);
}

static pid_t target_pid;

static void store_and_end(int socket)
{
    CUcheckpointCustomStorageInfo *info = NULL;

    peer_await(socket);
    with_context();
    check_success(store(target_pid, &info));
}

static void load_and_end(int socket)
{
    CUcheckpointCustomStorageInfo *info = NULL;

    peer_await(socket);
    with_context();
    check_success(load(target_pid, &info));
    check_success(cuMemsetD8(info->perDeviceData[0].devPtr, 0x55, BYTES));
    check_success(cuCtxSynchronize());
}

/* A caller that ends in the middle leaves the process as it was. */
TEST(callers_end_before_they_complete)
{
    struct peer peer = peer_start(keep_memory);
    size_t bytes;

    need_driver(13040);
    target_pid = peer.pid;
    struct peer storer = peer_start(store_and_end), loader = peer_start(load_and_end);
    peer_await(peer.socket);
    with_context();
    check_success(cuCheckpointProcessLock(peer.pid, NULL));
    peer_signal(storer.socket);
    peer_finish(&storer);
    check(state_of(peer.pid) == CU_PROCESS_STATE_CHECKPOINTING);
    check_success(cuCheckpointProcessUnlock(peer.pid, NULL));
    check(words_kept(&peer) == BYTES / 4);

    check_success(cuCheckpointProcessLock(peer.pid, NULL));
    char *copy = store_all(peer.pid, &bytes);
    peer_signal(loader.socket);
    peer_finish(&loader);
    check(state_of(peer.pid) == CU_PROCESS_STATE_RESTORING);
    load_all(peer.pid, copy, bytes);
    check(words_kept(&peer) == BYTES / 4);
    free(copy);
    peer_kill(&peer);
}

TEST(an_older_driver_has_no_custom_storage)
{
    CUcheckpointCustomStorageInfo *info = NULL;

    setenv("CUPIPE_DRIVER", "13.0", 1);
    with_context();
    only_cupipe();
    check_success(cuCheckpointProcessLock(getpid(), NULL));
    check_result(store(getpid(), &info), CUDA_ERROR_INVALID_VALUE);
    check_result(load(getpid(), &info), CUDA_ERROR_INVALID_VALUE);
    check_success(cuCheckpointProcessUnlock(getpid(), NULL));
    check_result(cuCheckpointOperationComplete(NULL), CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER);
}
