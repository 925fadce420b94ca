/* SPDX-License-Identifier: MIT */
/* Every request to the system fails once. The program runs itself with CUPIPE_FAIL=os:1, os:2 and
 * so on, until a run gets through without a failure; each run does a bit of work of every
 * capability, and again. The first time calls may answer an error, the second time none may: one
 * failure must leave nothing behind. At the end there are as many descriptors, mapped and allocated
 * bytes in use as in a run without failures.
 *
 * With the cache of kernels off (CUPIPE_CACHE), the compiler's own requests fail, too.
 *
 * usage: faults [FIRST [LAST]] [CAPABILITY]   without a name: all together
 *        faults run CAPABILITY         one run, as the environment says */
#include "capabilities.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 60, AT_ONCE = 2, LAST_MAX = 100000 };

/* What a run has in use at its end. */
struct use {
    unsigned descriptors, mappings;
    size_t free_bytes, heap_bytes;
    unsigned compiler; /* 1: it was loaded, and has memory of its own */
    int failed, asked; /* of the library's report */
};

static unsigned count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;

    while (folder && readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* MiB of mapped memory files. The stacks and heaps of threads come and go. */
static unsigned count_mappings(unsigned *compiler)
{
    FILE *file = fopen("/proc/self/maps", "r");
    unsigned long bytes = 0;
    char line[4096];

    while (file && fgets(line, sizeof(line), file)) {
        unsigned long from, to;

        if (strstr(line, "memfd:") && sscanf(line, "%lx-%lx", &from, &to) == 2)
            bytes += to - from;
        *compiler |= strstr(line, "cupipe-jit") != NULL;
    }
    fclose(file);
    return (unsigned)(bytes >> 20);
}

static int begin(void)
{
    CUcontext context;
    CUresult result = cuInit(0);

    if (result == CUDA_SUCCESS)
        result = cuDevicePrimaryCtxRetain(&context, 0);
    if (result == CUDA_SUCCESS) {
        result = cuCtxSetCurrent(context);
        if (result != CUDA_SUCCESS)
            cuDevicePrimaryCtxRelease(0);
    }
    return result;
}

/* Registered memory takes a table for each 256 MiB of addresses that it is in, and the table stays.
 * Memory of the heap lies in one of them or in two, as addresses are drawn; aligned to its size it
 * is always in one. */
static unsigned char place[WORK_PLACE_BYTES] __attribute__((aligned(WORK_PLACE_BYTES)));

/* 0: all well; 1: an error was answered; 2: something was wrong. */
static int work_once(const char *only, bool strict)
{
    int verdict = 0;

    for (unsigned i = 0; i < capability_count; i++) {
        struct work work = {.random = 7, .largest = 3 << 20, .place = place};

        if (only ? strcmp(only, capabilities[i].name) != 0 : capabilities[i].alone)
            continue;
        if (capabilities[i].run(&work))
            continue;
        if (work.wrong || strict || getenv("FAULTS_VERBOSE"))
            fprintf(stderr, "%s: %s%s answers %d\n", capabilities[i].name,
                    work.wrong ? work.wrong : "", work.call ? work.call : "", work.result);
        if (work.wrong || strict)
            return 2;
        verdict = 1;
    }
    return verdict;
}

/* A run. It ends by exit, so that the library reports how often it asked the system. */
static int run(const char *only)
{
    struct use use = {0};
    size_t total;

    mallopt(M_ARENA_MAX, 1);
    alarm(SECONDS);
    if (begin() != CUDA_SUCCESS && begin() != CUDA_SUCCESS) {
        fprintf(stderr, "the library cannot be initialised after one failure\n");
        return 3;
    }
    if (work_once(only, false) == 2)
        return 3;
    /* The failure may come only now, and then once. */
    if (work_once(only, true) != 0 && work_once(only, true) != 0)
        return 3;
    if (cuCtxSynchronize() != CUDA_SUCCESS || cuMemGetInfo(&use.free_bytes, &total) != CUDA_SUCCESS)
        return 3;
    use.descriptors = count_descriptors();
    use.mappings = count_mappings(&use.compiler);
    use.heap_bytes = mallinfo2().uordblks + mallinfo2().hblkhd;
    printf("%u %u %zu %zu %u\n", use.descriptors, use.mappings, use.free_bytes, use.heap_bytes,
           use.compiler);
    return 0;
}

/* Blocks that vary from run to run: of stdio, the dynamic linker, and the library's record of a
 * worker (4 KB with its vector registers), which is made when the worker first runs something. */
enum { HEAP_SLACK = 6144 };

static size_t varies; /* of the capability */

struct process {
    pid_t pid;
    FILE *output;
    unsigned number;
};

static struct process start(unsigned number, const char *only)
{
    int fd = memfd_create("output", MFD_CLOEXEC);
    struct process process = {.output = fdopen(fd, "w+"), .number = number};

    if (!process.output)
        abort();
    fflush(NULL);
    process.pid = fork();
    if (process.pid == 0) {
        char rule[32];

        dup2(fileno(process.output), STDOUT_FILENO);
        dup2(fileno(process.output), STDERR_FILENO);
        snprintf(rule, sizeof(rule), "os:%u", number);
        setenv("CUPIPE_FAIL", rule, 1);
        setenv("CUPIPE_MEMORY", "256M", 0);
        setenv("CUPIPE_THREADS", varies ? "1" : "2", 0);
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1);
        execl("/proc/self/exe", "faults", "run", only, (char *)NULL);
        _exit(4);
    }
    return process;
}

static bool read_use(FILE *output, struct use *use)
{
    char line[4096];
    int found = 0;

    rewind(output);
    while (fgets(line, sizeof(line), output)) {
        if (sscanf(line, "%u %u %zu %zu %u", &use->descriptors, &use->mappings, &use->free_bytes,
                   &use->heap_bytes, &use->compiler) == 5)
            found |= 1;
        const char *report = strstr(line, " failed ");
        if (report && sscanf(report, " failed %d of %d", &use->failed, &use->asked) == 2)
            found |= 2;
    }
    return found == 3;
}

static void print_output(FILE *output)
{
    char line[4096];

    rewind(output);
    while (fgets(line, sizeof(line), output))
        printf("# %s", line);
}

static bool is_as_before(const struct use *use, const struct use *usual)
{
    return use->descriptors <= usual->descriptors && use->mappings <= usual->mappings &&
           use->free_bytes >= usual->free_bytes &&
           (use->compiler != usual->compiler ||
            use->heap_bytes <= usual->heap_bytes + HEAP_SLACK + varies);
}

/* True when the run was good. *more: it had a failure in it. */
static bool finish(struct process *process, const struct use *usual, struct use *use, bool *more)
{
    int status;
    bool good;

    waitpid(process->pid, &status, 0);
    memset(use, 0, sizeof(*use));
    good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && read_use(process->output, use);
    if (!good) {
        printf("# os:%u ended with status %#x\n", process->number, (unsigned)status);
    } else if (usual && !is_as_before(use, usual)) {
        good = false;
        printf("# os:%u leaves %u descriptors, %u MiB mapped, %zu free, %zu in use, "
               "and not %u, %u, %zu, %zu\n",
               process->number, use->descriptors, use->mappings, use->free_bytes, use->heap_bytes,
               usual->descriptors, usual->mappings, usual->free_bytes, usual->heap_bytes);
    }
    if (!good)
        print_output(process->output);
    *more = !good || use->failed > 0;
    fclose(process->output);
    return good;
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    struct use usual, use;
    unsigned next = 1, last = LAST_MAX, bad = 0, done = 0;
    bool more = true;

    if (argc >= 2 && strcmp(argv[1], "run") == 0)
        exit(run(argv[2]));
    for (int i = 1, numbers = 0; i < argc; i++) {
        if (argv[i][0] < '0' || argv[i][0] > '9')
            only = argv[i];
        else if (numbers++ == 0)
            next = (unsigned)atoi(argv[i]);
        else
            last = (unsigned)atoi(argv[i]);
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (unsigned i = 0; only && i < capability_count; i++)
        varies += strcmp(only, capabilities[i].name) == 0 ? capabilities[i].varies : 0;
    struct process first = start(LAST_MAX, only); /* fills the cache of kernels, too */
    finish(&first, NULL, &usual, &more);
    first = start(LAST_MAX, only);
    if (!finish(&first, NULL, &usual, &more)) {
        printf("not ok 1 - a run without failures\n1..1\n");
        return 1;
    }
    printf("# %d requests; %u descriptors, %u MiB mapped, %zu free, %zu in use\n", usual.asked,
           usual.descriptors, usual.mappings, usual.free_bytes, usual.heap_bytes);
    for (more = true; more && next <= last; next += AT_ONCE) {
        struct process processes[AT_ONCE];
        bool any = false;

        for (unsigned i = 0; i < AT_ONCE; i++)
            processes[i] = start(next + i, only);
        for (unsigned i = 0; i < AT_ONCE; i++) {
            bad += !finish(&processes[i], &usual, &use, &more);
            done += more;
            any |= more;
        }
        more = any && bad < 20;
    }
    printf("%s 1 - each of %u requests to the system fails once\n1..1\n", bad ? "not ok" : "ok",
           done);
    return bad != 0;
}
