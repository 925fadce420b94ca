/* SPDX-License-Identifier: MIT */
/* The command line of ptxas: the options of NVIDIA's. Those that choose how machine code is made
 * are accepted and change nothing. */
#ifndef CUP_PTXAS_OPTIONS_H
#define CUP_PTXAS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct options {
    const char **inputs; /* the files */
    size_t input_count;
    const char **strings; /* --input-as-string */
    size_t string_count;
    const char *output;
    const char *architecture; /* as given: sm_90a */
    unsigned capability;
    bool compile_only, verbose, no_warnings, help, version, list_version;
};

/* Returns false after it has printed what is wrong. The options point into arguments and files that
 * stay in memory. */
bool options_parse(struct options *options, int count, char **arguments);

void options_help(void);

#endif
