/* SPDX-License-Identifier: MIT */
/* Operations whose memory is not there, or goes while they wait for another rank. The process goes
 * on: the device of the rank is lost with CUDA_ERROR_ILLEGAL_ADDRESS, as by a kernel, its
 * communicator has an error, and so have those of the others. Nobody waits for ever: a test that
 * hangs runs out of time. */
#include "nccl_test.h"

#include <sys/mman.h>

/* Memory of 6 MiB: in three mappings, of which the middle one or all may be missing; or of the
 * host. */
enum memory { WHOLE, HOLED, WILD, OF_HOST };
enum { STEPS = 3, LARGE = 6 << 20, SMALL = 1024 };
static const size_t STEP = (size_t)2 << 20;

static CUmemLocation own_device(void)
{
    CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};

    check_success(cuCtxGetDevice(&location.id));
    return location;
}

static CUdeviceptr addresses(enum memory memory)
{
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = own_device()};
    const CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle piece;
    CUdeviceptr base;

    check_success(cuMemAddressReserve(&base, STEPS * STEP, 0, 0, 0));
    for (int i = 0; i < STEPS && memory != WILD; i++) {
        if (memory == HOLED && i == 1)
            continue;
        check_success(cuMemCreate(&piece, STEP, &prop, 0));
        check_success(cuMemMap(base + (size_t)i * STEP, STEP, 0, piece, 0));
        check_success(cuMemSetAccess(base + (size_t)i * STEP, STEP, &access, 1));
        check_success(cuMemsetD8(base + (size_t)i * STEP, 1, STEP));
        check_success(cuMemRelease(piece));
    }
    check_success(cuCtxSynchronize());
    return base;
}

static void *make(enum memory memory)
{
    void *made;

    if (memory != OF_HOST)
        return (void *)(uintptr_t)addresses(memory);
    made = mmap(NULL, STEPS * STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(made != MAP_FAILED);
    memset(made, 1, STEPS * STEP);
    return made;
}

/* cuMemUnmap() waits for the work of the primary contexts and the current one. */
static void use_another_context(struct rank *self)
{
    CUcontext context;

    check_success(cuCtxCreate(&context, NULL, 0, own_device().id));
    check_success(cuStreamCreate(&self->stream, CU_STREAM_NON_BLOCKING));
    check_success(cuCtxPopCurrent(NULL));
}

static void take_away(void *memory, enum memory kind)
{
    if (kind == OF_HOST) /* nobody else shall get the addresses */
        check(mprotect(memory, STEPS * STEP, PROT_NONE) == 0);
    else
        check_success(cuMemUnmap((CUdeviceptr)(uintptr_t)memory, STEPS * STEP));
}

static ncclResult_t error_of(ncclComm_t comm)
{
    ncclResult_t error;

    check_done(ncclCommGetAsyncError(comm, &error));
    return error;
}

static void give_up(struct rank *self)
{
    while (error_of(self->comm) == ncclSuccess)
        nap();
    check(error_of(self->comm) == ncclRemoteError ||
          error_of(self->comm) == ncclUnhandledCudaError);
    (void)ncclCommAbort(self->comm);
    self->comm = NULL;
}

static void expect_lost(struct rank *self)
{
    check_result(cuStreamSynchronize(self->stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    give_up(self);
}

/* Another rank keeps its device. */
static void expect_failed(struct rank *self)
{
    check_success(cuStreamSynchronize(self->stream));
    give_up(self);
    check_success(cuCtxSynchronize());
}

enum call { ALL_REDUCE, BROADCAST, ALL_TO_ALL, MESSAGE, CALLS };

/* Ranks 0 and 1 send each other so many bytes, or rank 1 to rank 0. */
static void call(struct rank *self, enum call which, void *data, size_t bytes)
{
    ncclResult_t result = ncclInvalidUsage;

    if (which == ALL_REDUCE)
        result = ncclAllReduce(data, data, bytes, ncclUint8, ncclSum, self->comm, self->stream);
    if (which == BROADCAST)
        result = ncclBcast(data, bytes, ncclUint8, 1, self->comm, self->stream);
    if (which == ALL_TO_ALL)
        result = ncclAlltoAll(data, data, bytes / (size_t)self->count, ncclUint8, self->comm,
                              self->stream);
    if (which == MESSAGE && self->rank == 0)
        result = ncclRecv(data, bytes, ncclUint8, 1, self->comm, self->stream);
    if (which == MESSAGE && self->rank == 1)
        result = ncclSend(data, bytes, ncclUint8, 0, self->comm, self->stream);
    check(result == ncclSuccess || result == ncclRemoteError || result == ncclUnhandledCudaError);
}

struct plan {
    enum call call;
    enum memory memory;
    size_t bytes;
    int faulty; /* the rank */
    bool in_threads;
    int done[2]; /* a pipe from it to the other one */
};

/* Memory that was never there. */
static void wild(struct rank *self)
{
    const struct plan *plan = self->argument;
    bool is_faulty = self->rank == plan->faulty;

    call(self, plan->call, make(is_faulty ? plan->memory : WHOLE), plan->bytes);
    (is_faulty ? expect_lost : expect_failed)(self);
}

/* What the process of rank 1 sends is written when the operation begins, or read by the other
 * process in the file where it is. */
static bool is_read_early(const struct plan *plan)
{
    return !plan->in_threads && plan->faulty == 1 &&
           (plan->call == MESSAGE || (plan->call == BROADCAST && plan->bytes == SMALL));
}

/* The operation has ended, perhaps as if nothing were amiss. */
static void expect_end(struct rank *self)
{
    CUresult result = cuStreamSynchronize(self->stream);

    check(result == CUDA_SUCCESS || result == CUDA_ERROR_ILLEGAL_ADDRESS);
    if (result != CUDA_SUCCESS || error_of(self->comm) != ncclSuccess)
        give_up(self);
}

/* Memory that goes while the operation waits for the other rank. */
static void vanishing(struct rank *self)
{
    const struct plan *plan = self->argument;
    void *memory = make(plan->memory);
    bool may_succeed = is_read_early(plan);
    char byte;

    if (self->rank == plan->faulty) {
        use_another_context(self);
        call(self, plan->call, memory, plan->bytes);
        for (int i = 0; i < 20; i++)
            nap(); /* it may have begun, or not */
        take_away(memory, plan->memory);
        check(write(plan->done[1], "", 1) == 1);
        (may_succeed ? expect_end : expect_lost)(self);
    } else {
        check(read(plan->done[0], &byte, 1) == 1);
        call(self, plan->call, memory, plan->bytes);
        (may_succeed ? expect_end : expect_failed)(self);
    }
}

static void try(rank_body *body, const struct plan *wanted)
{
    struct plan plan = *wanted;

    check(pipe(plan.done) == 0);
    if (plan.in_threads)
        run_threads(2, body, &plan);
    else
        run_processes(2, body, &plan);
    close(plan.done[0]);
    close(plan.done[1]);
}

/* Devices are lost for good, so each pair of ranks has processes of its own. */
static void try_apart(rank_body *body, const struct plan *plan)
{
    int status;
    pid_t child = fork();

    check(child >= 0);
    if (child == 0) {
        try(body, plan);
        exit(0);
    }
    check(waitpid(child, &status, 0) == child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void try_calls(rank_body *body, enum memory memory, bool in_threads)
{
    static const size_t sizes[] = {SMALL, LARGE};

    need_cupipe_in_processes();
    for (struct plan plan = {.memory = memory, .in_threads = in_threads}; plan.call < CALLS;
         plan.call++)
        for (int i = 0; i < 2; i++) {
            if (memory == HOLED && sizes[i] == SMALL)
                continue;
            for (plan.faulty = 0; plan.faulty < 2; plan.faulty++) {
                plan.bytes = sizes[i];
                if (in_threads)
                    try_apart(body, &plan);
                else
                    try(body, &plan);
            }
        }
}

TEST(wild_addresses_in_threads)
{
    try_calls(wild, WILD, true);
}

TEST(wild_addresses_in_processes)
{
    try_calls(wild, WILD, false);
}

TEST(memory_with_a_hole_in_threads)
{
    try_calls(wild, HOLED, true);
}

TEST(memory_with_a_hole_in_processes)
{
    try_calls(wild, HOLED, false);
}

TEST(memory_that_goes_in_threads)
{
    try_calls(vanishing, WHOLE, true);
}

TEST(memory_that_goes_in_processes)
{
    try_calls(vanishing, WHOLE, false);
}

TEST(memory_of_the_host_that_goes_in_threads)
{
    try_calls(vanishing, OF_HOST, true);
}

TEST(memory_of_the_host_that_goes_in_processes)
{
    try_calls(vanishing, OF_HOST, false);
}

/* The same where the operation is a node of a graph, which begins when its memory has gone. */
static void launched_late(struct rank *self)
{
    const struct plan *plan = self->argument;
    void *memory = make(plan->memory);
    CUgraphExec exec;
    CUgraph graph;

    check_success(cuStreamBeginCapture(self->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    call(self, plan->call, memory, plan->bytes);
    check_success(cuStreamEndCapture(self->stream, &graph));
    check_success(cuGraphInstantiate(&exec, graph, 0));
    if (self->rank == plan->faulty)
        take_away(memory, plan->memory);
    check_success(cuGraphLaunch(exec, self->stream));
    (self->rank == plan->faulty ? expect_lost : expect_failed)(self);
}

TEST(a_graph_whose_memory_has_gone)
{
    struct plan plan = {.call = ALL_REDUCE, .bytes = LARGE};

    need_cupipe_in_processes();
    try(launched_late, &plan);
    plan.bytes = SMALL;
    try(launched_late, &plan);
    plan.in_threads = true;
    plan.memory = OF_HOST; /* cuMemUnmap() would wait for the other rank */
    try_apart(launched_late, &plan);
}

/* Each rank on a host of its own. What is reduced is read when all have come. */
static void set_host(int rank)
{
    setenv("NCCL_HOSTID", rank ? "b" : "a", 1);
}

TEST(memory_that_goes_between_hosts)
{
    static const enum memory kinds[] = {WHOLE, OF_HOST};
    static const size_t sizes[] = {SMALL, LARGE};

    need_hosts(set_host);
    for (int i = 0; i < 8; i++) {
        const struct plan plan = {
            .call = ALL_REDUCE, .memory = kinds[i % 2], .bytes = sizes[i / 2 % 2], .faulty = i / 4};

        try(vanishing, &plan);
    }
}

TEST(wild_addresses_between_hosts)
{
    need_hosts(set_host);
    for (enum call which = 0; which < CALLS; which++)
        for (int faulty = 0; faulty < 2; faulty++) {
            const struct plan plan = {
                .call = which, .memory = WILD, .bytes = SMALL, .faulty = faulty};

            try(wild, &plan);
        }
}
