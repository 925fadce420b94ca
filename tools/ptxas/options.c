/* SPDX-License-Identifier: MIT */
/* An option is --name=value, --name value, or its short form with one dash. Values of -O, -m and -g
 * may follow directly. */
#include "ptxas/options.h"

#include "common/input.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8 }; /* of option files that name option files */

enum kind { FLAG, VALUE, ATTACHED }; /* ATTACHED: the value may follow without a sign */

enum meaning {
    IGNORED,
    OUTPUT,
    ARCHITECTURE,
    COMPILE_ONLY,
    VERBOSE,
    NO_WARNINGS,
    HELP,
    VERSION,
    LIST_VERSION,
    STRING,
    FILE_OF_OPTIONS,
    MAX_REGISTERS,
    FUSED,
};

static const struct option {
    const char *name, *brief;
    enum kind kind;
    enum meaning meaning;
} table[] = {
    {"output-file", "o", VALUE, OUTPUT},
    {"gpu-name", "arch", VALUE, ARCHITECTURE},
    {"compile-only", "c", FLAG, COMPILE_ONLY},
    {"verbose", "v", FLAG, VERBOSE},
    {"disable-warnings", "w", FLAG, NO_WARNINGS},
    {"help", "h", FLAG, HELP},
    {"version", "V", FLAG, VERSION},
    {"list-version", "version-ls", FLAG, LIST_VERSION},
    {"input-as-string", "ias", VALUE, STRING},
    {"options-file", "optf", VALUE, FILE_OF_OPTIONS},
    {"opt-level", "O", ATTACHED, IGNORED},
    {"machine", "m", ATTACHED, IGNORED},
    {"Ofast-compile", "Ofc", VALUE, IGNORED},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", VALUE, IGNORED},
    {"compile-as-tools-patch", "astoolspatch", FLAG, IGNORED},
    {"compiler-annotations", "annotate", FLAG, IGNORED},
    {"def-load-cache", "dlcm", VALUE, IGNORED},
    {"def-store-cache", "dscm", VALUE, IGNORED},
    {"device-debug", "g", FLAG, IGNORED},
    {"device-function-maxrregcount", "func-maxrregcount", VALUE, IGNORED},
    {"device-stack-protector", "device-stack-protector", VALUE, IGNORED},
    {"disable-optimizer-constants", "disable-optimizer-consts", FLAG, IGNORED},
    {"dont-merge-basicblocks", "no-bb-merge", FLAG, IGNORED},
    {"entry", "e", VALUE, IGNORED},
    {"extensible-whole-program", "ewp", FLAG, IGNORED},
    {"fmad", "fmad", VALUE, FUSED},
    {"force-load-cache", "flcm", VALUE, IGNORED},
    {"force-store-cache", "fscm", VALUE, IGNORED},
    {"g-tensor-memory-access-check", "g-tmem-access-check", FLAG, IGNORED},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check", FLAG, IGNORED},
    {"generate-line-info", "lineinfo", FLAG, IGNORED},
    {"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", FLAG, IGNORED},
    {"make-errors-visible-at-exit", "make-errors-visible-at-exit", FLAG, IGNORED},
    {"maxntid", "maxntid", VALUE, IGNORED},
    {"maxrregcount", "maxrregcount", VALUE, MAX_REGISTERS},
    {"minnctapersm", "minnctapersm", VALUE, IGNORED},
    {"optimize-float-atomics", "opt-fp-atomics", FLAG, IGNORED},
    {"override-directive-values", "override-directive-values", FLAG, IGNORED},
    {"regAllocOptLevel", "regAllocOptLevel", VALUE, IGNORED}, /* not documented; Triton passes it */
    {"position-independent-code", "pic", VALUE, IGNORED},
    {"preserve-relocs", "preserve-relocs", FLAG, IGNORED},
    {"register-usage-level", "regUsageLevel", VALUE, IGNORED},
    {"return-at-end", "ret-end", FLAG, IGNORED},
    {"sanitize", "sanitize", VALUE, IGNORED},
    {"sp-bounds-check", "sp-bounds-check", FLAG, IGNORED},
    {"split-compile", "split-compile", VALUE, IGNORED},
    {"suppress-async-bulk-multicast-advisory-warning",
     "suppress-async-bulk-multicast-advisory-warning", FLAG, IGNORED},
    {"suppress-debug-info", "suppress-debug-info", FLAG, IGNORED},
    {"suppress-double-demote-warning", "suppress-double-demote-warning", FLAG, IGNORED},
    {"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", FLAG, IGNORED},
    {"suppress-stack-size-warning", "suppress-stack-size-warning", FLAG, IGNORED},
    {"warn-on-double-precision-use", "warn-double-usage", FLAG, IGNORED},
    {"warn-on-local-memory-usage", "warn-lmem-usage", FLAG, IGNORED},
    {"warn-on-spills", "warn-spills", FLAG, IGNORED},
    {"warning-as-error", "Werror", FLAG, IGNORED},
};

void options_help(void)
{
    printf(
        "usage: ptxas [options] FILE...\n"
        "cupipe's ptxas: checks PTX and writes an image that carries it, in place of a cubin.\n\n");
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        printf("  --%s%s (-%s)%s\n", table[i].name, table[i].kind == FLAG ? "" : " VALUE",
               table[i].brief, table[i].meaning == IGNORED ? ": accepted, changes nothing" : "");
}

static bool append(struct words *words, char *word)
{
    char **added = cup_dynarray_add(&words->array, sizeof *added);

    if (added)
        *added = word;
    return added != NULL;
}

static bool parse_words(struct options *options, size_t count, char **words, unsigned depth);

/* Splits a file into words at white space; quotes keep a word together. The words stay in memory
 * until the process ends. */
static bool parse_file(struct options *options, const char *path, unsigned depth)
{
    struct cup_source_text text;
    struct words words = {0};

    if (depth >= DEPTH_MAX || cup_source_read_file(path, &text) != CUDA_SUCCESS) {
        fprintf(options->errors, "ptxas fatal   : Options file '%s' could not be opened\n", path);
        return false;
    }
    for (char *at = text.bytes; *at;) {
        while (isspace((unsigned char)*at))
            at++;
        if (!*at)
            break;
        char quote = *at == '"' || *at == '\'' ? *at++ : 0;
        if (!append(&words, at))
            return false;
        while (*at && (quote ? *at != quote : !isspace((unsigned char)*at)))
            at++;
        if (*at)
            *at++ = 0;
    }
    return parse_words(options, words.count, words.items, depth + 1);
}

static bool apply(struct options *options, const struct option *option, char *value, unsigned depth)
{
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
        return append(&options->strings, value);
    case FILE_OF_OPTIONS:
        return parse_file(options, value, depth);
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
    case IGNORED:
        break;
    }
    return true;
}

/* Finds the option that `word` (without dashes) names; *value is what follows in the same word. */
static const struct option *find(char *word, bool longer, char **value)
{
    size_t length = strcspn(word, "=");

    *value = word[length] ? word + length + 1 : NULL;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *names[] = {table[i].name, table[i].brief};
        /* both dashes take both names, as NVIDIA's does */
        for (unsigned j = 0; j < 2; j++)
            if (strlen(names[j]) == length && strncmp(names[j], word, length) == 0)
                return &table[i];
    }
    for (size_t i = 0; !longer && i < sizeof table / sizeof table[0]; i++)
        if (table[i].kind == ATTACHED && word[0] == table[i].brief[0] &&
            isdigit((unsigned char)word[1])) {
            *value = word + 1;
            return &table[i];
        }
    return NULL;
}

static bool parse_words(struct options *options, size_t count, char **words, unsigned depth)
{
    for (size_t i = 0; i < count; i++) {
        char *word = words[i], *value;
        if (word[0] == '@') {
            if (!parse_file(options, word + 1, depth))
                return false;
            continue;
        }
        if (word[0] != '-' || word[1] == 0) {
            if (!append(&options->files, words[i]))
                return false;
            continue;
        }
        bool longer = word[1] == '-';
        const struct option *option = find(word + 1 + longer, longer, &value);
        if (!option) {
            fprintf(options->errors, "ptxas fatal   : Unknown option '%s'\n", word + longer);
            return false;
        }
        if (option->kind != FLAG && !value) {
            if (++i >= count) {
                fprintf(options->errors, "ptxas fatal   : argument expected after '%s'\n", word);
                return false;
            }
            value = words[i];
        }
        if (!apply(options, option, value, depth))
            return false;
    }
    return true;
}

bool options_parse(struct options *options, FILE *errors, size_t count, char **words)
{
    *options = (struct options){
        .errors = errors, .output = "elf.o", .architecture = "sm_75", .capability = 75};
    return parse_words(options, count, words, 0);
}

void options_finish(struct options *options)
{
    free(options->files.items);
    free(options->strings.items);
}
