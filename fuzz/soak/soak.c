/* SPDX-License-Identifier: MIT */
/* A mixed random load over all capabilities, in several threads, for as long as asked; every byte
 * that comes back is compared. Sixty times in that time all threads rest, with nothing in use, and
 * the process is measured: it may not grow.
 *
 *     soak [SECONDS [THREADS [SEED [PART...]]]]        600 seconds, 2 threads, all parts
 *
 * A round that fails is named with its seed; `soak once PART SEED DEVICE` does that round alone. */
#include "soak.h"

#include "../../tests/faults/capabilities.h"

#include <dirent.h>
#include <execinfo.h>
#include <ftw.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 64, RESTS = 60, PARTS_MAX = 64 };

_Thread_local struct soak *soak;

static const char *wanted[PARTS_MAX];
static unsigned wanted_count;
static double start_time, seconds = 600;
static unsigned thread_count = 2;
static pthread_barrier_t barrier;
static _Atomic(bool) rest, ends;
static _Atomic(uint64_t) rounds[PARTS_MAX], bytes[PARTS_MAX];
static int real_stdout;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

uint64_t draw(uint64_t below)
{
    soak->random ^= soak->random << 13;
    soak->random ^= soak->random >> 7;
    soak->random ^= soak->random << 17;
    return (soak->random >> 11) % below;
}

size_t draw_size(size_t at_most)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(at_most);
    size_t size = 1 + draw((size_t)1 << (1 + draw(bits)));

    return size < at_most ? size : at_most;
}

bool one_in(unsigned count)
{
    return draw(count) == 0;
}

void fill(void *memory, size_t count, uint64_t seed)
{
    unsigned char *byte = memory;
    uint64_t value = seed * 0x9e3779b97f4a7c15u + 1;

    for (; count >= 8; byte += 8, count -= 8) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        uint64_t mixed = value ^ value >> 29;
        memcpy(byte, &mixed, 8);
    }
    for (; count; byte++, count--)
        *byte = (unsigned char)(value >> (count * 7));
}

void *room(size_t size)
{
    void *memory = malloc(size ? size : 1);

    must_be(memory != NULL);
    return memory;
}

void soak_fail(const char *file, int line, const char *format, ...)
{
    static _Atomic(bool) said;
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (!atomic_exchange(&said, true))
        dprintf(real_stdout, "FAILED after %.0f s: %s with %#llx on device %d: %s:%d: %s\n",
                now() - start_time, soak ? soak->part : "main",
                soak ? (unsigned long long)soak->seed : 0, soak ? soak->device : 0, file, line,
                text);
    _exit(1);
}

void soak_must(CUresult result, const char *call, const char *file, int line)
{
    const char *name = NULL;

    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    soak_fail(file, line, "%s answers %s", call, name ? name : "?");
}

void same(const void *came, const void *expected, size_t count, const char *what)
{
    const unsigned char *a = came, *b = expected;
    size_t at = 0;

    soak->bytes += count;
    if (memcmp(came, expected, count) == 0)
        return;
    while (a[at] == b[at])
        at++;
    soak_fail(__FILE__, __LINE__, "%s: byte %zu of %zu is %#x and not %#x", what, at, count, a[at],
              b[at]);
}

/* The work the faults are injected into, which is sequences with set sizes of all capabilities. */
static void run_fixed(void)
{
    const struct capability *one = &capabilities[draw(capability_count)];
    struct work work = {.random = 1 + draw(UINT64_MAX), .largest = 4 << 20};

    if (!one->run(&work))
        soak_fail(__FILE__, __LINE__, "%s: %s%s answers %d", one->name,
                  work.wrong ? work.wrong : "", work.call ? work.call : "", work.result);
    soak->bytes += work.bytes;
}

const struct part parts[] = {
    {"copies", soak_copies, 8, false},         {"order", soak_order, 8, false},
    {"virtual", soak_virtual, 4, false},       {"external", soak_external, 4, false},
    {"managed", soak_managed, 4, false},       {"sparse", soak_sparse, 2, false},
    {"decompress", soak_decompress, 2, false}, {"kernels", soak_kernels, 6, false},
    {"links", soak_links, 2, false},           {"textures", soak_textures, 4, false},
    {"print", soak_print, 2, false},           {"contexts", soak_contexts, 3, false},
    {"processes", soak_processes, 1, false},   {"fixed", run_fixed, 8, false},
    {"graphs", soak_graphs, 4, false},         {"opengl", soak_opengl, 3, true},
};
const unsigned part_count = sizeof(parts) / sizeof(parts[0]);

static bool is_wanted(const struct part *part, bool opengl)
{
    bool named = wanted_count == 0;

    for (unsigned i = 0; i < wanted_count; i++)
        named |= strcmp(part->name, wanted[i]) == 0;
    return named && (opengl || !part->needs_opengl);
}

static const struct part *choose(uint64_t *random, bool opengl)
{
    unsigned total = 0;

    for (unsigned i = 0; i < part_count; i++)
        total += is_wanted(&parts[i], opengl) ? parts[i].weight : 0;
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    unsigned left = (unsigned)(*random >> 33) % (total ? total : 1);
    for (unsigned i = 0; i < part_count; i++) {
        unsigned weight = is_wanted(&parts[i], opengl) ? parts[i].weight : 0;
        if (left < weight)
            return &parts[i];
        left -= weight;
    }
    soak_fail(__FILE__, __LINE__, "there is no such part");
}

static void run_round(const struct part *part, uint64_t seed, CUdevice device)
{
    soak->part = part->name;
    soak->seed = seed;
    soak->random = seed | 1;
    soak->bytes = 0;
    soak->device = device;
    must(cuDevicePrimaryCtxRetain(&soak->context, device));
    must(cuCtxSetCurrent(soak->context));
    part->run();
    must(cuCtxSetCurrent(NULL));
    must(cuDevicePrimaryCtxRelease(device));
    atomic_fetch_add(&rounds[part - parts], 1);
    atomic_fetch_add(&bytes[part - parts], soak->bytes);
}

static void *load(void *seed)
{
    struct soak own = {.part = "the start"};
    uint64_t random = (uint64_t)(uintptr_t)seed;
    int devices;

    soak = &own;
    must(cuDeviceGetCount(&devices));
    bool opengl = soak_opengl_open();
    while (!atomic_load(&ends)) {
        const struct part *part = choose(&random, opengl);
        run_round(part, random, (CUdevice)((random >> 17) % (unsigned)devices));
        if (atomic_load(&rest)) {
            pthread_barrier_wait(&barrier);
            pthread_barrier_wait(&barrier);
        }
    }
    soak_opengl_close();
    return NULL;
}

struct use {
    long resident_kib, allocated_kib, descriptors, mappings, threads; /* allocated: by malloc() */
};

static long count_entries(const char *path)
{
    DIR *folder = opendir(path);
    long count = -3; /* itself, and the two names of folders */

    while (folder && readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static struct use measure(void)
{
    struct use use = {0};
    long total;
    int character;

    malloc_trim(0);
    struct mallinfo2 heap = mallinfo2();
    use.allocated_kib = (long)((heap.uordblks + heap.hblkhd) >> 10);
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &total, &use.resident_kib) != 2)
        soak_fail(__FILE__, __LINE__, "/proc cannot be read");
    fclose(file);
    use.resident_kib *= sysconf(_SC_PAGESIZE) >> 10;
    file = fopen("/proc/self/maps", "r");
    while (file && (character = getc(file)) != EOF)
        use.mappings += character == '\n';
    fclose(file);
    use.descriptors = count_entries("/proc/self/fd");
    use.threads = count_entries("/proc/self/task") + 1;
    return use;
}

static void totals(uint64_t *all_rounds, double *gib)
{
    *all_rounds = 0;
    *gib = 0;
    for (unsigned i = 0; i < part_count; i++) {
        *all_rounds += atomic_load(&rounds[i]);
        *gib += (double)atomic_load(&bytes[i]) / (1 << 30);
    }
}

static struct use rest_and_measure(unsigned number)
{
    uint64_t all;
    double gib;

    atomic_store(&rest, true);
    pthread_barrier_wait(&barrier);
    atomic_store(&rest, false);
    struct use use = measure();
    totals(&all, &gib);
    dprintf(real_stdout,
            "%2u: %6.0f s, %8llu rounds, %8.2f GiB; at rest %ld KiB, %ld of them allocated, "
            "%ld descriptors, %ld mappings, %ld threads\n",
            number, now() - start_time, (unsigned long long)all, gib, use.resident_kib,
            use.allocated_kib, use.descriptors, use.mappings, use.threads);
    if (number == RESTS)
        atomic_store(&ends, true);
    pthread_barrier_wait(&barrier);
    return use;
}

static struct use most(struct use a, struct use b)
{
    a.resident_kib = a.resident_kib > b.resident_kib ? a.resident_kib : b.resident_kib;
    a.allocated_kib = a.allocated_kib > b.allocated_kib ? a.allocated_kib : b.allocated_kib;
    a.descriptors = a.descriptors > b.descriptors ? a.descriptors : b.descriptors;
    a.mappings = a.mappings > b.mappings ? a.mappings : b.mappings;
    a.threads = a.threads > b.threads ? a.threads : b.threads;
    return a;
}

/* The caches of kernels and of malloc fill up in the first tenth; a short soak ends before that. */
static bool has_grown(const struct use *early, const struct use *late)
{
    return seconds >= 300 &&
           (late->resident_kib > early->resident_kib + early->resident_kib / 8 + (16 << 10) ||
            late->allocated_kib > early->allocated_kib + early->allocated_kib / 8 + (2 << 10) ||
            late->descriptors > early->descriptors + 4 ||
            late->mappings > early->mappings + early->mappings / 4 + 64 ||
            late->threads > early->threads + 4);
}

static void report(const struct use *early, const struct use *late)
{
    uint64_t all;
    double gib;

    totals(&all, &gib);
    for (unsigned i = 0; i < part_count; i++)
        dprintf(real_stdout, "%-12s %9llu rounds %10.3f GiB\n", parts[i].name,
                (unsigned long long)atomic_load(&rounds[i]),
                (double)atomic_load(&bytes[i]) / (1 << 30));
    dprintf(
        real_stdout,
        "%.0f s, %u threads: %llu rounds, %.1f GiB compared; at rest, at most, in the first and "
        "last tenth: "
        "%ld and %ld KiB, %ld and %ld of them allocated, %ld and %ld descriptors, %ld and %ld "
        "mappings, %ld and %ld threads\n",
        now() - start_time, thread_count, (unsigned long long)all, gib, early->resident_kib,
        late->resident_kib, early->allocated_kib, late->allocated_kib, early->descriptors,
        late->descriptors, early->mappings, late->mappings, early->threads, late->threads);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

/* Compiled kernels go to a folder of this run, and what kernels print to a file of memory. */
static char cache_folder[64];

static void prepare(void)
{
    int output = memfd_create("soak output", MFD_CLOEXEC);

    strcpy(cache_folder, "/tmp/soak-XXXXXX");
    must_be(mkdtemp(cache_folder) != NULL);
    setenv("CUPIPE_CACHE", cache_folder, 0);
    setenv("CUPIPE_DEVICES", "3", 0);
    real_stdout = dup(STDOUT_FILENO);
    must_be(output >= 0 && real_stdout >= 0 && dup2(output, STDOUT_FILENO) == STDOUT_FILENO);
    close(output);
    start_time = now();
    must(cuInit(0));
}

static int run_all(uint64_t seed)
{
    pthread_t ids[THREADS_MAX];
    struct use early = {0}, late = {0};

    pthread_barrier_init(&barrier, NULL, thread_count + 1);
    for (unsigned i = 0; i < thread_count; i++)
        pthread_create(&ids[i], NULL, load, (void *)(uintptr_t)(seed * THREADS_MAX + i + 1));
    for (unsigned i = 1; i <= RESTS; i++) {
        double left = start_time + seconds * i / RESTS - now();
        struct timespec pause = {(time_t)(left > 0 ? left : 0), 0};
        pause.tv_nsec = left > 0 ? (long)((left - (double)pause.tv_sec) * 1e9) : 0;
        nanosleep(&pause, NULL);
        struct use use = rest_and_measure(i);
        if (i <= RESTS / 10)
            early = most(early, use);
        if (i > RESTS - RESTS / 10)
            late = most(late, use);
    }
    for (unsigned i = 0; i < thread_count; i++)
        pthread_join(ids[i], NULL);
    report(&early, &late);
    if (has_grown(&early, &late)) {
        dprintf(real_stdout, "the process grew\n");
        return 1;
    }
    return 0;
}

static int run_once(const char *name, uint64_t seed, CUdevice device)
{
    struct soak own = {.part = name};

    soak = &own;
    soak_opengl_open();
    for (unsigned i = 0; i < part_count; i++) {
        if (strcmp(parts[i].name, name) == 0)
            run_round(&parts[i], seed, device);
    }
    return 0;
}

/* A crash is rare and may never come again: says where it was, and on which parts threads were. */
static void crashed(int number, siginfo_t *info, void *unused)
{
    void *frames[64];
    char text[160];

    (void)unused;
    int length =
        snprintf(text, sizeof(text), "CRASHED: signal %d at address %p, in round with seed %#llx\n",
                 number, info->si_addr, soak ? (unsigned long long)soak->seed : 0);
    if (write(STDERR_FILENO, text, (size_t)length) == length)
        backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    signal(number, SIG_DFL);
    raise(number);
}

/* Before the library's own handlers, which pass on what is not theirs. */
static void explain_crashes(void)
{
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_NODEFER};
    struct sigaction others;
    void *frame;

    if (sigaction(SIGSEGV, NULL, &others) == 0 && others.sa_handler != SIG_DFL)
        return;           /* a sanitizer's, which says more */
    backtrace(&frame, 1); /* loads what it needs */
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGILL, &action, NULL);
}

int main(int argc, char **argv)
{
    int status;

    explain_crashes();
    if (argc == 3 && strcmp(argv[1], "peer") == 0) {
        real_stdout = STDERR_FILENO;
        start_time = now();
        return soak_peer(atoi(argv[2]));
    }
    prepare();
    if (argc == 5 && strcmp(argv[1], "once") == 0) {
        status = run_once(argv[2], strtoull(argv[3], NULL, 0), atoi(argv[4]));
    } else {
        seconds = argc > 1 ? atof(argv[1]) : seconds;
        thread_count = argc > 2 ? (unsigned)atoi(argv[2]) % THREADS_MAX : thread_count;
        for (int i = 4; i < argc && wanted_count < PARTS_MAX; i++)
            wanted[wanted_count++] = argv[i];
        status = run_all(argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
    }
    nftw(cache_folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return status;
}
