/* SPDX-License-Identifier: MIT */
/* Fuzzes an interface: random programs over all of its functions, in several threads at once, with
 * handles that are live, stale, garbage or NULL, and with wild addresses and sizes. Whatever is
 * asked, there is an answer: no crash, no hang, nothing a sanitizer complains of. The calls come
 * from the files that a target is linked with (calls.h); FUZZ_TARGET is its name.
 *
 * A program runs in a process of its own, for it may lose the device, or end its contexts. The seed
 * also chooses how many calls each thread makes (up to 1,000; -c makes it so many), how many
 * workers the library has, how it schedules, and whether OpenGL is there; one program in eight has
 * a single thread.
 *
 *     fuzz_TARGET [-n PROGRAMS | -t SECONDS] [-s SEED] [-p THREADS] [-c CALLS] [-o FOLDER] [-v]
 * [FILE…]
 *
 * Seeds from SEED on; with -v each call is printed before it is made. A file is a program. As a
 * target of libFuzzer the input is a program. */
#include "calls.h"
#include "runner.h"
#include "waits.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { THREADS_MAX = 16, PROGRAM_BYTES_MAX = 1 << 20 };

#ifdef __SANITIZE_THREAD__
enum { is_tsan = 1 };
#else
enum { is_tsan = 0 };
#endif

enum { LENGTH_MAX = 1000, CALLS_MAX = 1024, RESULTS_MAX = 1000 };

static unsigned threads = 3;
static unsigned calls; /* of a thread; 0: up to LENGTH_MAX, as the seed says */
static bool verbose;

/* Shared by the processes. */
static struct count {
    _Atomic(uint64_t) calls, successes, results[RESULTS_MAX];
    _Atomic(const char *) last[THREADS_MAX];
    struct tally {
        _Atomic(const char *) name;
        _Atomic(uint64_t) calls, successes;
    } tallies[CALLS_MAX]; /* by the address of the name */
} * counts;

static void count_call(const char *name, CUresult result)
{
    bool succeeded = result == CUDA_SUCCESS;
    size_t at = (uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15) >> 54;
    const char *found;

    atomic_fetch_add(&counts->calls, 1);
    atomic_fetch_add(&counts->successes, succeeded);
    atomic_fetch_add(&counts->results[result % RESULTS_MAX], 1);
    for (size_t i = 0; i < CALLS_MAX; i++) {
        struct tally *tally = &counts->tallies[(at + i) % CALLS_MAX];

        found = NULL;
        if (atomic_compare_exchange_strong(&tally->name, &found, name) || found == name) {
            atomic_fetch_add(&tally->calls, 1);
            atomic_fetch_add(&tally->successes, succeeded);
            return;
        }
    }
}

struct program {
    const uint8_t *bytes;
    size_t size;
    uint64_t seed;
    unsigned thread;
    bool has_gl;
};

static void *run_thread(void *argument)
{
    const struct program *program = argument;
    struct draw draw;

    draw_init(&draw, program->bytes, program->size, program->seed);
    unsigned length = calls ? calls : 1 + (unsigned)draw_below(&draw, LENGTH_MAX);
    calls_begin_thread(program->has_gl);
    for (unsigned i = 0; i < length; i++) {
        const struct call *call = call_draw(&draw);

        if (verbose)
            fprintf(stderr, "%u: %s\n", program->thread, call->name);
        atomic_store(&counts->last[program->thread], call->name);
        CUresult result = call->call(&draw);
        count_call(call->name, result);
    }
    atomic_store(&counts->last[program->thread], NULL);
    draw_finish(&draw);
    return NULL;
}

/* Mesa's own races are not ours to report. */
static bool has_gl(uint64_t seed)
{
    return seed % 16 == 0 && !is_tsan;
}

static void run_program(const uint8_t *bytes, size_t size, uint64_t seed)
{
    struct program programs[THREADS_MAX];
    unsigned count = seed % 8 == 7 ? 1 : threads;
    pthread_t ids[THREADS_MAX];

    draw_is_alone = count == 1;
    calls_begin_program();
    for (unsigned i = 0; i < count; i++) {
        size_t part = size / count;

        programs[i] = (struct program){bytes + i * part, part, seed * THREADS_MAX + i, i,
                                       i == 0 && has_gl(seed)};
        if (pthread_create(&ids[i], NULL, run_thread, &programs[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(ids[i], NULL);
}

static void setup(void)
{
    setenv("CUPIPE_DEVICES", "2", 0);
    setenv("CUPIPE_MEMORY", is_tsan ? "128M" : "256M", 0);
    setenv("CUPIPE_LOG", "none", 0);
    /* Random flags of contexts enable core dumps, which would end the process, as they should. */
    setenv("CUDA_COREDUMP_GENERATION_FLAGS", "skip_abort", 0);
    setenv("CUDA_COREDUMP_FILE", "/dev/null", 0);
    counts = runner_share(sizeof(*counts));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!counts) {
        setup();
        waits_start();
    }
    calls = 16 + (unsigned)(size / 8);
    run_program(data, size, 1);
    return 0;
}

#ifndef CUPIPE_LIBFUZZER

/* How the library runs differs from program to program; what the user has set stays. */
static void set_environment(uint64_t seed)
{
    char text[32];

    snprintf(text, sizeof(text), "%u", 1 + (unsigned)(seed % 4));
    setenv("CUPIPE_THREADS", text, 0);
    snprintf(text, sizeof(text), "random:%llu", (unsigned long long)seed);
    if (seed / 4 % 4 == 1)
        setenv("CUPIPE_SCHEDULE", "lazy", 0);
    else if (seed / 4 % 4 == 2)
        setenv("CUPIPE_SCHEDULE", text, 0);
}

/* What the threads were doing goes where the rest of what is known goes. */
static void note_calls(const struct runner *runner)
{
    int fd = runner->log >= 0 ? runner->log : STDERR_FILENO;

    if (runner->log >= 0)
        lseek(fd, 0, SEEK_END);
    dprintf(fd, "\nthe threads were in");
    for (unsigned i = 0; i < threads; i++)
        dprintf(fd, "; %s", atomic_load(&counts->last[i]) ? atomic_load(&counts->last[i]) : "-");
    dprintf(fd, "\n");
}

static void run_process(struct runner *runner, const uint8_t *bytes, size_t size, uint64_t seed,
                        const char *name, const char *command)
{
    pid_t pid = runner_fork(runner);

    if (pid == 0) {
        set_environment(seed);
        waits_start();
        run_program(bytes, size, seed);
        exit(0);
    }
    enum outcome outcome = runner_wait(runner, pid, &counts->calls);
    if (outcome == OUTCOME_FAILED) {
        note_calls(runner);
        runner_keep(runner, name, bytes, size, command);
    }
    runner->stopped += outcome == OUTCOME_STOPPED;
    runner->inputs++;
    runner->calls = atomic_load(&counts->calls);
    if (runner->log >= 0)
        close(runner->log);
}

static void run_file(struct runner *runner, const char *program, const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(PROGRAM_BYTES_MAX);
    size_t size = file && bytes ? fread(bytes, 1, PROGRAM_BYTES_MAX, file) : 0;
    char command[4400];
    unsigned before = calls;
    const char *name = strrchr(path, '/');

    if (!file || !bytes) {
        perror(path);
        exit(2);
    }
    fclose(file);
    calls = 16 + (unsigned)(size / 8);
    snprintf(command, sizeof(command), "%s -n 0 -v %s", program, path);
    run_process(runner, bytes, size, 1, name ? name + 1 : path, command);
    calls = before;
    free(bytes);
}

static void run_seed(struct runner *runner, const char *program, uint64_t seed)
{
    char name[32], length[32] = "", command[4400];

    snprintf(name, sizeof(name), "%llu", (unsigned long long)seed);
    if (calls)
        snprintf(length, sizeof(length), " -c %u", calls);
    snprintf(command, sizeof(command), "%s -n 1 -p %u%s -s %s -v", program, threads, length, name);
    run_process(runner, NULL, 0, seed, name, command);
}

static void print_tallies(void)
{
    for (int i = 0; i < RESULTS_MAX; i++) {
        if (counts->results[i])
            printf("result %3d %12llu\n", i, (unsigned long long)counts->results[i]);
    }
    for (int i = 0; i < CALLS_MAX; i++) {
        const struct tally *tally = &counts->tallies[i];

        if (tally->name)
            printf("%-48s %8llu %8llu\n", tally->name, (unsigned long long)tally->calls,
                   (unsigned long long)tally->successes);
    }
}

int main(int argc, char **argv)
{
    bool prints_tallies = false;
    struct runner runner;
    int option;

    setup();
    runner_init(&runner, FUZZ_TARGET);
    runner.asked = 20;
    while ((option = getopt(argc, argv, RUNNER_OPTIONS "p:c:a")) != -1) {
        if (option == 'p')
            threads = 1 + (unsigned)(atoi(optarg) - 1) % THREADS_MAX;
        else if (option == 'c')
            calls = (unsigned)atoi(optarg);
        else if (option == 'a')
            prints_tallies = true;
        else if (!runner_option(&runner, option))
            return 2;
    }
    verbose = runner.is_loud;
    for (int i = optind; i < argc; i++)
        run_file(&runner, argv[0], argv[i]);
    for (uint64_t i = 0; runner.seconds > 0 ? runner_has_time(&runner) : i < runner.asked; i++)
        run_seed(&runner, argv[0], runner.seed + i);
    if (prints_tallies)
        print_tallies();
    printf("%u entry points, %llu of the calls succeeded\n", call_count(),
           (unsigned long long)atomic_load(&counts->successes));
    return runner_report(&runner);
}

#endif
