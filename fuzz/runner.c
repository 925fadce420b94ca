/* SPDX-License-Identifier: MIT */
#include "runner.h"

#include <dirent.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_SECONDS = 12 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { is_sanitized = 1 };
#else
enum { is_sanitized = 0 };
#endif

static const uint64_t resident_bytes_max = UINT64_C(3) << 30;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void runner_init(struct runner *runner, const char *target)
{
    *runner = (struct runner){.target = target,
                              .folder = "fuzz-failures",
                              .seed = 1,
                              .hang_seconds = 30,
                              .start = now(),
                              .log = -1};
}

bool runner_option(struct runner *runner, int option)
{
    switch (option) {
    case 'n':
        runner->asked = strtoull(optarg, NULL, 0);
        return true;
    case 't':
        runner->seconds = atof(optarg);
        return true;
    case 's':
        runner->seed = strtoull(optarg, NULL, 0);
        return true;
    case 'o':
        runner->folder = optarg;
        return true;
    case 'v':
        runner->is_loud = true;
        return true;
    default:
        return false;
    }
}

void *runner_share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        abort();
    return memory;
}

/* A crash, where no sanitizer reports it: the process stays as it is until it was looked at. The
 * library passes on to this handler what is none of its own. */
static _Atomic(int) *crash_signal;

static void on_crash(int number)
{
    atomic_store(crash_signal, number);
    for (;;)
        pause();
}

static void say_where(int number)
{
    static const char line[] = "\na thread is at\n";
    void *frames[32];

    (void)number;
    if (write(STDERR_FILENO, line, sizeof(line) - 1) > 0)
        backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
}

/* The library's own threads leave SIGTRAP unblocked. */
static void catch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    void *frame;

    backtrace(&frame, 1); /* loads what it needs */
    signal(SIGTRAP, say_where);
    for (size_t i = 0; !is_sanitized && i < sizeof(signals) / sizeof(signals[0]); i++)
        signal(signals[i], on_crash);
}

pid_t runner_fork(struct runner *runner)
{
    fflush(NULL);
    if (!runner->is_loud)
        runner->log = memfd_create("log", MFD_CLOEXEC);
    if (!crash_signal)
        crash_signal = runner_share(sizeof(*crash_signal));
    atomic_store(crash_signal, 0);
    pid_t parent = getpid(), pid = fork();

    if (pid < 0)
        perror("fork");
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    if (runner->log >= 0)
        dup2(runner->log, STDERR_FILENO);
    catch_crashes();
    return 0;
}

static uint64_t resident_bytes(pid_t pid)
{
    unsigned long long total = 0, resident = 0;
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%llu %llu", &total, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Where its threads are: each is asked by the signal, and says so itself (say_where). */
static void print_stacks(pid_t pid)
{
    struct timespec pause = {0, 50000000};
    char path[32];
    struct dirent *entry;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    while (threads && (entry = readdir(threads))) {
        if (entry->d_name[0] == '.' || syscall(SYS_tgkill, pid, atoi(entry->d_name), SIGTRAP) != 0)
            continue;
        nanosleep(&pause, NULL); /* one after the other */
    }
    if (threads)
        closedir(threads);
}

static enum outcome stop(pid_t pid, enum outcome outcome)
{
    int status;

    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return outcome;
}

static enum outcome judge(struct runner *runner, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return OUTCOME_GOOD;
    if (WIFEXITED(status) && WEXITSTATUS(status) == RUNNER_SKIPPED_STATUS)
        return OUTCOME_SKIPPED;
    if (runner->log >= 0)
        dprintf(runner->log, "\nit ended with status %#x\n", (unsigned)status);
    return OUTCOME_FAILED;
}

/* How long threads of the process have waited for a processor, together. */
static double starved_seconds(pid_t pid)
{
    unsigned long long ran, waited;
    double sum = 0;
    char path[64];
    struct dirent *entry;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    while (threads && (entry = readdir(threads))) {
        snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)pid, atoi(entry->d_name));
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%llu %llu", &ran, &waited) == 2)
            sum += (double)waited * 1e-9;
        if (file)
            fclose(file);
    }
    if (threads)
        closedir(threads);
    return sum;
}

/* When the process last got on, and how long it had waited for a processor soon after. On a machine
 * that others use, what stands still may only wait its turn: that time does not count, up to ten
 * times what a process has otherwise. */
struct standstill {
    double since, starved;
    bool is_measured;
};

static bool stands_still(struct standstill *still, const struct runner *runner, pid_t pid)
{
    double seconds = now() - still->since, most = runner->hang_seconds;

    if (seconds > 1 && !still->is_measured) {
        still->is_measured = true;
        still->starved = starved_seconds(pid);
    }
    return seconds > most &&
           (seconds > 10 * most || seconds - (starved_seconds(pid) - still->starved) > most);
}

enum outcome runner_wait(struct runner *runner, pid_t pid, const _Atomic(uint64_t) *beat)
{
    uint64_t seen = atomic_load(beat);
    struct standstill still = {.since = now()};
    double looked = still.since, until;
    struct timespec pause = {0, 1000000};
    int status;

    if (pid < 0)
        return OUTCOME_STOPPED;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        uint64_t count = atomic_load(beat);

        nanosleep(&pause, NULL);
        until = now();
        if (count != seen) {
            seen = count;
            still = (struct standstill){.since = until};
        }
        if (atomic_load(crash_signal)) {
            if (runner->log >= 0)
                dprintf(runner->log, "\nit crashes with signal %d\n", atomic_load(crash_signal));
            print_stacks(pid);
            return stop(pid, OUTCOME_FAILED);
        }
        if (runner->seconds > 0 && until - runner->start > runner->seconds + GRACE_SECONDS)
            return stop(pid, OUTCOME_STOPPED); /* the time is over, and nothing is known */
        if (stands_still(&still, runner, pid)) {
            if (runner->log >= 0)
                dprintf(runner->log, "\nit hangs\n");
            print_stacks(pid);
            return stop(pid, OUTCOME_FAILED);
        }
        if (until - looked > 0.05) {
            looked = until;
            runner_progress(runner);
            if (resident_bytes(pid) > resident_bytes_max)
                return stop(pid, OUTCOME_STOPPED);
        }
        if (until - still.since > 0.1)
            pause.tv_nsec = 20000000;
    }
    return judge(runner, status);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        perror(path);
    if (fd >= 0)
        close(fd);
}

/* What the process printed, and how to run it again, in a file; its last lines here. */
static void keep_log(const struct runner *runner, const char *path, const char *command)
{
    off_t size = runner->log >= 0 ? lseek(runner->log, 0, SEEK_END) : 0;
    char *text = size > 0 ? malloc((size_t)size + 1) : NULL;
    FILE *file = fopen(path, "w");

    if (text && pread(runner->log, text, (size_t)size, 0) == size) {
        text[size] = 0;
        if (file)
            fwrite(text, 1, (size_t)size, file);
        fprintf(stderr, "%.4000s\n", text);
    }
    if (file) {
        fprintf(file, "\nto run it again: %s\n", command);
        fclose(file);
    }
    free(text);
}

void runner_keep(struct runner *runner, const char *name, const void *bytes, size_t size,
                 const char *command)
{
    char path[4096];

    runner->failures++;
    mkdir(runner->folder, 0777);
    fprintf(stderr, "fuzz_%s: %s failed\n", runner->target, name);
    snprintf(path, sizeof(path), "%s/%s-%s", runner->folder, runner->target, name);
    if (bytes)
        write_file(path, bytes, size);
    snprintf(path, sizeof(path), "%s/%s-%s.log", runner->folder, runner->target, name);
    keep_log(runner, path, command);
    fprintf(stderr, "fuzz_%s: kept in %s; to run it again: %s\n", runner->target, path, command);
}

bool runner_has_time(const struct runner *runner)
{
    return now() - runner->start < runner->seconds;
}

void runner_progress(struct runner *runner)
{
    static int is_terminal = -1;

    if (is_terminal < 0)
        is_terminal = isatty(STDERR_FILENO);
    if (!is_terminal || runner->is_loud || now() - runner->shown < 0.5)
        return;
    runner->shown = now();
    fprintf(stderr, "\rfuzz_%s: %.0f s, %llu inputs, %llu failures \r", runner->target,
            runner->shown - runner->start,
            (unsigned long long)(runner->counted ? atomic_load(runner->counted) : runner->inputs),
            (unsigned long long)runner->failures);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

int runner_report(const struct runner *runner)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    printf("fuzz_%s: %llu inputs, %llu calls, %llu failures, %llu stopped, %.1f s, %.1f CPU s\n",
           runner->target, (unsigned long long)runner->inputs, (unsigned long long)runner->calls,
           (unsigned long long)runner->failures, (unsigned long long)runner->stopped,
           now() - runner->start, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
    return runner->failures != 0;
}
