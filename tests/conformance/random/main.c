/* SPDX-License-Identifier: MIT */
/*
 * Runs seeds, each in a process of its own with a limit of time, several at once:
 *
 *     conformance_random FIRST COUNT [JOBS]
 *
 * A child writes to memory it shares with its parent, so that what a driver said before it crashed
 * is not lost. The parent prints a seed's lines when its child has ended.
 */
#include "random.h"
#include <stdarg.h>
#include <sys/resource.h>
#include <time.h>

enum { TEXT_BYTES = 1 << 18, JOBS_MAX = 64, SECONDS = 60 };

struct text {
    size_t used;
    char bytes[TEXT_BYTES];
};

static struct text *text; /* this child's */
static unsigned seed, call;
static uint64_t state;
static int broken;
static CUresult last_result;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...);

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

void random_begin(unsigned seed_in, unsigned call_in)
{
    state = mix(mix(seed_in) + call_in);
}

void random_setup(const char *what, unsigned index)
{
    random_begin(seed, CALLS + hash_bytes(index, what, strlen(what)) % 100000);
    put("%u/%s%u ", seed, what, index);
}

uint64_t random_bits(void)
{
    return state = mix(state);
}

unsigned below(unsigned limit)
{
    return (unsigned)((random_bits() >> 32) % limit);
}

int chance(unsigned percent)
{
    return below(100) < percent;
}

int between(int low, int high)
{
    return low + (int)below((unsigned)(high - low + 1));
}

static void append(const char *format, va_list args)
{
    size_t room = TEXT_BYTES - text->used;
    int length = vsnprintf(text->bytes + text->used, room, format, args);

    text->used += (size_t)length < room ? (size_t)length : room - 1;
}

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    append(format, args);
    va_end(args);
}

void say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    append(format, args);
    va_end(args);
}

void answer_print(CUresult result, const char *format, ...)
{
    va_list args;

    last_result = result;
    put(": %s%s", result_name(result), *format ? " " : "");
    va_start(args, format);
    append(format, args);
    va_end(args);
    if (result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_FAILED)
        broken = 1;
}

int succeeded(void)
{
    return last_result == CUDA_SUCCESS;
}

void skip(void)
{
    put(": skip");
}

const char *result_name(CUresult result)
{
    for (const struct named_value *row = result_names; row->name; row++)
        if (row->value == (int)result)
            return row->name + (strncmp(row->name, "CUDA_ERROR_", 11) ? 5 : 11);
    return result == RESULT_MISSING ? "MISSING" : "UNKNOWN_RESULT";
}

const char *format(const char *format, ...)
{
    static char buffers[32][400];
    static int next;
    char *buffer = buffers[next = (next + 1) & 31];
    va_list args;

    va_start(args, format);
    vsnprintf(buffer, sizeof buffers[0], format, args);
    va_end(args);
    return buffer;
}

const char *out_state_of(uint64_t value)
{
    return value == UNTOUCHED ? "kept" : value ? "set" : "zero";
}

void line_print(const char *format, ...)
{
    (void)format;
}

CUresult missing_function_called(const char *name)
{
    (void)name;
    return RESULT_MISSING;
}

const char *settle(void)
{
    CUresult result = cuda.cuCtxSynchronize();

    if (result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_FAILED)
        broken = 1;
    return result ? format(" sync=%s", result_name(result)) : "";
}

static const struct operation *const tables[] = {
    memory_operations, query_operations,   copy_operations, box_operations,
    array_operations,  virtual_operations, pool_operations, stream_operations,
};

static const struct operation *operation_pick(void)
{
    static unsigned total;
    unsigned left;

    if (!total)
        for (size_t t = 0; t < COUNT_OF(tables); t++)
            for (const struct operation *row = tables[t]; row->make; row++)
                total += row->weight;
    left = below(total);
    for (size_t t = 0;; t++)
        for (const struct operation *row = tables[t]; row->make; row++) {
            if (left < row->weight)
                return row;
            left -= row->weight;
        }
}

/* A few calls are made with another context current, or with none. */
static void call_make(void)
{
    const struct operation *operation = operation_pick();
    unsigned where = below(20);

    if (where == 0 && !operation->lasting) {
        say("[none] ");
        cuda.cuCtxSetCurrent(NULL);
    } else if (where == 1 && other_context) {
        say("[other] ");
        cuda.cuCtxSetCurrent(other_context);
    }
    operation->make();
    put("%s", settle());
    main_settle();
}

static int use_context(void)
{
    CUdevice first;

    if (cuda.cuInit(0) || cuda.cuDeviceGet(&first, 0))
        return 0;
    if (seed % 4 == 0)
        cuda.cuCtxCreate(&other_context, NULL, 0, first);
    if (seed % 4 == 1)
        cuda.cuCtxCreate(&main_context, NULL, 0, first);
    else
        cuda.cuDevicePrimaryCtxRetain(&main_context, first);
    return main_context && !cuda.cuCtxSetCurrent(main_context);
}

static void program_run(void)
{
    alarm(SECONDS);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!functions_resolve(0) || !use_context()) {
        put("%u/setup: no driver\n", seed);
        _exit(1);
    }
    stream_begin();
    pool_begin();
    memory_begin();
    array_begin();
    virtual_begin();
    for (call = 0; call < CALLS && !broken; call++) {
        random_begin(seed, call);
        put("%u/%u ", seed, call);
        call_make();
        put("\n");
    }
    put("%u/end%s\n", seed, broken ? " broken" : "");
    _exit(0);
}

static struct text *texts[JOBS_MAX];
static struct {
    pid_t pid;
    unsigned seed;
} jobs[JOBS_MAX];

static void job_start(unsigned job, unsigned next)
{
    texts[job]->used = 0;
    jobs[job].seed = next;
    fflush(stdout);
    jobs[job].pid = fork();
    if (jobs[job].pid == 0) {
        seed = next;
        text = texts[job];
        program_run();
    }
}

static void job_end(unsigned job, int status)
{
    fwrite(texts[job]->bytes, 1, texts[job]->used, stdout);
    if (!WIFEXITED(status))
        printf("\n%u/end %s\n", jobs[job].seed, WTERMSIG(status) == SIGALRM ? "timeout" : "crash");
    jobs[job].pid = 0;
}

int main(int argc, char **argv)
{
    unsigned next = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    unsigned end = next + (argc > 2 ? (unsigned)atoi(argv[2]) : 1);
    unsigned count = argc > 3 ? (unsigned)atoi(argv[3]) : 1, running = 0;
    time_t deadline = getenv("RANDOM_SECONDS") ? time(NULL) + atoi(getenv("RANDOM_SECONDS")) : 0;

    if (count > JOBS_MAX)
        count = JOBS_MAX;
    for (unsigned job = 0; job < count; job++)
        texts[job] = mmap(NULL, sizeof(struct text), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (;;) {
        for (unsigned job = 0; job < count; job++)
            if (!jobs[job].pid && next < end && !(deadline && time(NULL) >= deadline)) {
                job_start(job, next++);
                running++;
            }
        if (!running)
            return 0;
        int status;
        pid_t pid = wait(&status);
        for (unsigned job = 0; job < count; job++)
            if (jobs[job].pid == pid) {
                job_end(job, status);
                running--;
            }
    }
}
