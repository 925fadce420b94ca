/* SPDX-License-Identifier: MIT */
/* The command line of ptxas: the options of NVIDIA's. Those that choose how machine code is made
 * are accepted and change nothing. */
#ifndef CUP_PTXAS_OPTIONS_H
#define CUP_PTXAS_OPTIONS_H

#include "core/dynarray.h"

struct words {
    CUP_DYNARRAY(char *, items);
};

struct options {
    struct words files;
    struct words strings; /* --input-as-string */
    const char *output;
    const char *architecture; /* as given: sm_90a */
    unsigned capability;
    unsigned max_registers; /* 0: no limit */
    bool keeps_products;    /* --fmad=false */
    bool compile_only, verbose, no_warnings, help, version, list_version;
};

/* Returns false after it has printed what is wrong. The options point into arguments and files that
 * stay in memory. */
bool options_parse(struct options *options, int count, char **arguments);

void options_help(void);

#endif
