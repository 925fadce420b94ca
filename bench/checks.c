/* SPDX-License-Identifier: MIT */
/* What the checks of CUPIPE_CHECK cost: the kernels of kernels.c with a check on, against the same
 * without checks. The driver reads the variable once, so both are processes of their own. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 3 };

const char bench_mode_kernel[] = "--kernel=";

/* "memory vecadd": the check, and the kernel. */
static double ask(const char *check, const char *kernel)
{
    char mode[64];

    snprintf(mode, sizeof mode, "%s%s", bench_mode_kernel, kernel);
    if (check)
        setenv("CUPIPE_CHECK", check, 1);
    double ms = bench_child_ask(mode);
    unsetenv("CUPIPE_CHECK");
    return ms;
}

static struct bench_result measure(const struct bench_row *row)
{
    struct bench_result best = {0};
    char check[32], kernel[32];

    if (sscanf(row->name, "CUPIPE_CHECK=%31s %31s", check, kernel) != 2)
        return best;
    for (int i = 0; i < TURNS; i++) {
        double checked = ask(check, kernel), plain = ask(NULL, kernel);

        best.subject = i == 0 || checked < best.subject ? checked : best.subject;
        best.reference = i == 0 || plain < best.reference ? plain : best.reference;
    }
    return best;
}

#define ROW(check, kernel, most)                                                                   \
    {                                                                                              \
        "CUPIPE_CHECK=" check " " kernel, "off", .unit = BENCH_MS, .goal = BENCH_RATIO_AT_MOST,    \
                                                 .limit = most, .measure = measure                 \
    }
#define ROWS(check, most)                                                                          \
    ROW(check, "vecadd", most), ROW(check, "matmul", most), ROW(check, "matmul_tiled", most),      \
        ROW(check, "reduce", most), ROW(check, "nbody", most)

const struct bench_row bench_check_rows[] = {
    ROWS("memory", 2),      ROWS("init", 4), ROWS("streams", 1.2),
    ROWS("races,sync", 10), {.name = NULL},
};
