/* SPDX-License-Identifier: MIT */
/* What can be measured once in a process only: the program starts itself anew, in a mode that
 * measures one thing and prints one number. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STARTS = 15 };

static const char mode_startup[] = "--startup", mode_bookkeeping[] = "--bookkeeping";

static double measure_startup(void)
{
    double start_ns = bench_now_ns();

    bench_open();
    return (bench_now_ns() - start_ns) / 1e6;
}

int bench_child_main(const char *mode)
{
    if (strcmp(mode, mode_startup) == 0) {
        printf("%.9g\n", measure_startup());
    } else if (strcmp(mode, mode_bookkeeping) == 0) {
        bench_open();
        printf("%.9g\n", bench_bookkeeping_bytes());
    } else {
        fprintf(stderr, "bench: there is no mode %s\n", mode);
        return 2;
    }
    return 0;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static void child_exec(const char *mode, const int ends[2])
{
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl("/proc/self/exe", "bench", mode, (char *)NULL);
    _exit(127);
}

/* The number that a process of its own prints. */
static double ask_child(const char *mode)
{
    int ends[2], status;
    double value = 0;

    if (pipe(ends) != 0)
        fail("no pipe");
    pid_t child = fork();
    if (child == 0)
        child_exec(mode, ends);
    close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    if (child < 0 || !answer || fscanf(answer, "%lf", &value) != 1)
        fail("a process of its own gave no answer");
    fclose(answer);
    waitpid(child, &status, 0);
    return value;
}

static struct bench_result startup(const struct bench_row *row)
{
    struct bench_result best = {.subject = ask_child(mode_startup)};

    (void)row;
    for (int i = 1; i < STARTS; i++) {
        double value = ask_child(mode_startup);
        if (value < best.subject)
            best.subject = value;
    }
    return best;
}

static struct bench_result bookkeeping(const struct bench_row *row)
{
    (void)row;
    return (struct bench_result){.subject = ask_child(mode_bookkeeping)};
}

const struct bench_row bench_process_rows[] = {
    {"cuInit + primary context, fresh process", .unit = BENCH_MS, .goal = BENCH_VALUE_AT_MOST,
     .limit = 5, .measure = startup},
    {"bookkeeping for one of 1,000,000 x 512 B", .unit = BENCH_BYTES, .goal = BENCH_VALUE_AT_MOST,
     .limit = 64, .measure = bookkeeping},
    {.name = NULL},
};
