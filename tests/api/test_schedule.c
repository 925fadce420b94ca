/* SPDX-License-Identifier: MIT */
/* CUPIPE_SCHEDULE. Under lazy, work that nothing waits for has never happened; under random, work
 * runs in any legal order, which the seed determines. Programs that synchronise correctly notice
 * neither. */
#include "hold.h"

static void with_schedule(const char *schedule)
{
    setenv("CUPIPE_SCHEDULE", schedule, 1);
    with_context();
    only_cupipe();
}

TEST(lazy_work_waits_for_somebody_to_ask)
{
    with_schedule("lazy");
    for (int i = 0; i < 100; i++) {
        atomic_uint *word = pinned_words(1);
        CUstream stream = new_stream(i & 1);
        write_word(stream, word, 1);
        check(atomic_load(word) == 0); /* a program that reads here has a bug, and sees it */
        check_success(cuStreamSynchronize(stream));
        check(atomic_load(word) == 1);
    }
}

/* The consumer does not wait for the producer: it always comes first. */
TEST(lazy_shows_a_missing_wait)
{
    with_schedule("lazy");
    for (int i = 0; i < 100; i++) {
        static struct note note;
        atomic_uint *word = pinned_words(1);
        CUstream producer = new_stream(CU_STREAM_NON_BLOCKING);
        CUstream consumer = new_stream(CU_STREAM_NON_BLOCKING);
        write_word(producer, word, 1);
        note.word = word;
        check_success(cuLaunchHostFunc(consumer, note_run, &note));
        check_success(cuStreamSynchronize(consumer));
        check(note.seen == 0);
        check_success(cuStreamSynchronize(producer));
        check(atomic_load(word) == 1);
    }
}

TEST(lazy_shows_a_missing_synchronize)
{
    with_schedule("lazy");
    for (int i = 0; i < 100; i++) {
        atomic_uint *words = pinned_words(2);
        CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
        CUevent event = new_event(0);
        write_word(stream, &words[0], 1);
        check_success(cuEventRecord(event, stream));
        write_word(stream, &words[1], 1);
        check_success(cuEventSynchronize(event)); /* does not cover the second write */
        check(atomic_load(&words[0]) == 1 && atomic_load(&words[1]) == 0);
        check_success(cuStreamSynchronize(stream));
    }
}

static void check_two_streams(void)
{
    static struct note note;

    for (int i = 0; i < 50; i++) {
        atomic_uint *word = pinned_words(1);
        CUstream producer = new_stream(CU_STREAM_NON_BLOCKING);
        CUstream consumer = new_stream(CU_STREAM_NON_BLOCKING);
        CUevent event = new_event(0);
        write_word(producer, word, 1);
        check_success(cuEventRecord(event, producer));
        check_success(cuStreamWaitEvent(consumer, event, 0));
        note.word = word;
        check_success(cuLaunchHostFunc(consumer, note_run, &note));
        check_success(cuStreamSynchronize(consumer));
        check(note.seen == 1);
        check_success(cuStreamDestroy(producer));
        check_success(cuStreamDestroy(consumer));
        check_success(cuEventDestroy(event));
    }
}

static void check_default_streams(void)
{
    atomic_uint *words = pinned_words(3);
    static struct note legacy, blocking;
    CUstream stream = new_stream(0);

    write_word(stream, &words[0], 1);
    legacy.word = &words[0];
    check_success(cuLaunchHostFunc(NULL, note_run, &legacy));
    write_word(NULL, &words[1], 2);
    blocking.word = &words[1];
    check_success(cuLaunchHostFunc(stream, note_run, &blocking));
    check_success(cuStreamSynchronize(stream));
    check(legacy.seen == 1 && blocking.seen == 2);
    write_word(stream, &words[2], 3);
    check_success(cuStreamSynchronize(NULL));
    check(atomic_load(&words[2]) == 3);
    write_word(stream, &words[2], 4);
    check_success(cuCtxSynchronize());
    check(atomic_load(&words[2]) == 4);
}

/* Asking again and again must bring the answer in the end. */
static void check_polling(void)
{
    atomic_uint *words = pinned_words(2);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING), blocking = new_stream(0);
    CUevent event = new_event(0);
    static struct note note;

    note.word = &words[0];
    write_word(stream, &words[0], 1);
    check_success(cuLaunchHostFunc(stream, note_run, &note));
    check_success(cuEventRecord(event, stream));
    while (cuEventQuery(event) == CUDA_ERROR_NOT_READY)
        ;
    check(note.seen == 1);
    write_word(stream, &words[0], 2);
    write_word(stream, &words[0], 3);
    while (cuStreamQuery(stream) == CUDA_ERROR_NOT_READY)
        ;
    check(atomic_load(&words[0]) == 3);
    write_word(blocking, &words[1], 4);
    while (cuStreamQuery(NULL) == CUDA_ERROR_NOT_READY)
        ;
    check(atomic_load(&words[1]) == 4);
}

/* A host function waits for work of a stream that nobody has asked for. */
static void check_hidden_dependence(void)
{
    atomic_uint *words = pinned_words(2);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING),
             other = new_stream(CU_STREAM_NON_BLOCKING);
    CUstream third = new_stream(CU_STREAM_NON_BLOCKING);
    static struct blocker blocker;

    hold_until(stream, &words[0]);
    check_success(cuLaunchHostFunc(third, blocker_run, &blocker));
    write_word(other, &words[1], 1);
    write_word(other, &words[0], 1);
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&words[1]) == 1);
    flag_raise(&blocker.released);
    check_success(cuStreamSynchronize(third));
}

static void check_value_from_host(void)
{
    atomic_uint *words = pinned_words(2);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);

    hold_until(stream, &words[0]);
    write_word(stream, &words[1], 5);
    atomic_store(&words[0], 1);
    check_success(cuStreamSynchronize(stream));
    check(atomic_load(&words[1]) == 5);
}

static void check_legal_program(const char *schedule)
{
    with_schedule(schedule);
    check_two_streams();
    check_default_streams();
    check_polling();
    check_hidden_dependence();
    check_value_from_host();
}

TEST(lazy_runs_a_legal_program)
{
    check_legal_program("lazy");
}

TEST(random_runs_a_legal_program)
{
    check_legal_program("random:1");
}

TEST(random_runs_a_legal_program_with_another_seed)
{
    check_legal_program("random:20000");
}

TEST(eager_runs_a_legal_program)
{
    check_legal_program("eager");
}

enum {
    STREAMS = 4,
    PER_STREAM = 6,
};

struct order {
    int count;
    int entries[STREAMS * PER_STREAM];
};

struct order_entry {
    struct order *order;
    int number;
};

static void CUDA_CB note_order(void *data)
{
    struct order_entry *entry = data;

    entry->order->entries[entry->order->count++] = entry->number;
}

/* The order in which host functions of unrelated streams ran, in a process of its own. */
static void order_in_child(const char *schedule, struct order *order)
{
    int pipe_ends[2], status;

    check(pipe(pipe_ends) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        static struct order own;
        static struct order_entry entries[STREAMS][PER_STREAM];
        CUstream streams[STREAMS];
        with_schedule(schedule);
        for (int i = 0; i < STREAMS; i++)
            streams[i] = new_stream(CU_STREAM_NON_BLOCKING);
        for (int k = 0; k < PER_STREAM; k++) {
            for (int i = 0; i < STREAMS; i++) {
                entries[i][k] = (struct order_entry){&own, i * PER_STREAM + k};
                check_success(cuLaunchHostFunc(streams[i], note_order, &entries[i][k]));
            }
        }
        check_success(cuCtxSynchronize());
        check(write(pipe_ends[1], &own, sizeof(own)) == sizeof(own));
        _exit(0);
    }
    close(pipe_ends[1]);
    bool complete = read(pipe_ends[0], order, sizeof(*order)) == sizeof(*order);
    close(pipe_ends[0]);
    check(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    if (WEXITSTATUS(status) == TEST_SKIPPED)
        skip("about cupipe alone");
    check(WEXITSTATUS(status) == 0 && complete && order->count == STREAMS * PER_STREAM);
    for (int i = 0; i < STREAMS; i++) { /* each stream is in order */
        int next = i * PER_STREAM;
        for (int k = 0; k < order->count; k++) {
            if (order->entries[k] / PER_STREAM == i)
                check(order->entries[k] == next++);
        }
    }
}

TEST(random_repeats_itself)
{
    struct order first, second;
    char schedule[32];

    for (int seed = 1; seed <= 5; seed++) {
        snprintf(schedule, sizeof(schedule), "random:%d", seed);
        order_in_child(schedule, &first);
        order_in_child(schedule, &second);
        check(memcmp(&first, &second, sizeof(first)) == 0);
    }
}

TEST(random_seeds_differ)
{
    struct order first, other;
    int different = 0;
    char schedule[32];

    order_in_child("random:100", &first);
    for (int seed = 101; seed <= 108; seed++) {
        snprintf(schedule, sizeof(schedule), "random:%d", seed);
        order_in_child(schedule, &other);
        different += memcmp(&first, &other, sizeof(first)) != 0;
    }
    check(different >= 6);
}
