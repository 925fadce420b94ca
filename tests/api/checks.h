/* SPDX-License-Identifier: MIT */
/* Runs a child process with CUPIPE_CHECK set and captures its stderr. Included after test.h. */
#ifndef CHECKS_H
#define CHECKS_H

enum { TOLD_BYTES = 1 << 17 };

struct told {
    char text[TOLD_BYTES];
    int status;
};

/* A report names functions: they must be functions. */
#define A_FUNCTION __attribute__((noinline)) static void

static inline void with_check(const char *value)
{
    setenv("CUPIPE_CHECK", value, 1);
    with_context();
    only_cupipe();
}

static inline struct told *told_by(void (*run)(void))
{
    struct told *told = calloc(1, sizeof(*told));
    size_t length = 0;
    int ends[2];

    check(told && pipe(ends) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        run();
        exit(0);
    }
    close(ends[1]);
    for (ssize_t count; (count = read(ends[0], told->text + length, TOLD_BYTES - 1 - length)) > 0;)
        length += (size_t)count;
    waitpid(pid, &told->status, 0);
    if (WIFEXITED(told->status) && WEXITSTATUS(told->status) == TEST_SKIPPED)
        skip(told->text);
    return told;
}

/* What a child says that ends as it should. */
static inline struct told *told_well_by(void (*run)(void))
{
    struct told *told = told_by(run);

    if (!WIFEXITED(told->status) || WEXITSTATUS(told->status) != 0)
        test_fail(__FILE__, __LINE__, "the child fails:\n%s", told->text);
    return told;
}

#define check_says(told, words)                                                                    \
    do {                                                                                           \
        if (!strstr((told)->text, words))                                                          \
            test_fail(__FILE__, __LINE__, "it does not say \"%s\", but\n%s", words, (told)->text); \
    } while (0)

#define check_does_not_say(told, words)                                                            \
    do {                                                                                           \
        if (strstr((told)->text, words))                                                           \
            test_fail(__FILE__, __LINE__, "it says \"%s\":\n%s", words, (told)->text);             \
    } while (0)

/* The report with the first words has a line with the second, and that is followed by a function.
 * Further lines of a report begin with a blank. */
static inline bool says_next(const struct told *told, const char *first, const char *then,
                             const char *function)
{
    const char *line = strstr(told->text, first);

    line = line ? strchr(line, '\n') : NULL;
    while (line && line[1] == ' ' && strncmp(line + 1, then, strlen(then)) != 0)
        line = strchr(line + 1, '\n');
    if (!line || line[1] != ' ')
        return false;
    const char *end = strstr(line + 1, "\n  "), *next = end;
    while (next && strncmp(next, "\n    ", 5) == 0 && !strstr(next, function))
        next = strstr(next + 1, "\n    ");
    return next && strstr(next, function) != NULL;
}

#define check_says_next(told, first, then, function)                                               \
    do {                                                                                           \
        if (!says_next(told, first, then, function))                                               \
            test_fail(__FILE__, __LINE__, "it does not say \"%s\", \"%s\", \"%s\", but\n%s",       \
                      first, then, function, (told)->text);                                        \
    } while (0)

static inline unsigned reports_of(const struct told *told)
{
    unsigned count = 0;

    for (const char *at = told->text; (at = strstr(at, "cupipe: CUPIPE_CHECK: ")); at++)
        count++;
    return count;
}

#endif
