/* SPDX-License-Identifier: MIT */
/* The options of a compile: mostly where to put what it says. */
#ifndef CUP_MODULE_OPTIONS_H
#define CUP_MODULE_OPTIONS_H

#include "ptx/program.h"

#include <cuda.h>

struct cup_target {
    unsigned capability; /* 90: compute capability 9.0 */
    char suffix;         /* 'a': that architecture alone; 'f': its family; 0: none */
};

/* Where the program wants the logs. The values are the program's own array: sizes and times are
 * written back into it. */
struct cup_jit_options {
    unsigned count;
    const CUjit_option *options;
    void **values;
    char *info, *error;
    size_t info_bytes, error_bytes;
    uint64_t start_ns;
    CUresult compile_error;   /* whatever the code is, this is the answer; CUDA_SUCCESS: none */
    struct cup_target target; /* compile for this; capability 0: for the device's */
};

/* Looks through them; INVALID_VALUE for an option there is not, or not for links. */
CUresult cup_jit_options_read(struct cup_jit_options *read, unsigned count, CUjit_option *options,
                              void **values, bool for_link);

/* Can this code, by its .target, become what the options ask for, and run here? */
CUresult cup_jit_options_check(const struct cup_jit_options *read, const struct ptx_program *ptx);

/* Hands the logs and times back. `errors` goes to the error log when the compile failed. */
void cup_jit_options_report(const struct cup_jit_options *read, const struct ptx_log *log,
                            bool failed);

#endif
