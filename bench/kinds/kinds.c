/* SPDX-License-Identifier: MIT */
/* Runs the kinds, both sides in turns, and prints their times, ratios and the geometric mean.
 * Arguments are words: only kinds whose name contains one are run. The hot tier is measured, unless
 * CUPIPE_JIT says otherwise. Results that disagree end the program with 1. */
#include "kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 6, ROUNDS_LEAST = 5, ROUNDS_MOST = 40 };

static const double patience_ns = 1.5e9;

static const struct kind *const groups[GROUPS] = {image_kinds,  irregular_kinds, sorting_kinds,
                                                  number_kinds, cipher_kinds,    layer_kinds};

/* The least of each over all rounds. */
struct least {
    double wall_ns, processor_ns;
};

static struct {
    double logarithms, processor_logarithms, worst;
    const char *worst_name;
    unsigned count;
} sums;

static bool is_wanted(const char *name, char **words)
{
    if (!*words)
        return true;
    for (; *words; words++)
        if (strstr(name, *words))
            return true;
    return false;
}

static void run_cuda(const struct kind *kind)
{
    kind->cuda();
    must(cuCtxSynchronize());
}

static void keep_least(double *least, double value)
{
    if (*least == 0 || value < *least)
        *least = value;
}

static void time_side(struct least *least, const struct kind *kind, bool is_cuda)
{
    double wall = bench_now_ns(), processor = bench_processor_ns();

    if (is_cuda)
        run_cuda(kind);
    else
        kind->native();
    keep_least(&least->wall_ns, bench_now_ns() - wall);
    keep_least(&least->processor_ns, bench_processor_ns() - processor);
}

static void print_kind(const char *name, struct least cuda, struct least native)
{
    double ratio = cuda.wall_ns / native.wall_ns,
           processor_ratio = cuda.processor_ns / native.processor_ns;

    printf("%-38s %9.2f ms %9.2f ms %7.2f %7.2f\n", name, cuda.wall_ns / 1e6, native.wall_ns / 1e6,
           ratio, processor_ratio);
    fflush(stdout);
    sums.logarithms += log(ratio);
    sums.processor_logarithms += log(processor_ratio);
    sums.count++;
    if (ratio > sums.worst) {
        sums.worst = ratio;
        sums.worst_name = name;
    }
}

/* False if the results disagree. */
static bool measure(const struct kind *kind)
{
    struct least cuda = {0}, native = {0};

    kind->open();
    run_cuda(kind);
    kind->native();
    double start = bench_now_ns();
    for (int i = 0; i < ROUNDS_MOST; i++) {
        if (i >= ROUNDS_LEAST && bench_now_ns() - start > patience_ns)
            break;
        time_side(&native, kind, false);
        time_side(&cuda, kind, true);
    }
    bool agree = kind->agree();
    data_free_all();
    if (!agree) {
        fprintf(stderr, "kinds: %s: the results disagree\n", kind->name);
        return false;
    }
    print_kind(kind->name, cuda, native);
    return true;
}

int main(int argc, char **argv)
{
    bool all_agree = true;

    (void)argc;
    setenv("CUPIPE_JIT", "hot", 0);
#ifdef KINDS_CPU
    setenv("CUPIPE_CPU", KINDS_CPU, 1);
#endif
    bench_open();
    printf("%u processors; of each side the best of many rounds, in turns\n\n", bench_cpu_count());
    printf("%-38s %12s %12s %7s %7s\n", "", "CUDA", "C", "ratio", "by processor time");
    for (int i = 0; i < GROUPS; i++)
        for (const struct kind *kind = groups[i]; kind->name; kind++)
            if (is_wanted(kind->name, argv + 1))
                all_agree &= measure(kind);
    if (sums.count > 0)
        printf("\ngeometric mean %.2f, by processor time %.2f; worst %.2f: %s\n",
               exp(sums.logarithms / sums.count), exp(sums.processor_logarithms / sums.count),
               sums.worst, sums.worst_name);
    return all_agree ? 0 : 1;
}
