/* SPDX-License-Identifier: MIT */
/* The options of nvlink: those of NVIDIA's. Those that choose how machine code is made are accepted
 * and change nothing. */
#ifndef CUP_NVLINK_OPTIONS_H
#define CUP_NVLINK_OPTIONS_H

#include "common/command_line.h"

struct link_options {
    struct words files;
    struct words libraries, folders; /* -l, -L */
    const char *output;              /* NULL: none */
    const char *register_file;       /* --register-link-binaries; NULL: none */
    const char *architecture;        /* as given: sm_90a; NULL: none */
    unsigned capability;
    bool relocatable, verbose, help, version;
};

/* Reads the words, which do not begin with the name of the command. Returns false after a message
 * to the standard error. */
bool link_options_parse(struct link_options *options, size_t count, char **words);

void link_options_finish(struct link_options *options);

void link_options_help(void);

#endif
