/* SPDX-License-Identifier: MIT */
/* Watches a process that runs inputs, so that a crash or a hang ends that process and not the run.
 * What failed is kept in a folder: the input, what was printed, and where its threads were.
 *
 * A process shows that it gets on by counting a word in shared memory. One that takes too much of
 * the machine's memory, which a program may, is stopped and is no failure. */
#ifndef RUNNER_H
#define RUNNER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum outcome { OUTCOME_GOOD, OUTCOME_FAILED, OUTCOME_SKIPPED, OUTCOME_STOPPED };

enum { RUNNER_SKIPPED_STATUS = 77 };

struct runner {
    const char *target;               /* as in fuzz_TARGET */
    const char *folder;               /* for failures; made when there is one */
    double seconds;                   /* to run in all; 0: as many inputs as asked for */
    uint64_t asked, seed;             /* how many inputs, and where drawing begins */
    unsigned hang_seconds;            /* without getting on */
    bool is_loud;                     /* what processes print goes to the terminal */
    uint64_t inputs, calls;           /* for the last line */
    const _Atomic(uint64_t) *counted; /* inputs so far, if a process counts them; or NULL */
    uint64_t failures, stopped;
    double start, shown;
    int log; /* what the process printed */
};

void runner_init(struct runner *runner, const char *target);

/* The options that all runners have, for getopt(); and what one of them says. False: another's. */
#define RUNNER_OPTIONS "n:t:s:o:v"
bool runner_option(struct runner *runner, int option);

void *runner_share(size_t bytes); /* zeroed memory that processes share */

/* As fork(). The child ends when the parent does. */
pid_t runner_fork(struct runner *runner);

/* Waits for the end. A failure is kept under the name: the bytes of the input, if there are any,
 * and what is known of it. `command` says how to run it again. */
enum outcome runner_wait(struct runner *runner, pid_t pid, const _Atomic(uint64_t) *beat);
void runner_keep(struct runner *runner, const char *name, const void *bytes, size_t size,
                 const char *command);

bool runner_has_time(const struct runner *runner);
void runner_progress(struct runner *runner);
/* The last line; what main is to answer. */
int runner_report(const struct runner *runner);

#endif
