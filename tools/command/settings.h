/* SPDX-License-Identifier: MIT */
/* The options of cupipe run and cupipe env that set a variable of libcuda, from core/variables.def.
 */
#ifndef CUP_COMMAND_SETTINGS_H
#define CUP_COMMAND_SETTINGS_H

#include <stdbool.h>
#include <stdio.h>

struct setting {
    const char *variable;
    const char *option;   /* NULL: the variable has none */
    const char *argument; /* the word for its value in the help */
    bool is_file;         /* the value is a file that the program writes */
    bool is_rare;         /* the help names it without explanation */
    const char *help;
};

/* The variables, with and without an option; the last one has no name. */
extern const struct setting settings[];

/* Prints the part of the help about these options. */
void settings_print_help(FILE *file);

#endif
