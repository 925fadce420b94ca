/* SPDX-License-Identifier: MIT */
/* JIT options: mostly the log buffers of the application. */
#ifndef CUP_MODULE_OPTIONS_H
#define CUP_MODULE_OPTIONS_H

#include "module/program.h"

#include <cuda.h>

struct cup_target {
    unsigned capability; /* 90: compute capability 9.0 */
    char suffix;         /* 'a': this architecture only; 'f': its family; 0: none */
};

/* Parsed options. `values` is the application's array; sizes and times are written back to it. */
struct cup_jit_options {
    unsigned count;
    const CUjit_option *options;
    void **values;
    char *info, *error;
    size_t info_bytes, error_bytes;
    uint64_t start_ns;
    /* the result of any compilation with these options; CUDA_SUCCESS: none */
    CUresult compile_error;
    struct cup_target target; /* the requested target; capability 0: the device's */
    uint32_t max_registers;   /* 0: no limit */
    bool verbose;
};

/* Parses the options. Returns INVALID_VALUE for an unknown option, or one that links do not
 * accept. */
CUresult cup_jit_options_read(struct cup_jit_options *read, unsigned count, CUjit_option *options,
                              void **values, bool for_link);

/* Checks whether code with this .target can be compiled for the requested target and run here. */
CUresult cup_jit_options_check(const struct cup_jit_options *read, const struct ptx_program *ptx,
                               const struct cup_profile *profile);

/* What to compile with these options for. */
struct cup_build cup_jit_options_build(const struct cup_jit_options *read,
                                       const struct cup_profile *profile);

/* Returns logs and times to the application. `failed` selects the error log. */
void cup_jit_options_report(const struct cup_jit_options *read, const struct ptx_log *log,
                            bool failed);

#endif
