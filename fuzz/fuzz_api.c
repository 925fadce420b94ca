/* SPDX-License-Identifier: MIT */
/* Fuzzes the API: random programs over all entry points, in several threads at once, with handles
 * that are live, stale, garbage or NULL, and with wild addresses and sizes. Whatever is asked,
 * there is an answer: no crash, no hang, nothing a sanitizer complains of.
 *
 * A program runs in a process of its own, for it may lose the device, or end its contexts.
 *
 *     fuzz_api [-n PROGRAMS] [-s SECONDS] [-t THREADS] [-c CALLS] [-r SEED] [FILE…]
 *
 * Seeds from SEED on; with -v each call is printed before it is made. A file is a program. As a
 * target of libFuzzer the input is a program. */
#include "api_calls.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { THREADS_MAX = 16, HANG_SECONDS = 20 };

static unsigned threads = 3, calls = 400;
static bool verbose;

/* Shared by the processes. */
static struct count {
    _Atomic(uint64_t) calls, successes;
    _Atomic(const char *) last[THREADS_MAX];
} * counts;

struct program {
    const uint8_t *bytes;
    size_t size;
    uint64_t seed;
    unsigned thread;
};

static void *run_thread(void *argument)
{
    const struct program *program = argument;
    struct draw draw;

    draw_init(&draw, program->bytes, program->size, program->seed);
    for (unsigned i = 0; i < calls; i++) {
        const struct call *call = api_call_draw(&draw);

        if (verbose)
            fprintf(stderr, "%u: %s\n", program->thread, call->name);
        atomic_store(&counts->last[program->thread], call->name);
        CUresult result = call->call(&draw);
        atomic_fetch_add(&counts->calls, 1);
        atomic_fetch_add(&counts->successes, result == CUDA_SUCCESS);
    }
    atomic_store(&counts->last[program->thread], NULL);
    draw_finish(&draw);
    return NULL;
}

static void run_program(const uint8_t *bytes, size_t size, uint64_t seed)
{
    struct program programs[THREADS_MAX];
    pthread_t ids[THREADS_MAX];
    CUcontext context;

    if (cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS)
        cuCtxSetCurrent(context);
    for (unsigned i = 0; i < threads; i++) {
        size_t part = size / threads;

        programs[i] = (struct program){bytes + i * part, part, seed * THREADS_MAX + i, i};
        if (pthread_create(&ids[i], NULL, run_thread, &programs[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

static void setup(void)
{
    setenv("CUPIPE_DEVICES", "2", 0);
    setenv("CUPIPE_MEMORY", "256M", 0);
    setenv("CUPIPE_LOG", "none", 0);
    counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!counts)
        setup();
    calls = 16 + (unsigned)(size / 8);
    run_program(data, size, 1);
    return 0;
}

#ifndef CUPIPE_LIBFUZZER

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Waits for the process; false when it crashed or hung. */
static bool wait_for(pid_t pid, const char *what)
{
    double start = now();
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        struct timespec pause = {0, 2000000};

        if (now() - start > HANG_SECONDS) {
            printf("%s hangs in", what);
            for (unsigned i = 0; i < threads; i++)
                printf(" %s", atomic_load(&counts->last[i]) ? atomic_load(&counts->last[i]) : "-");
            printf("\n");
            kill(pid, SIGABRT);
            waitpid(pid, &status, 0);
            return false;
        }
        nanosleep(&pause, NULL);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    printf("%s ends with status %#x in", what, (unsigned)status);
    for (unsigned i = 0; i < threads; i++)
        printf(" %s", atomic_load(&counts->last[i]) ? atomic_load(&counts->last[i]) : "-");
    printf("\n");
    return false;
}

static bool run_process(const uint8_t *bytes, size_t size, uint64_t seed, const char *what)
{
    fflush(NULL);
    pid_t pid = fork();

    if (pid == 0) {
        run_program(bytes, size, seed);
        exit(0);
    }
    return wait_for(pid, what);
}

static bool run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 20);
    size_t size = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;

    if (!file || !bytes) {
        perror(path);
        exit(2);
    }
    fclose(file);
    calls = 16 + (unsigned)(size / 8);
    bool good = run_process(bytes, size, 1, path);
    free(bytes);
    return good;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, programs = 20, done = 0, bad = 0;
    double seconds = 0, start = now();
    int option;

    setup();
    while ((option = getopt(argc, argv, "n:s:t:c:r:v")) != -1) {
        switch (option) {
        case 'n':
            programs = strtoull(optarg, NULL, 0);
            break;
        case 's':
            seconds = atof(optarg);
            break;
        case 't':
            threads = (unsigned)atoi(optarg) % (THREADS_MAX + 1);
            break;
        case 'c':
            calls = (unsigned)atoi(optarg);
            break;
        case 'r':
            seed = strtoull(optarg, NULL, 0);
            break;
        case 'v':
            verbose = true;
            break;
        default:
            return 2;
        }
    }
    for (int i = optind; i < argc; i++)
        bad += !run_file(argv[i]);
    for (; seconds > 0 ? now() - start < seconds : done < programs; done++) {
        char what[64];

        snprintf(what, sizeof(what), "seed %llu", (unsigned long long)(seed + done));
        bad += !run_process(NULL, 0, seed + done, what);
    }
    printf("%llu programs, %llu calls of %u entry points, %llu succeeded, %llu programs failed\n",
           (unsigned long long)done, (unsigned long long)atomic_load(&counts->calls),
           api_call_count(), (unsigned long long)atomic_load(&counts->successes),
           (unsigned long long)bad);
    return bad != 0;
}

#endif
