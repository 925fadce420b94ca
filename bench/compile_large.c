/* SPDX-License-Identifier: MIT */
/* What the tiers after the first take for large kernels: all kernels of a call of Thrust, by
 * processor time, in a process of its own with one worker and without the disk cache. The reference
 * is ptxas -O3 of the same text. The text is made here, where a toolkit is installed. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROUNDS = 3, MOST_KERNELS = 64 };

static const struct source {
    const char *name, *text;
} sources[] = {
    {"sort", "#include <thrust/execution_policy.h>\n#include <thrust/sort.h>\n"
             "void f(unsigned *p, int n)\n"
             "{\n    thrust::sort(thrust::device, p, p + n);\n}\n"},
    {"reduce", "#include <thrust/execution_policy.h>\n#include <thrust/reduce.h>\n"
               "void f(unsigned *p, float *v, unsigned *q, float *w, int n)\n"
               "{\n    thrust::reduce_by_key(thrust::device, p, p + n, v, q, w);\n}\n"},
};

/* The child process: prints the processor time of compiling all kernels, in nanoseconds. */
int bench_compile_child(const char *path)
{
    CUfunction functions[MOST_KERNELS];
    CUmodule module;
    unsigned count;

    bench_open();
    must(cuModuleLoad(&module, path));
    must(cuModuleGetFunctionCount(&count, module));
    count = count < MOST_KERNELS ? count : MOST_KERNELS;
    must(cuModuleEnumerateFunctions(functions, count, module));
    double start = bench_processor_ns();
    for (unsigned i = 0; i < count; i++)
        must(cuFuncLoad(functions[i]));
    printf("%.0f\n", bench_processor_ns() - start);
    return 0;
}

static double compile_ns(const char *tier, const char *path)
{
    char command[1024];
    double time = 0;

    snprintf(command, sizeof command,
             "CUPIPE_CACHE=off CUPIPE_THREADS=1 CUPIPE_JIT=%s /proc/%d/exe --compile %s", tier,
             (int)getpid(), path);
    FILE *answer = popen(command, "r");
    if (answer && fscanf(answer, "%lf", &time) != 1)
        time = 0;
    return answer && pclose(answer) == 0 ? time : 0;
}

static double children_ns(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return 1e9 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double ptxas_processor_ns(const char *path)
{
    double start = children_ns();

    return bench_ptxas_ns(path) == 0 ? 0 : children_ns() - start;
}

static bool make_text(const struct source *source, const char *folder)
{
    char command[512];
    FILE *file;

    snprintf(command, sizeof command, "%s/%s.cu", folder, source->name);
    file = fopen(command, "w");
    if (!file)
        return false;
    fputs(source->text, file);
    fclose(file);
    snprintf(command, sizeof command,
             "nvcc -ptx -arch=sm_75 -std=c++17 -O3 %s/%s.cu -o %s/kernels.ptx 2>/dev/null", folder,
             source->name, folder);
    return system(command) == 0;
}

static void keep_least(double *least, double ns)
{
    if (*least == 0 || ns / 1e6 < *least)
        *least = ns / 1e6;
}

/* row->bytes is the source, row->calls is 1 for the hot tier. */
static struct bench_result measure(const struct bench_row *row)
{
    const char *tier = row->calls ? "hot" : "optimised";
    struct bench_result result = {0};
    char folder[] = "/tmp/cupipe_bench_XXXXXX", text[256];

    if (!mkdtemp(folder))
        return result;
    if (!make_text(&sources[row->bytes], folder))
        snprintf(result.note, sizeof result.note, "no CUDA toolkit here to make the kernels");
    snprintf(text, sizeof text, "%s/kernels.ptx", folder);
    for (int round = 0; round < ROUNDS && !result.note[0]; round++) {
        double subject = compile_ns(tier, text), reference = ptxas_processor_ns(text);

        keep_least(&result.subject, subject);
        if (reference)
            keep_least(&result.reference, reference);
        else
            snprintf(result.note, sizeof result.note, "no ptxas here");
    }
    snprintf(text, sizeof text, "rm -rf %s", folder);
    if (system(text) != 0)
        fprintf(stderr, "bench: %s is left behind\n", folder);
    return result;
}

const struct bench_row bench_compile_large_rows[] = {
    {.name = "compiling Thrust's sort, optimised",
     .reference = "ptxas -O3",
     .unit = BENCH_MS,
     .measure = measure},
    {.name = "compiling Thrust's sort, hot",
     .reference = "ptxas -O3",
     .unit = BENCH_MS,
     .measure = measure,
     .calls = 1},
    {.name = "compiling Thrust's reduce_by_key, optimised",
     .reference = "ptxas -O3",
     .unit = BENCH_MS,
     .measure = measure,
     .bytes = 1},
    {.name = "compiling Thrust's reduce_by_key, hot",
     .reference = "ptxas -O3",
     .unit = BENCH_MS,
     .measure = measure,
     .bytes = 1,
     .calls = 1},
    {.name = NULL},
};
