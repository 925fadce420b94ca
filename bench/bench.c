/* SPDX-License-Identifier: MIT */
/* Runs the rows and prints the table. Arguments are words: only rows whose name contains one are
 * run. A goal that is missed is said in the table and changes nothing else: no test asserts a time.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct bench_row *const groups[] = {
    bench_call_rows,          bench_lookup_rows,  bench_thread_rows,     bench_process_rows,
    bench_bulk_rows,          bench_shape_rows,   bench_decompress_rows, bench_stream_rows,
    bench_shared_rows,        bench_flat_rows,    bench_opengl_rows,     bench_vulkan_rows,
    bench_semaphore_rows,     bench_kernel_rows,  bench_compile_rows,    bench_texture_rows,
    bench_sampling_rows,      bench_waiting_rows, bench_runtime_rows,    bench_graph_rows,
    bench_first_launch_rows,  bench_matrix_rows,  bench_check_rows,      bench_host_work_rows,
    bench_compile_large_rows,
};

enum {
    NAME_WIDTH = 40,
    GROUP_COUNT = sizeof(groups) / sizeof(groups[0]),
};

static bool is_wanted(const struct bench_row *row, char **words)
{
    if (!*words)
        return true;
    for (; *words; words++) {
        if (strstr(row->name, *words))
            return true;
    }
    return false;
}

static void format_value(char *text, size_t text_bytes, double value, enum bench_unit unit)
{
    static const char *const names[] = {
        [BENCH_NS] = "ns",
        [BENCH_MS] = "ms",
        [BENCH_GB_A_SECOND] = "GB/s",
        [BENCH_MILLION_A_SECOND] = "M/s",
        [BENCH_CORES] = "",
        [BENCH_BYTES] = "B",
    };

    if (value == 0)
        snprintf(text, text_bytes, "-");
    else
        snprintf(text, text_bytes, "%.*f %s", value < 100 ? 2 : 0, value, names[unit]);
}

static void format_reference(char *text, size_t text_bytes, const struct bench_row *row,
                             double value)
{
    char number[32];

    format_value(number, sizeof(number), value, row->unit);
    snprintf(text, text_bytes, "%s%s%s", row->reference ? row->reference : "",
             row->reference ? " " : "", number);
}

static void format_goal(char *text, size_t text_bytes, const struct bench_row *row)
{
    char number[32];

    format_value(number, sizeof(number), row->limit, row->unit);
    switch (row->goal) {
    case BENCH_INFORM:
        snprintf(text, text_bytes, "-");
        break;
    case BENCH_RATIO_AT_MOST:
        snprintf(text, text_bytes, "<= %g x", row->limit);
        break;
    case BENCH_RATIO_AT_LEAST:
        snprintf(text, text_bytes, ">= %g x", row->limit);
        break;
    case BENCH_VALUE_AT_MOST:
        snprintf(text, text_bytes, "<= %s", number);
        break;
    }
}

static const char *verdict(const struct bench_row *row, struct bench_result result)
{
    double ratio = result.reference ? result.subject / result.reference : 0;
    bool met = true;

    if (result.subject == 0)
        return "skipped";
    switch (row->goal) {
    case BENCH_INFORM:
        return "-";
    case BENCH_RATIO_AT_MOST:
        met = ratio <= row->limit;
        break;
    case BENCH_RATIO_AT_LEAST:
        met = ratio >= row->limit;
        break;
    case BENCH_VALUE_AT_MOST:
        met = result.subject <= row->limit;
        break;
    }
    if (result.disturbed)
        return met ? "ok*" : "MISSED*";
    return met ? "ok" : "MISSED";
}

static void print_heading(void)
{
    printf("%u processors; of each the best of many rounds, in turn with the reference;\n"
           "M is one malloc and free of 4 KiB; H200 is NVIDIA's driver 580.159.04 on that card\n\n",
           bench_cpu_count());
    printf("%-*s %12s %22s %9s %10s %-7s %10s\n", NAME_WIDTH, "", "measured", "reference", "ratio",
           "goal", "met", "H200");
}

static void print_row(const struct bench_row *row, struct bench_result result)
{
    char subject[32], reference[64], ratio[32] = "-", goal[48], recorded[32];

    format_value(subject, sizeof(subject), result.subject, row->unit);
    format_reference(reference, sizeof(reference), row, result.reference);
    if (result.reference)
        snprintf(ratio, sizeof(ratio), "%.2f x", result.subject / result.reference);
    format_goal(goal, sizeof(goal), row);
    format_value(recorded, sizeof(recorded), bench_recorded(row->name), row->unit);
    printf("%-*s %12s %22s %9s %10s %-7s %10s%s%s\n", NAME_WIDTH, row->name, subject, reference,
           ratio, goal, verdict(row, result), recorded, *result.note ? "  " : "", result.note);
    fflush(stdout);
}

/* One line that the next row overwrites; empty at the end. */
static void progress(const char *name)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s", name);
}

/* How many rows were run; *disturbed becomes true if one of them was. */
static unsigned run_group(const struct bench_row *row, char **words, bool *disturbed)
{
    unsigned count = 0;

    for (; row->name; row++) {
        if (!is_wanted(row, words))
            continue;
        progress(row->name);
        struct bench_result result = row->measure(row);
        progress("");
        print_row(row, result);
        if (result.disturbed && row->goal != BENCH_INFORM)
            *disturbed = true;
        count++;
    }
    return count;
}

/* OpenMP's threads spin for milliseconds after a loop, and would take the processors from the other
 * side. Its runtime reads the variable before main() runs, OpenBLAS its own when it is loaded. */
static void restart_with_settings(char **arguments)
{
    if (getenv("OMP_WAIT_POLICY"))
        return;
    bench_set_up_openblas();
    if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
        execv("/proc/self/exe", arguments);
}

int main(int argument_count, char **arguments)
{
    unsigned count = 0;
    bool disturbed = false;

    restart_with_settings(arguments);
    if (argument_count == 2 && strcmp(arguments[1], "--first-launch") == 0) {
        bench_first_launch();
        return 0;
    }
    if (argument_count == 4 && strcmp(arguments[1], "--first-launch-of") == 0)
        return bench_first_launch_child(arguments[2], arguments[3]);
    if (argument_count == 3 && strcmp(arguments[1], "--compile") == 0)
        return bench_compile_child(arguments[2]);
    if (argument_count == 2 && strncmp(arguments[1], "--", 2) == 0)
        return bench_child_main(arguments[1]);
    /* Rows about kernels say what they cost once they are compiled. */
    setenv("CUPIPE_JIT", "optimised", 0);
    bench_open();
    print_heading();
    for (size_t i = 0; i < GROUP_COUNT; i++)
        count += run_group(groups[i], arguments + 1, &disturbed);
    if (count == 0) {
        fprintf(stderr, "bench: no row's name contains a word given\n");
        return 2;
    }
    if (disturbed)
        printf("\n* other programs kept this row from using all processors: the ratio may be off, "
               "either way\n");
    return 0;
}
