/* SPDX-License-Identifier: MIT */
#include "ptxas/options.h"

#include "common/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum meaning {
    OUTPUT = CUP_OPTION_OWN,
    ARCHITECTURE,
    COMPILE_ONLY,
    VERBOSE,
    NO_WARNINGS,
    HELP,
    VERSION,
    LIST_VERSION,
    STRING,
    MAX_REGISTERS,
    FUSED,
};

static const struct cup_option table[] = {
    {"output-file", "o", CUP_OPTION_VALUE, OUTPUT},
    {"gpu-name", "arch", CUP_OPTION_VALUE, ARCHITECTURE},
    {"compile-only", "c", CUP_OPTION_FLAG, COMPILE_ONLY},
    {"verbose", "v", CUP_OPTION_FLAG, VERBOSE},
    {"disable-warnings", "w", CUP_OPTION_FLAG, NO_WARNINGS},
    {"help", "h", CUP_OPTION_FLAG, HELP},
    {"version", "V", CUP_OPTION_FLAG, VERSION},
    {"list-version", "version-ls", CUP_OPTION_FLAG, LIST_VERSION},
    {"input-as-string", "ias", CUP_OPTION_VALUE, STRING},
    {"options-file", "optf", CUP_OPTION_VALUE, CUP_OPTION_FILE},
    {"opt-level", "O", CUP_OPTION_NUMBER, CUP_OPTION_IGNORED},
    {"machine", "m", CUP_OPTION_NUMBER, CUP_OPTION_IGNORED},
    {"Ofast-compile", "Ofc", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", CUP_OPTION_VALUE,
     CUP_OPTION_IGNORED},
    {"compile-as-tools-patch", "astoolspatch", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"compiler-annotations", "annotate", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"def-load-cache", "dlcm", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"def-store-cache", "dscm", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"device-debug", "g", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"device-function-maxrregcount", "func-maxrregcount", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"device-stack-protector", "device-stack-protector", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"disable-optimizer-constants", "disable-optimizer-consts", CUP_OPTION_FLAG,
     CUP_OPTION_IGNORED},
    {"dont-merge-basicblocks", "no-bb-merge", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"entry", "e", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"extensible-whole-program", "ewp", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"fmad", "fmad", CUP_OPTION_VALUE, FUSED},
    {"force-load-cache", "flcm", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"force-store-cache", "fscm", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"g-tensor-memory-access-check", "g-tmem-access-check", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check", CUP_OPTION_FLAG,
     CUP_OPTION_IGNORED},
    {"generate-line-info", "lineinfo", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", CUP_OPTION_FLAG,
     CUP_OPTION_IGNORED},
    {"make-errors-visible-at-exit", "make-errors-visible-at-exit", CUP_OPTION_FLAG,
     CUP_OPTION_IGNORED},
    {"maxntid", "maxntid", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"maxrregcount", "maxrregcount", CUP_OPTION_VALUE, MAX_REGISTERS},
    {"minnctapersm", "minnctapersm", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"optimize-float-atomics", "opt-fp-atomics", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"override-directive-values", "override-directive-values", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"regAllocOptLevel", "regAllocOptLevel", CUP_OPTION_VALUE,
     CUP_OPTION_IGNORED}, /* not documented; Triton passes it */
    {"position-independent-code", "pic", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"preserve-relocs", "preserve-relocs", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"register-usage-level", "regUsageLevel", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"return-at-end", "ret-end", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"sanitize", "sanitize", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"sp-bounds-check", "sp-bounds-check", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"split-compile", "split-compile", CUP_OPTION_VALUE, CUP_OPTION_IGNORED},
    {"suppress-async-bulk-multicast-advisory-warning",
     "suppress-async-bulk-multicast-advisory-warning", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"suppress-debug-info", "suppress-debug-info", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"suppress-double-demote-warning", "suppress-double-demote-warning", CUP_OPTION_FLAG,
     CUP_OPTION_IGNORED},
    {"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", CUP_OPTION_FLAG,
     CUP_OPTION_IGNORED},
    {"suppress-stack-size-warning", "suppress-stack-size-warning", CUP_OPTION_FLAG,
     CUP_OPTION_IGNORED},
    {"warn-on-double-precision-use", "warn-double-usage", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"warn-on-local-memory-usage", "warn-lmem-usage", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"warn-on-spills", "warn-spills", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
    {"warning-as-error", "Werror", CUP_OPTION_FLAG, CUP_OPTION_IGNORED},
};

void options_help(void)
{
    printf(
        "usage: ptxas [options] FILE...\n"
        "cupipe's ptxas: checks PTX and writes an image that carries it, in place of a cubin.\n\n");
    cup_command_line_help(table, sizeof table / sizeof table[0]);
}

static bool apply(void *state, const struct cup_option *option, char *value)
{
    struct options *options = state;

    switch (option->meaning) {
    case OUTPUT:
        options->output = value;
        return true;
    case ARCHITECTURE:
        options->architecture = value;
        options->capability = cup_input_architecture(value);
        if (options->capability)
            return true;
        fprintf(options->errors,
                "ptxas fatal   : Value '%s' is not defined for option 'gpu-name'\n", value);
        return false;
    case STRING:
        return cup_words_append(&options->strings, value);
    case COMPILE_ONLY:
        return options->compile_only = true;
    case VERBOSE:
        return options->verbose = true;
    case NO_WARNINGS:
        return options->no_warnings = true;
    case HELP:
        return options->help = true;
    case VERSION:
        return options->version = true;
    case LIST_VERSION:
        return options->list_version = true;
    case MAX_REGISTERS: /* archmax and archmin are no numbers: no limit */
        options->max_registers = (unsigned)strtoul(value, NULL, 10);
        return true;
    case FUSED:
        options->keeps_products = strcmp(value, "false") == 0;
        if (!options->keeps_products && strcmp(value, "true") != 0)
            fprintf(options->errors, "ptxas fatal   : '%s': expected true or false\n", value);
        return options->keeps_products || strcmp(value, "true") == 0;
    }
    return true;
}

bool options_parse(struct options *options, FILE *errors, size_t count, char **words)
{
    struct cup_command_line line = {.tool = "ptxas",
                                    .errors = errors,
                                    .options = table,
                                    .option_count = sizeof table / sizeof table[0],
                                    .apply = apply,
                                    .state = options};

    *options = (struct options){
        .errors = errors, .output = "elf.o", .architecture = "sm_75", .capability = 75};
    bool good = cup_command_line_parse(&line, count, words);
    options->files = line.files;
    return good;
}

void options_finish(struct options *options)
{
    free(options->files.items);
    free(options->strings.items);
}
