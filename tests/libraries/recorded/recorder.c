/* SPDX-License-Identifier: MIT */
/* The recorder: lines, memory, numbers, and a process for each group. */
#include "recorder.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARENA_BYTES = 64 << 20, ALIGNMENT = 256, QUESTION_SECONDS = 20, SHOWN = 6 };
enum { MOST_RESTARTS = 400, MOST_HANGS = 3, STATUS_NO_FUNCTION = 127 /* of the loader */ };

static FILE *lines; /* standard output; what libraries print themselves goes nowhere */
static CUdeviceptr arena;
static size_t arena_used;
static uint64_t random_state;
static bool in_line,
    muted; /* muted: another process has printed what is said before the first question */
static int question_seconds = QUESTION_SECONDS; /* CONFORMANCE_ALARM overrides */
/* Questions of the group: begun by this process, and by all of them. */
static int begun;
static volatile int *begun_by_all;

static void end_line(void)
{
    if (in_line && !muted)
        fputc('\n', lines);
    in_line = false;
    fflush(lines); /* a process that ends early keeps its lines */
}

static void begin_line(const char *name)
{
    if (!muted)
        fprintf(lines, "%s:", name);
    fflush(lines); /* it says at which question the process ended */
    in_line = true;
    arena_used = 0;
    random_state = 0xcbf29ce484222325;
    for (const char *c = name; *c; c++)
        random_state = (random_state ^ (unsigned char)*c) * 0x100000001b3;
}

bool question(const char *format, ...)
{
    char name[256];
    va_list arguments;

    end_line();
    if (begun++ < *begun_by_all)
        return false;
    *begun_by_all = begun;
    muted = false;
    alarm(question_seconds);
    va_start(arguments, format);
    vsnprintf(name, sizeof(name), format, arguments);
    va_end(arguments);
    begin_line(name);
    return true;
}

void answer(const char *format, ...)
{
    va_list arguments;

    if (muted)
        return;
    va_start(arguments, format);
    vfprintf(lines, format, arguments);
    va_end(arguments);
}

void answer_status(int status)
{
    answer(" %d", status);
}

void answer_doubles(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        answer(" ~%.9g", values[i] == 0 ? 0 : values[i]); /* no negative zeros */
}

void answer_floats(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value = values[i];

        answer_doubles(&value, 1);
    }
}

void answer_device(void)
{
    CUresult result = cuCtxSynchronize();

    if (result != CUDA_SUCCESS)
        answer(" device %d", result);
}

void answer_checksum(const void *bytes, size_t count)
{
    uint64_t sum = 0xcbf29ce484222325;

    for (size_t i = 0; i < count; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    answer(" %016llx", (unsigned long long)sum);
}

static void need(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    answer(" %s failed: %d", what, result);
    end_line();
    _exit(1);
}

void *device_zeros(size_t bytes)
{
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    CUdeviceptr memory;

    if (!arena)
        need(cuMemAlloc(&arena, ARENA_BYTES), "memory");
    if (arena_used + rounded > ARENA_BYTES)
        need(CUDA_ERROR_OUT_OF_MEMORY, "memory");
    memory = arena + arena_used;
    arena_used += rounded;
    need(cuMemsetD8(memory, 0, rounded), "clearing");
    need(cuCtxSynchronize(), "clearing");
    return (void *)(uintptr_t)memory;
}

void *device_copy(const void *host, size_t bytes)
{
    void *memory = device_zeros(bytes);

    need(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)memory, host, bytes), "copying");
    return memory;
}

void device_read(void *host, const void *device, size_t bytes)
{
    need(cuMemcpyDtoH(host, (CUdeviceptr)(uintptr_t)device, bytes), "reading");
}

int random_below(int bound)
{
    random_state = random_state * 6364136223846793005 + 1442695040888963407;
    return (int)((random_state >> 33) % (uint64_t)bound);
}

double random_number(double range)
{
    return (random_below((int)(16 * range) + 1) - 8 * range) / 8;
}

void *device_numbers(bool is_double, size_t count)
{
    size_t bytes = count * (is_double ? sizeof(double) : sizeof(float));
    void *host = malloc(bytes + 1), *device;

    for (size_t i = 0; i < count; i++) {
        if (is_double)
            ((double *)host)[i] = random_number(4);
        else
            ((float *)host)[i] = (float)random_number(4);
    }
    device = device_copy(host, bytes);
    free(host);
    return device;
}

void answer_array(bool is_double, const void *device, size_t count)
{
    size_t bytes = count * (is_double ? sizeof(double) : sizeof(float));
    void *host = malloc(bytes + 1);
    double sum = 0, value;

    device_read(host, device, bytes);
    for (size_t i = 0; i < count; i++) {
        value = is_double ? ((double *)host)[i] : ((float *)host)[i];
        if (i < SHOWN || i + 2 >= count)
            answer_doubles(&value, 1);
        sum += value * (double)((i * 7 + 3) % 11);
    }
    value = sum / (count ? (double)count : 1);
    answer_doubles(&value, 1);
    free(host);
}

static void run_group(const struct group *group)
{
    CUcontext context;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(question_seconds);
    muted = *begun_by_all > 0;
    begin_line(group->name);
    need(cuInit(0), "cuInit");
    need(cuDevicePrimaryCtxRetain(&context, 0), "a context");
    need(cuCtxSetCurrent(context), "a context");
    group->ask();
    end_line();
    _exit(0);
}

/* Ends the line of the question in hand, or tells of the group. True when the group can go on
 * behind it. */
static bool tell_end(const struct group *group, int status, int begun_before, int *hangs)
{
    int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    bool in_question = *begun_by_all > begun_before, hung = signal_number == SIGALRM;

    *hangs += hung;
    if (!in_question)
        fprintf(lines, "\n%s:", group->name);
    if (hung)
        fprintf(lines, " TIMEOUT\n");
    else if (signal_number)
        fprintf(lines, " CRASH signal %d\n", signal_number);
    else if (WEXITSTATUS(status) == STATUS_NO_FUNCTION)
        fprintf(lines, " SKIP missing\n");
    else
        fprintf(lines, " EXIT status %d\n", WEXITSTATUS(status));
    return in_question && *hangs <= MOST_HANGS;
}

static void ask_group(const struct group *group)
{
    int status, hangs = 0;

    *begun_by_all = 0;
    for (int tries = 0; tries < MOST_RESTARTS; tries++) {
        int begun_before = *begun_by_all;
        pid_t child;

        fflush(lines);
        child = fork();
        if (child == 0)
            run_group(group);
        if (child < 0 || waitpid(child, &status, 0) != child)
            exit(2);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            return;
        if (!tell_end(group, status, begun_before, &hangs))
            break;
    }
    fprintf(lines, "%s: STOPPED\n", group->name);
}

static void run_groups(const struct group *groups, int count, char **names)
{
    for (; groups->name; groups++) {
        bool wanted = count < 2;

        for (int i = 1; i < count; i++)
            wanted |= strncmp(groups->name, names[i], strlen(names[i])) == 0;
        if (wanted)
            ask_group(groups);
    }
}

/* Arguments: beginnings of the names of groups. */
int main(int argc, char **argv)
{
    const struct group *libraries[] = {blas_groups, lt_groups, fft_groups, rand_groups};

    if (getenv("CONFORMANCE_ALARM"))
        question_seconds = atoi(getenv("CONFORMANCE_ALARM"));
    begun_by_all = mmap(NULL, sizeof(*begun_by_all), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    lines = fdopen(dup(STDOUT_FILENO), "w");
    if (begun_by_all == MAP_FAILED || !lines || !freopen("/dev/null", "w", stdout))
        return 2;
    setvbuf(lines, NULL, _IOFBF, 1 << 20); /* an answer that was begun is not seen */
    for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
        run_groups(libraries[i], argc, argv);
    return 0;
}
