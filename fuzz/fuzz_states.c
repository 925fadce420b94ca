/* SPDX-License-Identifier: MIT */
/* Calls every entry point in every state of a process: with every argument zero, and with handles
 * that are garbage, stale or zeroed memory. Whatever is asked, there is an answer: no crash, no
 * hang.
 *
 * A state is a process of its own, which enters it again when a call has left it.
 *
 *     fuzz_states [-n ROUNDS | -t SECONDS] [-s SEED] [-o FOLDER] [-v]
 *
 * A round goes through all states; the handles differ from round to round. */
#include "api_calls.h"
#include "fuzz_zero_calls.h"
#include "runner.h"
#include "waits.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ZERO_CALLS = sizeof(zero_calls) / sizeof(zero_calls[0]), NAME_BYTES = 64 };

static bool verbose;

/* Shared by the processes. */
static struct {
    _Atomic(uint64_t) calls;
    char last[NAME_BYTES];
} * counts;

static void announce(const char *name)
{
    if (verbose)
        fprintf(stderr, "%s\n", name);
    snprintf(counts->last, sizeof(counts->last), "%s", name);
    atomic_fetch_add(&counts->calls, 1);
}

static void initialise(void)
{
    if (cuInit(0) != CUDA_SUCCESS)
        exit(RUNNER_SKIPPED_STATUS);
}

static void drop_contexts(void)
{
    CUcontext context = NULL;

    while (cuCtxGetCurrent(&context) == CUDA_SUCCESS && context &&
           cuCtxSetCurrent(NULL) == CUDA_SUCCESS)
        ;
}

static void make_current(void)
{
    CUcontext context;

    drop_contexts();
    if (cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS)
        cuCtxSetCurrent(context);
}

static void *destroy(void *context)
{
    cuCtxDestroy_v2(context);
    return NULL;
}

/* Another thread destroys the context that is current here. */
static void make_current_destroyed(void)
{
    CUcontext context;
    pthread_t thread;

    drop_contexts();
    if (cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS &&
        pthread_create(&thread, NULL, destroy, context) == 0)
        pthread_join(thread, NULL);
}

/* Some stream of the context captures in global mode. */
static void begin_capture(void)
{
    static CUstream stream;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    make_current();
    if (stream && cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
        status == CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return;
    if (cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS)
        cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

/* A kernel has written to address 0. */
static void lose_device(void)
{
    static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry fault()\n{\n"
                              "    .reg .b64 %rd<2>;\n    mov.u64 %rd1, 0;\n"
                              "    st.global.u64 [%rd1], %rd1;\n    ret;\n}\n";
    CUfunction function;
    CUmodule module;

    make_current();
    if (cuModuleLoadData(&module, ptx) == CUDA_SUCCESS &&
        cuModuleGetFunction(&function, module, "fault") == CUDA_SUCCESS)
        cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    if (cuCtxSynchronize() == CUDA_SUCCESS)
        abort();
}

static void remain(void)
{
}

static const struct state {
    const char *name;
    bool initialises;
    void (*begin)(void); /* once */
    void (*enter)(void); /* before each call */
} states[] = {
    {"before cuInit", false, remain, remain},
    {"without a context", true, remain, drop_contexts},
    {"with a context", true, remain, make_current},
    {"with a destroyed context", true, remain, make_current_destroyed},
    {"during a capture", true, remain, begin_capture},
    {"after a fault", true, lose_device, make_current},
    {"in a child of fork", true, make_current, remain},
    {"after exit", true, make_current, remain},
};

enum { STATES = sizeof(states) / sizeof(states[0]) };

static const struct state *state;
static uint64_t round_seed;

static void call_all(void)
{
    const struct call *call;
    struct draw draw;

    for (size_t i = 0; i < ZERO_CALLS; i++) {
        if (!state->initialises && strcmp(zero_calls[i].name, "cuInit") == 0)
            continue;
        state->enter();
        announce(zero_calls[i].name);
        zero_calls[i].call();
    }
    draw_init(&draw, NULL, 0, round_seed);
    draw.only_bad_handles = true;
    for (size_t i = 0; (call = api_call_generated(i)); i++) {
        state->enter();
        announce(call->name);
        call->call(&draw);
    }
    draw_finish(&draw);
}

/* Handles of things that are gone by the time they are used. */
static void keep_stale(void)
{
    struct draw draw;
    CUcontext context;

    draw_init(&draw, NULL, 0, round_seed);
    if (cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS) {
        for (int i = 0; i < 200; i++)
            call_draw(&draw)->call(&draw);
        cuCtxDestroy_v2(context);
    }
    drop_contexts();
    draw_finish(&draw);
}

static void run_in_fork(void)
{
    struct runner child;

    runner_init(&child, "states");
    pid_t pid = runner_fork(&child);
    if (pid == 0) {
        call_all();
        _exit(0);
    }
    exit(runner_wait(&child, pid, &counts->calls) == OUTCOME_GOOD ? 0 : 1);
}

static void run_state(void)
{
    bool is_fork = strcmp(state->name, "in a child of fork") == 0;
    bool is_exit = strcmp(state->name, "after exit") == 0;

    waits_start();
    if (is_exit)
        atexit(call_all); /* registered before the library's, so called after it */
    if (state->initialises) {
        initialise();
        keep_stale();
    }
    state->begin();
    if (is_fork)
        run_in_fork();
    if (!is_exit)
        call_all();
    exit(0);
}

static void run_round(struct runner *runner, const char *program, uint64_t seed)
{
    for (unsigned i = 0; i < STATES; i++) {
        char name[96], command[4400];
        pid_t pid = runner_fork(runner);

        state = &states[i];
        round_seed = seed;
        if (pid == 0)
            run_state();
        if (runner_wait(runner, pid, &counts->calls) == OUTCOME_FAILED) {
            fprintf(stderr, "%s, in %s\n", state->name, counts->last);
            snprintf(name, sizeof(name), "%u-%llu", i, (unsigned long long)seed);
            snprintf(command, sizeof(command), "%s -n 1 -s %llu -v", program,
                     (unsigned long long)seed);
            runner_keep(runner, name, NULL, 0, command);
        }
        runner->inputs++;
        runner->calls = atomic_load(&counts->calls);
        if (runner->log >= 0)
            close(runner->log);
    }
}

int main(int argc, char **argv)
{
    struct runner runner;
    int option;

    setenv("CUPIPE_DEVICES", "2", 0);
    setenv("CUPIPE_MEMORY", "128M", 0);
    setenv("CUPIPE_LOG", "none", 0);
    /* Random flags of contexts enable core dumps, which would end the process, as they should. */
    setenv("CUDA_COREDUMP_GENERATION_FLAGS", "skip_abort", 0);
    setenv("CUDA_COREDUMP_FILE", "/dev/null", 0);
    counts = runner_share(sizeof(*counts));
    runner_init(&runner, "states");
    runner.asked = 1;
    while ((option = getopt(argc, argv, RUNNER_OPTIONS)) != -1) {
        if (!runner_option(&runner, option))
            return 2;
    }
    verbose = runner.is_loud;
    for (uint64_t i = 0; runner.seconds > 0 ? runner_has_time(&runner) : i < runner.asked; i++)
        run_round(&runner, argv[0], runner.seed + i);
    printf("%d entry points in %d states\n", ZERO_CALLS, STATES);
    return runner_report(&runner);
}
