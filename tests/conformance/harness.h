/* SPDX-License-Identifier: MIT */
/*
 * A recorder asks a library thousands of small questions and prints one line for each answer:
 * "group/case: answer".
 *
 * A question is a case, and cases stand in groups. A group runs in a process of its own, so that a
 * case that crashes, hangs or poisons its context costs one line and no more. The harness knows
 * nothing of the library; recorder.h adds the driver API, runtime/recorder.hpp the runtime API.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a recorder says of the library that it asks. */
struct library_under_test {
    const char *(*result_name)(int result);
    /* Whether the error sticks to the context, so that no later answer counts. */
    int (*is_sticky)(int result);
    /* Prints lines about the library; runs once, in a process of its own. */
    void (*describe)(void);
    /* Makes the library ready in the process of a group; 0 when it cannot be loaded. */
    int (*prepare)(void);
    /* These may be NULL. When a case begins; why a case with this result could not be asked. */
    void (*case_started)(void);
    const char *(*skip_reason)(int result);
};
extern const struct library_under_test library_under_test;

#define STRING_OF(x) #x
#define EXPANDED_STRING_OF(x) STRING_OF(x)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define KB 1024ull
#define MB (1024ull * 1024)
#define GB (1024ull * MB)

/* A case: 0 when it is to be left out. A name used before gets #2, #3 and so on. */
int case_begin(const char *name);
/* Prints the answer: the result's name and the text. */
void case_end(int result, const char *format_text, ...) __attribute__((format(printf, 2, 3)));
/* Prints an answer that is no single call's result. */
void case_info(const char *format_text, ...) __attribute__((format(printf, 1, 2)));
int case_is_open(void);

/* A group sets this to go on after an error that sticks to the context. */
extern int keep_after_sticky;
/* A group sets this when no case builds on another: a restart then leaves out what is printed. */
extern int cases_independent;
/* Remembers an error that sticks to the context, so that the case's end restarts the group. */
void sticky_notice(int result);

/*
 * Groups. GROUP(order, id, name) { ... } defines one; they run by order, then by index, then by
 * name. call_register() is for a group of one call that may well bring the process down.
 */
#define GROUP(order, id, name)                                                                     \
    static void group_##id(void);                                                                  \
    __attribute__((constructor)) static void register_group_##id(void)                             \
    {                                                                                              \
        group_register(order, name, group_##id);                                                   \
    }                                                                                              \
    static void group_##id(void)
void group_register(int order, const char *name, void (*run)(void));
void group_register_index(int order, const char *name, void (*run)(int index), int index);
void call_register(int order, const char *name, void (*run)(int index), int index);

/* A line about the set-up, outside any case; each text once a group. */
void setup_note(const char *text);
/* Ends the group with a line that says why. */
__attribute__((noreturn)) void setup_failed(const char *what, int result);

/* Formats into one of 128 static buffers in turn. */
const char *format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a line; characters that are not printable become question marks. */
void line_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From here on lines alone reach the standard output; what others print goes nowhere. */
void output_redirect(void);
double seconds_now(void);

#ifdef __cplusplus
}
#endif

#endif
