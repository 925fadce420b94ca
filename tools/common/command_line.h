/* SPDX-License-Identifier: MIT */
/* Command lines in the form of NVIDIA's tools, from a table of options. An option is --name=value,
 * --name value, or its short form with one dash; both dashes take both names. Messages have the
 * form "tool fatal   : text". */
#ifndef CUP_TOOLS_COMMAND_LINE_H
#define CUP_TOOLS_COMMAND_LINE_H

#include "core/dynarray.h"

#include <stdio.h>

struct words {
    CUP_DYNARRAY(char *, items);
};

enum cup_option_kind {
    CUP_OPTION_FLAG,
    CUP_OPTION_VALUE,
    CUP_OPTION_NUMBER, /* digits may follow the short name without a sign: -O3 */
    CUP_OPTION_PREFIX, /* so may anything: -lname */
};

/* The meanings of a tool's own begin at CUP_OPTION_OWN. */
enum { CUP_OPTION_IGNORED, CUP_OPTION_FILE, CUP_OPTION_OWN };

struct cup_option {
    const char *name, *brief;
    enum cup_option_kind kind;
    int meaning; /* CUP_OPTION_FILE: the value is a file of options, as @FILE is */
};

struct cup_command_line {
    const char *tool; /* for messages */
    FILE *errors;
    const struct cup_option *options;
    size_t option_count;
    struct words files; /* the words that are no options */
    /* Applies an option of the tool's own. Returns false after a message. */
    bool (*apply)(void *state, const struct cup_option *option, char *value);
    void *state;
};

/* Reads the words, which do not begin with the name of the command. Returns false after it has
 * written to `errors` what is wrong. Values and `files` point into words and files that stay in
 * memory; the caller frees files.items. */
bool cup_command_line_parse(struct cup_command_line *line, size_t count, char **words);

bool cup_words_append(struct words *words, char *word);

/* Prints the options, one a line. */
void cup_command_line_help(const struct cup_option *options, size_t count);

#endif
