/* SPDX-License-Identifier: MIT */
/* The inputs of a link: files and libraries, as PTX texts and as parsed programs. */
#ifndef CUP_NVLINK_INPUTS_H
#define CUP_NVLINK_INPUTS_H

#include "module/source.h"
#include "nvlink/options.h"

struct program_list {
    CUP_DYNARRAY(struct ptx_program *, items);
};

struct inputs {
    const struct link_options *options;
    struct cup_source source;     /* the texts, named after their files */
    struct program_list programs; /* one for each text */
    struct words registers;       /* what host code calls to register: see inputs_registers */
    bool has_library;
};

/* Adds a file. Returns false after a message to the standard error. */
bool inputs_add_file(struct inputs *inputs, const char *path);

/* Adds lib<name>.a of the first folder of -L that has it. A library that is nowhere is passed over,
 * as NVIDIA's nvlink does. */
bool inputs_add_library(struct inputs *inputs, const char *name);

/* Adds the functions of CUDA's device runtime if there is a library among the inputs: NVIDIA's
 * libcudadevrt.a has machine code only. */
bool inputs_add_device_runtime(struct inputs *inputs);

void inputs_finish(struct inputs *inputs);

#endif
