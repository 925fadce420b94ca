/* SPDX-License-Identifier: MIT */
/* A small test harness that prints TAP. A test is one behaviour:
 *
 *     TEST(mem_alloc_zero_is_invalid)
 *     {
 *         CUdeviceptr ptr = 7;
 *
 *         with_context();
 *         check_result(cuMemAlloc(&ptr, 0), CUDA_ERROR_INVALID_VALUE);
 *     }
 *
 * Each test runs in a process of its own, which starts without CUDA and has 20 seconds; as many run
 * at once as there are processors. The variables TEST_SECONDS and TEST_JOBS say otherwise, for a
 * driver that is slow or a device that is shared. A check that fails ends the process, from
 * whatever thread. Included by exactly one file of a program. Arguments of the program: names of
 * tests to run. */
#ifndef TEST_H
#define TEST_H

#include <cuda.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_UNDER_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define TEST_UNDER_ASAN 1
#endif
#else
#if defined(__SANITIZE_THREAD__)
#define TEST_UNDER_TSAN 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TEST_UNDER_ASAN 1
#endif
#endif

/* A sanitizer makes a test several times slower. */
enum {
#if defined(TEST_UNDER_TSAN) || defined(TEST_UNDER_ASAN)
    TEST_SECONDS = 120,
#else
    TEST_SECONDS = 60,
#endif
    TEST_SKIPPED = 77, /* a process's exit status */
};

struct test {
    const char *name;
    void (*run)(void);
    struct test *next;
    pid_t pid;
    FILE *output;
    int status;
};

static struct test *test_first, **test_last = &test_first;

static inline void test_add(struct test *test)
{
    *test_last = test;
    test_last = &test->next;
}

#define TEST(test_name)                                                                            \
    static void run_##test_name(void);                                                             \
    __attribute__((constructor)) static void add_##test_name(void)                                 \
    {                                                                                              \
        static struct test test = {.name = #test_name, .run = run_##test_name};                    \
        test_add(&test);                                                                           \
    }                                                                                              \
    static void run_##test_name(void)

__attribute__((noreturn, format(printf, 3, 4))) static inline void
test_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s:%d: ", file, line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    fflush(NULL);
    _exit(1);
}

static inline const char *test_result_name(CUresult result)
{
    const char *name = NULL;

    cuGetErrorName(result, &name);
    return name ? name : "no known result";
}

#define check(condition)                                                                           \
    ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, "not so: %s", #condition))

#define check_result(call, expected)                                                               \
    do {                                                                                           \
        CUresult test_got = (call), test_wanted = (expected);                                      \
        if (test_got != test_wanted)                                                               \
            test_fail(__FILE__, __LINE__, "%s\n  answers %s\n  and not %s", #call,                 \
                      test_result_name(test_got), test_result_name(test_wanted));                  \
    } while (0)

#define check_success(call) check_result(call, CUDA_SUCCESS)

/* Ends the test without a verdict. */
__attribute__((noreturn)) static inline void skip(const char *why)
{
    fprintf(stderr, "%s\n", why);
    fflush(NULL);
    _exit(TEST_SKIPPED);
}

/* cuInit, and the primary context of device 0 current in this thread. */
static inline CUcontext with_context(void)
{
    CUcontext context;
    CUdevice device;

    check_success(cuInit(0));
    check_success(cuDeviceGet(&device, 0));
    check_success(cuDevicePrimaryCtxRetain(&context, device));
    check_success(cuCtxSetCurrent(context));
    return context;
}

static inline bool has_driver(int version)
{
    int has = 0;

    check_success(cuDriverGetVersion(&has));
    return has >= version;
}

/* For tests of what came with a version of CUDA, such as 13010. */
static inline void need_driver(int version)
{
    if (!has_driver(version))
        skip("the driver is older");
}

/* For tests of what cupipe alone promises. Needs cuInit. */
static inline void only_cupipe(void)
{
    char name[256];

    check_success(cuDeviceGetName(name, sizeof(name), 0));
    if (!strstr(name, "cupipe"))
        skip("about cupipe alone");
}

#ifdef TEST_UNDER_TSAN
/* TSan does not see how an LLVM that was built without it orders what its threads do. */
__attribute__((weak, visibility("default"))) const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:libLLVM";
}
#endif

/* TSan has a thread and errno of its own in the process, and leaves few addresses. */
static inline void not_under_tsan(const char *why)
{
#ifdef TEST_UNDER_TSAN
    skip(why);
#else
    (void)why;
#endif
}

/* A flag that threads and host functions raise and wait for. */
struct flag {
    atomic_int raised;
};

static inline void flag_raise(struct flag *flag)
{
    atomic_store(&flag->raised, 1);
}

static inline bool flag_is_raised(struct flag *flag)
{
    return atomic_load(&flag->raised) != 0;
}

static inline void nap(void)
{
    struct timespec time = {0, 100000};

    nanosleep(&time, NULL);
}

/* The test's own time limit is the limit. */
static inline void flag_wait(struct flag *flag)
{
    while (!flag_is_raised(flag))
        nap();
}

static inline long test_number(const char *variable, long otherwise)
{
    const char *text = getenv(variable);
    long number = text ? atol(text) : 0;

    return number > 0 ? number : otherwise;
}

static inline void test_run_child(struct test *test)
{
    dup2(fileno(test->output), STDOUT_FILENO);
    dup2(fileno(test->output), STDERR_FILENO);
    alarm((unsigned)test_number("TEST_SECONDS", TEST_SECONDS));
    test->run();
    exit(0);
}

static inline void test_start(struct test *test)
{
    test->output = tmpfile();
    if (!test->output) {
        perror("tmpfile");
        exit(2);
    }
    fflush(NULL);
    test->pid = fork();
    if (test->pid == 0)
        test_run_child(test);
    if (test->pid < 0) {
        perror("fork");
        exit(2);
    }
}

static inline void test_wait_for_one(void)
{
    int status;
    pid_t pid = waitpid(-1, &status, 0);

    for (struct test *test = test_first; test; test = test->next) {
        if (test->pid == pid)
            test->status = status;
    }
}

static inline void test_print_output(struct test *test)
{
    char line[1024];

    rewind(test->output);
    while (fgets(line, sizeof(line), test->output))
        printf("# %s", line);
    fclose(test->output);
}

/* True when the test has not failed. */
static inline bool test_report(struct test *test, unsigned number)
{
    bool exited = WIFEXITED(test->status);
    bool skipped = exited && WEXITSTATUS(test->status) == TEST_SKIPPED;
    bool passed = exited && WEXITSTATUS(test->status) == 0;

    printf("%s %u - %s%s\n", passed || skipped ? "ok" : "not ok", number, test->name,
           skipped ? " # SKIP" : "");
    test_print_output(test);
    if (WIFSIGNALED(test->status))
        printf("# ended by %s\n", strsignal(WTERMSIG(test->status)));
    return passed || skipped;
}

static inline bool test_is_wanted(const struct test *test, int count, char **names)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(test->name, names[i]) == 0)
            return true;
    }
    return count < 2;
}

int main(int argc, char **argv)
{
    long at_once = test_number("TEST_JOBS", sysconf(_SC_NPROCESSORS_ONLN)), running = 0;
    unsigned number = 0, failed = 0;

    for (struct test *test = test_first; test; test = test->next) {
        if (!test_is_wanted(test, argc, argv))
            continue;
        if (running >= at_once) {
            test_wait_for_one();
            running--;
        }
        test_start(test);
        running++;
    }
    while (running-- > 0)
        test_wait_for_one();
    for (struct test *test = test_first; test; test = test->next) {
        if (test->pid && !test_report(test, ++number))
            failed++;
    }
    printf("1..%u\n%u passed, %u failed\n", number, number - failed, failed);
    return failed != 0;
}

#endif
