/* SPDX-License-Identifier: MIT */
/* What tests of NCCL share: a function that runs as every rank of a communicator, in threads of one
 * process or in processes of their own. On cupipe there are eight devices, and ranks may share one;
 * elsewhere a test with more ranks than devices is skipped. */
#ifndef NCCL_TEST_H
#define NCCL_TEST_H

#include "test.h"

#include <dlfcn.h>
#include <nccl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define check_nccl(call, expected)                                                                 \
    do {                                                                                           \
        ncclResult_t got_ = (call);                                                                \
        if (got_ != (expected))                                                                    \
            test_fail(__FILE__, __LINE__, "%s: %s, wanted %s", #call, ncclGetErrorString(got_),    \
                      ncclGetErrorString(expected));                                               \
    } while (0)
#define check_done(call) check_nccl(call, ncclSuccess)

struct rank {
    int rank, count;
    ncclComm_t comm;
    CUstream stream;
    void *argument;
};

typedef void rank_body(struct rank *self);

static inline void prepare_devices(void)
{
    setenv("CUPIPE_DEVICES", "8", 0);
    setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 0);
}

/* Makes a device current, that of the rank. */
static inline void enter_device(int rank)
{
    CUdevice device;
    CUcontext context;
    int count;

    check_success(cuInit(0));
    check_success(cuDeviceGetCount(&count));
    check_success(cuDeviceGet(&device, rank % count));
    check_success(cuDevicePrimaryCtxRetain(&context, device));
    check_success(cuCtxSetCurrent(context));
}

static inline void need_devices(int count)
{
    int existing;

    check_success(cuInit(0));
    check_success(cuDeviceGetCount(&existing));
    if (existing < count)
        only_cupipe();
}

static inline void run_rank(int rank, int count, ncclUniqueId id, rank_body *body, void *argument)
{
    struct rank self = {.rank = rank, .count = count, .argument = argument};

    enter_device(rank);
    check_success(cuStreamCreate(&self.stream, CU_STREAM_NON_BLOCKING));
    check_done(ncclCommInitRank(&self.comm, count, id, rank));
    body(&self);
    if (!self.comm)
        return;
    check_success(cuStreamSynchronize(self.stream));
    check_done(ncclCommDestroy(self.comm));
}

struct rank_thread {
    pthread_t thread;
    int rank, count;
    ncclUniqueId id;
    rank_body *body;
    void *argument;
};

static inline void *rank_thread_main(void *argument)
{
    struct rank_thread *self = argument;

    run_rank(self->rank, self->count, self->id, self->body, self->argument);
    return NULL;
}

/* Runs `count` ranks of a communicator of `all` as threads, from rank `first` on. */
static inline void run_some_threads(int first, int count, int all, ncclUniqueId id, rank_body *body,
                                    void *argument)
{
    struct rank_thread *threads = calloc((size_t)count, sizeof(*threads));
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    for (int i = 0; i < count; i++) {
        threads[i] = (struct rank_thread){
            .rank = first + i, .count = all, .id = id, .body = body, .argument = argument};
        check(pthread_create(&threads[i].thread, &attributes, rank_thread_main, &threads[i]) == 0);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i].thread, NULL);
    free(threads);
}

static inline void run_threads(int count, rank_body *body, void *argument)
{
    ncclUniqueId id;

    prepare_devices();
    need_devices(count);
    check_done(ncclGetUniqueId(&id));
    run_some_threads(0, count, count, id, body, argument);
}

/* Called first in the process of each rank, if it is set. */
static void (*before_rank)(int rank) __attribute__((unused));

/* The process of rank 0 makes the id, for so many. */
static inline void share_id(ncclUniqueId *id, bool makes_it, int processes, const int channel[2])
{
    for (int i = 0; i < processes && makes_it; i++) {
        if (i == 0)
            check_done(ncclGetUniqueId(id));
        check(write(channel[1], id, sizeof(*id)) == (ssize_t)sizeof(*id));
    }
    check(read(channel[0], id, sizeof(*id)) == (ssize_t)sizeof(*id));
}

/* Runs processes of so many ranks each. `killed` is the process that must end by SIGKILL, or -1. */
static inline void run_mixed_but(int processes, int threads, int killed, rank_body *body,
                                 void *argument)
{
    pid_t *children = calloc((size_t)processes, sizeof(*children));
    int channel[2], status, count = processes * threads;
    ncclUniqueId id;

    prepare_devices();
    check(pipe(channel) == 0);
    for (int i = 0; i < processes; i++) {
        children[i] = fork();
        check(children[i] >= 0);
        if (children[i] > 0)
            continue;
        if (before_rank)
            before_rank(i);
        share_id(&id, i == 0, processes, channel);
        if (threads == 1)
            run_rank(i, count, id, body, argument);
        else
            run_some_threads(i * threads, threads, count, id, body, argument);
        exit(0);
    }
    for (int i = 0; i < processes; i++) {
        check(waitpid(children[i], &status, 0) == children[i]);
        if (i == killed)
            check(WIFSIGNALED(status));
        else
            check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    close(channel[0]);
    close(channel[1]);
    free(children);
}

/* Runs each rank in a process. `killed` is the rank that must end by SIGKILL, or -1. */
static inline void run_processes_but(int count, int killed, rank_body *body, void *argument)
{
    run_mixed_but(count, 1, killed, body, argument);
}

/* Tells in a process of its own whether the driver is cupipe's, so that this one can be forked:
 * no driver is loaded here. Skips the test elsewhere. */
static inline void need_cupipe_in_processes(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        check_success(cuInit(0));
        only_cupipe();
        _exit(0);
    }
    check(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        skip("about cupipe");
}

/* For tests with several hosts, which need UCX. `set_host` says on which one a process is. */
static inline void need_hosts(void (*set_host)(int process))
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        check_success(cuInit(0));
        only_cupipe();
        _exit(dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL) ? 0 : TEST_SKIPPED);
    }
    check(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        skip("about cupipe with UCX");
    before_rank = set_host;
}

static inline void run_processes(int count, rank_body *body, void *argument)
{
    run_processes_but(count, -1, body, argument);
}

static inline void run_mixed(int processes, int threads, rank_body *body, void *argument)
{
    run_mixed_but(processes, threads, -1, body, argument);
}

/* Device memory with the bytes of the host's. */
static inline void *upload(const void *host, size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes ? bytes : 1));
    check_success(cuMemcpyHtoD(memory, host, bytes));
    return (void *)(uintptr_t)memory;
}

static inline void *device_memory(size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes ? bytes : 1));
    check_success(cuMemsetD8(memory, 0, bytes));
    check_success(cuStreamSynchronize(NULL));
    return (void *)(uintptr_t)memory;
}

static inline void fetch(const struct rank *self, void *host, const void *device, size_t bytes)
{
    check_success(cuStreamSynchronize(self->stream));
    check_success(cuMemcpyDtoH(host, (CUdeviceptr)(uintptr_t)device, bytes));
}

#endif
