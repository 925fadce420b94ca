/* SPDX-License-Identifier: MIT */
/* Measurements that are possible only once per process: the program starts itself again in a mode
 * that measures one thing and prints one number. */
#include "bench.h"

#include <fcntl.h>
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
    } else if (strncmp(mode, bench_mode_kernel, strlen(bench_mode_kernel)) == 0) {
        printf("%.9g\n", bench_kernel_ms(mode + strlen(bench_mode_kernel)));
    } else if (strcmp(mode, bench_mode_exporter) == 0) {
        return bench_exporter_main();
    } else if (strcmp(mode, bench_mode_mappings) == 0) {
        return bench_mappings_main();
    } else if (strncmp(mode, bench_mode_matrix, strlen(bench_mode_matrix)) == 0) {
        return bench_matrix_main(mode + strlen(bench_mode_matrix));
    } else if (strcmp(mode, bench_mode_registered) == 0) {
        return bench_registered_main();
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

struct bench_child bench_child_start(const char *mode)
{
    int in[2], out[2];

    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        fail("no pipe");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        execl("/proc/self/exe", "bench", mode, (char *)NULL);
        _exit(127);
    }
    if (pid < 0)
        fail("no process");
    close(in[0]);
    close(out[1]);
    return (struct bench_child){pid, out[0], in[1]};
}

void bench_child_end(struct bench_child *child)
{
    close(child->writer);
    close(child->reader);
    waitpid(child->pid, NULL, 0);
}

double bench_child_ask(const char *mode)
{
    struct bench_child child = bench_child_start(mode);
    double value = 0;
    FILE *answer = fdopen(dup(child.reader), "r");

    if (!answer || fscanf(answer, "%lf", &value) != 1)
        fail("a process of its own gave no answer");
    fclose(answer);
    bench_child_end(&child);
    return value;
}

static struct bench_result startup(const struct bench_row *row)
{
    struct bench_result best = {.subject = bench_child_ask(mode_startup)};

    (void)row;
    for (int i = 1; i < STARTS; i++) {
        double value = bench_child_ask(mode_startup);
        if (value < best.subject)
            best.subject = value;
    }
    return best;
}

static struct bench_result bookkeeping(const struct bench_row *row)
{
    (void)row;
    return (struct bench_result){.subject = bench_child_ask(mode_bookkeeping)};
}

const struct bench_row bench_process_rows[] = {
    {"cuInit + primary context, fresh process", .unit = BENCH_MS, .goal = BENCH_VALUE_AT_MOST,
     .limit = 5, .measure = startup},
    {"bookkeeping for one of 1,000,000 x 512 B", .unit = BENCH_BYTES, .goal = BENCH_VALUE_AT_MOST,
     .limit = 64, .measure = bookkeeping},
    {.name = NULL},
};
