/* SPDX-License-Identifier: MIT */
/* The table, and the help made from it. */
#include "command/settings.h"

#include <stddef.h>
#include <stdio.h>

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

void settings_print_help(FILE *file)
{
    const char *before = "  ";

    for (const struct setting *each = settings; each->variable; each++) {
        char words[64];

        if (!each->option || each->is_rare)
            continue;
        snprintf(words, sizeof words, "%s %s", each->option, each->argument);
        fprintf(file, "  %-21s %s\n", words, each->help);
    }
    for (const struct setting *each = settings; each->variable; each++) {
        if (!each->option || !each->is_rare)
            continue;
        fprintf(file, "%s%s %s", before, each->option, each->argument);
        before = ", ";
    }
    fputc('\n', file);
}
