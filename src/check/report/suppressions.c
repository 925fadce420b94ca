/* SPDX-License-Identifier: MIT */
#include "check/report/suppressions.h"

#include "core/dynarray.h"
#include "os/demangle.h"
#include "os/symbol.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key { KEY_CHECK, KEY_FAULT, KEY_KERNEL, KEY_FUNCTION, KEY_FILE, KEY_CALL, KEY_COUNT };

static const char *const key_names[KEY_COUNT] = {
    [KEY_CHECK] = "check",       [KEY_FAULT] = "fault", [KEY_KERNEL] = "kernel",
    [KEY_FUNCTION] = "function", [KEY_FILE] = "file",   [KEY_CALL] = "call",
};

struct cup_suppression {
    unsigned line;
    char *patterns[KEY_COUNT]; /* NULL: everything fits */
    _Atomic(uint64_t) uses;
};

static struct {
    char *path;
    CUP_DYNARRAY(struct cup_suppression *, rules);
} file; /* written by cup_suppress_load, read by all */

/* Returns what is wrong with the word, or NULL. */
static const char *parse_word(struct cup_suppression *rule, const char *word)
{
    size_t length = strcspn(word, "=");

    if (!word[length])
        return "has no =";
    for (enum key key = KEY_FAULT; key < KEY_COUNT; key++) {
        if (strlen(key_names[key]) != length || memcmp(key_names[key], word, length) != 0)
            continue;
        if (rule->patterns[key])
            return "stands there twice";
        if (!word[length + 1])
            return "has no pattern";
        rule->patterns[key] = strdup(word + length + 1);
        return rule->patterns[key] ? NULL : "did not fit into memory";
    }
    return "is not fault=, kernel=, function=, file= or call=";
}

static bool is_pattern_of_checks(const char *word)
{
    for (int i = 0; i < CUP_REPORT_CHECK_COUNT; i++) {
        if (fnmatch(word, cup_report_check_names[i], 0) == 0)
            return true;
    }
    return false;
}

/* Parses a line that is not empty. Returns false with a message. */
static bool parse_line(char *line, unsigned number)
{
    static const char blanks[] = " \t\r\n";
    struct cup_suppression *rule = calloc(1, sizeof(*rule)), **place;
    char *rest = NULL, *word = strtok_r(line, blanks, &rest);
    const char *wrong = NULL;

    if (!rule || !(place = cup_dynarray_add(&file.array, sizeof(*place)))) {
        free(rule);
        return false;
    }
    *place = rule;
    rule->line = number;
    if (is_pattern_of_checks(word))
        rule->patterns[KEY_CHECK] = strdup(word);
    else
        wrong = "is not a check";
    while (!wrong && (word = strtok_r(NULL, blanks, &rest)))
        wrong = parse_word(rule, word);
    if (wrong)
        cup_report_print("cupipe: CUPIPE_CHECK_SUPPRESS: line %u of %s: \"%s\" %s", number,
                         file.path, word, wrong);
    return !wrong;
}

bool cup_suppress_load(const char *path)
{
    FILE *stream = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    bool fine = true;

    file.path = strdup(path);
    if (!stream || !file.path) {
        cup_report_print(
            "cupipe: CUPIPE_CHECK_SUPPRESS=\"%s\" names a file that cannot be read: %s", path,
            strerror(errno));
        if (stream)
            fclose(stream);
        return false;
    }
    for (unsigned number = 1; getline(&line, &size, stream) >= 0; number++) {
        const char *first = line + strspn(line, " \t\r\n");

        if (*first && *first != '#' && !parse_line(line, number))
            fine = false;
    }
    free(line);
    fclose(stream);
    return fine;
}

static bool fits(const struct cup_suppression *rule, enum key key, const char *text)
{
    const char *pattern = rule->patterns[key];

    return !pattern || (text && fnmatch(pattern, text, 0) == 0);
}

/* A name of a kernel or function of its program fits as it stands in the PTX, or in its plain
 * form. */
static bool fits_name(const struct cup_suppression *rule, enum key key, const char *name)
{
    char plain[4096];

    return fits(rule, key, name) ||
           (name && cup_demangle(name, plain, sizeof(plain)) && fits(rule, key, plain));
}

/* One frame must fit both patterns. */
static bool fits_stack(const struct cup_suppression *rule, const struct cup_tracked_site *site)
{
    struct cup_symbol symbol;

    for (unsigned i = 0; i < site->count; i++) {
        cup_symbol_find(site->frames[i], &symbol);
        if (fits(rule, KEY_FUNCTION, symbol.function) && fits(rule, KEY_FILE, symbol.file))
            return true;
    }
    return false;
}

static bool fits_place(const struct cup_suppression *rule, const struct cup_report_place *place)
{
    const struct cup_tracked_site *site = place->call;
    bool plain = !rule->patterns[KEY_FUNCTION] && !rule->patterns[KEY_FILE];

    if (!fits_name(rule, KEY_KERNEL, place->kernel) ||
        !fits(rule, KEY_CALL, site ? site->call : NULL))
        return false;
    if (plain ||
        (place->kernel &&
         fits_name(rule, KEY_FUNCTION, place->function ? place->function : place->kernel) &&
         fits(rule, KEY_FILE, place->file)))
        return true;
    return site && fits_stack(rule, site);
}

static bool fits_report(const struct cup_suppression *rule, const struct cup_report *report)
{
    static const struct cup_report_place nowhere;

    if (!fits(rule, KEY_CHECK, cup_report_check_names[report->check]) ||
        !fits(rule, KEY_FAULT, report->fault))
        return false;
    for (unsigned i = 0; i < report->place_count; i++) {
        if (fits_place(rule, &report->places[i]))
            return true;
    }
    return fits_place(rule, &nowhere);
}

void cup_suppress_again(struct cup_suppression *suppression)
{
    atomic_fetch_add(&suppression->uses, 1);
}

struct cup_suppression *cup_suppress_find(const struct cup_report *report)
{
    for (size_t i = 0; i < file.count; i++) {
        if (fits_report(file.rules[i], report)) {
            cup_suppress_again(file.rules[i]);
            return file.rules[i];
        }
    }
    return NULL;
}

void cup_suppress_finish(void)
{
    for (size_t i = 0; i < file.count; i++) {
        if (atomic_load(&file.rules[i]->uses) == 0)
            cup_report_print("cupipe: CUPIPE_CHECK_SUPPRESS: line %u of %s was not used",
                             file.rules[i]->line, file.path);
    }
}
