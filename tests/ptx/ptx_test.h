/* SPDX-License-Identifier: MIT */
/* What the tests of the PTX reader share: a list of tests that print TAP, and short ways to parse.
 * These tests link the files of src/ptx, not the driver. Included by exactly one file of a program.
 */
#ifndef PTX_TEST_H
#define PTX_TEST_H

#include "ptx/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
    const char *name;
    void (*run)(void);
    struct test *next;
};

static struct test *test_first, **test_last = &test_first;
static int test_failures;

#define TEST(test_name)                                                                            \
    static void run_##test_name(void);                                                             \
    __attribute__((constructor)) static void add_##test_name(void)                                 \
    {                                                                                              \
        static struct test test = {#test_name, run_##test_name, NULL};                             \
        *test_last = &test;                                                                        \
        test_last = &test.next;                                                                    \
    }                                                                                              \
    static void run_##test_name(void)

#define check(condition) check_at(__FILE__, __LINE__, (condition), #condition)

static inline void check_at(const char *file, int line, bool condition, const char *text)
{
    if (condition)
        return;
    printf("# %s:%d: not so: %s\n", file, line, text);
    test_failures++;
}

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

/* The program of a text, which must be right. */
static inline struct ptx_program *parse(const char *text)
{
    struct ptx_log log = {0};
    enum ptx_failure failure;
    struct ptx_program *program = ptx_parse(text, strlen(text), &log, &failure);

    if (!program) {
        printf("# failure %d: %s# in:\n# %s\nBail out! a right text is refused\n", failure,
               log.text ? log.text : "\n", text);
        exit(1);
    }
    ptx_log_free(&log);
    return program;
}

static inline int run_tests(void)
{
    int number = 0, failed = 0;

    for (struct test *test = test_first; test; test = test->next) {
        int before = test_failures;

        test->run();
        printf("%sok %d - %s\n", test_failures > before ? "not " : "", ++number, test->name);
        failed += test_failures > before;
    }
    printf("1..%d\n", number);
    return failed != 0;
}

#endif
