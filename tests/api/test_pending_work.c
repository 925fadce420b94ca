/* SPDX-License-Identifier: MIT */
/* Work of the host that ends later (cupipe.h), and where memory is in files. */
#include "hold.h"

#include "host_work.h"

#include <sys/mman.h>
#include <unistd.h>

/* Work that begins when its turn comes, and ends when the test says so. */
struct delayed {
    _Atomic(struct cupipe_pending *) pending; /* NULL: it has not begun */
    atomic_int begun, releases, attempts;
    bool ends_at_once;
    CUresult attempted; /* what the attempt answers */
    CUresult result;
};

static void delayed_begin(void *data, struct cupipe_pending *pending)
{
    struct delayed *delayed = data;

    atomic_fetch_add(&delayed->begun, 1);
    if (delayed->ends_at_once)
        cupipe()->finish_work(pending, delayed->result);
    else
        atomic_store(&delayed->pending, pending);
}

static void delayed_release(void *data)
{
    struct delayed *delayed = data;

    atomic_fetch_add(&delayed->releases, 1);
}

static struct cupipe_pending_work pending_work_of(struct delayed *delayed)
{
    return (struct cupipe_pending_work){
        .work = {.name = "delayed", .release = delayed_release, .data = delayed},
        .begin = delayed_begin};
}

static void launch_delayed(CUstream stream, struct delayed *delayed)
{
    struct cupipe_pending_work work = pending_work_of(delayed);

    check_success(cupipe()->launch_pending_work(stream, &work));
}

static void finish(struct delayed *delayed)
{
    struct cupipe_pending *pending;

    while (!(pending = atomic_exchange(&delayed->pending, NULL)))
        nap();
    cupipe()->finish_work(pending, delayed->result);
}

static void with_table(void)
{
    with_context();
    cupipe();
}

TEST(arguments_of_pending_work_are_checked)
{
    static struct delayed delayed;
    struct cupipe_pending_work work = pending_work_of(&delayed), bad;

    with_table();
    check_result(cupipe()->launch_pending_work(NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    bad = work;
    bad.begin = NULL;
    check_result(cupipe()->launch_pending_work(NULL, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = work;
    bad.work.run = counted_run;
    check_result(cupipe()->launch_pending_work(NULL, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = work;
    bad.work.range_count = 1;
    check_result(cupipe()->launch_pending_work(NULL, &bad), CUDA_ERROR_INVALID_VALUE);
    check(atomic_load(&delayed.begun) == 0 && atomic_load(&delayed.releases) == 0);
}

TEST(a_stream_waits_for_pending_work)
{
    static struct delayed delayed;
    static struct counted after;

    with_table();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    launch_delayed(stream, &delayed);
    launch(stream, &after);
    while (!atomic_load(&delayed.pending))
        nap();
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    check_counts(&after, 0, 0);
    finish(&delayed);
    check_success(cuStreamSynchronize(stream));
    check_counts(&after, 1, 1);
    check(atomic_load(&delayed.begun) == 1 && atomic_load(&delayed.releases) == 1);
}

TEST(pending_work_may_end_at_once)
{
    static struct delayed delayed = {.ends_at_once = true};

    with_table();
    CUstream stream = new_stream(0);
    for (int i = 0; i < 100; i++)
        launch_delayed(stream, &delayed);
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&delayed.begun) == 100 && atomic_load(&delayed.releases) == 100);
}

static CUresult delayed_attempt(void *data)
{
    struct delayed *delayed = data;

    atomic_fetch_add(&delayed->attempts, 1);
    return delayed->attempted;
}

static void attempt_delayed(CUstream stream, struct delayed *delayed)
{
    struct cupipe_pending_work work = pending_work_of(delayed);

    work.attempt = delayed_attempt;
    check_success(cupipe()->launch_pending_work(stream, &work));
}

TEST(an_attempt_ends_pending_work_in_the_call)
{
    static struct delayed delayed;

    with_table();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (int i = 0; i < 10; i++)
        attempt_delayed(stream, &delayed);
    check(atomic_load(&delayed.attempts) == 10 && atomic_load(&delayed.releases) == 10);
    check(atomic_load(&delayed.begun) == 0);
    check_success(cuStreamQuery(stream));
}

TEST(work_goes_on_after_an_attempt)
{
    static struct delayed delayed = {.attempted = CUDA_ERROR_NOT_READY};

    with_table();
    CUstream stream = new_stream(0);
    attempt_delayed(stream, &delayed);
    check(atomic_load(&delayed.attempts) == 1);
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    check(atomic_load(&delayed.releases) == 0);
    finish(&delayed);
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&delayed.begun) == 1 && atomic_load(&delayed.releases) == 1);
}

TEST(work_behind_other_work_is_not_attempted)
{
    static struct delayed first, second;

    with_table();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    launch_delayed(stream, &first);
    attempt_delayed(stream, &second);
    check(atomic_load(&second.attempts) == 0);
    finish(&first);
    finish(&second);
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&second.begun) == 1 && atomic_load(&second.releases) == 1);
}

TEST(an_error_of_an_attempt_is_sticky)
{
    static struct delayed delayed = {.attempted = CUDA_ERROR_LAUNCH_FAILED};

    with_table();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    attempt_delayed(stream, &delayed);
    check(atomic_load(&delayed.releases) == 1 && atomic_load(&delayed.begun) == 0);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
}

/* The call that reports the error may come before the work behind it is dropped. */
static void check_dropped(struct delayed *delayed)
{
    while (atomic_load(&delayed->releases) == 0)
        nap();
    check(atomic_load(&delayed->begun) == 0);
}

TEST(an_error_of_pending_work_is_sticky)
{
    static struct delayed delayed = {.result = CUDA_ERROR_LAUNCH_FAILED}, after;

    with_table();
    CUstream stream = new_stream(0);
    launch_delayed(stream, &delayed);
    launch_delayed(stream, &after);
    finish(&delayed);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
    check_dropped(&after);
}

TEST(operands_of_pending_work_are_checked)
{
    static struct delayed delayed;
    struct cupipe_range range = {.address = 0x1000, .bytes = 4};
    struct cupipe_pending_work work = pending_work_of(&delayed);

    with_table();
    work.work.ranges = &range;
    work.work.range_count = 1;
    work.work.checks_access = 1;
    check_success(cupipe()->launch_pending_work(NULL, &work));
    check_result(cuStreamSynchronize(NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_dropped(&delayed);
}

TEST(a_graph_runs_pending_work_at_each_launch)
{
    static struct delayed delayed;
    static struct counted after;
    CUgraph graph;
    CUgraphExec exec;

    with_table();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    launch_delayed(stream, &delayed);
    launch(stream, &after);
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) {
        check_success(cuGraphLaunch(exec, stream));
        while (!atomic_load(&delayed.pending))
            nap();
        check_counts(&after, i, 0);
        finish(&delayed);
        check_success(cuStreamSynchronize(stream));
        check_counts(&after, i + 1, 0);
    }
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
    check(atomic_load(&delayed.begun) == 3 && atomic_load(&delayed.releases) == 1);
}

/* The last of many streams ends the work of all: none of them may occupy the only worker. */
enum { STREAMS = 200 };
static struct cupipe_pending *waiting[STREAMS];
static atomic_int arrived;

static void meet(void *data, struct cupipe_pending *pending)
{
    int place = atomic_fetch_add(&arrived, 1);

    (void)data;
    waiting[place] = pending;
    for (int i = 0; place == STREAMS - 1 && i < STREAMS; i++)
        cupipe()->finish_work(waiting[i], CUDA_SUCCESS);
}

static void let_streams_meet(void)
{
    struct cupipe_pending_work work = {.work.name = "meeting", .begin = meet};
    CUstream streams[STREAMS];

    with_table();
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = new_stream(CU_STREAM_NON_BLOCKING);
        check_success(cupipe()->launch_pending_work(streams[i], &work));
    }
    for (int i = 0; i < STREAMS; i++)
        check_success(cuStreamSynchronize(streams[i]));
}

TEST(pending_work_occupies_no_worker)
{
    setenv("CUPIPE_THREADS", "1", 1);
    let_streams_meet();
}

TEST(pending_work_ends_under_a_lazy_schedule)
{
    setenv("CUPIPE_SCHEDULE", "lazy", 1);
    let_streams_meet();
}

TEST(pending_work_ends_under_a_random_schedule)
{
    setenv("CUPIPE_SCHEDULE", "random:3", 1);
    let_streams_meet();
}

/* The bytes at an address, read through the file. */
static void check_file(uint64_t address, size_t bytes)
{
    struct cupipe_memory_file file;
    unsigned char *read = malloc(bytes);

    check_success(cupipe()->locate_memory(address, &file));
    check(file.bytes >= bytes);
    check(pread(file.fd, read, bytes, (off_t)file.offset) == (ssize_t)bytes);
    check(memcmp(read, (const void *)(uintptr_t)address, bytes) == 0);
    free(read);
}

TEST(device_memory_is_in_a_file)
{
    enum { BYTES = 3 << 20 };
    CUdeviceptr memory, small;
    CUipcMemHandle handle;

    with_table();
    check_success(cuMemAlloc(&memory, BYTES));
    check_success(cuMemAlloc(&small, 100));
    check_success(cuMemsetD8(memory, 0x5a, BYTES));
    check_success(cuMemsetD8(small, 0x77, 100));
    check_success(cuCtxSynchronize());
    check_file(memory, BYTES);
    check_file(memory + 12345, 1000);
    check_file(small, 100);
    check_success(cuIpcGetMemHandle(&handle, memory)); /* it moves to another file */
    check_file(memory + 4096, 1000);
    check_success(cuMemFree(memory));
    check_success(cuMemAllocAsync(&memory, BYTES, NULL));
    check_success(cuMemsetD8(memory, 0x5b, BYTES));
    check_success(cuCtxSynchronize());
    check_file(memory, BYTES);
}

TEST(private_memory_is_in_no_file)
{
    struct cupipe_memory_file file;
    CUdeviceptr managed;
    void *pinned;
    int local;

    with_table();
    check_success(cuMemHostAlloc(&pinned, 4096, 0));
    check_success(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    check_result(cupipe()->locate_memory((uintptr_t)pinned, &file), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cupipe()->locate_memory(managed, &file), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cupipe()->locate_memory((uintptr_t)&local, &file), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cupipe()->locate_memory(0, &file), CUDA_ERROR_NOT_SUPPORTED);
}
