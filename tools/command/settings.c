/* SPDX-License-Identifier: MIT */
/* The table, and the help made from it. */
#include "command/settings.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define OPTION(option, argument, completions) option, argument, false, false
#define RARE_OPTION(option, argument, completions) option, argument, false, true
#define FILE_OPTION(option) option, "FILE", true, false
#define NO_OPTION NULL, NULL, false, false

const struct setting settings[] = {
#define CUP_VARIABLE(name, kind, values, standard, option, help) {#name, option, help},
#define CUP_OTHER_VARIABLE(name, reader, values, standard, help)
#include "core/variables.def"
#undef CUP_VARIABLE
#undef CUP_OTHER_VARIABLE
    {NULL, NO_OPTION, NULL},
};

/* The rare ones stand one after the other, as many as fit a line. */
static void print_rare(FILE *file)
{
    enum { COLUMNS = 80 };
    size_t column = 0;

    for (const struct setting *each = settings; each->variable; each++) {
        char words[64];

        if (!each->option || !each->is_rare)
            continue;
        snprintf(words, sizeof words, "%s %s", each->option, each->argument);
        if (column && column + strlen(words) + 3 > COLUMNS) {
            fputs(",\n", file);
            column = 0;
        }
        column += (size_t)fprintf(file, "%s%s", column ? ", " : "  ", words);
    }
    fputc('\n', file);
}

void settings_print_help(FILE *file)
{
    for (const struct setting *each = settings; each->variable; each++) {
        char words[64];

        if (!each->option || each->is_rare)
            continue;
        snprintf(words, sizeof words, "%s %s", each->option, each->argument);
        fprintf(file, "  %-21s %s\n", words, each->help);
    }
    print_rare(file);
}
