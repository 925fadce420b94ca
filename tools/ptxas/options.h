/* SPDX-License-Identifier: MIT */
/* The options of ptxas and of the PTX compiler library: those of NVIDIA's. Those that choose how
 * machine code is made are accepted and change nothing. */
#ifndef CUP_PTXAS_OPTIONS_H
#define CUP_PTXAS_OPTIONS_H

#include "common/command_line.h"

struct options {
    FILE *errors; /* where messages about the options go */
    struct words files;
    struct words strings; /* --input-as-string */
    const char *output;
    const char *architecture; /* as given: sm_90a */
    unsigned capability;
    unsigned max_registers; /* 0: no limit */
    bool keeps_products;    /* --fmad=false */
    bool compile_only, verbose, no_warnings, help, version, list_version;
};

/* Reads the words, which do not begin with the name of the command. Returns false after it has
 * written to `errors` what is wrong. The options point into words and files that stay in memory. */
bool options_parse(struct options *options, FILE *errors, size_t count, char **words);

/* Frees the lists, not what they point to. */
void options_finish(struct options *options);

void options_help(void);

#endif
