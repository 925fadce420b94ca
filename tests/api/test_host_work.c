/* SPDX-License-Identifier: MIT */
/* Work of the host in a stream (cupipe.h): when it runs and on which thread, what an error of it
 * does, and when it is released. */
#include "hold.h"

#include "host_work.h"

#include <dirent.h>

static void with_schedule(const char *schedule)
{
    setenv("CUPIPE_SCHEDULE", schedule, 1);
    with_context();
    cupipe();
}

static void with_table(void)
{
    with_schedule("eager");
}

/* A stream is busy for a moment after its last job has ended. */
static void run_soon(CUstream stream, struct counted *counted)
{
    CUresult result;

    while ((result = run_now(stream, counted)) == CUDA_ERROR_NOT_READY)
        nap();
    check_success(result);
}

TEST(arguments_are_checked)
{
    with_table();
    static struct counted counted;
    CUstream stream = new_stream(0);
    struct cupipe_work work = work_of(&counted), bad;

    check_result(cupipe()->launch_work(stream, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cupipe()->run_work(stream, NULL), CUDA_ERROR_INVALID_VALUE);
    bad = work;
    bad.run = NULL;
    check_result(cupipe()->launch_work(stream, &bad), CUDA_ERROR_INVALID_VALUE);
    check_result(cupipe()->run_work(stream, &bad), CUDA_ERROR_INVALID_VALUE);
    bad = work;
    bad.range_count = 1;
    check_result(cupipe()->launch_work(stream, &bad), CUDA_ERROR_INVALID_VALUE);
    check_success(cuStreamDestroy(stream));
    check_result(cupipe()->launch_work(stream, &work), CUDA_ERROR_INVALID_HANDLE);
    check_result(cupipe()->run_work(stream, &work), CUDA_ERROR_INVALID_HANDLE);
    check_success(cuCtxSynchronize());
    check_counts(&counted, 0, 0);
}

TEST(nothing_works_before_init)
{
    static struct counted counted;
    struct cupipe_work work = work_of(&counted);

    check_result(cupipe()->launch_work(NULL, &work), CUDA_ERROR_NOT_INITIALIZED);
    check_result(cupipe()->run_work(NULL, &work), CUDA_ERROR_NOT_INITIALIZED);
    check_success(cuInit(0));
    check_result(cupipe()->launch_work(NULL, &work), CUDA_ERROR_INVALID_CONTEXT);
    check_result(cupipe()->run_work(NULL, &work), CUDA_ERROR_INVALID_CONTEXT);
    check_counts(&counted, 0, 0);
}

TEST(every_kind_of_stream_runs_work)
{
    static struct counted counted;

    with_table();
    CUstream streams[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, new_stream(0)};
    for (int i = 0; i < 4; i++) {
        launch(streams[i], &counted);
        check_success(cuStreamSynchronize(streams[i]));
        check_counts(&counted, 2 * i + 1, i + 1);
        run_soon(streams[i], &counted);
        check_counts(&counted, 2 * i + 2, i + 1);
    }
}

TEST(work_without_name_and_release_runs)
{
    static struct counted counted;
    struct cupipe_work work = {.run = counted_run, .data = &counted};

    with_table();
    check_success(cupipe()->launch_work(NULL, &work));
    check_success(cuStreamSynchronize(NULL));
    check_counts(&counted, 1, 0);
}

TEST(work_takes_its_turn)
{
    enum { COUNT = 100 };
    static struct counted counted[COUNT];

    with_table();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *hold = pinned_words(1), *word = pinned_words(1);
    CUdeviceptr copies;
    unsigned seen[COUNT];
    check_success(cuMemAlloc(&copies, sizeof(seen)));
    hold_until(stream, hold);
    for (unsigned i = 0; i < COUNT; i++) {
        counted[i].word = word;
        counted[i].value = i + 1;
        launch(stream, &counted[i]);
        check_success(cuMemcpyDtoDAsync(copies + 4 * i, address_of(word), 4, stream));
        check_counts(&counted[i], 0, 0);
    }
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    atomic_store(hold, 1);
    check_success(cuStreamSynchronize(stream));
    check_success(cuMemcpyDtoH(seen, copies, sizeof(seen)));
    for (unsigned i = 0; i < COUNT; i++) {
        check_counts(&counted[i], 1, 1);
        check(seen[i] == i + 1);
    }
}

/* Also with event records and small fills between. */
TEST(a_chain_stays_on_one_thread)
{
    enum { COUNT = 500 };
    static struct counted counted[COUNT];

    with_table();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *hold = pinned_words(1);
    CUevent event = new_event(0);
    CUdeviceptr words;
    check_success(cuMemAlloc(&words, 64));
    hold_until(stream, hold);
    for (unsigned i = 0; i < COUNT; i++) {
        launch(stream, &counted[i]);
        if (i % 3 == 0)
            check_success(cuEventRecord(event, stream));
        if (i % 7 == 0)
            check_success(cuMemsetD32Async(words, i, 16, stream));
    }
    atomic_store(hold, 1);
    check_success(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < COUNT; i++)
        check(pthread_equal(counted[i].thread, counted[0].thread));
    check(!pthread_equal(counted[0].thread, pthread_self()));
}

/* True if the thread with this number does not run work, or sleeps. */
static bool is_idle(const char *number)
{
    char path[64], text[256] = "";

    snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", number);
    FILE *file = fopen(path, "r");
    if (!file)
        return true; /* it has just ended */
    check(fgets(text, sizeof(text), file) != NULL);
    fclose(file);
    return !strstr(text, "(cupipe host)") || strstr(text, "(cupipe host) S");
}

/* Waits until all threads that run work sleep: they go back to their pool after the stream is
 * done. */
static void wait_for_idle_threads(void)
{
    bool all_idle = false;

    while (!all_idle) {
        DIR *tasks = opendir("/proc/self/task");
        struct dirent *task;

        check(tasks != NULL);
        nap();
        all_idle = true;
        while ((task = readdir(tasks))) {
            if (task->d_name[0] != '.')
                all_idle = all_idle && is_idle(task->d_name);
        }
        closedir(tasks);
    }
}

/* Two threads are idle after the first part; the one that became idle last takes the next stream.
 */
TEST(the_thread_that_was_used_last_is_used_again)
{
    static struct counted before, after[20];
    static struct blocker blocker;

    with_table();
    CUstream a = new_stream(CU_STREAM_NON_BLOCKING), b = new_stream(CU_STREAM_NON_BLOCKING);
    block(a, &blocker);
    launch(b, &before);
    check_success(cuStreamSynchronize(b));
    flag_raise(&blocker.released);
    check_success(cuStreamSynchronize(a));
    for (int i = 0; i < 20; i++) {
        wait_for_idle_threads();
        launch(i % 2 ? a : b, &after[i]);
        check_success(cuStreamSynchronize(i % 2 ? a : b));
    }
    for (int i = 1; i < 20; i++)
        check(pthread_equal(after[i].thread, after[0].thread));
}

static void use_much_stack(struct counted *counted)
{
    volatile char frame[7 << 20];

    memset((char *)frame, 1, sizeof(frame));
    counted->value = frame[counted->value];
}

TEST(work_has_the_stack_of_a_main_thread)
{
    static struct counted counted = {.then = use_much_stack};

    not_under_tsan("its threads have other stacks");
    with_table();
    launch(NULL, &counted);
    check_success(cuStreamSynchronize(NULL));
    check_counts(&counted, 1, 1);
    check(counted.value == 1);
}

/* Run at once. */

TEST(an_idle_stream_runs_work_in_the_caller)
{
    static struct counted counted;

    with_table();
    CUstream streams[] = {NULL, CU_STREAM_PER_THREAD, new_stream(0),
                          new_stream(CU_STREAM_NON_BLOCKING)};
    for (int i = 0; i < 4; i++) {
        check_success(run_now(streams[i], &counted));
        check(pthread_equal(counted.thread, pthread_self()));
        check_success(cuStreamQuery(streams[i]));
    }
    check_counts(&counted, 4, 0);
}

TEST(a_busy_stream_does_not_run_work_at_once)
{
    static struct counted counted;

    with_table();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *hold = pinned_words(1);
    hold_until(stream, hold);
    check_result(run_now(stream, &counted), CUDA_ERROR_NOT_READY);
    atomic_store(hold, 1);
    check_success(cuStreamSynchronize(stream));
    run_soon(stream, &counted);
    check_counts(&counted, 1, 0);
}

TEST(the_default_stream_rules_hold_at_once)
{
    static struct counted counted;

    with_table();
    CUstream blocking = new_stream(0), other = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *holds = pinned_words(2);
    hold_until(blocking, &holds[0]);
    write_word(blocking, &holds[1], 7); /* a wait is no work; this is */
    check_result(run_now(NULL, &counted), CUDA_ERROR_NOT_READY);
    check_success(run_now(other, &counted));
    atomic_store(&holds[0], 1);
    check_success(cuStreamSynchronize(blocking));
    run_soon(NULL, &counted);
    atomic_store(&holds[0], 0);
    hold_until(NULL, &holds[0]);
    write_word(NULL, &holds[1], 8);
    check_result(run_now(blocking, &counted), CUDA_ERROR_NOT_READY);
    check_success(run_now(other, &counted));
    atomic_store(&holds[0], 1);
    check_success(cuCtxSynchronize());
    check_counts(&counted, 3, 0);
}

struct submission {
    CUstream stream;
    struct counted counted;
    struct flag submitted;
};

static struct submission from_elsewhere;

static void *submit_from_elsewhere(void *unused)
{
    (void)unused;
    launch(from_elsewhere.stream, &from_elsewhere.counted);
    flag_raise(&from_elsewhere.submitted);
    return NULL;
}

static void let_another_thread_submit(struct counted *counted)
{
    pthread_t thread;

    (void)counted;
    check(pthread_create(&thread, NULL, submit_from_elsewhere, NULL) == 0);
    flag_wait(&from_elsewhere.submitted);
    check(pthread_join(thread, NULL) == 0);
    check(atomic_load(&from_elsewhere.counted.runs) == 0);
}

TEST(work_submitted_meanwhile_comes_after)
{
    static struct counted counted = {.then = let_another_thread_submit};

    with_table();
    from_elsewhere.stream = new_stream(CU_STREAM_NON_BLOCKING);
    check_success(run_now(from_elsewhere.stream, &counted));
    check_success(cuStreamSynchronize(from_elsewhere.stream));
    check_counts(&from_elsewhere.counted, 1, 1);
}

/* Calls of CUDA inside. */

static void try_cuda(struct counted *counted)
{
    CUdeviceptr memory;

    (void)counted;
    check_result(cuMemAlloc(&memory, 16), CUDA_ERROR_NOT_PERMITTED);
    check_result(cuCtxSynchronize(), CUDA_ERROR_NOT_PERMITTED);
    check_result(cuStreamSynchronize(NULL), CUDA_ERROR_NOT_PERMITTED);
}

TEST(work_may_not_call_cuda)
{
    static struct counted counted = {.then = try_cuda};
    CUdeviceptr memory;

    with_table();
    CUstream stream = new_stream(0);
    launch(stream, &counted);
    check_success(cuStreamSynchronize(stream));
    run_soon(stream, &counted);
    check_success(cuMemAlloc(&memory, 16)); /* again */
    check_counts(&counted, 2, 1);
}

static CUcontext context;

static void use_cuda(void *data)
{
    CUevent event;

    check_success(cuCtxSetCurrent(context));
    check_success(cuEventCreate(&event, 0));
    check_success(cuEventDestroy(event));
    counted_release(data);
}

TEST(a_release_may_call_cuda)
{
    static struct counted counted;
    struct cupipe_work work = work_of(&counted);

    context = with_context();
    work.release = use_cuda;
    for (int i = 0; i < 10; i++)
        check_success(cupipe()->launch_work(NULL, &work));
    check_success(cuStreamSynchronize(NULL));
    check_counts(&counted, 10, 10);
}

/* Errors. */

TEST(an_error_is_sticky)
{
    static struct counted bad = {.result = CUDA_ERROR_ASSERT}, later, queued;
    struct cupipe_work work = work_of(&later);

    with_table();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *hold = pinned_words(1);
    hold_until(stream, hold);
    launch(stream, &bad);
    launch(stream, &queued);
    atomic_store(hold, 1);
    check_result(cuStreamSynchronize(stream), CUDA_ERROR_ASSERT);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ASSERT);
    check_result(cupipe()->launch_work(stream, &work), CUDA_ERROR_ASSERT);
    check_result(cupipe()->run_work(stream, &work), CUDA_ERROR_ASSERT);
    check_counts(&bad, 1, 1);
    check_counts(&queued, 0, 1);
    check_counts(&later, 0, 0);
}

TEST(an_error_at_once_is_sticky)
{
    static struct counted bad = {.result = CUDA_ERROR_ILLEGAL_ADDRESS}, later;

    with_table();
    check_result(run_now(NULL, &bad), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_result(run_now(NULL, &later), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_counts(&bad, 1, 0);
    check_counts(&later, 0, 0);
}

/* NOT_READY is the answer of run_work for work that has not run. */
TEST(not_ready_is_no_error_of_work)
{
    static struct counted bad = {.result = CUDA_ERROR_NOT_READY};

    with_table();
    check_result(run_now(NULL, &bad), CUDA_ERROR_UNKNOWN);
    check_result(cuCtxSynchronize(), CUDA_ERROR_UNKNOWN);
    check_counts(&bad, 1, 0);
}

/* The end of streams, contexts and processes. */

TEST(a_destroyed_stream_still_runs_its_work)
{
    enum { COUNT = 20 };
    static struct counted counted[COUNT];

    with_table();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    atomic_uint *hold = pinned_words(1);
    hold_until(stream, hold);
    for (int i = 0; i < COUNT; i++)
        launch(stream, &counted[i]);
    check_success(cuStreamDestroy(stream));
    atomic_store(hold, 1);
    check_success(cuCtxSynchronize());
    for (int i = 0; i < COUNT; i++)
        check_counts(&counted[i], 1, 1);
}

TEST(a_destroyed_context_runs_or_drops_its_work)
{
    enum { COUNT = 20 };
    static struct counted counted[COUNT];
    CUcontext made;

    with_table();
    check_success(cuCtxCreate(&made, NULL, 0, 0));
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (int i = 0; i < COUNT; i++)
        launch(stream, &counted[i]);
    check_success(cuCtxDestroy(made));
    for (int i = 0; i < COUNT; i++)
        check(atomic_load(&counted[i].releases) == 1);
}

TEST(a_child_of_fork_may_not_launch)
{
    static struct counted counted;
    struct cupipe_work work = work_of(&counted);
    int status;

    with_table();
    launch(NULL, &counted);
    check_success(cuStreamSynchronize(NULL));
    pid_t pid = fork();
    if (pid == 0) {
        bool refused = cupipe()->launch_work(NULL, &work) == CUDA_ERROR_NOT_INITIALIZED &&
                       cupipe()->run_work(NULL, &work) == CUDA_ERROR_NOT_INITIALIZED;
        _exit(!refused);
    }
    check(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    launch(NULL, &counted);
    check_success(cuStreamSynchronize(NULL));
    check_counts(&counted, 2, 2);
}

/* Threads. */

enum { THREADS = 4, EACH = 500 };

static struct {
    CUcontext context;
    CUstream stream;
    atomic_uint inside, at_once;
    struct counted counted;
} crowd;

static void be_alone(struct counted *counted)
{
    (void)counted;
    check(atomic_fetch_add(&crowd.inside, 1) == 0);
    atomic_fetch_sub(&crowd.inside, 1);
}

static void *crowd_member(void *unused)
{
    (void)unused;
    check_success(cuCtxSetCurrent(crowd.context));
    for (int i = 0; i < EACH; i++) {
        CUresult result = i % 2 ? run_now(crowd.stream, &crowd.counted) : CUDA_ERROR_NOT_READY;
        if (result == CUDA_SUCCESS) {
            atomic_fetch_add(&crowd.at_once, 1);
            continue;
        }
        check_result(result, CUDA_ERROR_NOT_READY);
        launch(crowd.stream, &crowd.counted);
    }
    return NULL;
}

TEST(threads_share_a_stream)
{
    pthread_t threads[THREADS];

    crowd.context = with_context();
    crowd.counted.then = be_alone;
    crowd.stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, crowd_member, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check_success(cuStreamSynchronize(crowd.stream));
    check_counts(&crowd.counted, THREADS * EACH, THREADS * EACH - (int)crowd.at_once);
}

/* Schedules that put work off. */

/* A captured launch does not wait. The launch has taken its work, so an error is the next call's.
 */
TEST(blocking_launch_ends_with_its_work)
{
    static struct counted counted, failing = {.result = CUDA_ERROR_ASSERT};
    CUgraph graph;

    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    with_schedule("lazy");
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    for (int i = 1; i <= 20; i++) {
        launch(stream, &counted);
        check(counted.runs == i);
        check_success(cuStreamQuery(stream));
    }
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    launch(stream, &counted);
    check_success(cuStreamEndCapture(stream, &graph));
    check(counted.runs == 20);
    launch(stream, &failing);
    check_counts(&failing, 1, 1);
    check_result(cuStreamQuery(stream), CUDA_ERROR_ASSERT);
}

TEST(lazy_work_waits_for_somebody_to_ask)
{
    with_schedule("lazy");
    for (int i = 0; i < 20; i++) {
        static struct counted counted;
        CUstream stream = new_stream(i & 1);
        check_result(run_now(stream, &counted), CUDA_ERROR_NOT_READY);
        launch(stream, &counted);
        check_counts(&counted, i, i);
        check_success(cuStreamSynchronize(stream));
        check_counts(&counted, i + 1, i + 1);
    }
}

/* The consumer does not wait for the producer: it always comes first. */
TEST(lazy_shows_a_missing_wait)
{
    with_schedule("lazy");
    for (int i = 0; i < 20; i++) {
        static struct counted counted;
        static struct note note;
        CUstream producer = new_stream(CU_STREAM_NON_BLOCKING);
        CUstream consumer = new_stream(CU_STREAM_NON_BLOCKING);
        counted.word = note.word = pinned_words(1);
        counted.value = 1;
        launch(producer, &counted);
        check_success(cuLaunchHostFunc(consumer, note_run, &note));
        check_success(cuStreamSynchronize(consumer));
        check(note.seen == 0);
        check_success(cuStreamSynchronize(producer));
        check(atomic_load(counted.word) == 1);
    }
}

/* Work that takes long is waited for; nothing else runs meanwhile. */
static void take_long(struct counted *counted)
{
    (void)counted;
    usleep(300000);
}

TEST(lazy_waits_for_long_work)
{
    static struct counted slow = {.then = take_long}, other;

    with_schedule("lazy");
    CUstream a = new_stream(CU_STREAM_NON_BLOCKING), b = new_stream(CU_STREAM_NON_BLOCKING);
    launch(b, &other);
    launch(a, &slow);
    check_success(cuStreamSynchronize(a));
    check_counts(&slow, 1, 1);
    check_counts(&other, 0, 0);
    check_success(cuStreamSynchronize(b));
    check_counts(&other, 1, 1);
}

TEST(random_work_keeps_the_order_of_its_stream)
{
    enum { COUNT = 100 };
    static struct counted counted[2][COUNT];

    with_schedule("random:7");
    CUstream streams[] = {new_stream(CU_STREAM_NON_BLOCKING), new_stream(CU_STREAM_NON_BLOCKING)};
    for (int i = 0; i < COUNT; i++) {
        launch(streams[0], &counted[0][i]);
        launch(streams[1], &counted[1][i]);
        for (int s = 0; s < 2; s++) {
            for (int k = 1; k <= i; k++)
                check(counted[s][k - 1].runs >= counted[s][k].runs);
        }
    }
    check_success(cuCtxSynchronize());
    for (int i = 0; i < COUNT; i++) {
        check_counts(&counted[0][i], 1, 1);
        check_counts(&counted[1][i], 1, 1);
    }
}

TEST(no_check_wants_no_ranges)
{
    with_table();
    check(!cupipe()->wants_ranges());
}
