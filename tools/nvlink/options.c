/* SPDX-License-Identifier: MIT */
#include "nvlink/options.h"

#include "common/input.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum meaning {
    OUTPUT = CUP_OPTION_OWN,
    ARCHITECTURE,
    LIBRARIES,
    FOLDERS,
    REGISTER_FILE,
    RELOCATABLE,
    MACHINE,
    NUMBER,
    VERBOSE,
    HELP,
    VERSION,
};

static const struct cup_option table[] = {
    {"output-file", "o", CUP_OPTION_VALUE, OUTPUT},
    {"arch", "arch", CUP_OPTION_VALUE, ARCHITECTURE},
    {"library", "l", CUP_OPTION_PREFIX, LIBRARIES},
    {"library-path", "L", CUP_OPTION_PREFIX, FOLDERS},
    {"register-link-binaries", "register-link-binaries", CUP_OPTION_VALUE, REGISTER_FILE},
    {"relocatable-link", "r", CUP_OPTION_FLAG, RELOCATABLE},
    {"machine", "m", CUP_OPTION_NUMBER, MACHINE},
    {"verbose", "v", CUP_OPTION_FLAG, VERBOSE},
    {"help", "h", CUP_OPTION_FLAG, HELP},
    {"version", "V", CUP_OPTION_FLAG, VERSION},
    {"options-file", "optf", CUP_OPTION_VALUE, CUP_OPTION_FILE},
    {"maxrregcount", "maxrregcount", CUP_OPTION_VALUE, NUMBER},
    {"split-compile", "split-compile", CUP_OPTION_VALUE, NUMBER},
    {"split-compile-extended", "split-compile-extended", CUP_OPTION_VALUE, NUMBER},
    {"Ofast-compile", "Ofc", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"Xnvvm", "Xnvvm", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"Xptxas", "Xptxas", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"cpu-arch", "cpu-arch", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"debug", "g", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"device-stack-protector", "device-stack-protector", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"disable-infos", "disable-infos", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"disable-warnings", "w", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"dlto", "dlto", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"dump-callgraph", "dump-callgraph", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"dump-callgraph-no-demangle", "dump-callgraph-no-demangle", CUP_OPTION_FLAG,
     CUP_OPTION_IGNORED},
    {"emit-ptx", "emit-ptx", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"extra-warnings", "extrawarn", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"gen-host-linker-script", "ghls", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"host-ccbin", "host-ccbin", CUP_OPTION_VALUE, CUP_OPTION_IGNORED}, /* nvcc passes it */
    {"ignore-host-info", "ignore-host-info", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"keep-system-libraries", "keep-system-libraries", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"kernels-used", "kernels-used", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"link-time-opt", "lto", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"nvvmpath", "nvvmpath", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"preserve-relocs", "preserve-relocs", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"report-arch", "report-arch", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"shared", "shared", CUP_OPTION_FLAG, CUP_OPTION_IGNORED}, /* nvcc passes it */
    {"suppress-arch-warning", "suppress-arch-warning", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"suppress-debug-info", "suppress-debug-info", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"suppress-stack-size-warning", "suppress-stack-size-warning", CUP_OPTION_FLAG,
     CUP_OPTION_IGNORED},
    {"time", "time", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"uidx-file", "uidx", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"use-host-info", "use-host-info", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"variables-used", "variables-used", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"warning-as-error", "Werror", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
};

void link_options_help(void)
{
    printf("usage: nvlink [options] FILE...\n"
           "cupipe's nvlink: links PTX, images that carry PTX, objects and libraries to one image "
           "that carries PTX, in place of a cubin.\n\n");
    cup_command_line_help(table, sizeof table / sizeof table[0]);
}

static bool fail_value(const char *value, const char *option)
{
    fprintf(stderr, "nvlink fatal   : Value '%s' is not defined for option '%s'\n", value, option);
    return false;
}

/* Appends the parts of a list, which commas separate. */
static bool append_list(struct words *words, char *list)
{
    bool good = true;

    for (char *part = strtok(list, ","); part && good; part = strtok(NULL, ","))
        good = cup_words_append(words, part);
    return good;
}

static bool check_number(const char *value)
{
    bool good = *value != 0;

    for (const char *at = value; *at; at++)
        good = good && isdigit((unsigned char)*at);
    if (!good)
        fprintf(stderr, "nvlink fatal   : '%s': expected a number\n", value);
    return good;
}

static bool apply(void *state, const struct cup_option *option, char *value)
{
    struct link_options *options = state;

    switch (option->meaning) {
    case OUTPUT:
        options->output = value;
        return true;
    case ARCHITECTURE:
        options->architecture = value;
        options->capability = cup_input_architecture(value);
        return options->capability || fail_value(value, option->name);
    case LIBRARIES:
        return append_list(&options->libraries, value);
    case FOLDERS:
        return append_list(&options->folders, value);
    case REGISTER_FILE:
        options->register_file = value;
        return true;
    case RELOCATABLE:
        return options->relocatable = true;
    case MACHINE:
        return strcmp(value, "64") == 0 || fail_value(value, option->name);
    case NUMBER:
        return check_number(value);
    case VERBOSE:
        return options->verbose = true;
    case HELP:
        return options->help = true;
    case VERSION:
        return options->version = true;
    }
    return true;
}

bool link_options_parse(struct link_options *options, size_t count, char **words)
{
    struct cup_command_line line = {.tool = "nvlink",
                                    .errors = stderr,
                                    .options = table,
                                    .option_count = sizeof table / sizeof table[0],
                                    .apply = apply,
                                    .state = options};

    *options = (struct link_options){0};
    bool good = cup_command_line_parse(&line, count, words);
    options->files = line.files;
    return good;
}

void link_options_finish(struct link_options *options)
{
    free(options->files.items);
    free(options->libraries.items);
    free(options->folders.items);
}
