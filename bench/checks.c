/* SPDX-License-Identifier: MIT */
/* What settings cost: the kernels of kernels.c with a check of CUPIPE_CHECK on, against the same
 * without checks, and with approximate instructions that have the card's bits, against the
 * processor's own. The driver reads variables once, so both sides are processes of their own. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 3 };

const char bench_mode_kernel[] = "--kernel=";

static const char unset[] = "off";

static double ask(const char *variable, const char *value, const char *kernel)
{
    char mode[64];

    snprintf(mode, sizeof mode, "%s%s", bench_mode_kernel, kernel);
    if (strcmp(value, unset) != 0)
        setenv(variable, value, 1);
    double ms = bench_child_ask(mode);
    unsetenv(variable);
    return ms;
}

static struct bench_result measure(const struct bench_row *row)
{
    struct bench_result best = {0};
    char variable[32], value[32], kernel[32];

    if (sscanf(row->name, "%31[A-Z_]=%31s %31s", variable, value, kernel) != 3)
        return best;
    for (int i = 0; i < TURNS; i++) {
        double set = ask(variable, value, kernel), other = ask(variable, row->reference, kernel);

        best.subject = i == 0 || set < best.subject ? set : best.subject;
        best.reference = i == 0 || other < best.reference ? other : best.reference;
    }
    return best;
}

#define ROW(check, kernel, most)                                                                   \
    {                                                                                              \
        "CUPIPE_CHECK=" check " " kernel, unset, .unit = BENCH_MS, .goal = BENCH_RATIO_AT_MOST,    \
                                                 .limit = most, .measure = measure                 \
    }
#define ROWS(check, most)                                                                          \
    ROW(check, "vecadd", most), ROW(check, "matmul", most), ROW(check, "matmul_tiled", most),      \
        ROW(check, "reduce", most), ROW(check, "nbody", most)

const struct bench_row bench_check_rows[] = {
    ROWS("memory", 2),
    ROWS("init", 4),
    ROWS("streams", 1.2),
    ROWS("races,sync", 10),
    {"CUPIPE_MATH=exact nbody", "fast", .unit = BENCH_MS, .goal = BENCH_RATIO_AT_MOST, .limit = 1.5,
     .measure = measure},
    {.name = NULL},
};
